"""What the engine raises: one family, each error with a `code` and the facts as attributes."""

from __future__ import annotations

from typing import Any


class SentchunkError(ValueError):
    """Base of the engine's errors. `code` is stable and meant for programs, the message for people."""

    code = "error"

    def as_dict(self) -> dict[str, Any]:
        """The error object of the JSON form, as `execute` has it."""
        return {"code": self.code, "message": str(self)}


class InvalidInput(SentchunkError):
    """A parameter or a text that no document should have been called with.

    `field` names what is wrong; `position` is the index of an offending code point, or None.
    """

    code = "invalid_input"

    def __init__(self, field: str, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.position = position

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.field, str(self), self.position)

    def as_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"field": self.field}
        if self.position is not None:
            facts["position"] = self.position
        return super().as_dict() | facts


class LimitExceeded(SentchunkError):
    """A document over one of the per-document limits, `Limits`.

    `limit_name` is a field of `Limits`, `limit` its value, `figure` what the document has; `measured` says of what, where
    it is not what the contract measures.
    """

    code = "limit_exceeded"

    def __init__(
        self, limit_name: str, limit: int, figure: int, measured: str | None = None
    ) -> None:
        super().__init__(limit_message(limit_name, limit, figure, measured=measured))
        self.limit_name = limit_name
        self.limit = limit
        self.figure = figure
        self._measured = measured

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.limit_name, self.limit, self.figure, self._measured)

    def as_dict(self) -> dict[str, Any]:
        facts = {"limit_name": self.limit_name, "limit": self.limit, "figure": self.figure}
        return super().as_dict() | facts


# What `max_output_bytes` measures of the type-aware chunker.
BYTES_OF_CHUNKS = "UTF-8 bytes of chunks and their sections"

_MEASURED = {
    "max_text_bytes": "UTF-8 bytes of text",
    "max_sentences": "sentences",
    "max_output_bytes": "bytes of result as JSON",
}


def limit_message(
    limit_name: str, limit: int, figure: int, exact: bool = True, measured: str | None = None
) -> str:
    """One sentence with the document's figure, the limit, and the way out. Not exact: counting stopped early."""
    measured = _MEASURED[limit_name] if measured is None else measured
    return (
        f"the document has {'' if exact else 'at least '}{figure:,} {measured}, over {limit_name} = {limit:,}; "
        f"raise {limit_name} or switch it off"
    )
