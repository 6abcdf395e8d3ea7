"""The first look: a small corpus from what the interpreter ships, the real job on it, and some of its rows."""

from __future__ import annotations

import argparse
import re
from pydoc_data.topics import topics
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from sentchunk import ChunkSpec

from .. import files, job
from ..settings import Columns, Settings
from .chunk import run_job

SPEC = ChunkSpec(max_size=300, overlap=1)
SHOWN = 5


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "demo", help="write a small corpus, chunk it, and show what came out", allow_abbrev=False
    )
    command.add_argument(
        "folder", nargs="?", default="sentchunk-demo", help="a new folder (%(default)s)"
    )
    command.set_defaults(run=run)


def run(given: argparse.Namespace, options: Any) -> int:
    folder = files.absolute(given.folder)
    job.refuse_used(folder)
    corpus, output = files.join(folder, "corpus.parquet"), files.join(folder, "chunked")
    table = documents()
    with files.create(corpus) as sink:
        pq.write_table(table, sink)
    print(
        f"{table.num_rows} documents written: Python's own help topics, and four that cannot be chunked.\n"
    )
    command = f"sentchunk chunk {corpus} --output {output} --id-column topic"
    print(f"$ {command} --max-size {SPEC.max_size} --overlap {SPEC.overlap}\n")
    status, _ = run_job(job.Job([corpus], output, Settings(SPEC, Columns(id="topic"))), options)
    if status == 0:
        show(output)
    return status


def documents() -> pa.Table:
    """The help topics, and documents that are too long, null, not UTF-8, and of too many sentences."""
    texts = {topic: _unwrapped(text).encode() for topic, text in sorted(topics.items())}
    texts["(too long)"] = b"A long document. " * 20_000
    texts["(not UTF-8)"] = "Un café.".encode("latin-1")
    texts["(too many sentences)"] = b"\n" * 70_000
    raw = pa.array([*texts.values(), None], pa.binary())
    return pa.table({"topic": [*texts, "(null)"], "text": raw.view(pa.string())})


def _unwrapped(text: str) -> str:
    """Paragraphs in one line each: a newline ends a sentence, and the topics are wrapped for a terminal."""
    return re.sub(r"(?<=[^\s*=-])\n(?=\w)", " ", text)


def show(output: str) -> None:
    """A few rows of each kind."""
    chunks = pq.read_table(files.join(output, "chunks"))
    oversized = chunks.filter(chunks["oversized"])
    print(f"\nThe first chunks ({files.join(output, 'chunks')}):")
    _print_chunks(chunks.slice(0, SHOWN))
    print(f"\nOversized: a sentence of more than {SPEC.max_size} is never cut:")
    _print_chunks(oversized.slice(0, 2))
    print(f"\nDead letters ({files.join(output, 'dead_letters')}):")
    for row in pq.read_table(files.join(output, "dead_letters")).to_pylist():
        print(f"  {row['document_id']:<22} {row['code']:<15} {row['message']}")


def _print_chunks(chunks: pa.Table) -> None:
    for row in chunks.to_pylist():
        place = f"{row['document_id']}[{row['start']}:{row['end']}]"
        text = " ".join(row["text"].split())
        print(f"  {place:<24} {row['sentence_count']:>2} sentence(s)  {text[:64]}")
