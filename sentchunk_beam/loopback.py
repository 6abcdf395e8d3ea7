"""The in-process runner, heard on loopback alone.

Beam's listens on every interface for its workers, without authentication; and one of its services hands out files of this
machine by name. Workers of this machine need no more than loopback.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import grpc
from apache_beam.runners.portability.fn_api_runner import worker_handlers


def _server(*arguments: Any, **options: Any) -> Any:
    server = grpc.server(*arguments, **options)
    before = server.add_insecure_port

    def add_insecure_port(address: str) -> int:
        return int(before(address.replace("[::]:", "localhost:", 1)))

    server.add_insecure_port = add_insecure_port
    return server


@contextmanager
def only() -> Iterator[None]:
    """Have what the runner starts meanwhile listen on loopback."""
    before = worker_handlers.grpc
    worker_handlers.grpc = SimpleNamespace(**vars(grpc) | {"server": _server})
    try:
        yield
    finally:
        worker_handlers.grpc = before
