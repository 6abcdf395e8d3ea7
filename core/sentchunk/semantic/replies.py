"""Replies: the lines by which mail programs introduce what they quote."""

from __future__ import annotations

import re

import numpy as np

from .._records import Int64Array

MOST_LINES = 3
MOST_CHARS = 600

_END = re.compile(r"wrote:(?=[ \t]*(?:[\r\n]|\Z))")
_BEGIN = re.compile(r"[ \t>]*On[ \t]")
_BLANK = re.compile(r"[ \t>]*[\r\n]")
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*"
# What begins with a word stands in one group: at most places the first test rules all of it out.
_FORM = re.compile(
    rf"""
    \b(?:
        (?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:day)?\b # a day of the week
        | {_MONTH}\.?[ ]\d                                               # Mar 2
        | \d{{1,2}}(?:
            (?:st|nd|rd|th)?\.?[ -]{_MONTH}\b                            # 2 March
            | :\d{{2}}\b | [ ]?[APap]\.?[Mm]\b                           # 10:30, 9 pm
        )
        | \d{{1,4}}([-/.])\d{{1,2}}\1\d{{1,4}}\b                         # 2026-03-02, 3/2/26, 02.03.2026
    )
    | (?<=[^\s@<>])@[^\s@<>]                                            # an address
    """,
    re.VERBOSE,
)
# Without one of these there is none of those, and it is found sooner.
_HINT = re.compile("[0-9@]|Mon|Tue|Wed|Thu|Fri|Sat|Sun")


def find_headers(text: str, line_ends: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Where the reply headers of a mail start, with the line, and where their `wrote:` ends.

    One is `On … wrote:` where "On" begins a line, after blanks and `>` marks, and "wrote:" ends it or one of the next two,
    none of them blank, with at most 600 characters; between them stands a date, a day of the week, a time or an
    address. A name alone, a capitalised word right before "wrote:", does where the header begins a paragraph. So
    `On page 3 the author wrote:` is none. Recognised as mail programs write them in English.
    """
    found = [match.end() for match in (_END.finditer(text) if "wrote:" in text else ())]
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    starts = np.concatenate([[0], line_ends])
    ends = np.array(found, np.int64)
    lines = starts.searchsorted(ends, "right") - 1
    # The starts of the line that ends with it, and of those before it that could begin it and precede that.
    near = [starts[np.maximum(lines - before, 0)].tolist() for before in range(MOST_LINES + 1)]
    headers: list[tuple[int, int]] = []
    done = 0  # where the last header's last line ends
    for end, *before in zip(found, *near, strict=True):
        number = _begin(text, before, done)
        if number is None or end - before[number] > MOST_CHARS:
            continue
        start = before[number]
        begins_paragraph = start == 0 or _BLANK.match(text, before[number + 1]) is not None
        if is_header(text[start : end - len("wrote:")], begins_paragraph):
            headers.append((start, end))
            done = end
    columns = np.array(headers, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def is_header(said: str, begins_paragraph: bool) -> bool:
    """Whether what begins with "On" and stands before "wrote:" has the form of a header."""
    if said[-1].isalnum():
        return False
    if _HINT.search(said) and _FORM.search(said):
        return True
    return begins_paragraph and _ends_with_a_name(said)


def _begin(text: str, starts: list[int], done: int) -> int | None:
    """Which of the lines, the last one first, begins with "On"."""
    for number in range(MOST_LINES):
        start = starts[number]
        if start < done:
            return None
        if _BEGIN.match(text, start):
            return number
        if start == 0 or _BLANK.match(text, start):
            return None
    return None


def _ends_with_a_name(said: str) -> bool:
    words = said.replace(">", " ").split()
    return len(words) > 1 and words[-1].lstrip("\"'(")[:1].isupper()
