"""Greedy packing of whole sentences. It knows sizes, and nothing of Unicode or text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence


def pack(bounds: Sequence[int], max_size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield each chunk as (first sentence, one past its last sentence).

    `bounds` holds the offset of each sentence's start and, last, the end of the text: n + 1 rising numbers for n
    sentences, in the unit of `max_size`. A sentence over `max_size` comes alone; it neither gives nor gets overlap,
    since together with any other it cannot fit.
    """
    sentences = len(bounds) - 1
    uncovered = 0
    while uncovered < sentences:
        first = uncovered
        while (
            first > 0
            and uncovered - first < overlap
            and bounds[uncovered + 1] - bounds[first - 1] <= max_size
        ):
            first -= 1
        # The last bound that is at most max_size away from the start, and at least one new sentence.
        stop = bisect_right(bounds, bounds[first] + max_size, lo=uncovered + 1) - 1
        stop = max(stop, uncovered + 1)
        yield first, stop
        uncovered = stop
