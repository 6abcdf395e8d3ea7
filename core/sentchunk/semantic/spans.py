"""The whole way of a document: from its text to where its chunks lie. The reference of the kernel's `semantic_spans`."""

from __future__ import annotations

import numpy as np

from .._records import Int64Array, Spans
from .kinds import Kind, SemanticSpec
from .overlap import with_overlap
from .paragraphs import find_paragraphs, in_target
from .parts import Parts, find_parts, mark_parts
from .pieces import Pieces, merged
from .sentences import pack_sentences
from .tokens import Tokens, find_tokens

_NONE = np.empty(0, np.int64)


def semantic_spans(text: str, kind: Kind, spec: SemanticSpec) -> Spans:
    """The chunks of a text under the rules of a kind."""
    if not text or text.isspace():
        return Spans(_NONE, _NONE, _NONE, _NONE.astype(np.bool_), _NONE, None)
    if kind == Kind.WHOLE:
        return _whole(text, spec)
    tokens = find_tokens(text, spec.chars)
    parts = find_parts(text, tokens.line_ends, kind)
    chunks, part, starts = _chunks(text, tokens, parts, spec)
    over = np.zeros(len(starts), np.bool_)
    sections = [None, *parts.titles] if parts.titles else None
    return Spans(starts, chunks.ends, chunks.starts, over, part, sections)


def _chunks(
    text: str, tokens: Tokens, parts: Parts, spec: SemanticSpec
) -> tuple[Pieces, Int64Array, Int64Array]:
    """The chunks without overlap, the part that each is in, and where each starts with its overlap."""
    mark_parts(tokens, parts)
    paragraphs = find_paragraphs(tokens)
    fits = in_target(paragraphs, spec)
    chunks = paragraphs
    if not fits.all():
        packed = pack_sentences(text, tokens, paragraphs.where(~fits), spec)
        chunks = merged([paragraphs.where(fits), packed])
    part = parts.starts.searchsorted(chunks.starts, "right")
    return chunks, part, with_overlap(tokens, chunks, part, spec)


def _whole(text: str, spec: SemanticSpec) -> Spans:
    over = len(text) > spec.chars or len(text.split()) > spec.max_tokens
    zero = np.zeros(1, np.int64)
    return Spans(zero, zero + len(text), zero, np.array([over]), zero, None)
