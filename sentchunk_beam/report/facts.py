"""All facts of a report, as one JSON object."""

from __future__ import annotations

from typing import Any

from .dead_letters import dead_letters
from .finished import FinishedJob, told
from .sizes import measure
from .texts import scripts, with_texts


def collect(job: FinishedJob) -> dict[str, Any]:
    """Read the job's output. Sizes are in the job's unit, shares between 0 and 1.

    `warnings` says where the files do not hold what the summary counts. Raises UsageError for a file that cannot be
    read.
    """
    with told(job.folder):
        sizes = measure(job)
        facts = {
            "folder": job.folder,
            "max_size": job.max_size,
            "unit": job.unit,
            "cap": job.cap,
            "warnings": [],
            "sizes": sizes.as_dict(),
            "longest_oversized": with_texts(sizes.longest),
            "dead_letters": dead_letters(job),
            "scripts": scripts(job),
            "summary": job.summary,
        }
    facts["warnings"] = list(_warnings(facts))
    return facts


def _warnings(facts: dict[str, Any]) -> list[str]:
    summary, sizes = facts["summary"], facts["sizes"]
    lost = sum(reason["documents"] for reason in facts["dead_letters"])
    compared = (
        ("chunks", summary["chunks"], sizes["chunks"]),
        ("oversized chunks", summary["oversized"], sizes["oversized"]),
        ("dead-lettered documents", sum(summary["dead_letters"].values()), lost),
    )
    return [
        f"summary.json counts {counted:,} {what}, but the files hold {held:,}"
        for what, counted, held in compared
        if counted != held
    ]
