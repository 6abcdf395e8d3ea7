"""Verify: source and output of a finished job, read again and held against each other, row by row.

It trusts neither: every chunk has to be the slice of its document that its offsets say, the chunks of a document have
to cover it in order, and every document has to have chunks or a dead letter, or be empty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from . import files, state
from .commit import part_path, read_summary
from .errors import JobError, UsageError, reason
from .plan import Plan, Unit, make_plan
from .settings import Settings
from .unit import Work
from .verify_unit import Findings, verify_unit

FINDINGS = "_verified.json"


def verify(
    output: str, inputs: Sequence[str] | None, options: PipelineOptions
) -> tuple[Findings, str]:
    """Hold the finished job in `output` against its inputs, on the runner that the options name.

    Where no inputs are given, those that its summary names.

    Leaves the findings in `output/_verified.json` too; what is returned beside them says why that could not be, else
    it is empty. Raises UsageError where no finished job lies there, or its summary is damaged.
    """
    output = files.absolute(output)
    if state.of(output) != state.COMPLETE:
        raise UsageError(
            f"{output} holds no finished job; name the folder that one wrote with --output"
        )
    summary = read_summary(output)
    settings = Settings.from_dict(summary["settings"])
    plan = make_plan(inputs or summary["inputs"], settings, summary["format"])
    with _place_for_findings(output) as (place, unstored):
        if not state.reads_the_same(plan, summary["plan"]):
            return _of_other_inputs(plan, summary, place), unstored
        work = Work(output, settings, plan.id_field, plan.kept_fields)
        pipeline = beam.Pipeline(options=options)
        (
            pipeline
            | "Units" >> beam.Create([unit.to_json() for unit in plan.units])
            | "Spread" >> beam.Reshuffle()
            | "Verify" >> beam.ParDo(_VerifyUnit(work))
            | "Gather" >> beam.GroupByKey()
            | "Report" >> beam.ParDo(_Report(output, place, len(plan.units)))
        )
        ended = pipeline.run().wait_until_finish()
        return _stored(place, ended), unstored


@contextmanager
def _place_for_findings(output: str) -> Iterator[tuple[str, str]]:
    """A file that the findings can be handed over in, and why that is not the one in `output`, else nothing.

    Writing that one at once also makes sure that no earlier findings are taken for those of a run that fails.
    """
    place = files.join(output, FINDINGS)
    try:
        files.write_text(place, "\n")
    except Exception as error:  # an object store's client raises exceptions of its own
        with TemporaryDirectory() as folder:
            yield files.join(folder, FINDINGS), f"{place}: {reason(error)}"
        return
    yield place, ""


def _store(findings: Findings, place: str) -> None:
    files.write_text(place, json.dumps(vars(findings), indent=2) + "\n")


def _stored(place: str, ended: Any) -> Findings:
    """What the job has found. Raises JobError where it has not come to tell, as where it was handed over only."""
    found = files.read_text(place).strip() if files.exists(place) else ""
    if not found:
        raise JobError(f"the runner ended the job, {ended}, before it told what it found")
    return Findings(**json.loads(found))


def _of_other_inputs(plan: Plan, summary: dict[str, Any], place: str) -> Findings:
    findings = Findings()
    then, now = (summary["files"], summary["input_bytes"]), (plan.files, plan.input_bytes)
    told = f"then {then[0]:,} files of {then[1]:,} bytes, now {now[0]:,} of {now[1]:,}"
    if then == now:
        told = (
            f"the same number of files and bytes, {now[0]:,} and {now[1]:,}, "
            "but at other paths or with other sizes"
        )
    findings.differ("the inputs", f"are not those that the job read: {told}")
    _store(findings, place)
    return findings


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
    def __init__(self, output: str, place: str, units: int) -> None:
        self._output, self._place, self._units = output, place, units

    def process(self, gathered: tuple[str, Iterable[tuple[int, str]]]) -> Iterator[str]:
        total, summary = Findings(), read_summary(self._output)
        for _, found in sorted(gathered[1]):
            total.add(Findings(**json.loads(found)))
        for kind in ("chunks", "dead_letters"):
            _verify_names(self._output, kind, self._units, total)
        for name in ("documents", "chunks"):
            if getattr(total, name) != summary[name]:
                total.differ(
                    "summary.json", f"{name} is {summary[name]:,}, found {getattr(total, name):,}"
                )
        _store(total, self._place)
        yield self._output


def _verify_names(output: str, kind: str, units: int, findings: Findings) -> None:
    """Every file that a reader of the folder takes has to be the part of a unit."""
    folder = files.join(output, kind)
    try:
        found = files.names_in(folder)
    except OSError as error:
        findings.differ(folder, f"cannot be listed: {reason(error)}")
        return
    if not found:
        findings.differ(folder, "holds no part file, not even an empty one")
    known = {part_path(output, kind, index) for index in range(units)}
    for name in found:
        # Readers pass over the names that begin so, such as those of a file system's checksums.
        if not name.startswith(("_", ".")) and files.join(folder, name) not in known:
            findings.differ(files.join(folder, name), "is not a file of the job")
