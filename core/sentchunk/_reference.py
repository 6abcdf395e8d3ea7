"""The engine in Python, over the bytes of an Arrow column: the specification that a native kernel is held equal to.

`pack_documents` is the seam. It takes buffers and gives flat arrays, so that an implementation needs no Python object
for a sentence or a chunk.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from ._packing import pack
from ._records import (
    INVALID_UTF8,
    LIMIT_OF_STATUS,
    NULL_TEXT,
    OK,
    OUTPUT_BYTES,
    SENTENCES,
    TEXT_BYTES,
    Chunk,
    Int64Array,
    PackedChunks,
    PackedDocuments,
    RowFigures,
    Rule,
    Sentence,
)
from ._rules import ending_rule, sentence_ends
from .errors import LimitExceeded
from .spec import ChunkSpec, Limits, Unit, checked_utf8


def pack_documents(
    data: npt.NDArray[np.uint8],
    offsets: Int64Array,
    valid: npt.NDArray[np.bool_] | None,
    spec: ChunkSpec,
) -> tuple[PackedChunks, PackedDocuments]:
    """Chunk document i, the bytes `data[offsets[i]:offsets[i + 1]]`, unless `valid[i]` is False (a null)."""
    documents = len(offsets) - 1
    if valid is not None and len(valid) != documents:
        raise ValueError(f"{len(valid)} flags for {documents} documents")
    status = np.full(documents, OK, dtype=np.uint8)
    figure = np.zeros(documents, dtype=np.int64)
    sentences = np.zeros(documents, dtype=np.int64)
    rows: list[tuple[int, ...]] = []
    for index in range(documents):
        if valid is not None and not valid[index]:
            status[index] = NULL_TEXT
            continue
        start, end = int(offsets[index]), int(offsets[index + 1])
        if not 0 <= start <= end <= len(data):
            raise ValueError(
                f"the offsets of document {index} are not within the {len(data)} bytes of data"
            )
        limit = spec.limits.max_text_bytes
        if limit is not None and end - start > limit:
            status[index], figure[index] = TEXT_BYTES, end - start
            continue
        try:
            text = data[start:end].tobytes().decode()
        except UnicodeDecodeError as error:
            status[index], figure[index] = INVALID_UTF8, error.start
            continue
        document = Document(text, spec)
        status[index], figure[index] = document.over_limit()
        if status[index] == OK:
            sentences[index] = document.sentence_count
            rows.extend((index, *row) for row in document.chunk_rows(start))
    columns = np.array(rows, dtype=np.int64).reshape(len(rows), 9).T.copy()
    chunks = PackedChunks._make([*columns[:8], columns[8].astype(bool)])
    return chunks, PackedDocuments(status, figure, sentences)


def gather(
    data: npt.NDArray[np.uint8], starts: Int64Array, ends: Int64Array
) -> tuple[npt.NDArray[np.uint8], Int64Array]:
    """The slices `data[starts[i]:ends[i]]` one after another, and the offset of each in that and its end."""
    offsets = np.zeros(len(starts) + 1, dtype=np.int64)
    np.cumsum(ends - starts, out=offsets[1:])
    slices = (data[start:end] for start, end in zip(starts, ends, strict=True))
    return np.concatenate([np.empty(0, np.uint8), *slices]), offsets


def chunk_text(
    text: str, max_size: int, unit: Unit, overlap: int, limits: Limits
) -> tuple[list[Chunk], int]:
    """The chunks of a text, and the number of its sentences."""
    spec = ChunkSpec(max_size, unit, overlap, limits)
    limit = limits.max_text_bytes
    encoded = checked_utf8(text, limit)
    size, text = (
        len(encoded),
        encoded.decode(),
    )  # a plain string, whatever a subclass makes of slices
    if limit is not None and size > limit:
        raise LimitExceeded("max_text_bytes", limit, size)
    document = Document(text, spec)
    status, figure = document.over_limit()
    if status != OK:
        name = LIMIT_OF_STATUS[status]
        raise LimitExceeded(name, getattr(limits, name), figure)
    code_point_bounds = [0, *document.ends.tolist()]
    chunks = []
    for first, stop in document.spans:
        start, end = int(document.bounds[first]), int(document.bounds[stop])
        content = text[code_point_bounds[first] : code_point_bounds[stop]]
        oversized = end - start > spec.max_size
        chunks.append(Chunk(content, start, end, end - start, first, stop - first, oversized))
    return chunks, document.sentence_count


class RowMaker:
    """Makes rows of the chunks of texts, and counts.

    row_type: a type of tuples. A row has its key, an identity, the chunk's index, the fields of Chunk, and what is kept.
    drop_blank: leave out chunks of white space only; the others keep their index.
    """

    def __init__(self, spec: ChunkSpec, row_type: type[Any], drop_blank: bool) -> None:
        if not issubclass(row_type, tuple):
            raise TypeError(f"{row_type!r} is no type of tuples")
        self._spec, self._row_type, self._drop_blank = spec, row_type, drop_blank
        self._figures = RowFigures()

    def rows(self, text: str, seed: bytes, identity: Any, kept: tuple[Any, ...]) -> list[Any]:
        """The rows of a document, whose keys have the seed. Raises what `chunk_text` does; nothing is counted then."""
        if len(seed) != 12:
            raise ValueError(f"the seed of the keys has {len(seed)} bytes, not 12")
        spec = self._spec
        chunks, sentences = chunk_text(text, spec.max_size, spec.unit, spec.overlap, spec.limits)
        left = [
            (index, chunk)
            for index, chunk in enumerate(chunks)
            if not (self._drop_blank and chunk.text.isspace())
        ]
        own = RowFigures(
            chunked=1,
            sentences=sentences,
            chunks=len(left),
            oversized=sum(chunk.oversized for _, chunk in left),
            blank=sum(chunk.text.isspace() for chunk in chunks),
            text_bytes=len(str.encode(text)),
        )
        self._figures = RowFigures._make(map(sum, zip(self._figures, own, strict=True)))
        return [
            tuple.__new__(self._row_type, (chunk_key(seed, index), identity, index, *chunk, *kept))
            for index, chunk in left
        ]

    def take_figures(self) -> RowFigures:
        """The figures of the documents since they were taken last."""
        figures, self._figures = self._figures, RowFigures()
        return figures


row_maker = RowMaker


def chunk_key(seed: bytes, index: int) -> str:
    """A UUID of version 8 (RFC 9562): the seed, of 12 bytes, but for the bits that are the version's, then the index."""
    if len(seed) != 12:
        raise ValueError(f"the seed of the keys has {len(seed)} bytes, not 12")
    raw = bytearray(seed + index.to_bytes(4, "big"))
    raw[6] = raw[6] & 0x0F | 0x80  # version 8
    raw[8] = raw[8] & 0x3F | 0x80  # the variant of RFC 9562
    return str(UUID(bytes=bytes(raw)))


