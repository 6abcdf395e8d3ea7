"""Bytes that are not UTF-8: the kernel finds the position that Python's decoder reports, wherever it falls in a block."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sentchunk import ChunkSpec, Limits, _kernel
from sentchunk._records import INVALID_UTF8, OK

SPEC = ChunkSpec(1_000_000, limits=Limits(None, None, None))

# The bounds of every range in Unicode's table of well-formed byte sequences, and their neighbours.
EDGES = [
    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
    0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF,
]  # fmt: skip


def python_position(document: bytes) -> int:
    try:
        document.decode()
    except UnicodeDecodeError as error:
        return error.start
    return -1


def check(documents: list[bytes]) -> None:
    offsets = np.cumsum([0, *map(len, documents)], dtype=np.int64)
    data = np.frombuffer(b"".join(documents), np.uint8)
    _, found = _kernel.pack_documents(data, offsets, None, SPEC)
    expected = np.array([python_position(document) for document in documents])
    assert np.array_equal(found.status, np.where(expected < 0, OK, INVALID_UTF8))
    assert np.array_equal(found.figure, np.maximum(expected, 0))


def test_all_pairs() -> None:
    check([bytes(pair) for pair in itertools.product(range(256), repeat=2)])


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_edges(length: int) -> None:
    check([bytes(letters) for letters in itertools.product(EDGES, repeat=length)])


@pytest.mark.parametrize("padding", ["a", "é", "日", "😀"])
def test_edges_across_the_ends_of_blocks(padding: str) -> None:
    """Three bytes at each place around the end of the first and second block, with and without text behind."""
    filling = padding.encode() * 64
    heads = [
        b"x" * (at % len(padding.encode())) + filling[: at - at % len(padding.encode())]
        for at in [*range(58, 67), *range(123, 131)]
    ]
    wrong = [bytes(letters) for letters in itertools.product(EDGES[3:], repeat=3)][::7]
    check([head + middle + tail for head in heads for middle in wrong for tail in (b"", b"z" * 70)])


def test_every_code_point_cut_short() -> None:
    characters = [chr(code) for code in (*range(0x80, 0xD800, 7), *range(0xE000, 0x110000, 97))]
    encoded = [character.encode() for character in characters]
    check([code[:cut] for code in encoded for cut in range(1, len(code) + 1)])
