"""Beam counters and distributions of the chunking steps, updated once a table."""

from __future__ import annotations

from apache_beam.metrics import Metrics

from .schemas import Counts

NAMESPACE = "sentchunk"


def count(counts: Counts) -> None:
    """Add the figures of a table to the counters of the running step."""
    for name in ("documents", "chunked", "sentences", "chunks", "oversized", "blank", "text_bytes"):
        Metrics.counter(NAMESPACE, name).inc(getattr(counts, name))
    for code, number in counts.dead_letters.items():
        Metrics.counter(NAMESPACE, f"dead_letters_{code}").inc(number)
    Metrics.counter(NAMESPACE, "unreadable_files").inc(counts.unreadable_files)
    if counts.documents:
        Metrics.distribution(NAMESPACE, "documents_per_table").update(counts.documents)
