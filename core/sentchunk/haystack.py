"""A component for Haystack's pipelines. Needs `haystack-ai`: `pip install 'sentchunk-beam[haystack]'`."""

from __future__ import annotations

import copy
from dataclasses import asdict
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict

from .errors import InvalidInput
from .spec import DEFAULT_LIMITS, ChunkSpec, Limits
from .text import chunk_with


@component
class SentenceSplitter:
    """Packs whole sentences into chunks: a list of documents in, a list of smaller documents out.

    max_size: 1 to 1,048,576 code points, which is what Haystack counts, and what `split_idx_start` is in.
    overlap: 0 to 16 sentences of the previous chunk to repeat, as many as fit.
    limits: per-document limits, as `Limits` or as a dict of its fields; None in it switches one off.
    The metadata of a chunk is its document's, with Haystack's own names besides: `source_id`, `split_id` (from 0) and
    `split_idx_start`. Its content is the exact slice there: nothing is stripped. A sentence larger than max_size is
    never cut: it is a chunk of its own.
    To load a pipeline from its file, Haystack wants to be told of the module: `allowed_modules=["sentchunk.haystack"]`.
    Raises sentchunk.InvalidInput (a parameter, a document without content) and sentchunk.LimitExceeded.
    """

    def __init__(
        self,
        max_size: int,
        overlap: int = 0,
        limits: Limits | dict[str, int | None] = DEFAULT_LIMITS,
    ) -> None:
        if isinstance(limits, dict):
            limits = Limits(**limits)
        self._spec = ChunkSpec(max_size, "code_point", overlap, limits)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """The chunks of the documents, in order."""
        chunks: list[Document] = []
        for document in documents:
            if document.content is None:
                raise InvalidInput(
                    "documents", f"document {document.id} has no content; give texts"
                )
            for index, each in enumerate(chunk_with(self._spec, document.content)[0]):
                meta = copy.deepcopy(document.meta)
                meta |= {
                    "source_id": document.id,
                    "split_id": index,
                    "split_idx_start": each.start,
                }
                chunks.append(Document(content=each.text, meta=meta))
        return {"documents": chunks}

    def to_dict(self) -> dict[str, Any]:
        """The component as Haystack writes it into a pipeline's file."""
        spec = self._spec
        parameters = {
            "max_size": spec.max_size,
            "overlap": spec.overlap,
            "limits": asdict(spec.limits),
        }
        return default_to_dict(self, **parameters)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SentenceSplitter:
        """The component from what `to_dict` gave."""
        return default_from_dict(cls, data)
