"""A running job, drawn for a person at a terminal, or told in plain lines where there is none."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich import progress as bars
from rich.console import Console

from ..progress import Progress, current

REDRAWN_EVERY, TOLD_EVERY = 0.2, 10.0


@contextmanager
def drawn_progress() -> Iterator[None]:
    """Follow the job of this process on standard error until the block ends."""
    console = Console(file=sys.stderr)
    follow = _draw if console.is_terminal else _tell
    ended = threading.Event()
    follower = threading.Thread(target=follow, args=(console, ended), daemon=True)
    follower.start()
    try:
        yield
    finally:
        ended.set()
        follower.join()


def _draw(console: Console, ended: threading.Event) -> None:
    columns = (
        bars.BarColumn(),
        bars.TaskProgressColumn(),
        bars.TextColumn("{task.fields[figures]}"),
        bars.TimeRemainingColumn(),
    )
    started = time.monotonic()
    with bars.Progress(*columns, console=console, transient=True) as drawn:
        task = drawn.add_task("", total=None, figures="")
        while not ended.wait(REDRAWN_EVERY):
            if job := current():
                done = job.done.documents
                drawn.update(
                    task, total=job.documents, completed=done, figures=_figures(job, started)
                )


def _tell(console: Console, ended: threading.Event) -> None:
    started = time.monotonic()
    while not ended.wait(TOLD_EVERY):
        if job := current():
            share = f", {job.done.documents / job.documents:.0%} done" if job.documents else ""
            console.print(_figures(job, started) + share, highlight=False, soft_wrap=True)


def _figures(job: Progress, started: float) -> str:
    megabytes = job.done.text_bytes / 1e6
    speed = megabytes / max(time.monotonic() - started, 1e-3)
    return f"{job.done.documents:,} documents, {megabytes:,.1f} MB, {speed:,.1f} MB/s"
