"""Rows of the chunks that the type-aware strategy makes of a document."""

from __future__ import annotations

from typing import Any

from sentchunk import ChunkResult, LimitExceeded, SemanticChunker
from sentchunk.errors import BYTES_OF_CHUNKS
from sentchunk.rows import RowFigures, chunk_key
from sentchunk.semantic.kinds import DOCUMENT
from sentchunk.spec import checked_utf8

from .strategies import TypeAware


class StructureRows:
    """Makes rows of the chunks of texts, and counts. It is to this strategy what `sentchunk.rows.row_maker` is to the other.

    row_type: of NamedTuples. typed: whether the last value that is kept is the document's type, which is no field of
    its own in a row.
    """

    def __init__(self, spec: TypeAware, row_type: type[Any], typed: bool) -> None:
        caps = spec.caps
        self._chunker = SemanticChunker(
            caps.max_tokens, max_chars=caps.max_chars, overlap_tokens=caps.overlap_tokens
        )
        self._limits, self._doc_type = spec.limits, spec.doc_type or DOCUMENT
        self._make = row_type._make
        self._typed = typed
        self._figures = RowFigures()

    def rows(self, text: str, seed: bytes, identity: Any, kept: tuple[Any, ...]) -> list[Any]:
        """The rows of a document, whose keys have the seed.

        Raises LimitExceeded, and InvalidInput for a lone surrogate and for a type that is none; nothing is counted then.
        """
        most = self._limits.max_text_bytes
        size = len(text) if text.isascii() else len(checked_utf8(text, most))
        if most is not None and size > most:
            raise LimitExceeded("max_text_bytes", most, size)
        doc_type = self._doc_type
        if self._typed:
            *others, given = kept
            kept, doc_type = tuple(others), DOCUMENT if given is None else given
        chunks = self._chunker.chunk(text, doc_type=doc_type)
        self._check_output(chunks)
        rows = [
            self._make(
                (
                    chunk_key(seed, chunk.index),
                    identity,
                    chunk.index,
                    chunk.content,
                    chunk.start,
                    chunk.end,
                    chunk.new_start,
                    chunk.end - chunk.start,
                    chunk.oversized,
                    chunk.metadata.get("section"),
                    doc_type,
                    *kept,
                )
            )
            for chunk in chunks
        ]
        self._count(len(rows), sum(chunk.oversized for chunk in chunks), size)
        return rows

    def _check_output(self, chunks: list[ChunkResult]) -> None:
        most = self._limits.max_output_bytes
        if most is None:
            return
        # Of characters, no one has more than four bytes: most documents need no closer look.
        held = [
            part
            for chunk in chunks
            for part in (chunk.content, chunk.metadata.get("section"))
            if part
        ]
        if 4 * sum(map(len, held)) > most:
            total = sum(len(part.encode()) for part in held)
            if total > most:
                raise LimitExceeded("max_output_bytes", most, total, BYTES_OF_CHUNKS)

    def _count(self, chunks: int, oversized: int, text_bytes: int) -> None:
        before = self._figures
        self._figures = before._replace(
            chunked=before.chunked + 1,
            chunks=before.chunks + chunks,
            oversized=before.oversized + oversized,
            text_bytes=before.text_bytes + text_bytes,
        )

    def take_figures(self) -> RowFigures:
        """The figures of the documents since they were taken last."""
        figures, self._figures = self._figures, RowFigures()
        return figures
