"""Sentences of the paragraphs that are over the target, packed up to the target."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from .. import _engine
from .._records import Int64Array
from ..spec import ChunkSpec, Limits
from .forced import cut_by_force
from .kinds import SemanticSpec
from .pieces import Pieces, follow, merged
from .tokens import Tokens

# A size of 1 makes each sentence a chunk: so the kernel gives the sentences of many texts in one call.
_EACH_SENTENCE = ChunkSpec(1, limits=Limits(None, None, None))
_SURROGATE = re.compile("[\ud800-\udfff]")


def pack_sentences(text: str, tokens: Tokens, long: Pieces, spec: SemanticSpec) -> Pieces:
    """The chunks of paragraphs: as many sentences each as fit the target, but at least one.

    A sentence over the content budget is cut by force, and its pieces are chunks by themselves.
    """
    sentences, owners = find_sentences(text, tokens, long)
    forced = ~sentences.within(spec.budget, spec.chars)
    chosen = follow(_packed(sentences, owners, forced, spec))
    ends = np.append(chosen[1:], len(forced)) - 1
    packed = Pieces(
        sentences.starts[chosen],
        sentences.ends[ends],
        sentences.first[chosen],
        sentences.last[ends],
    )
    if not forced.any():
        return packed
    return merged(
        [
            packed.where(~forced[chosen]),
            cut_by_force(text, tokens, sentences.where(forced), spec),
        ]
    )


def find_sentences(text: str, tokens: Tokens, long: Pieces) -> tuple[Pieces, Int64Array]:
    """The sentences of some paragraphs (UAX #29), and for each which paragraph it is of."""
    slices = [text[start:end] for start, end in zip(*_lists(long), strict=True)]
    encoded = [_utf8(each) for each in slices]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(each) for each in encoded], out=offsets[1:])
    data = np.frombuffer(b"".join(encoded), np.uint8)
    found, _ = _engine.active.pack_documents(data, offsets, None, _EACH_SENTENCE)
    bases = long.starts[found.document]
    return _trimmed(tokens, bases + found.start, bases + found.end, found.document)


def _trimmed(
    tokens: Tokens, starts: Int64Array, ends: Int64Array, owners: Int64Array
) -> tuple[Pieces, Int64Array]:
    """The sentences that are not blank, without the white space around them, but with their indentation."""
    first = np.searchsorted(
        tokens.ends, starts, "right"
    )  # the first token that ends after the start
    last = np.searchsorted(tokens.starts, ends) - 1
    some = first <= last
    starts, ends, owners, first, last = (
        column[some] for column in (starts, ends, owners, first, last)
    )
    starts = np.maximum(starts, tokens.leads[first])
    return Pieces(starts, np.minimum(ends, tokens.ends[last]), first, last), owners


def _packed(
    sentences: Pieces, owners: Int64Array, forced: npt.NDArray[np.bool_], spec: SemanticSpec
) -> Int64Array:
    """For each sentence, which one follows the chunk that begins with it."""
    count = len(owners)
    following = np.searchsorted(sentences.ends, sentences.starts + spec.target_chars, "right")
    by_tokens = np.searchsorted(sentences.last, sentences.first + spec.target_tokens)
    paragraph_end = np.searchsorted(owners, owners, "right")
    # A sentence that is cut by force ends the one before it, for its pieces come alone.
    stops = np.flatnonzero(forced)
    next_stop = np.append(stops, count)[np.searchsorted(stops, np.arange(count))]
    for bound in (by_tokens, paragraph_end, next_stop):
        following = np.minimum(following, bound)
    return np.maximum(following, np.arange(1, count + 1))


def _lists(pieces: Pieces) -> tuple[list[int], list[int]]:
    return pieces.starts.tolist(), pieces.ends.tolist()


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8; U+FFFD counts as much, and is as little to a sentence.
        return _SURROGATE.sub("\ufffd", text).encode()
