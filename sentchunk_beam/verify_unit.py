"""A unit of a finished job, its part files held against what the unit reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from . import files
from .chunk_ids import chunk_ids
from .chunking import types_of
from .commit import part_path
from .errors import reason
from .plan import Unit
from .read import SourceTable
from .settings import Settings
from .strategies import Structure
from .unit import Work, read
from .verify_document import (
    Letter,
    Row,
    check_chunks,
    check_without_chunks,
    last_end,
    plain_values,
    same,
    text_of,
)
from .visible import visible

SHOWN = 20


@dataclass
class Findings:
    """What was looked at, and how many differences were found, of which the first are told."""

    documents: int = 0
    chunks: int = 0
    count: int = 0
    differences: list[str] = field(default_factory=list)

    def differ(self, place: str, difference: str) -> None:
        self.count += 1
        if len(self.differences) < SHOWN:
            # Both can quote paths, in which anything may stand.
            self.differences.append(visible(f"{place}: {difference}"))

    def add(self, other: Findings) -> None:
        self.documents += other.documents
        self.chunks += other.chunks
        self.count += other.count
        self.differences = [*self.differences, *other.differences][:SHOWN]


def verify_unit(unit: Unit, work: Work) -> Findings:
    """Hold a unit's part files against what the unit reads. One that is damaged ends it, for nothing fits from there."""
    findings = Findings()
    rows = _Cursor(part_path(work.output, "chunks", unit.index), work)
    try:
        _verify_rows(unit, work, rows, findings)
    except _Damaged as error:
        findings.differ(error.path, error.problem)
    findings.chunks = rows.taken
    return findings


def _verify_rows(unit: Unit, work: Work, rows: _Cursor, findings: Findings) -> None:
    letters = _letters(part_path(work.output, "dead_letters", unit.index), work, findings)
    for source in read(unit, work):
        if isinstance(source, SourceTable):
            _verify_table(source, rows, letters, work.settings, findings)
            continue
        findings.documents += source.counts.documents
        for letter in source.letters:
            place = letter["file"], letter.get("row")
            found = letters.pop(place, None)
            if found is None or found["code"] != letter["code"]:
                findings.differ(_named(*place), f"{letter['code']} is not among the dead letters")
    for row in rows:
        findings.differ(f"chunk {row['chunk_id']}", "belongs to no document, or not in this order")
    for place, letter in letters.items():
        findings.differ(
            _named(*place), f"dead letter {letter['code']} is of no document that was read"
        )


def _verify_table(
    source: SourceTable,
    rows: _Cursor,
    letters: dict[tuple[str, int | None], Letter],
    settings: Settings,
    findings: Findings,
) -> None:
    columns, count = settings.columns, len(source.ids)
    texts = source.table[columns.text].cast("large_binary")
    places = zip(source.place["file"].to_pylist(), source.place["row"].to_pylist(), strict=True)
    kept = {name: plain_values(source.table[name]) for name in columns.keep}
    types: list[str | None] = [None] * count
    if isinstance(settings.strategy, Structure):
        found = types_of(source.table, columns, source.doc_type)
        types = list(settings.strategy.types(found, count))
        kept["doc_type"] = types
    for index, (place, identity) in enumerate(zip(places, plain_values(source.ids), strict=True)):
        findings.documents += 1
        raw = texts[index].as_py()
        if place in letters:
            differences = check_without_chunks(
                raw, identity, letters.pop(place), settings.spec.limits, types[index]
            )
        else:
            text = text_of(raw)
            taken = rows.take(identity, last_end(text, settings))
            values = {name: column[index] for name, column in kept.items()}
            differences = [
                *check_chunks(text, taken, settings, values),
                *_check_keys(source.ids.slice(index, 1), taken, settings),
            ]
        for difference in differences:
            findings.differ(_named(*place), difference)


