"""How far the job of this process is, by what its workers count as they go. Of use where they are its own threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from .plan import Plan
from .schemas import Counts


class Progress:
    """Figures so far, of `documents` planned; None where only reading tells, or not all in the files are wanted."""

    def __init__(self, plan: Plan, selected: bool) -> None:
        rows = [part.rows for unit in plan.units for part in unit.parts]
        known = [each for each in rows if each is not None]
        self.documents = sum(known) if len(known) == len(rows) and not selected else None
        self.done = Counts()
        self._lock = threading.Lock()

    def add(self, counts: Counts) -> None:
        with self._lock:
            self.done.add(counts)


_current: Progress | None = None


def current() -> Progress | None:
    """The progress of the job that runs in this process, if one does."""
    return _current


@contextmanager
def of(plan: Plan, selected: bool) -> Iterator[Progress]:
    """Follow a job while it runs."""
    global _current
    _current = Progress(plan, selected)
    try:
        yield _current
    finally:
        _current = None


def advance(counts: Counts) -> None:
    """Tell what a worker has done; in a worker of another process nobody listens."""
    if _current is not None:
        _current.add(counts)
