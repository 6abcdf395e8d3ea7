"""The sizes of all chunks: a pass over the narrow columns, counted in arrays of fixed length."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from sentchunk.spec import MAX_SIZE_RANGE

from .finished import FinishedJob, as_text, batches, plain

COLUMNS = ["document_id", "chunk_index", "start", "end", "size", "oversized"]
SENTENCE_COUNT = "sentence_count"  # which the type-aware strategy does not have
BATCH_ROWS = 8192
# Sizes up to this one are counted one by one: only a sentence that is larger than any max_size is above it.
EXACT = MAX_SIZE_RANGE[1]
LONGEST = 8
HISTOGRAM_BARS = 40
FILL_BARS = 10

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Place(NamedTuple):
    """Where an oversized chunk is: in the output, and in its document. Ordered by size, then first come."""

    size: int
    order: int
    file: str
    row: int
    document_id: str
    start: int
    end: int


@dataclass
class Sizes:
    """`counts[n]` chunks have size n. `inside` and `last` count the fitting ones by tenths of max_size.

    `oversized` counts by what the rows say: an event may be over max_tokens alone.

    `last` are those that end a document, and are short for that reason. `repeated` is what chunks have in common with
    the one before, in the unit.
    """

    max_size: int
    counts: Ints = field(default_factory=lambda: np.zeros(EXACT + 1, np.int64))
    inside: Ints = field(default_factory=lambda: np.zeros(FILL_BARS, np.int64))
    last: Ints = field(default_factory=lambda: np.zeros(FILL_BARS, np.int64))
    chunks: int = 0
    above: int = 0
    total: int = 0
    oversized: int = 0
    fitting_total: int = 0
    largest: int = 0
    seen: int = 0
    repeated: int = 0
    sentences: int = 0
    most_sentences: int = 0
    longest: list[Place] = field(default_factory=list)

    def add(self, sizes: Ints, ends_document: Flags) -> None:
        exact = sizes[sizes <= EXACT]
        self.counts += np.bincount(exact, minlength=EXACT + 1)
        fits = sizes <= self.max_size
        tenths = np.clip((sizes - 1) * FILL_BARS // self.max_size, 0, FILL_BARS - 1)
        self.last += np.bincount(tenths[fits & ends_document], minlength=FILL_BARS)
        self.inside += np.bincount(tenths[fits & ~ends_document], minlength=FILL_BARS)
        self.chunks += len(sizes)
        self.above += len(sizes) - len(exact)
        self.total += int(sizes.sum())
        self.fitting_total += int(sizes[fits].sum())
        self.largest = max(self.largest, int(sizes.max(initial=0)))

    def as_dict(self) -> dict[str, Any]:
        fitting = int(self.inside.sum() + self.last.sum())
        present = np.flatnonzero(self.counts)
        smallest = int(present[0]) if len(present) else self.largest
        return {
            "chunks": self.chunks,
            "smallest": smallest if self.chunks else None,
            "largest": self.largest if self.chunks else None,
            "mean": _ratio(self.total, self.chunks),
            "quantiles": {f"{100 * share:g}%": self._quantile(share) for share in (0.05, 0.25, 0.5, 0.75, 0.95)},
            "total": self.total,
            "repeated": self.repeated,
            "sentences_mean": _ratio(self.sentences, self.chunks),
            "sentences_most": self.most_sentences,
            "mean_fill": _ratio(self.fitting_total, fitting * self.max_size),
            "oversized": self.oversized,
            "histogram": self._histogram(),
            "fill": [
                {
                    "above_percent": bar * 100 // FILL_BARS,
                    "up_to_percent": (bar + 1) * 100 // FILL_BARS,
                    "inside_document": int(self.inside[bar]),
                    "last_of_document": int(self.last[bar]),
                }
                for bar in range(FILL_BARS)
            ],
        }  # fmt: skip

    def _quantile(self, share: float) -> int | None:
        """The smallest size that so many chunks do not exceed. None where it is above EXACT, or there are no chunks."""
        wanted = max(int(np.ceil(share * self.chunks)), 1)
        size = int(np.searchsorted(np.cumsum(self.counts), wanted))
        return size if size <= EXACT else None

    def _histogram(self) -> list[dict[str, int | None]]:
        """Bars of equal width up to twice max_size, where there are such chunks; the last one holds all above."""
        width = _nice(self.max_size / HISTOGRAM_BARS)
        stop = min(max(self.max_size, min(self.largest, 2 * self.max_size)), EXACT)
        edges = [*range(0, stop, width), -(-stop // width) * width]
        edges[-1] = min(edges[-1], EXACT)
        below = np.concatenate([[0], np.cumsum(self.counts)])
        bars: list[dict[str, int | None]] = []
        for low, high in pairwise(edges):
            limit = min(max(low, self.max_size), high)
            bars.append(
                {
                    "above": low,
                    "up_to": high,
                    "fitting": int(below[limit + 1] - below[low + 1]),
                    "oversized": int(below[high + 1] - below[limit + 1]),
                }
            )
        beyond = self.chunks - int(below[edges[-1] + 1])
        if beyond:
            bars.append({"above": edges[-1], "up_to": None, "fitting": 0, "oversized": beyond})
        return bars


def measure(job: FinishedJob) -> Sizes:
    """Read the narrow columns of all chunks once."""
    sizes = Sizes(job.max_size)
    for path in job.chunk_files:
        _measure_file(path, sizes, job.cap == "max_size")
    return sizes


def _measure_file(path: str, sizes: Sizes, counted: bool) -> None:
    """A document's chunks follow one another in one file."""
    row, held = 0, None  # the row before this batch: whether it ends its document is not yet known
    for batch in batches(path, [*COLUMNS, *([SENTENCE_COUNT] if counted else [])], BATCH_ROWS):
        if not batch.num_rows:
            continue
        joined = pa.Table.from_batches([batch] if held is None else [held, batch]).combine_chunks()
        columns = {name: joined[name].to_numpy() for name in COLUMNS[1:]}
        begins = _begins(joined)
        sizes.add(columns["size"][:-1], begins[1:])
        gaps = columns["end"][:-1] - columns["start"][1:]
        sizes.repeated += int(np.clip(gaps[~begins[1:]], 0, None).sum())
        sizes.oversized += pc.sum(batch.column("oversized")).as_py()
        if counted:
            new = batch.column(SENTENCE_COUNT).to_numpy()
            sizes.sentences += int(new.sum())
            sizes.most_sentences = max(sizes.most_sentences, int(new.max(initial=0)))
        _keep_longest(batch, path, row, sizes)
        row += batch.num_rows
        sizes.seen += batch.num_rows
        held = joined.slice(joined.num_rows - 1).to_batches()[0]
    if held is not None:
        sizes.add(held.column("size").to_numpy(), np.array([True]))


