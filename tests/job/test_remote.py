"""Inputs and outputs wherever Beam's file systems reach, tried on one without folders, as object stores are."""

from __future__ import annotations

from pathlib import Path

import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from remote import PREFIX
from remote import new_process as new_process
from sentchunk import ChunkSpec

from job.helpers import rows, run, summary, write
from job.messy import LIMITS, build
from sentchunk_beam import Job, Settings
from sentchunk_beam.cli import main

pytestmark = pytest.mark.usefixtures("new_process")


def test_the_whole_job_is_the_same_there(tmp_path: Path) -> None:
    messy = build(tmp_path / "in")
    here, there = tmp_path / "here", tmp_path / "there"
    options = ["--max-size", 12, "--overlap", 1, "--dead-letter-text", *LIMITS]
    assert run(*messy.inputs, "--output", here, *options) == 0
    remote = [PREFIX + each for each in messy.inputs]
    assert run(*remote, "--output", f"{PREFIX}{there}", *options) == 0
    figures = {name: summary(there)[name] for name in messy.figures}
    assert figures == {name: summary(here)[name] for name in messy.figures}
    drop = ("chunk_id", "document_id")  # ids that are derived hold the path
    assert rows(there, without=drop) == rows(here, without=drop)
    assert {row["document_id"].startswith(PREFIX) for row in rows(there)} == {True}
    assert sorted(path.name for path in there.rglob("*") if path.is_file()) == sorted(
        path.name for path in here.rglob("*") if path.is_file()
    )
    assert main(["verify", f"{PREFIX}{there}", "--against", *remote]) == 0
    again = ["--only-dead-letters", f"{PREFIX}{there}", "--output", f"{PREFIX}{tmp_path}/again"]
    assert run(*again, "--max-size", 12) == 0


def test_a_job_without_the_command(tmp_path: Path) -> None:
    source = PREFIX + write(tmp_path / "in.parquet", {"text": ["A."]})
    job = Job([source], f"{PREFIX}{tmp_path}/out", Settings(ChunkSpec(9)))
    assert job.run(PipelineOptions(runner="FnApiRunner"))["chunks"] == 1


def test_states_of_a_folder_there(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    source = PREFIX + write(tmp_path / "in.parquet", {"text": ["A."]})
    out = tmp_path / "out"
    options = ["--output", f"{PREFIX}{out}", "--max-size", 9]
    assert run(source, *options) == 0
    assert run(source, *options) == 2
    assert "holds the output of a complete job" in capsys.readouterr().err
    (out / "_SUCCESS").unlink()
    assert run(source, *options) == 2
    assert "is not empty" in capsys.readouterr().err
    assert (
        run(f"{PREFIX}{tmp_path}/none", "--output", f"{PREFIX}{tmp_path}/new", "--max-size", 9) == 2
    )
    assert "no file found for" in capsys.readouterr().err


def test_an_unknown_file_system(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert run("nowhere://a/b.parquet", "--output", tmp_path / "out", "--max-size", 9) == 2
    error = capsys.readouterr().err
    assert "cannot list 'nowhere://a/b.parquet'" in error
    source = write(tmp_path / "in.parquet", {"text": ["A."]})
    assert run(source, "--output", "nowhere://a/out", "--max-size", 9) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_relative_paths_and_globs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "in" / "a.parquet", {"text": ["A."]})
    write(tmp_path / "in" / "deep" / "b[1].parquet", {"text": ["B."]})
    monkeypatch.chdir(tmp_path)
    for number, given in enumerate(
        ["in", "./in/*.parquet", "in/deep/b[1].parquet", "in/**/*.parquet"]
    ):
        assert run(given, "--output", f"out{number}", "--max-size", 9) == 0
    found = [[row["text"] for row in rows(tmp_path / f"out{number}")] for number in range(4)]
    assert found == [["A.", "B."], ["A."], ["B."], ["A.", "B."]]
