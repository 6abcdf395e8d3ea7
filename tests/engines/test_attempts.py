"""Units that are tried again, or twice at the same time, as Flink and Dataflow do it; and what workers say at the end."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from apache_beam.runners.portability.fn_api_runner import worker_handlers
from job.helpers import run

from engines.corpus import OPTIONS, SETTINGS, Corpus, corpus, figures_of, rows_of, same
from sentchunk_beam import errors, files, job, local_workers, state, unit
from sentchunk_beam.commands import quiet_threads, summary
from sentchunk_beam.unit import Work, do_unit

assert corpus


def test_every_unit_three_times(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, done = state.planned_units, []

    def thrice(path: str) -> Iterator[str]:
        for each in before(path):
            yield from (each, each, each)

    def do_and_count(*arguments: Any) -> unit.Manifest:
        done.append(1)
        return do_unit(*arguments)

    monkeypatch.setattr(state, "planned_units", thrice)
    monkeypatch.setattr(job, "do_unit", do_and_count)
    out = tmp_path / "out"
    assert run(*corpus.inputs, "--output", out, *OPTIONS, "--direct_num_workers=3") == 0
    assert len(done) == 3 * len(corpus.units)
    assert rows_of(out) == corpus.rows
    assert figures_of(out) == corpus.figures


def test_two_attempts_at_the_same_time(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have written their rows before either's manifest is there."""
    out, both = tmp_path / "out", threading.Barrier(2, timeout=60)
    before = files.write_text

    def together(path: str, text: str) -> None:
        if path.endswith(f"{corpus.units[0].id}.json"):
            both.wait()
        before(path, text)

    work = Work(str(out), SETTINGS)
    with monkeypatch.context() as held, ThreadPoolExecutor(2) as pool:
        held.setattr(files, "write_text", together)
        attempts = list(
            pool.map(lambda _: do_unit(corpus.units[0], work, lambda counts: None), range(2))
        )
    one, other = attempts
    assert one.chunks_file != other.chunks_file
    assert one.counts == other.counts
    assert Path(one.chunks_file or "").read_bytes() == Path(other.chunks_file or "").read_bytes()
    # The job goes on from there, takes one of them, and leaves nothing of the other.
    assert run(*corpus.inputs, "--output", out, *OPTIONS, "--resume") == 0
    same(out, corpus)


