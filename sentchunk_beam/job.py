"""The job: files in, files out. Plan here, do on the workers, commit on one of them."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from . import files, metrics, progress, runners, state
from .commit import SUCCESS, commit, read_summary
from .duplicates import FindDuplicateIds, combined
from .errors import JobError, UsageError
from .plan import Plan, Unit, make_plan
from .schemas import Counts
from .settings import Settings
from .unit import Manifest, Work, do_unit


@dataclass(frozen=True)
class Job:
    """Chunk the documents of the files that `inputs` name (files, folders, globs) into the folder `output`.

    `output/chunks/` and `output/dead_letters/` receive Parquet files, `output/summary.json` the figures, and
    `output/_SUCCESS`, last, says that all of it is complete.

    format: "parquet", "text", "lines", "jsonl", "eml" or "mbox"; None takes each file by its suffix.
    resume: go on with the same job where it was cut off; the units that are done are not done again.
    check_ids: count the ids that come more than once. They are shuffled for that.
    """

    inputs: Sequence[str]
    output: str
    settings: Settings
    format: str | None = None
    resume: bool = False
    check_ids: bool = False

    def run(self, options: PipelineOptions) -> dict[str, Any]:
        """Run on the runner that the options name, and return the summary; an empty one where it only submits.

        Raises UsageError, before anything is written, for what the user can put right: no such file or column, an
        output that exists, workers that cannot reach it. Other exceptions are the runner's.
        """
        output, found = self.check(options)
        started = time.time()
        plan = make_plan(self.inputs, self.settings, self.format)
        if found == state.COMPLETE:
            figures = read_summary(output)
            state.check_complete(output, plan, figures["plan"])
            state.remove_unfinished(output)
            return figures
        work = Work(output, self.settings, plan.id_field, plan.kept_fields)
        if not runners.is_beam_dry_run(options):
            state.begin(found, work, plan)
        with progress.of(plan, selected=self.settings.only_dead_letters is not None):
            pipeline = beam.Pipeline(options=options)
            facts = self._facts(plan, output, started)
            pipeline | ChunkPlannedUnits(work, len(plan.units), facts, self.check_ids)
            ended = pipeline.run().wait_until_finish()
        if runners.only_submits(options):
            return {}
        if not files.exists(files.join(output, SUCCESS)):
            raise JobError(f"the runner ended the job, {ended}, before it was complete")
        return read_summary(output)

    def check(self, options: PipelineOptions) -> tuple[str, str]:
        """The output's absolute path, and what lies there. Raises UsageError unless the job may start."""
        if self.check_ids and self.settings.columns.id is None:
            raise UsageError(
                "ids that are derived do not come twice; name the column to check with --id-column"
            )
        if not self.output:
            raise UsageError("--output is empty; name a new folder")
        files.use_options(options)
        output, again = files.absolute(self.output), self.settings.only_dead_letters
        runners.prepare(options, [*self.inputs, *([again] if again else []), output])
        found = state.of(output)
        state.check(found, output, self.resume)
        return output, found

    def _facts(self, plan: Plan, output: str, started: float) -> dict[str, Any]:
        packages = ("sentchunk-beam", "apache-beam", "pyarrow")
        return {
            "files": plan.files,
            "units": len(plan.units),
            "plan": state.fingerprint(plan),
            "input_bytes": plan.input_bytes,
            "started": started,
            "output": output,
            "command": shlex.join(sys.argv),
            "inputs": [files.absolute(each) for each in self.inputs],
            "format": self.format,
            "settings": asdict(self.settings),
            "versions": {name: version(name) for name in packages},
        }


class ChunkPlannedUnits(beam.PTransform):
    """The job's pipeline: the plan's path → units → manifests → commit. No text in any element.

    The plan travels as a file, so that the pipeline's size does not depend on the corpus's.
    """

    def __init__(self, work: Work, units: int, facts: dict[str, Any], check_ids: bool) -> None:
        super().__init__()
        self._work, self._units, self._facts, self._check_ids = work, units, facts, check_ids

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection:
        units = (
            begin
            | "Plan" >> beam.Create([state.plan_path(self._work.output)])
            | "ReadPlan" >> beam.FlatMap(state.planned_units).with_output_types(str)
            | "Spread" >> beam.Reshuffle().with_output_types(str)
        )
        results = {"manifests": units | "DoUnit" >> beam.ParDo(_DoUnit(self._work))}
        if self._check_ids:
            results["duplicates"] = units | "CheckIds" >> FindDuplicateIds(self._work)
        return (
            results
            | "Gather" >> beam.CoGroupByKey()
            | "Commit" >> beam.ParDo(_Commit(self._work, self._units, self._facts))
        )


@beam.typehints.with_input_types(str)
@beam.typehints.with_output_types(tuple[str, str])
class _DoUnit(beam.DoFn):
    def __init__(self, work: Work) -> None:
        self._work = work

    def process(self, unit: str) -> Iterator[tuple[str, str]]:
        manifest = do_unit(Unit.from_json(unit), self._work, _observe)
        metrics.count_output(manifest.output_bytes)
        yield "job", manifest.to_json()


def _observe(counts: Counts) -> None:
    metrics.count(counts)
    progress.advance(counts)


@beam.typehints.with_output_types(str)
class _Commit(beam.DoFn):
    def __init__(self, work: Work, units: int, facts: dict[str, Any]) -> None:
        self._work, self._units, self._facts = work, units, facts

    def process(self, gathered: tuple[str, dict[str, Iterable[str]]]) -> Iterator[str]:
        _, results = gathered
        manifests = map(Manifest.from_json, results["manifests"])
        facts = {name: value for name, value in self._facts.items() if name != "started"}
        facts["seconds"] = round(time.time() - self._facts["started"], 3)
        if "duplicates" in results:
            facts["duplicates"] = combined(results["duplicates"])
        commit(manifests, self._units, self._work, facts)
        yield self._work.output


def refuse_used(output: str) -> None:
    """Raise UsageError where anything lies in a folder that is to be new."""
    if files.holds_files(output):
        raise UsageError(f"{output} is not empty; name a new folder")
