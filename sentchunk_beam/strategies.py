"""Strategies: the ways to chunk a document. What a job calls, whatever the way is."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Protocol

import pyarrow as pa
from sentchunk import ChunkSpec, Limits
from sentchunk.arrow import CHUNKS_SCHEMA, chunk_column
from sentchunk.semantic import SemanticSpec
from sentchunk.semantic.columns import SEMANTIC_CHUNKS_SCHEMA, chunk_semantic_column
from sentchunk.semantic.kinds import DOCUMENT, checked_doc_type
from sentchunk.spec import DEFAULT_LIMITS


@dataclass(frozen=True)
class TypeAware:
    """The parameters of the type-aware strategy, as ChunkSpec has those of the sentence strategy.

    caps: of every chunk. limits: per document; `max_sentences` means nothing here.
    doc_type: of all documents; None where a column tells, or the format does ("email" for mail), else "document".
    Raises InvalidInput for a doc_type that is a special name but for case or blanks.
    """

    caps: SemanticSpec = field(default_factory=SemanticSpec)
    limits: Limits = field(default=DEFAULT_LIMITS)
    doc_type: str | None = None

    def __post_init__(self) -> None:
        if self.doc_type is not None:
            checked_doc_type(self.doc_type)


Spec = ChunkSpec | TypeAware


@dataclass(frozen=True)
class Found:
    """What a strategy finds in a column of documents.

    chunks: `document`, the place in the column, and the strategy's columns. rejects: as REJECTS_SCHEMA has them.
    """

    chunks: pa.Table
    rejects: pa.Table
    documents: int
    sentences: int
    text_bytes: int


class Strategy(Protocol):
    """A way to chunk.

    schema: its columns of a chunk, `document` first. key: what the ids of chunks take from its parameters, at most 64
    bytes.
    """

    schema: pa.Schema

    @property
    def key(self) -> bytes: ...

    def chunk(self, texts: pa.ChunkedArray, doc_types: pa.ChunkedArray | str | None) -> Found:
        """Chunk every document of a column. `doc_types` has the type of each, or is that of all, where one is known."""


@dataclass(frozen=True)
class Sentences:
    """Whole sentences, packed up to a size."""

    spec: ChunkSpec
    schema = CHUNKS_SCHEMA

    @property
    def key(self) -> bytes:
        return f"{self.spec.max_size},{self.spec.unit},{self.spec.overlap}".encode()

    def chunk(self, texts: pa.ChunkedArray, doc_types: pa.ChunkedArray | str | None) -> Found:
        return Found(*chunk_column(texts, self.spec))


@dataclass(frozen=True)
class Structure:
    """Parts, paragraphs and sentences, as the type of each document has them."""

    spec: TypeAware
    schema = SEMANTIC_CHUNKS_SCHEMA

    @property
    def key(self) -> bytes:
        caps, doc_type = self.spec.caps, self.spec.doc_type
        told = f"type-aware,{caps.max_tokens},{caps.chars},{caps.overlap},{doc_type!r}"
        return blake2b(told.encode(errors="surrogatepass"), digest_size=32).digest()

    def chunk(self, texts: pa.ChunkedArray, doc_types: pa.ChunkedArray | str | None) -> Found:
        found = chunk_semantic_column(
            texts, self.types(doc_types, len(texts)), self.spec.caps, self.spec.limits
        )
        return Found(found.chunks, found.rejects, found.documents, 0, found.text_bytes)

    def types(self, doc_types: pa.ChunkedArray | str | None, count: int) -> list[str]:
        """The type of each document. One that a column leaves null is a document."""
        if self.spec.doc_type is not None:
            return [self.spec.doc_type] * count
        if doc_types is None or isinstance(doc_types, str):
            return [doc_types or DOCUMENT] * count
        return [DOCUMENT if each is None else each for each in doc_types.to_pylist()]


def strategy_of(spec: Spec) -> Strategy:
    return Sentences(spec) if isinstance(spec, ChunkSpec) else Structure(spec)


def spec_from_dict(fields: dict[str, Any]) -> Spec:
    """The parameters as `dataclasses.asdict` has them."""
    limits = Limits(**fields["limits"])
    if "caps" in fields:
        return TypeAware(SemanticSpec(**fields["caps"]), limits, fields["doc_type"])
    return ChunkSpec(**fields | {"limits": limits})
