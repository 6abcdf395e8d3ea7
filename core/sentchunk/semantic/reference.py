"""The type-aware chunker in numpy: what the kernel has as C, and the specification of that."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _engine
from .._records import (
    INVALID_DOC_TYPE,
    INVALID_UTF8,
    NULL_TEXT,
    OK,
    OUTPUT_BYTES,
    TEXT_BYTES,
    ChunkResult,
    Int64Array,
    Spans,
    StructuredChunks,
)
from ..spec import Limits
from .kinds import Kind, SemanticSpec
from .spans import semantic_spans
from .tokens import code_points

__all__ = ["ChunkResult", "semantic_column", "semantic_results", "semantic_spans"]


# A single text


def semantic_results(
    text: str, kind: Kind, spec: SemanticSpec, metadata: Mapping[str, Any] | None
) -> list[ChunkResult]:
    """The chunks of a text with what they hold."""
    spans = semantic_spans(text, kind, spec)
    starts, ends = spans.starts.tolist(), spans.ends.tolist()
    return list(
        map(
            ChunkResult,
            [text[start:end] for start, end in zip(starts, ends, strict=True)],
            range(len(starts)),
            _metadata(spans, metadata),
            starts,
            ends,
            spans.new_starts.tolist(),
            spans.oversized.tolist(),
        )
    )


def _metadata(spans: Spans, given: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    for part in spans.part.tolist():
        own = dict(copy.deepcopy(given)) if given else {}
        title = spans.sections[part] if spans.sections else None
        yield own if title is None else own | {"section": title}


# A column


class _Document(NamedTuple):
    """A document that is chunked; `starts` and `ends` are places in the column's bytes."""

    number: int
    spans: Spans
    starts: Int64Array
    ends: Int64Array


def semantic_column(
    data: npt.NDArray[np.uint8],
    offsets: Int64Array,
    valid: npt.NDArray[np.bool_] | None,
    kinds: npt.NDArray[np.int8],
    spec: SemanticSpec,
    limits: Limits,
) -> tuple[StructuredChunks, npt.NDArray[np.uint8], Int64Array]:
    """Chunk document i, the bytes `data[offsets[i]:offsets[i + 1]]`, under the rules of `kinds[i]`; of -1 there are none.

    Gives the chunks, and of each document its status and figure, as PackedDocuments has them.
    """
    status, figure = np.empty(len(kinds), np.uint8), np.empty(len(kinds), np.int64)
    found: list[_Document] = []
    for number, kind in enumerate(kinds.tolist()):
        if valid is not None and not valid[number]:
            status[number], figure[number] = NULL_TEXT, 0
            continue
        base, end = offsets[number : number + 2].tolist()
        status[number], figure[number], text = _checked(data[base:end], kind, limits)
        if status[number] == OK:
            spans = semantic_spans(text, Kind(kind), spec)
            starts, ends = (base + each for each in _byte_places(text, spans))
            size = int((ends - starts).sum()) + _title_bytes(spans)
            if limits.max_output_bytes is not None and size > limits.max_output_bytes:
                status[number], figure[number] = OUTPUT_BYTES, size
            else:
                found.append(_Document(number, spans, starts, ends))
    return _structured(found), status, figure


def _checked(data: npt.NDArray[np.uint8], kind: int, limits: Limits) -> tuple[int, int, str]:
    """The status and the figure of a document that is not chunked yet, and its text."""
    if limits.max_text_bytes is not None and len(data) > limits.max_text_bytes:
        return TEXT_BYTES, len(data), ""
    try:
        text = data.tobytes().decode()
    except UnicodeDecodeError as error:
        return INVALID_UTF8, error.start, ""
    return (INVALID_DOC_TYPE if kind < 0 else OK), 0, text


def _title_bytes(spans: Spans) -> int:
    """Of the sections of all chunks: a column holds the title as often as there are chunks."""
    if not spans.sections:
        return 0
    sizes = np.array([0 if title is None else len(title.encode()) for title in spans.sections])
    return int(sizes[spans.part].sum())


def _structured(found: list[_Document]) -> StructuredChunks:
    counts = np.array([len(each.starts) for each in found], np.int64)
    titles: list[str] = []
    places = []
    for each in found:
        sections = each.spans.sections
        has_title = each.spans.part > 0 if sections else np.zeros(len(each.starts), np.bool_)
        places.append(np.where(has_title, each.spans.part + len(titles) - 1, -1))
        titles += [title for title in sections or () if title is not None]
    encoded = [title.encode() for title in titles]
    title_bytes, title_offsets = _engine.active.gather(
        np.frombuffer(b"".join(encoded), np.uint8), *_bounds(encoded)
    )
    return StructuredChunks(
        np.repeat(np.array([each.number for each in found], np.int64), counts),
        np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts),
        _joined([each.starts for each in found]),
        _joined([each.ends for each in found]),
        _joined([each.spans.starts for each in found]),
        _joined([each.spans.ends for each in found]),
        _joined([each.spans.new_starts for each in found]),
        _joined(places),
        _joined([each.spans.oversized for each in found], np.bool_),
        title_bytes,
        title_offsets,
    )


def _joined(columns: list[npt.NDArray[Any]], dtype: type = np.int64) -> npt.NDArray[Any]:
    return np.concatenate([np.empty(0, dtype), *columns])


def _bounds(encoded: list[bytes]) -> tuple[Int64Array, Int64Array]:
    ends = np.cumsum([len(each) for each in encoded], dtype=np.int64)
    return np.append(np.zeros(1, np.int64), ends)[:-1], ends


def _byte_places(text: str, spans: Spans) -> tuple[Int64Array, Int64Array]:
    """Where the chunks start and end in the UTF-8 of the text."""
    codes = code_points(text)
    widths = np.ones(len(codes), np.int64)
    for least in (0x80, 0x800, 0x10000):
        widths += codes >= least
    places = np.concatenate([[0], np.cumsum(widths)])
    return places[spans.starts], places[spans.ends]
