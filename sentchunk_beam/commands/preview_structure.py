"""How a preview of the type-aware strategy looks: each chunk with what it repeats, line by line, and the figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean, median

from rich.console import Console
from rich.text import Text
from sentchunk import ChunkResult
from sentchunk.semantic import SemanticSpec

from ..visible import SIGN, excerpt

REPEATED, OVERSIZED = "~", "!"
STYLES = {REPEATED: "cyan", OVERSIZED: "red", " ": ""}
LINES_SHOWN = 40
LINE_HEAD, LINE_TAIL = 400, 100
NARROWEST = 20


@dataclass(frozen=True)
class StructurePreview:
    """The chunks of a document, its length in characters, and where they are to be drawn."""

    caps: SemanticSpec
    doc_type: str
    chunks: list[ChunkResult]
    characters: int
    console: Console

    def lines(self, most: int | None) -> Iterator[Text]:
        """What to print: at most so many chunks, and the figures of all. None for no limit."""
        shown = self.chunks if most is None else self.chunks[:most]
        for chunk in shown:
            yield self._title(chunk)
            repeated = chunk.content[: chunk.new_start - chunk.start]
            if repeated:
                yield from self._body(repeated, REPEATED)
            new = chunk.content[chunk.new_start - chunk.start :]
            yield from self._body(new, OVERSIZED if chunk.oversized else " ")
            yield Text()
        if len(shown) < len(self.chunks):
            left = len(self.chunks) - len(shown)
            yield Text(f"… {left:,} of {len(self.chunks):,} chunks not shown (--show)\n", "dim")
        yield from self._figures()

    def _title(self, chunk: ChunkResult) -> Text:
        title = Text.assemble(
            (f"chunk {chunk.index}", "bold"),
            f"  [{chunk.start}:{chunk.end}]  {len(chunk.content):,} characters, "
            f"{len(chunk.content.split()):,} tokens",
        )
        if chunk.new_start > chunk.start:
            title.append(f", new from {chunk.new_start}", STYLES[REPEATED])
        if "section" in chunk.metadata:
            title.append(f", section {excerpt(chunk.metadata['section'], 60, 10)}")
        if chunk.oversized:
            title.append(", oversized", f"bold {STYLES[OVERSIZED]}")
        return title

    def _body(self, text: str, sign: str) -> Iterator[Text]:
        lines = text.splitlines(keepends=True)
        for line in lines[:LINES_SHOWN]:
            shown = Text(excerpt(line, LINE_HEAD, LINE_TAIL), STYLES[sign])
            shown.highlight_regex(SIGN, "magenta")
            for part in shown.wrap(self.console, max(self.console.width - 2, NARROWEST), overflow="fold"):  # fmt: skip
                yield Text.assemble((f"{sign} ", STYLES[sign]), part)
        if len(lines) > LINES_SHOWN:
            yield Text(f"… {len(lines) - LINES_SHOWN:,} more lines", "dim")

    def _figures(self) -> Iterator[Text]:
        sizes = [len(chunk.content) for chunk in self.chunks]
        yield Text(
            f"{len(sizes):,} chunks from {self.characters:,} characters as {self.doc_type}; max_tokens "
            f"{self.caps.max_tokens:,}, max_chars {self.caps.chars:,}, overlap_tokens {self.caps.overlap:,}"
        )
        if not sizes:
            return
        yield Text(
            f"characters: smallest {min(sizes):,}, median {median(sizes):,.0f}, mean {mean(sizes):,.0f}, "
            f"largest {max(sizes):,}"
        )
        repeated = sum(chunk.new_start - chunk.start for chunk in self.chunks)
        yield Text(
            f"{REPEATED} {repeated:,} characters repeated, {100 * repeated / self.characters:,.0f}% of the document",
            STYLES[REPEATED],
        )
