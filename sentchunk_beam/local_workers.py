"""Worker processes of the in-process runner (`--direct_running_mode=multi_processing`) that do not die unnoticed.

Beam starts each in a thread that nobody watches: when the process dies the job waits for it forever, and it prints its
log to the terminal whether the job goes well or not. Here a death ends the job, and what the process said is its reason.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability import python_urns
from apache_beam.runners.portability.fn_api_runner import worker_handlers
from google.protobuf import text_format

from .errors import JobError

END_WITHIN_SECONDS = 10


class _Watched(worker_handlers.SubprocessSdkWorkerHandler):
    """A process, and a thread that waits for its end."""

    # All of the running job's, since the death of one is the end of the others; and the first death.
    alive: set[_Watched] = set()  # noqa: RUF012  (of the process, not of an instance)
    deaths: list[JobError] = []  # noqa: RUF012  (of the process, not of an instance)
    options: PipelineOptions  # of the running job

    def start_worker(self) -> None:
        self._closing = False
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the process has ended
        text = text_format.MessageToString
        environment = {
            "CONTROL_API_SERVICE_DESCRIPTOR": text(self.control_api_service_descriptor()),
            "LOGGING_API_SERVICE_DESCRIPTOR": text(self.logging_api_service_descriptor()),
            "PIPELINE_OPTIONS": _as_json(self.options),
            "WORKER_ID": self.worker_id,
        }
        with worker_handlers.SUBPROCESS_LOCK:
            self._process = subprocess.Popen(
                shlex.split(self._worker_command_line.decode()),
                env=os.environ | environment,
                stdout=self._said,
                stderr=self._said,
            )
        self.alive.add(self)
        self.worker_thread = threading.Thread(target=self._watch, daemon=True)
        self.worker_thread.start()

    def stop_worker(self) -> None:
        """Let the process end, for all that is still needed of it has come."""
        self._closing = True
        self.worker_thread.join(END_WITHIN_SECONDS)
        self._process.kill()
        self.worker_thread.join()

    def close(self) -> None:
        self._closing = True
        try:
            super().close()
        finally:  # where its connections are broken, it will not end by itself
            self._process.kill()

    def _watch(self) -> None:
        status = self._process.wait()
        self.alive.discard(self)
        if not self._closing:
            error = JobError(f"a worker process {_how_it_ended(status)}{self._last_words()}")
            self.deaths.append(error)
            for worker in [self, *self.alive]:
                worker.fail(error)
        self._said.close()

    def fail(self, error: Exception) -> None:
        """End the job with this error, whether it waits for the process or is about to ask something of it."""
        self._closing = True
        connection = self.control_conn

        def push(request: Any, before: Any = connection.push) -> Any:
            if request is worker_handlers.BeamFnControlServicer._DONE_MARKER:
                return before(request)
            raise error

        connection.push = push
        for future in list(connection._futures_by_id.values()):
            future.abort(error)
        self.data_conn._closed = True  # nor wait for data of a process that never connected
        self._process.kill()

    def _last_words(self) -> str:
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        # A log line is no reason; the last line of a traceback is.
        return f": {lines[-1]}" if lines and not lines[-1].startswith(("INFO", "WARNING")) else ""


def _as_json(options: PipelineOptions) -> str:
    """What Beam does not give these processes, and file systems need: S3's endpoint, for one.

    By hand, for in Beam's own form every number is a float, which its parser then refuses as an integer.
    """
    given = options.get_all_options(drop_default=True)
    return json.dumps({f"beam:option:{name}:v1": value for name, value in given.items()})


def _how_it_ended(status: int) -> str:
    if status == -signal.SIGKILL:
        return "was killed, perhaps for want of memory; try fewer with --direct_num_workers"
    if status < 0:
        return f"was ended by signal {-status}"
    return f"ended with status {status}"


@contextmanager
def watched(options: PipelineOptions) -> Iterator[None]:
    """Have the worker processes of a job that runs meanwhile, with these options, watched. Raises JobError where one has died."""
    known = worker_handlers.WorkerHandler._registered_environments
    before = known[python_urns.SUBPROCESS_SDK]
    known[python_urns.SUBPROCESS_SDK] = (_Watched, bytes)
    _Watched.deaths.clear()
    _Watched.options = options
    try:
        yield
    except Exception:
        if _Watched.deaths:  # what comes of it, a broken connection for one, is not the reason
            raise _Watched.deaths[0] from None
        raise
    finally:
        known[python_urns.SUBPROCESS_SDK] = before
        for worker in list(_Watched.alive):
            worker._process.kill()
