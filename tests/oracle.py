"""Sentence boundaries by ICU, which shares no code or table with this project."""

from __future__ import annotations

try:
    from icu4py.breakers import SentenceBreaker
except ImportError:  # no wheel for Python 3.10
    SentenceBreaker = None

HAS_ORACLE = SentenceBreaker is not None

# One character for each of the 15 values of Sentence_Break, CR and LF among them.
REPRESENTATIVES = "\r\n\x85\u0308\xad aA\u05d01.!,)#"


def icu_ends(text: str) -> list[int]:
    """The ends of the default sentences, in code points."""
    ends, position = [], 0
    if text:
        for segment in SentenceBreaker(text, "en"):
            position += len(segment)
            ends.append(position)
    return ends
