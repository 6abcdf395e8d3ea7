"""What has to hold for a single document, its chunks and its dead letter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sentchunk import ChunkSpec, InvalidInput, Limits
from sentchunk.semantic.kinds import checked_doc_type

from .settings import Settings
from .strategies import TypeAware
from .verify_structure import check_structure

Row = dict[str, Any]
Letter = dict[str, Any]

_ENCODINGS = {"utf16": ("utf-16-le", 2), "utf8": ("utf-8", 1)}


class Sliced:
    """A text that gives slices in a unit."""

    def __init__(self, text: str, unit: str) -> None:
        self._encoding: str | None
        self._encoding, self._width = _ENCODINGS.get(unit, (None, 1))
        self._held: Any = text if self._encoding is None else text.encode(self._encoding)

    def __len__(self) -> int:
        return len(self._held) // self._width

    def slice(self, start: int, end: int) -> str | None:
        """The text from start to end; None where these cut a character."""
        part = self._held[start * self._width : end * self._width]
        if self._encoding is None:
            return str(part)
        try:
            return str(part.decode(self._encoding))
        except UnicodeDecodeError:
            return None


def check_chunks(
    raw: bytes | None, rows: list[Row], settings: Settings, kept: Row
) -> Iterator[str]:
    """Yield what is wrong with the chunks of a document that has no dead letter."""
    try:
        text = None if raw is None else raw.decode()
    except UnicodeDecodeError:
        text = None
    if text is None:
        yield "is null or not UTF-8, and is not among the dead letters"
        return
    for row in rows:
        yield from (f"chunk {row['chunk_index']}: {each}" for each in _check_kept(row, kept))
    spec = settings.spec
    if isinstance(spec, TypeAware):
        yield from check_structure(text, rows, spec.caps)
        return
    whole, end, overlap_from = Sliced(text, spec.unit), 0, -1
    for row in rows:
        name = f"chunk {row['chunk_index']}"
        yield from (f"{name}: {each}" for each in _check_row(row, whole, spec))
        if row["start"] <= overlap_from:
            yield f"{name}: start {row['start']} does not rise"
        if row["start"] < end and spec.overlap == 0:
            yield f"{name}: overlaps the one before it, though overlap is 0"
        yield from _check_gap(name, whole, end, row["start"], settings)
        end, overlap_from = row["end"], row["start"]
    yield from _check_gap("after the last chunk", whole, end, len(whole), settings)
    if not settings.drop_blank and [row["chunk_index"] for row in rows] != list(range(len(rows))):
        yield "the indices of its chunks are not 0, 1, 2 and so on"


def _check_row(row: Row, whole: Sliced, spec: ChunkSpec) -> Iterator[str]:
    start, end, size = row["start"], row["end"], row["size"]
    if whole.slice(start, end) != row["text"]:
        yield f"text is not the slice [{start}:{end}) of the document"
    if size != end - start:
        yield f"size {size} is not end - start, {end - start}"
    if row["oversized"] != (size > spec.max_size):
        yield f"oversized is {row['oversized']}, with size {size} and max_size {spec.max_size}"
    if row["oversized"] and row["sentence_count"] != 1:
        yield f"oversized, with {row['sentence_count']} sentences"


def _check_kept(row: Row, kept: Row) -> Iterator[str]:
    for name, value in kept.items():
        if row[name] != value:
            yield f"kept column {name!r} is {row[name]!r}, not {value!r}"


def _check_gap(name: str, whole: Sliced, end: int, start: int, settings: Settings) -> Iterator[str]:
    """Nothing of the document may be missing, but for blank chunks where those were dropped."""
    if end < start:
        between = whole.slice(end, start)
        if not (settings.drop_blank and between is not None and between.isspace()):
            yield f"{name}: [{end}:{start}) of the document is in no chunk"


def check_without_chunks(
    raw: bytes | None,
    identity: Any,
    letter: Letter,
    limits: Limits,
    doc_type: str | None = None,
) -> list[str]:
    """What is wrong with the dead letter of a document."""
    code, wrong = letter["code"], []
    if letter["document_id"] != identity:
        wrong.append(f"its dead letter has the id {letter['document_id']!r}, not {identity!r}")
    reasons = {
        "null_id": identity is None,
        "null_text": raw is None,
        "invalid_doc_type": _is_invalid(doc_type),
        "invalid_utf8": raw is not None and not _is_utf8(raw),
        "limit_exceeded": letter["limit_name"] is not None
        and letter["limit"] == getattr(limits, letter["limit_name"], letter["limit"])
        and letter["figure"] > letter["limit"],
    }
    if not reasons.get(code, False):
        wrong.append(f"its dead letter says {code}, which is not so")
    if (
        letter["limit_name"] == "max_text_bytes"
        and raw is not None
        and letter["figure"] != len(raw)
    ):
        wrong.append(f"its dead letter says {letter['figure']:,} bytes, it has {len(raw):,}")
    return wrong


def _is_invalid(doc_type: str | None) -> bool:
    try:
        checked_doc_type(doc_type)
    except InvalidInput:
        return doc_type is not None
    return False


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
