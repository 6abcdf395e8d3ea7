"""The JSON form: a request object in, a result object out."""

from __future__ import annotations

from typing import Any

from .errors import InvalidInput
from .spec import ChunkSpec
from .text import chunk_with

DATA_VERSION = "unicode-17.0.0"

_REQUIRED = ("text", "max_size")
_OPTIONAL = ("unit", "overlap")


def execute(request: dict[str, Any]) -> dict[str, Any]:
    """Chunk `request["text"]` and give the result object, with the defaults that were used.

    Keys: text, max_size, and optionally unit and overlap; the limits are those of `Limits()`. Raises InvalidInput and
    LimitExceeded, whose `as_dict()` is the error object.
    """
    if not isinstance(request, dict):
        raise InvalidInput("request", f"request is {type(request).__name__}; use an object")
    _check_keys(request)
    given = {name: _json_integer(value) for name, value in request.items() if name != "text"}
    spec = ChunkSpec(**given)
    chunks, sentence_count = chunk_with(spec, request["text"])
    return {
        "data_version": DATA_VERSION,
        "unit": spec.unit,
        "max_size": spec.max_size,
        "overlap": spec.overlap,
        "sentence_count": sentence_count,
        "count": len(chunks),
        "chunks": [chunk._asdict() for chunk in chunks],
    }


def _check_keys(request: dict[str, Any]) -> None:
    allowed = _REQUIRED + _OPTIONAL
    for name in request:
        if name not in allowed:
            raise InvalidInput(str(name), f"{name!r} is not a key; use {', '.join(allowed)}")
    for name in _REQUIRED:
        if name not in request:
            raise InvalidInput(name, f"{name!r} is missing")


def _json_integer(value: Any) -> Any:
    """JSON has one kind of number: 14.0 is the integer 14."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
