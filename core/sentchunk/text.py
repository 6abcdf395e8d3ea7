"""The engine on a single text."""

from __future__ import annotations

from . import _engine
from ._records import Chunk, Sentence
from .spec import DEFAULT_LIMITS, ChunkSpec, Limits, Unit


def sentences(text: str) -> list[Sentence]:
    """The default sentences of UAX #29 revision 47 over Unicode 17.0.0, untrimmed: their join is the text.

    An empty text has none. Raises InvalidInput for what is not a string or has a lone surrogate.
    """
    return _engine.active.sentence_list(text)


def chunk(
    text: str,
    *,
    max_size: int,
    unit: Unit = "code_point",
    overlap: int = 0,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Chunk]:
    """Pack whole sentences greedily into chunks of at most `max_size`.

    max_size: 1 to 1,048,576 in `unit`: "code_point", "utf16" (code units) or "utf8" (bytes).
    overlap: 0 to 16 sentences of the previous chunk to repeat, as many as fit.
    limits: per-document limits; `Limits(None, None, None)` switches all off.
    A sentence larger than max_size is never cut: it is a chunk of its own, with `oversized` true.
    Raises InvalidInput (a parameter, a lone surrogate) and LimitExceeded.
    """
    return _engine.active.chunk_text(text, max_size, unit, overlap, limits)[0]


def chunk_with(spec: ChunkSpec, text: str) -> tuple[list[Chunk], int]:
    """The chunks of a text, and the number of its sentences."""
    return _engine.active.chunk_text(text, spec.max_size, spec.unit, spec.overlap, spec.limits)
