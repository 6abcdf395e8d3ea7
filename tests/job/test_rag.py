"""`SentenceChunkingProvider` inside Beam's `MLTransform`."""

from __future__ import annotations

import hashlib
from typing import Any

import apache_beam as beam
import numpy as np
import pytest
from apache_beam.ml.inference.base import ModelHandler, RunInference
from apache_beam.ml.rag.embeddings.base import create_text_adapter
from apache_beam.ml.transforms.base import EmbeddingsManager, MLTransform, _TextEmbeddingHandler
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.util import assert_that, equal_to
from sentchunk import InvalidInput, chunk

from sentchunk_beam import ChunkRows
from sentchunk_beam.rag import SentenceChunkingProvider

OPTIONS = PipelineOptions(runner="FnApiRunner")
DOCUMENTS = [
    {"id": 1, "text": "One. Two.", "tags": ["a", "b"]},
    {"id": "x", "text": "Dos.", "tags": None},
]


class Model(ModelHandler):
    """Stands in for a model: a vector of two numbers that a text determines."""

    def load_model(self) -> Any:
        return lambda text: [len(text), hashlib.sha256(text.encode()).digest()[0]]

    def run_inference(self, batch: Any, model: Any, inference_args: Any = None) -> Any:
        return [np.array(model(text), float) for text in batch]


class Embeddings(EmbeddingsManager):
    def __init__(self) -> None:
        super().__init__(type_adapter=create_text_adapter())

    def get_model_handler(self) -> ModelHandler:
        return Model()

    def get_ptransform_for_processing(self, **_: Any) -> beam.PTransform:
        return RunInference(_TextEmbeddingHandler(self))


def described(item: Any) -> tuple:
    vector = None if item.embedding is None else list(item.embedding.dense_embedding)
    return item.id, item.index, item.content.text, sorted(item.metadata.items()), vector


def expected(with_vectors: bool) -> list[tuple]:
    found = []
    for document in DOCUMENTS:
        for index, row in enumerate(chunk(document["text"], max_size=5)):
            metadata = row._asdict() | {"document_id": document["id"], "tags": document["tags"]}
            text = metadata.pop("text")
            found.append(
                (
                    index,
                    text,
                    sorted(metadata.items()),
                    Model().load_model()(text) if with_vectors else None,
                )
            )
    return found


def provider(**options: Any) -> SentenceChunkingProvider:
    return SentenceChunkingProvider(max_size=5, keep=["tags"], **options)


@pytest.mark.parametrize("with_vectors", [False, True])
def test_chunks_go_on_to_embeddings(tmp_path, with_vectors: bool) -> None:
    transform = MLTransform(write_artifact_location=str(tmp_path)).with_transform(provider())
    if with_vectors:
        transform = transform.with_transform(Embeddings())
    with beam.Pipeline(options=OPTIONS) as pipeline:
        chunks = pipeline | beam.Create(DOCUMENTS) | transform | beam.Map(described)
        keys = (
            pipeline | "again" >> beam.Create(DOCUMENTS) | ChunkRows(max_size=5, types={"id": Any})
        ).chunks | beam.Map(lambda row: row.chunk_id)
        assert_that(
            chunks | "rest" >> beam.Map(lambda each: each[1:]), equal_to(expected(with_vectors))
        )

        def same(ids: list[str]) -> None:
            half = len(ids) // 2
            assert half == 3
            assert sorted(ids)[::2] == sorted(ids)[1::2]

        both = (chunks | "ids" >> beam.Map(lambda each: each[0]), keys) | beam.Flatten()
        assert_that(both, same, "ids are those of ChunkRows")


def test_rows_with_a_schema(tmp_path) -> None:
    with beam.Pipeline(options=OPTIONS) as pipeline:
        documents = pipeline | beam.Create([beam.Row(id="a", text="One. Two.", lang="en")])
        splitter = SentenceChunkingProvider(max_size=5, keep=["lang"])
        transform = MLTransform(write_artifact_location=str(tmp_path)).with_transform(splitter)
        found = (
            documents
            | transform
            | beam.Map(lambda item: (item.metadata["lang"], item.metadata["start"]))
        )
        assert_that(found, equal_to([("en", 0), ("en", 5)]))


def test_a_dead_letter_fails_the_pipeline_or_is_an_error(tmp_path) -> None:
    documents = [*DOCUMENTS, {"id": "lost", "text": None, "tags": None}]
    failing = beam.Pipeline(options=OPTIONS)
    transform = MLTransform(write_artifact_location=f"{tmp_path}/a").with_transform(provider())
    failing | beam.Create(documents) | transform
    with pytest.raises(Exception, match="document 'lost': the text is null"):
        failing.run()
    with beam.Pipeline(options=OPTIONS) as pipeline:
        transform = MLTransform(write_artifact_location=f"{tmp_path}/b").with_transform(provider())
        chunks, errors = pipeline | beam.Create(documents) | transform.with_exception_handling()
        rest = chunks | beam.Map(described) | "rest" >> beam.Map(lambda each: each[1:])
        assert_that(rest, equal_to(expected(False)), "chunks")
        said = errors | beam.Map(lambda row: (row.element["document_id"], row.msg))
        assert_that(said, equal_to([("lost", "null_text: the text is null")]), "errors")


def test_mistakes_show_at_construction() -> None:
    with pytest.raises(InvalidInput, match="max_size is 0"):
        SentenceChunkingProvider(max_size=0)
