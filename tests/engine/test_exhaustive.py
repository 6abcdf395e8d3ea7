"""Every string over the 15 values of Sentence_Break up to length 5: the kernel, the reference and ICU agree.

The kernel gets each string as a document of its own. The other two get one text of all of them with U+2029 after each,
which is slow in neither: a paragraph separator starts afresh (SB4, SB5), and ends every look-ahead as the end of a text
does, so the boundaries inside a string are the same there.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from oracle import HAS_ORACLE, REPRESENTATIVES, icu_ends
from sentchunk import ChunkSpec, Limits, _kernel
from sentchunk._rules import sentence_ends

STRINGS = [
    "".join(letters)
    for length in range(6)
    for letters in itertools.product(REPRESENTATIVES, repeat=length)
]
JOINED = "".join(string + "\u2029" for string in STRINGS)
LENGTHS = np.array([len(string) for string in STRINGS])
STARTS = np.cumsum(LENGTHS + 1) - LENGTHS - 1
ENDS = STARTS + LENGTHS


def inside(ends: np.ndarray) -> np.ndarray:
    """Those of the boundaries in JOINED that are strictly within a string."""
    string = np.searchsorted(ENDS, ends)
    string = np.minimum(string, len(STRINGS) - 1)
    return ends[(ends > STARTS[string]) & (ends < ENDS[string])]


@pytest.fixture(scope="module")
def kernel_ends() -> np.ndarray:
    encoded = [string.encode() for string in STRINGS]
    offsets = np.cumsum([0, *map(len, encoded)])
    spec = ChunkSpec(max_size=1, limits=Limits(None, None, None))  # a chunk for each sentence
    data = np.frombuffer(b"".join(encoded), np.uint8)
    chunks, documents = _kernel.pack_documents(data, offsets, None, spec)
    assert not documents.status.any()
    assert (np.bincount(chunks.document, minlength=len(STRINGS)) == documents.sentences).all()
    last = np.append(chunks.document[1:] != chunks.document[:-1], True)
    assert (chunks.end[last] == LENGTHS[LENGTHS > 0]).all()
    return inside((STARTS[chunks.document] + chunks.end)[~last])


def test_all_strings() -> None:
    assert len(STRINGS) == 1 + 15 + 225 + 3375 + 50625 + 759375


def test_reference(kernel_ends: np.ndarray) -> None:
    code_points = np.frombuffer(JOINED.encode("utf-32-le"), np.uint32)
    assert np.array_equal(inside(sentence_ends(code_points)), kernel_ends)


@pytest.mark.skipif(not HAS_ORACLE, reason="icu4py has no wheel for Python 3.10")
def test_icu(kernel_ends: np.ndarray) -> None:
    assert np.array_equal(inside(np.array(icu_ends(JOINED))), kernel_ends)
