"""JSON on standard output: UTF-8 whatever the locale, compact, one value a line."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

# JSON leaves these raw; a terminal may obey them, and a lone surrogate has no UTF-8 form.
_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def write_json(value: Any) -> None:
    """Print a value so that no document's text can steer the terminal: what could is escaped, as JSON allows."""
    _write(_UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", _compact(value)).encode())


def write_json_exactly(value: Any) -> None:
    """Print a value in the form whose bytes `max_output_bytes` bounds: nothing escaped that need not be."""
    _write(_compact(value).encode())


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _write(line: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()
