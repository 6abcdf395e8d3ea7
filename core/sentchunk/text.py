"""The engine on a single text."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from ._reference import OK, OUTPUT_BYTES, SENTENCES, TEXT_BYTES, Document
from ._rules import Rule
from .errors import InvalidInput, LimitExceeded
from .spec import DEFAULT_LIMITS, ChunkSpec, Limits, Unit

LIMIT_OF_STATUS = {
    TEXT_BYTES: "max_text_bytes",
    SENTENCES: "max_sentences",
    OUTPUT_BYTES: "max_output_bytes",
}


class Sentence(NamedTuple):
    """A sentence: an exact slice of its text, `start` and `end` in code points, half-open.

    `rule` is the first rule of UAX #29, in the annex's order, that ends it: "SB2" (the end of the text), "SB4" (a
    paragraph separator, such as a newline) or "SB11" (a terminator and what belongs to it).
    """

    text: str
    start: int
    end: int
    rule: Rule


class Chunk(NamedTuple):
    """A run of whole sentences: an exact slice of its text.

    `start`, `end` (half-open) and `size` are in the unit asked for; `first_sentence` is the 0-based index of the first
    sentence, overlap included; `oversized` marks a single sentence that is larger than max_size.
    """

    text: str
    start: int
    end: int
    size: int
    first_sentence: int
    sentence_count: int
    oversized: bool


def sentences(text: str) -> list[Sentence]:
    """The default sentences of UAX #29 revision 47 over Unicode 17.0.0, untrimmed: their join is the text.

    An empty text has none. Raises InvalidInput for what is not a string or has a lone surrogate.
    """
    checked_utf8(text)
    document = Document(text, _SENTENCES_ONLY)
    spans = pairwise([0, *document.ends.tolist()])
    rules = document.ending_rules()
    return [
        Sentence(text[start:end], start, end, rule)
        for (start, end), rule in zip(spans, rules, strict=True)
    ]


def chunk(
    text: str,
    *,
    max_size: int,
    unit: Unit = "code_point",
    overlap: int = 0,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Chunk]:
    """Pack whole sentences greedily into chunks of at most `max_size` (contract section 2).

    max_size: 1 to 1,048,576 in `unit`: "code_point", "utf16" (code units) or "utf8" (bytes).
    overlap: 0 to 16 sentences of the previous chunk to repeat, as many as fit.
    limits: per-document limits; `Limits(None, None, None)` switches all off.
    A sentence larger than max_size is never cut: it is a chunk of its own, with `oversized` true.
    Raises InvalidInput (a parameter, a lone surrogate) and LimitExceeded.
    """
    return chunk_with(ChunkSpec(max_size, unit, overlap, limits), text)[0]


def chunk_with(spec: ChunkSpec, text: str) -> tuple[list[Chunk], int]:
    """The chunks of a text, and the number of its sentences."""
    size = len(checked_utf8(text))
    limit = spec.limits.max_text_bytes
    if limit is not None and size > limit:
        raise LimitExceeded("max_text_bytes", limit, size)
    document = Document(text, spec)
    status, figure = document.over_limit()
    if status != OK:
        name = LIMIT_OF_STATUS[status]
        raise LimitExceeded(name, getattr(spec.limits, name), figure)
    code_point_bounds = [0, *document.ends.tolist()]
    chunks = []
    for first, stop in document.spans:
        start, end = int(document.bounds[first]), int(document.bounds[stop])
        content = text[code_point_bounds[first] : code_point_bounds[stop]]
        oversized = end - start > spec.max_size
        chunks.append(Chunk(content, start, end, end - start, first, stop - first, oversized))
    return chunks, document.sentence_count


def checked_utf8(text: str) -> bytes:
    """The text's UTF-8, or InvalidInput that says where a lone surrogate is."""
    if not isinstance(text, str):
        raise InvalidInput("text", f"text is {type(text).__name__}; use a string")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        surrogate = ord(text[error.start])
        message = (
            f"text has a lone surrogate, U+{surrogate:04X}, at code point {error.start}; "
            "remove or replace it, for it has no UTF-8 form"
        )
        raise InvalidInput("text", message, error.start) from None


_SENTENCES_ONLY = ChunkSpec(max_size=1, limits=Limits(None, None, None))
