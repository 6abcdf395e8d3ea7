"""From a table of documents to a table of chunks and one of dead letters. Arrow in, Arrow out; no files, no Beam."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sentchunk import ChunkSpec
from sentchunk.arrow import chunk_column

from .errors import UsageError
from .schemas import CHUNK_COLUMNS, REJECT_COLUMNS, RESERVED_COLUMNS, Counts, dead_letters_schema


class ChunkedTable(NamedTuple):
    """Chunks and dead letters of some documents, in the documents' order, and their figures."""

    chunks: pa.Table
    dead_letters: pa.Table
    counts: Counts


@dataclass(frozen=True)
class Columns:
    """Which columns of a table of documents are used, and for what.

    text: the documents. id: what chunks and dead letters carry as `document_id`, or None where an id is derived.
    keep: columns carried along to each chunk, types unchanged. Raises UsageError where a name would clash.
    """

    text: str = "text"
    id: str | None = None
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.keep:
            if name in RESERVED_COLUMNS:
                raise UsageError(
                    f"cannot keep column {name!r}: the chunks have a column of that name themselves; "
                    "rename it in the input, or leave it out"
                )
        for name in set(self.keep):
            if self.keep.count(name) > 1:
                raise UsageError(f"column {name!r} is to be kept twice; name it once")

    @property
    def used(self) -> list[str]:
        """Every column that has to be read, each once."""
        names = [self.text, *([self.id] if self.id is not None else []), *self.keep]
        return list(dict.fromkeys(names))


def chunk_table(
    table: pa.Table,
    ids: pa.ChunkedArray,
    columns: Columns,
    spec: ChunkSpec,
    file: str | None = None,
    first_row: int | None = None,
) -> ChunkedTable:
    """Chunk the documents of a table. `ids` has an id for each of its rows.

    A document without an id becomes a dead letter, "null_id": nobody could say whose its chunks are. `file` and
    `first_row`, the place of the table's first row in it, are for the dead letters.
    """
    texts = table[columns.text]
    rows = None  # the place in `table` of each document, where some are left out
    if ids.null_count:
        rows = np.flatnonzero(ids.is_valid().to_numpy())
        texts = texts.take(pa.array(rows))
    found = chunk_column(texts, spec)
    owners, rejected = found.chunks["document"], found.rejects["document"].to_numpy()
    if rows is not None:
        owners, rejected = pa.chunked_array([rows[owners.to_numpy()]]), rows[rejected]

    chunks = pa.table(
        {
            "document_id": ids.take(owners),
            **{name: found.chunks[name] for name in CHUNK_COLUMNS},
            **{name: table[name].take(owners) for name in columns.keep},
        }
    )
    dead_letters = _dead_letters(found.rejects, rejected, ids, file, first_row)
    if rows is not None:
        missing = np.flatnonzero(ids.is_null().to_numpy())
        dead_letters = pa.concat_tables([dead_letters, _without_id(missing, ids, file, first_row)])
    by_code = pc.value_counts(dead_letters["code"].combine_chunks()).to_pylist()
    counts = Counts(
        documents=table.num_rows,
        chunked=found.documents - found.rejects.num_rows,
        sentences=found.sentences,
        chunks=chunks.num_rows,
        oversized=pc.sum(chunks["oversized"]).as_py() or 0,
        text_bytes=found.text_bytes,
        dead_letters={entry["values"]: entry["counts"] for entry in by_code},
    )
    return ChunkedTable(chunks, dead_letters, counts)


def _dead_letters(
    rejects: pa.Table,
    rows: np.ndarray,
    ids: pa.ChunkedArray,
    file: str | None,
    first_row: int | None,
) -> pa.Table:
    """Dead letters for the documents at `rows` of a table, with the reasons in `rejects`."""
    schema = dead_letters_schema(pa.field("document_id", ids.type))
    count = len(rows)
    arrays = {
        "document_id": ids.take(pa.array(rows)),
        "file": pa.repeat(pa.scalar(file, pa.string()), count),
        "row": pa.nulls(count, pa.int64()) if first_row is None else pa.array(rows + first_row),
        **{name: rejects[name] for name in REJECT_COLUMNS},
        "documents": pa.repeat(pa.scalar(1, pa.int64()), count),
    }
    return pa.Table.from_arrays([arrays[name] for name in schema.names], schema=schema)


def _without_id(
    rows: np.ndarray, ids: pa.ChunkedArray, file: str | None, first_row: int | None
) -> pa.Table:
    count = len(rows)
    reasons = {
        "code": pa.repeat("null_id", count),
        "limit_name": pa.nulls(count, pa.string()),
        **{name: pa.nulls(count, pa.int64()) for name in ("limit", "figure", "byte_position")},
        "message": pa.repeat("the document's id is null", count),
    }
    return _dead_letters(pa.table(reasons), rows, ids, file, first_row)
