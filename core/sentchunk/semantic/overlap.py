"""Overlap: how far a chunk begins before what is new in it."""

from __future__ import annotations

import numpy as np

from .._records import Int64Array
from .kinds import SemanticSpec
from .pieces import Pieces
from .tokens import Tokens


def with_overlap(
    tokens: Tokens, chunks: Pieces, parts: Int64Array, spec: SemanticSpec
) -> Int64Array:
    """Where each chunk starts, its repeated tokens included. `parts` has the part that each is in.

    What is repeated are the last tokens of the new text of the chunk before, in the same part: as many as
    `overlap_tokens`, `max_tokens` and `max_chars` allow. Where a forced cut or a sentence began that text within a
    token, its first piece counts as one.
    """
    if spec.overlap == 0 or len(chunks.starts) < 2:
        return chunks.starts
    new, before = chunks.starts[1:], chunks.starts[:-1]
    last_before = tokens.starts.searchsorted(new) - 1
    least_token = np.maximum(last_before + 1 - spec.overlap, chunks.last[1:] + 1 - spec.max_tokens)
    least_start = np.maximum(before, chunks.ends[1:] - spec.chars)
    token = np.maximum(least_token, tokens.starts.searchsorted(least_start))
    found = np.where(token <= last_before, tokens.starts[np.minimum(token, last_before)], new)
    # The piece of a token with which the new text before begins.
    within = (tokens.starts[chunks.first[:-1]] < before) & (before == least_start)
    found = np.where(within & (least_token <= chunks.first[:-1]), before, found)
    found = np.where(parts[1:] == parts[:-1], found, new)
    return np.concatenate([chunks.starts[:1], _rising(tokens, found, chunks)])


def _rising(tokens: Tokens, found: Int64Array, chunks: Pieces) -> Int64Array:
    """The starts of all chunks but the first, none equal to the one before: such a chunk would hold that one as a whole.

    A chunk can begin with the new text of the one before where that one has an overlap of its own. Where it has none,
    the first token is left out, and where that is all there is, so is the overlap.
    """
    new, before = chunks.starts[1:], chunks.starts[:-1]
    whole = found == before
    if not whole.any():
        return found
    later = tokens.starts.searchsorted(before, "right")
    later = np.minimum(tokens.starts[np.minimum(later, len(tokens.starts) - 1)], new)
    later = np.where(later > before, later, new)
    # A single token is repeated or not as the one before it has an overlap or not, and so on back to one that is sure.
    unsure = whole & (later == new)
    places = np.arange(len(found))
    sure = np.maximum.accumulate(np.where(unsure, -1, places))
    overlaps = (sure >= 0) & ((found < new) & ~unsure)[sure]
    has_before = np.concatenate([[False], overlaps[:-1]])
    return np.where(whole & ~has_before, later, found)
