"""Families of texts that make a sentence machine slow or wrong: each grows with n, which is about its length in bytes."""

from __future__ import annotations

from collections.abc import Callable


def _repeat(unit: str, head: str = "") -> Callable[[int], str]:
    size = len(unit.encode())
    return lambda n: head + unit * (n // size)


FAMILIES: dict[str, Callable[[int], str]] = {
    "one terminator, then blanks": _repeat(" ", "a."),
    "one terminator, then brackets": _repeat(")", "a."),
    "one terminator, then digits": _repeat("1", "a. "),
    "one terminator, then marks": _repeat("\u0308", "a."),
    "full stops": _repeat("."),
    "newlines": _repeat("\n"),
    "CRLF": _repeat("\r\n"),
    "one word": _repeat("a"),
    "combining marks": _repeat("\u0308"),
    "abbreviations and digits": _repeat("A. 1 "),
    "marks after full stops": _repeat("a.\u0308"),
    "joiners after question marks": _repeat("?\u200d"),
    "ideographic stops and brackets": _repeat("。「"),
    "section numbers": _repeat("1.2."),
    "alternating scripts": _repeat("aяखअ日😀ا.д。"),
    "NUL bytes": _repeat("\0"),
    "4-byte letters": _repeat("\U00010400"),
    "emoji": _repeat("😀"),
    "quotes": _repeat('"'),
    "quoted exclamations": _repeat('"A!" '),
    "terminators joined by commas": _repeat("!,"),
    "full stops before lower case": _repeat("b. c"),
    "danda": _repeat("क।"),
    "leads of terminators": _repeat("\u3001\u0940\u2010"),
    "line separators": _repeat("\u2028"),
}
