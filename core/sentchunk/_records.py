"""What the engine's two implementations give and take, in terms that know neither of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]

# The rules of UAX #29 after which a sentence can end, in the annex's order.
Rule = Literal["SB2", "SB4", "SB11"]

# What became of a document. Three say which limit it exceeds; the last is of the type-aware chunker alone.
OK, NULL_TEXT, INVALID_UTF8, TEXT_BYTES, SENTENCES, OUTPUT_BYTES, INVALID_DOC_TYPE = range(7)

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


class RowFigures(NamedTuple):
    """Of documents that were chunked as rows: how many, what they hold, and which of their chunks are special."""

    chunked: int = 0
    sentences: int = 0
    chunks: int = 0
    oversized: int = 0
    blank: int = 0
    text_bytes: int = 0


class PackedChunks(NamedTuple):
    """The chunks of all documents, one element for each chunk, documents in order.

    `byte_start` and `byte_end` are offsets into the column's data; `start` and `end` are offsets into the document, in
    the unit asked for.
    """

    document: Int64Array
    chunk_index: Int64Array
    byte_start: Int64Array
    byte_end: Int64Array
    start: Int64Array
    end: Int64Array
    first_sentence: Int64Array
    sentence_count: Int64Array
    oversized: npt.NDArray[np.bool_]


class PackedDocuments(NamedTuple):
    """One element for each document.

    `status` is OK or why the document has no chunks; `figure` is what exceeds the limit, or the position of the first
    byte that is not UTF-8; `sentences` is their number in a document that is OK, else 0.
    """

    status: npt.NDArray[np.uint8]
    figure: Int64Array
    sentences: Int64Array


class Spans(NamedTuple):
    """The chunks of a text by the type-aware chunker, an element each, in code points.

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


class StructuredChunks(NamedTuple):
    """The chunks of all documents of a column by the type-aware chunker, documents in order.

    An element for each chunk, but for the last two. `byte_start` and `byte_end` are offsets into the column's data, the
    other places into the document, in code points. `title` is the place of its section's title among all titles, -1
    where it has none; the UTF-8 of title i is `title_bytes[title_offsets[i]:title_offsets[i + 1]]`.
    """

    document: Int64Array
    chunk_index: Int64Array
    byte_start: Int64Array
    byte_end: Int64Array
    start: Int64Array
    end: Int64Array
    new_start: Int64Array
    title: Int64Array
    oversized: npt.NDArray[np.bool_]
    title_bytes: npt.NDArray[np.uint8]
    title_offsets: Int64Array


@dataclass
class ChunkResult:
    """A chunk: `content` is `text[start:end]`, exactly.

    index: its place among the chunks of the text, from 0.
    metadata: a deep copy of the caller's, its own; with the key `section`, the title, in a section of a document.
    start, end: in code points, half-open.
    new_start: where what is not repeated from the chunk before begins.
    oversized: whether it is over a cap, which only an event or a contact can be.
    """

    content: str
    index: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)
    start: int = 0
    end: int = 0
    new_start: int = 0
    oversized: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced_result(self, type(self) is ChunkResult)


def reduced_result(result: ChunkResult, exactly: bool) -> tuple[Any, ...]:
    """What a pickle holds of a result; `exactly` says that it is none of a subclass.

    The class itself is not named: a pickle of an install with the kernel can be read by one without it.
    """
    fields = {name: getattr(result, name) for name in ChunkResult.__match_args__}
    return restored_result, () if exactly else (type(result),), fields | vars(result)


def restored_result(of: type[ChunkResult] | None = None) -> ChunkResult:
    """A result whose fields are still to be set, of a subclass, or else of the class that this install has."""
    from . import ChunkResult as Ours

    made = Ours if of is None else of
    return made.__new__(made)
