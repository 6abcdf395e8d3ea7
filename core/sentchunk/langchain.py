"""A text splitter for LangChain. Needs `langchain-text-splitters`: `pip install 'sentchunk-beam[langchain]'`."""

from __future__ import annotations

import copy
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from .spec import DEFAULT_LIMITS, ChunkSpec, Limits
from .text import chunk_with


class SentenceTextSplitter(TextSplitter):
    """Packs whole sentences into chunks, wherever LangChain takes a TextSplitter.

    max_size: 1 to 1,048,576 code points, which is what LangChain counts, and what `start_index` is in.
    overlap: 0 to 16 sentences of the previous chunk to repeat, as many as fit.
    limits: per-document limits; `Limits(None, None, None)` switches all off.
    add_start_index: whether documents have `start_index` in their metadata.
    A chunk is the exact slice of its text at `start_index`: nothing is stripped. A sentence larger than max_size is
    never cut: it is a chunk of its own.
    Raises sentchunk.InvalidInput (a parameter, a text with a lone surrogate) and sentchunk.LimitExceeded.
    """

    def __init__(
        self,
        *,
        max_size: int,
        overlap: int = 0,
        limits: Limits = DEFAULT_LIMITS,
        add_start_index: bool = True,
    ) -> None:
        self._spec = ChunkSpec(max_size, "code_point", overlap, limits)
        super().__init__(
            chunk_size=self._spec.max_size,
            chunk_overlap=0,  # counts characters there, and is not used
            strip_whitespace=False,
            add_start_index=add_start_index,
        )

    def split_text(self, text: str) -> list[str]:
        """The texts of the chunks, in order."""
        return [each.text for each in chunk_with(self._spec, text)[0]]

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """A document for each chunk of each text, with a copy of the text's metadata."""
        documents = []
        for text, metadata in zip(texts, metadatas or [{}] * len(texts), strict=True):
            for each in chunk_with(self._spec, text)[0]:
                own = copy.deepcopy(metadata)
                if self._add_start_index:
                    own["start_index"] = each.start
                documents.append(Document(page_content=each.text, metadata=own))
        return documents
