"""How the job's time and memory grow with the corpus and with its documents: `python -m benchmarks.growth`.

A larger corpus should take in proportion longer and no more memory; the size of the documents should matter little.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from . import measuring, plots, prose

FACTORS = (1, 2, 4, 8)
DOCUMENT_BYTES = (100, 500, 2_000, 10_000, 100_000, 1_000_000, 10_000_000, 50_000_000)


def measured(command: list[str], out: Path) -> tuple[float, int]:
    """Wall time, and the peak of the process in bytes."""
    subprocess.run(["rm", "-rf", str(out)], check=True)
    started = time.perf_counter()
    job = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(job.pid, 0)
    assert status == 0
    return time.perf_counter() - started, usage.ru_maxrss * 1024


def measure(folder: Path, megabytes: float, repetitions: int) -> dict[str, Any]:
    out = folder / "out"

    def best(source: Path) -> dict[str, float]:
        runs = [measured(measuring.chunk(source, out, 1), out) for _ in range(repetitions)]
        return {
            "seconds": min(time_ for time_, _ in runs),
            "peak_bytes": max(peak for _, peak in runs),
        }

    start = best(prose.write(folder / "single.parquet", 0.001))
    corpora = {
        factor: best(prose.write(folder / f"x{factor}.parquet", megabytes * factor))
        for factor in FACTORS
    }
    documents = {
        size: best(
            prose.write(
                folder / f"d{size}.parquet",
                max(megabytes, size / 1e6),
                size,
                row_group=max(1, 25_000_000 // size),
            )
        )
        for size in DOCUMENT_BYTES
    }
    return {
        "start": start,
        "megabytes": megabytes,
        "corpora": corpora,
        "documents": documents,
        **measuring.machine(),
    }


def table(found: dict[str, Any]) -> str:
    start, megabytes = found["start"]["seconds"], found["megabytes"]
    lines = [
        f"start-up {start:.2f} s, {found['start']['peak_bytes'] / 1e6:.0f} MB",
        "",
        "corpus     s    MB/s  peak MB",
    ]
    for factor, each in found["corpora"].items():
        work = max(each["seconds"] - start, 1e-3)
        lines.append(
            f"{factor}x {work:9.2f} {megabytes * factor / work:7.0f} {each['peak_bytes'] / 1e6:8.0f}"
        )
    lines += ["", "document bytes      MB/s  peak MB"]
    for size, each in found["documents"].items():
        work = max(each["seconds"] - start, 1e-3)
        lines.append(
            f"{size:>14,} {max(megabytes, size / 1e6) / work:9.0f} {each['peak_bytes'] / 1e6:8.0f}"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=64)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the figures, with versions, to this file")
    parser.add_argument("--plot", type=Path, help="draw them into this SVG file")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), given.megabytes, given.repetitions)
    print(table(found))
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")
    if given.plot:
        plots.growth(found, given.plot)


if __name__ == "__main__":
    main(sys.argv[1:])
