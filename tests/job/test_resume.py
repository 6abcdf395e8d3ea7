"""A job that is cut off: nothing half-done is taken for whole, and resuming ends as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from job.helpers import run, summary, write
from sentchunk_beam import commit, files, unit

MOMENTS = 20

# The command, on units so small that a small corpus has many. It counts what it does to the output folder, a step for
# each file or folder that is made, renamed or removed, and kills itself right before step number argv[1].
COMMAND = """
import os, signal, sys
from sentchunk_beam import cli, files, plan

plan.SMALLEST_UNIT_BYTES = 400_000
last, steps = int(sys.argv[1]), 0

def step():
    global steps
    steps += 1
    if steps == last:
        os.kill(os.getpid(), signal.SIGKILL)

def audited(event, arguments):
    if event in ("os.mkdir", "os.rename", "os.remove", "os.rmdir") and "/out" in str(arguments[0]):
        step()

def create(path, before=files.create):
    step()
    return before(path)

sys.addaudithook(audited)
files.create = create
status = cli.main(["chunk", *sys.argv[2:]])
print("steps", steps)
sys.exit(status)
"""


def corpus(folder: Path) -> str:
    for number in range(6):
        texts = [f"Document {number}.{row}. " + "Word word. " * 300 for row in range(600)]
        write(
            folder / f"{number}.parquet", {"text": texts}, row_group_size=100, use_dictionary=False
        )
    return str(folder)


def call(source: str, out: Path, kill_at: int = 0, *more: str) -> subprocess.CompletedProcess:
    arguments = [str(kill_at), source, "--output", str(out), "--max-size", "200", *more]
    return subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments], capture_output=True, text=True, check=False
    )


def content(out: Path) -> dict[str, list]:
    return {
        kind: [pq.read_table(path).to_pylist() for path in sorted((out / kind).iterdir())]
        for kind in ["chunks", "dead_letters"]
    }


def figures(out: Path) -> dict:
    other = ("seconds", "output", "command")
    return {name: value for name, value in summary(out).items() if name not in other}


def test_killed_at_any_moment_and_resumed(tmp_path: Path) -> None:
    source = corpus(tmp_path / "in")
    whole = call(source, tmp_path / "out")
    steps = int(whole.stdout.rpartition("steps ")[2])
    expected = content(tmp_path / "out"), figures(tmp_path / "out")
    units = len(expected[0]["chunks"])
    assert units > 10
    assert steps > 4 * units

    with_units_done, within_commit = 0, 0
    for moment in range(MOMENTS):
        out = tmp_path / f"out{moment}"
        # From the first step to the last, which comes after `_SUCCESS`.
        killed = call(source, out, 1 + moment * (steps - 1) // (MOMENTS - 1))
        assert killed.returncode == -signal.SIGKILL
        complete = (out / "_SUCCESS").exists()
        if complete:
            assert (content(out), figures(out)) == expected
        else:
            with_units_done += bool(list(out.glob("_temporary/*.json")))
            within_commit += (out / "chunks").exists()
        resumed = call(source, out, 0, "--resume")
        assert resumed.returncode == 0, resumed.stderr
        assert (content(out), figures(out)) == expected
        assert sorted(os.listdir(out)) == ["_SUCCESS", "chunks", "dead_letters", "summary.json"]
    assert with_units_done > MOMENTS // 4
    assert within_commit > 0


@pytest.fixture
def unfinished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    """A job whose units are done, cut off before commit."""
    source = write(tmp_path / "in.parquet", {"text": ["One. Two."]})
    with monkeypatch.context() as cut:
        cut.setattr(
            commit, "_publish", lambda *arguments: (_ for _ in ()).throw(OSError(5, "cut off"))
        )
        assert run(source, "--output", tmp_path / "out", "--max-size", 5) == 1
    return source, tmp_path / "out"


def test_units_that_are_done_are_not_done_again(
    unfinished, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = unfinished
    monkeypatch.setattr(unit, "write", lambda *arguments: pytest.fail("done again"))
    assert run(source, "--output", out, "--max-size", 5, "--resume") == 0
    assert summary(out)["chunks"] == 2


def test_without_resume_it_says_what_lies_there(unfinished, capsys) -> None:
    source, out = unfinished
    capsys.readouterr()
    assert run(source, "--output", out, "--max-size", 5) == 2
    assert (
        "holds an unfinished job; finish it with --resume, or remove it" in capsys.readouterr().err
    )


@pytest.mark.parametrize("change", ["options", "inputs", "inputs of the same size"])
def test_another_job_is_not_resumed(unfinished, tmp_path: Path, capsys, change: str) -> None:
    source, out = unfinished
    before = os.path.getsize(source)
    if change == "inputs":
        write(tmp_path / "in.parquet", {"text": ["Something else. Of another size."]})
    if change == "inputs of the same size":
        write(tmp_path / "in.parquet", {"text": ["Six. Ten."]})
        assert os.path.getsize(source) == before
    size = 6 if change == "options" else 5
    assert run(source, "--output", out, "--max-size", size, "--resume") == 2
    assert "has other inputs or options" in capsys.readouterr().err
    assert not (out / "_SUCCESS").exists()


def test_resume_of_nothing_is_a_start_and_of_a_complete_job_its_summary(
    tmp_path: Path, capsys
) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["One. Two."]})
    out = tmp_path / "out"
    for _ in range(2):
        assert run(source, "--output", out, "--max-size", 5, "--resume") == 0
        assert "chunks        2," in capsys.readouterr().out
    (out / "_temporary").mkdir()
    (out / "_temporary" / "left-over").write_text("")
    assert run(source, "--output", out, "--max-size", 5, "--resume") == 0
    assert not (out / "_temporary").exists()
    assert run(source, "--output", out, "--max-size", 5) == 2
    assert "holds the output of a complete job" in capsys.readouterr().err
    os.utime(source, ns=(1, os.stat(source).st_mtime_ns + 1))
    assert run(source, "--output", out, "--max-size", 5, "--resume") == 2
    assert "or its inputs have changed" in capsys.readouterr().err


def test_a_destination_that_cannot_be_written(tmp_path: Path, capsys) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["One."]})
    assert run(source, "--output", "/proc/sentchunk-out", "--max-size", 5) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "cannot write to /proc/sentchunk-out" in error


def test_a_small_file_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch) -> None:
    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *arguments: object) -> None:
            pass

        def write(self, raw: bytes) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "create", lambda path: Full())
    with pytest.raises(OSError, match="No space"):
        files.write_text(str(tmp_path / "manifest.json"), "{}")
    assert not (tmp_path / "manifest.json").exists()
