"""How the tests call a command as a user does."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import Any, NamedTuple

import pytest

from sentchunk_beam.cli import main

# What may reach a terminal: no control but the line's end, and nothing that turns the order of characters.
STEERING = "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"


class Said(NamedTuple):
    status: int
    out: str
    err: str


def call(
    capfd: pytest.CaptureFixture, *arguments: object, stdin: bytes | None = None, **environment: str
) -> Said:
    """Run a command in this process. What it prints has to be UTF-8."""
    before = sys.stdin
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        if stdin is not None:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            status = main([str(each) for each in arguments])
        except SystemExit as stop:
            status = int(stop.code or 0)
    assert sys.stdin is before
    return Said(status, *capfd.readouterr())


def process(*arguments: object, stdin: bytes = b"", **environment: str) -> Any:
    """Run a command in a process of its own; its output as bytes."""
    return subprocess.run(
        [sys.executable, "-m", "sentchunk_beam.cli", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=os.environ | environment,
        check=False,
    )


def refused(said: Said, expected: str) -> bool:
    """Whether a mistake was told in one line that contains `expected`, with nothing else printed."""
    lines = said.err.splitlines()
    assert said.status == 2, said
    assert said.out == ""
    assert len(lines) == 1, lines
    assert lines[0].startswith("sentchunk: ")
    assert expected in lines[0]
    return True
