"""Packing: the contract's rows and cases, its invariants as properties, and its limits at their edges."""

from __future__ import annotations

import json
import pickle
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentchunk import Chunk, InvalidInput, LimitExceeded, Limits, chunk, sentences
from sentchunk.spec import UNITS

pytestmark = pytest.mark.usefixtures("implementation")

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases" / "chunking.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
NO_LIMITS = Limits(None, None, None)


@pytest.mark.parametrize(
    ("text", "options", "rows"),
    [
        (
            "One. Two two. Three three three.",
            {"max_size": 14},
            [(0, 14, 14, 0, 2, False), (14, 32, 18, 2, 1, True)],
        ),
        (
            "A1. B2. C3. D4.",
            {"max_size": 8, "unit": "utf8", "overlap": 1},
            [(0, 8, 8, 0, 2, False), (4, 12, 8, 1, 2, False), (8, 15, 7, 2, 2, False)],
        ),
        (
            "A1. B2. C3. D4. E5.",
            {"max_size": 12, "overlap": 2},
            [(0, 12, 12, 0, 3, False), (4, 16, 12, 1, 3, False), (8, 19, 11, 2, 3, False)],
        ),
        (
            "AAAAAAAAAA. B. C.",
            {"max_size": 6, "overlap": 2},
            [(0, 12, 12, 0, 1, True), (12, 17, 5, 1, 2, False)],
        ),
        (
            "B. AAAAAAAAAA. C.",
            {"max_size": 6, "overlap": 2},
            [(0, 3, 3, 0, 1, False), (3, 15, 12, 1, 1, True), (15, 17, 2, 2, 1, False)],
        ),
        (
            "😀 Hi! 日本。",
            {"max_size": 5, "unit": "utf16"},
            [(0, 7, 7, 0, 1, True), (7, 10, 3, 1, 1, False)],
        ),
        ("   ", {"max_size": 2}, [(0, 3, 3, 0, 1, True)]),
        ("", {"max_size": 2}, []),
    ],
)
def test_worked_rows(text: str, options: dict, rows: list[tuple]) -> None:
    assert [tuple(found)[1:] for found in chunk(text, **options)] == rows


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_shared_cases(case: dict) -> None:
    found = chunk(
        case["text"], max_size=case["max_size"], unit=case["unit"], overlap=case["overlap"]
    )
    assert [sentence.text for sentence in sentences(case["text"])] == case["sentences"]
    assert [
        {key: value for key, value in row._asdict().items() if key in expected}
        for row, expected in zip(found, case["chunks"], strict=True)
    ] == case["chunks"]


def sliced(text: str, start: int, end: int, unit: str) -> str:
    if unit == "code_point":
        return text[start:end]
    encoding, width = ("utf-16-le", 2) if unit == "utf16" else ("utf-8", 1)
    return text.encode(encoding)[start * width : end * width].decode(encoding)


def length(text: str, unit: str) -> int:
    return {
        "code_point": len(text),
        "utf16": len(text.encode("utf-16-le")) // 2,
        "utf8": len(text.encode()),
    }[unit]


