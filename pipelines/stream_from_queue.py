"""Documents from a queue, as they come → chunks into another, with counts by window.

python pipelines/stream_from_queue.py --subscription=projects/P/subscriptions/documents \
    --chunks=projects/P/topics/chunks --dead_letters=projects/P/topics/dead-letters --streaming --runner=…

A message is a JSON object with `id` and `text`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import apache_beam as beam
import pyarrow as pa
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.transforms.window import FixedWindows

import sentchunk_beam


class Outputs(NamedTuple):
    chunks: beam.PCollection
    dead_letters: beam.PCollection
    chunks_by_window: beam.PCollection


def parsed(message: bytes) -> Iterator[Any]:
    """A document; or, tagged, what is none. An exception would have the queue deliver it again, for ever."""
    try:
        found = json.loads(message)
        yield {"id": str(found["id"]), "text": str(found["text"])}
    except (ValueError, KeyError, TypeError) as error:
        letter = {"code": "invalid_message", "message": repr(error)[:200]}
        yield beam.pvalue.TaggedOutput("no_documents", letter)


def table(documents: list[dict[str, str]]) -> pa.Table:
    return pa.Table.from_pylist(documents, pa.schema({"id": pa.string(), "text": pa.string()}))


def chunk(messages: beam.PCollection, max_size: int, window_seconds: int = 60) -> Outputs:
    """Chunks and dead letters as dicts, each in the window of its message, and how many chunks each window has."""
    documents = (
        messages
        | beam.WindowInto(FixedWindows(window_seconds))
        | "Parse" >> beam.FlatMap(parsed).with_outputs("no_documents", main="documents")
    )
    result = (
        documents.documents
        # Within a bundle and a window: nothing waits for a batch to fill.
        | beam.BatchElements(min_batch_size=1, max_batch_size=500)
        | "ToTable" >> beam.Map(table).with_output_types(pa.Table)
        | sentchunk_beam.ChunkDocuments(max_size=max_size, id_column="id")
    )
    chunks = result.chunks | "ChunkRows" >> beam.FlatMap(pa.Table.to_pylist)
    letters = result.dead_letters | "LetterRows" >> beam.FlatMap(pa.Table.to_pylist)
    counted = chunks | beam.combiners.Count.Globally().without_defaults()
    return Outputs(chunks, (letters, documents.no_documents) | beam.Flatten(), counted)


def encoded(row: dict[str, Any]) -> bytes:
    return json.dumps(row).encode()


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    for name in ("subscription", "chunks", "dead_letters"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--max_size", type=int, default=1000)
    given, beams = parser.parse_known_args(arguments)
    with beam.Pipeline(options=PipelineOptions(beams)) as pipeline:
        messages = pipeline | beam.io.ReadFromPubSub(subscription=given.subscription)
        outputs = chunk(messages, given.max_size)
        for name in ("chunks", "dead_letters"):
            rows = getattr(outputs, name) | f"Encode {name}" >> beam.Map(encoded)
            rows | f"Write {name}" >> beam.io.WriteToPubSub(topic=getattr(given, name))


if __name__ == "__main__":
    main()
