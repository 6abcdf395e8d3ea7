"""Other chunkers, each called as its documentation does. The versions are those of the extra `bench`.

A peer is a function that takes the documents and gives a function that chunks them all once. What is prepared before is
what a user would prepare once: the splitter, and the form of text that it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

Run = Callable[[], object]
SIZE = 1000


def sentchunk(documents: list[str]) -> Run:
    import pyarrow as pa
    from sentchunk import chunk_arrow

    column = pa.array(documents)
    return lambda: chunk_arrow(column, max_size=SIZE)


def sentchunk_each(documents: list[str]) -> Run:
    from sentchunk import chunk

    return lambda: [chunk(document, max_size=SIZE) for document in documents]


def icu4py(documents: list[str]) -> Run:
    from icu4py.breakers import SentenceBreaker

    return lambda: [list(SentenceBreaker(document, "en")) for document in documents]


def pyicu(documents: list[str]) -> Run:
    from icu import BreakIterator, Locale

    breaker = BreakIterator.createSentenceInstance(Locale.getEnglish())

    def run() -> object:
        ends = []
        for document in documents:
            breaker.setText(document)
            ends.append(list(breaker))
        return ends

    return run


def semantic_text_splitter(documents: list[str]) -> Run:
    from semantic_text_splitter import TextSplitter

    splitter = TextSplitter(SIZE, trim=False)
    return lambda: [splitter.chunks(document) for document in documents]


def chonkie_sentence(documents: list[str]) -> Run:
    from chonkie import SentenceChunker

    chunker = SentenceChunker(tokenizer="character", chunk_size=SIZE)
    return lambda: [chunker.chunk(document) for document in documents]


def chonkie_core(documents: list[str]) -> Run:
    from chonkie_core import Chunker

    encoded = [document.encode() for document in documents]
    return lambda: [list(Chunker(document, size=SIZE)) for document in encoded]


def chonkie_core_offsets(documents: list[str]) -> Run:
    from chonkie_core import chunk_offsets

    encoded = [document.encode() for document in documents]
    return lambda: [chunk_offsets(document, size=SIZE) for document in encoded]


def langchain(documents: list[str]) -> Run:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=0)
    return lambda: [splitter.split_text(document) for document in documents]


def semchunk(documents: list[str]) -> Run:
    from semchunk import chunkerify

    chunker = chunkerify(len, SIZE)
    return lambda: [chunker(document) for document in documents]


# name: (what it does, distribution, function)
PEERS = {
    "sentchunk.chunk_arrow": ("sentences, chunks, offsets, a table", "sentchunk-beam", sentchunk),
    "sentchunk.chunk": ("the same, as Python objects", "sentchunk-beam", sentchunk_each),
    "icu4py": ("sentences only", "icu4py", icu4py),
    "PyICU": ("sentences only", "PyICU", pyicu),
    "semantic-text-splitter": ("chunks", "semantic-text-splitter", semantic_text_splitter),
    "chonkie SentenceChunker": ("chunks at '. ', '! ', '? ', newline", "chonkie", chonkie_sentence),
    "chonkie-core Chunker": ("cuts at the last of newline . ? before a size", "chonkie-core", chonkie_core),
    "chonkie-core chunk_offsets": ("the same, offsets only", "chonkie-core", chonkie_core_offsets),
    "LangChain recursive": ("cuts at paragraphs, lines, words", "langchain-text-splitters", langchain),
    "semchunk": ("cuts at lines, blanks, punctuation", "semchunk", semchunk),
}  # fmt: skip


def installed(documents: list[str]) -> dict[str, tuple[str, Run]]:
    """Each peer that is here: its version and what it does, and a run over the documents."""
    found = {}
    for name, (work, distribution, prepare) in PEERS.items():
        run = _prepared(prepare, documents)
        if run is None:
            print(f"{name}: not installed, left out")
        else:
            found[name] = (f"{version(distribution)}: {work}", run)
    return found


def _prepared(prepare: Callable[[list[str]], Run], documents: list[str]) -> Run | None:
    try:
        return prepare(documents)
    except ImportError:
        return None
