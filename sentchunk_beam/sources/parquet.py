"""Parquet: row groups, read in pieces of bounded size and projected to the columns that are used."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .. import files
from ..settings import Settings
from .base import (
    Documents,
    FileFacts,
    Lost,
    Part,
    Rejects,
    UnreadableFile,
    as_files_trouble,
    bounded,
    is_on_the_way,
    one_line,
)

SUFFIXES: tuple[str, ...] = (".parquet", ".parq", ".pq")

# A row group does not tell how its bytes are spread over its rows, so few rows are asked for at a time.
BATCH_ROWS = 256
BATCH_BYTES = 1 << 20


def inspect(file: files.FoundFile, settings: Settings) -> FileFacts:
    facts = FileFacts(file.path, file.size, "parquet")
    try:
        with files.open_input(file.path) as source, pq.ParquetFile(source) as parquet:
            schema, metadata = parquet.schema_arrow, parquet.metadata
            groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
            facts.split_rows = tuple(group.num_rows for group in groups)
            facts.split_bytes = tuple(_used_bytes(group, settings.columns.used) for group in groups)
            facts.schema = schema
    except Exception as error:
        if is_on_the_way(error):
            raise
        # Whatever a broken footer makes the reader raise, it is this file's trouble alone.
        facts.problem = ("unreadable_file", f"cannot be read as Parquet: {one_line(error)}")
    return facts


def _used_bytes(group: pq.RowGroupMetaData, used: list[str]) -> int:
    """The uncompressed bytes of the columns that are read, nested ones by their root."""
    chunks = (group.column(index) for index in range(group.num_columns))
    return sum(
        chunk.total_uncompressed_size
        for chunk in chunks
        if chunk.path_in_schema in used or chunk.path_in_schema.split(".")[0] in used
    )


def read(part: Part, settings: Settings) -> Iterator[Documents | Rejects | Lost]:
    next_row = part.first_row
    for found in bounded(_batches(part, settings)):
        if isinstance(found, Lost):
            yield found
            next_row = found.first_row + found.rows
            continue
        # One piece a column: pieces of some hundred rows would make every later step pay per piece.
        rows = np.arange(next_row, next_row + found.num_rows)
        yield Documents(found.combine_chunks(), rows)
        next_row += found.num_rows


def _batches(part: Part, settings: Settings) -> Iterator[pa.RecordBatch | Lost]:
    try:
        with (
            files.open_input(part.path) as source,
            # Column chunks are read piece by piece: a row group of any size costs no more than a small one.
            pq.ParquetFile(source, buffer_size=BATCH_BYTES, pre_buffer=False) as parquet,
        ):
            _check_unchanged(parquet.metadata, part)
            names = [name for name in settings.columns.used if name in parquet.schema_arrow.names]
            first_row = part.first_row
            for group in range(part.first_split, part.end_split):
                yield from _batches_of_group(parquet, group, names, first_row)
                first_row += parquet.metadata.row_group(group).num_rows
    except _FILES_TROUBLE as error:
        raise as_files_trouble(error, "Parquet") from error


_FILES_TROUBLE = (pa.ArrowException, OSError, ValueError, IndexError)


def _batches_of_group(
    parquet: pq.ParquetFile, group: int, names: list[str], first_row: int
) -> Iterator[pa.RecordBatch | Lost]:
    """The batches of a row group. Where it is broken, the others go on after it, in whatever units they are."""
    metadata = parquet.metadata.row_group(group)
    done = 0
    try:
        batches = parquet.iter_batches(
            batch_size=_batch_rows(metadata), row_groups=[group], columns=names, use_threads=False
        )
        for batch in batches:
            yield _decoded(batch)
            done += batch.num_rows
    except _FILES_TROUBLE as error:
        trouble = as_files_trouble(error, "Parquet")
        if not isinstance(trouble, UnreadableFile):
            raise trouble from error
        yield Lost(first_row + done, metadata.num_rows - done, str(trouble))


def _decoded(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The values of dictionaries in their place: what a batch holds is known then, and each slice of it too."""
    if not any(map(pa.types.is_dictionary, batch.schema.types)):
        return batch
    columns = [
        column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _check_unchanged(metadata: pq.FileMetaData, part: Part) -> None:
    groups = range(part.first_split, part.end_split)
    held = metadata.num_row_groups >= part.end_split
    if not held or sum(metadata.row_group(group).num_rows for group in groups) != part.rows:
        raise UnreadableFile("has changed since the job was planned")


def _batch_rows(group: pq.RowGroupMetaData) -> int:
    per_row = group.total_byte_size // max(group.num_rows, 1)
    return min(max(BATCH_BYTES // max(per_row, 1), 1), BATCH_ROWS)