def test_a_retry_after_a_failure_in_the_middle(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, failures = Work(str(tmp_path / "out"), SETTINGS), iter([1])
    before = unit.ParquetSink.close

    def close(sink: unit.ParquetSink) -> bool:
        if next(failures, 0):
            raise OSError(5, "Input/output error")
        return before(sink)

    monkeypatch.setattr(unit.ParquetSink, "close", close)
    with pytest.raises(OSError, match="Input/output"):
        do_unit(corpus.units[-1], work, lambda counts: None)
    manifest = do_unit(corpus.units[-1], work, lambda counts: None)
    assert manifest.counts.balanced
    assert do_unit(corpus.units[-1], work, lambda counts: None) == manifest


def listening() -> set[str]:
    """The addresses on which this process accepts connections, as /proc has them: 0100007F is 127.0.0.1."""
    sockets = set()
    for each in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            sockets.add(os.readlink(each))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state_of_it, *_, inode = line.split()[:10]
            if state_of_it == "0A" and f"socket:[{inode}]" in sockets:
                found.add(local.partition(":")[0])
    return found


@pytest.mark.parametrize("mode", ["multi_threading", "multi_processing"])
def test_nothing_listens_but_on_loopback(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    before, heard = worker_handlers.GrpcServer.__init__, set[str]()

    def start(server: Any, *arguments: Any) -> None:
        before(server, *arguments)
        heard.update(listening())

    monkeypatch.setattr(worker_handlers.GrpcServer, "__init__", start)
    options = ["--runner=FnApiRunner", f"--direct_running_mode={mode}", "--direct_num_workers=2"]
    assert run(*corpus.inputs, "--output", tmp_path / "out", *OPTIONS, *options) == 0
    assert heard
    as_ipv4, as_ipv6, mapped = "0100007F", "0" * 24 + "01000000", "0" * 16 + "FFFF00000100007F"
    assert heard <= {as_ipv4, as_ipv6, mapped}


def test_a_worker_that_ends_in_a_whisper(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A reader of a worker's that finds its connection closed says nothing; any other thread is heard."""
    heard: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda told: heard.append(told.thread.name))
    quiet_threads.install()
    quiet_threads.install()

    def fail() -> None:
        raise RuntimeError("UNAVAILABLE")

    for name in ("read_grpc_client_inputs", "somebody else's"):
        thread = threading.Thread(target=fail, name=name)
        thread.start()
        thread.join()
    assert heard == ["somebody else's"]


def test_the_last_words_of_a_worker_are_the_reason(
    corpus: Corpus, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that cannot even start, for a broken installation say, ends the job at once too."""
    broken = 'python3 -c "import no_such_module"'
    before = local_workers._Watched.start_worker

    def start(worker: local_workers._Watched) -> None:
        worker._worker_command_line = broken.encode()
        before(worker)

    monkeypatch.setattr(local_workers._Watched, "start_worker", start)
    mode = [
        "--runner=FnApiRunner",
        "--direct_running_mode=multi_processing",
        "--direct_num_workers=2",
    ]
    assert run(*corpus.inputs, "--output", tmp_path / "out", *OPTIONS, *mode) == 1
    (line,) = [each for each in capsys.readouterr().err.splitlines() if "MB/s" not in each]
    assert (
        "a worker process ended with status 1: "
        "ModuleNotFoundError: No module named 'no_such_module'"
    ) in line


def test_worker_processes_have_the_options(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a file system, for one, which Beam itself keeps from them."""
    given: list[dict[str, Any]] = []
    before = subprocess.Popen

    def start(*arguments: Any, **options: Any) -> Any:
        given.append(json.loads(options["env"]["PIPELINE_OPTIONS"]))
        return before(*arguments, **options)

    monkeypatch.setattr(local_workers.subprocess, "Popen", start)
    mode = [
        "--runner=FnApiRunner",
        "--direct_running_mode=multi_processing",
        "--direct_num_workers=2",
        "--s3_region_name=somewhere",
    ]
    assert run(*corpus.inputs, "--output", tmp_path / "out", *OPTIONS, *mode) == 0
    assert {each["beam:option:s3_region_name:v1"] for each in given} == {"somewhere"}


FROM_A_RUNNER = {
    # The exception itself, as a runner in this process raises it.
    "KeyError: 'x'": KeyError("x"),
    "OSError: [Errno 28] No space left on device": OSError(28, "No space left on device"),
    "3 units were planned": errors.JobError("3 units were planned"),
    # A traceback as text, with what the runner adds before and after.
    "ValueError: bad": RuntimeError(
        "Pipeline job-001 failed in state FAILED: Traceback (most recent call last):\n  File ...\n"
        "ValueError: bad [while running 'ChunkPlannedUnits/DoUnit-ptransform-12']\n\n"
        "\tat org.apache.beam.runners.fnexecution.control.FnApiControlClient.handle(X.java:1)"
    ),
    "unit 7 lost count": RuntimeError(
        "Traceback:\nsentchunk_beam.errors.JobError: unit 7 lost count [while running 'DoUnit']"
    ),
    "a worker process was lost, perhaps for want of memory; the runner says: SDK worker disconnected": (
        RuntimeError("Pipeline failed in state FAILED: bundle inst003 failed:SDK worker disconnected: worker[x]")
    ),
}  # fmt: skip


def test_a_lost_connection_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as bound, grpc.insecure_channel(_address(bound)) as channel:
        call = channel.unary_unary("/any/method")
        with pytest.raises(grpc.RpcError) as caught:  # bound, but nothing listens
            call(b"", timeout=5)
    line = summary.failure(caught.value, str(tmp_path))
    assert "nothing was published: no connection to the runner, or no more: " in line
    assert "\n" not in line
    assert "refused" in line


def _address(bound: socket.socket) -> str:
    bound.bind(("127.0.0.1", 0))
    return f"127.0.0.1:{bound.getsockname()[1]}"


@pytest.mark.parametrize("told", FROM_A_RUNNER, ids=str)
def test_the_reason_is_told_the_same_whatever_the_runner_puts_around_it(
    tmp_path: Path, told: str
) -> None:
    line = summary.failure(FROM_A_RUNNER[told], str(tmp_path))
    assert line == (
        f"sentchunk: the job failed, nothing was published: {told} "
        f"(details: {tmp_path}/_temporary/error.txt)"
    )
