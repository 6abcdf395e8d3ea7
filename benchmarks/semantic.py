"""The type-aware chunker's speed: mixed mail and Markdown, hostile families, and the same steps in plain Python.

    python benchmarks/semantic.py [MEGABYTES]      # 4 by default

One core. For each text, megabytes of UTF-8 a second, the best of three; `spans` finds the chunks as arrays, as the job does,
`chunk` gives the list of ChunkResult.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import distributions
from pathlib import Path

import pyarrow as pa
from sentchunk import Limits, SemanticChunker
from sentchunk.semantic import SemanticSpec, semantic_spans
from sentchunk.semantic.columns import chunk_semantic_column

HOSTILE = ["a ", "\u200d", "\n", "## x\n", ".", "On x wrote:\n", "```\n", "w"]
CAPS = [(512, None), (1, 1), (1, 1_000_000), (100_000, 1), (100_000, 1_000_000), (7, 13), (64, 300)]


def markdown() -> Iterator[str]:
    """The long descriptions of installed packages, and Markdown files that they bring along."""
    for package in distributions():
        text = package.metadata.get_payload() or package.metadata.get("Description")
        if isinstance(text, str) and text.strip():
            yield text
    for folder in {Path(entry) for entry in sys.path if entry.endswith("site-packages")}:
        for path in sorted(folder.rglob("*.md")):
            yield path.read_text("utf-8", "replace")


def mails(paragraphs: list[str], count: int) -> Iterator[str]:
    """Replies over replies, out of the paragraphs of real texts."""
    draw = random.Random(1)
    for number in range(count):
        lines, quote = [], ""
        for depth in range(draw.randint(1, 4)):
            for paragraph in draw.sample(paragraphs, draw.randint(1, 6)):
                lines += [quote + line for line in paragraph.splitlines()] + [quote.rstrip()]
            lines.append(
                f"{quote}On Mon, {depth + 1} Mar 2026 at 10:{number % 60:02}, A. B. <a@b.example> wrote:"
            )
            quote += "> "
        yield "\r\n".join(lines) if number % 2 else "\n".join(lines)


def corpus(size: int) -> list[tuple[str, str]]:
    texts = list(markdown())
    paragraphs = [each for text in texts for each in re.split(r"\n\s*\n", text) if each.strip()]
    mixed = [(text, "document") for text in texts]
    mixed += [(text, "email") for text in mails(paragraphs, 2 * len(texts))]
    random.Random(2).shuffle(mixed)
    chosen, held = [], 0
    while held < size:
        for text, doc_type in mixed:
            chosen.append((text, doc_type))
            held += len(text.encode())
            if held >= size:
                break
    return chosen


class PlainSteps:
    """The same steps by regular expressions and joins: what is gathered is counted again at every step."""

    def __init__(self, max_tokens: int = 512) -> None:
        self.max_tokens, self.max_chars = max_tokens, 4 * max_tokens
        self.overlap = min(100, max(1, max_tokens // 5))
        self.budget = max(1, max_tokens - self.overlap)
        self.target_tokens, self.target_chars = self.budget // 2, self.max_chars // 2

    def chunk(self, text: str, doc_type: str) -> list[str]:
        boundary = r"(?=^On .+ wrote:$)" if doc_type == "email" else r"(?=^## )"
        parts = re.split(boundary, text, flags=re.MULTILINE)
        pieces = [piece for part in parts for piece in self.paragraphs(part)]
        return [
            piece
            if index == 0
            else " ".join(pieces[index - 1].split()[-self.overlap :]) + "\n\n" + piece
            for index, piece in enumerate(pieces)
        ]

    def paragraphs(self, part: str) -> Iterator[str]:
        held: list[str] = []
        for paragraph in re.split(r"\n\n+", part.strip()):
            if self.fits("\n\n".join([*held, paragraph])):
                held.append(paragraph)
                continue
            if held:
                yield "\n\n".join(held)
            held = []
            yield from [paragraph] if self.fits(paragraph) else self.sentences(paragraph)
        if held:
            yield "\n\n".join(held)

    def sentences(self, paragraph: str) -> Iterator[str]:
        held: list[str] = []
        for sentence in re.split(r"(?<=[.!?])\s+", paragraph):
            if held and not self.fits(" ".join([*held, sentence])):
                yield " ".join(held)
                held = []
            held.append(sentence)
        yield from self.forced(" ".join(held))

    def forced(self, text: str) -> Iterator[str]:
        while len(text) > self.max_chars:
            yield text[: self.max_chars]
            text = text[self.max_chars :]
        if text:
            yield text

    def fits(self, text: str) -> bool:
        return len(text.split()) <= self.target_tokens and len(text) <= self.target_chars


def rate(size: int, work: Callable[[], object]) -> float:
    best = min(_seconds(work) for _ in range(3))
    return size / best / 1e6


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def main(size: int) -> None:
    texts = corpus(size)
    held = sum(len(text.encode()) for text, _ in texts)
    spec, chunker, plain = SemanticSpec(), SemanticChunker(), PlainSteps()
    print(f"mixed mail and Markdown, {len(texts):,} documents, {held / 1e6:.1f} MB, defaults:")
    by_list = rate(held, lambda: [chunker.chunk(text, doc_type=kind) for text, kind in texts])
    by_span = rate(held, lambda: [semantic_spans(text, kind, spec) for text, kind in texts])
    in_plain = rate(held, lambda: [plain.chunk(text, kind) for text, kind in texts])
    print(f"  chunk     {by_list:7.1f} MB/s, {by_list / in_plain:.1f} times plain Python")
    print(f"  spans     {by_span:7.1f} MB/s, {by_span / in_plain:.1f} times plain Python")
    print(f"  plain     {in_plain:7.1f} MB/s")
    column, kinds = pa.array([text for text, _ in texts]), [kind for _, kind in texts]
    in_column = rate(held, lambda: chunk_semantic_column(column, kinds, spec, Limits(None)))
    print(f"  an Arrow column of them, as in the job: {in_column:.1f} MB/s")
    print("all of it as one document, by max_tokens:")
    text = "\n\n".join(text for text, kind in texts if kind == "document")
    size_of_text = len(text.encode())
    for tokens in (512, 8_192, 100_000):
        large, plain = SemanticChunker(tokens), PlainSteps(tokens)
        ours = rate(size_of_text, partial(large.chunk, text))
        theirs = rate(size_of_text, partial(plain.chunk, text, "document"))
        print(
            f"  {tokens:,}: {ours:.1f} MB/s, plain Python {theirs:.1f}, {ours / theirs:.1f} times"
        )
    print("hostile families, one text each: chunk, spans in MB/s, by (max_tokens, max_chars):")
    for family in HOSTILE:
        text = family * (size // 4 // len(family.encode()))
        for doc_type in ("document", "email"):
            print(f"  {family!r:14} {doc_type}")
            for tokens, chars in CAPS:
                caps = SemanticSpec(tokens, chars)
                one = SemanticChunker(tokens, max_chars=chars)
                lists = rate(len(text.encode()), partial(one.chunk, text, doc_type=doc_type))
                spans = rate(len(text.encode()), partial(semantic_spans, text, doc_type, caps))
                print(f"    ({tokens:,}, {caps.chars:,}): {lists:.1f}, {spans:.1f}")


if __name__ == "__main__":
    main(int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 4_000_000)
