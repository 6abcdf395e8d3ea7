"""What the engine's two implementations give and take, in terms that know neither of them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]

# The rules of UAX #29 after which a sentence can end, in the annex's order.
Rule = Literal["SB2", "SB4", "SB11"]

# What rows are made of beside the chunks of a document: a type of NamedTuples, a seed of 12 bytes, and the values `identity`
# and `kept`. A row has its key, identity, the chunk's index, the fields of Chunk, and what is in kept. Its key is a UUID of
# version 8 (RFC 9562), with the seed but for the bits that are the version's, and the index in its last 4 bytes.
RowForm = tuple[type[tuple[Any, ...]], bytes, Any, tuple[Any, ...]]

# What became of a document. The last three say which limit it exceeds.
OK, NULL_TEXT, INVALID_UTF8, TEXT_BYTES, SENTENCES, OUTPUT_BYTES = range(6)

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
