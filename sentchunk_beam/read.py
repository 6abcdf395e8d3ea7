"""Read: the documents of a unit as tables of bounded size, projected to the columns that are used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import files
from .chunking import Columns
from .plan import Part

TABLE_BYTES = 4 << 20
# A row group does not tell how its bytes are spread over its rows, so few rows are asked for at a time.
BATCH_ROWS = 256
BATCH_BYTES = 1 << 20


@dataclass(frozen=True)
class SourceTable:
    """Documents that follow each other in a file, the first one at `first_row`, and an id for each."""

    table: pa.Table
    ids: pa.ChunkedArray
    file: str
    first_row: int


@dataclass(frozen=True)
class FileProblem:
    """A file, or the rest of some row groups of it, that cannot be read: `rows` documents from `first_row` on."""

    file: str
    code: str
    message: str
    first_row: int | None
    rows: int | None


class UnreadableFile(Exception):
    """The file's own trouble: it is broken, or no longer what the plan saw. Trouble on the way to it is not."""


def read_part(
    part: Part, columns: Columns, schema: pa.Schema
) -> Iterator[SourceTable | FileProblem]:
    """Yield the documents of a part in order, and a FileProblem for what cannot be read.

    `schema` has the types that the id column and the kept ones shall have. What has been read before the trouble
    stays: the FileProblem counts the rest.
    """
    if part.problem is not None:
        yield FileProblem(part.path, *part.problem, None, part.rows)
        return
    next_row, last_row = part.first_row, part.first_row + (part.rows or 0)
    try:
        for table in _bounded(_batches(part, columns)):
            source = _with_types(table, part.path, next_row, columns, schema)
            yield source
            next_row += table.num_rows
    except UnreadableFile as error:
        yield FileProblem(part.path, "unreadable_file", str(error), next_row, last_row - next_row)


def _batches(part: Part, columns: Columns) -> Iterator[pa.RecordBatch]:
    try:
        with (
            files.open_input(part.path) as source,
            # Column chunks are read piece by piece: a row group of any size costs no more than a small one.
            pq.ParquetFile(source, buffer_size=BATCH_BYTES, pre_buffer=False) as parquet,
        ):
            _check_unchanged(parquet.metadata, part)
            for group in range(part.first_group, part.end_group):
                metadata = parquet.metadata.row_group(group)
                yield from parquet.iter_batches(
                    batch_size=_batch_rows(metadata),
                    row_groups=[group],
                    columns=columns.used,
                    use_threads=False,
                )
    except FileNotFoundError as error:
        raise UnreadableFile("vanished after the job was planned") from error
    except (pa.ArrowException, OSError, ValueError, IndexError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # a disk or a network: the runner tries again
        raise UnreadableFile(f"cannot be read as Parquet: {_one_line(error)}") from error


def _check_unchanged(metadata: pq.FileMetaData, part: Part) -> None:
    groups = range(part.first_group, part.end_group)
    held = metadata.num_row_groups >= part.end_group
    if not held or sum(metadata.row_group(group).num_rows for group in groups) != part.rows:
        raise UnreadableFile("has changed since the job was planned")


def _batch_rows(group: pq.RowGroupMetaData) -> int:
    per_row = group.total_byte_size // max(group.num_rows, 1)
    return min(max(BATCH_BYTES // max(per_row, 1), 1), BATCH_ROWS)


def _bounded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Gather small batches and part large ones, so that each table is about TABLE_BYTES or a single row.

    What was gathered before the file turned out to be unreadable comes before that exception.
    """
    gathered: list[pa.RecordBatch] = []
    size, trouble = 0, None
    try:
        for piece in (piece for batch in batches for piece in _parted(batch)):
            if gathered and size + piece.nbytes > TABLE_BYTES:
                yield pa.Table.from_batches(gathered)
                gathered, size = [], 0
            gathered.append(piece)
            size += piece.nbytes
    except UnreadableFile as error:
        trouble = error
    if gathered:
        yield pa.Table.from_batches(gathered)
    if trouble is not None:
        raise trouble


def _parted(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    if batch.nbytes <= 2 * TABLE_BYTES or batch.num_rows <= 1:
        if batch.num_rows:
            yield batch
        return
    half = batch.num_rows // 2
    yield from _parted(batch.slice(0, half))
    yield from _parted(batch.slice(half))


def _with_types(
    table: pa.Table, path: str, first_row: int, columns: Columns, schema: pa.Schema
) -> SourceTable:
    arrays = {columns.text: table[columns.text]}
    for name in columns.used:
        if name != columns.text:
            arrays[name] = table[name].cast(schema.field(name).type)
    # One piece each: pieces of some hundred rows would make every later step pay per piece.
    whole = pa.table(arrays).combine_chunks()
    if columns.id is None:
        return SourceTable(whole, _derived_ids(path, first_row, table.num_rows), path, first_row)
    return SourceTable(whole, whole[columns.id], path, first_row)


def _derived_ids(path: str, first_row: int, rows: int) -> pa.ChunkedArray:
    """`path#row`: the same for a document in every run, however the job is cut into units."""
    numbers = pa.array(np.arange(first_row, first_row + rows)).cast(pa.string())
    return pa.chunked_array([pc.binary_join_element_wise(path, numbers, "#")])


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
