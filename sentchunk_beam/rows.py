"""Chunking inside someone's own pipeline, of rows: strings, pairs, dicts, or rows with a schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import apache_beam as beam
from sentchunk import ChunkSpec, Limits
from sentchunk.spec import DEFAULT_LIMITS, Unit

from . import metrics
from .errors import JobError, UsageError
from .row_batches import Batch, gather
from .row_chunking import RowChunker
from .row_shapes import Shape, shape_of
from .settings import Columns, Settings


class ChunkRows(beam.PTransform):
    """Pack the sentences of documents into chunks: rows of documents in, rows of chunks and of dead letters out.

    Input: a PCollection of str (or bytes), of (id, text) pairs, of dicts, or of rows with a schema (beam.Row,
    NamedTuple, dataclass). Output: `result.chunks` and `result.dead_letters`, PCollections of rows with schemas:
    chunk_id, document_id, chunk_index, text, start, end, size, first_sentence, sentence_count, oversized and the kept
    fields; and document_id, code, limit_name, limit, figure, byte_position, message. A document is either wholly in
    the one or a single row of the other. Every row has the window, the timestamp and the pane of its document.

    max_size, unit, overlap, limits: as for `sentchunk.chunk`.
    text, id: the names of the fields that hold the document and what becomes `document_id`; strings and pairs need no
        names. Where there is no id (a string, or `id=None`) it is a hash of the text: equal texts are one document.
    keep: fields carried along to every chunk of their document, types unchanged.
    types: the types of the id and of kept fields by name, where the input does not tell: of dicts, and where Beam knows
        nothing of the elements. An id is str otherwise, and a kept field an optional str; a document with a value of
        another type is a dead letter, "wrong_type".
    drop_blank: leave out chunks of white space only, which embedding services refuse; the others keep their index.
    batch_bytes, batch_seconds: documents of a bundle go to the engine together, as many as come within that time and
        are not larger than that together. They decide on memory, speed and latency, never on results.
    Raises sentchunk.InvalidInput or sentchunk_beam.UsageError, with the value, when it is constructed, and UsageError
    when it is applied to elements that do not have the fields.
    """

    def __init__(
        self,
        *,
        max_size: int,
        unit: Unit = "code_point",
        overlap: int = 0,
        limits: Limits = DEFAULT_LIMITS,
        text: str = "text",
        id: str | None = "id",
        keep: Sequence[str] = (),
        types: Mapping[str, Any] | None = None,
        drop_blank: bool = False,
        batch_bytes: int = 4 << 20,
        batch_seconds: float = 1.0,
    ) -> None:
        super().__init__()
        if isinstance(keep, str):
            raise UsageError(f"keep is {keep!r}; give a list of field names")
        for name, value in (("batch_bytes", batch_bytes), ("batch_seconds", batch_seconds)):
            if not value >= 0:
                raise UsageError(f"{name} is {value!r}; use 0, for no batches, or more")
        self._spec = ChunkSpec(max_size, unit, overlap, limits)
        self._columns = Columns(text, id, tuple(keep))
        self._types = dict(types or {})
        self._drop_blank = drop_blank
        self._batch = batch_bytes, batch_seconds
        self._error_handler: Any = None

    def with_error_handler(self, error_handler: Any) -> ChunkRows:
        """Give the dead letters to one of Beam's error handlers; the result is then the PCollection of chunks alone.

        None changes nothing.
        """
        self._error_handler = error_handler
        return self

    def expand(self, documents: beam.PCollection) -> Any:
        shape = shape_of(documents.element_type, self._columns, self._types)
        settings = Settings(self._spec, self._columns, self._drop_blank)
        chunk = beam.ParDo(_ChunkBatch(shape, settings)).with_output_types(
            shape.chunk_type, dead_letters=shape.dead_letter_type
        )
        batches = gather(documents, shape, *self._batch)
        result = batches | "Chunk" >> chunk.with_outputs("dead_letters", main="chunks")
        if self._error_handler is None:
            return result
        self._error_handler.add_error_pcollection(result.dead_letters)
        return result.chunks


class _ChunkBatch(beam.DoFn):
    """Chunks a batch; each row that it yields has the window, the timestamp and the pane of its document."""

    def __init__(self, shape: Shape, settings: Settings) -> None:
        self._shape, self._settings = shape, settings

    def setup(self) -> None:
        self._chunker = RowChunker(self._shape, self._settings)

    def process(self, batch: Batch) -> Iterator[Any]:
        found = self._chunker.chunk(batch.documents)
        metrics.count(found.counts)
        sources = batch.sources
        for document, row in found.chunks:
            yield sources[document].with_value(row)
        for document, row in found.dead_letters:
            yield beam.pvalue.TaggedOutput("dead_letters", sources[document].with_value(row))


def fail(dead_letter: Any) -> None:
    """Fail a pipeline that has no place for dead letters."""
    raise JobError(
        f"document {dead_letter.document_id!r}: {dead_letter.message} ({dead_letter.code}); to go on without such "
        "documents, handle errors: `error_handling: {output: NAME}` in Beam YAML, `with_exception_handling()` of an "
        "MLTransform"
    )
