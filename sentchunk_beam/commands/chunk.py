"""`sentchunk chunk`: the job."""

from __future__ import annotations

import argparse
import io
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from typing import Any

from sentchunk import SentchunkError

from .. import files, loopback, runners, state
from ..commit import read_summary
from ..errors import UsageError
from ..job import Job
from ..local_workers import watched
from ..settings import DEAD_LETTER_TEXT_BYTES, Columns, Settings, TypedColumns
from ..sources import FORMATS
from . import dry_run, quiet_threads, summary
from .drawing import drawn_progress
from .options import LOCAL_RUNNER, integer, use_workers
from .strategy_options import (
    TYPE_AWARE,
    add_limit_arguments,
    add_strategy_arguments,
    doc_type_column,
    spec_of,
)

FAILURE_STATUS, DEAD_LETTERS_STATUS = 1, 3


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "chunk",
        help="chunk a corpus of Parquet, text, JSON Lines or mail files",
        description="Chunk a corpus of Parquet, text, JSON Lines or mail files. Any option of Apache Beam is taken too.",
        allow_abbrev=False,
    )
    command.add_argument("inputs", nargs="*", metavar="INPUT", help="a file, a folder or a glob")
    command.add_argument(
        "--only-dead-letters", metavar="DIR",
        help="instead of inputs: the documents that the job in DIR sent to its dead letters",
    )  # fmt: skip
    command.add_argument(
        "--output", required=True, metavar="DIR", help="a new folder for all that is written"
    )
    add_strategy_arguments(command)
    add_column_arguments(command)
    add_limit_arguments(command)
    command.add_argument(
        "--format", choices=FORMATS, help="what the inputs are (else their suffixes tell)"
    )
    command.add_argument(
        "--blank", choices=["keep", "drop"], default="keep",
        help="chunks of white space only (%(default)s)",
    )  # fmt: skip
    command.add_argument(
        "--dead-letter-text", action="store_true",
        help=f"add a document's first {DEAD_LETTER_TEXT_BYTES:,} bytes to its dead letter",
    )  # fmt: skip
    command.add_argument(
        "--resume", action="store_true", help="go on with the same job where it was cut off"
    )
    command.add_argument(
        "--fail-on-dead-letters", nargs="?", type=rate, const=0.0, metavar="RATE",
        help="exit with status 3, all being written, for any dead letter, or for more than this share",
    )  # fmt: skip
    command.add_argument(
        "--check-ids", action="store_true", help="count and name the ids that come twice"
    )
    command.add_argument(
        "--workers", type=integer, metavar="N",
        help="threads of the local runner (else as many as there are cores)",
    )  # fmt: skip
    command.add_argument(
        "--dry-run", action="store_true", help="print the plan; start and write nothing"
    )
    command.add_argument("--quiet", action="store_true", help="print nothing but errors")
    command.set_defaults(run=run)


def add_column_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--text-column", default="text", metavar="COLUMN", help="the documents (%(default)s)"
    )
    command.add_argument("--id-column", metavar="COLUMN", help="the documents' ids (else FILE#ROW)")
    command.add_argument(
        "--keep", default=(), type=names, metavar="COLUMN,...", help="columns to carry along"
    )


def columns_of(given: argparse.Namespace) -> Columns:
    names = given.text_column, given.id_column, given.keep
    if given.strategy == TYPE_AWARE:
        return TypedColumns(*names, doc_type=doc_type_column(given))
    return Columns(*names)


def run(given: argparse.Namespace, options: Any) -> int:
    if bool(given.inputs) == bool(given.only_dead_letters):
        raise UsageError(
            "name the inputs, or else a job's folder with --only-dead-letters, not both"
        )
    if given.only_dead_letters:
        take_over(given)
    job = Job(
        given.inputs,
        given.output,
        Settings(
            spec_of(given),
            columns_of(given),
            drop_blank=given.blank == "drop",
            dead_letter_text=given.dead_letter_text,
            only_dead_letters=given.only_dead_letters and files.absolute(given.only_dead_letters),
        ),
        given.format,
        given.resume,
        given.check_ids,
    )
    if given.workers is not None:
        use_workers(options, given.workers)
    if given.dry_run:
        print(dry_run.text(job, options))
        return 0
    status, figures = run_job(job, options, given.quiet)
    allowed = given.fail_on_dead_letters
    if figures and allowed is not None and summary.share_lost(figures) > allowed:
        print(
            f"sentchunk: {summary.lost(figures)}, more than {allowed:.3%}; "
            f"all is written, see {job.output}/dead_letters",
            file=sys.stderr,
        )
        return DEAD_LETTERS_STATUS
    return status


def take_over(given: argparse.Namespace) -> None:
    """What an earlier job was told of its inputs, where it is not told anew: their format and their columns."""
    folder = files.absolute(given.only_dead_letters)
    if state.of(folder) != state.COMPLETE:
        raise UsageError(
            f"{folder} holds no finished job; name the folder that one wrote with --output"
        )
    before = read_summary(folder)
    columns = before["settings"]["columns"]
    given.format = given.format or before["format"]
    given.text_column = columns["text"] if given.text_column == "text" else given.text_column
    given.id_column = given.id_column or columns["id"]
    given.keep = given.keep or tuple(columns["keep"])


def run_job(job: Job, options: Any, silent: bool = False) -> tuple[int, dict[str, Any]]:
    """Run a job and print its progress and its summary, or what made it fail in one line.

    Returns the exit status and the summary, which is empty for a job that failed.
    """
    try:
        with nullcontext() if silent else drawn_progress(), on_runner(options):
            figures = job.run(options)
    except (UsageError, SentchunkError):
        raise
    except Exception as error:
        print(summary.failure(error, job.output), file=sys.stderr)
        return FAILURE_STATUS, {}
    if not silent:
        print(summary.text(figures) if figures else summary.submitted(job.output, options))
    return 0, figures


@contextmanager
def on_runner(options: Any) -> Iterator[None]:
    """What a job's surroundings are to be: quiet, watched, and closed to others, where the runner is of this process."""
    local = runners.name(options) in (LOCAL_RUNNER, "DirectRunner")
    with quiet_if_local(options), watched(options), loopback.only() if local else nullcontext():
        yield


@contextmanager
def quiet_if_local(options: Any) -> Iterator[None]:
    """Silence a local runner, which prints a failure's traceback several times over. The failure itself is told once.

    What a cluster says is all there is to see of it, so that is not silenced.
    """
    logger = logging.getLogger()
    if options.get_all_options()["runner"] != LOCAL_RUNNER:
        logger.setLevel(logging.INFO)
        # Of the annotations of this package, which Beam looks at and does not need.
        logging.getLogger("apache_beam.typehints").setLevel(logging.WARNING)
        yield
        return
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    quiet_threads.install()
    try:
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        logger.setLevel(level)


def rate(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no rate from 0 to 1; write it --option=RATE")
    return number


def names(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)
