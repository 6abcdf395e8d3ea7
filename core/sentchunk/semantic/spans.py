"""The whole way of a document: from its text to where its chunks lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._records import Int64Array
from .kinds import WHOLE, SemanticSpec, checked_doc_type
from .overlap import with_overlap
from .paragraphs import find_paragraphs, in_target
from .parts import Parts, find_parts, mark_parts
from .pieces import Pieces, merged
from .sentences import pack_sentences
from .tokens import Tokens, find_tokens


class Spans(NamedTuple):
    """The chunks of a text, an element each, in code points.

    starts, ends: the chunk, half-open. new_starts: where what is not repeated from the chunk before begins.
    oversized: whether it is over a cap, which only an event or a contact can be.
    part: the number of its part, 0 for what lies before the first heading or header.
    sections: the title of each part, None where it has none; None where no part has.
    """

    starts: Int64Array
    ends: Int64Array
    new_starts: Int64Array
    oversized: npt.NDArray[np.bool_]
    part: Int64Array
    sections: list[str | None] | None


_NONE = np.empty(0, np.int64)


def semantic_spans(text: str, doc_type: str, spec: SemanticSpec) -> Spans:
    """The chunks of a text of a type. Raises InvalidInput for a type that is a special name but for case or blanks."""
    checked_doc_type(doc_type)
    if not text or text.isspace():
        return Spans(_NONE, _NONE, _NONE, _NONE.astype(np.bool_), _NONE, None)
    if doc_type in WHOLE:
        return _whole(text, spec)
    tokens = find_tokens(text, spec.chars)
    parts = find_parts(text, tokens.line_ends, doc_type)
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


def many_spans(texts: Sequence[str], doc_types: Sequence[str], spec: SemanticSpec) -> list[Spans]:
    """`semantic_spans` of each text, by passes over all of them at once: what a call costs, small texts share.

    Raises InvalidInput for a type of any.
    """
    found: list[Spans | None] = []
    together: list[int] = []
    for index, (text, doc_type) in enumerate(zip(texts, doc_types, strict=True)):
        checked_doc_type(doc_type)
        structured = doc_type not in WHOLE and text and not text.isspace()
        found.append(None if structured else semantic_spans(text, doc_type, spec))
        if structured:
            together.append(index)
    if together:
        some = [texts[index] for index in together]
        spans = _together(some, [doc_types[index] for index in together], spec)
        for index, each in zip(together, spans, strict=True):
            found[index] = each
    return [each for each in found if each is not None]


def _together(texts: list[str], doc_types: list[str], spec: SemanticSpec) -> Iterator[Spans]:
    """The texts as one, a line each for what looks at lines, and a part at least."""
    joined = "\n".join(texts)
    lengths = np.array([len(text) for text in texts])
    bases = np.cumsum(lengths + 1) - lengths - 1
    tokens = find_tokens(joined, spec.chars)
    low, high = (
        tokens.line_ends.searchsorted(places, "right").tolist()
        for places in (bases, bases + lengths)
    )
    starts: list[Int64Array] = []
    head_ends = [_NONE]
    titles: list[str | None] = []
    firsts: list[int] = []
    for index, base in enumerate(bases.tolist()):
        line_ends = tokens.line_ends[low[index] : high[index]] - base
        parts = find_parts(texts[index], line_ends, doc_types[index])
        firsts.append(len(titles))
        titles.append(None)
        titles.extend(parts.titles or [None] * len(parts.starts))
        starts.append(bases[index : index + 1])
        if len(parts.starts):
            starts.append(parts.starts + base)
            head_ends.append(parts.head_ends + base)
    parts = Parts(np.concatenate(starts), np.concatenate(head_ends), None)
    chunks, part, begins = _chunks(joined, tokens, parts, spec)
    over = np.zeros(len(begins), np.bool_)
    bounds = [*chunks.starts.searchsorted(bases).tolist(), len(begins)]
    for index, base in enumerate(bases.tolist()):
        own = slice(bounds[index], bounds[index + 1])
        first, end = firsts[index], firsts[index + 1] if index + 1 < len(firsts) else len(titles)
        sections = titles[first:end]
        yield Spans(
            begins[own] - base,
            chunks.ends[own] - base,
            chunks.starts[own] - base,
            over[own],
            part[own] - first - 1,
            sections if any(title is not None for title in sections) else None,
        )


def _whole(text: str, spec: SemanticSpec) -> Spans:
    over = len(text) > spec.chars or len(text.split()) > spec.max_tokens
    zero = np.zeros(1, np.int64)
    return Spans(zero, zero + len(text), zero, np.array([over]), zero, None)
