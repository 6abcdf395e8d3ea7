"""Threads of Beam's workers in this process, which may find their connection closed after the job has ended well."""

from __future__ import annotations

import logging
import threading

# A worker's readers of what the runner sends. They end when the runner goes, some of them with a traceback.
READERS = ("read_grpc_client_inputs", "beam_control_read", "read_state", "run_worker")


def install() -> None:
    """From here on, say nothing of such a thread's end: a job that fails tells so itself. Twice is once."""
    if threading.excepthook is not _excepthook:
        global _before
        _before = threading.excepthook
        threading.excepthook = _excepthook
    logging.getLogger("apache_beam.runners.worker.data_plane").setLevel(logging.CRITICAL)


_before = threading.excepthook


def _excepthook(arguments: threading.ExceptHookArgs) -> None:
    if arguments.thread is None or arguments.thread.name not in READERS:
        _before(arguments)
