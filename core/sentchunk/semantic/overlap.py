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
    last_before = np.searchsorted(tokens.starts, new) - 1
    least_token = np.maximum(last_before + 1 - spec.overlap, chunks.last[1:] + 1 - spec.max_tokens)
    least_start = np.maximum(before, chunks.ends[1:] - spec.chars)
    token = np.maximum(least_token, np.searchsorted(tokens.starts, least_start))
    found = np.where(token <= last_before, tokens.starts[np.minimum(token, last_before)], new)
    # The piece of a token with which the new text before begins.
    within = (tokens.starts[chunks.first[:-1]] < before) & (before == least_start)
    found = np.where(within & (least_token <= chunks.first[:-1]), before, found)
    found = np.where(parts[1:] == parts[:-1], found, new)
    return _rising(tokens, np.append(chunks.starts[:1], found), chunks)


def _rising(tokens: Tokens, starts: Int64Array, chunks: Pieces) -> Int64Array:
    """The starts, none equal to the one before it: that would be a chunk that holds the one before as a whole."""
    suspects = (np.flatnonzero(starts[1:] == chunks.starts[:-1]) + 1).tolist()
    for index in suspects:
        if starts[index] == starts[index - 1]:
            later = int(np.searchsorted(tokens.starts, starts[index], "right"))
            new = int(chunks.starts[index])
            starts[index] = (
                min(int(tokens.starts[later]), new) if later < len(tokens.starts) else new
            )
    return starts
