"""Memory is bounded by configuration, not by the input: the peak of a whole process on inputs that are large in one way.

An idle process that has imported Beam and pyarrow holds some 150 MB, and more where Beam finds pandas.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from job.helpers import summary, write

MEGABYTE = 1_000_000
BOUND = 500 * MEGABYTE

# The peak is that of this process image alone; getrusage would count the parent's before exec.
MEASURE = """
import json, sys
from sentchunk_beam import cli
status = cli.main(["chunk", *sys.argv[1:]])
lines = open("/proc/self/status").read().splitlines()
peak = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
print(json.dumps({"status": status, "peak": peak}))
"""


def peak_of(source: object, out: Path, *options: str) -> int:
    arguments = [str(source), "--output", str(out), "--max-size", "2000", *options]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *arguments], capture_output=True, check=True, text=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["status"] == 0
    return found["peak"]


def one_row_group(path: Path, megabytes: int) -> Path:
    """A file of a single row group, so much of it uncompressed."""
    text = "Whole sentences of a few words each. " * 270
    column = pa.array([f"{number} {text}" for number in range(500)])
    # The same piece over and over: the file is large, and what is held to write it is not.
    pieces = [column] * (megabytes * MEGABYTE // column.nbytes + 1)
    table = pa.table({"text": pa.chunked_array(pieces)})
    options: dict[str, Any] = {
        "compression": "zstd",
        "compression_level": 1,
        "use_dictionary": False,
    }
    pq.write_table(table, path, row_group_size=table.num_rows, **options)
    metadata = pq.read_metadata(path)
    assert metadata.num_row_groups == 1
    assert metadata.row_group(0).total_byte_size >= megabytes * MEGABYTE * 0.98
    return path


@pytest.mark.parametrize("megabytes", [400, 2000])
def test_a_large_row_group(tmp_path: Path, megabytes: int) -> None:
    """What it takes beyond a job on three words: what is imported with Beam differs from place to place."""
    least = peak_of(write(tmp_path / "one.parquet", {"text": ["A few words."]}), tmp_path / "least")
    peak = peak_of(one_row_group(tmp_path / "in.parquet", megabytes), tmp_path / "out")
    assert peak < BOUND
    assert peak - least < 200 * MEGABYTE


def test_a_million_empty_documents(tmp_path: Path) -> None:
    source = write(
        tmp_path / "in.parquet", {"text": pa.array([""]).take(pa.array([0] * 1_000_000))}
    )
    assert peak_of(source, tmp_path / "out") < BOUND
    assert summary(tmp_path / "out")["documents"] == 1_000_000


def test_four_million_empty_lines(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes(b"\n" * 4_000_000)
    assert peak_of(tmp_path / "in.txt", tmp_path / "out", "--format=lines") < BOUND
    assert summary(tmp_path / "out")["documents"] == 4_000_000


def test_a_million_nulls(tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", {"text": pa.nulls(1_000_000, pa.string())})
    assert peak_of(source, tmp_path / "out") < BOUND
    assert summary(tmp_path / "out")["dead_letters"] == {"null_text": 1_000_000}


def test_ten_thousand_tiny_files(tmp_path: Path) -> None:
    first = Path(write(tmp_path / "in" / "0.parquet", {"text": ["One. Two."] * 3}))
    for number in range(1, 10_000):
        (tmp_path / "in" / f"{number}.parquet").hardlink_to(first)
    assert peak_of(tmp_path / "in", tmp_path / "out") < BOUND
    assert summary(tmp_path / "out")["documents"] == 30_000


@pytest.mark.parametrize("form", ["lines", "jsonl", "text"])
def test_a_line_of_a_gigabyte(tmp_path: Path, form: str) -> None:
    """Compressed, it is a file of a megabyte: what is held must not follow from what it unfolds to."""
    source = tmp_path / f"in.{'jsonl' if form == 'jsonl' else 'txt'}.gz"
    with gzip.open(source, "wb", 1) as file:
        file.write(b'{"text": "A."}\n{"text": "' if form == "jsonl" else b"A.\n")
        for _ in range(1000):
            file.write(b"x" * MEGABYTE)
        file.write(b'"}\n{"text": "B."}\n' if form == "jsonl" else b"\nB.\n")
    assert peak_of(source, tmp_path / "out", f"--format={form}") < BOUND
    figures = summary(tmp_path / "out")
    assert figures["dead_letters"] == {"limit_exceeded": 1}
    assert figures["chunked"] == (0 if form == "text" else 2)


def test_long_documents_that_stand_together(tmp_path: Path) -> None:
    """A row group whose average says nothing: many empty rows, then rows of a megabyte."""
    long = "Long. " * (MEGABYTE // 6)
    texts = pa.array(["", long]).take(pa.array([0] * 200_000 + [1] * 300))
    source = write(
        tmp_path / "in.parquet", {"text": texts}, row_group_size=300_000, use_dictionary=False
    )
    options = ["--max-text-bytes=none", "--max-sentences=none", "--max-output-bytes=none"]
    assert peak_of(source, tmp_path / "out", *options) < 3 * BOUND


def test_a_large_value_kept_beside_many_chunks(tmp_path: Path) -> None:
    """Ten kilobytes of a file, that are 2.7 GB to write."""
    texts, kept = ["A b.\n" * 30_000, "Short."], ["x" * 90_000, "y"]
    source = write(tmp_path / "in.parquet", {"text": texts, "html": kept})
    peak = peak_of(source, tmp_path / "out", "--max-size", "3", "--keep", "html")
    assert peak < 2 * BOUND
    assert summary(tmp_path / "out")["chunks"] == 30_000 + 1
    found = pq.ParquetFile(tmp_path / "out" / "chunks" / "part-00000.parquet")
    lengths = {
        len(value)
        for batch in found.iter_batches(100, columns=["html"])
        for value in batch["html"].to_pylist()
    }
    assert lengths == {90_000, 1}
