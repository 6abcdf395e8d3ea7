"""From documents as Python values to chunks and dead letters as rows, by way of a table: many documents together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from .chunk_ids import id_bytes
from .chunking import chunk_table
from .row_letters import Letters
from .row_shapes import Fields, Shape
from .schemas import REJECT_COLUMNS, Counts, chunk_columns
from .settings import Settings, TypedColumns


class ChunkedRows(NamedTuple):
    """Rows in the documents' order, each with the place of its document among those that came in.

    Rows are made when they are asked for: many at once keep the garbage collector busier than anything else.
    """

    chunks: Iterator[tuple[int, Any]]
    dead_letters: list[tuple[int, Any]]
    counts: Counts


class RowChunker:
    """Chunks documents of one shape."""

    def __init__(self, shape: Shape, settings: Settings) -> None:
        # The table has but the text and a number that leads back to the document: the rest needs no Arrow.
        self._typed = shape.columns.doc_type_name is not None
        columns = TypedColumns(keep=("row",), doc_type=_TYPE if self._typed else None)
        self._settings = Settings(settings.spec, columns)
        self._found = chunk_columns(shape.found)
        self._chunk = shape.chunk_type.user_type._make
        self._letters = Letters(shape)

    def chunk(self, documents: Sequence[Fields]) -> ChunkedRows:
        misfits = {
            row: letter
            for row, fields in enumerate(documents)
            if (letter := self._letters.misfit(fields)) is not None
        }
        rows = [row for row in range(len(documents)) if row not in misfits]
        ids, texts, *kept = map(list, zip(*documents, strict=True))
        numbers = pa.array(rows, pa.int64())
        columns = {"text": _text_column([texts[row] for row in rows]), "row": numbers}
        if self._typed:
            *kept, types = kept
            columns[_TYPE] = pa.array([types[row] for row in rows], pa.string())
        found = chunk_table(
            pa.table(columns),
            pa.chunked_array([_id_column([ids[row] for row in rows])]),
            self._settings,
            pa.table({"file": pa.nulls(len(rows)), "row": numbers}),
        )
        table = found.chunks
        owners = _values(table["row"])
        chunks = zip(
            _values(table["chunk_id"]),
            map(ids.__getitem__, owners),
            *(_values(table[name]) for name in self._found),
            *(map(values.__getitem__, owners) for values in kept),
            strict=True,
        )
        if misfits:
            lost = {"wrong_type": len(misfits)}
            found.counts.add(Counts(documents=len(misfits), dead_letters=lost))
        letters = misfits | {
            place: self._letters.letter(ids[place], **reasons)
            for place, reasons in _reasons(found.dead_letters)
        }
        return ChunkedRows(
            zip(owners, map(self._chunk, chunks), strict=True),
            sorted(letters.items(), key=_place),
            found.counts,
        )


_TYPE = "doc_type"  # of the table


def _reasons(dead_letters: pa.Table) -> Iterator[tuple[int, dict[str, Any]]]:
    """For each dead letter, the place of its document and why it has one."""
    for letter in dead_letters.select(["row", *REJECT_COLUMNS]).to_pylist():
        yield letter.pop("row"), letter


def _place(letter: tuple[int, Any]) -> int:
    return letter[0]


def _text_column(texts: list[Any]) -> pa.Array:
    """The texts; as bytes, for the engine to judge, where one has no UTF-8 form."""
    try:
        return pa.array(texts, pa.large_string())
    except (pa.ArrowException, UnicodeError):
        return pa.array(list(map(_raw, texts)), pa.large_binary())


def _id_column(ids: list[Any]) -> pa.Array:
    """The ids as the bytes that keys are made of."""
    return pa.array(
        [None if value is None else id_bytes(value) for value in ids], pa.large_binary()
    )


def _raw(text: Any) -> Any:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def _values(column: pa.ChunkedArray) -> list[Any]:
    return column.to_pylist() if column.null_count else column.to_numpy().tolist()
