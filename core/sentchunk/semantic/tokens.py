"""Tokens and line ends: computed once for a text, and what all later steps look into.

All positions are code points. A token is a `str.split()` piece.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._records import Int64Array

_BLANK, _LINE_END, _OTHER_WHITE = 1, 2, 3


class Tokens(NamedTuple):
    """The tokens of a text, an element each, in order.

    starts, ends: where they lie, half-open.
    leads: where a chunk starts that begins with the token: at its line's indentation where there is one that fits the
        cap together with the token, else at its start.
    opens: whether a paragraph begins with it, for one or more blank lines lie before it.
    line_ends: of the whole text, where its lines end, the line ends included.
    """

    starts: Int64Array
    ends: Int64Array
    leads: Int64Array
    opens: npt.NDArray[np.bool_]
    line_ends: Int64Array

    def first_from(self, position: Int64Array) -> Int64Array:
        """The first token that starts at a position or after it."""
        return np.searchsorted(self.starts, position)

    def holding(self, position: Int64Array) -> Int64Array:
        """The last token that starts at a position or before it."""
        return np.searchsorted(self.starts, position, "right") - 1


def find_tokens(text: str, max_chars: int) -> Tokens:
    """The tokens of a text that has at least one."""
    kinds = _kinds(text)
    white = kinds != 0
    turns = np.flatnonzero(white[1:] != white[:-1]) + 1
    turns = np.concatenate([[0] * (not white[0]), turns, [len(text)] * (not white[-1])])
    starts, ends = turns[0::2].astype(np.int64), turns[1::2].astype(np.int64)

    line_ends = _line_ends(text, kinds)
    other = np.flatnonzero(kinds == _OTHER_WHITE) if kinds.max() == _OTHER_WHITE else line_ends[:0]
    after = np.searchsorted(starts, line_ends)  # the token that follows a line end
    others_before = np.searchsorted(other, line_ends)

    opens = np.zeros(len(starts) + 1, np.bool_)
    # Two line ends before the same token, and only blanks between them: the line between is blank.
    blank_line = (after[1:] == after[:-1]) & (others_before[1:] == others_before[:-1])
    opens[after[1:][blank_line]] = True
    opens[0] = True

    leads = starts.copy()
    last = np.ones(len(after), np.bool_)  # of the line ends before a token
    last[:-1] = after[1:] != after[:-1]
    line_starts, owners = line_ends[last], after[last]
    if not len(owners) or owners[0] != 0:
        line_starts, owners = np.append(line_starts, 0), np.append(owners, 0)
    line_starts, owners = line_starts[owners < len(starts)], owners[owners < len(starts)]
    plain = np.searchsorted(other, line_starts) == np.searchsorted(other, starts[owners])
    fits = ends[owners] - line_starts <= max_chars
    leads[owners[plain & fits]] = line_starts[plain & fits]
    return Tokens(starts, ends, leads, opens[:-1], line_ends)


def _kinds(text: str) -> npt.NDArray[np.uint8]:
    """For each character whether it is white space, and of which kind."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii").translate(_KINDS[:256].tobytes()), np.uint8)
    codes = code_points(text)
    return _KINDS[np.minimum(codes, len(_KINDS) - 1)]


def code_points(text: str) -> npt.NDArray[np.uint32]:
    # Lone surrogates are no obstacle: a chunk that holds one is a slice as any other.
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _line_ends(text: str, kinds: npt.NDArray[np.uint8]) -> Int64Array:
    """One past each LF, CRLF and CR."""
    ends = np.flatnonzero(kinds == _LINE_END) + 1
    if "\r" in text:
        # A CR whose LF follows ends no line by itself. Neighbours alone can be such a pair.
        pairs = np.flatnonzero(ends[1:] == ends[:-1] + 1).tolist()
        keep = np.ones(len(ends), np.bool_)
        keep[[at for at in pairs if text[ends[at] - 1] == "\r" and text[ends[at]] == "\n"]] = False
        ends = ends[keep]
    return ends


def _white_space() -> npt.NDArray[np.uint8]:
    kinds = np.array([_OTHER_WHITE * chr(code).isspace() for code in range(0x3002)], np.uint8)
    kinds[[ord(" "), ord("\t")]] = _BLANK
    kinds[[ord("\n"), ord("\r")]] = _LINE_END
    return kinds


_KINDS = _white_space()
