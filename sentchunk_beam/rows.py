"""Chunking inside someone's own pipeline, of rows: strings, pairs, dicts, or rows with a schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import apache_beam as beam
from sentchunk import ChunkSpec, Limits
from sentchunk.semantic import SemanticSpec
from sentchunk.spec import DEFAULT_LIMITS, Unit

from . import metrics
from .errors import JobError, UsageError
from .row_chunking import RowChunker
from .row_letters import DEAD_LETTERS
from .row_shapes import Shape, shape_of
from .settings import Columns, Settings, TypedColumns
from .strategies import Spec, TypeAware


class _ChunkRows(beam.PTransform):
    """Rows of documents in, rows of chunks and of dead letters out, by whatever strategy `spec` is of."""

    def __init__(
        self, spec: Spec, columns: Columns, types: Mapping[str, Any] | None, drop_blank: bool
    ) -> None:
        super().__init__()
        self._settings = Settings(spec, columns, drop_blank)
        self._types = dict(types or {})
        self._error_handler: Any = None

    def with_error_handler(self, error_handler: Any) -> _ChunkRows:
        """Give the dead letters to one of Beam's error handlers; the result is then the PCollection of chunks alone.

        None changes nothing.
        """
        self._error_handler = error_handler
        return self

    def expand(self, documents: beam.PCollection) -> Any:
        shape = shape_of(documents.element_type, self._settings.columns, self._types)
        chunk = beam.ParDo(_ChunkRow(shape, self._settings)).with_output_types(
            shape.chunk_type, dead_letters=shape.dead_letter_type
        )
        result = documents | "Chunk" >> chunk.with_outputs(DEAD_LETTERS, main="chunks")
        if self._error_handler is None:
            return result
        self._error_handler.add_error_pcollection(result.dead_letters)
        return result.chunks


class ChunkRows(_ChunkRows):
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
    ) -> None:
        spec = ChunkSpec(max_size, unit, overlap, limits)
        super().__init__(spec, Columns(text, id, _names(keep)), types, drop_blank)


class ChunkRowsByType(_ChunkRows):
    """Chunk mail, messages and Markdown by their structure: rows of documents in, rows of chunks and dead letters out.

    Input and output are as of ChunkRows, but that chunks have `new_start`, `section` and `doc_type` in place of
    `first_sentence` and `sentence_count`.

    max_tokens, max_chars, overlap_tokens: as for `sentchunk.SemanticChunker`.
    doc_type: of all documents ("email", "message", "event", "contact", else "document"), or doc_type_field: holds the
        type of each, where null is "document". Not both.
    limits: of them `max_text_bytes`, and `max_output_bytes` of the text and sections of a document's chunks.
    text, id, keep, types: as for ChunkRows.
    Raises sentchunk.InvalidInput or sentchunk_beam.UsageError, with the value, when it is constructed, and UsageError
    when it is applied to elements that do not have the fields.
    """

    def __init__(
        self,
        *,
        max_tokens: int = 512,
        max_chars: int | None = None,
        overlap_tokens: int | None = None,
        doc_type: str | None = None,
        doc_type_field: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
        text: str = "text",
        id: str | None = "id",
        keep: Sequence[str] = (),
        types: Mapping[str, Any] | None = None,
    ) -> None:
        if doc_type is not None and doc_type_field is not None:
            raise UsageError(
                f"doc_type is {doc_type!r} and doc_type_field is {doc_type_field!r}; give one of them"
            )
        spec = TypeAware(SemanticSpec(max_tokens, max_chars, overlap_tokens), limits, doc_type)
        columns = TypedColumns(text, id, _names(keep), doc_type_field)
        super().__init__(spec, columns, types, False)


def _names(keep: Sequence[str]) -> tuple[str, ...]:
    if isinstance(keep, str):
        raise UsageError(f"keep is {keep!r}; give a list of field names")
    return tuple(keep)


class _ChunkRow(beam.DoFn):
    """Chunks a document. What it returns, Beam gives the windows, the timestamp and the pane of the document."""

    def __init__(self, shape: Shape, settings: Settings) -> None:
        self._shape, self._settings = shape, settings

    def setup(self) -> None:
        self._read = self._shape.reader()
        self._chunker = RowChunker(self._shape, self._settings)

    def start_bundle(self) -> None:
        self._uncounted = 0

    def process(self, document: Any) -> list[Any]:
        self._uncounted += 1
        if self._uncounted > _COUNTED_TOGETHER:
            self._count()
        return self._chunker.chunk(self._read(document))

    def finish_bundle(self) -> None:
        self._count()

    def _count(self) -> None:
        metrics.count(self._chunker.take_counts())
        self._uncounted = 1  # the document at hand


_COUNTED_TOGETHER = 1000  # often enough to be watched; each time costs as much as some documents


def fail(dead_letter: Any) -> None:
    """Fail a pipeline that has no place for dead letters."""
    raise JobError(
        f"document {dead_letter.document_id!r}: {dead_letter.message} ({dead_letter.code}); to go on without such "
        "documents, handle errors: `error_handling: {output: NAME}` in Beam YAML, `with_exception_handling()` of an "
        "MLTransform"
    )
