"""The dead letters by reason, with examples of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from .finished import FinishedJob, as_text, batches

COLUMNS = ["document_id", "file", "row", "code", "limit_name", "message", "documents"]
BATCH_ROWS = 1024
EXAMPLES, EXAMPLE_LENGTH = 3, 400
MAX_REASONS = 100


@dataclass
class _Reason:
    rows: int = 0
    documents: int = 0
    of_unknown_size: int = 0
    examples: list[dict[str, Any]] = field(default_factory=list)


def dead_letters(job: FinishedJob) -> list[dict[str, Any]]:
    """A fact for each code and limit, the most documents first, with its first examples.

    `documents` are lost for that reason; `of_unknown_size` of the rows are files that do not tell how many.
    """
    reasons: dict[tuple[str, str | None], _Reason] = {}
    for path in job.dead_letter_files:
        for batch in batches(path, COLUMNS, BATCH_ROWS):
            for row in range(batch.num_rows):
                _count(batch, row, reasons)
    facts = [
        {"code": code, "limit_name": limit_name, **vars(reason)}
        for (code, limit_name), reason in reasons.items()
    ]
    return sorted(facts, key=lambda fact: (-fact["documents"], -fact["rows"]))


def _count(batch: pa.RecordBatch, row: int, reasons: dict[tuple[str, str | None], _Reason]) -> None:
    key = (as_text(batch.column("code")[row]) or "", as_text(batch.column("limit_name")[row]))
    if key not in reasons and len(reasons) == MAX_REASONS:
        key = ("other", None)
    reason = reasons.setdefault(key, _Reason())
    documents = batch.column("documents")[row].as_py()
    reason.rows += 1
    reason.documents += documents or 0
    reason.of_unknown_size += documents is None
    if len(reason.examples) < EXAMPLES:
        reason.examples.append(
            {
                name: (as_text(batch.column(name)[row]) or "")[:EXAMPLE_LENGTH] or None
                for name in ("document_id", "file", "message")
            }
            | {"row": batch.column("row")[row].as_py()}
        )
