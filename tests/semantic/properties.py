"""What holds for every text, type and configuration, as checks that raise; and texts and caps to try them on."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st
from sentchunk import ChunkResult, SemanticChunker

TYPES = ["document", "note", "email", "message", "event", "contact", "ticket"]
WHOLE = ("event", "contact")

FRAGMENTS = [
    "a", "word", "Two words.", "End. ", "Why? No! ", "3.14", "。", "！", "।", "؟", "你好。世界！", "é", "e\u0301", "\u0301",
    "\u200d", "👨‍👩‍👧", "🇫🇷🇫", "क्षि", "\u00a0", "\u3000", "\u2028", "\x0b", "\x0c", "\x1c", "\x85", "\ufeff", "\0", "\ud800",
    "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\r\r", " ", "   ", "\t", "\n \t\n", "\n\u00a0\n", "    ", "\n    code\n",
    "\n## ", "\n## Title\n", "\n  ## In ##\n", "##", "\n##\n", "# ", "### ", "\n```\n", "\n````py\n", "\n~~~\n", "`", "\n<!-- ",
    "-->", "\n<pre>\n", "</pre>", "On Mon, 2 Mar 2026, Al wrote:\n", "\nOn Tue,\n2026-03-02 at 10:00\nA B <a@b.c> wrote:",
    "\n> > On 3 May Bo wrote:\n> ", "On x wrote:\n", "\nOn page 3 the author wrote:", "wrote:", "On ", "> ",
]  # fmt: skip

texts = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join),
    st.tuples(st.sampled_from(FRAGMENTS), st.integers(1, 40)).map(lambda pair: pair[0] * pair[1]),
    st.text(max_size=60),
)
small = st.one_of(st.integers(1, 9), st.integers(1, 60), st.sampled_from([512, 10**6]))
chunkers = st.builds(
    lambda tokens, chars, overlap: SemanticChunker(tokens, max_chars=chars, overlap_tokens=overlap),
    small,
    st.none() | small,
    st.none() | st.integers(0, 8) | small,
)
types = st.sampled_from(TYPES)


def check(text: str, chunker: SemanticChunker, doc_type: str) -> list[ChunkResult]:
    chunks = chunker.chunk(text, doc_type=doc_type)
    assert (chunks == []) == (not text.strip())
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert chunk.content == text[chunk.start : chunk.end]
        assert chunk.content.strip()
        assert chunk.start <= chunk.new_start < chunk.end
    if doc_type in WHOLE:
        over = len(text) > chunker.max_chars or len(text.split()) > chunker.max_tokens
        assert [(c.content, c.oversized) for c in chunks] == [(text, over)] * len(chunks)
        return chunks
    _check_caps(text, chunks, chunker)
    _check_cover(text, chunks)
    assert chunker.chunk(text, doc_type=doc_type) == chunks
    return chunks


def _check_caps(text: str, chunks: list[ChunkResult], chunker: SemanticChunker) -> None:
    for chunk in chunks:
        assert not chunk.oversized
        assert len(chunk.content) <= chunker.max_chars
        assert len(chunk.content.split()) <= chunker.max_tokens
        # The indentation stays, line ends do not.
        assert chunk.content == chunk.content.rstrip()
        lead = chunk.content[: len(chunk.content) - len(chunk.content.lstrip())]
        assert not lead.strip(" \t")
        assert not lead or chunk.start == 0 or text[chunk.start - 1] in "\r\n"
        repeated = text[chunk.start : chunk.new_start].split()
        assert len(repeated) <= chunker.overlap_tokens


def _check_cover(text: str, chunks: list[ChunkResult]) -> None:
    end = 0
    for before, chunk in itertools.pairwise([None, *chunks]):
        assert chunk is not None
        assert not text[end : chunk.new_start].strip()
        assert chunk.new_start >= end
        if before is not None:
            assert chunk.start > before.start
            assert chunk.start >= before.new_start
        end = chunk.end
    assert not text[end:].strip()
