"""The job: files in, files out. Plan here, do on the workers, commit on one of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from sentchunk import ChunkSpec

from . import files, metrics
from .chunking import Columns
from .commit import SUMMARY, commit
from .errors import UsageError
from .plan import Plan, Unit, make_plan
from .unit import Manifest, Work, do_unit


@dataclass(frozen=True)
class Job:
    """Chunk the Parquet files that `inputs` name (files, folders, globs) into the folder `output`.

    `output/chunks/` and `output/dead_letters/` receive Parquet files, `output/summary.json` the figures, and
    `output/_SUCCESS`, last, says that all of it is complete.
    """

    inputs: Sequence[str]
    output: str
    spec: ChunkSpec
    columns: Columns = field(default_factory=Columns)

    def run(self, options: PipelineOptions) -> dict[str, Any]:
        """Run on the runner that the options name, and return the summary.

        Raises UsageError, before anything is written, for what the user can put right: no such file or column, an
        output that exists. Other exceptions are the runner's.
        """
        output = files.absolute(self.output)
        refuse_used(output)
        started = time.time()
        plan = make_plan(self.inputs, self.columns, self.spec)
        work = Work(output, self.columns, self.spec, plan.id_field, plan.kept_fields)
        files.write_text(plan_path(work), "".join(unit.to_json() + "\n" for unit in plan.units))
        pipeline = beam.Pipeline(options=options)
        pipeline | ChunkPlannedUnits(work, plan, self._facts(plan, output, started))
        pipeline.run().wait_until_finish()
        return dict(json.loads(files.read_text(files.join(output, SUMMARY))))

    def _facts(self, plan: Plan, output: str, started: float) -> dict[str, Any]:
        return {
            "files": plan.files,
            "input_bytes": plan.input_bytes,
            "started": started,
            "output": output,
            "inputs": [files.absolute(each) for each in self.inputs],
            "columns": asdict(self.columns),
            "parameters": asdict(self.spec),
            "versions": {
                name: version(name) for name in ("sentchunk-beam", "apache-beam", "pyarrow")
            },
        }


def refuse_used(output: str) -> None:
    if files.holds_files(output):
        raise UsageError(f"{output} is not empty; name a new folder with --output, or remove it")


def plan_path(work: Work) -> str:
    return files.join(work.unfinished, "plan.jsonl")


class ChunkPlannedUnits(beam.PTransform):
    """The job's pipeline: the plan's path → units → manifests → commit. No text in any element.

    The plan travels as a file, so that the pipeline's size does not depend on the corpus's.
    """

    def __init__(self, work: Work, plan: Plan, facts: dict[str, Any]) -> None:
        super().__init__()
        self._work, self._units, self._facts = work, len(plan.units), facts

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection:
        return (
            begin
            | "Plan" >> beam.Create([plan_path(self._work)])
            | "ReadPlan" >> beam.FlatMap(_planned_units)
            | "Spread" >> beam.Reshuffle()
            | "DoUnit" >> beam.ParDo(_DoUnit(self._work))
            | "Gather" >> beam.GroupByKey()
            | "Commit" >> beam.ParDo(_Commit(self._work, self._units, self._facts))
        )


def _planned_units(path: str) -> Iterator[str]:
    yield from files.read_text(path).splitlines()


@beam.typehints.with_input_types(str)
@beam.typehints.with_output_types(tuple[str, str])
class _DoUnit(beam.DoFn):
    def __init__(self, work: Work) -> None:
        self._work = work

    def process(self, unit: str) -> Iterator[tuple[str, str]]:
        yield "job", do_unit(Unit.from_json(unit), self._work, metrics.count).to_json()


@beam.typehints.with_input_types(tuple[str, Iterable[str]])
@beam.typehints.with_output_types(str)
class _Commit(beam.DoFn):
    def __init__(self, work: Work, units: int, facts: dict[str, Any]) -> None:
        self._work, self._units, self._facts = work, units, facts

    def process(self, gathered: tuple[str, Iterable[str]]) -> Iterator[str]:
        manifests = map(Manifest.from_json, gathered[1])
        facts = {name: value for name, value in self._facts.items() if name != "started"}
        facts["seconds"] = round(time.time() - self._facts["started"], 3)
        commit(manifests, self._units, self._work, facts)
        yield self._work.output
