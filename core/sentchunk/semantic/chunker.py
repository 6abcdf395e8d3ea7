"""The chunker as a class: a text in, a list of chunks out."""

from __future__ import annotations

import copy
import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

from ..errors import InvalidInput
from .kinds import SemanticSpec
from .spans import Spans, semantic_spans


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


class SemanticChunker:
    """Split texts by the structure that their type has, under two caps that always hold.

    max_tokens: at most so many tokens in a chunk, pieces of `str.split()`; from 1.
    max_chars: at most so many code points; from 1, `4 * max_tokens` for None.
    overlap_tokens: at most so many tokens are repeated from the chunk before; from 0, which switches it off,
        `min(100, max_tokens // 5)` for None, and never more than `max_tokens - 1`.
    Raises InvalidInput, a ValueError, that names the argument, its value and what is allowed.
    """

    def __init__(
        self,
        max_tokens: int = 512,
        *,
        max_chars: int | None = None,
        overlap_tokens: int | None = None,
    ) -> None:
        self._spec = SemanticSpec(max_tokens, max_chars, overlap_tokens)

    @property
    def max_tokens(self) -> int:
        return self._spec.max_tokens

    @property
    def max_chars(self) -> int:
        return self._spec.chars

    @property
    def overlap_tokens(self) -> int:
        return self._spec.overlap

    def __repr__(self) -> str:
        return (
            f"SemanticChunker({self.max_tokens}, max_chars={self.max_chars}, "
            f"overlap_tokens={self.overlap_tokens})"
        )

    def chunk(
        self,
        text: str,
        *,
        doc_type: str = "document",
        metadata: Mapping[str, Any] | None = None,
    ) -> list[ChunkResult]:
        """The chunks of a text, in order: exact slices, without the white space around them. A blank text has none.

        doc_type:
            "event", "contact": the text as it is, one chunk whatever its size; `oversized` says if it is over a cap.
            "email": cut at reply headers, then as a message. A header is `On … wrote:` in up to three lines, "On" at
                a line's beginning, after blanks and `>` marks, "wrote:" at a line's end, and between them a date, a
                day of the week, a time or an address; or, at a paragraph's beginning, a capitalised word right before
                "wrote:". `On page 3 the author wrote:` is none.
            "message": cut into paragraphs, those over half the budget into sentences (UAX #29), sentences over the budget
                by force: at white space, else between grapheme clusters, else between code points.
            anything else: cut at the level-2 headings of Markdown (`## Title`, not in fenced code, HTML comments or
                `<pre>`), then as a message. A heading belongs to its section's first chunk.
            A name that is one of the four but for case or blanks is refused.
        metadata: what each chunk gets a deep copy of. In a section of a document its title comes in as `section`,
            and wins over a key of that name; elsewhere a caller's `section` stays.
        Neither overlap nor anything else reaches across a section or a reply header. The budget is
        `max_tokens - overlap_tokens` tokens and `max_chars` characters.
        Raises InvalidInput for a text that is no string, a type that is none, and metadata that is no mapping.
        """
        if not isinstance(text, str):
            raise InvalidInput("text", f"text is {type(text).__name__}; use a string")
        if metadata is not None and not isinstance(metadata, Mapping):
            raise InvalidInput(
                "metadata", f"metadata is {type(metadata).__name__}; use a dict or None"
            )
        spans = semantic_spans(text, doc_type, self._spec)
        with nullcontext() if len(spans.starts) < _MANY else _uncollected():
            return _results(text, spans, metadata)


def _results(text: str, spans: Spans, metadata: Mapping[str, Any] | None) -> list[ChunkResult]:
    starts, ends = spans.starts.tolist(), spans.ends.tolist()
    return list(
        map(
            ChunkResult,
            [text[start:end] for start, end in zip(starts, ends, strict=True)],
            range(len(starts)),
            _metadata(spans, metadata),
            starts,
            ends,
            spans.new_starts.tolist(),
            spans.oversized.tolist(),
        )
    )


_MANY = 10_000


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without looks for garbage: among objects that are made to be kept there is none, and it takes three times as long."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _metadata(spans: Spans, given: Mapping[str, Any] | None) -> Iterable[dict[str, Any]]:
    sections = spans.sections
    if sections is None:
        return _copies(given, len(spans.part))
    titles = [sections[part] for part in spans.part.tolist()]
    if not given:
        return [{} if title is None else {"section": title} for title in titles]
    return map(_in_section, _copies(given, len(titles)), titles)


def _in_section(own: dict[str, Any], title: str | None) -> dict[str, Any]:
    if title is not None:
        own["section"] = title
    return own


def _copies(given: Mapping[str, Any] | None, count: int) -> Iterable[dict[str, Any]]:
    if not given:
        return [{} for _ in range(count)]
    if all(type(value) in _WITHOUT_PARTS for value in given.values()):
        return map(dict, repeat(given, count))
    return (dict(copy.deepcopy(given)) for _ in range(count))


# A deep copy of these is the same object.
_WITHOUT_PARTS = frozenset([str, int, float, bool, bytes, complex, type(None)])
