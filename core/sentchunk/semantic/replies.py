"""Replies: the lines by which mail programs introduce what they quote."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import regex

from .._records import Int64Array

MOST_LINES = 3
MOST_CHARS = 600

_END = regex.compile(r"(?<!\w)wrote:(?=[ \t]*(?:[\r\n]|\Z))")
_BEGIN = regex.compile(r"[ \t>]*On[ \t]")
_BLANK = regex.compile(r"[ \t>]*[\r\n]")
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*"
_FORM = regex.compile(
    rf"""
    \b(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:day)?\b   # a day of the week
    | \b{_MONTH}\.?[ ]\d | \b\d{{1,2}}(?:st|nd|rd|th)?\.?[ -]{_MONTH}\b      # Mar 2, 2 March
    | \b\d{{1,4}}([-/.])\d{{1,2}}\1\d{{1,4}}\b                              # 2026-03-02, 3/2/26, 02.03.2026
    | \b\d{{1,2}}:\d{{2}}\b | \b\d{{1,2}}[ ]?[APap]\.?[Mm]\b                 # 10:30, 9 pm
    | [^\s@<>]@[^\s@<>]                                                    # an address
    """,
    regex.VERBOSE,
)
# One to four capitalised words, which may be quoted, right before "wrote:".
_NAME = regex.compile(r"""[\s>,"'(](?:\p{Lu}[\w.'’-]*+[,")]*+[\s>]++){1,4}\Z""")


def find_headers(text: str, line_ends: Int64Array) -> Iterator[tuple[int, int]]:
    """Yield the reply headers of a mail, (start of the first line, end of `wrote:`).

    One is `On … wrote:` where "On" begins a line, after blanks and `>` marks, and "wrote:" ends it or one of the next two,
    none of them blank, with at most 600 characters; between them stands a date, a day of the week, a time or an
    address. A name alone, capitalised words right before "wrote:", does where the header begins a paragraph. So
    `On page 3 the author wrote:` is none. Recognised as mail programs write them in English.
    """
    if "wrote:" not in text:
        return
    ends = [found.end() for found in _END.finditer(text)]
    starts = np.concatenate([[0], line_ends])
    lines = (np.searchsorted(starts, np.array(ends, np.int64), "right") - 1).tolist()
    done = 0  # the line after the last header
    for end, line in zip(ends, lines, strict=True):
        begin = _begin(text, starts, line, done)
        if begin is None:
            continue
        start = int(starts[begin])
        if end - start > MOST_CHARS:
            continue
        said = text[start : end - len("wrote:")]
        if _FORM.search(said) or (_NAME.search(said) and _begins_paragraph(text, starts, begin)):
            yield start, end
            done = line + 1


def _begin(text: str, starts: Int64Array, line: int, done: int) -> int | None:
    """The line, this one or the nearest of the two before it, that begins with "On"."""
    for begin in range(line, max(line - MOST_LINES, done - 1, -1), -1):
        start = int(starts[begin])
        if _BEGIN.match(text, start):
            return begin
        if _BLANK.match(text, start):
            return None
    return None


def _begins_paragraph(text: str, starts: Int64Array, line: int) -> bool:
    return line == 0 or _BLANK.match(text, int(starts[line - 1])) is not None
