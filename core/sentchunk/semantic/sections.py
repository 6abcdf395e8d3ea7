"""Sections: level-2 ATX headings, found as CommonMark finds them.

A full Markdown parser was measured and left out: markdown-it-py gives lines exactly, but reads 1 to 3 MB/s, a tenth of
what the chunker as a whole does, and the headings that matter here need only the few constructs that can hide one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from .._records import Int64Array
from .tokens import code_points

Heading = tuple[int, int, str]

# The beginning of a line, of which only these matter: no other line opens or closes anything.
_LINE = re.compile(
    r" {0,3}(?:"
    r"##(?P<title>(?=[ \t\r\n]|\Z)[^\r\n]*)"
    r"|(?P<fence>`{3,}(?=[^`\r\n]*(?:[\r\n]|\Z))|~{3,})"
    r"|<(?P<html>!--|(?:pre|script|style|textarea)(?=[ \t>\r\n]|\Z))"
    r")",
    re.IGNORECASE,
)
_COMMENT_END = re.compile("-->")
_HTML_END = re.compile("</(?:pre|script|style|textarea)>", re.IGNORECASE)
_BLANKS_ONLY = re.compile(r"[ \t]*(?:[\r\n]|\Z)")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")


def find_headings(text: str, line_ends: Int64Array) -> Iterator[Heading]:
    """Yield each heading's line, (start, end without the line end, title).

    One is 0 to 3 blanks, `##`, and a blank, a tab or the end of the line; closing hashes do not belong to its title.
    None is one inside a fenced block (backticks or tildes, closed by at least as many), an HTML comment, or a block of
    `<pre>`, `<script>`, `<style>` or `<textarea>`, each of which begins at a line's start, and without an end reaches
    to the end of the text.
    """
    if "##" not in text:
        return
    fence, resume = "", 0
    for start in _candidates(text, line_ends):
        if start < resume or (found := _LINE.match(text, start)) is None:
            continue
        title, mark, html = found.groups()
        if fence:
            # The mark is as long as it can be: of another kind or shorter, it does not begin with the fence.
            if mark and mark.startswith(fence) and _BLANKS_ONLY.match(text, found.end()):
                fence = ""
        elif title is not None:
            title = title.strip(" \t")
            if title.endswith("#"):
                title = _CLOSING_HASHES.sub("", title).rstrip(" \t")
            yield start, found.end(), title
        elif mark:
            fence = mark
        else:
            # From within the mark on: `<!-->` is a whole comment.
            end = _COMMENT_END if html == "!--" else _HTML_END
            closing = end.search(text, found.start("html") + 1)
            resume = len(text) if closing is None else closing.end()


def _candidates(text: str, line_ends: Int64Array) -> list[int]:
    """The starts of the lines whose first character after up to three blanks could begin something."""
    starts = np.concatenate([[0], line_ends])
    codes = _codes(text)
    at, first = starts.copy(), codes[starts]
    for _ in range(3):
        at += first == ord(" ")
        first = codes[at]
    chosen: list[int] = starts[np.isin(first, _FIRST)].tolist()
    return chosen


_FIRST = np.array([ord(each) for each in "#`~<"])


def _codes(text: str) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint32]:
    """Its characters' codes, and some more, so that one may look past the end."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii") + b"\0\0\0\0", np.uint8)
    return code_points(text + "\0\0\0\0")
