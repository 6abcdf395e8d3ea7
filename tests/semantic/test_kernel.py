"""The kernel and the reference give the same spans, columns and results, dtypes included, for the same texts and caps.

EXAMPLES=20000 pytest tests/semantic/test_kernel.py      # the long run: some minutes
"""

from __future__ import annotations

import dataclasses
import gc
import os
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentchunk import ChunkResult, Limits, SemanticChunker, _kernel
from sentchunk._records import OK, OUTPUT_BYTES
from sentchunk.semantic import SemanticSpec, reference, replies
from sentchunk.semantic.kinds import Kind

from . import properties

EXAMPLES = int(os.environ.get("EXAMPLES", "1500"))
NO_LIMITS = Limits(None, None, None)

# What C treats apart: block edges, all white space, what begins, hides and ends headings and headers.
PIECES = [
    *properties.FRAGMENTS, "x" * 63, " " * 64, "ab " * 21, "\u00a0", "\u1680", "\u2005", "\u200b", "\u202f", "\u205f",
    "\u2029", "\x1d", "\x1f", "<script ", "</STYLE>", "\n<TextArea>\n", "</textarea >", "\n<!-->", "\n<!---->", "--", "\n<p",
    "\n##\t# ##", "\n``` a`b\n", "\n~~~~\n", "##\r", "wrote:\t\r", "wrote: \n", "wrote:x", ":", "\nOn\t", "\r\n> \r\n", "3 Mai",
    "\ud83d", "\ude00", "😀", "e\u0301" * 9, "🇫🇷" * 5, "\u0308" * 33, "é" * 31, "。" * 22, "\ufffd", "<", "#", "~", "\nſcript",
]  # fmt: skip
TEXTS = st.one_of(
    properties.texts,
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.builds(
        lambda a, n, b, m: a * n + b * m,
        *[st.sampled_from(PIECES), st.integers(1, 70)] * 2,
    ),
)
SPECS = st.builds(
    SemanticSpec,
    properties.small,
    st.none() | properties.small,
    st.none() | st.integers(0, 8) | properties.small,
)
KINDS = st.sampled_from(Kind)


def assert_same(native: tuple, python: tuple) -> None:
    for field, ours, theirs in zip(native._fields, native, python, strict=True):
        if isinstance(theirs, np.ndarray):
            assert ours.dtype == theirs.dtype, field
            assert np.array_equal(ours, theirs), field
        else:
            assert ours == theirs, field


@settings(max_examples=EXAMPLES, deadline=None)
@given(TEXTS, KINDS, SPECS)
def test_spans(text: str, kind: Kind, spec: SemanticSpec) -> None:
    native = _kernel.semantic_spans(text, kind, spec)
    assert_same(native, reference.semantic_spans(text, kind, spec))


METADATA = st.sampled_from(
    [None, {}, {"section": "mine", "n": 1}, {"deep": [{"a": [1]}], "section": 2}, {"none": None}]
)


