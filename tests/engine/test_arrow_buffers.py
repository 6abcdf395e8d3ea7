"""Where the chunks' texts lie: in the documents' own bytes as far as that goes, and right in every case."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentchunk import Limits, arrow, chunk, chunk_arrow

pytestmark = pytest.mark.usefixtures("implementation")

LONG = "One. Two two. " * 10_000  # each run of such documents is worth an array of its own


def addresses(found: arrow.ChunkedDocuments) -> set[int]:
    return {piece.buffers()[2].address for piece in found.chunks["text"].chunks}


def texts_of(documents: list[str | None], **options) -> list[str]:
    return [row.text for text in documents if text for row in chunk(text, **options)]


def test_a_gap_starts_another_array_over_the_same_bytes() -> None:
    documents = [LONG, LONG, "x" * 300_000, LONG, "y" * 300_000, "z" * 300_000, LONG]
    column = pa.array(documents, pa.large_string())
    found = chunk_arrow(column, max_size=14)
    assert found.rejects["document"].to_pylist() == [2, 4, 5]
    assert addresses(found) == {column.buffers()[2].address}
    assert found.chunks["text"].num_chunks == 3
    assert found.chunks["text"].to_pylist() == texts_of([LONG] * 4, max_size=14)
    found.chunks.validate(full=True)


def test_nulls_and_empty_documents_make_no_gap() -> None:
    column = pa.array(["A. B.", None, "", "C. D.", None, "E."] * 100, pa.large_string())
    found = chunk_arrow(column, max_size=5)
    assert addresses(found) == {column.buffers()[2].address}
    assert found.chunks["text"].num_chunks == 1


def test_many_small_gaps_make_one_copy() -> None:
    documents = [b"A. B. ", b"\xff"] * 5000
    found = chunk_arrow(pa.array(documents, pa.large_binary()), max_size=3)
    assert found.chunks["text"].num_chunks == 1
    assert found.chunks["text"].to_pylist() == ["A. ", "B. "] * 5000
    assert found.rejects["byte_position"].to_pylist() == [0] * 5000
    found.chunks.validate(full=True)


@pytest.mark.parametrize("reject", [None, "x" * 300_000])
def test_overlap_is_copied(reject: str | None) -> None:
    documents = ["A. B. C. D. ", reject, "日本。元気。はい。", "E."]
    found = chunk_arrow(pa.array(documents), max_size=8, overlap=1)
    expected = texts_of([documents[0], documents[2], documents[3]], max_size=8, overlap=1)
    assert found.chunks["text"].to_pylist() == expected
    assert sum(map(len, expected)) > sum(map(len, [documents[0], documents[2], documents[3]]))
    found.chunks.validate(full=True)


def test_only_rejects() -> None:
    found = chunk_arrow(pa.array([None, b"\xff", None], pa.binary()), max_size=8)
    assert found.chunks.num_rows == 0
    assert found.chunks.schema == arrow.CHUNKS_SCHEMA
    assert found.rejects["message"].to_pylist() == [
        "the text is null", "the text is not UTF-8: byte 0 is the first wrong one", "the text is null"
    ]  # fmt: skip
    found.chunks.validate(full=True)


def test_many_rejects(monkeypatch: pytest.MonkeyPatch) -> None:
    """In tables of a few each, as it is with many millions; each with its own figure in its message."""
    monkeypatch.setattr(arrow, "_REJECTS_AT_ONCE", 7)
    documents = [b"a" * size + b"\xff" for size in range(1000, 1050)] + [None] * 20 + [b"x" * 5000]
    limits = Limits(max_text_bytes=4000)
    found = chunk_arrow(pa.array(documents, pa.binary()), max_size=8, limits=limits)
    rejects = found.rejects.to_pylist()
    assert [row["document"] for row in rejects] == list(range(71))
    assert [row["byte_position"] for row in rejects[:50]] == list(range(1000, 1050))
    assert rejects[49]["message"] == "the text is not UTF-8: byte 1,049 is the first wrong one"
    assert [row["code"] for row in rejects[50:]] == ["null_text"] * 20 + ["limit_exceeded"]
    assert {row["limit"] for row in rejects[:70]} == {None}
    assert (rejects[70]["limit_name"], rejects[70]["limit"]) == ("max_text_bytes", 4000)
    assert (rejects[70]["figure"], rejects[70]["byte_position"]) == (5000, None)


def test_many_small_pieces() -> None:
    pieces = [pa.array(["A. B.", None]), pa.array([LONG]), pa.array([], pa.string())] + [
        pa.array([f"C{number}. D."]) for number in range(500)
    ]
    column = pa.chunked_array(pieces, pa.string())
    found = chunk_arrow(column, max_size=14)
    assert found.chunks["text"].to_pylist() == texts_of(column.to_pylist(), max_size=14)
    assert found.chunks["document"].to_pylist()[-1] == len(column) - 1 == found.documents - 1
    assert found.rejects["document"].to_pylist() == [1]
    assert found.chunks["text"].num_chunks < 10


def dictionary(indices: list[int | None], index_type: pa.DataType, values: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(indices, index_type), values)


@pytest.mark.parametrize("index_type", [pa.int8(), pa.uint16(), pa.int32(), pa.int64()])
@pytest.mark.parametrize("value_type", [pa.string(), pa.large_string(), pa.binary()])
def test_dictionaries(index_type: pa.DataType, value_type: pa.DataType) -> None:
    values = pa.array([b"A. B.", None, b"\xff", b"unused", "日本。".encode()], pa.binary())
    if value_type != pa.binary():
        values = values.view(pa.string()).cast(value_type)
    column = dictionary([4, 0, None, 1, 2, 0], index_type, values)
    found = chunk_arrow(column, max_size=3)
    assert found.chunks["text"].to_pylist() == ["日本。", "A. ", "B.", "A. ", "B."]
    assert found.chunks["document"].to_pylist() == [0, 1, 1, 5, 5]
    assert found.rejects.select(["document", "code"]).to_pylist() == [
        {"document": 2, "code": "null_text"},
        {"document": 3, "code": "null_text"},
        {"document": 4, "code": "invalid_utf8"},
    ]


def test_chunks_of_dictionaries_that_differ() -> None:
    pieces = [
        pa.array(["A. B.", "C."]).dictionary_encode(),
        pa.array(["D.", None]).dictionary_encode(),
    ]
    found = chunk_arrow(pa.chunked_array(pieces), max_size=3)
    assert found.chunks["text"].to_pylist() == ["A. ", "B.", "C.", "D."]
    assert found.rejects["document"].to_pylist() == [3]


SIZED = st.lists(
    st.none() | st.sampled_from(["", "A. B.", "x" * 90, "日本。元気。", "a\n" * 9]), max_size=30
)


@settings(deadline=None)
@given(SIZED, st.integers(0, 2), st.integers(1, 200), st.integers(0, 30), st.integers(0, 30))
def test_any_gaps(documents, overlap: int, run_bytes: int, start: int, length: int) -> None:
    """Whatever average makes a run worth an array, and whatever slice of a column is taken."""
    limits = Limits(max_text_bytes=80)
    column = pa.array(documents, pa.string())[start : start + length]
    before = arrow._LEAST_BYTES_OF_A_RUN
    arrow._LEAST_BYTES_OF_A_RUN = run_bytes
    try:
        found = chunk_arrow(column, max_size=6, overlap=overlap, limits=limits)
    finally:
        arrow._LEAST_BYTES_OF_A_RUN = before
    kept = [text for text in column.to_pylist() if text and len(text) < 80]
    assert found.chunks["text"].to_pylist() == texts_of(kept, max_size=6, overlap=overlap)
    assert np.array_equal(np.unique(found.rejects["document"]), found.rejects["document"])
    found.chunks.validate(full=True)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_bytes_after_the_offsets_are_none_of_them(kind: pa.DataType) -> None:
    """A buffer may be longer than what is used of it, by any number of bytes."""
    offsets = np.array([0, 4, 9], np.int64 if kind == pa.large_string() else np.int32)
    for padding in (b"\xff", b"\xff" * 9):
        buffers = [None, pa.py_buffer(offsets.tobytes() + padding), pa.py_buffer(b"One.Two. ")]
        column = pa.Array.from_buffers(kind, 2, buffers)
        for part in (column, column[:1], column[1:]):
            found = chunk_arrow(part, max_size=9)
            assert found.chunks["text"].to_pylist() == part.to_pylist()
