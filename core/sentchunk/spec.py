"""The parameters of chunking, checked once where they enter."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from .errors import InvalidInput, LimitExceeded

Unit = Literal["code_point", "utf16", "utf8"]
UNITS: tuple[str, ...] = get_args(Unit)

MAX_SIZE_RANGE = (1, 1_048_576)
OVERLAP_RANGE = (0, 16)


def _integer(name: str, value: Any, low: int, high: int) -> int:
    allowed = f"use an integer from {low:,} to {high:,}"
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InvalidInput(name, f"{name} is {value!r}; {allowed}")
    number = operator.index(value)
    if not low <= number <= high:
        raise InvalidInput(name, f"{name} is {number}; {allowed}")
    return number


@dataclass(frozen=True, slots=True)
class Limits:
    """Per-document limits. None switches one off.

    max_text_bytes: UTF-8 bytes of the text.
    max_sentences: sentences of the text, before packing.
    max_output_bytes: UTF-8 bytes of the result as compact JSON.
    """

    max_text_bytes: int | None = 262_144
    max_sentences: int | None = 65_536
    max_output_bytes: int | None = 4_194_304

    def __post_init__(self) -> None:
        for name in LIMIT_NAMES:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _integer(name, value, 0, 2**63 - 1))


LIMIT_NAMES = ("max_text_bytes", "max_sentences", "max_output_bytes")
DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class ChunkSpec:
    """How to chunk.

    max_size: 1 to 1,048,576, in `unit`.
    unit: "code_point", "utf16" (UTF-16 code units) or "utf8" (bytes).
    overlap: 0 to 16 whole sentences of the previous chunk to repeat.
    Raises InvalidInput that names the field, its value and what is allowed.
    """

    max_size: int
    unit: Unit = "code_point"
    overlap: int = 0
    limits: Limits = field(default=DEFAULT_LIMITS)

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_size", _integer("max_size", self.max_size, *MAX_SIZE_RANGE))
        object.__setattr__(self, "overlap", _integer("overlap", self.overlap, *OVERLAP_RANGE))
        if not isinstance(self.unit, str) or self.unit not in UNITS:
            raise InvalidInput("unit", f"unit is {self.unit!r}; use one of {', '.join(UNITS)}")
        if not isinstance(self.limits, Limits):
            raise InvalidInput("limits", f"limits is {self.limits!r}; use sentchunk.Limits(...)")


def checked_utf8(text: str, max_text_bytes: int | None) -> bytes:
    """The text's UTF-8, or InvalidInput that says where a lone surrogate is.

    A text that is too long is LimitExceeded whatever else is wrong with it; a surrogate counts the three bytes that it
    would have.
    """
    if not isinstance(text, str):
        raise InvalidInput("text", f"text is {type(text).__name__}; use a string")
    try:
        return str.encode(text)
    except UnicodeEncodeError as error:
        size = len(str.encode(text, errors="surrogatepass"))
        if max_text_bytes is not None and size > max_text_bytes:
            raise LimitExceeded("max_text_bytes", max_text_bytes, size) from None
        surrogate = ord(text[error.start])
        message = (
            f"text has a lone surrogate, U+{surrogate:04X}, at code point {error.start}; "
            "remove or replace it, for it has no UTF-8 form"
        )
        raise InvalidInput("text", message, error.start) from None
