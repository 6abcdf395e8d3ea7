"""While a job runs: drawn at a terminal, told in lines elsewhere; and what a disk says that takes no more."""

from __future__ import annotations

import os
import pty
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from job.helpers import run, write
from sentchunk_beam import unit
from sentchunk_beam.commands import drawing

COMMAND = [sys.executable, "-m", "sentchunk_beam.cli", "chunk"]


@pytest.fixture
def source(tmp_path: Path) -> str:
    texts = ["Some words. " * 400] * 3_000
    return write(tmp_path / "in.parquet", {"text": texts}, row_group_size=300, use_dictionary=False)


def test_lines_where_there_is_no_terminal(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "TOLD_EVERY", 0.02)
    assert run(source, "--output", tmp_path / "out", "--max-size", 99) == 0
    lines = capsys.readouterr().err.splitlines()
    pattern = r"([\d,]+) documents, [\d,.]+ MB, [\d,.]+ MB/s, (\d+)% done"
    matches = [re.fullmatch(pattern, line) for line in lines]
    assert matches
    assert all(matches)
    documents = [int(match[1].replace(",", "")) for match in matches if match]
    assert documents == sorted(documents)
    assert documents[-1] <= 3_000


def test_no_share_where_the_size_is_not_known(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "TOLD_EVERY", 0.02)
    (tmp_path / "in.txt").write_text("A line. " * 50 + "\n" * 200_000)
    assert (
        run(tmp_path / "in.txt", "--format=lines", "--output", tmp_path / "out", "--max-size", 9)
        == 0
    )
    lines = capsys.readouterr().err.splitlines()
    assert lines
    assert not any("%" in line for line in lines)


def test_a_bar_at_a_terminal(source: str, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    arguments = [*COMMAND, source, "--output", str(tmp_path / "out"), "--max-size", "20"]
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "120"}
    job = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    drawn = b""
    try:
        while block := os.read(ours, 65_536):
            drawn += block
    except OSError:  # how a pty says that its other end was closed
        pass
    out, _ = job.communicate()
    assert job.returncode == 0
    assert b"MB/s" in drawn
    assert "━".encode() in drawn
    assert b"\x1b[2K" in drawn, "what was drawn is taken away in the end"
    assert b"documents     3,000" in out


def test_a_disk_that_takes_no_more(source: str, tmp_path: Path) -> None:
    """Stood in for by a limit on a file's size, which fails the same calls."""

    def limit_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    arguments = [*COMMAND, source, "--output", str(tmp_path / "out"), "--max-size", "99"]
    job = subprocess.run(
        arguments, capture_output=True, text=True, preexec_fn=limit_files, check=False
    )
    assert job.returncode == 1
    assert job.stdout == ""
    (line,) = job.stderr.splitlines()
    assert "the job failed, nothing was published" in line
    assert "File too large" in line
    assert not (tmp_path / "out" / "_SUCCESS").exists()
    assert not (tmp_path / "out" / "chunks").exists()


def test_an_interrupted_job_says_so(source: str, tmp_path: Path, monkeypatch, capsys) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sentchunk_beam.job.make_plan", interrupt)
    assert run(source, "--output", tmp_path / "out", "--max-size", 99) == 130
    assert capsys.readouterr().err == "sentchunk: interrupted\n"
    assert unit.TEMPORARY not in os.listdir(tmp_path)
