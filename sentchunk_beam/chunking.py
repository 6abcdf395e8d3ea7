"""From a table of documents to a table of chunks and one of dead letters. Arrow in, Arrow out; no files, no Beam."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from sentchunk.text_columns import is_text_type

from .chunk_ids import chunk_ids
from .schemas import REJECT_COLUMNS, Counts, chunk_columns, chunks_schema, dead_letters_schema
from .settings import DEAD_LETTER_TEXT_BYTES, Columns, Settings

# Kept columns are repeated for each chunk of a document, in pieces of about this many bytes.
KEPT_BYTES = 32 << 20


class ChunkedTable(NamedTuple):
    """Chunks and dead letters of some documents, in the documents' order, and their figures.

    found: the chunks, but for the columns carried along. These are in `kept`, once for each document; `owners` has for
    each chunk the row of its document there. A large value beside many chunks is thus not repeated before it has to be.
    """

    found: pa.Table
    dead_letters: pa.Table
    counts: Counts
    kept: pa.Table | None = None
    owners: npt.NDArray[np.int64] | None = None

    @property
    def chunks(self) -> pa.Table:
        """The chunks with all their columns, at once."""
        return pa.concat_tables(self.pieces()) if self.found.num_rows else self._with_kept(0, 0)

    def pieces(self) -> Iterator[pa.Table]:
        """The chunks with all their columns, in order, in pieces of bounded size."""
        if self.kept is None or self.owners is None or not self.kept.num_columns:
            if self.found.num_rows:
                yield self.found
            return
        sizes = np.cumsum(_row_bytes(self.kept)[self.owners])
        start = 0
        while start < len(sizes):
            before = sizes[start - 1] if start else 0
            end = max(int(np.searchsorted(sizes, before + KEPT_BYTES, "right")), start + 1)
            yield self._with_kept(start, end)
            start = end

    def _with_kept(self, start: int, end: int) -> pa.Table:
        piece = self.found.slice(start, end - start)
        if self.kept is None or self.owners is None:
            return piece
        at = pa.array(self.owners[start:end])
        for field in self.kept.schema:
            piece = piece.append_column(field, self.kept[field.name].take(at))
        return piece


def _row_bytes(kept: pa.Table) -> npt.NDArray[np.int64]:
    """About how many bytes each row has. What is nested is taken to be spread evenly."""
    total = np.full(kept.num_rows, 8, np.int64)
    for column in kept.columns:
        if is_text_type(column.type) and not pa.types.is_dictionary(column.type):
            total += pc.fill_null(pc.binary_length(column), 0).to_numpy()
        else:
            total += column.nbytes // max(kept.num_rows, 1)
    return total


def chunk_table(
    table: pa.Table,
    ids: pa.ChunkedArray,
    settings: Settings,
    place: pa.Table | None = None,
    doc_type: str | None = None,
) -> ChunkedTable:
    """Chunk the documents of a table. `ids` has an id, and `place` a `file` and a `row`, for each of its rows.

    `doc_type` is that of all of them, where their format tells it and no column does.
    A document whose id is null, or not UTF-8, becomes a dead letter, "null_id": nobody could say whose its chunks are.
    """
    columns, strategy = settings.columns, settings.strategy
    table, ids = _without_views(table), _without_invalid(ids)
    texts, types = table[columns.text], types_of(table, columns, doc_type)
    rows = np.arange(table.num_rows)  # the place in `table` of each document that is chunked
    if ids.null_count:
        rows = np.flatnonzero(ids.is_valid().to_numpy())
        texts = texts.take(pa.array(rows))
        types = types.take(pa.array(rows)) if isinstance(types, pa.ChunkedArray) else types
    found = strategy.chunk(texts, types)
    owners = rows[found.chunks["document"].to_numpy()]

    chunks = pa.Table.from_arrays(
        [
            chunk_ids(ids, owners, found.chunks["chunk_index"].to_numpy(), strategy.key),
            ids.take(pa.array(owners)),
            *(found.chunks[name] for name in chunk_columns(strategy.schema)),
        ],
        schema=chunks_schema(pa.field("document_id", ids.type), (), strategy.schema),
    )
    letters = _Letters(table, ids, settings, place)
    dead_letters = letters.table(rows[found.rejects["document"].to_numpy()], found.rejects)
    if ids.null_count:
        dead_letters = pa.concat_tables([dead_letters, letters.without_id()])
    counts = Counts(
        documents=table.num_rows,
        chunked=found.documents - found.rejects.num_rows,
        sentences=found.sentences,
        chunks=chunks.num_rows,
        oversized=pc.sum(chunks["oversized"]).as_py() or 0,
        text_bytes=found.text_bytes,
        dead_letters=_by_code(dead_letters),
    )
    chunks, owners = _without_blank(chunks, owners, counts, settings)
    return ChunkedTable(chunks, dead_letters, counts, table.select(list(columns.keep)), owners)


def _without_views(table: pa.Table) -> pa.Table:
    """Views of strings as strings: Arrow can take no rows of a view."""
    for index, field in enumerate(table.schema):
        plain = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}.get(field.type)
        if plain is not None:
            table = table.set_column(index, field.with_type(plain), table[field.name].cast(plain))
    return table


def _without_invalid(ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """Ids that a string column holds, but that are no UTF-8, as nulls."""
    if ids.type in (pa.string_view(), pa.binary_view()):
        ids = ids.cast(pa.string() if ids.type == pa.string_view() else pa.binary())
    if ids.type not in (pa.string(), pa.large_string()):
        return ids
    try:
        ids.validate(full=True)
    except pa.ArrowInvalid:
        raw = ids.cast(pa.large_binary()).to_pylist()
        return pa.chunked_array([[_utf8_or_none(each) for each in raw]], ids.type)
    return ids


def _utf8_or_none(raw: bytes | None) -> str | None:
    try:
        return None if raw is None else raw.decode()
    except UnicodeDecodeError:
        return None


def types_of(
    table: pa.Table, columns: Columns, doc_type: str | None
) -> pa.ChunkedArray | str | None:
    """What is known of the documents' types: a column, or what their format says."""
    name = columns.doc_type_name
    return doc_type if name is None else table[name].cast(pa.string())


