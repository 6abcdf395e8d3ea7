"""The kernel and the reference give the same arrays, dtypes included, for the same bytes and parameters."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import NamedTuple
from uuid import RFC_4122, UUID

import numpy as np
import pytest
from hostile import FAMILIES
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import REPRESENTATIVES
from sentchunk import Chunk, ChunkSpec, Limits, SentchunkError, Sentence, _kernel, _reference
from sentchunk.spec import UNITS

NO_LIMITS = Limits(None, None, None)
BOTH = [_kernel, _reference]

# What the machine treats apart: every property value, other terminators, leads of terminators, all widths.
PIECES = [
    *REPRESENTATIVES, *"。？」\u2028\u2029\u2024\u200d\U00016ebb😀\U0001da88éя日।\u0600\u1362\u3001", "Dr. ", '"', "\\",
    "\0", "\x1f", "\t", "a" * 61, " " * 64, "é" * 31, "。" * 22, "\u0308" * 33,
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
BROKEN = st.builds(
    lambda text, at, wrong: text.encode()[:at] + wrong + text.encode()[at:],
    TEXTS,
    st.integers(0, 200),
    st.sampled_from([b"\x80", b"\xff", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe6\x97", b"\xc0\x80"]),
)  # fmt: skip
DOCUMENTS = st.lists(TEXTS.map(str.encode) | BROKEN, max_size=8)


def limit(most: int) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(0, most)


SPECS = st.builds(
    ChunkSpec,
    st.integers(1, 12) | st.integers(1, 1_048_576),
    st.sampled_from(UNITS),
    st.integers(0, 16),
    st.builds(Limits, limit(300), limit(40), limit(4000)),
)


def column(documents: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """The documents between bytes that are none, as in a slice of a larger column."""
    offsets = np.cumsum([3, *map(len, documents)], dtype=np.int64)
    return np.frombuffer(b"\xe3\x80\x82" + b"".join(documents) + b"\x80.a", np.uint8), offsets


def assert_same(data, offsets, valid, spec: ChunkSpec) -> None:
    python = _reference.pack_documents(data, offsets, valid, spec)
    for native in in_both_widths(_kernel.pack_documents, data, offsets, valid, spec):
        for ours, theirs in zip(native, python, strict=True):
            for field, found, expected in zip(ours._fields, ours, theirs, strict=True):
                assert found.dtype == expected.dtype, field
                assert np.array_equal(found, expected), field


def in_both_widths(call, *arguments):
    """What the kernel says without AVX2 and with it, where the processor has it."""
    for wide in (False, True):
        _kernel.go_wide(wide)
        yield call(*arguments)


@settings(max_examples=1500, deadline=None)
@given(DOCUMENTS, SPECS, st.data())
def test_columns(documents: list[bytes], spec: ChunkSpec, data) -> None:
    flags = st.lists(st.booleans(), min_size=len(documents), max_size=len(documents))
    valid = data.draw(st.none() | flags.map(lambda given: np.array(given, dtype=bool)))
    assert_same(*column(documents), valid, spec)


def outcome(call, *arguments):
    try:
        return call(*arguments)
    except SentchunkError as error:
        return type(error), error.as_dict()


@settings(max_examples=500, deadline=None)
@given(TEXTS | st.text(), SPECS)
def test_single_texts(text: str, spec: ChunkSpec) -> None:
    arguments = (text, spec.max_size, spec.unit, spec.overlap, spec.limits)
    python = outcome(_reference.chunk_text, *arguments)
    assert all(
        native == python for native in in_both_widths(outcome, _kernel.chunk_text, *arguments)
    )
    python = outcome(_reference.sentence_list, text)
    assert all(native == python for native in in_both_widths(outcome, _kernel.sentence_list, text))
    assert not isinstance(python, list) or "".join(sentence.text for sentence in python) == text


class Row(NamedTuple):
    key: str
    identity: int
    index: int
    text: str
    start: int
    end: int
    size: int
    first_sentence: int
    sentence_count: int
    oversized: bool
    kept: str


SEED = b"twelve bytes"


@settings(max_examples=300, deadline=None)
@given(TEXTS | st.text(), SPECS, st.booleans())
def test_rows(text: str, spec: ChunkSpec, drop_blank: bool) -> None:
    native, python = (module.RowMaker(spec, Row, drop_blank) for module in BOTH)
    rows = outcome(native.rows, text, SEED, 7, ("kept",))
    assert rows == outcome(python.rows, text, SEED, 7, ("kept",))
    chunks = outcome(_kernel.chunk_text, text, spec.max_size, spec.unit, spec.overlap, spec.limits)
    figures = native.take_figures()
    assert figures == python.take_figures()
    assert native.take_figures() == python.take_figures() == (0,) * 6
    if isinstance(rows, tuple):
        assert (rows, figures) == (chunks, (0,) * 6)
        return
    left = [row for row in chunks[0] if not (drop_blank and row.text.isspace())]
    assert [tuple(row[3:10]) for row in rows] == left
    blank = sum(row.text.isspace() for row in chunks[0])
    oversized = sum(row.oversized for row in left)
    assert figures == (1, chunks[1], len(left), oversized, blank, len(text.encode()))
    assert [row.index for row in rows] == [
        index for index, row in enumerate(chunks[0]) if not (drop_blank and row.text.isspace())
    ]
    for row in rows:
        assert type(row) is Row
        assert (row.identity, row.kept) == (7, "kept")
        key = UUID(row.key)
        assert (key.version, key.variant, str(key)) == (8, RFC_4122, row.key)
        assert key.int & 0xFFFF_FFFF == row.index


@pytest.mark.parametrize("module", BOTH)
def test_rows_of_what_cannot_be(module) -> None:
    with pytest.raises(TypeError, match="is no type of tuples"):
        module.RowMaker(ChunkSpec(5), dict, False)
    maker = module.RowMaker(ChunkSpec(5), Row, False)
    for seed in (b"", SEED[1:], SEED + b"1"):
        with pytest.raises(ValueError, match=f"has {len(seed)} bytes, not 12"):
            maker.rows("One. Two.", seed, 7, ("kept",))
    assert maker.take_figures().chunked == 0


@pytest.mark.parametrize("family", FAMILIES)
def test_hostile_texts(family: str) -> None:
    documents = [FAMILIES[family](size).encode() for size in (1, 63, 64, 65, 1000, 20_000)]
    for unit in UNITS:
        for max_size, overlap in [(1, 0), (7, 16), (100, 2), (1_048_576, 0)]:
            assert_same(*column(documents), None, ChunkSpec(max_size, unit, overlap, NO_LIMITS))


class Seven:
    def __index__(self) -> int:
        return 7


@pytest.mark.parametrize(
    ("max_size", "unit", "overlap", "limits"),
    [
        (Seven(), "utf8", np.int64(1), NO_LIMITS),
        (2**70, "utf8", 0, NO_LIMITS),
        (-(2**70), "utf8", 0, NO_LIMITS),
        (0, "utf8", 0, NO_LIMITS),
        (True, "utf8", 0, NO_LIMITS),
        (5, "utf8", False, NO_LIMITS),
        (5, "utf8", -1, NO_LIMITS),
        (5, "utf9", 0, NO_LIMITS),
        (5, ["utf8"], 0, NO_LIMITS),
        (5, np.str_("utf16"), 0, NO_LIMITS),
        (5, None, 0, NO_LIMITS),
        (5, "utf8", 0, None),
        (5, "utf8", 0, (None, None, None)),
        ("5", "utf8", 0, NO_LIMITS),
    ],
)
def test_unusual_parameters(max_size, unit, overlap, limits) -> None:
    text = "A. B. 日本。😀! Ccc ddd. "
    native, python = (
        outcome(module.chunk_text, text, max_size, unit, overlap, limits) for module in BOTH
    )
    assert native == python


class Shouted(str):
    """A string that is more than its characters."""

    __slots__ = ()

    def __getitem__(self, key):
        return str.__getitem__(self, key).upper()


@pytest.mark.parametrize("module", BOTH)
def test_kinds_of_strings(module) -> None:
    text = Shouted("One. Two. Three.")
    chunks, _ = module.chunk_text(text, 10, "utf8", 0, NO_LIMITS)
    assert [row.text for row in chunks] == ["One. Two. ", "Three."]
    assert {type(row) for row in chunks} == {Chunk}
    assert {type(row.text) for row in chunks} == {str}
    assert {type(row.oversized) for row in chunks} == {bool}
    found = module.sentence_list(text)
    assert [row.text for row in found] == ["One. ", "Two. ", "Three."]
    assert {type(row) for row in found} == {Sentence}


@pytest.mark.parametrize("module", BOTH)
@pytest.mark.parametrize("offsets", [[0, 9], [-1, 2], [2, 1, 3], [2**62, 2**63 - 1]])
def test_offsets_outside_the_data(module, offsets: list[int]) -> None:
    data = np.frombuffer(b"One. Two", np.uint8)
    with pytest.raises(ValueError, match=r"document 0 are not within the 8 bytes"):
        module.pack_documents(data, np.array(offsets, np.int64), None, ChunkSpec(5))


@pytest.mark.parametrize("module", BOTH)
def test_flags_for_other_documents(module) -> None:
    with pytest.raises(ValueError, match="1 flags for 2 documents"):
        module.pack_documents(
            np.zeros(2, np.uint8), np.array([0, 1, 2]), np.array([True]), ChunkSpec(5)
        )


@pytest.mark.parametrize("module", BOTH)
def test_gather(module) -> None:
    data = np.frombuffer(b"abcdef", np.uint8)
    joined, offsets = module.gather(data, np.array([4, 0, 1, 2]), np.array([6, 3, 1, 4]))
    assert (joined.tobytes(), offsets.tolist()) == (b"efabccd", [0, 2, 5, 5, 7])
    joined, offsets = module.gather(data, np.empty(0, np.int64), np.empty(0, np.int64))
    assert (joined.dtype, joined.tobytes(), offsets.tolist()) == (np.uint8, b"", [0])


def test_gather_outside_the_data() -> None:
    with pytest.raises(ValueError, match="slice 1 is not within the 3 bytes"):
        _kernel.gather(np.zeros(3, np.uint8), np.array([0, 2]), np.array([1, 4]))


def test_arrays_outlive_the_call() -> None:
    data, offsets = column([b"A. B. " * 1000] * 20)
    chunks, _ = _kernel.pack_documents(data, offsets, None, ChunkSpec(3))
    ends = chunks.byte_end[5:]
    expected = ends.copy()
    del chunks
    _kernel.pack_documents(data, offsets, None, ChunkSpec(3))
    assert np.array_equal(ends, expected)


def test_other_threads_run_meanwhile() -> None:
    """A thread that needs the GIL gets far while one call works on a large batch."""
    data, offsets = column([b"A. b! 12 " * 3_000_000])
    steps, working = [0], threading.Event()

    def count() -> None:
        working.set()
        while working.is_set():
            steps[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    working.wait()
    before = steps[0]
    _kernel.pack_documents(data, offsets, None, ChunkSpec(1000, limits=NO_LIMITS))
    meanwhile = steps[0] - before
    working.clear()
    thread.join()
    assert meanwhile > 1000


def test_a_rejected_document_costs_no_memory() -> None:
    """30 MB of newlines would be 2 GB of rows, if they were kept until the limit is known to be exceeded."""
    script = """
import resource
import numpy as np
from sentchunk import Chunk, ChunkSpec, Limits, _kernel
data = np.full(30_000_000, 10, np.uint8)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
spec = ChunkSpec(1, limits=Limits(None, None, 4_194_304))
chunks, documents = _kernel.pack_documents(data, np.array([0, len(data)]), None, spec)
assert len(chunks.start) == 0
assert documents.figure[0] > 3_000_000_000
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    if sys.platform != "linux":
        pytest.skip("ru_maxrss is in kilobytes on Linux alone")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 50_000
