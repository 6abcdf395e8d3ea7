"""A Beam pipeline as Beam's documentation shows it, with LangChain's splitter in a FlatMap."""

import sys

import apache_beam as beam
import pyarrow as pa
from apache_beam.options.pipeline_options import PipelineOptions
from langchain_text_splitters import RecursiveCharacterTextSplitter

SPLITTER = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=0)


def split(document: dict) -> list[dict]:
    return [{"id": document["id"], "text": text} for text in SPLITTER.split_text(document["text"])]


def main(source: str, out: str) -> None:
    schema = pa.schema([("id", pa.string()), ("text", pa.string())])
    with beam.Pipeline(options=PipelineOptions(["--runner=FnApiRunner"])) as pipeline:
        (
            pipeline
            | beam.io.ReadFromParquet(source)
            | beam.FlatMap(split)
            | beam.io.WriteToParquet(
                f"{out}/part", schema, file_name_suffix=".parquet", codec="zstd"
            )
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
