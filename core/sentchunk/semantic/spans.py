"""The whole way of a document: from its text to where its chunks lie."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._records import Int64Array
from .kinds import WHOLE, SemanticSpec, checked_doc_type
from .overlap import with_overlap
from .paragraphs import find_paragraphs, in_target
from .parts import Part, find_parts, mark_parts
from .pieces import merged
from .sentences import pack_sentences
from .tokens import find_tokens


class Spans(NamedTuple):
    """The chunks of a text, an element each, in code points.

    starts, ends: the chunk, half-open. new_starts: where what is not repeated from the chunk before begins.
    oversized: whether it is over a cap, which only an event or a contact can be.
    part: the place in `parts` of its part.
    """

    starts: Int64Array
    ends: Int64Array
    new_starts: Int64Array
    oversized: npt.NDArray[np.bool_]
    part: Int64Array
    parts: list[Part]


_NONE = np.empty(0, np.int64)


def semantic_spans(text: str, doc_type: str, spec: SemanticSpec) -> Spans:
    """The chunks of a text of a type. Raises InvalidInput for a type that is a special name but for case or blanks."""
    checked_doc_type(doc_type)
    if not text or text.isspace():
        return Spans(_NONE, _NONE, _NONE, _NONE.astype(np.bool_), _NONE, [])
    if doc_type in WHOLE:
        return _whole(text, spec)
    tokens = find_tokens(text, spec.chars)
    parts = find_parts(text, tokens, doc_type)
    mark_parts(tokens, parts)
    paragraphs = find_paragraphs(tokens)
    fits = in_target(paragraphs, spec)
    chunks = paragraphs
    if not fits.all():
        packed = pack_sentences(text, tokens, paragraphs.where(~fits), spec)
        chunks = merged([paragraphs.where(fits), packed])
    part_starts = np.array([part.start for part in parts[1:]], np.int64)
    part = np.searchsorted(part_starts, chunks.starts, "right")
    starts = with_overlap(tokens, chunks, part, spec)
    over = np.zeros(len(starts), np.bool_)
    return Spans(starts, chunks.ends, chunks.starts, over, part, parts)


def _whole(text: str, spec: SemanticSpec) -> Spans:
    over = len(text) > spec.chars or len(text.split()) > spec.max_tokens
    zero = np.zeros(1, np.int64)
    return Spans(zero, zero + len(text), zero, np.array([over]), zero, [Part(0, 0)])
