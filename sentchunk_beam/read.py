"""Read: a part of a unit, whatever its format, as tables of documents with an id and a place for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .schemas import Counts
from .selection import Rows, rows_by_file
from .settings import Settings
from .sources import DOC_TYPES, FORMATS, TABLE_BYTES, Documents, Lost, Part, Rejects, UnreadableFile

# A table of empty documents is small, but not what is made of it: ids, dead letters.
TABLE_ROWS = 1 << 15
SMALL_TABLE_BYTES = 1 << 20


@dataclass(frozen=True)
class SourceTable:
    """Documents in their file's order; for each an id, and its place: a table of `file` and `row`.

    doc_type: of all of them, where their format tells it.
    """

    table: pa.Table
    ids: pa.ChunkedArray
    place: pa.Table
    doc_type: str | None = None


@dataclass(frozen=True)
class LostRows:
    """Documents that their format makes unreadable: a dead letter each."""

    letters: list[dict[str, Any]]

    @property
    def counts(self) -> Counts:
        codes = Counter(letter["code"] for letter in self.letters)
        return Counts(documents=len(self.letters), dead_letters=dict(codes))


@dataclass(frozen=True)
class LostFile:
    """A file that takes documents with it: one dead letter, for `documents` of them, or for nobody knows how many."""

    letter: dict[str, Any]

    @property
    def letters(self) -> list[dict[str, Any]]:
        return [self.letter]

    @property
    def counts(self) -> Counts:
        lost = self.letter["documents"]
        return Counts(
            documents=lost or 0,
            dead_letters={self.letter["code"]: lost} if lost else {},
            unreadable_files=1,
            files_of_unknown_size=int(lost is None),
        )


Source = SourceTable | LostRows | LostFile


def gathered(sources: Iterable[Source]) -> Iterator[Source]:
    """Put small tables that follow each other together: a step costs about the same for three rows and for a thousand."""
    waiting: list[SourceTable] = []
    rows = size = 0
    for source in sources:
        if not isinstance(source, SourceTable) or source.table.nbytes >= SMALL_TABLE_BYTES:
            if waiting:
                yield _joined(waiting)
                waiting = []
            yield source
            continue
        more_rows, more_size = len(source.ids), source.table.nbytes
        full = rows + more_rows > TABLE_ROWS or size + more_size > TABLE_BYTES
        if waiting and (full or waiting[0].table.schema != source.table.schema):
            yield _joined(waiting)
            waiting = []
        if not waiting:
            rows = size = 0
        waiting.append(source)
        rows, size = rows + more_rows, size + more_size
    if waiting:
        yield _joined(waiting)


def _joined(sources: list[SourceTable]) -> SourceTable:
    if len(sources) == 1:
        return sources[0]
    return SourceTable(
        pa.concat_tables([each.table for each in sources]).combine_chunks(),
        pa.chunked_array(
            [chunk for each in sources for chunk in each.ids.chunks], sources[0].ids.type
        ),
        pa.concat_tables([each.place for each in sources]).unify_dictionaries(),
    )


def read_part(part: Part, settings: Settings, carried: pa.Schema) -> Iterator[Source]:
    """Yield the documents of a part in order, and the dead letters of what cannot be read.

    `carried` has the types that the id column and the kept ones shall have. What was read before a file turned out to
    be broken stays; its dead letter counts the rest.
    """
    if settings.only_dead_letters is not None:
        wanted = rows_by_file(settings.only_dead_letters)[part.path]
        yield from _selected(_read_all(part, settings, carried), part, wanted)
    else:
        yield from _read_all(part, settings, carried)


def _selected(sources: Iterator[Source], part: Part, wanted: Rows) -> Iterator[Source]:
    for source in sources:
        if isinstance(source, SourceTable):
            chosen = pa.array(wanted.select(source.place["row"].to_numpy()))
            yield SourceTable(
                source.table.filter(chosen),
                source.ids.filter(chosen),
                source.place.filter(chosen),
                source.doc_type,
            )
        elif isinstance(source, LostRows):
            yield LostRows([each for each in source.letters if wanted.select(each["row"]).all()])
        else:
            lost = source.letter["documents"]
            first = source.letter["row"] or part.first_row
            count = None if lost is None else wanted.among(first, first + lost)
            yield LostFile(source.letter | {"documents": count})


def _read_all(part: Part, settings: Settings, carried: pa.Schema) -> Iterator[Source]:
    if part.problem is not None:
        yield _lost_file(part, part.problem, None, part.rows)
        return
    done = 0
    try:
        for found in FORMATS[part.format].read(part, settings):
            if isinstance(found, Rejects):
                yield _lost_rows(part, settings, found)
                done += len(found.letters)
            elif isinstance(found, Lost):
                problem = ("unreadable_file", found.message)
                yield _lost_file(part, problem, found.first_row, found.rows)
                done += found.rows
            else:
                for start in range(0, found.table.num_rows, TABLE_ROWS):
                    rows = found.rows[start : start + TABLE_ROWS]
                    piece = Documents(found.table.slice(start, TABLE_ROWS), rows)
                    yield _source_table(part, settings, carried, piece)
                done += found.table.num_rows
    except UnreadableFile as error:
        lost = None if part.rows is None else part.rows - done
        yield _lost_file(part, ("unreadable_file", str(error)), part.first_row + done, lost)


def _lost_file(part: Part, problem: tuple[str, str], row: int | None, rows: int | None) -> LostFile:
    code, message = problem
    return LostFile(
        {"file": part.path, "row": row, "code": code, "message": message, "documents": rows}
    )


def _lost_rows(part: Part, settings: Settings, rejects: Rejects) -> LostRows:
    derived = settings.columns.id is None
    return LostRows(
        [
            {"document_id": f"{part.path}#{letter['row']}" if derived else None, "file": part.path}
            | {name: value for name, value in letter.items() if value is not None}
            | {"documents": 1}
            for letter in rejects.letters
        ]
    )


def _source_table(
    part: Part, settings: Settings, carried: pa.Schema, found: Documents
) -> SourceTable:
    columns, count = settings.columns, found.table.num_rows
    text = found.table[columns.text]
    arrays = {columns.text: text.cast(pa.string()) if pa.types.is_null(text.type) else text}
    for name in columns.carried:
        field = carried.field(name)
        if name in part.partition:
            value = pa.scalar(part.partition[name], pa.string())
            arrays[name] = pa.chunked_array([pa.repeat(value, count)]).cast(field.type)
        else:
            arrays[name] = found.table[name].cast(field.type)
    path = pa.DictionaryArray.from_arrays(np.zeros(count, np.int8), pa.array([part.path]))
    rows = pa.array(found.rows)
    ids = _derived_ids(part, rows) if columns.id is None else arrays[columns.id]
    place = pa.table({"file": path, "row": rows})
    return SourceTable(pa.table(arrays), ids, place, DOC_TYPES.get(part.format))


def _derived_ids(part: Part, rows: pa.Array) -> pa.ChunkedArray:
    """`FILE#ROW`, or FILE where a file is a document: the same in every run, however the job is cut into units."""
    if part.format in ("text", "eml"):
        return pa.chunked_array([pa.repeat(part.path, len(rows))])
    return pa.chunked_array([pc.binary_join_element_wise(part.path, rows.cast(pa.string()), "#")])
