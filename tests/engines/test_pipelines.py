"""The pipelines that show the transform, each run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import apache_beam as beam
import pyarrow.parquet as pq
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing import test_stream
from apache_beam.testing.util import assert_that, equal_to, equal_to_per_window
from apache_beam.transforms.window import IntervalWindow, TimestampedValue
from job.helpers import write
from remote import PREFIX

from engines.conftest import REPOSITORY

sys.path.append(str(REPOSITORY / "pipelines"))
import parquet_to_bigquery
import stream_from_queue
import texts_to_chunks

RUNNER = "--runner=FnApiRunner"


def test_parquet_to_bigquery_rows(tmp_path: Path) -> None:
    texts = ["One. Two.", None, "Three."]
    write(tmp_path / "in" / "a.parquet", {"id": ["a", "b", "c"], "text": texts, "more": [1, 2, 3]})
    parquet_to_bigquery.main([
        f"--input={tmp_path}/in/*.parquet", f"--output={tmp_path}/rows", "--max_size=5", RUNNER
    ])  # fmt: skip
    (path,) = (tmp_path / "rows").glob("chunks*.jsonl")
    chunks = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(each["document_id"], each["text"]) for each in chunks] == [
        ("a", "One. "), ("a", "Two."), ("c", "Three."),
    ]  # fmt: skip
    fields = dict(each.split(":") for each in parquet_to_bigquery.SCHEMA.split(","))
    kinds = {"STRING": str, "INTEGER": int, "BOOLEAN": bool}
    for chunk in chunks:
        assert {name: kinds[kind] for name, kind in fields.items()} == {
            name: type(value) for name, value in chunk.items()
        }
    (path,) = (tmp_path / "rows").glob("dead_letters*.jsonl")
    (letter,) = (json.loads(line) for line in path.read_text().splitlines())
    assert (letter["document_id"], letter["code"]) == ("b", "null_text")


def test_texts_on_object_storage(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("One. Two.")
    (tmp_path / "in" / "bad.txt").write_bytes(b"\xff")
    (tmp_path / "in" / "long.txt").write_text("Long. " * 100_000)
    texts_to_chunks.main([
        f"--input={PREFIX}{tmp_path}/in/*.txt", f"--output={PREFIX}{tmp_path}/out", "--max_size=5", RUNNER
    ])  # fmt: skip
    rows = pq.read_table(tmp_path / "out" / "chunks").to_pylist()
    assert [(row["document_id"], row["text"]) for row in rows] == [
        (f"{PREFIX}{tmp_path}/in/a.txt", text) for text in ("One. ", "Two.")
    ]
    letters = pq.read_table(tmp_path / "out" / "dead_letters").to_pylist()
    assert sorted(each["code"] for each in letters) == ["invalid_utf8", "limit_exceeded"]


def message(identity: str, text: object, at: int) -> TimestampedValue:
    return TimestampedValue(json.dumps({"id": identity, "text": text}).encode(), at)


def test_a_stream_from_a_queue() -> None:
    stream = (
        test_stream.TestStream()
        .advance_watermark_to(0)
        .add_elements([message("a", "One. Two.", 5), message("b", "Three.", 30)])
        .advance_processing_time(1)
        .add_elements([message("c", "Four. Five. Six.", 61), TimestampedValue(b"no JSON", 62)])
        .add_elements([message("d", "Seven.", 59)])  # out of order, and in time
        .advance_watermark_to(130)
        .add_elements([message("e", "Too late.", 10), message("f", "x" * 300_000, 140)])
        .advance_watermark_to_infinity()
    )
    first, second = IntervalWindow(0, 60), IntervalWindow(60, 120)
    with beam.Pipeline(
        options=PipelineOptions(["--runner=BundleBasedDirectRunner", "--streaming"])
    ) as pipeline:
        found = stream_from_queue.chunk(pipeline | stream, max_size=6)
        chunks = found.chunks | beam.Map(lambda row: (row["document_id"], row["text"]))
        expected = {
            first: [("a", "One. "), ("a", "Two."), ("b", "Three."), ("d", "Seven.")],
            second: [("c", "Four. "), ("c", "Five. "), ("c", "Six.")],
        }
        assert_that(
            found.chunks_by_window, equal_to_per_window({first: [4], second: [3]}), label="counts"
        )
        codes = found.dead_letters | "codes" >> beam.Map(lambda row: row["code"])
        assert_that(codes, equal_to(["invalid_message", "limit_exceeded"]), label="dead letters")
        in_windows = chunks | beam.Filter(lambda row: row[0] != "e")
        assert_that(in_windows, equal_to_per_window(expected), label="chunks")


@pytest.mark.parametrize("module", [parquet_to_bigquery, texts_to_chunks, stream_from_queue])
def test_they_are_short(module: object) -> None:
    assert len(Path(str(module.__file__)).read_text().splitlines()) < 110  # type: ignore[attr-defined]
