"""`sentchunk chunk --dry-run`: what a job would do, from the files' footers and sizes alone."""

from __future__ import annotations

from typing import Any

from .. import runners, state
from ..job import Job
from ..plan import Plan, make_plan
from .options import engine_text

FILES_NAMED = 5


def text(job: Job, options: Any) -> str:
    """The plan in words. Raises UsageError as the job itself would; starts and writes nothing."""
    output, found = job.check(options)
    plan = make_plan(job.inputs, job.settings, job.format)
    lines = [
        ("inputs", _inputs(plan)),
        ("units", _units(plan)),
        *(("", line) for line in _unusable(plan)),
        ("output", f"{output}, {_output_state(found)}"),
        ("", f"up to {len(plan.units):,} files in chunks/, as many in dead_letters/, "
             "summary.json and _SUCCESS"),
        ("runner", _runner(options)),
        ("engine", engine_text()),
        ("staged", "; ".join(runners.staged(options)) or _not_staged(options)),
    ]  # fmt: skip
    told = "\n".join(f"{title:<13} {value}" for title, value in lines)
    return f"{told}\nA dry run: nothing was started or written."


def _inputs(plan: Plan) -> str:
    rows = [part.rows for unit in plan.units for part in unit.parts]
    known = sum(each for each in rows if each is not None)
    documents = f"{known:,} documents" + (" and more" if None in rows else "")
    return f"{plan.files:,} files, {_megabytes(plan.input_bytes)}; {documents} by their footers"


def _units(plan: Plan) -> str:
    sizes = [sum(part.input_bytes for part in unit.parts) for unit in plan.units]
    return f"{len(sizes):,}, the largest of about {_megabytes(max(sizes))}"


def _unusable(plan: Plan) -> list[str]:
    problems = {
        part.path: part.problem[1] for unit in plan.units for part in unit.parts if part.problem
    }
    told = [f"cannot be used: {path} {why}" for path, why in list(problems.items())[:FILES_NAMED]]
    more = len(problems) - len(told)
    return told + ([f"and {more:,} more"] if more else [])


def _output_state(found: str) -> str:
    return {
        state.NEW: "new",
        state.UNFINISHED: "to be resumed",
        state.COMPLETE: "complete already: its summary would be printed",
    }[found]


def _runner(options: Any) -> str:
    all_options = options.get_all_options()
    name = runners.name(options)
    workers = all_options["direct_num_workers"]
    mode = {
        "multi_threading": f", {workers} threads of this process",
        "multi_processing": f", {workers} processes",
    }
    if name in runners.PORTABLE:
        return f"{name} at {all_options['job_endpoint'] or 'a job server of its own'}"
    return name + (mode.get(all_options["direct_running_mode"], "") if "Fn" in name else "")


def _not_staged(options: Any) -> str:
    if runners.name(options) in runners.PORTABLE:
        return "nothing: the workers must have sentchunk-beam themselves"
    return "nothing: the workers are of this machine"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
