"""Commit: check that every unit is done and every document accounted for, then give the files their final names.

Order matters, for a reader may look at any moment: rows first, then `summary.json`, then `_SUCCESS`. Until that last
file stands, nothing in the folder is complete. Each step can be done twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from . import files
from .errors import JobError, UsageError, reason
from .schemas import Counts
from .settings import Settings
from .unit import Manifest, Work
from .write import write_empty

SUCCESS = "_SUCCESS"
SUMMARY = "summary.json"
RENAMES_AT_ONCE = 16


def commit(manifests: Iterable[Manifest], units: int, work: Work, facts: dict[str, Any]) -> Counts:
    """Finish the job of `units` units. `facts` go into the summary beside the figures.

    Raises JobError, and leaves everything under temporary names, where a unit is missing or a sum does not hold.
    """
    by_index = {manifest.index: manifest for manifest in manifests}
    if sorted(by_index) != list(range(units)):
        raise JobError(f"{units} units were planned, {len(by_index)} came back; run the job again")
    total, output_bytes = Counts(), 0
    for manifest in by_index.values():
        total.add(manifest.counts)
        output_bytes += manifest.output_bytes
    if not total.balanced:
        raise JobError(f"documents in are not documents chunked and dead-lettered: {total}")

    done = [by_index[index] for index in range(units)]
    _publish([each.chunks_file for each in done], "chunks", work.chunks_schema, work)
    _publish(
        [each.dead_letters_file for each in done], "dead_letters", work.dead_letters_schema, work
    )
    summary = total.as_dict() | {"output_bytes": output_bytes} | facts
    files.write_text(files.join(work.output, SUMMARY), json.dumps(summary, indent=2) + "\n")
    files.write_text(files.join(work.output, SUCCESS), "complete\n")
    files.remove_folder(work.unfinished)
    return total


def part_path(output: str, kind: str, index: int) -> str:
    """The final name of a unit's chunks or dead letters. A unit without any has no such file."""
    return files.join(output, kind, f"part-{index:05}.parquet")


def read_summary(output: str) -> dict[str, Any]:
    """The figures of a complete job. Raises UsageError where its summary is not one that `commit` has written."""
    path = files.join(output, SUMMARY)
    try:
        summary = dict(json.loads(files.read_text(path)))
        expected = {name: type(value) for name, value in Counts().as_dict().items()} | _FACTS
        for name, kind in expected.items():
            if not isinstance(summary[name], kind):
                raise TypeError(f"{name!r} is not what it was")
        Settings.from_dict(summary["settings"])
    except KeyError as error:
        raise UsageError(f"{path} is damaged: it has no {error}") from error
    except (OSError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise UsageError(f"{path} is damaged: {reason(error)}") from error
    return summary


# What verifying a job, or telling its figures again, takes from its summary beside the counts.
_FACTS: dict[str, Any] = {
    "files": int,
    "input_bytes": int,
    "output_bytes": int,
    "seconds": (int, float),
    "plan": str,
    "output": str,
    "inputs": list,
    "format": (str, type(None)),
    "settings": dict,
}


def _publish(sources: list[str | None], kind: str, schema: Any, work: Work) -> None:
    """Rename the units' files to `part-00000.parquet` and so on, by unit; one empty file where there is none."""

    moves = [
        (source, part_path(work.output, kind, index))
        for index, source in enumerate(sources)
        if source
    ]
    with ThreadPoolExecutor(RENAMES_AT_ONCE) as pool:
        list(pool.map(lambda move: files.rename(*move), moves))
    if not moves:
        write_empty(part_path(work.output, kind, 0), schema)
