"""Tokens and line ends: computed once for a text, and what all later steps look into.

All positions are code points. A token is a `str.split()` piece.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._records import Int64Array

_BLANK, _OTHER_WHITE, _LF, _CR = 1, 2, 3, 4


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
        return self.starts.searchsorted(position)


def find_tokens(text: str, max_chars: int) -> Tokens:
    """The tokens of a text that has at least one."""
    kinds = _kinds(text)
    white = kinds != 0
    turns = (white[1:] != white[:-1]).nonzero()[0] + 1
    edges = [turns]
    if not white[0]:
        edges.insert(0, _ZERO)
    if not white[-1]:
        edges.append(np.array([len(text)]))
    turns = np.concatenate(edges)
    starts, ends = turns[0::2].copy(), turns[1::2].copy()

    line_ends = _line_ends(kinds)
    other = (kinds == _OTHER_WHITE).nonzero()[0]
    after = starts.searchsorted(line_ends)  # the token that follows a line end
    opens = _opens(len(starts), line_ends, after, other)
    leads = _leads(starts, ends, line_ends, after, other, max_chars)
    return Tokens(starts, ends, leads, opens, line_ends)


_ZERO = np.zeros(1, np.int64)


def _opens(
    count: int, line_ends: Int64Array, after: Int64Array, other: Int64Array
) -> npt.NDArray[np.bool_]:
    """Two line ends before the same token, and only blanks between them: the line between is blank."""
    blank_line = after[1:] == after[:-1]
    if len(other):
        others_before = other.searchsorted(line_ends)
        blank_line &= others_before[1:] == others_before[:-1]
    opens = np.zeros(count + 1, np.bool_)  # and one for the line ends after the last token
    opens[after[1:][blank_line]] = True
    opens[0] = True
    return opens[:-1]


def _leads(
    starts: Int64Array,
    ends: Int64Array,
    line_ends: Int64Array,
    after: Int64Array,
    other: Int64Array,
    max_chars: int,
) -> Int64Array:
    """Where the line of a token starts, if only blanks lie between, and both fit the cap; else where the token does."""
    # Of the line ends before a token the last one; and the beginning of the text, which is before the first.
    line_starts = np.concatenate([_ZERO, line_ends])
    owners = np.concatenate([_ZERO, after])
    last = np.ones(len(owners), np.bool_)
    last[:-1] = owners[1:] != owners[:-1]
    last &= owners < len(starts)
    line_starts, owners = line_starts[last], owners[last]
    chosen = ends[owners] - line_starts <= max_chars
    if len(other):
        chosen &= other.searchsorted(line_starts) == other.searchsorted(starts[owners])
    leads = starts.copy()
    leads[owners[chosen]] = line_starts[chosen]
    return leads


def _kinds(text: str) -> npt.NDArray[np.uint8]:
    """For each character whether it is white space, and of which kind."""
    codes = code_points(text)
    return _KINDS[np.minimum(codes, len(_KINDS) - 1)]


def code_points(text: str) -> npt.NDArray[np.uint32]:
    # Lone surrogates are no obstacle: a chunk that holds one is a slice as any other.
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _line_ends(kinds: npt.NDArray[np.uint8]) -> Int64Array:
    """One past each LF, CRLF and CR."""
    ends = kinds >= _LF
    # A CR whose LF follows ends no line by itself.
    ends[:-1] &= (kinds[:-1] == _LF) | (kinds[1:] != _LF)
    places: Int64Array = ends.nonzero()[0] + 1
    return places


def _white_space() -> npt.NDArray[np.uint8]:
    kinds = np.array([_OTHER_WHITE * chr(code).isspace() for code in range(0x3002)], np.uint8)
    kinds[[ord(" "), ord("\t")]] = _BLANK
    kinds[ord("\n")], kinds[ord("\r")] = _LF, _CR
    return kinds


_KINDS = _white_space()
