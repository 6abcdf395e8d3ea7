"""Beam counters and distributions of the chunking steps, updated for many documents at a time."""

from __future__ import annotations

from apache_beam.metrics import Metrics

from .schemas import Counts

NAMESPACE = "sentchunk"


def count(counts: Counts) -> None:
    """Add the figures of a table, or of so many rows, to the counters of the running step.

    The distributions are of their means: an update for each document would cost more than its chunks do.
    """
    for name in ("documents", "chunked", "sentences", "chunks", "oversized", "blank", "text_bytes"):
        Metrics.counter(NAMESPACE, name).inc(getattr(counts, name))
    for code, number in counts.dead_letters.items():
        Metrics.counter(NAMESPACE, f"dead_letters_{code}").inc(number)
    Metrics.counter(NAMESPACE, "unreadable_files").inc(counts.unreadable_files)
    if counts.chunked:
        means = {
            "document_bytes": counts.text_bytes // counts.chunked,
            "chunks_per_document": counts.chunks // counts.chunked,
        }
        for name, mean in means.items():
            Metrics.distribution(NAMESPACE, name).update(mean)


def count_output(written: int) -> None:
    """Add the bytes of finished files."""
    Metrics.counter(NAMESPACE, "output_bytes").inc(written)
