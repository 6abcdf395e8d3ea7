"""The command `sentchunk`: reads the arguments, runs a subcommand, and tells a mistake in one line."""

from __future__ import annotations

import argparse
import atexit
import os
import sys
from collections.abc import Sequence

from sentchunk import SentchunkError

from . import files
from .commands import chunk, demo, execute, preview, report, verify
from .commands.options import engine_text, split_beam_options, with_runner_options
from .errors import UsageError

USAGE_STATUS, INTERRUPTED_STATUS, BROKEN_PIPE_STATUS = 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. The exit status is 0, 1 for a job that failed, or 2 for a mistake in what was asked."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options, rest = split_beam_options(given)
        options, rest = with_runner_options(options, rest, parser())
        parsed = parser().parse_args(rest)
        files.use_options(options)
        return int(parsed.run(parsed, options))
    except (UsageError, SentchunkError) as error:
        print(f"sentchunk: {error}", file=sys.stderr)
        return USAGE_STATUS
    except KeyboardInterrupt:
        print("sentchunk: interrupted", file=sys.stderr)
        return INTERRUPTED_STATUS
    except BrokenPipeError:  # whoever read the output, `head` for one, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE_STATUS


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        "sentchunk",
        description="Whole-sentence chunks with exact offsets, from Parquet to Parquet.",
    )
    top.add_argument(
        "--version", action="version", version=engine_text(), help="print the engine's version"
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for command in (chunk, demo, preview, report, verify, execute):
        command.add_to(commands)
    return top


def command() -> None:
    """`main` as a process. It ends without taking the interpreter apart below threads of gRPC, which can abort then."""
    try:
        status = main()
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else USAGE_STATUS if stop.code else 0
    atexit._run_exitfuncs()  # a job server of Beam's is stopped by one
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        status = BROKEN_PIPE_STATUS
    os._exit(status)


if __name__ == "__main__":
    command()
