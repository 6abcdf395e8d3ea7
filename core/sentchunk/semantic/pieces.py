"""Pieces: stretches of a text that are to become chunks, as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._records import Int64Array


class Pieces(NamedTuple):
    """Stretches of a text in order, without the white space around them.

    starts, ends: half-open. first, last: the tokens in which they start and end.
    """

    starts: Int64Array
    ends: Int64Array
    first: Int64Array
    last: Int64Array

    def where(self, chosen: npt.NDArray[np.bool_]) -> Pieces:
        return Pieces(*(column[chosen] for column in self))

    def within(self, tokens: int, chars: int) -> npt.NDArray[np.bool_]:
        """Which of them have at most so many tokens and characters."""
        fits: npt.NDArray[np.bool_] = (self.last - self.first < tokens) & (
            self.ends - self.starts <= chars
        )
        return fits


def merged(runs: list[Pieces]) -> Pieces:
    """All the pieces, in order."""
    columns = [np.concatenate(each) for each in zip(*runs, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    return Pieces(*(column[order] for column in columns))


def before_next(first: Int64Array, end: int) -> Int64Array:
    """The last place of each run, of which `first` has the first ones and `end` is one past the last run."""
    last = np.empty_like(first)
    last[:-1] = first[1:] - 1
    last[-1:] = end - 1
    return last


def follow(following: Int64Array) -> Int64Array:
    """The places that are reached from the first on, each naming the next."""
    steps, reached, at = following.tolist(), [], 0
    end = len(steps)
    while at < end:
        reached.append(at)
        at = steps[at]
    return np.array(reached, np.int64)
