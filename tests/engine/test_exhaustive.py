"""All strings of a kind, none left out: the kernel, the reference and ICU agree.

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

ASCII = list(map(chr, range(128)))
KINDS = {
    "the 15 values of Sentence_Break up to length 5": lambda: [
        "".join(letters)
        for length in range(6)
        for letters in itertools.product(REPRESENTATIVES, repeat=length)
    ],
    # The kernel tells most ends by the two bytes that follow.
    "two of ASCII after what can end a sentence": lambda: [
        before + "".join(letters) + after
        for before, after in ["aa", "1A", " 1"]
        for letters in itertools.product("\n\r.!?", ASCII, ASCII)
    ],
}
COUNTS = [1 + 15 + 225 + 3375 + 50625 + 759375, 3 * 5 * 128 * 128]


class Strings:
    """The strings, and where each lies in the text of all."""

    def __init__(self, strings: list[str]) -> None:
        self.strings = strings
        self.joined = "".join(string + "\u2029" for string in strings)
        self.lengths = np.array([len(string) for string in strings])
        self.starts = np.cumsum(self.lengths + 1) - self.lengths - 1
        self.ends = self.starts + self.lengths

    def inside(self, ends: np.ndarray) -> np.ndarray:
        """Those of the boundaries in the text that are strictly within a string."""
        string = np.searchsorted(self.ends, ends)
        string = np.minimum(string, len(self.strings) - 1)
        return ends[(ends > self.starts[string]) & (ends < self.ends[string])]

    def by_kernel(self) -> np.ndarray:
        encoded = [string.encode() for string in self.strings]
        offsets = np.cumsum([0, *map(len, encoded)])
        spec = ChunkSpec(max_size=1, limits=Limits(None, None, None))  # a chunk for each sentence
        data = np.frombuffer(b"".join(encoded), np.uint8)
        chunks, documents = _kernel.pack_documents(data, offsets, None, spec)
        assert not documents.status.any()
        assert (
            np.bincount(chunks.document, minlength=len(self.strings)) == documents.sentences
        ).all()
        last = np.append(chunks.document[1:] != chunks.document[:-1], True)
        assert (chunks.end[last] == self.lengths[self.lengths > 0]).all()
        return self.inside((self.starts[chunks.document] + chunks.end)[~last])


@pytest.fixture(scope="module", params=KINDS)
def strings(request) -> Strings:
    return Strings(KINDS[request.param]())


@pytest.fixture(scope="module")
def by_reference(strings: Strings) -> np.ndarray:
    code_points = np.frombuffer(strings.joined.encode("utf-32-le"), np.uint32)
    return strings.inside(sentence_ends(code_points))


def test_all_strings(strings: Strings) -> None:
    assert len(strings.strings) in COUNTS


@pytest.mark.parametrize("wide", [True, False])
def test_kernel(strings: Strings, by_reference: np.ndarray, wide: bool) -> None:
    _kernel.go_wide(wide)
    found = strings.by_kernel()
    _kernel.go_wide(True)
    assert np.array_equal(found, by_reference)


@pytest.mark.skipif(not HAS_ORACLE, reason="icu4py has no wheel for Python 3.10")
def test_icu(strings: Strings, by_reference: np.ndarray) -> None:
    assert np.array_equal(strings.inside(np.array(icu_ends(strings.joined))), by_reference)
