"""The type-aware chunker on an Arrow column: documents in, a table of chunks and a table of rejects out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .. import _engine
from .._records import (
    INVALID_DOC_TYPE,
    INVALID_UTF8,
    LIMIT_OF_STATUS,
    NULL_TEXT,
    OK,
    OUTPUT_BYTES,
    Int64Array,
    StructuredChunks,
)
from ..arrow import REJECTS_SCHEMA
from ..errors import BYTES_OF_CHUNKS, InvalidInput, limit_message
from ..spec import Limits
from ..text_columns import check_text_type, joined, offsets_of, valid_of, with_offsets
from . import implementation
from .kinds import SemanticSpec, checked_doc_type, kind_of

SEMANTIC_CHUNKS_SCHEMA = pa.schema(
    [
        pa.field("document", pa.int64(), nullable=False),
        pa.field("chunk_index", pa.int64(), nullable=False),
        pa.field("text", pa.large_string(), nullable=False),
        pa.field("start", pa.int64(), nullable=False),
        pa.field("end", pa.int64(), nullable=False),
        pa.field("new_start", pa.int64(), nullable=False),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("oversized", pa.bool_(), nullable=False),
        pa.field("section", pa.string()),
        pa.field("doc_type", pa.string(), nullable=False),
    ]
)


class SemanticChunks(NamedTuple):
    """Chunks (SEMANTIC_CHUNKS_SCHEMA) and rejects (REJECTS_SCHEMA), in order of documents.

    documents: how many came in. text_bytes: how many UTF-8 bytes the chunked ones hold.
    """

    chunks: pa.Table
    rejects: pa.Table
    documents: int
    text_bytes: int


def chunk_semantic_column(
    texts: pa.Array | pa.ChunkedArray, doc_types: Sequence[str], spec: SemanticSpec, limits: Limits
) -> SemanticChunks:
    """Chunk every document of a column, each by its own type.

    A document is either wholly chunked or one reject: "null_text", "invalid_utf8", "invalid_doc_type" (a special name
    but for case or blanks) or "limit_exceeded": `max_text_bytes` of its text, or `max_output_bytes` of the text of its
    chunks, which overlap can make twice as long, and of their sections. `max_sentences` means nothing here.
    """
    check_text_type(texts.type)
    pieces = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
    types = _Types(doc_types)
    tables: list[pa.Table] = []
    rejects: list[dict[str, Any]] = []
    text_bytes = first = 0
    for array in joined(map(with_offsets, pieces)):
        offsets, buffer = offsets_of(array), array.buffers()[2]
        data = np.frombuffer(buffer, np.uint8) if buffer else np.empty(0, np.uint8)
        own = slice(first, first + len(array))
        found, status, figure = implementation.active.semantic_column(
            data, offsets, valid_of(array), types.kinds(own), spec, limits
        )
        tables.append(_table(found, data, first, types.names(found.document + first)))
        for index in np.flatnonzero(status != OK).tolist():
            reject = _reject(status[index], int(figure[index]), doc_types[first + index], limits)
            rejects.append({"document": first + index} | reject)
        text_bytes += int(np.diff(offsets)[status == OK].sum())
        first += len(array)
    return SemanticChunks(
        pa.concat_tables(tables) if tables else SEMANTIC_CHUNKS_SCHEMA.empty_table(),
        pa.Table.from_pylist(rejects, schema=REJECTS_SCHEMA),
        first,
        text_bytes,
    )


class _Types:
    """The types of all documents: the few that there are, and which of them each has."""

    def __init__(self, doc_types: Sequence[str]) -> None:
        places = {name: place for place, name in enumerate(dict.fromkeys(doc_types))}
        self._of_each = np.fromiter((places[name] for name in doc_types), np.int64, len(doc_types))
        kinds = [_kind_or_none(name) for name in places]
        self._kinds = np.array(kinds, np.int8)
        # A name that no document is chunked by need not even be a string.
        self._names = pa.array(
            [name if kind >= 0 else None for name, kind in zip(places, kinds, strict=True)],
            pa.string(),
        )

    def kinds(self, documents: slice) -> npt.NDArray[np.int8]:
        """The kind of each document, -1 for a type that is none."""
        return self._kinds[self._of_each[documents]]

    def names(self, documents: Int64Array) -> pa.Array:
        return self._names.take(pa.array(self._of_each[documents]))


def _kind_or_none(doc_type: str) -> int:
    try:
        return kind_of(doc_type)
    except InvalidInput:
        return -1


def _table(
    found: StructuredChunks, data: npt.NDArray[np.uint8], first: int, doc_types: pa.Array
) -> pa.Table:
    """The chunks of all documents, of which `first` is the number of the first one."""
    texts, offsets = _engine.active.gather(data, found.byte_start, found.byte_end)
    return pa.Table.from_arrays(
        [
            pa.array(found.document + first),
            pa.array(found.chunk_index),
            _strings(texts, offsets),
            pa.array(found.start),
            pa.array(found.end),
            pa.array(found.new_start),
            pa.array(found.end - found.start),
            pa.array(found.oversized),
            _sections(found),
            doc_types,
        ],
        schema=SEMANTIC_CHUNKS_SCHEMA,
    )


def _sections(found: StructuredChunks) -> pa.ChunkedArray:
    """The title of each chunk's section, in pieces: together they can be more than an array of strings can hold."""
    titles = _strings(found.title_bytes, found.title_offsets).cast(pa.string())
    sizes = np.append(np.diff(found.title_offsets), 0)[
        found.title
    ]  # the last one is that of no title
    bounds = np.flatnonzero(np.diff(np.cumsum(sizes) // _PIECE_BYTES)) + 1
    return pa.chunked_array(
        [titles.take(pa.array(each, mask=each < 0)) for each in np.split(found.title, bounds)],
        pa.string(),
    )


_PIECE_BYTES = 1 << 30


def _strings(texts: npt.NDArray[np.uint8], offsets: Int64Array) -> pa.LargeStringArray:
    return pa.LargeStringArray.from_buffers(
        len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(texts)
    )


def _reject(status: int, figure: int, doc_type: str, limits: Limits) -> dict[str, Any]:
    """Why a document has no chunks: a row of the rejects, but for the document."""
    if status == NULL_TEXT:
        return {"code": "null_text", "message": "the text is null"}
    if status == INVALID_UTF8:
        message = f"the text is not UTF-8: byte {figure:,} is the first wrong one"
        return {"code": "invalid_utf8", "message": message, "byte_position": figure}
    if status == INVALID_DOC_TYPE:
        return {"code": "invalid_doc_type", "message": _mistake(doc_type)}
    name = LIMIT_OF_STATUS[status]
    limit = getattr(limits, name)
    measured = BYTES_OF_CHUNKS if status == OUTPUT_BYTES else None
    message = limit_message(name, limit, figure, measured=measured)
    facts = {"limit_name": name, "limit": limit, "figure": figure}
    return {"code": "limit_exceeded", "message": message} | facts


def _mistake(doc_type: str) -> str:
    try:
        checked_doc_type(doc_type)
    except InvalidInput as error:
        return str(error)
    raise AssertionError(doc_type)
