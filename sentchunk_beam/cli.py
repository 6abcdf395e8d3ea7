"""The command `sentchunk`."""

from __future__ import annotations

import argparse
import io
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr
from typing import Any

from sentchunk import ChunkSpec, Limits, SentchunkError
from sentchunk.spec import LIMIT_NAMES, UNITS

from . import demo, summary
from .chunking import Columns
from .errors import UsageError
from .job import Job
from .options import LOCAL_RUNNER, split_beam_options

USAGE_STATUS, FAILURE_STATUS = 2, 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. The exit status is 0, 1 for a job that failed, or 2 for a mistake in what was asked."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options, rest = split_beam_options(given)
        parsed = parser().parse_args(rest)
        return int(parsed.run(parsed, options))
    except (UsageError, SentchunkError) as error:
        print(f"sentchunk: {error}", file=sys.stderr)
        return USAGE_STATUS
    except KeyboardInterrupt:
        print("sentchunk: interrupted; nothing was published", file=sys.stderr)
        return FAILURE_STATUS


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        "sentchunk",
        description="Whole-sentence chunks with exact offsets, from Parquet to Parquet.",
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    chunk = commands.add_parser(
        "chunk",
        help="chunk a corpus of Parquet files",
        description="Chunk a corpus of Parquet files. Any option of Apache Beam is taken too.",
        allow_abbrev=False,
    )
    add_chunk_arguments(chunk)
    chunk.set_defaults(run=run_chunk)
    show = commands.add_parser(
        "demo", help="write a small corpus, chunk it, and show what came out", allow_abbrev=False
    )
    show.add_argument(
        "folder", nargs="?", default="sentchunk-demo", help="a new folder (%(default)s)"
    )
    show.set_defaults(run=demo.run)
    return top


def add_chunk_arguments(to: argparse.ArgumentParser) -> None:
    to.add_argument("inputs", nargs="+", metavar="INPUT", help="a Parquet file, a folder or a glob")
    to.add_argument(
        "--output", required=True, metavar="DIR", help="a new folder for all that is written"
    )
    to.add_argument(
        "--max-size", type=integer, required=True, metavar="N", help="of a chunk, in units"
    )
    to.add_argument("--unit", default="code_point", help=f"one of {', '.join(UNITS)} (%(default)s)")
    to.add_argument(
        "--overlap",
        type=integer,
        default=0,
        metavar="K",
        help="sentences to repeat, 0 to 16 (%(default)s)",
    )
    to.add_argument(
        "--text-column", default="text", metavar="COLUMN", help="the documents (%(default)s)"
    )
    to.add_argument("--id-column", metavar="COLUMN", help="the documents' ids (else FILE#ROW)")
    to.add_argument(
        "--keep",
        default=(),
        type=names,
        metavar="COLUMN,...",
        help="columns to carry along to each chunk",
    )
    for name in LIMIT_NAMES:
        default = getattr(Limits(), name)
        to.add_argument(
            "--" + name.replace("_", "-"), type=limit, default=default, metavar="N|none",
            help=f"of a document ({default:,})",
        )  # fmt: skip


def run_chunk(given: argparse.Namespace, options: Any) -> int:
    limits = Limits(**{name: getattr(given, name) for name in LIMIT_NAMES})
    job = Job(
        given.inputs,
        given.output,
        ChunkSpec(given.max_size, given.unit, given.overlap, limits),
        Columns(given.text_column, given.id_column, given.keep),
    )
    return run_job(job, options)


def run_job(job: Job, options: Any) -> int:
    """Run a job and print its summary, or what made it fail in one line."""
    runner = options.get_all_options()["runner"]
    logging.getLogger().setLevel(logging.INFO)
    try:
        with quiet() if runner == LOCAL_RUNNER else nullcontext():
            figures = job.run(options)
    except (UsageError, SentchunkError, KeyboardInterrupt):
        raise
    except Exception as error:
        print(summary.failure(error, job.output), file=sys.stderr)
        return FAILURE_STATUS
    print(summary.text(figures))
    return 0


@contextmanager
def quiet() -> Iterator[None]:
    """Silence a local runner, which prints a failure's traceback several times over. The failure itself is told once.

    What a cluster says is all there is to see of it, so that is not silenced.
    """
    logger = logging.getLogger()
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        logger.setLevel(level)


def integer(text: str) -> int:
    try:
        return int(text.replace("_", "").replace(",", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer") from None


def limit(text: str) -> int | None:
    return None if text == "none" else integer(text)


def names(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)


if __name__ == "__main__":
    sys.exit(main())
