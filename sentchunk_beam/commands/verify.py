"""`sentchunk verify`: a finished job held against its source."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from sentchunk import SentchunkError

from .. import verify
from ..errors import UsageError
from ..verify_unit import Findings
from ..visible import visible
from . import summary
from .chunk import FAILURE_STATUS, on_runner

DIFFERENT_STATUS = 1


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "verify",
        help="hold a finished job against its source, row by row",
        description=(
            "Read source and output of a finished job again and check every chunk's slice, the order, and that every "
            "document is accounted for. The exit status is 1 where they differ. Any option of Apache Beam is taken too."
        ),
        allow_abbrev=False,
    )
    command.add_argument("output", metavar="DIR", help="the job's folder")
    command.add_argument(
        "--against", nargs="+", metavar="INPUT",
        help=(
            "the job's inputs, at the paths that it read them from; a copy at another place always differs "
            "(else as it was given them)"
        ),
    )  # fmt: skip
    command.add_argument("--json", action="store_true", help="print the findings as a JSON object")
    command.set_defaults(run=run)


def run(given: argparse.Namespace, options: Any) -> int:
    """Print the differences, status 1, or that there are none, status 0; or, in one line, why verifying failed."""
    try:
        with on_runner(options):
            findings, unstored = verify.verify(given.output, given.against, options)
    except (UsageError, SentchunkError):
        raise
    except Exception as error:
        # Not `summary.failure`: the job was published long ago, and its folder gets nothing temporary again.
        print(f"sentchunk: verifying failed: {visible(summary.reason(error))}", file=sys.stderr)
        return FAILURE_STATUS
    _tell(findings, given.json)
    if unstored:
        print(
            f"sentchunk: the findings could not be stored: {visible(unstored)}",
            file=sys.stderr,
        )
    return DIFFERENT_STATUS if findings.count else 0


def _tell(findings: Findings, as_json: bool) -> None:
    if as_json:
        print(json.dumps(vars(findings)))
    elif findings.count == 0:
        print(
            f"{findings.documents:,} documents and {findings.chunks:,} chunks: all as they should be"
        )
    else:
        for difference in findings.differences:
            print(difference)
        print(f"{findings.count:,} differences, of which {len(findings.differences)} are shown")
