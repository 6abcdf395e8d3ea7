"""`sentchunk report`: what a finished job did, as a page for people or as JSON for programs."""

from __future__ import annotations

import argparse
from typing import Any

from .. import files
from ..errors import UsageError
from ..report import page
from ..report.facts import collect
from ..report.finished import open_job, told
from ..report.plots import require_library
from ..visible import visible
from .json_output import write_json


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "report",
        help="make a page about a finished job",
        description=(
            "Makes one HTML page about a finished job's folder: sizes and fill of the chunks, the longest oversized "
            "ones, dead letters by reason, scripts, parameters. The page loads nothing and runs no script."
        ),
        allow_abbrev=False,
    )
    command.add_argument("folder", metavar="DIR", help="the --output of a job that has ended")
    command.add_argument(
        "--output", metavar="FILE.html", help="the page; an earlier report is replaced (DIR/report.html)"
    )  # fmt: skip
    command.add_argument(
        "--json", action="store_true", help="print the facts as one JSON object, and make no page"
    )
    command.set_defaults(run=run)


def run(given: argparse.Namespace, options: Any) -> int:
    """Write the page, or print the facts. Raises UsageError for a folder or a file that will not do."""
    if given.json and given.output:
        raise UsageError("--json prints the facts and writes no page; leave --output out")
    if given.json:
        write_json(collect(open_job(given.folder)))
        return 0
    job = open_job(given.folder)
    output = files.absolute(given.output or files.join(job.folder, "report.html"))
    require_library()
    refuse_foreign(output)
    text = page.render(collect(job))
    try:
        files.write_text(output, text)
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror or error}") from error
    print(f"report written: {visible(output)}")
    return 0


def refuse_foreign(path: str) -> None:
    """Raises UsageError for a file that is not an earlier report.

    To make a report again replaces it, as is expected; a slip in --output shall not cost anybody a file.
    """
    with told(path):
        if not files.exists(path):
            return
        with files.open_stream(path) as existing:
            if page.MARK.encode() in existing.read(200):
                return
    raise UsageError(f"{path} exists and is no report of ours; name another file with --output")
