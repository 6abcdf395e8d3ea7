"""The snippets of docs/without-beam.md: each is run as it stands, and gives the rows that pyarrow's gives."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from sentchunk import chunk

from integrations import need

PAGE = Path(__file__).parents[2] / "docs" / "without-beam.md"
SNIPPETS = dict(re.findall(r"<!-- (\w+) -->\n```python\n(.*?)```", PAGE.read_text("utf-8"), re.S))


def rows_of(chunks: Any) -> list[dict]:
    """The rows, in whatever the engine gives them."""
    if isinstance(chunks, pa.Table):
        return chunks.to_pylist()
    module = type(chunks).__module__.split(".")[0]
    return {
        "pandas": lambda: chunks.to_dict("records"),
        "polars": lambda: chunks.to_dicts(),
        "duckdb": lambda: chunks.to_arrow_table().to_pylist(),
        "_duckdb": lambda: chunks.to_arrow_table().to_pylist(),
        "datasets": lambda: chunks.with_format(None).to_list(),
        "ray": lambda: chunks.take_all(),
        "pyspark": lambda: [row.asDict() for row in chunks.collect()],
    }[module]()


def place(row: dict) -> tuple:
    return row["id"], row["chunk_index"], row["start"], row["end"], row["text"]


def run(name: str) -> list[tuple]:
    namespace: dict[str, Any] = {"__name__": "snippet"}
    exec(SNIPPETS["setup"] + SNIPPETS[name], namespace)
    return sorted(map(place, rows_of(namespace["chunks"])))


EXPECTED = [
    (identity, index, row.start, row.end, row.text)
    for identity, text in [("a", "One. Two two. Three three three."), ("c", "日本。It is. 😀 Yes!")]
    for index, row in enumerate(chunk(text, max_size=14, overlap=1))
]


@pytest.mark.parametrize("name", ["pyarrow", "pandas", "polars", "duckdb", "datasets"])
def test_snippet(name: str) -> None:
    need(name)
    assert run(name) == EXPECTED
    assert len(EXPECTED) >= 4


@pytest.mark.parametrize(("name", "package"), [("ray", "ray"), ("spark", "pyspark")])
def test_snippet_of_a_cluster(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # and not the first one on the path
    pytest.importorskip(package, reason="a large install, that is run by hand")
    assert run(name) == EXPECTED


def test_every_snippet_is_run() -> None:
    tested = {"setup", "pyarrow", "pandas", "polars", "duckdb", "datasets", "ray", "spark"}
    assert set(SNIPPETS) == tested
    assert PAGE.read_text("utf-8").count("```python") == len(tested)
