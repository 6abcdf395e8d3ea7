"""Real Markdown, as installed packages bring it, and headings held against a Markdown parser."""

from __future__ import annotations

import re
import sysconfig
from importlib.metadata import distributions
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from sentchunk import SemanticChunker
from sentchunk.semantic.sections import find_headings

from . import properties

PARSER = MarkdownIt("commonmark")


def _texts() -> dict[str, str]:
    found = {
        path.name: path.read_text("utf-8", "replace")
        for path in sorted(Path(sysconfig.get_path("purelib")).rglob("*.md"))
    }
    for package in distributions():
        text = package.metadata.get_payload()
        if isinstance(text, str) and len(text) > 200:
            found[package.metadata["Name"]] = text
    return found


TEXTS = _texts()


@pytest.mark.parametrize("caps", [(512, None, None), (16, 61, 5), (100, 90, 0)])
def test_every_property_holds(caps: tuple[int, int | None, int | None]) -> None:
    tokens, chars, overlap = caps
    chunker = SemanticChunker(tokens, max_chars=chars, overlap_tokens=overlap)
    assert len(TEXTS) > 30
    for text in TEXTS.values():
        for doc_type in ("document", "email"):
            properties.check(text, chunker, doc_type)


def test_the_headings_are_those_of_a_markdown_parser() -> None:
    """Those at the top level: in a list or a quotation, a heading is found by its line, or not, whatever is around it."""
    seen = 0
    for name, text in TEXTS.items():
        unix = text.replace("\r\n", "\n")
        theirs, elsewhere = _headings(unix)
        ours = _sections(unix)
        missing = [title for title in theirs if title not in ours]
        added = [title for title in ours if title not in theirs and title not in elsewhere]
        # In what HTML blocks other than those that are looked for hide, a parser finds none.
        assert not missing, name
        assert not added or "<" in text, (name, added)
        seen += len(theirs)
    assert seen > 50


# A closing tag alone would begin a block of another kind, which ends at a blank line and is not looked for.
LINES = st.sampled_from(
    ["## A", "  ## B ##", "    ## c", "##", "##x", "# D", "text", "", "```", "````", "``` py", "```x`y", "~~~", "   ~~~~",
     "<!-- c", "-->", "<!-- d -->", "<pre>\n\n## p\n</pre>", "<style>", "`", "    code", "\t## t", "## E \\##", "## F #"]
)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(LINES, max_size=12).map("\n".join))
def test_random_lines_have_the_headings_of_a_markdown_parser(text: str) -> None:
    theirs, _ = _headings(text)
    assert _sections(text) == theirs


def _sections(text: str) -> list[str]:
    line_ends = [match.end() for match in re.finditer("\n", text)]
    return find_headings(text, np.array(line_ends, np.int64))[2]


def _headings(text: str) -> tuple[list[str], list[str]]:
    """The titles of level 2 at the top level, and those within something."""
    tokens = PARSER.parse(text)
    top: list[str] = []
    within: list[str] = []
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.tag == "h2" and token.markup == "##":
            (top if token.level == 0 else within).append(inline.content)
    return top, within
