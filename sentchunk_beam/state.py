"""What lies in a job's folder: nothing, an unfinished job, a complete one, or something else's files.

While a job runs, all of it lies in `_temporary`, the plan among it, which is written first and whole. `_SUCCESS` comes
last. So at whatever moment a job is killed, what is there tells what it is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from . import files
from .commit import SUCCESS, SUMMARY
from .errors import UsageError, reason
from .plan import Plan
from .unit import TEMPORARY, Work

NEW, UNFINISHED, COMPLETE, IN_USE = "new", "unfinished", "complete", "in use"


def of(output: str) -> str:
    """Which of the four the folder is."""
    if not files.holds_files(output):
        return NEW
    if files.is_file(output):
        return IN_USE
    if files.exists(files.join(output, SUCCESS)) and files.exists(files.join(output, SUMMARY)):
        return COMPLETE
    # Killed before the plan was whole, it holds nothing but the folder for it.
    if files.exists(plan_path(output)) or files.names_in(output) == [TEMPORARY]:
        return UNFINISHED
    return IN_USE


def check(found: str, output: str, resume: bool) -> None:
    """Raise UsageError, with what to do, unless a job may start or go on there."""
    if found == NEW or (resume and found in (UNFINISHED, COMPLETE)):
        return
    advice = {
        UNFINISHED: "holds an unfinished job; finish it with --resume, or remove it",
        COMPLETE: "holds the output of a complete job; name a new folder with --output, or remove it",
        IN_USE: "is not empty; name a new folder with --output",
    }
    raise UsageError(f"{output} {advice[found]}")


def begin(found: str, work: Work, plan: Plan) -> None:
    """Write the plan of a new job, or make sure that an unfinished one is the same job."""
    path = plan_path(work.output)
    same = fingerprint(plan)
    if found == UNFINISHED and files.exists(path):
        if files.read_text(path).splitlines()[0] != same:
            raise UsageError(
                f"the unfinished job in {work.output} has other inputs or options (or its inputs have changed); "
                "resume it with its own, or name a new folder with --output"
            )
        return
    lines = [same, *(unit.to_json() for unit in plan.units)]
    try:
        files.write_new_text(path, "".join(line + "\n" for line in lines))
    except FileExistsError:
        raise UsageError(
            f"another job has just begun in {work.output}; name a new folder with --output"
        ) from None
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        raise UsageError(
            f"cannot write to {work.output}: {reason(error)}; name another folder with --output"
        ) from None


def check_complete(output: str, plan: Plan, planned: str) -> None:
    """Raise UsageError unless the complete job that lies there, with its plan's fingerprint, is this one."""
    if planned != fingerprint(plan):
        raise UsageError(
            f"the complete job in {output} had other inputs or options (or its inputs have changed); "
            "name a new folder with --output"
        )


def planned_units(path: str) -> Iterator[str]:
    """The units of a plan, as JSON."""
    yield from files.read_text(path).splitlines()[1:]


def plan_path(output: str) -> str:
    return files.join(output, TEMPORARY, "plan.jsonl")


def remove_unfinished(output: str) -> None:
    """Remove what a job that was killed right after its last step has left."""
    files.remove_folder(files.join(output, TEMPORARY))


def fingerprint(plan: Plan) -> str:
    """The same for the same inputs and settings: units have ids that follow from both. A second half tells when the inputs
    were written.
    """
    what = " ".join(unit.id for unit in plan.units)
    when = json.dumps([part.modified for unit in plan.units for part in unit.parts])
    return "-".join(hashlib.sha256(half.encode()).hexdigest() for half in (what, when))


def reads_the_same(plan: Plan, planned: str) -> bool:
    """Whether a plan is the one with that fingerprint, but for when its inputs were written."""
    return fingerprint(plan).partition("-")[0] == planned.partition("-")[0]