TEXTS = st.lists(
    st.sampled_from(
        ["a", "B", " ", ". ", "! ", "?", "\n", "\r\n", "日本。", "😀", "é", "\u0308", "(", ")", "7"]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=600, deadline=None)
@given(TEXTS, st.integers(1, 30), st.sampled_from(UNITS), st.integers(0, 16))
def test_invariants(text: str, max_size: int, unit: str, overlap: int) -> None:
    chunks = chunk(text, max_size=max_size, unit=unit, overlap=overlap)
    parts = [sentence.text for sentence in sentences(text)]
    sizes = [length(part, unit) for part in parts]
    assert "".join(parts) == text
    assert bool(chunks) == bool(text)
    for row in chunks:
        first, stop = row.first_sentence, row.first_sentence + row.sentence_count
        assert row.text == sliced(text, row.start, row.end, unit) == "".join(parts[first:stop])
        assert row.size == row.end - row.start == sum(sizes[first:stop])
        assert row.oversized == (row.size > max_size)
        assert not row.oversized or row.sentence_count == 1
    if chunks:
        assert (chunks[0].start, chunks[-1].end) == (0, length(text, unit))
    for left, right in pairwise(chunks):
        check_neighbours(left, right, sizes, max_size, overlap)
    if overlap == 0:
        assert "".join(row.text for row in chunks) == text


def check_neighbours(
    left: Chunk, right: Chunk, sizes: list[int], max_size: int, overlap: int
) -> None:
    assert left.start < right.start <= left.end < right.end
    uncovered = left.first_sentence + left.sentence_count
    assert left.oversized or left.size + sizes[uncovered] > max_size, "one more would have fitted"
    repeated = uncovered - right.first_sentence
    assert 0 <= repeated <= overlap
    if repeated < min(overlap, left.sentence_count):
        wider = sum(sizes[right.first_sentence - 1 : uncovered + 1])
        assert wider > max_size, "one more sentence of overlap would have fitted"


@given(st.text("aB .!?\n", max_size=60), st.integers(1, 20), st.integers(0, 16))
def test_units_agree_on_ascii(text: str, max_size: int, overlap: int) -> None:
    results = [chunk(text, max_size=max_size, unit=unit, overlap=overlap) for unit in UNITS]
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize(
    ("inside", "outside", "max_size", "facts"),
    [
        ("é" * 131_072, "é" * 131_072 + "x", 100, ("max_text_bytes", 262_144, 262_145)),
        ("\n" * 65_536, "\n" * 65_537, 1000, ("max_sentences", 65_536, 65_537)),
    ],
)
def test_limits_at_their_edges(inside: str, outside: str, max_size: int, facts: tuple) -> None:
    assert chunk(inside, max_size=max_size)
    with pytest.raises(LimitExceeded) as caught:
        chunk(outside, max_size=max_size)
    error = caught.value
    assert (error.limit_name, error.limit, error.figure) == facts
    assert all(f"{number:,}" in str(error) for number in facts[1:])
    assert chunk(outside, max_size=max_size, limits=NO_LIMITS)


def test_output_limit_at_its_edge() -> None:
    text, figure = "\n" * 65_536, 7_110_224
    with pytest.raises(LimitExceeded) as caught:
        chunk(text, max_size=1)
    assert (caught.value.limit_name, caught.value.figure) == ("max_output_bytes", figure)
    assert len(chunk(text, max_size=1, limits=Limits(max_output_bytes=figure))) == 65_536
    with pytest.raises(LimitExceeded):
        chunk(text, max_size=1, limits=Limits(max_output_bytes=figure - 1))


@settings(deadline=None)
@given(
    st.text('ab. \n"\\\x00\x1f\x7f\b\f\té日😀', max_size=40),
    st.integers(1, 12),
    st.sampled_from(UNITS),
    st.integers(0, 3),
)
def test_output_bytes_are_those_of_compact_json(
    text: str, max_size: int, unit: str, overlap: int
) -> None:
    from sentchunk import execute

    request = {"text": text, "max_size": max_size, "unit": unit, "overlap": overlap}
    size = len(json.dumps(execute(request), separators=(",", ":"), ensure_ascii=False).encode())
    options = {"max_size": max_size, "unit": unit, "overlap": overlap}
    chunk(text, **options, limits=Limits(max_output_bytes=size))
    with pytest.raises(LimitExceeded) as caught:
        chunk(text, **options, limits=Limits(max_output_bytes=size - 1))
    assert caught.value.figure == size


@pytest.mark.parametrize(
    ("options", "field", "said"),
    [
        ({"max_size": 0}, "max_size", "max_size is 0; use an integer from 1 to 1,048,576"),
        ({"max_size": 1_048_577}, "max_size", "1048577"),
        ({"max_size": True}, "max_size", "True"),
        ({"max_size": 5.0}, "max_size", "5.0"),
        ({"max_size": None}, "max_size", "None"),
        ({"max_size": 5, "overlap": 17}, "overlap", "overlap is 17; use an integer from 0 to 16"),
        ({"max_size": 5, "overlap": -1}, "overlap", "-1"),
        ({"max_size": 5, "unit": "char"}, "unit", "'char'; use one of code_point, utf16, utf8"),
        ({"max_size": 5, "unit": ["utf8"]}, "unit", "['utf8']"),
        ({"max_size": 5, "limits": 7}, "limits", "sentchunk.Limits"),
    ],
)
def test_wrong_parameters(options: dict, field: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        chunk("One. Two.", **options)
    assert caught.value.field == field
    assert said in str(caught.value)


def test_wrong_limits() -> None:
    with pytest.raises(InvalidInput, match="max_sentences is -1"):
        Limits(max_sentences=-1)


@pytest.mark.parametrize("call", [sentences, lambda text: chunk(text, max_size=5)])
def test_what_is_no_text(call) -> None:
    with pytest.raises(InvalidInput, match=r"U\+D800, at code point 2") as caught:
        call("ab\ud800")
    assert (caught.value.field, caught.value.position) == ("text", 2)
    with pytest.raises(InvalidInput, match="text is bytes; use a string"):
        call(b"ab")


@pytest.mark.parametrize(
    "error", [InvalidInput("text", "wrong", 3), LimitExceeded("max_sentences", 1, 2)]
)
def test_errors_survive_a_process_boundary(error) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.as_dict(), str(copy)) == (type(error), error.as_dict(), str(error))
