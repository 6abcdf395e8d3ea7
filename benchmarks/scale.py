"""What a very large job costs beside its documents: `python -m benchmarks.scale`.

Two things are simulated, each with its time and memory: the descriptors of many units going through the pipeline's
graph, with no documents behind them; and the last step, which renames the files of many units.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from sentchunk import ChunkSpec

from sentchunk_beam import commit, files, job, state
from sentchunk_beam.plan import Plan, Unit
from sentchunk_beam.schemas import DERIVED_ID, Counts
from sentchunk_beam.settings import Settings
from sentchunk_beam.sources import Part
from sentchunk_beam.unit import Manifest, Work

SETTINGS = Settings(ChunkSpec(1000))


def units(count: int) -> list[Unit]:
    """Units as a corpus of large files has them: each eight row groups of one."""
    return [
        Unit(
            f"{index:016x}",
            index,
            (Part(f"gs://bucket/corpus/part-{index // 8:06}.parquet", "parquet", 1 << 30, index % 8 * 8,
                  index % 8 * 8 + 8, index % 8 * 80_000, 80_000, 128 << 20),),
        )
        for index in range(count)
    ]  # fmt: skip


def manifest(unit: Unit, chunks_file: str | None) -> Manifest:
    counts = Counts(documents=80_000, chunked=80_000, sentences=800_000, chunks=200_000)
    return Manifest(unit.id, unit.index, counts, chunks_file, None, 40 << 20)


def descriptors(folder: Path, count: int) -> float:
    """Seconds for so many units from the plan's file to the commit."""
    work = Work(str(folder / "out"), SETTINGS)
    plan = Plan(units(count), count // 8, count << 27, DERIVED_ID, ())
    state.begin(state.NEW, work, plan)
    options = PipelineOptions(["--runner=FnApiRunner"])
    started = time.perf_counter()
    with mock.patch.object(job, "do_unit", lambda unit, work, observe: manifest(unit, None)):
        pipeline = beam.Pipeline(options=options)
        pipeline | job.ChunkPlannedUnits(work, count, {"started": time.time()}, check_ids=False)
        pipeline.run().wait_until_finish()
    seconds = time.perf_counter() - started
    written = json.loads(files.read_text(files.join(work.output, commit.SUMMARY)))
    assert written["documents"] == 80_000 * count
    return seconds


def shards(folder: Path, count: int) -> float:
    """Seconds for the commit of so many units, each with a file."""
    work = Work(str(folder / "shards"), SETTINGS)
    made = []
    for unit in units(count):
        path = files.join(work.unfinished, f"{unit.id}.chunks.parquet")
        files.write_text(path, "")
        made.append(manifest(unit, path))
    started = time.perf_counter()
    commit.commit(made, count, work, {})
    return time.perf_counter() - started


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--descriptors", type=int, default=1_000_000)
    parser.add_argument("--shards", type=int, default=100_000)
    given = parser.parse_args(arguments)
    steps: list[tuple[str, Any, int]] = [
        ("files renamed by the commit", shards, given.shards),
        ("descriptors through the graph", descriptors, given.descriptors),
    ]
    for name, step, count in steps:
        with tempfile.TemporaryDirectory() as folder:
            seconds = step(Path(folder), count)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(f"{count:,} {name}: {seconds:.1f} s, peak of the process so far {peak:,.0f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
