"""`sentchunk execute`: the JSON form, a request object in, a result or an error object out."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, NoReturn

import sentchunk
from sentchunk import InvalidInput, Limits, SentchunkError

from .. import files
from ..errors import UsageError, reason
from .json_output import write_json_exactly

ERROR_STATUS = 2
MAX_TEXT_BYTES = Limits().max_text_bytes or 0
# JSON spends at most six bytes, "\u0041", on a byte of text. The rest of a request is small.
MAX_REQUEST_BYTES = 6 * MAX_TEXT_BYTES + (64 << 10)
MAX_ECHO = 300


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "execute",
        help="chunk the text of a JSON request",
        description=(
            'Reads a JSON object with "text", "max_size" and optionally "unit" and "overlap"; prints the result, '
            'or {"error": ...} with exit status 2, as JSON in UTF-8. '
            f"A request has at most {MAX_REQUEST_BYTES:,} bytes, a text {MAX_TEXT_BYTES:,} as UTF-8."
        ),
        allow_abbrev=False,
    )
    command.add_argument(
        "--input", default="-", metavar="FILE", help="the request (standard input)"
    )
    command.set_defaults(run=run)


def run(given: argparse.Namespace, options: Any) -> int:
    """Print the result, status 0, or the error object, status 2. Raises UsageError for a file it cannot read."""
    raw = read_request(given.input)
    if len(raw) > MAX_REQUEST_BYTES:
        write_json_exactly({"error": _too_large()})
        return ERROR_STATUS
    try:
        result = sentchunk.execute(parse(raw))
    except SentchunkError as error:
        write_json_exactly({"error": _printable(error)})
        return ERROR_STATUS
    write_json_exactly(result)
    return 0


def read_request(path: str) -> bytes:
    """The request's bytes; of one that is too large, one byte more than is allowed."""
    if path == "-":
        return sys.stdin.buffer.read(MAX_REQUEST_BYTES + 1)
    try:
        with files.open_stream(path) as source:
            return source.read(MAX_REQUEST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {reason(error)}") from error


def parse(raw: bytes) -> Any:
    """The JSON value. Raises InvalidInput, stricter than Python: no NaN, and no key twice."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        message = f"the request is not UTF-8: byte {error.start:,} is the first wrong one"
        raise InvalidInput("request", message) from None
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        message = f"the request is not JSON: {error.msg}, at {where}"
        raise InvalidInput("request", message, error.pos) from None
    except RecursionError:
        raise InvalidInput("request", "the request is nested too deeply; use an object") from None
    except InvalidInput:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise InvalidInput(
            "request", f"the request has a number that is too long: {error}"
        ) from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidInput(name, f"{name!r} is there twice; give each key once")
        found[name] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise InvalidInput("request", f"the request is not JSON: it has {name}; use a number")


def _too_large() -> dict[str, Any]:
    """Counting stopped early, so there is no figure."""
    message = (
        f"the request has more than {MAX_REQUEST_BYTES:,} bytes, which no text within "
        f"max_text_bytes = {MAX_TEXT_BYTES:,} needs; send less, or use sentchunk chunk for large documents"
    )
    return {
        "code": "limit_exceeded",
        "message": message,
        "limit_name": "max_text_bytes",
        "limit": MAX_TEXT_BYTES,
        "figure": None,
    }


def _printable(error: SentchunkError) -> dict[str, Any]:
    """The error object with what it quotes from the request cut short, and encodable."""
    return {
        name: _short(value) if isinstance(value, str) else value
        for name, value in error.as_dict().items()
    }


def _short(text: str) -> str:
    if len(text) > MAX_ECHO:
        text = f"{text[: MAX_ECHO // 2]} … {text[-MAX_ECHO // 2 :]}"
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
