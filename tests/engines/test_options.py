"""Beam's options go through as they are, and what a job cannot do is refused before anything starts."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from job.helpers import run, write

from sentchunk_beam import runners
from sentchunk_beam.cli import parser
from sentchunk_beam.commands.options import split_beam_options, with_runner_options

REMOTE = ["gs://my-bucket/in/*.parquet", "--output", "gs://my-bucket/out", "--max-size", "9"]


def beam_actions() -> list[argparse.Action]:
    parsers: list[argparse.ArgumentParser] = []
    PipelineOptions([]).get_all_options(add_extra_args_fn=parsers.append)
    return [each for each in parsers[0]._actions if each.dest != "help"]


def written(action: argparse.Action) -> list[str]:
    """The option as a user writes it, with a value that is not its default."""
    name = action.option_strings[-1]
    if name == "--gcs_custom_audit_entries":
        return [f'{name}={{"a": "b"}}']
    if action.nargs == 0:
        return [name]
    if action.choices:
        return [f"{name}={list(action.choices)[-1]}"]
    if action.type in (int, float):
        return [f"{name}=7"]
    if isinstance(action.type, type) or action.type is None:
        many = isinstance(action, argparse._AppendAction)
        return [f"{name}=a", f"{name}=b"] if many else [name, "a"]
    return []  # takes a form of its own, such as JSON


@pytest.mark.parametrize("action", beam_actions(), ids=lambda each: each.option_strings[-1])
def test_every_option_of_beam_arrives_as_if_given_to_beam(action: argparse.Action) -> None:
    flags = written(action)
    ours = ["chunk", "in.parquet", "--output", "out", "--max-size", "9"]
    options, rest = split_beam_options([*ours[:3], *flags, *ours[3:]])
    assert rest == ours
    expected, found = PipelineOptions(flags).get_all_options(), options.get_all_options()
    set_by_us = {"runner", "direct_running_mode", "direct_num_workers"} - {action.dest}
    for name in set(expected) - set_by_us:
        assert same(found[name], expected[name]), name


def same(one: Any, other: Any) -> bool:
    return one == other or (repr(one) == repr(other) and hasattr(one, "get"))


def test_options_that_only_a_job_server_knows() -> None:
    given = ["chunk", "in", "--checkpoints=4", "--runner=FlinkRunner", "--max-size=9", "--output=o"]
    options, rest = with_runner_options(*split_beam_options(given), parser())
    assert rest == ["chunk", "in", "--max-size=9", "--output=o"]
    assert options._flags == ["--checkpoints=4"]
    found = options.get_all_options(
        add_extra_args_fn=lambda server: server.add_argument("--checkpoints", type=int)
    )
    assert (found["checkpoints"], found["runner"]) == (4, "FlinkRunner")
    options, rest = with_runner_options(*split_beam_options(["chunk", "--nonsense=1"]), parser())
    assert rest == ["chunk", "--nonsense=1"]


def prepared(*arguments: str) -> dict[str, Any]:
    options, _ = split_beam_options(list(arguments))
    runners.prepare(options, ["gs://my-bucket/in"])
    return options.get_all_options()


def test_what_is_set_where_the_user_set_nothing() -> None:
    assert prepared()["save_main_session"] is False
    assert prepared("--save_main_session")["save_main_session"] is True
    external = ["--runner=FlinkRunner", "--environment_type=EXTERNAL"]
    assert prepared(*external)["environment_cache_millis"] == 60_000
    assert prepared(*external, "--environment_cache_millis=5")["environment_cache_millis"] == "5"
    assert prepared()["environment_cache_millis"] == 0


@pytest.mark.parametrize(
    ("runner", "said"),
    [
        (["--runner=DataflowRunner"], "Dataflow's workers do not have sentchunk-beam; add --sdk_container_image"),
        (["--runner=FlinkRunner", "--flink_master=jobmanager:8081"], "the containers of the workers do not have"),
        (["--runner=PortableRunner", "--environment_type=DOCKER"], "the containers of the workers do not have"),
    ],
)  # fmt: skip
def test_workers_without_the_package(
    capsys: pytest.CaptureFixture, runner: list[str], said: str
) -> None:
    assert run(*REMOTE, *runner) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


@pytest.mark.parametrize(
    "runner",
    [
        ["--runner=DataflowRunner", "--sdk_container_image=i"],
        ["--runner=PortableRunner", "--environment_config=i", "--environment_type=DOCKER"],
        ["--runner=SparkRunner", "--spark_master_url=spark://host:7077", "--environment_config=i"],
    ],
    ids=lambda each: each[0],
)
@pytest.mark.parametrize("place", ["input", "output"])
def test_local_paths_that_workers_do_not_see(
    tmp_path: Path, capsys: pytest.CaptureFixture, runner: list[str], place: str
) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["A."]})
    given = {"input": source, "output": "gs://my-bucket/out"}
    if place == "output":
        given = {"input": "gs://my-bucket/in", "output": str(tmp_path / "out")}
    assert run(given["input"], "--output", given["output"], "--max-size", 9, *runner) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"do not see '{given[place]}' of this machine; name a folder of an object store" in line
    assert os.listdir(tmp_path) == ["in.parquet"]


@pytest.mark.parametrize(
    "runner",
    [
        ["--runner=FlinkRunner"],  # which Beam starts here, with workers in this process
        ["--runner=SparkRunner"],
        ["--runner=PortableRunner", "--environment_type=LOOPBACK"],
        ["--runner=PortableRunner", "--environment_type=EXTERNAL"],
        ["--runner=DirectRunner"],
    ],
    ids=" ".join,
)
def test_local_paths_that_workers_may_see(runner: list[str]) -> None:
    runners.prepare(split_beam_options(runner)[0], ["/data/in.parquet"])


def test_a_dry_run_tells_and_does_nothing(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["A.", "B."]})
    write(tmp_path / "bad.parquet", {"body": ["A."]})
    out = tmp_path / "out"
    before = sorted(tmp_path.rglob("*"))
    assert run(str(tmp_path), "--output", out, "--max-size", 9, "--dry-run") == 0
    told = capsys.readouterr().out
    assert "2 files, 0.0 MB; 3 documents by their footers" in told
    assert "units         1, the largest of about 0.1 MB" in told
    assert f"cannot be used: {tmp_path / 'bad.parquet'} has no column 'text'" in told
    assert f"output        {out}, new" in told
    assert f"runner        FnApiRunner, {os.cpu_count()} threads of this process" in told
    assert "unicode-17.0.0, native kernel" in told
    assert "staged        nothing" in told
    assert told.splitlines()[-1] == "A dry run: nothing was started or written."
    assert sorted(tmp_path.rglob("*")) == before
    pool = ["--runner=PortableRunner", "--environment_type=EXTERNAL", "--job_endpoint=host:1"]
    staged = [*pool, "--extra_package=some.whl", "--requirements_file=r.txt"]
    assert run(source, "--output", out, "--max-size", 9, "--dry-run", *staged) == 0
    told = capsys.readouterr().out
    assert "staged        requirements r.txt; package some.whl" in told
    assert "runner        PortableRunner at host:1" in told
    out.mkdir()
    (out / "something").touch()
    assert run(source, "--output", out, "--max-size", 9, "--dry-run") == 2
    assert "is not empty" in capsys.readouterr().err
