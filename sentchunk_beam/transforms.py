"""Chunking inside someone's own pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apache_beam as beam
import pyarrow as pa
from sentchunk import ChunkSpec, Limits
from sentchunk.semantic import SemanticSpec
from sentchunk.spec import DEFAULT_LIMITS, Unit

from . import coders as _coders  # registers the coder of pa.Table
from . import metrics
from .chunking import chunk_table
from .errors import UsageError
from .plan import plain_type
from .settings import Columns, Settings, TypedColumns
from .strategies import TypeAware

assert _coders


class _ChunkTables(beam.PTransform):
    """Tables of documents in, tables of chunks and dead letters out, as the settings have it."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, tables: beam.PCollection) -> beam.pvalue.DoOutputsTuple:
        return tables | "Chunk" >> beam.ParDo(_ChunkTable(self._settings)).with_outputs(
            "dead_letters", main="chunks"
        )


class ChunkDocuments(_ChunkTables):
    """Pack the sentences of documents into chunks: tables of documents in, tables of chunks and dead letters out.

    Input: a PCollection of `pa.Table`, a row for each document. Tables of some megabytes are a good size.
    Output: `result.chunks` and `result.dead_letters`, PCollections of `pa.Table` (`sentchunk_beam.chunks_schema` and
    `dead_letters_schema`). A document is either wholly in the one or a single row of the other.

    max_size, unit, overlap, limits: as for `sentchunk.chunk`.
    text_column: holds the documents (string, large_string, string_view, binary, or a dictionary of those).
    id_column: what chunks and dead letters carry as `document_id`.
    keep: columns carried along to every chunk of their document, types unchanged.
    drop_blank: leave out chunks of white space only, which embedding services refuse; the others keep their index.
    Raises sentchunk.InvalidInput or sentchunk_beam.UsageError, with the value, when it is constructed.
    """

    def __init__(
        self,
        *,
        max_size: int,
        id_column: str,
        unit: Unit = "code_point",
        overlap: int = 0,
        limits: Limits = DEFAULT_LIMITS,
        text_column: str = "text",
        keep: Sequence[str] = (),
        drop_blank: bool = False,
    ) -> None:
        spec = ChunkSpec(max_size, unit, overlap, limits)
        columns = Columns(text_column, id_column, checked_keep(keep))
        super().__init__(Settings(spec, columns, drop_blank))


class ChunkDocumentsByType(_ChunkTables):
    """Chunk mail, messages and Markdown by their structure: tables in, tables of chunks and dead letters out.

    Input and output are as of ChunkDocuments, but that chunks have `new_start`, `section` and `doc_type` in place of
    `first_sentence` and `sentence_count` (`sentchunk.semantic.columns.SEMANTIC_CHUNKS_SCHEMA`).

    max_tokens, max_chars, overlap_tokens: as for `sentchunk.SemanticChunker`.
    doc_type: of all documents ("email", "message", "event", "contact", else "document"), or doc_type_column: holds the
        type of each, where null is "document". Not both.
    limits: of them `max_text_bytes`, and `max_output_bytes` of the text and sections of a document's chunks.
    text_column, id_column, keep: as for ChunkDocuments.
    Raises sentchunk.InvalidInput or sentchunk_beam.UsageError, with the value, when it is constructed.
    """

    def __init__(
        self,
        *,
        id_column: str,
        max_tokens: int = 512,
        max_chars: int | None = None,
        overlap_tokens: int | None = None,
        doc_type: str | None = None,
        doc_type_column: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
        text_column: str = "text",
        keep: Sequence[str] = (),
    ) -> None:
        if doc_type is not None and doc_type_column is not None:
            raise UsageError(
                f"doc_type is {doc_type!r} and doc_type_column is {doc_type_column!r}; give one of them"
            )
        spec = TypeAware(SemanticSpec(max_tokens, max_chars, overlap_tokens), limits, doc_type)
        columns = TypedColumns(text_column, id_column, checked_keep(keep), doc_type_column)
        super().__init__(Settings(spec, columns))


def checked_keep(keep: Sequence[str]) -> tuple[str, ...]:
    if isinstance(keep, str):
        raise UsageError(f"keep is {keep!r}; give a list of column names")
    return tuple(keep)


@beam.typehints.with_input_types(pa.Table)
@beam.typehints.with_output_types(pa.Table, dead_letters=pa.Table)
class _ChunkTable(beam.DoFn):
    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def process(self, table: pa.Table) -> Iterator[Any]:
        ids = _decoded(table, self._settings.columns)
        found = chunk_table(table, ids, self._settings)
        metrics.count(found.counts)
        yield from found.pieces()
        if found.dead_letters.num_rows:
            yield beam.pvalue.TaggedOutput("dead_letters", found.dead_letters)


def _decoded(table: pa.Table, columns: Columns) -> pa.ChunkedArray:
    """The ids, after a look whether all columns are there."""
    for name in columns.used:
        if name not in table.column_names:
            raise UsageError(f"no column {name!r}; the table has: {', '.join(table.column_names)}")
    ids = table[columns.id]
    return ids.cast(plain_type(ids.type))
