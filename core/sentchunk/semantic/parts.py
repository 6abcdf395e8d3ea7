"""Parts: what a chunk never reaches across. A document has sections, a mail the texts that its replies quote."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._records import Int64Array
from .kinds import Kind
from .replies import find_headers
from .sections import find_headings
from .tokens import Tokens


class Parts(NamedTuple):
    """The parts of a text after the first, which begins with the text and has no heading.

    starts: where the line of the heading, or of the reply's header, begins. head_ends: where it ends.
    titles: of the headings; None for a mail.
    """

    starts: Int64Array
    head_ends: Int64Array
    titles: list[str] | None


_NOWHERE = np.empty(0, np.int64)
WHOLE_TEXT = Parts(_NOWHERE, _NOWHERE, None)


def find_parts(text: str, line_ends: Int64Array, kind: Kind) -> Parts:
    if kind == Kind.MESSAGE:
        return WHOLE_TEXT
    if kind == Kind.EMAIL:
        return Parts(*find_headers(text, line_ends), None)
    return Parts(*find_headings(text, line_ends))


def mark_parts(tokens: Tokens, parts: Parts) -> None:
    """Let a paragraph begin with each part, and none right after its heading, which stays with what follows it."""
    if not len(parts.starts):
        return
    after_head = tokens.first_from(parts.head_ends)
    tokens.opens[after_head[after_head < len(tokens.opens)]] = False
    # Later than that, for the next part may follow at once.
    tokens.opens[tokens.first_from(parts.starts)] = True
