"""Parquet → chunks → rows for BigQuery, as JSON Lines files or into a table.

python pipelines/parquet_to_bigquery.py --input='corpus/*.parquet' --output=rows/chunks --runner=FnApiRunner
python pipelines/parquet_to_bigquery.py --input='gs://…/*.parquet' --table=PROJECT:DATASET.chunks --runner=DataflowRunner …
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.io import fileio
from apache_beam.options.pipeline_options import PipelineOptions

import sentchunk_beam

SCHEMA = (
    "chunk_id:STRING,document_id:STRING,chunk_index:INTEGER,text:STRING,start:INTEGER,end:INTEGER,"
    "size:INTEGER,first_sentence:INTEGER,sentence_count:INTEGER,oversized:BOOLEAN"
)


def tables(file: fileio.ReadableFile) -> Iterator[pa.Table]:
    """The documents of a file, some hundred at a time: a row group can be larger than memory."""
    with file.open() as source:
        for batch in pq.ParquetFile(source).iter_batches(500, columns=["id", "text"]):
            yield pa.Table.from_batches([batch])


def rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Chunks as BigQuery takes them. Their ids follow from the documents: a second load can be merged by them."""
    yield from table.to_pylist()


def chunk(files: beam.PCollection, max_size: int) -> tuple[beam.PCollection, beam.PCollection]:
    """Rows of chunks, and rows of what could not be chunked."""
    result = (
        files
        | "ReadTables" >> beam.FlatMap(tables).with_output_types(pa.Table)
        | sentchunk_beam.ChunkDocuments(max_size=max_size, id_column="id")
    )
    return (
        result.chunks | "ChunkRows" >> beam.FlatMap(rows),
        result.dead_letters | "DeadLetterRows" >> beam.FlatMap(rows),
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--input", required=True)
    parser.add_argument("--output", default="rows")
    parser.add_argument("--table")
    parser.add_argument("--max_size", type=int, default=1000)
    given, beams = parser.parse_known_args(arguments)
    with beam.Pipeline(options=PipelineOptions(beams)) as pipeline:
        files = pipeline | fileio.MatchFiles(given.input) | fileio.ReadMatches()
        chunks, dead_letters = chunk(files, given.max_size)
        if given.table:
            chunks | beam.io.WriteToBigQuery(given.table, schema=SCHEMA)
        else:
            write(chunks, f"{given.output}/chunks")
        write(dead_letters, f"{given.output}/dead_letters")


def write(lines: beam.PCollection, prefix: str) -> None:
    name = prefix.rpartition("/")[2]
    text = lines | f"ToJson {name}" >> beam.Map(json.dumps)
    text | f"Write {name}" >> beam.io.WriteToText(prefix, file_name_suffix=".jsonl")


if __name__ == "__main__":
    main()
