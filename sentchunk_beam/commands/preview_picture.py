"""How a preview looks: chunks with their sentences, and the figures, as rich draws them.

Whatever colour says, a sign says too. Document text passes through `excerpt` before it comes here to be drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean, median

from rich.console import Console
from rich.text import Text
from sentchunk import Chunk, ChunkSpec, Sentence

from ..visible import SIGN, excerpt

REPEATED, OVERSIZED = "~", "!"
STYLES = {REPEATED: "cyan", OVERSIZED: "red", " ": ""}
SENTENCES_SHOWN = 40
NARROWEST = 20
SENTENCE_HEAD, SENTENCE_TAIL = 400, 100
UNIT_NAMES = {"code_point": "code points", "utf16": "UTF-16 units", "utf8": "bytes"}


@dataclass(frozen=True)
class Preview:
    """The chunks of a document, all of its sentences, and where they are to be drawn."""

    spec: ChunkSpec
    chunks: list[Chunk]
    sentences: list[Sentence]
    console: Console

    def lines(self, most: int | None) -> Iterator[Text]:
        """What to print: at most so many chunks, and the figures of all. None for no limit."""
        shown = len(self.chunks) if most is None else min(most, len(self.chunks))
        for index in range(shown):
            yield self._title(index)
            yield from self._sentences(index)
            yield Text()
        if shown < len(self.chunks):
            left = len(self.chunks) - shown
            yield Text(f"… {left:,} of {len(self.chunks):,} chunks not shown (--show)\n", "dim")
        yield from self._figures()

    def _title(self, index: int) -> Text:
        chunk, repeated = self.chunks[index], self._repeated(index)
        title = Text.assemble(
            (f"chunk {index}", "bold"),
            f"  [{chunk.start}:{chunk.end}]  size {chunk.size:,}, ",
            (_percent(chunk.size, self.spec.max_size), "red" if chunk.oversized else ""),
            f" of max_size, {_counted(chunk.sentence_count, 'sentence')}",
        )
        if repeated:
            title.append(f", {repeated} repeated", STYLES[REPEATED])
        if chunk.oversized:
            title.append(", oversized", f"bold {STYLES[OVERSIZED]}")
        return title

    def _sentences(self, index: int) -> Iterator[Text]:
        """A line for each: where it ends, the sentence ends. Its sign and its size come before it."""
        chunk, repeated = self.chunks[index], self._repeated(index)
        first = chunk.first_sentence
        held = self.sentences[first : first + min(chunk.sentence_count, SENTENCES_SHOWN)]
        for number, sentence in enumerate(held):
            sign = REPEATED if number < repeated else OVERSIZED if chunk.oversized else " "
            yield from self._sentence(sentence.text, sign)
        if len(held) < chunk.sentence_count:
            yield Text(f"… {chunk.sentence_count - len(held):,} more sentences", "dim")

    def _sentence(self, text: str, sign: str) -> Iterator[Text]:
        """Folded to the terminal's width, below itself."""
        shown = Text(excerpt(text, SENTENCE_HEAD, SENTENCE_TAIL), STYLES[sign])
        shown.highlight_regex(SIGN, "magenta")
        margin = f" {_size(text, self.spec.unit):>5,} "
        width = max(self.console.width - len(sign + margin), NARROWEST)
        for number, line in enumerate(shown.wrap(self.console, width, overflow="fold")):
            before = (sign, STYLES[sign]) if number == 0 else " "
            yield Text.assemble(before, (margin if number == 0 else " " * len(margin), "dim"), line)

    def _repeated(self, index: int) -> int:
        """How many sentences at the beginning of a chunk the one before ends with."""
        if index == 0:
            return 0
        before = self.chunks[index - 1]
        return before.first_sentence + before.sentence_count - self.chunks[index].first_sentence

    def _figures(self) -> Iterator[Text]:
        sizes = [chunk.size for chunk in self.chunks]
        unit, total = UNIT_NAMES[self.spec.unit], self.chunks[-1].end if self.chunks else 0
        yield Text(
            f"{_counted(len(sizes), 'chunk')} from {_counted(len(self.sentences), 'sentence')}, "
            f"{total:,} {unit}; max_size {self.spec.max_size:,}"
        )
        if not sizes:
            return
        fitting = [chunk.size for chunk in self.chunks if not chunk.oversized]
        fill = f", mean fill {_percent(mean(fitting), self.spec.max_size)}" if fitting else ""
        yield Text(
            f"sizes: smallest {min(sizes):,}, median {median(sizes):,.0f}, largest {max(sizes):,}{fill}"
        )
        over = f"{OVERSIZED} {len(sizes) - len(fitting):,} oversized: a sentence larger than max_size, never cut"
        yield Text(over, STYLES[OVERSIZED] if len(fitting) < len(sizes) else "")
        if self.spec.overlap:
            repeated = sum(sizes) - total
            share = _percent(repeated, total)
            yield Text(
                f"{REPEATED} {repeated:,} {unit} repeated, {share} of the document",
                STYLES[REPEATED],
            )


def _size(text: str, unit: str) -> int:
    if unit == "utf8":
        return len(text.encode())
    return len(text.encode("utf-16-le")) // 2 if unit == "utf16" else len(text)


def _percent(part: float, whole: int) -> str:
    return f"{100 * part / whole:,.0f}%"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
