"""The messy corpus, and enough besides for several units; with what the job is to make of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from job.helpers import summary, write
from job.messy import LIMITS, build
from sentchunk import ChunkSpec, Limits

from engines.conftest import Engine, local
from sentchunk_beam.plan import Unit, make_plan
from sentchunk_beam.settings import Settings

OPTIONS = ["--max-size", "300", "--overlap", "1", *LIMITS]
SETTINGS = Settings(ChunkSpec(300, "code_point", 1, Limits(2000, 100, 90_000)))
# What tells of the run and not of the documents.
OF_THE_RUN = ("seconds", "output", "command")


@dataclass(frozen=True)
class Corpus:
    inputs: list[str]
    units: list[Unit]
    rows: dict[str, list[dict[str, Any]]]
    figures: dict[str, Any]


def rows_of(output: Path) -> dict[str, list[dict[str, Any]]]:
    return {kind: pq.read_table(output / kind).to_pylist() for kind in ("chunks", "dead_letters")}


def figures_of(output: Path) -> dict[str, Any]:
    return {name: value for name, value in summary(output).items() if name not in OF_THE_RUN}


def same(output: Path, corpus: Corpus) -> None:
    """Fail unless the output is complete, and is what threads of one process have made, row by row."""
    assert rows_of(output) == corpus.rows
    assert figures_of(output) == corpus.figures
    assert sorted(path.name for path in output.iterdir()) == [
        "_SUCCESS", "chunks", "dead_letters", "summary.json",
    ]  # fmt: skip


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    inputs = build(folder).inputs
    texts = [f"Document {row}. " + "Some words of it. " * 40 for row in range(12_000)]
    for number in range(4):
        write(folder / "shards" / f"bulk{number}.parquet", {"text": texts}, use_dictionary=False)
    engine: Engine = local("multi_threading")
    ended = engine.run(*inputs, "--output", folder / "out", *OPTIONS)
    assert (ended.returncode, ended.stderr) == (0, ended.stderr)
    units = make_plan(inputs, SETTINGS).units
    assert len(units) > 3
    return Corpus(inputs, units, rows_of(folder / "out"), figures_of(folder / "out"))
