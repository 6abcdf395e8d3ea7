"""Paragraphs: what lies between blank lines. One within the target is a chunk as it is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .kinds import SemanticSpec
from .pieces import Pieces
from .tokens import Tokens


def find_paragraphs(tokens: Tokens) -> Pieces:
    first = np.flatnonzero(tokens.opens)
    last = np.append(first[1:], len(tokens.starts)) - 1
    return Pieces(tokens.leads[first], tokens.ends[last], first, last)


def in_target(paragraphs: Pieces, spec: SemanticSpec) -> npt.NDArray[np.bool_]:
    return paragraphs.within(spec.target_tokens, spec.target_chars)
