"""Some documents of a corpus only: those that an earlier job sent to its dead letters, by file and row."""

from __future__ import annotations

import functools
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from . import files
from .errors import UsageError


@dataclass(frozen=True)
class Rows:
    """Rows of a file: single ones, and all from `onward` on, where nobody knows how many were lost."""

    single: npt.NDArray[np.int64]
    onward: int | None

    def among(self, first: int, end: int) -> int:
        """How many of the rows from `first` up to `end` are selected."""
        return int(self.select(np.arange(first, end)).sum())

    def select(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        chosen = np.isin(rows, self.single)
        return chosen if self.onward is None else chosen | (rows >= self.onward)


@functools.lru_cache(maxsize=1)
def rows_by_file(output: str) -> dict[str, Rows]:
    """What the dead letters of a finished job name. Raises UsageError where there is none, or no dead letter."""
    folder = files.join(output, "dead_letters")
    found = (
        files.find([folder], (".parquet",)) if files.exists(files.join(output, "_SUCCESS")) else []
    )
    if not found:
        raise UsageError(
            f"{output} holds no finished job; name the folder that one wrote with --output"
        )
    single: dict[str, list[int]] = defaultdict(list)
    onward: dict[str, int] = {}
    for part in found:
        with files.open_input(part.path) as source:
            letters = pq.read_table(source, columns=["file", "row", "documents"]).to_pylist()
        for letter in letters:
            path, row = letter["file"], letter["row"]
            if row is not None and letter["documents"] is not None:
                single[path].extend(range(row, row + letter["documents"]))
            else:  # the file could not be used at all, or not from some row on
                onward[path] = min(row or 0, onward.get(path, row or 0))
    if not (single or onward):
        raise UsageError(f"{output} has no dead letters: nothing to run again")
    return {
        path: Rows(np.array(single[path], np.int64), onward.get(path))
        for path in {*single, *onward}
    }
