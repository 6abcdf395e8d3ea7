"""Random texts of mixed scripts and hostile structure: the kernel against ICU.

    python tests/long/random_texts.py [COUNT] [SEED]      # a million texts by default: about a minute

Each batch of texts is one call of the kernel, a document each, and one text for ICU, with U+2029 after each (see
tests/engine/test_exhaustive.py for why that is the same). The first text that differs is shown.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from oracle import REPRESENTATIVES, icu_ends
from sentchunk import ChunkSpec, Limits, _kernel
from sentchunk._sentence_break_data import RANGES

SPEC = ChunkSpec(1, limits=Limits(None, None, None))
BATCH = 5000

SPANS = [
    tuple(int(end, 16) for end in (span.split("-") * 2)[:2])
    for ranges in RANGES.values()
    for span in ranges.split()
]
WORDS = [
    "Dr. ",
    "U.S.A",
    "3.14",
    "e.g. ",
    "Ja! ",
    "“Что?” ",
    "。」",
    "नहीं। ",
    "？！",
    "…",
    "a.\u0308",
    "?\u200d",
    "A. 1 ",
]


def character(source: random.Random) -> str:
    """Any code point, those of a property value as often as those of none."""
    if source.random() < 0.5:
        code = source.randint(*source.choice(SPANS))
    else:
        code = source.randrange(0x3000 if source.random() < 0.8 else 0x110000)
    return "a" if 0xD800 <= code < 0xE000 else chr(code)


def text(source: random.Random) -> str:
    """Pieces from a small set, so that the same few characters meet often; some of them in long runs."""
    pieces = [
        *source.choices(REPRESENTATIVES, k=source.randint(0, 6)),
        *source.choices(WORDS, k=source.randint(0, 3)),
        *(character(source) for _ in range(source.randint(1, 4))),
    ]
    chosen = source.choices(pieces, k=source.choice([1, 3, 8, 20, 60]))
    if source.random() < 0.1:
        chosen[source.randrange(len(chosen))] *= source.randint(2, 200)
    return "".join(chosen)


def kernel_ends(texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The document and the end of each sentence."""
    encoded = [one.encode() for one in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    data = np.frombuffer(b"".join(encoded), np.uint8)
    chunks, documents = _kernel.pack_documents(data, offsets, None, SPEC)
    assert not documents.status.any()
    return chunks.document, chunks.end


def compare(texts: list[str]) -> str | None:
    """The first text where the boundaries inside differ."""
    lengths = np.array([len(one) for one in texts])
    starts = np.cumsum(lengths + 1) - lengths - 1
    documents, ends = kernel_ends(texts)
    ours = np.zeros(lengths.sum() + len(texts) + 1, dtype=bool)
    ours[starts[documents] + ends] = True
    theirs = np.zeros_like(ours)
    theirs[icu_ends("".join(one + "\u2029" for one in texts))] = True
    ours[starts], theirs[starts] = False, False
    ours[starts + lengths], theirs[starts + lengths] = False, False
    ours[-1] = theirs[-1] = False
    wrong = np.flatnonzero(ours != theirs)
    return texts[np.searchsorted(starts, wrong[0], side="right") - 1] if len(wrong) else None


def main(arguments: list[str]) -> int:
    count = int(arguments[0]) if arguments else 1_000_000
    seed = int(arguments[1]) if len(arguments) > 1 else 0
    source = random.Random(seed)
    characters = 0
    for _ in range(0, count, BATCH):
        texts = [text(source) for _ in range(BATCH)]
        characters += sum(map(len, texts))
        wrong = compare(texts)
        if wrong is not None:
            print(f"differs from ICU (seed {seed}): {wrong!a}")
            return 1
    print(f"{count:,} texts, {characters:,} characters, seed {seed}: no difference from ICU")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
