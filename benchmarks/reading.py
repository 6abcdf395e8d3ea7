"""How fast lines and JSON Lines are read, beside the standard library and pyarrow: `python -m benchmarks.reading`.

The standard library only iterates over the lines; pyarrow parses the objects, on one thread as we do.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.json as pj
from sentchunk import ChunkSpec

from sentchunk_beam.plan import make_plan
from sentchunk_beam.settings import Settings
from sentchunk_beam.sources import FORMATS, Documents

from . import prose
from .measuring import spread

SETTINGS = Settings(ChunkSpec(1000))
MEGABYTES, REPETITIONS = 128, 7


def ours(path: Path, source: str) -> int:
    units = make_plan([str(path)], SETTINGS, source).units
    parts = [part for unit in units for part in unit.parts]
    found = (piece for part in parts for piece in FORMATS[source].read(part, SETTINGS))
    return sum(piece.table.num_rows for piece in found if isinstance(piece, Documents))


def standard_library(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def pyarrow(path: Path) -> int:
    return int(pj.read_json(path, pj.ReadOptions(use_threads=False, block_size=4 << 20)).num_rows)


def timed(read: Callable[[], int], expected: int) -> float:
    started = time.perf_counter()
    assert read() == expected
    return time.perf_counter() - started


def main() -> None:
    texts = prose.documents(5_000, MEGABYTES * 1_000_000).to_pylist()
    with tempfile.TemporaryDirectory() as folder:
        lines, objects = Path(folder, "in.log"), Path(folder, "in.jsonl")
        lines.write_text("".join(f"{text}\n" for text in texts))
        objects.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        pairs: list[tuple[str, Path, Callable[[], int], Callable[[], int]]] = [
            ("lines, to the standard library", lines,
             lambda: ours(lines, "lines"), lambda: standard_library(lines)),
            ("JSON Lines, to pyarrow", objects,
             lambda: ours(objects, "jsonl"), lambda: pyarrow(objects)),
        ]  # fmt: skip
        for name, path, one, other in pairs:
            ratios, speeds = [], []
            for _ in range(REPETITIONS):
                mine = timed(one, len(texts))
                ratios.append(timed(other, len(texts)) / mine)
                speeds.append(path.stat().st_size / 1e6 / mine)
            ratio = spread(ratios)
            print(
                f"{name}: {ratio['median']:.2f} times as fast "
                f"({ratio['least']:.2f} to {ratio['most']:.2f}), {spread(speeds)['median']:.0f} MB/s"
            )


if __name__ == "__main__":
    main()
