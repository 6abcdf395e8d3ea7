"""Hugging Face's `datasets.map` with semantic-text-splitter."""

import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from datasets import Dataset, disable_progress_bars
from semantic_text_splitter import TextSplitter

SPLITTER = TextSplitter(1000, trim=False)


def split(batch: dict) -> dict:
    found = [
        (name, text)
        for name, whole in zip(batch["id"], batch["text"], strict=True)
        for text in SPLITTER.chunks(whole)
    ]
    return {"id": [name for name, _ in found], "text": [text for _, text in found]}


def main(source: str, out: str) -> None:
    disable_progress_bars()
    Path(out).mkdir()
    with tempfile.TemporaryDirectory() as cache:
        dataset = Dataset.from_parquet(source, cache_dir=cache)
        chunks = dataset.map(split, batched=True, remove_columns=dataset.column_names)
        # `to_parquet` has its own choice of compression; the others here use zstd.
        pq.write_table(chunks.data.table, f"{out}/chunks.parquet", compression="zstd")


if __name__ == "__main__":
    main(*sys.argv[1:])
