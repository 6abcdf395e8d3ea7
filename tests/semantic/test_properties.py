"""Every property of the type-aware chunker, on texts made of what it knows.

EXAMPLES=20000 pytest tests/semantic/test_properties.py      # the long run: some minutes
"""

from __future__ import annotations

import copy
import itertools
import os

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from sentchunk import Limits, SemanticChunker
from sentchunk.semantic import SemanticSpec, columns
from sentchunk.semantic.columns import chunk_semantic_column

from . import properties

EXAMPLES = int(os.environ.get("EXAMPLES", "300"))


@settings(max_examples=EXAMPLES, deadline=None)
@given(properties.texts, properties.chunkers, properties.types)
def test_slices_caps_cover_and_overlap(text: str, chunker: SemanticChunker, doc_type: str) -> None:
    properties.check(text, chunker, doc_type)


@settings(max_examples=EXAMPLES, deadline=None)
@given(properties.texts, properties.types)
def test_caps_out_of_reach_give_the_same_chunks_for_crlf(text: str, doc_type: str) -> None:
    unix = text.replace("\r\n", "\n").replace("\r", "\n")
    dos = unix.replace("\n", "\r\n")
    chunker = SemanticChunker(10**6, max_chars=10**7)
    ours, theirs = (chunker.chunk(each, doc_type=doc_type) for each in (unix, dos))
    assert [(c.content.replace("\r\n", "\n"), c.metadata) for c in theirs] == [
        (c.content, c.metadata) for c in ours
    ]
    mac = chunker.chunk(unix.replace("\n", "\r"), doc_type=doc_type)
    assert [(c.start, c.end, c.new_start) for c in mac] == [
        (c.start, c.end, c.new_start) for c in ours
    ]


@settings(max_examples=EXAMPLES, deadline=None)
@given(properties.texts, properties.chunkers, properties.types)
def test_overlap_changes_no_new_part(text: str, chunker: SemanticChunker, doc_type: str) -> None:
    """Given the same budget, only where a chunk starts depends on it, and it stays in its section."""
    found = chunker.chunk(text, doc_type=doc_type)
    for before, chunk in itertools.pairwise(found):
        if before.metadata != chunk.metadata:
            assert chunk.start == chunk.new_start
    budget = chunker.max_tokens - chunker.overlap_tokens
    plain = SemanticChunker(budget, max_chars=chunker.max_chars, overlap_tokens=0)
    if doc_type not in properties.WHOLE:
        assert [(c.start, c.end) for c in plain.chunk(text, doc_type=doc_type)] == [
            (c.new_start, c.end) for c in found
        ]


def test_a_chunks_metadata_is_its_own() -> None:
    given = {"tags": ["a", {"b": [1]}], "n": 1}
    before = copy.deepcopy(given)
    first, second = SemanticChunker(4, overlap_tokens=0).chunk("One two.\n\nThree.", metadata=given)
    first.metadata["tags"][1]["b"].append(2)
    first.metadata["n"] = 2
    assert given == before
    assert second.metadata == before


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.tuples(properties.texts, properties.types), max_size=6), properties.chunkers)
def test_a_column_has_the_chunks_of_each_text(
    documents: list[tuple[str, str]], chunker: SemanticChunker
) -> None:
    """Whatever texts lie beside one in a column, and are chunked together with it."""
    documents = [(text.replace("\ud800", "?"), doc_type) for text, doc_type in documents]
    texts, types = [text for text, _ in documents], [doc_type for _, doc_type in documents]
    spec = SemanticSpec(chunker.max_tokens, chunker.max_chars, chunker.overlap_tokens)
    column = pa.chunked_array([pa.array(texts, pa.string())])
    found = chunk_semantic_column(column, types, spec, Limits(None, None, None))
    expected = [
        (
            index, c.index, c.content, c.start, c.end, c.new_start, len(c.content), c.oversized,
            c.metadata.get("section"), doc_type,
        )
        for index, (text, doc_type) in enumerate(documents)
        for c in chunker.chunk(text, doc_type=doc_type)
    ]  # fmt: skip
    assert [tuple(row.values()) for row in found.chunks.to_pylist()] == expected
    assert found.rejects.num_rows == 0
    assert found.text_bytes == sum(len(text.encode()) for text in texts)


def test_titles_that_are_much_together_come_in_pieces(monkeypatch) -> None:
    texts = pa.array(["a\n## Title\nb\n\nc\n## Other\nd\n\ne\n\nf", "g"])
    given = texts, ["document", "note"], SemanticSpec(), Limits()
    whole = chunk_semantic_column(*given).chunks["section"]
    monkeypatch.setattr(columns, "_PIECE_BYTES", 7)
    pieces = chunk_semantic_column(*given).chunks["section"]
    assert (whole.num_chunks, pieces.num_chunks) == (1, 4)
    expected = [None, "Title", "Title", "Other", "Other", "Other", None]
    assert whole.to_pylist() == pieces.to_pylist() == expected
