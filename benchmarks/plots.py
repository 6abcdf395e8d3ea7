"""The benchmarks' plots, as the README shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib import pyplot

pyplot.switch_backend("svg")
pyplot.rcParams["svg.hashsalt"] = "sentchunk"  # the same figures give the same file

OURS, OTHERS = "#2f6db5", "#b8bec6"


def bars(found: dict[str, Any], path: Path) -> None:
    """Throughput of each program, with its spread."""
    programs = found["programs"]
    names = list(programs)[::-1]
    speeds = [programs[name]["megabytes_a_second"] for name in names]
    figure, axes = pyplot.subplots(figsize=(8, 2.6), layout="constrained")
    medians = [speed["median"] for speed in speeds]
    errors = [
        [speed["median"] - speed["least"] for speed in speeds],
        [speed["most"] - speed["median"] for speed in speeds],
    ]
    colors = [OURS if name.startswith("sentchunk") else OTHERS for name in names]
    axes.barh(names, medians, xerr=errors, color=colors, ecolor="#555")
    for row, speed in enumerate(speeds):
        axes.text(speed["most"], row, f"  {speed['median']:.0f}", va="center")
    axes.set_xlabel("MB of text a second, Parquet to Parquet with zstd; more is better")
    axes.spines[["top", "right"]].set_visible(False)
    _save(figure, path)


def growth(found: dict[str, Any], path: Path) -> None:
    """Time and memory by the size of the corpus, and speed by that of the documents."""
    start, megabytes = found["start"]["seconds"], found["megabytes"]
    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(10, 2.8), layout="constrained")
    factors = [int(factor) for factor in found["corpora"]]
    corpora = list(found["corpora"].values())
    left.plot(
        [megabytes * factor for factor in factors],
        [each["seconds"] - start for each in corpora],
        "o-",
        color=OURS,
    )
    left.set(xlabel="MB of text", ylabel="seconds", ylim=(0, None), xlim=(0, None))
    middle.plot(
        [megabytes * factor for factor in factors],
        [each["peak_bytes"] / 1e6 for each in corpora],
        "o-",
        color=OURS,
    )
    middle.set(xlabel="MB of text", ylabel="peak memory, MB", ylim=(0, None), xlim=(0, None))
    sizes = [int(size) for size in found["documents"]]
    works = [each["seconds"] - start for each in found["documents"].values()]
    speeds = [max(megabytes, size / 1e6) / work for size, work in zip(sizes, works, strict=True)]
    right.semilogx(sizes, speeds, "o-", color=OURS)
    right.set(xlabel="bytes of a document", ylabel="MB a second", ylim=(0, None))
    for axes in (left, middle, right):
        axes.spines[["top", "right"]].set_visible(False)
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
