"""What has to hold for the chunks of a document that the type-aware strategy has made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sentchunk import InvalidInput
from sentchunk.semantic import semantic_spans
from sentchunk.semantic.kinds import WHOLE, SemanticSpec

from .visible import excerpt

Row = dict[str, Any]


def check_structure(text: str, rows: list[Row], caps: SemanticSpec) -> Iterator[str]:
    """Yield what is wrong: with a slice, a cap, the order, the overlap, a section, or for being in no chunk."""
    end, start_before, new_before = 0, -1, 0
    for row in rows:
        name = f"chunk {row['chunk_index']}"
        yield from (f"{name}: {each}" for each in _check_row(text, row, caps))
        if row["start"] <= start_before:
            yield f"{name}: start {row['start']} does not rise"
        if row["start"] < row["new_start"] and row["start"] < new_before:
            yield f"{name}: repeats more than what is new in the chunk before"
        if row["new_start"] < end:
            yield f"{name}: new_start {row['new_start']} lies in the chunk before"
        yield from _check_gap(name, text, end, row["new_start"])
        end, start_before, new_before = row["end"], row["start"], row["new_start"]
    yield from _check_gap("after the last chunk", text, end, len(text))
    if [row["chunk_index"] for row in rows] != list(range(len(rows))):
        yield "the indices of its chunks are not 0, 1, 2 and so on"
    yield from _check_sections(text, rows, caps)


def _check_row(text: str, row: Row, caps: SemanticSpec) -> Iterator[str]:
    start, new_start, end, content = row["start"], row["new_start"], row["end"], row["text"]
    if text[start:end] != content:
        yield f"text is not the slice [{start}:{end}) of the document"
    if row["size"] != end - start:
        yield f"size {row['size']} is not end - start, {end - start}"
    if not start <= new_start < end:
        yield f"new_start {new_start} is not in [{start}:{end})"
    tokens = len(content.split())
    over = tokens > caps.max_tokens or len(content) > caps.chars
    if row["oversized"] != over:
        yield f"oversized is {row['oversized']}, with {tokens} tokens and {len(content)} characters"
    if over and row["doc_type"] not in WHOLE:
        yield f"is over a cap, with {tokens} tokens and {len(content)} characters"
    if len(text[start:new_start].split()) > caps.overlap:
        yield f"repeats more than {caps.overlap} tokens"


def _check_gap(name: str, text: str, end: int, start: int) -> Iterator[str]:
    if text[end:start].strip():
        yield f"{name}: [{end}:{start}) of the document is in no chunk"


def _check_sections(text: str, rows: list[Row], caps: SemanticSpec) -> Iterator[str]:
    """The section that a chunk names has to be the one that its new part begins in, as the engine finds it."""
    if not rows:
        return
    try:
        spans = semantic_spans(text, rows[0]["doc_type"], caps)
    except InvalidInput as error:
        yield str(error)
        return
    sections = spans.sections
    found = {
        start: None if sections is None else sections[part]
        for start, part in zip(spans.new_starts.tolist(), spans.part.tolist(), strict=True)
    }
    for row in rows:
        name, start = f"chunk {row['chunk_index']}", row["new_start"]
        if start not in found:
            yield f"{name}: no chunk of the document begins at {start}"
        elif found[start] != row["section"]:
            yield f"{name}: section is {excerpt(repr(row['section']), 200, 50)}, not {excerpt(repr(found[start]), 200, 50)}"
