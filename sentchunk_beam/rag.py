"""Sentence chunking for Beam's RAG pipelines: a chunking provider for `MLTransform`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apache_beam as beam
from apache_beam.ml.rag.chunking.base import ChunkingTransformProvider
from apache_beam.ml.rag.types import Chunk
from sentchunk import Limits
from sentchunk.spec import DEFAULT_LIMITS, Unit

from .errors import JobError
from .row_shapes import has_schema
from .rows import ChunkRows, fail


class SentenceChunkingProvider(ChunkingTransformProvider):
    """Packs whole sentences into chunks, within Beam's `MLTransform`.

    Input: a PCollection of dicts, or of rows with a schema. Output: a PCollection of
    `apache_beam.ml.rag.types.Chunk`, with the text in `content.text`, the place among the document's chunks in `index`,
    and in `metadata`: document_id, start, end (half-open, in the unit), size, first_sentence, sentence_count,
    oversized, and the kept fields. `id` is the key that every other way of chunking gives (`chunk_id`): the same
    document, parameters and index give the same id, in every run.

    A document that cannot be chunked fails the pipeline, or is among the errors of an MLTransform that has
    `with_exception_handling()`: its `element` is then the dead letter as a dict, and `msg` says why. Beam 2.77 has that
    for one transform only, so that before an embedding the chunks, and the errors, are better made by
    `get_splitter_transform().with_exception_handling()`, and given to the MLTransform (as pipelines/embed.py does).

    max_size, unit, overlap, limits: as for `sentchunk.chunk`.
    text, id, keep, drop_blank: as for `ChunkRows`. Kept fields can be of any type.
    Raises sentchunk.InvalidInput or sentchunk_beam.UsageError, with the value, when it is constructed.
    """

    def __init__(
        self,
        *,
        max_size: int,
        unit: Unit = "code_point",
        overlap: int = 0,
        limits: Limits = DEFAULT_LIMITS,
        text: str = "text",
        id: str | None = "id",
        keep: Sequence[str] = (),
        drop_blank: bool = False,
    ) -> None:
        super().__init__()
        self._options: dict[str, Any] = {
            "max_size": max_size, "unit": unit, "overlap": overlap, "limits": limits,
            "text": text, "id": id, "keep": keep, "drop_blank": drop_blank,
        }  # fmt: skip
        ChunkRows(**self._options)  # for its checks

    def get_splitter_transform(self) -> beam.PTransform:
        return _Split(self._options)

    def get_ptransform_for_processing(self, **kwargs: Any) -> beam.PTransform:
        # As it is: under another label MLTransform would not find `with_exception_handling`.
        return self.get_splitter_transform()


class _Split(beam.PTransform):
    """Chunks; and where errors are handled, a pair of chunks and errors, in Beam's form of them."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__("Split into sentences")
        self._options = options
        self._handles_errors = False

    def with_exception_handling(self, **kwargs: Any) -> _Split:
        # What exceptions count, and how many: a dead letter is no exception, and there may be any number of them.
        self._handles_errors = True
        return self

    def expand(self, documents: beam.PCollection) -> Any:
        options = dict(self._options)
        if not has_schema(documents.element_type):
            names = [*options["keep"], *([options["id"]] if options["id"] is not None else [])]
            options["types"] = dict.fromkeys(names, Any)
        rows, dead_letters = documents | ChunkRows(**options)
        chunks = rows | "To chunks" >> beam.Map(_chunk).with_output_types(Chunk)
        if self._handles_errors:
            return chunks, dead_letters | "To errors" >> beam.Map(_error)
        dead_letters | "Fail" >> beam.Map(fail)
        return chunks


_OWN_FIELDS = ("chunk_id", "chunk_index", "text")


def _chunk(row: Any) -> Chunk:
    metadata = {name: value for name, value in row._asdict().items() if name not in _OWN_FIELDS}
    return Chunk.from_text(row.text, id=row.chunk_id, index=row.chunk_index, metadata=metadata)


def _error(dead_letter: Any) -> tuple[dict[str, Any], tuple[type, str, list[str]]]:
    return dead_letter._asdict(), (JobError, f"{dead_letter.code}: {dead_letter.message}", [])