def sentence_list(text: str) -> list[Sentence]:
    """The sentences of a text, each with the rule that ends it."""
    text = checked_utf8(text, None).decode()
    document = Document(text, _SENTENCES_ONLY)
    spans = pairwise([0, *document.ends.tolist()])
    rules = document.ending_rules()
    return [
        Sentence(text[start:end], start, end, rule)
        for (start, end), rule in zip(spans, rules, strict=True)
    ]


class Document:
    """A text's sentences and chunks, with their bounds in code points, in bytes and in the unit of the spec."""

    def __init__(self, text: str, spec: ChunkSpec) -> None:
        self.spec = spec
        self.code_points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
        self.ends = sentence_ends(self.code_points)
        self.sentence_count = len(self.ends)
        self.byte_bounds = self._bounds("utf8")
        self.bounds = self._bounds(spec.unit)

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Each chunk as (first sentence, one past its last)."""
        return list(pack(self.bounds.tolist(), self.spec.max_size, self.spec.overlap))

    def chunk_rows(self, byte_offset: int = 0) -> list[tuple[int, ...]]:
        """The fields of PackedChunks but the first, for each chunk."""
        rows: list[tuple[int, ...]] = []
        for index, (first, stop) in enumerate(self.spans):
            start, end = int(self.bounds[first]), int(self.bounds[stop])
            byte_start = byte_offset + int(self.byte_bounds[first])
            byte_end = byte_offset + int(self.byte_bounds[stop])
            oversized = end - start > self.spec.max_size
            rows.append(
                (index, byte_start, byte_end, start, end, first, stop - first, int(oversized))
            )
        return rows

    def over_limit(self) -> tuple[int, int]:
        """Which limit on the result the document exceeds, as a status, and its figure; (OK, 0) for none."""
        limits = self.spec.limits
        if limits.max_sentences is not None and self.sentence_count > limits.max_sentences:
            return SENTENCES, self.sentence_count
        if limits.max_output_bytes is not None:
            size = self.output_bytes()
            if size > limits.max_output_bytes:
                return OUTPUT_BYTES, size
        return OK, 0

    def output_bytes(self) -> int:
        """The length of the result object as compact JSON in UTF-8: what `max_output_bytes` bounds."""
        weights = np.select(
            [self.code_points < 0x20, self.code_points < 0x80, self.code_points < 0x800],
            [6, 1, 2],
            np.where(self.code_points < 0x10000, 3, 4),
        )
        weights[np.isin(self.code_points, _TWO_BYTE_ESCAPES)] = 2
        escaped = np.concatenate([[0], np.cumsum(weights)[self.ends - 1]])
        spec = self.spec
        head = (spec.unit, spec.max_size, spec.overlap, self.sentence_count, len(self.spans))
        total = len(_RESULT) + sum(len(str(value)) for value in head)
        total += max(len(self.spans) - 1, 0)  # commas between the chunks
        for first, stop in self.spans:
            start, end = int(self.bounds[first]), int(self.bounds[stop])
            oversized = "true" if end - start > spec.max_size else "false"
            fields = (start, end, end - start, first, stop - first, oversized)
            total += len(_CHUNK) + sum(len(str(value)) for value in fields)
            total += int(escaped[stop] - escaped[first])
        return total

    def ending_rules(self) -> list[Rule]:
        return [ending_rule(self.code_points, end) for end in self.ends.tolist()]

    def _bounds(self, unit: Unit) -> Int64Array:
        """The offsets of the sentences' starts and of the text's end, in `unit`."""
        if unit == "code_point":
            return np.concatenate([[0], self.ends])
        wider = self.code_points > 0xFFFF
        widths = 1 + wider.astype(np.int64)
        if unit == "utf8":
            widths += self.code_points > 0x7F
            widths += self.code_points > 0x7FF
        return np.concatenate([[0], np.cumsum(widths)[self.ends - 1]])


_TWO_BYTE_ESCAPES = [ord(character) for character in '"\\\b\f\n\r\t']
_RESULT = (
    '{"data_version":"unicode-17.0.0","unit":"","max_size":,"overlap":,'
    '"sentence_count":,"count":,"chunks":[]}'
)
_CHUNK = '{"text":"","start":,"end":,"size":,"first_sentence":,"sentence_count":,"oversized":}'

_SENTENCES_ONLY = ChunkSpec(max_size=1, limits=Limits(None, None, None))
