"""The type-aware chunker on an Arrow column: documents in, a table of chunks and a table of rejects out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .. import _engine
from .._records import Int64Array
from ..arrow import REJECTS_SCHEMA, check_text_type
from ..errors import InvalidInput, limit_message
from ..spec import Limits
from .kinds import SemanticSpec
from .spans import Spans, semantic_spans
from .tokens import code_points

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
    texts: pa.Array | pa.ChunkedArray, doc_types: Iterable[str], spec: SemanticSpec, limits: Limits
) -> SemanticChunks:
    """Chunk every document of a column, each by its own type.

    A document is either wholly chunked or one reject: "null_text", "invalid_utf8", "invalid_doc_type" (a special name
    but for case or blanks) or "limit_exceeded": `max_text_bytes` of its text, or `max_output_bytes` of the text of its
    chunks, which overlap can make twice as long. `max_sentences` means nothing here.
    """
    check_text_type(texts.type)
    batch = _Batch(spec, limits)
    for index, (text, doc_type) in enumerate(zip(texts, doc_types, strict=True)):
        batch.add(index, text.cast(pa.large_binary()).as_py() if text.is_valid else None, doc_type)
    return batch.result(len(texts))


class _Batch:
    """Gathers what documents give."""

    def __init__(self, spec: SemanticSpec, limits: Limits) -> None:
        self._spec, self._limits = spec, limits
        self._rejects: list[dict[str, Any]] = []
        self._tables: list[pa.Table] = []
        self._text_bytes = 0

    def add(self, index: int, raw: bytes | None, doc_type: str) -> None:
        most = self._limits.max_text_bytes
        if raw is None:
            self._reject(index, "null_text", "the text is null")
        elif most is not None and len(raw) > most:
            self._over(index, "max_text_bytes", most, len(raw))
        else:
            try:
                text = raw.decode()
                spans = semantic_spans(text, doc_type, self._spec)
            except UnicodeDecodeError as error:
                message = f"the text is not UTF-8: byte {error.start:,} is the first wrong one"
                self._reject(index, "invalid_utf8", message, byte_position=error.start)
            except InvalidInput as error:
                self._reject(index, "invalid_doc_type", str(error))
            else:
                self._chunked(index, raw, text, spans, doc_type)

    def _chunked(self, index: int, raw: bytes, text: str, spans: Spans, doc_type: str) -> None:
        starts, ends = _byte_places(text, spans)
        most, size = self._limits.max_output_bytes, int((ends - starts).sum())
        if most is not None and size > most:
            self._over(index, "max_output_bytes", most, size)
            return
        self._text_bytes += len(raw)
        if len(starts):
            self._tables.append(_table(index, raw, spans, starts, ends, doc_type))

    def _reject(self, index: int, code: str, message: str, **facts: Any) -> None:
        self._rejects.append({"document": index, "code": code, "message": message, **facts})

    def _over(self, index: int, name: str, limit: int, figure: int) -> None:
        message = limit_message(name, limit, figure)
        if name == "max_output_bytes":
            message = message.replace("bytes of result as JSON", "UTF-8 bytes of chunks")
        facts = {"limit_name": name, "limit": limit, "figure": figure}
        self._reject(index, "limit_exceeded", message, **facts)

    def result(self, documents: int) -> SemanticChunks:
        return SemanticChunks(
            pa.concat_tables(self._tables)
            if self._tables
            else SEMANTIC_CHUNKS_SCHEMA.empty_table(),
            pa.Table.from_pylist(self._rejects, schema=REJECTS_SCHEMA),
            documents,
            self._text_bytes,
        )


def _byte_places(text: str, spans: Spans) -> tuple[Int64Array, Int64Array]:
    """Where the chunks start and end in the UTF-8 of the text."""
    if text.isascii():
        return spans.starts, spans.ends
    codes = code_points(text)
    widths = np.ones(len(codes), np.int64)
    for least in (0x80, 0x800, 0x10000):
        widths += codes >= least
    places = np.concatenate([[0], np.cumsum(widths)])
    return places[spans.starts], places[spans.ends]


def _table(
    index: int, raw: bytes, spans: Spans, starts: Int64Array, ends: Int64Array, doc_type: str
) -> pa.Table:
    count = len(starts)
    joined, offsets = _engine.active.gather(np.frombuffer(raw, np.uint8), starts, ends)
    texts = pa.LargeStringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(joined))
    titles = pa.array([part.section for part in spans.parts], pa.string())
    return pa.Table.from_arrays(
        [
            pa.repeat(pa.scalar(index, pa.int64()), count),
            pa.array(np.arange(count)),
            texts,
            pa.array(spans.starts),
            pa.array(spans.ends),
            pa.array(spans.new_starts),
            pa.array(spans.ends - spans.starts),
            pa.array(spans.oversized),
            titles.take(pa.array(spans.part)),
            pa.repeat(pa.scalar(doc_type, pa.string()), count),
        ],
        schema=SEMANTIC_CHUNKS_SCHEMA,
    )