def _begins(table: pa.Table) -> Flags:
    """Which rows begin a document: the id is another one, or the index does not go on."""
    index = table["chunk_index"].to_numpy()
    begins = np.ones(len(index), bool)
    begins[1:] = index[1:] <= index[:-1]
    ids = plain(table["document_id"].chunk(0))
    try:
        other = pc.fill_null(pc.not_equal(ids[1:], ids[:-1]), True)
    except pa.ArrowException:  # ids of a type that Arrow does not compare: the index has to do
        return begins
    begins[1:] |= other.to_numpy(zero_copy_only=False)
    return begins


def _keep_longest(batch: pa.RecordBatch, path: str, first_row: int, sizes: Sizes) -> None:
    size = batch.column("size").to_numpy()
    rows = np.flatnonzero(batch.column("oversized").to_numpy(zero_copy_only=False))
    for row in rows[np.argsort(-size[rows], kind="stable")][:LONGEST].tolist():
        place = Place(
            int(size[row]),
            -(sizes.seen + row),
            path,
            first_row + row,
            as_text(batch.column("document_id")[row]) or "",
            batch.column("start")[row].as_py(),
            batch.column("end")[row].as_py(),
        )
        sizes.longest = heapq.nlargest(LONGEST, [*sizes.longest, place])


def _nice(width: float) -> int:
    """The next round number: 1, 2, 5, 10, 20, 25, 50, 100 and so on."""
    scale = 1
    while True:
        for step in (1.0, 2.0, 2.5, 5.0):
            if step * scale >= width and (step * scale).is_integer():
                return int(step * scale)
        scale *= 10


def _ratio(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None
