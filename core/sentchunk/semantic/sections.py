"""Sections: level-2 ATX headings, found as CommonMark finds them.

A full Markdown parser was measured and left out: markdown-it-py gives lines exactly, but reads 3 MB/s, or 10 by its
block rules alone, a fraction of what the chunker as a whole does, and the headings that matter here need only the few
constructs that can hide one. Tests hold both against each other.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from .._records import Int64Array
from .tokens import code_points

# The beginning of a line that opens or closes what can hide a heading. No other line does.
_BLOCK = re.compile(
    r" {0,3}(?:"
    r"(?P<fence>`{3,}(?=[^`\r\n]*(?:[\r\n]|\Z))|~{3,})"
    r"|<(?P<html>!--|(?:pre|script|style|textarea)(?=[ \t>\r\n]|\Z))"
    r")",
    re.IGNORECASE | re.ASCII,
)
_COMMENT_END = re.compile("-->")
_HTML_END = re.compile("</(?:pre|script|style|textarea)>", re.IGNORECASE | re.ASCII)
_BLANKS_ONLY = re.compile(r"[ \t]*(?:[\r\n]|\Z)")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#+$")

_NONE = np.empty(0, np.int64)


def find_headings(text: str, line_ends: Int64Array) -> tuple[Int64Array, Int64Array, list[str]]:
    """Where the lines of the headings start, where they end without the line end, and their titles.

    One is 0 to 3 blanks, `##`, and a blank, a tab or the end of the line; closing hashes do not belong to its title.
    None is one inside a fenced block (backticks or tildes, closed by at least as many), an HTML comment, or a block of
    `<pre>`, `<script>`, `<style>` or `<textarea>`, each of which begins at a line's start, and without an end reaches
    to the end of the text.
    """
    if "##" not in text:
        return _NONE, _NONE, []
    codes = code_points(text + "\n\n\n\n\n\n")  # so that one may look past the end
    starts = np.concatenate([[0], line_ends])
    marks, first = _first_marks(codes, starts)
    headings = first == ord("#")
    at = marks[headings]
    is_heading = (codes[at + 1] == ord("#")) & _AFTER_HASHES[np.minimum(codes[at + 2], 0x80)]
    begin, mark = starts[headings][is_heading], at[is_heading]
    if not len(begin):
        return _NONE, _NONE, []
    hidden = _hidden(text, starts[(first == ord("`")) | (first == ord("~")) | (first == ord("<"))])
    if len(hidden):
        # Within a stretch, as many stretches have begun as ended before, and one more.
        shown = hidden[:, 0].searchsorted(begin, "right") == np.searchsorted(
            hidden[:, 1], begin, "right"
        )
        begin, mark = begin[shown], mark[shown]
    following = line_ends.searchsorted(mark, "right")
    stop = np.concatenate([line_ends, [len(text)]])[following]
    lines = [text[a:b] for a, b in zip((mark + 2).tolist(), stop.tolist(), strict=True)]
    ends = stop - np.array([len(line) - len(line.rstrip("\r\n")) for line in lines], np.int64)
    return begin, ends, [_title(line) for line in lines]


def _title(line: str) -> str:
    title = line.strip(" \t\r\n")
    return _CLOSING_HASHES.sub("", title).rstrip(" \t") if title.endswith("#") else title


def _first_marks(
    codes: npt.NDArray[Any], starts: Int64Array
) -> tuple[Int64Array, npt.NDArray[Any]]:
    """Of each line the first character after up to three blanks: where it is, and what."""
    marks, first = starts.copy(), codes[starts]
    for _ in range(3):
        marks += first == ord(" ")
        first = codes[marks]
    return marks, first


def _hidden(text: str, candidates: Int64Array) -> Int64Array:
    """The stretches, (start, end), in which no heading is one: from an opening line up to where it is closed."""
    stretches: list[tuple[int, int]] = []
    fence, opened, resume = "", 0, 0
    for start in candidates.tolist():
        if start < resume or (found := _BLOCK.match(text, start)) is None:
            continue
        mark, html = found.groups()
        if fence:
            # The mark is as long as it can be: of another kind or shorter, it does not begin with the fence.
            if mark and mark.startswith(fence) and _BLANKS_ONLY.match(text, found.end()):
                stretches.append((opened, start))
                fence = ""
        elif mark:
            fence, opened = mark, start
        else:
            # From within the mark on: `<!-->` is a whole comment.
            end = _COMMENT_END if html == "!--" else _HTML_END
            closing = end.search(text, found.start("html") + 1)
            resume = len(text) if closing is None else closing.end()
            stretches.append((start, resume))
    if fence:
        stretches.append((opened, len(text)))
    return np.array(stretches, np.int64)


_AFTER_HASHES = np.zeros(0x81, np.bool_)
_AFTER_HASHES[[ord(each) for each in " \t\r\n"]] = True
