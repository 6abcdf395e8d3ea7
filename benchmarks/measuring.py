"""What the benchmarks of whole programs share: timing, facts about the machine, ratios with their spread."""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

PACKAGES = (
    "sentchunk-beam", "apache-beam", "pyarrow", "numpy", "langchain-text-splitters", "semantic-text-splitter", "datasets"
)  # fmt: skip


def seconds(command: Sequence[str], out: Path) -> float:
    """Wall time of a program that writes to `out`, which is removed before."""
    shutil.rmtree(out, ignore_errors=True)
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return time.perf_counter() - started


def chunk(source: Path, out: Path, workers: int) -> list[str]:
    """The job's command line."""
    return [
        sys.executable, "-m", "sentchunk_beam.cli", "chunk", str(source), "--output", str(out), "--max-size", "1000",
        "--id-column", "id", "--workers", str(workers), "--quiet",
        "--max-text-bytes", "none", "--max-sentences", "none", "--max-output-bytes", "none",
    ]  # fmt: skip


def contestant(name: str, source: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", f"benchmarks.contestants.{name}", str(source), str(out)]


def spread(numbers: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(numbers), "least": min(numbers), "most": max(numbers)}


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    installed = {package.name.lower(): package.version for package in distributions()}
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "versions": {name: installed[name] for name in PACKAGES if name in installed},
    }
