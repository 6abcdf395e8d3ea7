"""The engine on a whole Arrow column: documents in, a table of chunks and a table of rejects out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ._reference import INVALID_UTF8, NULL_TEXT, OK, PackedChunks, PackedDocuments, pack_documents
from ._rules import Int64Array
from .errors import InvalidInput, limit_message
from .spec import DEFAULT_LIMITS, ChunkSpec, Limits, Unit
from .text import LIMIT_OF_STATUS

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
    check_text_type(documents.type)
    pieces = documents.chunks if isinstance(documents, pa.ChunkedArray) else [documents]
    chunks, rejects, first, sentences, text_bytes = [], [], 0, 0, 0
    for piece in pieces:
        array = _as_large_binary(piece)
        offsets, buffer = _offsets(array), array.buffers()[2]
        data = np.frombuffer(buffer, np.uint8) if buffer else np.empty(0, np.uint8)
        packed, outcomes = pack_documents(data, offsets, _valid(array), spec)
        chunks.append(_chunks_table(packed, first, data, buffer))
        rejects.append(_rejects_table(outcomes, first, spec.limits))
        first += len(piece)
        sentences += int(outcomes.sentences.sum())
        text_bytes += int(np.diff(offsets)[outcomes.status == OK].sum())
    return ChunkedDocuments(
        pa.concat_tables(chunks) if chunks else CHUNKS_SCHEMA.empty_table(),
        pa.concat_tables(rejects) if rejects else REJECTS_SCHEMA.empty_table(),
        first,
        sentences,
        text_bytes,
    )


def is_text_type(arrow_type: pa.DataType) -> bool:
    """Whether a column of this type can hold documents."""
    if pa.types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    return arrow_type in _TEXT_TYPES


_TEXT_TYPES = (
    pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()
)  # fmt: skip


def check_text_type(arrow_type: pa.DataType) -> None:
    if not is_text_type(arrow_type):
        raise InvalidInput(
            "documents",
            f"documents are of type {arrow_type}; "
            "use string, large_string, string_view, binary or a dictionary of those",
        )


def _as_large_binary(array: pa.Array) -> pa.LargeBinaryArray:
    """The same bytes under 64-bit offsets; only a dictionary and views are copied.

    As binary rather than string, so that Arrow neither checks nor assumes UTF-8: the engine does that.
    """
    if pa.types.is_dictionary(array.type):
        array = _binary(array.dictionary).take(array.indices)
    return _binary(array)


def _binary(array: pa.Array) -> pa.LargeBinaryArray:
    return array if array.type == pa.large_binary() else array.cast(pa.large_binary())


def _offsets(array: pa.LargeBinaryArray) -> Int64Array:
    if len(array) == 0:  # Arrow allows such an array to have no offsets at all
        return np.zeros(1, dtype=np.int64)
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int64)
    return offsets[array.offset : array.offset + len(array) + 1]


def _valid(array: pa.LargeBinaryArray) -> npt.NDArray[np.bool_] | None:
    if array.null_count == 0:
        return None
    return np.asarray(array.is_valid().to_numpy(zero_copy_only=False))


def _chunks_table(
    packed: PackedChunks, first: int, data: npt.NDArray[np.uint8], buffer: pa.Buffer | None
) -> pa.Table:
    return pa.Table.from_arrays(
        [
            pa.array(packed.document + first),
            pa.array(packed.chunk_index),
            _slices(packed.byte_start, packed.byte_end, data, buffer),
            pa.array(packed.start),
            pa.array(packed.end),
            pa.array(packed.end - packed.start),
            pa.array(packed.first_sentence),
            pa.array(packed.sentence_count),
            pa.array(packed.oversized),
        ],
        schema=CHUNKS_SCHEMA,
    )


def _slices(
    starts: Int64Array, ends: Int64Array, data: npt.NDArray[np.uint8], buffer: pa.Buffer | None
) -> pa.LargeStringArray:
    """The texts of the chunks. Where they lie one after another, new offsets over the same bytes: no copy."""
    offsets = np.zeros(len(starts) + 1, dtype=np.int64)
    if len(starts) and np.array_equal(starts[1:], ends[:-1]):
        offsets[:-1], offsets[-1] = starts, ends[-1]
        return pa.LargeStringArray.from_buffers(len(starts), pa.py_buffer(offsets), buffer)
    np.cumsum(ends - starts, out=offsets[1:])
    joined = b"".join(data[start:end].tobytes() for start, end in zip(starts, ends, strict=True))
    return pa.LargeStringArray.from_buffers(
        len(starts), pa.py_buffer(offsets), pa.py_buffer(joined)
    )


def _rejects_table(outcomes: PackedDocuments, first: int, limits: Limits) -> pa.Table:
    rejected = np.flatnonzero(outcomes.status != OK)
    rows = [
        {"document": first + index, **_reason(int(outcomes.status[index]), int(outcomes.figure[index]), limits)}
        for index in rejected.tolist()
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, schema=REJECTS_SCHEMA)


def _reason(status: int, figure: int, limits: Limits) -> dict[str, Any]:
    if status == NULL_TEXT:
        return {"code": "null_text", "message": "the text is null"}
    if status == INVALID_UTF8:
        message = f"the text is not UTF-8: byte {figure:,} is the first wrong one"
        return {"code": "invalid_utf8", "byte_position": figure, "message": message}
    name = LIMIT_OF_STATUS[status]
    limit = getattr(limits, name)
    return {
        "code": "limit_exceeded",
        "limit_name": name,
        "limit": limit,
        "figure": figure,
        "message": limit_message(name, limit, figure),
    }
