"""Corpora and runs for the tests of the Beam layer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sentchunk_beam.cli import main


def write(path: Path, columns: dict[str, Any] | pa.Table, **options: Any) -> str:
    """Write a Parquet file and give its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    pq.write_table(table, path, **options)
    return str(path)


def run(*arguments: object) -> int:
    """Run `sentchunk chunk` in this process, and give its exit status."""
    try:
        return main(["chunk", *map(str, arguments)])
    except SystemExit as stop:
        return int(stop.code or 0)


def rows(
    output: Path, kind: str = "chunks", without: tuple[str, ...] = ("chunk_id",)
) -> list[dict[str, Any]]:
    """The rows of an output, but for columns that the test does not look at."""
    table = pq.read_table(output / kind)
    return table.drop_columns([name for name in without if name in table.column_names]).to_pylist()


def summary(output: Path) -> dict[str, Any]:
    assert (output / "_SUCCESS").exists()
    return json.loads((output / "summary.json").read_text("utf-8"))


def invalid_utf8(*raw: bytes) -> pa.Array:
    """A string array with bytes that are not checked, as a crawl has them."""
    return pa.array(raw, pa.binary()).view(pa.string())
