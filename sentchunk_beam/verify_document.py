"""What has to hold for a single document, its chunks and its dead letter."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from math import isnan
from typing import Any

import pyarrow as pa
from sentchunk import ChunkSpec, InvalidInput, Limits, sentences
from sentchunk.semantic.kinds import checked_doc_type

from .settings import Settings
from .strategies import TypeAware
from .verify_structure import check_structure
from .visible import excerpt

Row = dict[str, Any]
Letter = dict[str, Any]

_ENCODINGS = {"utf16": ("utf-16-le", 2), "utf8": ("utf-8", 1)}


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal. NaN is NaN, at any depth."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (isnan(one) and isnan(other))
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return bool(one == other)


def told(value: Any) -> str:
    """A value for people: bytes as the text that they most likely are, and what is long cut short."""
    if isinstance(value, bytes):
        value = value.decode(errors="backslashreplace")
    return excerpt(repr(value), 200, 50)


def plain_values(column: pa.ChunkedArray | pa.Array) -> list[Any]:
    """Values that can be had from every column: texts as bytes, whatever they hold, and times as integers.

    Python has no text that is not UTF-8, and no time in nanoseconds.
    """
    return list(column.cast(_plain(column.type)).to_pylist())


def _plain(found: pa.DataType) -> pa.DataType:
    types = pa.types
    if types.is_string(found) or types.is_string_view(found):
        return pa.binary()
    if types.is_large_string(found):
        return pa.large_binary()
    if types.is_temporal(found) and not types.is_interval(found):
        return pa.int32() if found.bit_width == 32 else pa.int64()
    if types.is_dictionary(found):
        return _plain(found.value_type)
    if isinstance(found, pa.BaseExtensionType):
        return _plain(found.storage_type)
    return _plain_nested(found)


def _plain_nested(found: pa.DataType) -> pa.DataType:
    types = pa.types
    if types.is_struct(found):
        return pa.struct([each.with_type(_plain(each.type)) for each in found])
    if types.is_map(found):
        key, item = (
            each.with_type(_plain(each.type)) for each in (found.key_field, found.item_field)
        )
        return pa.map_(key, item, found.keys_sorted)
    if types.is_list(found) or types.is_large_list(found) or types.is_fixed_size_list(found):
        value = found.value_field.with_type(_plain(found.value_type))
        if types.is_fixed_size_list(found):
            return pa.list_(value, found.list_size)
        return pa.large_list(value) if types.is_large_list(found) else pa.list_(value)
    return found


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


def text_of(raw: bytes | None) -> str | None:
    """The document's text; None where it has none, or one that is not UTF-8."""
    try:
        return None if raw is None else raw.decode()
    except UnicodeDecodeError:
        return None


def last_end(text: str | None, settings: Settings) -> int:
    """The end that a chunk has to reach for none of the document to follow it, 0 where it has no chunk at all.

    White space at the end need not be in a chunk where blank ones are dropped, nor with the type-aware strategy.
    """
    spec = settings.spec
    if text is None:
        return 0
    if isinstance(spec, TypeAware):
        return len(text.rstrip())
    if settings.drop_blank and (spec.overlap == 0 or text.isspace()):
        text = text.rstrip()  # with an overlap, a chunk can repeat a sentence before the blanks
    return len(Sliced(text, spec.unit))


def check_chunks(text: str | None, rows: list[Row], settings: Settings, kept: Row) -> Iterator[str]:
    """Yield what is wrong with the chunks of a document that has no dead letter."""
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
    bounds = _sentence_bounds(text, spec.unit)
    for row in rows:
        name = f"chunk {row['chunk_index']}"
        yield from (f"{name}: {each}" for each in _check_row(row, whole, spec))
        yield from (f"{name}: {each}" for each in _check_sentences(row, bounds))
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


def _sentence_bounds(text: str, unit: str) -> list[int]:
    """Where the sentences of a text begin, and where the last one ends."""
    sizes = (len(Sliced(each.text, unit)) for each in sentences(text))
    return list(accumulate(sizes, initial=0))


def _check_sentences(row: Row, bounds: list[int]) -> Iterator[str]:
    """The sentences that a chunk names have to be those from its start to its end."""
    first, count = row["first_sentence"], row["sentence_count"]
    if not (0 <= first < first + count < len(bounds)):
        yield f"{count} sentences from number {first} on, of {len(bounds) - 1} in the document"
    elif (bounds[first], bounds[first + count]) != (row["start"], row["end"]):
        yield (
            f"{count} sentences from number {first} on are [{bounds[first]}:{bounds[first + count]}), "
            f"not [{row['start']}:{row['end']})"
        )


def _check_kept(row: Row, kept: Row) -> Iterator[str]:
    for name, value in kept.items():
        if not same(row[name], value):
            yield f"kept column {name!r} is {told(row[name])}, not {told(value)}"


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
    if not same(letter["document_id"], identity):
        wrong.append(
            f"its dead letter has the id {told(letter['document_id'])}, not {told(identity)}"
        )
    reasons = {
        "null_id": identity is None,
        "null_text": raw is None,
        "invalid_doc_type": _is_invalid(doc_type),
        "invalid_utf8": raw is not None and text_of(raw) is None,
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
