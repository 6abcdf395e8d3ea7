"""`sentchunk verify`: a finished job held against its source."""

from __future__ import annotations

import argparse
import json
from typing import Any

from .. import verify
from .chunk import on_runner

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
        "--against", nargs="+", metavar="INPUT", help="the job's inputs (else as it was given them)"
    )
    command.add_argument("--json", action="store_true", help="print the findings as a JSON object")
    command.set_defaults(run=run)


def run(given: argparse.Namespace, options: Any) -> int:
    with on_runner(options):
        findings = verify.verify(given.output, given.against, options)
    if given.json:
        print(json.dumps(vars(findings)))
    elif findings.count == 0:
        print(
            f"{findings.documents:,} documents and {findings.chunks:,} chunks: all as they should be"
        )
    else:
        for difference in findings.differences:
            print(difference)
        print(f"{findings.count:,} differences, of which {len(findings.differences)} are shown")
    return DIFFERENT_STATUS if findings.count else 0
