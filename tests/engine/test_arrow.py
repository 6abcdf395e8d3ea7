"""The column form: every Arrow layout gives what the single texts give, and nothing in a column stops the others."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentchunk import InvalidInput, LimitExceeded, Limits, chunk, chunk_arrow
from sentchunk.spec import UNITS

pytestmark = pytest.mark.usefixtures("implementation")

TEXTS = ["One. Two two. Three three three.", "", "日本。 Ünï! 😀\nx", None, "   ", "A1. B2. C3."]


def expected(texts: list[str | None], **options) -> list[dict]:
    return [
        {"document": document, "chunk_index": index, **row._asdict()}
        for document, text in enumerate(texts)
        if text is not None
        for index, row in enumerate(chunk(text, **options))
    ]


def garbage_behind_nulls() -> pa.Array:
    """A string array whose null slot points at bytes that are not UTF-8."""
    offsets = pa.py_buffer(b"".join(n.to_bytes(4, "little") for n in [0, 4, 6, 10]))
    return pa.StringArray.from_buffers(
        3, offsets, pa.py_buffer(b"One.\xff\xfeTwo."), pa.py_buffer(b"\x05")
    )


LAYOUTS = {
    "string": pa.array(TEXTS),
    "large_string": pa.array(TEXTS, pa.large_string()),
    "string_view": pa.array(TEXTS, pa.string_view()),
    "binary": pa.array([t and t.encode() for t in TEXTS], pa.binary()),
    "dictionary": pa.array(TEXTS).dictionary_encode(),
    "large dictionary": pa.array(TEXTS, pa.large_string()).dictionary_encode(),
    "sliced": pa.array(["Before. It.", *TEXTS, "After. It."])[1:-1],
    "sliced dictionary": pa.array(["B. I.", *TEXTS, "A. I."]).dictionary_encode()[1:-1],
    "chunked": pa.chunked_array([TEXTS[:2], [], TEXTS[2:]], pa.string()),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("overlap", [0, 1])
def test_layouts(layout: str, overlap: int) -> None:
    found = chunk_arrow(LAYOUTS[layout], max_size=14, overlap=overlap)
    assert found.chunks.to_pylist() == expected(TEXTS, max_size=14, overlap=overlap)
    assert found.rejects.select(["document", "code"]).to_pylist() == [
        {"document": 3, "code": "null_text"}
    ]
    assert found.documents == len(TEXTS)
    found.chunks.validate(full=True)


def test_garbage_behind_a_null() -> None:
    found = chunk_arrow(garbage_behind_nulls(), max_size=14)
    assert found.chunks["text"].to_pylist() == ["One.", "Two."]
    assert found.rejects["code"].to_pylist() == ["null_text"]
    found.chunks.validate(full=True)


@pytest.mark.parametrize("column", [pa.array([], pa.string()), pa.chunked_array([], pa.string())])
def test_no_documents(column) -> None:
    found = chunk_arrow(column, max_size=14)
    assert (found.chunks.num_rows, found.rejects.num_rows, found.documents) == (0, 0, 0)


def test_invalid_utf8_in_a_string_column() -> None:
    raw = [b"Good. One.", b"ab\xffc. D.", b"\xed\xa0\x80", b"cut \xe6\x97", b"\xc0\xaf", b"Fine."]
    column = pa.array(raw, pa.binary()).view(pa.string())
    found = chunk_arrow(column, max_size=5)
    assert found.chunks["text"].to_pylist() == ["Good. ", "One.", "Fine."]
    rejects = found.rejects.select(["document", "code", "byte_position"]).to_pylist()
    assert rejects == [
        {"document": document, "code": "invalid_utf8", "byte_position": position}
        for document, position in [(1, 2), (2, 0), (3, 4), (4, 0)]
    ]


def test_every_limit_is_a_reject_with_its_facts() -> None:
    column = pa.array(["x" * 12, "a\nb\nc\nd", "a\nb", "fine"])
    limits = Limits(max_text_bytes=11, max_sentences=3, max_output_bytes=280)
    found = chunk_arrow(column, max_size=1, limits=limits)
    rows = found.rejects.select(["document", "limit_name", "limit", "figure", "message"])
    for row in rows.to_pylist():
        with pytest.raises(LimitExceeded) as caught:
            chunk(column[row["document"]].as_py(), max_size=1, limits=limits)
        facts = caught.value.as_dict()
        assert facts.pop("code") == "limit_exceeded"
        assert row == {"document": row["document"], **facts}
    assert found.rejects["limit_name"].to_pylist() == [
        "max_text_bytes", "max_sentences", "max_output_bytes"
    ]  # fmt: skip
    assert found.chunks["document"].to_pylist() == [3]


@settings(deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.text("aB. \n!é日😀", max_size=20)), max_size=8),
    st.integers(1, 12),
    st.sampled_from(UNITS),
    st.integers(0, 16),
)
def test_column_and_single_text_agree(texts, max_size: int, unit: str, overlap: int) -> None:
    options = {"max_size": max_size, "unit": unit, "overlap": overlap}
    found = chunk_arrow(pa.array(texts, pa.string()), **options)
    assert found.chunks.to_pylist() == expected(texts, **options)
    assert found.documents == len(texts)
    assert found.rejects["document"].to_pylist() == [i for i, t in enumerate(texts) if t is None]


def test_without_overlap_no_text_is_copied() -> None:
    column = pa.array(["One. Two.", "Three. Four."], pa.large_string())
    found = chunk_arrow(column, max_size=5)
    assert found.chunks["text"].chunk(0).buffers()[2].address == column.buffers()[2].address


@pytest.mark.parametrize("wrong", [pa.array([1, 2]), pa.array([["a"]]), pa.nulls(2)])
def test_a_column_of_another_type(wrong: pa.Array) -> None:
    with pytest.raises(InvalidInput, match=re.escape(f"of type {wrong.type}")):
        chunk_arrow(wrong, max_size=5)