@settings(max_examples=EXAMPLES // 3, deadline=None)
@given(TEXTS, KINDS, SPECS, METADATA)
def test_results(text: str, kind: Kind, spec: SemanticSpec, metadata: dict | None) -> None:
    native = _kernel.semantic_results(text, kind, spec, metadata)
    python = reference.semantic_results(text, kind, spec, metadata)
    assert list(map(dataclasses.asdict, native)) == list(map(dataclasses.asdict, python))
    assert [list(each.metadata) for each in native] == [list(each.metadata) for each in python]
    assert list(map(repr, native)) == list(map(repr, python))
    assert {type(value) for each in native for value in vars(each).values()} <= {
        str,
        int,
        dict,
        bool,
    }


@pytest.mark.parametrize("implementation", [_kernel, reference])
def test_keys_of_metadata_are_copied_as_values_are(implementation) -> None:
    """One that refers to a chunk must not keep it, and the caller's own is not the chunk's."""

    class Key:
        pass

    key = Key()
    made = implementation.semantic_results("One.\n\nTwo.", Kind.DOCUMENT, SemanticSpec(), {key: 1})
    own = [next(iter(each.metadata)) for each in made]
    assert [type(each) for each in own] == [Key, Key]
    assert len({id(each) for each in (key, *own)}) == 3


def test_a_key_that_refers_to_a_chunk_is_collected() -> None:
    class Key:
        chunk: object = None

    key = Key()
    key.chunk = _kernel.semantic_results("One.", Kind.DOCUMENT, SemanticSpec(), {key: 1})[0]
    gone = weakref.ref(key)
    del key
    gc.collect()
    assert gone() is None


def test_no_other_code_sees_the_results_before_all_are_there() -> None:
    class Value:
        def __deepcopy__(self, memo: dict) -> Value:
            of_results = [
                each
                for each in gc.get_objects()
                if type(each) is list and len(each) == 3 and type(each[-1]) is ChunkResult
            ]
            assert of_results == []
            return self

    given = "One.\n\nTwo.\n\nThree.", Kind.DOCUMENT, SemanticSpec()
    made = _kernel.semantic_results(*given, {"value": Value()})
    assert [each.index for each in made] == [0, 1, 2]
    assert gc.is_tracked(made)
    with pytest.raises(TypeError, match="cannot pickle"):
        _kernel.semantic_results(*given, {"value": gc})


def test_metadata_may_be_asked_for_while_they_are_made() -> None:
    """By what the garbage collector calls, which a new dict can start where Python has none to use again."""
    spec, before, seen = SemanticSpec(), gc.get_threshold(), []
    for _ in range(20):
        result = _kernel.semantic_results("## T\n\nx", Kind.DOCUMENT, spec, {"a": 1})[0]
        none_to_use_again = [{} for _ in range(200)]

        def ask(phase: str, info: dict, result: ChunkResult = result) -> None:
            seen.append(result.metadata)

        gc.callbacks.append(ask)
        try:
            gc.set_threshold(1)
            own = result.metadata
        finally:
            gc.set_threshold(*before)
            gc.callbacks.remove(ask)
        assert len(none_to_use_again) == 200
        assert own == {"a": 1, "section": "T"}
        assert all(each is own for each in seen)
        assert result.metadata is own
        seen.clear()


DOCUMENTS = st.one_of(
    TEXTS.map(lambda text: text.encode("utf-8", "replace")),
    st.builds(lambda a, wrong, b: a.encode("utf-8", "replace") + wrong + b, TEXTS,
              st.sampled_from([b"\x80", b"\xff", b"\xed\xa0\x80", b"\xe6\x97"]), st.binary(max_size=3)),
)  # fmt: skip


def limit(most: int) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(0, most)


@settings(max_examples=EXAMPLES // 3, deadline=None)
@given(
    st.lists(st.tuples(DOCUMENTS, st.integers(-1, 3), st.booleans()), max_size=6),
    st.booleans(),
    SPECS,
    st.builds(Limits, limit(300), st.none(), limit(400)),
)
def test_columns(
    documents: list[tuple[bytes, int, bool]], nulls: bool, spec: SemanticSpec, limits: Limits
) -> None:
    """The documents lie between bytes that are none, as in a slice of a larger column."""
    texts = [text for text, _, _ in documents]
    data = np.frombuffer(b"## \xe3\x80\x82" + b"".join(texts) + b"\x80 wrote:", np.uint8)
    given = (
        data,
        np.cumsum([6, *map(len, texts)], dtype=np.int64),
        np.array([valid for _, _, valid in documents], np.bool_) if nulls else None,
        np.array([kind for _, kind, _ in documents], np.int8),
        spec,
        limits,
    )
    (native, *theirs), (python, *ours) = (
        module.semantic_column(*given) for module in (_kernel, reference)
    )
    assert_same(native, python)
    for found, expected in zip(theirs, ours, strict=True):
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("implementation", [_kernel, reference])
def test_the_output_is_what_a_column_holds(implementation) -> None:
    """The title of a section is there once for each of its chunks."""
    documents = [b"## \xc3\xa9" + b"t" * 98 + b"\n\na. b. c.", b"Top.\n\n## T"]
    data = np.frombuffer(b"".join(documents), np.uint8)
    offsets, kinds = np.cumsum([0, *map(len, documents)]), np.zeros(2, np.int8)

    def chunked(most: int) -> tuple:
        given = data, offsets, None, kinds, SemanticSpec(1, 1000), Limits(None, None, most)
        return implementation.semantic_column(*given)

    found, status, figure = chunked(610)
    assert (status.tolist(), figure.tolist()) == ([OK, OK], [0, 0])
    assert np.bincount(found.document).tolist() == [5, 3]
    found, status, figure = chunked(607)
    assert (status.tolist(), figure.tolist()) == ([OUTPUT_BYTES, OK], [608, 0])
    assert found.title_bytes.tobytes() == b"T"
    assert found.document.tolist() == [1, 1, 1]
    assert found.title.tolist() == [-1, 0, 0]


# Texts that end where C looks further

UNFINISHED = [
    "", "x", "#", "##", "## ", "##\r", "\r", "\r\n", "`", "``", "```", "```\n## x", "~~~", "<", "<!", "<!-", "<!--", "<!--\n-",
    "<!--\n--", "<!--\n-->", "<p", "<pre", "<pre>\n<", "<pre>\n</", "<pre>\n</pre", "<pre>\n</pre>", "<textare", "wrote:",
    "On", "On ", "On wrote:", "On A wrote:", "On A wrote: ", "On A wrote:\r", "\nwrote:", ">", "\t", "x\n ", "\u00a0", "é", "\u3000",
]  # fmt: skip


@pytest.mark.parametrize("end", UNFINISHED)
def test_texts_that_end_anywhere(end: str) -> None:
    """In memory of just their size, and at every place in a block."""
    for before in (
        "",
        "x\n",
        "\r",
        "é\n",
        "a" * 61,
        "a" * 62,
        "\n" * 63,
        "\n" * 64,
        "é " * 21 + "\n",
        "a\n" * 64,
    ):
        text = before + end
        for kind in Kind:
            for spec in (SemanticSpec(), SemanticSpec(1, 1), SemanticSpec(3, 5, 2)):
                expected = reference.semantic_spans(text, kind, spec)
                assert_same(_kernel.semantic_spans(text, kind, spec), expected)
                data = np.frombuffer(text.encode(), np.uint8).copy()
                found, status, _ = _kernel.semantic_column(
                    data, np.array([0, len(data)]), None, np.array([kind], np.int8), spec, NO_LIMITS
                )
                assert status.tolist() == [OK]
                assert np.array_equal(found.start, expected.starts)


def test_white_space_is_that_of_str_split() -> None:
    spec = SemanticSpec(1, 3)
    for code in [*range(0x3100), 0xFEFF, 0xD800, 0x1F600, 0xE0020]:
        for before in ("a", "a" * 62, "a" * 63):
            text = f"{before}{chr(code)}b"
            whole = _kernel.semantic_spans(text, Kind.WHOLE, SemanticSpec(1, 99))
            assert whole.oversized.tolist() == [len(text.split()) > 1], hex(code)
        text = f"{chr(code)}b"
        assert_same(
            _kernel.semantic_spans(text, Kind.MESSAGE, spec),
            reference.semantic_spans(text, Kind.MESSAGE, spec),
        )


def test_offsets_that_lie_outside_the_data_are_refused() -> None:
    data, spec = np.zeros(3, np.uint8), SemanticSpec()
    for offsets in ([0, 4], [-1, 2], [2, 1]):
        with pytest.raises(ValueError, match="offsets of document 0"):
            _kernel.semantic_column(
                data, np.array(offsets), None, np.zeros(1, np.int8), spec, NO_LIMITS
            )
    with pytest.raises(ValueError, match="not those of 1 documents"):
        _kernel.semantic_column(data, np.array([0, 1]), None, np.zeros(2, np.int8), spec, NO_LIMITS)


@pytest.mark.parametrize("text", [None, b"x", 3])
def test_only_a_string_is_a_text(text: object) -> None:
    for call in (_kernel.semantic_spans, lambda *given: _kernel.semantic_results(*given, None)):
        with pytest.raises(TypeError, match="use a string"):
            call(text, Kind.DOCUMENT, SemanticSpec())


def test_an_exception_where_python_is_asked_reaches_the_caller(monkeypatch) -> None:
    class Stop(BaseException):
        pass

    def is_header(said: str, begins_paragraph: bool) -> bool:
        raise Stop(said)

    text = "On Mon, Al wrote:\nx"
    monkeypatch.setattr(replies, "is_header", is_header)
    with pytest.raises(Stop, match="On Mon, Al"):
        _kernel.semantic_spans(text, Kind.EMAIL, SemanticSpec())
    data = np.frombuffer(text.encode(), np.uint8)
    with pytest.raises(Stop):
        _kernel.semantic_column(
            data,
            np.array([0, len(data)]),
            None,
            np.array([Kind.EMAIL], np.int8),
            SemanticSpec(),
            NO_LIMITS,
        )


def test_a_subclass_of_str_is_a_text() -> None:
    class Text(str):
        __slots__ = ()

    found = SemanticChunker(1).chunk(Text("One é. Two."))
    assert [(type(each.content), each.content) for each in found] == [
        (str, "One"), (str, "é."), (str, "Two.")
    ]  # fmt: skip


def test_threads_share_nothing() -> None:
    """A long text releases the GIL, and asks Python meanwhile."""
    texts = ["On Mon, Al wrote:\né" + "👨\u200d👩" * 40 + "\n\n" for _ in range(4)]
    texts = [text * (300 + number) for number, text in enumerate(texts)]
    chunker = SemanticChunker(9, max_chars=7)
    expected = [chunker.chunk(text, doc_type="email") for text in texts]
    found: dict[int, bool] = {}

    def work(number: int) -> None:
        found[number] = all(
            chunker.chunk(texts[number], doc_type="email") == expected[number] for _ in range(3)
        )

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(len(texts)), True)
