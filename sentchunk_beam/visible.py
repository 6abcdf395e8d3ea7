"""A document's text made fit to show: nothing in it can steer a terminal or rearrange a page."""

from __future__ import annotations

import regex

STACKED_MARKS = 8
SIGN = r"⟨[^⟨⟩]{1,40}⟩|[↵◌]"

# The joiners stay, for scripts and emoji need them, and so do the signs that are "format" by name only.
_UNSEEN = regex.compile(
    r"[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Cf}\p{Noncharacter_Code_Point}]"
    r"--[\u200c\u200d\p{Prepended_Concatenation_Mark}]]",
    regex.V1,
)
_CONTROLS = [
    "NUL",
    "SOH",
    "STX",
    "ETX",
    "EOT",
    "ENQ",
    "ACK",
    "BEL",
    "BS",
    "TAB",
    "LF",
    "VT",
    "FF",
    "CR",
    "SO",
    "SI",
    "DLE",
    "DC1",
    "DC2",
    "DC3",
    "DC4",
    "NAK",
    "SYN",
    "ETB",
    "CAN",
    "EM",
    "SUB",
    "ESC",
    "FS",
    "GS",
    "RS",
    "US",
]
_LONE_MARK = regex.compile(r"(?:^|(?<=[⟩↵\p{Z}]))(?=\p{M})", regex.V1)
_STACK = regex.compile(rf"(?<=\p{{M}}{{{STACKED_MARKS}}})\p{{M}}+", regex.V1)


def visible(text: str) -> str:
    """The text in one line, with signs for what cannot be seen or does harm.

    Controls become `↵`, `⟨ESC⟩` or, like bidirectional controls, `⟨U+202E⟩`; a mark without a base gets the dotted
    circle; of a stack of marks the first eight are shown and the rest counted. `SIGN` finds the signs. The result is
    for people: it cannot be turned back.
    """
    shown = _UNSEEN.sub(lambda match: _sign(ord(match[0])), text)
    shown = _STACK.sub(lambda match: f"⟨{len(match[0]):,} more marks⟩", shown)
    return _LONE_MARK.sub("◌", shown)


def excerpt(text: str, head: int, tail: int) -> str:
    """`visible`, with all but the first `head` and the last `tail` code points counted instead of shown."""
    left_out = len(text) - head - tail
    if left_out <= 0:
        return visible(text)
    end = text[len(text) - tail :] if tail else ""
    return f"{visible(text[:head])}⟨… {left_out:,} code points …⟩{visible(end)}"


def _sign(code_point: int) -> str:
    if code_point == 0x0A:
        return "↵"
    name = _CONTROLS[code_point] if code_point < 0x20 else f"U+{code_point:04X}"
    return f"⟨{name}⟩"
