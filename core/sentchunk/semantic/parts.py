"""Parts: what a chunk never reaches across. A document has sections, a mail the texts that its replies quote."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import replies, sections
from .kinds import EMAIL, MESSAGE
from .tokens import Tokens


class Part(NamedTuple):
    """A part begins with the line at `start`. Its heading, or header, ends at `head_end`; `start` where it has none.

    section: the title of its heading; None where there is no heading.
    """

    start: int
    head_end: int
    section: str | None = None


def find_parts(text: str, tokens: Tokens, doc_type: str) -> list[Part]:
    """The parts of a text in order. The first begins at 0 and holds what lies before a heading or a header."""
    if doc_type == MESSAGE:
        return [Part(0, 0)]
    if doc_type == EMAIL:
        found = [Part(*span) for span in replies.find_headers(text, tokens.line_ends)]
    else:
        found = [Part(*heading) for heading in sections.find_headings(text, tokens.line_ends)]
    return [Part(0, 0), *found]


def mark_parts(tokens: Tokens, parts: list[Part]) -> None:
    """Let a paragraph begin with each part, and none right after its heading, which stays with what follows it."""
    if len(parts) == 1:
        return
    starts = np.array([part.start for part in parts[1:]])
    head_ends = np.array([part.head_end for part in parts[1:]])
    after_head = tokens.first_from(head_ends)
    tokens.opens[after_head[after_head < len(tokens.opens)]] = False
    # Later than that, for the next part may follow at once.
    tokens.opens[tokens.first_from(starts)] = True
