"""What kinds of document there are, and the caps: the parameters of the type-aware chunker, checked once."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from ..errors import InvalidInput

DOCUMENT, EMAIL, MESSAGE = "document", "email", "message"
WHOLE = frozenset(["event", "contact"])
SPECIAL = frozenset([EMAIL, MESSAGE, *WHOLE])


class Kind(IntEnum):
    """Which rules a type has. The kernel knows them by these numbers, `sc_kind`."""

    DOCUMENT, EMAIL, MESSAGE, WHOLE = range(4)


_KINDS = {EMAIL: Kind.EMAIL, MESSAGE: Kind.MESSAGE} | dict.fromkeys(WHOLE, Kind.WHOLE)


def kind_of(doc_type: Any) -> Kind:
    """The rules of a type. Raises InvalidInput as `checked_doc_type` does."""
    return _KINDS.get(checked_doc_type(doc_type), Kind.DOCUMENT)


def checked_doc_type(doc_type: Any) -> str:
    """The type itself; any name but the four special ones has the rules of a document.

    Raises InvalidInput for what is no string, and for a name that is a special one but for case or blanks: to treat
    "Email" as a document would hide a mistake.
    """
    if not isinstance(doc_type, str):
        raise InvalidInput("doc_type", f"doc_type is {type(doc_type).__name__}; use a string")
    if doc_type not in SPECIAL and (meant := "".join(doc_type.split()).casefold()) in SPECIAL:
        raise InvalidInput("doc_type", f"doc_type is {doc_type!r}; write it {meant!r}")
    return doc_type


@dataclass(frozen=True)
class SemanticSpec:
    """The caps of every chunk, and how much of the one before is repeated.

    max_tokens: at most so many pieces of `str.split()`; an integer from 1.
    max_chars: at most so many code points; an integer from 1, or None for 4 * max_tokens.
    overlap_tokens: at most so many tokens are repeated; an integer from 0, or None for min(100, max_tokens // 5).
        More than max_tokens - 1 is max_tokens - 1, so that each chunk has something new.
    Raises InvalidInput that names the field, its value and what is allowed.
    """

    max_tokens: int = 512
    max_chars: int | None = None
    overlap_tokens: int | None = None

    def __post_init__(self) -> None:
        most = _integer("max_tokens", self.max_tokens, 1)
        chars, overlap = self.max_chars, self.overlap_tokens
        chars = 4 * most if chars is None else _integer("max_chars", chars, 1)
        overlap = min(100, most // 5) if overlap is None else _integer("overlap_tokens", overlap, 0)
        for name, value in [
            ("max_tokens", most),
            ("max_chars", chars),
            ("overlap_tokens", min(overlap, most - 1)),
        ]:
            object.__setattr__(self, name, min(value, NO_CAP))

    @property
    def chars(self) -> int:
        assert self.max_chars is not None
        return self.max_chars

    @property
    def overlap(self) -> int:
        assert self.overlap_tokens is not None
        return self.overlap_tokens

    @property
    def budget(self) -> int:
        """Tokens of a chunk that are new, at most; the rest is the overlap's."""
        return max(1, self.max_tokens - self.overlap)

    @property
    def target_tokens(self) -> int:
        """A paragraph up to here stays whole, and sentences are packed up to here."""
        return max(1, self.budget // 2)

    @property
    def target_chars(self) -> int:
        return max(1, self.chars // 2)


# No text has as many characters; sums with it stay within 64 bits.
NO_CAP = 1 << 60


def _integer(name: str, value: Any, low: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InvalidInput(name, f"{name} is {value!r}; use an integer from {low}")
    number = operator.index(value)
    if number < low:
        raise InvalidInput(name, f"{name} is {number}; use an integer from {low}")
    return number
