"""Verify: source and output of a finished job, read again and held against each other, row by row.

It trusts neither: every chunk has to be the slice of its document that its offsets say, the chunks of a document have
to cover it in order, and every document has to have chunks or a dead letter, or be empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.options.pipeline_options import PipelineOptions

from . import files, state
from .chunk_ids import chunk_ids
from .chunking import types_of
from .commit import part_path, read_summary
from .errors import UsageError
from .plan import Unit, make_plan
from .read import SourceTable
from .settings import Settings
from .strategies import Structure
from .unit import Work, read
from .verify_document import Letter, Row, check_chunks, check_without_chunks

SHOWN = 20
FINDINGS = "_verified.json"


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
            self.differences.append(f"{place}: {difference}")

    def add(self, other: Findings) -> None:
        self.documents += other.documents
        self.chunks += other.chunks
        self.count += other.count
        self.differences = [*self.differences, *other.differences][:SHOWN]


def verify(output: str, inputs: Sequence[str] | None, options: PipelineOptions) -> Findings:
    """Hold the finished job in `output` against its inputs, on the runner that the options name.

    Where no inputs are given, those that its summary names.

    Leaves the findings in `output/_verified.json` too. Raises UsageError where no finished job lies there.
    """
    output = files.absolute(output)
    if state.of(output) != state.COMPLETE:
        raise UsageError(
            f"{output} holds no finished job; name the folder that one wrote with --output"
        )
    summary = read_summary(output)
    settings = Settings.from_dict(summary["settings"])
    plan = make_plan(inputs or summary["inputs"], settings, summary["format"])
    if state.fingerprint(plan) != summary["plan"]:
        findings = Findings()
        findings.differ(
            "the inputs",
            f"are not those that the job read: then {summary['files']:,} files of "
            f"{summary['input_bytes']:,} bytes, now {plan.files:,} of {plan.input_bytes:,}",
        )
        return findings
    work = Work(output, settings, plan.id_field, plan.kept_fields)
    pipeline = beam.Pipeline(options=options)
    (
        pipeline
        | "Units" >> beam.Create([unit.to_json() for unit in plan.units])
        | "Spread" >> beam.Reshuffle()
        | "Verify" >> beam.ParDo(_VerifyUnit(work))
        | "Gather" >> beam.GroupByKey()
        | "Report" >> beam.ParDo(_Report(output))
    )
    pipeline.run().wait_until_finish()
    return Findings(**json.loads(files.read_text(files.join(output, FINDINGS))))


@beam.typehints.with_input_types(str)
@beam.typehints.with_output_types(tuple[str, tuple[int, str]])
class _VerifyUnit(beam.DoFn):
    def __init__(self, work: Work) -> None:
        self._work = work

    def process(self, unit: str) -> Iterator[tuple[str, tuple[int, str]]]:
        held = Unit.from_json(unit)
        yield "job", (held.index, json.dumps(vars(verify_unit(held, self._work))))


@beam.typehints.with_output_types(str)
class _Report(beam.DoFn):
    def __init__(self, output: str) -> None:
        self._output = output

    def process(self, gathered: tuple[str, Iterable[tuple[int, str]]]) -> Iterator[str]:
        total, summary = Findings(), read_summary(self._output)
        for _, found in sorted(gathered[1]):
            total.add(Findings(**json.loads(found)))
        for name in ("documents", "chunks"):
            if getattr(total, name) != summary[name]:
                total.differ(
                    "summary.json", f"{name} is {summary[name]:,}, found {getattr(total, name):,}"
                )
        files.write_text(
            files.join(self._output, FINDINGS), json.dumps(vars(total), indent=2) + "\n"
        )
        yield self._output


def verify_unit(unit: Unit, work: Work) -> Findings:
    """Hold a unit's part files against what the unit reads."""
    findings = Findings()
    rows = _Cursor(part_path(work.output, "chunks", unit.index))
    letters = _letters(part_path(work.output, "dead_letters", unit.index))
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
    findings.chunks = rows.taken
    return findings


def _verify_table(
    source: SourceTable,
    rows: _Cursor,
    letters: dict[tuple[str, int | None], Letter],
    settings: Settings,
    findings: Findings,
) -> None:
    columns = settings.columns
    texts, ids = source.table[columns.text].cast("large_binary"), source.ids
    places = zip(source.place["file"].to_pylist(), source.place["row"].to_pylist(), strict=True)
    kept = source.table.select(list(columns.keep)).to_pylist() or [{}] * len(ids)
    types: list[str | None] = [None] * len(ids)
    if isinstance(settings.strategy, Structure):
        found = types_of(source.table, columns, source.doc_type)
        types = list(settings.strategy.types(found, len(ids)))
        kept = [row | {"doc_type": each} for row, each in zip(kept, types, strict=True)]
    for index, (place, identity) in enumerate(zip(places, ids.to_pylist(), strict=True)):
        findings.documents += 1
        name = _named(*place)
        raw = texts[index].as_py()
        if place in letters:
            differences = check_without_chunks(
                raw, identity, letters.pop(place), settings.spec.limits, types[index]
            )
        else:
            found = rows.take(identity)
            differences = [
                *check_chunks(raw, found, settings, kept[index]),
                *_check_keys(ids.slice(index, 1), found, settings),
            ]
        for difference in differences:
            findings.differ(name, difference)


def _check_keys(identity: pa.ChunkedArray, rows: list[Row], settings: Settings) -> Iterator[str]:
    indices = np.array([row["chunk_index"] for row in rows], np.int64)
    expected = chunk_ids(identity, np.zeros(len(rows), np.int64), indices, settings.strategy.key)
    if [row["chunk_id"] for row in rows] != expected.to_pylist():
        yield "a chunk_id does not follow from document_id and chunk_index"


def _letters(path: str) -> dict[tuple[str, int | None], Letter]:
    """The dead letters of a part file, by file and row."""
    if not files.exists(path):
        return {}
    with files.open_input(path) as source:
        found = pq.read_table(source).to_pylist()
    return {(letter["file"], letter["row"]): letter for letter in found}


def _named(file: str, row: int | None) -> str:
    return file if row is None else f"{file}#{row}"


class _Cursor:
    """The rows of a part file in their order, a batch at a time."""

    def __init__(self, path: str) -> None:
        self._rows = self._read(path)
        self._next: Row | None = next(self._rows, None)
        self.taken = 0

    @staticmethod
    def _read(path: str) -> Iterator[Row]:
        if not files.exists(path):
            return
        with (
            files.open_input(path) as source,
            pq.ParquetFile(source, buffer_size=1 << 20) as parquet,
        ):
            for batch in parquet.iter_batches(1024):
                yield from batch.to_pylist()

    def __iter__(self) -> Iterator[Row]:
        while self._next is not None:
            yield self._advance()

    def take(self, identity: Any) -> list[Row]:
        """The next rows that are of the document: its id, with rising indices."""
        taken: list[Row] = []
        while (row := self._next) is not None and row["document_id"] == identity:
            if taken and row["chunk_index"] <= taken[-1]["chunk_index"]:
                break  # another document of the same id
            taken.append(self._advance())
        return taken

    def _advance(self) -> Row:
        row = self._next
        assert row is not None
        self._next = next(self._rows, None)
        self.taken += 1
        return row
