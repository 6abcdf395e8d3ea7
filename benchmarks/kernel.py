"""How fast the kernel is, beside its peers and on hostile texts.

    pip install -e '.[bench]'
    python -m benchmarks.kernel                   # all of it: some minutes, and npm for the text in many scripts
    python -m benchmarks.kernel peers|threads|short|hostile

Peers run in turn, round after round, on the same documents; a ratio is taken within a round and given as the median and
the spread of the rounds. Numbers of two runs of this script are not compared: machines have moods.
"""

from __future__ import annotations

import statistics
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from sentchunk import Limits, chunk, chunk_arrow, kernel

from benchmarks.corpora import CORPORA, TOTAL, documents, english
from benchmarks.peers import installed
from tests.hostile import FAMILIES

ROUNDS = 5
NO_LIMITS = Limits(None, None, None)


def seconds(run: Callable[[], object], calls: int = 1) -> float:
    """The best of some calls: of one for what takes long, of several for what is over in no time."""
    best = float("inf")
    spent = 0.0
    for _ in range(calls):
        started = time.perf_counter()
        run()
        taken = time.perf_counter() - started
        best, spent = min(best, taken), spent + taken
        if spent > 0.1:
            break
    return best


def peers() -> None:
    for corpus, text in CORPORA.items():
        words = text()
        for size in (20_000, 500):
            print(f"\n{corpus}, documents of {size:,} bytes, {TOTAL / 1e6:.0f} MB")
            compare(documents(words, size))


def compare(texts: list[str]) -> None:
    total = sum(len(text.encode()) for text in texts)
    runs = installed(texts)
    rounds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, (_, run) in runs.items():
            rounds[name].append(seconds(run, calls=10))
    ours = next(iter(rounds.values()))
    print(f"{'MB/s':>8}  {'times slower':>12}  {'spread':>13}")
    for name, (work, _) in runs.items():
        rate = total / statistics.median(rounds[name]) / 1e6
        ratios = [theirs / own for theirs, own in zip(rounds[name], ours, strict=True)]
        spread = f"{min(ratios):.1f}-{max(ratios):.1f}"
        print(f"{rate:8,.0f}  {statistics.median(ratios):12.1f}  {spread:>13}  {name} {work}")


def threads() -> None:
    """The same column by one thread, and by two threads at once, long enough for what a thread's first calls cost."""
    column = pa.array(documents(english(), 20_000) * 8)

    def work() -> None:
        for _ in range(40):
            chunk_arrow(column, max_size=1000)

    def two() -> None:
        workers = [threading.Thread(target=work) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    ones, twos = [], []
    for _ in range(2 * ROUNDS):
        ones.append(seconds(work))
        twos.append(seconds(two))
    middle = statistics.median(2 * one / both for one, both in zip(ones, twos, strict=True))
    best = 2 * min(ones) / min(twos)
    print(f"\ntwo threads do {best:.2f} times the work of one (best rounds; median {middle:.2f})")


def short() -> None:
    """One call on 200 bytes, less what an empty call costs."""
    text = english()[:200]
    print(f"\nchunk() on {len(text)} bytes")
    for options in (
        {"max_size": 1000},
        {"max_size": 100},
        {"max_size": 100, "unit": "utf8", "overlap": 1},
    ):
        taken = microseconds(chunk, text, options) - microseconds(nothing, text, options)
        chunks = len(chunk(text, **options))
        print(f"{taken:6.2f} microseconds over an empty call, {chunks} chunks, {options}")


def microseconds(call: Callable[..., object], text: str, options: dict[str, Any]) -> float:
    return seconds(lambda: [call(text, **options) for _ in range(10_000)], calls=9) * 100


def nothing(text: str, *, max_size: int, unit: str = "", overlap: int = 0) -> None:
    pass


def hostile() -> None:
    """Nanoseconds a byte at 1, 2, 4 and 8 MB: as flat as the machine is quiet, and below 10 (100 MB/s)."""
    print(f"\n{'1 MB':>7} {'2 MB':>7} {'4 MB':>7} {'8 MB':>7}  {'factor':>6}  ns a byte")
    for family, text in FAMILIES.items():
        times = []
        for size in (1_000_000, 2_000_000, 4_000_000, 8_000_000):
            column = pa.array([text(size)])
            length = len(column[0].as_py().encode())

            def run(column: pa.Array = column) -> object:
                return chunk_arrow(column, max_size=1000, limits=NO_LIMITS)

            times.append(min(seconds(run, calls=9) for _ in range(3)) / length * 1e9)
        columns = " ".join(f"{value:7.2f}" for value in times)
        print(f"{columns}  {max(times) / min(times):6.2f}  {family}")


SECTIONS = {"peers": peers, "threads": threads, "short": short, "hostile": hostile}


def main(arguments: list[str]) -> int:
    unknown = [name for name in arguments if name not in SECTIONS]
    if unknown:
        print(f"{', '.join(unknown)}: use {', '.join(SECTIONS)}", file=sys.stderr)
        return 2
    print(f"kernel: {kernel}; Python {sys.version.split()[0]}; pyarrow {pa.__version__}")
    for name in arguments or SECTIONS:
        SECTIONS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
