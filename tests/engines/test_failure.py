"""What fails: the same status and last line on every runner, nothing lost or doubled, and `--resume` goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from engines.conftest import Engine, finished
from engines.corpus import OPTIONS, Corpus, corpus, same

assert corpus


def manifest_path(output: Path, corpus: Corpus, unit: int) -> Path:
    return output / "_temporary" / f"{corpus.units[unit].id}.json"


def test_a_dofn_that_raises(engine: Engine, corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "out"
    wrong = manifest_path(out, corpus, -1)
    wrong.mkdir(parents=True)  # where the manifest of the last unit is to be read
    call = (*corpus.inputs, "--output", out, *OPTIONS, "--resume")
    ended = engine.run(*call)
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.splitlines()[-1] == (
        "sentchunk: the job failed, nothing was published: "
        f"OSError: Expected file path, but {wrong} is a directory (details: {out}/_temporary/error.txt)"
    )
    assert os.listdir(out) == ["_temporary"]
    assert "do_unit" in (out / "_temporary" / "error.txt").read_text("utf-8")

    wrong.rmdir()
    assert engine.run(*call).returncode == 0
    same(out, corpus)


def workers(process: subprocess.Popen[str], engine: Engine) -> list[int]:
    """The processes that run the pipeline's steps."""
    pool = engine.pool_pid
    above = int(pool.read_text()) if pool else process.pid
    return [child for child in descendants(above) if b"sdk_worker_main" in command_of(child)]


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *descendants(child)]
    return found


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


@pytest.mark.parametrize("engine", ["multi_processing", "prism"], indirect=True)
def test_a_worker_killed_in_the_middle(engine: Engine, corpus: Corpus, tmp_path: Path) -> None:
    out = tmp_path / "out"
    blocked = manifest_path(out, corpus, -1)
    blocked.parent.mkdir(parents=True)
    os.mkfifo(blocked)  # whoever is to do the last unit waits here for ever
    call = (*corpus.inputs, "--output", out, *OPTIONS, "--resume")
    process = engine.start(*call)
    deadline = time.monotonic() + 60
    while not [path for path in out.glob("_temporary/*.json") if path != blocked]:
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    started = time.monotonic()
    for worker in workers(process, engine):
        os.kill(worker, signal.SIGKILL)
    ended = finished(process)
    assert time.monotonic() - started < 30
    assert ended.returncode == 1
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("sentchunk: the job failed, nothing was published: ")
    assert last.endswith(f"(details: {out}/_temporary/error.txt)")
    lost = {"multi_processing": "killed", "prism": "lost"}[engine.name]
    assert f"a worker process was {lost}, perhaps for want of memory; " in last
    assert os.listdir(out) == ["_temporary"]

    blocked.unlink()
    assert engine.run(*call).returncode == 0
    same(out, corpus)
