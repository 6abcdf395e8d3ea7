"""The type-aware chunker on an Arrow column: documents in, a table of chunks and a table of rejects out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from .. import _engine
from .._records import Int64Array
from ..arrow import REJECTS_SCHEMA, as_large_binary, check_text_type, offsets_of
from ..errors import InvalidInput, limit_message
from ..spec import Limits
from .kinds import SemanticSpec, checked_doc_type
from .spans import Spans, many_spans
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
    texts: pa.Array | pa.ChunkedArray, doc_types: Sequence[str], spec: SemanticSpec, limits: Limits
) -> SemanticChunks:
    """Chunk every document of a column, each by its own type.

    A document is either wholly chunked or one reject: "null_text", "invalid_utf8", "invalid_doc_type" (a special name
    but for case or blanks) or "limit_exceeded": `max_text_bytes` of its text, or `max_output_bytes` of the text of its
    chunks, which overlap can make twice as long. `max_sentences` means nothing here.
    """
    check_text_type(texts.type)
    pieces = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
    tables: list[pa.Table] = []
    rejects: list[dict[str, Any]] = []
    text_bytes = first = 0
    for array in map(as_large_binary, pieces):
        batch = _Batch(array, first, spec, limits)
        for index in range(len(array)):
            batch.add(index, doc_types[first + index])
        batch.flush()
        tables.append(batch.table())
        rejects += sorted(batch.rejects, key=lambda reject: reject["document"])
        text_bytes += batch.text_bytes
        first += len(array)
    return SemanticChunks(
        pa.concat_tables(tables) if tables else SEMANTIC_CHUNKS_SCHEMA.empty_table(),
        pa.Table.from_pylist(rejects, schema=REJECTS_SCHEMA),
        first,
        text_bytes,
    )


# Characters of documents that are chunked together: enough to share what a pass costs, and what fits a cache.
_TOGETHER = 1 << 17


class _Batch:
    """Gathers what the documents of an array give. `first` is the place of the first of them in the column."""

    def __init__(
        self, array: pa.LargeBinaryArray, first: int, spec: SemanticSpec, limits: Limits
    ) -> None:
        buffer = array.buffers()[2]
        self._array, self._offsets = array, offsets_of(array)
        self._data = np.frombuffer(buffer, np.uint8) if buffer else np.empty(0, np.uint8)
        self._first, self._spec, self._limits = first, spec, limits
        self._found: list[_Found] = []
        self._waiting: list[tuple[int, str, str]] = []  # index, text, type
        self._characters = 0
        self.rejects: list[dict[str, Any]] = []
        self.text_bytes = 0

    def add(self, index: int, doc_type: str) -> None:
        most, size = self._limits.max_text_bytes, self._offsets[index + 1] - self._offsets[index]
        if not self._array[index].is_valid:
            self._reject(index, "null_text", "the text is null")
            return
        if most is not None and size > most:
            self._over(index, "max_text_bytes", most, int(size))
            return
        try:
            text = self._array[index].as_py().decode()
            checked_doc_type(doc_type)
        except UnicodeDecodeError as error:
            message = f"the text is not UTF-8: byte {error.start:,} is the first wrong one"
            self._reject(index, "invalid_utf8", message, byte_position=error.start)
        except InvalidInput as error:
            self._reject(index, "invalid_doc_type", str(error))
        else:
            self._waiting.append((index, text, doc_type))
            self._characters += len(text)
            if self._characters > _TOGETHER:
                self.flush()

    def flush(self) -> None:
        """Chunk what waits."""
        waiting, self._waiting, self._characters = self._waiting, [], 0
        texts, doc_types = (
            [text for _, text, _ in waiting],
            [doc_type for _, _, doc_type in waiting],
        )
        spans = many_spans(texts, doc_types, self._spec)
        for (index, text, doc_type), own in zip(waiting, spans, strict=True):
            self._chunked(index, text, own, doc_type)

    def _chunked(self, index: int, text: str, spans: Spans, doc_type: str) -> None:
        starts, ends = _byte_places(text, spans)
        most, size = self._limits.max_output_bytes, int((ends - starts).sum())
        if most is not None and size > most:
            self._over(index, "max_output_bytes", most, size)
            return
        offset = int(self._offsets[index])
        self.text_bytes += int(self._offsets[index + 1]) - offset
        document = self._first + index
        self._found.append(_Found(document, doc_type, spans, starts + offset, ends + offset))

    def _reject(self, index: int, code: str, message: str, **facts: Any) -> None:
        document = self._first + index
        self.rejects.append({"document": document, "code": code, "message": message, **facts})

    def _over(self, index: int, name: str, limit: int, figure: int) -> None:
        message = limit_message(name, limit, figure)
        if name == "max_output_bytes":
            message = message.replace("bytes of result as JSON", "UTF-8 bytes of chunks")
        facts = {"limit_name": name, "limit": limit, "figure": figure}
        self._reject(index, "limit_exceeded", message, **facts)

    def table(self) -> pa.Table:
        """The chunks of all documents."""
        if not self._found:
            return SEMANTIC_CHUNKS_SCHEMA.empty_table()
        counts = np.array([len(each.starts) for each in self._found])
        owner = pa.array(np.repeat(np.arange(len(counts)), counts))
        indices = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        starts, ends, new_starts, oversized = (
            np.concatenate([getattr(each.spans, name) for each in self._found])
            for name in ("starts", "ends", "new_starts", "oversized")
        )
        joined, offsets = _engine.active.gather(
            self._data,
            np.concatenate([each.starts for each in self._found]),
            np.concatenate([each.ends for each in self._found]),
        )
        documents = pa.array([each.document for each in self._found], pa.int64())
        doc_types = pa.array([each.doc_type for each in self._found], pa.string())
        return pa.Table.from_arrays(
            [
                documents.take(owner),
                pa.array(indices),
                pa.LargeStringArray.from_buffers(
                    len(starts), pa.py_buffer(offsets), pa.py_buffer(joined)
                ),
                pa.array(starts),
                pa.array(ends),
                pa.array(new_starts),
                pa.array(ends - starts),
                pa.array(oversized),
                self._sections(),
                doc_types.take(owner),
            ],
            schema=SEMANTIC_CHUNKS_SCHEMA,
        )

    def _sections(self) -> pa.Array:
        titles: list[str | None] = [None]
        places = []
        for each in self._found:
            if each.spans.sections is None:
                places.append(np.zeros(len(each.starts), np.int64))
            else:
                places.append(each.spans.part + len(titles))
                titles += each.spans.sections
        return pa.array(titles, pa.string()).take(pa.array(np.concatenate(places)))


class _Found(NamedTuple):
    """The chunks of a document; `starts` and `ends` are places in the column's bytes."""

    document: int
    doc_type: str
    spans: Spans
    starts: Int64Array
    ends: Int64Array


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
