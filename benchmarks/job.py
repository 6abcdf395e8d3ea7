"""The job beside its peers, on the same corpus in one go: `python -m benchmarks.job`.

Each program runs as a process of its own, in turn, several times. Its start-up, measured on a corpus of one document,
is taken off and stated apart. Ratios are to the plain copy of the same repetition.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from . import measuring, plots, prose
from .measuring import chunk, contestant, seconds, spread

Command = Callable[[Path, Path], list[str]]

PROGRAMS: dict[str, Command] = {
    "plain copy": lambda source, out: contestant("copy", source, out),
    "sentchunk, 1 worker": lambda source, out: chunk(source, out, 1),
    "sentchunk, 2 workers": lambda source, out: chunk(source, out, 2),
    "datasets.map, semantic-text-splitter": lambda source, out: contestant(
        "datasets_semantic", source, out
    ),
    "Beam, LangChain in FlatMap": lambda source, out: contestant("beam_langchain", source, out),
}


def measure(folder: Path, megabytes: float, repetitions: int) -> dict[str, Any]:
    corpus = prose.write(folder / "corpus.parquet", megabytes)
    single = prose.write(folder / "single.parquet", 0.001)
    text_bytes = sum(
        len(text) for text in pq.read_table(corpus, columns=["text"])["text"].to_pylist()
    )
    starts: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    works: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(repetitions):
        for name, command in PROGRAMS.items():
            starts[name].append(seconds(command(single, folder / "out"), folder / "out"))
            whole = seconds(command(corpus, folder / "out"), folder / "out")
            works[name].append(max(whole - starts[name][-1], 1e-3))
    plain = works["plain copy"]
    return {
        "corpus": {"text_bytes": text_bytes, "file_bytes": corpus.stat().st_size},
        "repetitions": repetitions,
        "programs": {
            name: {
                "start_seconds": spread(starts[name]),
                "seconds": spread(works[name]),
                "megabytes_a_second": spread([text_bytes / 1e6 / each for each in works[name]]),
                "ratio_to_copy": spread(
                    [each / other for each, other in zip(works[name], plain, strict=True)]
                ),
            }
            for name in PROGRAMS
        },
        **measuring.machine(),
    }


def check(folder: Path, megabytes: float) -> None:
    """Every program's output holds the whole text of the corpus: what is compared is the same work."""
    corpus = prose.write(folder / "corpus.parquet", megabytes)
    expected = _letters(corpus)
    for name, command in PROGRAMS.items():
        out = folder / "out"
        seconds(command(corpus, out), out)
        chunks = out / "chunks" if (out / "chunks").is_dir() else out
        assert _letters(chunks) == expected, f"{name} lost text, or gained some"
        print(f"{name}: the whole text is there")


def _letters(path: Path) -> dict[str, str]:
    """The text of each document without white space, which some splitters drop."""
    table = pq.read_table(path)
    name = "document_id" if "document_id" in table.column_names else "id"
    found: dict[str, list[str]] = {}
    for identity, text in zip(table[name].to_pylist(), table["text"].to_pylist(), strict=True):
        found.setdefault(identity, []).append("".join(text.split()))
    return {identity: "".join(texts) for identity, texts in found.items()}


def table(found: dict[str, Any]) -> str:
    lines = [f"{'':<38}{'ratio to copy':>22}{'MB/s':>9}{'start-up, s':>13}"]
    for name, each in found["programs"].items():
        ratio = each["ratio_to_copy"]
        shown = f"{ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['most']:.2f})"
        speed, start = each["megabytes_a_second"]["median"], each["start_seconds"]["median"]
        lines.append(f"{name:<38}{shown:>22}{speed:>9.0f}{start:>13.2f}")
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=256)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the figures, with versions, to this file")
    parser.add_argument("--plot", type=Path, help="draw them into this SVG file")
    parser.add_argument(
        "--smoke", action="store_true", help="only run each once, and compare outputs"
    )
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        if given.smoke:
            check(Path(folder), 1)
            return
        found = measure(Path(folder), given.megabytes, given.repetitions)
    print(table(found))
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")
    if given.plot:
        plots.bars(found, given.plot)


if __name__ == "__main__":
    main(sys.argv[1:])