def _without_blank(
    chunks: pa.Table, owners: npt.NDArray[np.int64], counts: Counts, settings: Settings
) -> tuple[pa.Table, npt.NDArray[np.int64]]:
    """Count the chunks of white space only, and leave them out where that is asked for."""
    blank = pc.utf8_is_space(chunks["text"])
    counts.blank = pc.sum(blank).as_py() or 0
    if not (settings.drop_blank and counts.blank):
        return chunks, owners
    counts.chunks -= counts.blank
    counts.oversized -= pc.sum(pc.and_(blank, chunks["oversized"])).as_py()
    spoken = pc.invert(blank)
    return chunks.filter(spoken), owners[spoken.to_numpy()]


def _by_code(dead_letters: pa.Table) -> dict[str, int]:
    entries = pc.value_counts(dead_letters["code"].combine_chunks()).to_pylist()
    return {entry["values"]: entry["counts"] for entry in entries}


class _Letters:
    """Writes the dead letters of a table's documents."""

    def __init__(
        self, table: pa.Table, ids: pa.ChunkedArray, settings: Settings, place: pa.Table | None
    ) -> None:
        self._texts = table[settings.columns.text] if settings.dead_letter_text else None
        self._ids, self._place = ids, place
        self._schema = dead_letters_schema(
            pa.field("document_id", ids.type), settings.dead_letter_text
        )

    def table(self, rows: npt.NDArray[np.int64], reasons: pa.Table) -> pa.Table:
        """Dead letters for the documents at `rows`, with the columns of REJECTS_SCHEMA in `reasons`."""
        count, at = len(rows), pa.array(rows)
        columns = {
            "document_id": self._ids.take(at),
            **{name: reasons[name] for name in REJECT_COLUMNS},
            "documents": pa.repeat(pa.scalar(1, pa.int64()), count),
        }
        for name in ("file", "row"):
            field = self._schema.field(name)
            columns[name] = (
                pa.nulls(count, field.type)
                if self._place is None
                else self._place[name].take(at).cast(field.type)
            )
        if self._texts is not None:
            columns["text"] = _heads(self._texts.take(at))
        return pa.Table.from_arrays(
            [columns[name] for name in self._schema.names], schema=self._schema
        )

    def without_id(self) -> pa.Table:
        rows = np.flatnonzero(self._ids.is_null().to_numpy())
        count = len(rows)
        reasons = {
            "code": pa.repeat("null_id", count),
            "limit_name": pa.nulls(count, pa.string()),
            **{name: pa.nulls(count, pa.int64()) for name in ("limit", "figure", "byte_position")},
            "message": pa.repeat("the document's id is null, or not UTF-8", count),
        }
        return self.table(rows, pa.table(reasons))


def _heads(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The first bytes of each text, as bytes, since they may not be UTF-8."""
    raw = texts.cast(texts.type.value_type) if pa.types.is_dictionary(texts.type) else texts
    # By a slice of each value in turn: a copy of whole texts only to cut them would double what is held.
    heads = [
        None if value is None else value[:DEAD_LETTER_TEXT_BYTES]
        for value in (scalar.as_py() for scalar in raw.cast(pa.large_binary()))
    ]
    return pa.chunked_array([heads], pa.large_binary())
