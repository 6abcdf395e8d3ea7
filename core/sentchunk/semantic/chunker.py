"""The chunker as a class: a text in, a list of chunks out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._records import Spans
from ..errors import InvalidInput
from . import implementation
from .implementation import ChunkResult
from .kinds import SemanticSpec, kind_of


def semantic_spans(text: str, doc_type: str, spec: SemanticSpec) -> Spans:
    """Where the chunks of a text of a type lie. Raises InvalidInput for a type that `checked_doc_type` refuses."""
    return implementation.active.semantic_spans(text, kind_of(doc_type), spec)


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
        return implementation.active.semantic_results(text, kind_of(doc_type), self._spec, metadata)
