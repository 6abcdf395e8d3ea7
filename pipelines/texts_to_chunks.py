"""Texts on object storage, a file a document → chunks as Parquet.

python pipelines/texts_to_chunks.py --input='gs://bucket/books/*.txt' --output=gs://bucket/chunks --runner=…
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import apache_beam as beam
import pyarrow as pa
from apache_beam.io import fileio
from apache_beam.options.pipeline_options import PipelineOptions
from sentchunk import Limits

import sentchunk_beam

LIMIT = Limits().max_text_bytes or 0


def table(file: fileio.ReadableFile) -> Iterator[pa.Table]:
    """A document a table. One that is over the limit becomes a dead letter, and is not read further than that."""
    with file.open() as source:
        text = source.read(LIMIT + 1)
    yield pa.table({"path": [file.metadata.path], "text": pa.array([text], pa.binary())})


def cast(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """With the schema that the files have: no column of it holds nulls unless it says so."""
    return table.cast(schema)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--input", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--max_size", type=int, default=1000)
    given, beams = parser.parse_known_args(arguments)
    with beam.Pipeline(options=PipelineOptions(beams)) as pipeline:
        result = (
            pipeline
            | fileio.MatchFiles(given.input)
            | beam.Reshuffle()
            | fileio.ReadMatches()
            | "ReadTable" >> beam.FlatMap(table).with_output_types(pa.Table)
            | sentchunk_beam.ChunkDocuments(max_size=given.max_size, id_column="path")
        )
        outputs = {
            "chunks": (result.chunks, sentchunk_beam.chunks_schema(pa.field("document_id", pa.string()))),
            "dead_letters": (result.dead_letters, sentchunk_beam.dead_letters_schema(pa.field("document_id", pa.string()))),
        }  # fmt: skip
        for name, (found, schema) in outputs.items():
            typed = found | f"Type {name}" >> beam.Map(cast, schema).with_output_types(pa.Table)
            typed | f"Write {name}" >> beam.io.WriteToParquetBatched(
                f"{given.output}/{name}/part", schema, codec="zstd", file_name_suffix=".parquet"
            )


if __name__ == "__main__":
    main()