def _check_keys(identity: pa.ChunkedArray, rows: list[Row], settings: Settings) -> Iterator[str]:
    indices = np.array([row["chunk_index"] for row in rows], np.int64)
    expected = chunk_ids(identity, np.zeros(len(rows), np.int64), indices, settings.strategy.key)
    if [row["chunk_id"] for row in rows] != expected.to_pylist():
        yield "a chunk_id does not follow from document_id and chunk_index"


class _Damaged(Exception):
    """A part file that cannot be read, or that is none of the job's."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, problem)
        self.path, self.problem = path, problem


def _letters(path: str, work: Work, findings: Findings) -> dict[tuple[str, int | None], Letter]:
    """The dead letters of a part file, by file and row. One that comes twice is a difference."""
    letters: dict[tuple[str, int | None], Letter] = {}
    for letter in _part_rows(path, work.dead_letters_schema, {"document_id"}):
        place = letter["file"], letter["row"]
        if place in letters:
            findings.differ(_named(*place), f"has another dead letter, {letter['code']}")
        letters[place] = letter
    return letters


def _part_rows(path: str, schema: pa.Schema, verbatim: set[str]) -> Iterator[Row]:
    """The rows of a part file, none where there is no file. Raises _Damaged.

    The columns in `verbatim` are from the source, so they can hold anything: their values are `plain_values`.
    """
    if not files.exists(path):
        return
    try:
        with (
            files.open_input(path) as source,
            pq.ParquetFile(source, buffer_size=1 << 20) as parquet,
        ):
            if parquet.schema_arrow.names != schema.names:
                raise _Damaged(path, f"has other columns than {', '.join(schema.names)}")
            for batch in parquet.iter_batches(1024):
                columns = [
                    _values(batch.column(field.name), field, field.name in verbatim, path)
                    for field in schema
                ]
                for row in zip(*columns, strict=True):
                    yield dict(zip(schema.names, row, strict=True))
    except (OSError, pa.ArrowException) as error:
        raise _Damaged(path, f"cannot be read: {reason(error)}") from error


def _values(column: pa.Array, field: pa.Field, verbatim: bool, path: str) -> list[Any]:
    if column.type != field.type and not verbatim:
        raise _Damaged(path, f"column {field.name!r} is {column.type}, not {field.type}")
    if column.null_count and not field.nullable:
        raise _Damaged(path, f"column {field.name!r} has nulls")
    values = plain_values(column.cast(field.type))
    if verbatim or not (pa.types.is_string(field.type) or pa.types.is_large_string(field.type)):
        return values
    # What is not UTF-8 gets surrogates, so that it is equal to no text.
    return [None if value is None else value.decode(errors="surrogateescape") for value in values]


def _named(file: str, row: int | None) -> str:
    return file if row is None else f"{file}#{row}"


class _Cursor:
    """The rows of a unit's chunks in their order, a batch at a time."""

    def __init__(self, path: str, work: Work) -> None:
        verbatim = {"document_id", *work.settings.columns.keep}
        self._rows = _part_rows(path, work.chunks_schema, verbatim)
        self._waiting: Row | None = None
        self.taken = 0

    def __iter__(self) -> Iterator[Row]:
        while self._next() is not None:
            yield self._advance()

    def take(self, identity: Any, last_end: int) -> list[Row]:
        """The next rows that are of the document: its id, with rising indices, until one ends at `last_end`."""
        taken: list[Row] = []
        end = 0
        while end < last_end and (row := self._next()) and same(row["document_id"], identity):
            if taken and row["chunk_index"] <= taken[-1]["chunk_index"]:
                break  # another document of the same id
            taken.append(self._advance())
            end = row["end"]
        return taken

    def _next(self) -> Row | None:
        if self._waiting is None:
            self._waiting = next(self._rows, None)
        return self._waiting

    def _advance(self) -> Row:
        row = self._next()
        assert row is not None
        self._waiting = None
        self.taken += 1
        return row
