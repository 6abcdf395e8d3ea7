"""The splitters for LangChain and Haystack, against the real packages."""

from __future__ import annotations

import subprocess
import sys

import pytest
from sentchunk import InvalidInput, LimitExceeded, Limits, chunk

from integrations import need

need("haystack", "langchain_text_splitters")

from haystack import Document as HaystackDocument
from haystack import Pipeline
from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter
from sentchunk.haystack import SentenceSplitter
from sentchunk.langchain import SentenceTextSplitter

# A text that repeats itself: what looks for chunks again finds the wrong place.
REPEATED = "Yes. No. Yes. No. 日本。Yes. " + "\n\n" + "Yes. " * 20 + "😀 No!"
TEXTS = [REPEATED, "", "   ", "One."]


@pytest.mark.parametrize("overlap", [0, 1, 3])
def test_langchain_offsets_are_right(overlap: int) -> None:
    splitter = SentenceTextSplitter(max_size=14, overlap=overlap)
    assert isinstance(splitter, TextSplitter)
    metadatas = [{"source": number} for number in range(len(TEXTS))]
    documents = splitter.create_documents(TEXTS, metadatas)
    expected = [
        (each.text, {"source": number, "start_index": each.start})
        for number, text in enumerate(TEXTS)
        for each in chunk(text, max_size=14, overlap=overlap)
    ]
    assert [(each.page_content, each.metadata) for each in documents] == expected
    for document in documents:
        text, start = TEXTS[document.metadata["source"]], document.metadata["start_index"]
        assert text[start : start + len(document.page_content)] == document.page_content
    assert len({each.metadata["start_index"] for each in documents}) > 5


def test_langchains_other_ways_in() -> None:
    splitter = SentenceTextSplitter(max_size=14)
    given = [Document(page_content=REPEATED, metadata={"tags": ["a"]})]
    texts = [each.text for each in chunk(REPEATED, max_size=14)]
    assert splitter.split_text(REPEATED) == texts
    split = splitter.split_documents(given)
    assert [each.page_content for each in split] == texts
    assert splitter.transform_documents(given) == split
    split[0].metadata["tags"].append("b")
    assert split[1].metadata["tags"] == given[0].metadata["tags"] == ["a"]
    without = SentenceTextSplitter(max_size=14, add_start_index=False)
    assert without.create_documents(["One."])[0].metadata == {}


def test_langchain_mistakes() -> None:
    with pytest.raises(InvalidInput, match="max_size is 0"):
        SentenceTextSplitter(max_size=0)
    with pytest.raises(LimitExceeded, match="over max_text_bytes = 3"):
        SentenceTextSplitter(max_size=5, limits=Limits(3)).create_documents(["abcd"])


@pytest.mark.parametrize("overlap", [0, 2])
def test_haystack_in_a_pipeline(overlap: int) -> None:
    pipeline = Pipeline()
    pipeline.add_component("split", SentenceSplitter(max_size=14, overlap=overlap))
    written = pipeline.dumps()
    given = [
        HaystackDocument(content=text, meta={"number": number}) for number, text in enumerate(TEXTS)
    ]
    found = Pipeline.loads(written, allowed_modules=["sentchunk.haystack"]).run(
        {"split": {"documents": given}}
    )["split"]["documents"]
    expected = [
        (
            each.text,
            {"number": number, "source_id": document.id, "split_id": index, "split_idx_start": each.start},
        )
        for number, (document, text) in enumerate(zip(given, TEXTS, strict=True))
        for index, each in enumerate(chunk(text, max_size=14, overlap=overlap))
    ]  # fmt: skip
    assert [(each.content, each.meta) for each in found] == expected
    assert len({each.id for each in found}) == len(found)


def test_haystack_limits_and_mistakes() -> None:
    splitter = SentenceSplitter(max_size=5, limits=Limits(3, None, None))
    again = SentenceSplitter.from_dict(splitter.to_dict())
    for each in (splitter, again):
        with pytest.raises(LimitExceeded, match="over max_text_bytes = 3"):
            each.run([HaystackDocument(content="abcd")])
    with pytest.raises(InvalidInput, match="overlap is 17"):
        SentenceSplitter(max_size=5, overlap=17)
    with pytest.raises(InvalidInput, match="has no content"):
        splitter.run([HaystackDocument(content=None)])


def test_the_engine_imports_neither() -> None:
    code = "import sys, sentchunk; print([name for name in sys.modules if 'langchain' in name or 'haystack' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
