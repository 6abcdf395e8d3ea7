"""The engine on a whole Arrow column: documents in, a table of chunks and a table of rejects out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from . import _engine
from ._records import (
    INVALID_UTF8,
    LIMIT_OF_STATUS,
    NULL_TEXT,
    OK,
    Int64Array,
    PackedChunks,
    PackedDocuments,
)
from .errors import InvalidInput, limit_message
from .spec import DEFAULT_LIMITS, ChunkSpec, Limits, Unit
from .text_columns import check_text_type, joined, offsets_of, valid_of, with_offsets

CHUNKS_SCHEMA = pa.schema(
    [
        pa.field("document", pa.int64(), nullable=False),
        pa.field("chunk_index", pa.int64(), nullable=False),
        pa.field("text", pa.large_string(), nullable=False),
        pa.field("start", pa.int64(), nullable=False),
        pa.field("end", pa.int64(), nullable=False),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("first_sentence", pa.int64(), nullable=False),
        pa.field("sentence_count", pa.int64(), nullable=False),
        pa.field("oversized", pa.bool_(), nullable=False),
    ]
)

REJECTS_SCHEMA = pa.schema(
    [
        pa.field("document", pa.int64(), nullable=False),
        pa.field("code", pa.string(), nullable=False),
        pa.field("limit_name", pa.string()),
        pa.field("limit", pa.int64()),
        pa.field("figure", pa.int64()),
        pa.field("byte_position", pa.int64()),
        pa.field("message", pa.string(), nullable=False),
    ]
)


class ChunkedDocuments(NamedTuple):
    """What `chunk_arrow` gives.

    chunks: a row for each chunk, in order of documents (CHUNKS_SCHEMA). `document` is the index in the input.
    rejects: a row for each document that has no chunks for a reason (REJECTS_SCHEMA).
    documents: how many came in. sentences, text_bytes: how many, and how many UTF-8 bytes, the chunked ones hold.
    """

    chunks: pa.Table
    rejects: pa.Table
    documents: int
    sentences: int
    text_bytes: int


def chunk_arrow(
    documents: pa.Array | pa.ChunkedArray,
    *,
    max_size: int,
    unit: Unit = "code_point",
    overlap: int = 0,
    limits: Limits = DEFAULT_LIMITS,
) -> ChunkedDocuments:
    """Chunk every document of a column: string, large_string, string_view, binary or dictionary of those.

    A document is either wholly chunked or one reject: "null_text", "invalid_utf8" (with the position of the first
    wrong byte) or "limit_exceeded" (with the limit's name and value, and the document's figure). A column's type is
    not trusted: bytes are checked to be UTF-8. Raises InvalidInput for a parameter or a column of another type.
    """
    return chunk_column(documents, ChunkSpec(max_size, unit, overlap, limits))


def chunk_column(documents: pa.Array | pa.ChunkedArray, spec: ChunkSpec) -> ChunkedDocuments:
    """`chunk_arrow` with its parameters checked before."""
    if not isinstance(documents, pa.Array | pa.ChunkedArray):
        kind = type(documents).__name__
        raise InvalidInput("documents", f"documents are {kind}; use an Arrow array of strings")
    check_text_type(documents.type)
    pieces = documents.chunks if isinstance(documents, pa.ChunkedArray) else [documents]
    chunks: list[pa.Table] = []
    rejects: list[pa.Table] = []
    first = sentences = text_bytes = 0
    for array in joined(map(with_offsets, pieces)):
        offsets, buffer = offsets_of(array), array.buffers()[2]
        data = np.frombuffer(buffer, np.uint8) if buffer else np.empty(0, np.uint8)
        packed, outcomes = _engine.active.pack_documents(data, offsets, valid_of(array), spec)
        chunks.append(_chunks_table(packed, first, data, buffer))
        text_bytes += int(offsets[-1] - offsets[0])
        if outcomes.status.any():  # OK is 0
            rejects.extend(_rejects_tables(outcomes, first, spec.limits))
            text_bytes -= int(np.diff(offsets)[outcomes.status != OK].sum())
        first += len(array)
        sentences += int(outcomes.sentences.sum())
    return ChunkedDocuments(
        _one_table(chunks, _NO_CHUNKS),
        _one_table(rejects, _NO_REJECTS),
        first,
        sentences,
        text_bytes,
    )


_NO_CHUNKS = CHUNKS_SCHEMA.empty_table()
_NO_REJECTS = REJECTS_SCHEMA.empty_table()


def _one_table(tables: list[pa.Table], if_none: pa.Table) -> pa.Table:
    if len(tables) > 1:
        return pa.concat_tables(tables)
    return tables[0] if tables else if_none


def _chunks_table(
    packed: PackedChunks, first: int, data: npt.NDArray[np.uint8], buffer: pa.Buffer | None
) -> pa.Table:
    return pa.Table.from_arrays(
        [
            _numbers(packed.document + first if first else packed.document),
            _numbers(packed.chunk_index),
            _texts(packed.byte_start, packed.byte_end, data, buffer),
            _numbers(packed.start),
            _numbers(packed.end),
            _numbers(packed.end - packed.start),
            _numbers(packed.first_sentence),
            _numbers(packed.sentence_count),
            pa.array(packed.oversized),
        ],
        schema=CHUNKS_SCHEMA,
    )


def _numbers(column: Int64Array) -> pa.Int64Array:
    return pa.Int64Array.from_buffers(_INT64, len(column), [None, pa.py_buffer(column)])


_INT64 = pa.int64()


def _texts(
    starts: Int64Array, ends: Int64Array, data: npt.NDArray[np.uint8], buffer: pa.Buffer | None
) -> pa.ChunkedArray:
    """The texts of the chunks.

    Where they lie one after another, new offsets over the same bytes are a valid array: no copy. A gap (a rejected
    document) only starts another such array. With many gaps, or with overlap, the texts are copied together.
    """
    gaps = starts[1:] != ends[:-1]
    if not gaps.any():
        runs = [_over(buffer, np.append(starts, ends[-1:]))] if len(starts) else []
        return pa.chunked_array(runs, pa.large_string())
    first_of_run = np.flatnonzero(gaps) + 1
    text_bytes = int(ends.sum() - starts.sum())
    if len(first_of_run) * _LEAST_BYTES_OF_A_RUN <= text_bytes:
        bounds = [0, *first_of_run.tolist(), len(starts)]
        runs = [
            _over(buffer, np.append(starts[first:stop], ends[stop - 1]))
            for first, stop in pairwise(bounds)
        ]
    else:
        joined, offsets = _engine.active.gather(data, starts, ends)
        runs = [_over(pa.py_buffer(joined), offsets)]
    return pa.chunked_array(runs, pa.large_string())


# Below this average the pieces of an array cost more than the copy that they save.
_LEAST_BYTES_OF_A_RUN = 1 << 16


def _over(buffer: pa.Buffer | None, offsets: Int64Array) -> pa.LargeStringArray:
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), buffer)


def _rejects_tables(outcomes: PackedDocuments, first: int, limits: Limits) -> Iterator[pa.Table]:
    rejected = np.flatnonzero(outcomes.status != OK)
    for start in range(0, len(rejected), _REJECTS_AT_ONCE):
        some = rejected[start : start + _REJECTS_AT_ONCE]
        yield _rejects_table(some + first, outcomes.status[some], outcomes.figure[some], limits)


_REJECTS_AT_ONCE = 1 << 22  # their messages stay below what a string array can hold


def _rejects_table(
    rejected: Int64Array, status: npt.NDArray[np.uint8], figure: Int64Array, limits: Limits
) -> pa.Table:
    # What a status stands for, at its place; and for each reject, what its status stands for.
    names = [LIMIT_OF_STATUS.get(number) for number in range(_STATUSES)]
    values = [None if name is None else getattr(limits, name) for name in names]
    of_each = pa.array(status)
    return pa.Table.from_arrays(
        [
            pa.array(rejected),
            pa.array(_CODES).take(of_each),
            pa.array(names, pa.string()).take(of_each),
            pa.array(values, pa.int64()).take(of_each),
            pa.array(figure, mask=status < min(LIMIT_OF_STATUS)),
            pa.array(figure, mask=status != INVALID_UTF8),
            _messages(status, figure, limits),
        ],
        schema=REJECTS_SCHEMA,
    )


_STATUSES = max(LIMIT_OF_STATUS) + 1
_CODES = [
    {NULL_TEXT: "null_text", INVALID_UTF8: "invalid_utf8"}.get(status, "limit_exceeded")
    for status in range(_STATUSES)
]


def _messages(status: npt.NDArray[np.uint8], figure: Int64Array, limits: Limits) -> pa.Array:
    """A message for each reject. It is written once for all that have the same status and figure."""
    cases = pa.array(figure * _STATUSES + status).dictionary_encode()
    texts = [
        _message(case % _STATUSES, case // _STATUSES, limits)
        for case in cases.dictionary.to_pylist()
    ]
    return pa.array(texts, pa.string()).take(cases.indices)


def _message(status: int, figure: int, limits: Limits) -> str:
    if status == NULL_TEXT:
        return "the text is null"
    if status == INVALID_UTF8:
        return f"the text is not UTF-8: byte {figure:,} is the first wrong one"
    name = LIMIT_OF_STATUS[status]
    return limit_message(name, getattr(limits, name), figure)
