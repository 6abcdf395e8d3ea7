"""The rules of the type-aware chunker, and the cases that its known implementation gets wrong."""

from __future__ import annotations

import inspect

import pytest
from sentchunk import ChunkResult, InvalidInput, SemanticChunker

pytestmark = pytest.mark.usefixtures("implementation")

LARGE = SemanticChunker(10_000, overlap_tokens=0)


def contents(text: str, doc_type: str = "document", *caps: int, **options: int) -> list[str]:
    chunker = SemanticChunker(*caps, **options) if caps or options else LARGE
    chunks = chunker.chunk(text, doc_type=doc_type)
    assert all(chunk.content == text[chunk.start : chunk.end] for chunk in chunks)
    return [chunk.content for chunk in chunks]


def sections(text: str) -> list[str | None]:
    return [chunk.metadata.get("section") for chunk in LARGE.chunk(text)]


# The surface


def test_the_documented_signature() -> None:
    parameters = inspect.signature(SemanticChunker).parameters
    assert [(p.name, p.default, p.kind.name) for p in parameters.values()] == [
        ("max_tokens", 512, "POSITIONAL_OR_KEYWORD"),
        ("max_chars", None, "KEYWORD_ONLY"),
        ("overlap_tokens", None, "KEYWORD_ONLY"),
    ]
    assert (
        ChunkResult("x")
        == ChunkResult("x", 0, {})
        == ChunkResult(content="x", index=0, metadata={})
    )
    assert ChunkResult("x").metadata is not ChunkResult("x").metadata
    (chunk,) = SemanticChunker().chunk("x", metadata={"n": 1})
    assert list(vars(chunk)) == [
        "content",
        "index",
        "metadata",
        "start",
        "end",
        "new_start",
        "oversized",
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, (512, 2048, 100)),
        ({"max_tokens": 1}, (1, 4, 0)),
        ({"max_tokens": 4}, (4, 16, 0)),
        ({"max_tokens": 5}, (5, 20, 1)),
        ({"max_tokens": 5, "overlap_tokens": 9}, (5, 20, 4)),
        ({"max_tokens": 5, "max_chars": 7, "overlap_tokens": 0}, (5, 7, 0)),
    ],
)
def test_defaults_and_clamping(arguments: dict[str, int], expected: tuple[int, ...]) -> None:
    chunker = SemanticChunker(**arguments)
    assert (chunker.max_tokens, chunker.max_chars, chunker.overlap_tokens) == expected


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"max_tokens": 5.0}, "max_tokens"),
        ({"max_tokens": None}, "max_tokens"),
        ({"max_chars": 0}, "max_chars"),
        ({"max_chars": "9"}, "max_chars"),
        ({"overlap_tokens": -1}, "overlap_tokens"),
        ({"overlap_tokens": False}, "overlap_tokens"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInput, match=f"{field} is .*; use an integer from") as raised:
        SemanticChunker(**arguments)  # type: ignore[arg-type]  # that is the mistake
    assert raised.value.field == field


@pytest.mark.parametrize("doc_type", ["Email", " email", "MESSAGE", "event ", "con tact"])
def test_a_special_name_but_for_case_or_blanks_is_refused(doc_type: str) -> None:
    with pytest.raises(InvalidInput, match="write it"):
        LARGE.chunk("x", doc_type=doc_type)


@pytest.mark.parametrize(
    "wrong", [{"text": b"x"}, {"text": None}, {"doc_type": 3}, {"metadata": [1]}]
)
def test_other_arguments_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        LARGE.chunk(**{"text": "x"} | wrong)  # type: ignore[arg-type]  # that is the mistake


@pytest.mark.parametrize("text", ["", " ", "\n\r\n\t", "\u3000\u2028"])
@pytest.mark.parametrize("doc_type", ["document", "email", "message", "event"])
def test_a_blank_text_has_no_chunks(text: str, doc_type: str) -> None:
    assert LARGE.chunk(text, doc_type=doc_type) == []


def test_a_lone_surrogate_is_a_character_as_any_other() -> None:
    assert contents("a\ud800b. c", "message", 1, max_chars=4) == ["a\ud800b.", "c"]


# Events and contacts


@pytest.mark.parametrize("doc_type", ["event", "contact"])
def test_one_chunk_unchanged(doc_type: str) -> None:
    text = "\n a b c\n\n## d \n"
    for tokens, chars, over in [
        (5, 100, False),
        (4, 100, True),
        (5, len(text), False),
        (5, 3, True),
    ]:
        (chunk,) = SemanticChunker(tokens, max_chars=chars).chunk(text, doc_type=doc_type)
        assert (chunk.content, chunk.start, chunk.end) == (text, 0, len(text))
        assert chunk.oversized == over


# Mail


@pytest.mark.parametrize(
    "header",
    [
        "On Mon, 2 Mar 2026, Al wrote:",
        "On Mon, Mar 2, 2026 at 10:30 AM Al <al@example.com> wrote:",
        "On 2026-03-02 10:30, Al wrote:",
        "On 02.03.26 Al wrote: ",
        "On 3/2/26, al@example.com wrote:",
        "On Tuesday the committee\nwrote:",
        "On Mon, 2 Mar 2026 at 10:30, Alice\nExample Longname <al@example.com>\nwrote:",
        "> On Mon, 2 Mar 2026, Al wrote:",
        "> > On Mon, 2 Mar 2026,\n> > Al wrote:",
        "On 2 March, 王小明 wrote:",
        "On 2nd Mar. al wrote:",
        "On 12-Sept-26 al wrote:",
        "On Sept. 2 al wrote:",
        "On the day at 9:30 al wrote:",
        "On the day at 9 p.m. al wrote:",
        "On behalf of al@example.com wrote:",
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_reply_headers(header: str, line_end: str) -> None:
    text = f"Top.\nMore.\n{header}\n\n> q1\n> q2\n\nBelow.".replace("\n", line_end)
    whole = f"{header}\n\n> q1\n> q2".replace("\n", line_end)
    assert contents(text, "email") == [f"Top.{line_end}More.", whole, "Below."]
    chunks = SemanticChunker(100, overlap_tokens=20).chunk(text, doc_type="email")
    assert [chunk.start == chunk.new_start for chunk in chunks] == [True, True, False]


def test_a_name_alone_is_a_header_where_a_paragraph_begins() -> None:
    assert len(contents("Top.\n\nOn that note Al Example wrote:\nq", "email")) == 2
    assert len(contents("Top.\nOn that note Al Example wrote:\nq", "email")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "We read.\nOn page 3 the author wrote:\nthis and that.",
        "He said On Mon, 2 Mar 2026, Al wrote:\nq",
        "Top.\nOn 123:30 or 3:3 or 9 pmx or 2 Marx2 al wrote:\nq",
        "Top.\nOn 1/2-3 and 1/2/x and Monx or 2nd-hand Sept @ home al wrote:\nq",
        "Top.\nOn Mon, 2 Mar 2026, Al wrote: q",
        "Top.\nOn Mon,\nTue,\nWed,\nAl wrote:\nq",
        "Top.\nOn 2 March it rained and Al rewrote:\nq",
    ],
)
def test_what_is_no_reply_header(text: str) -> None:
    assert contents(text, "email") == [text]


def test_a_header_has_no_blank_line_and_only_mail_has_headers() -> None:
    assert contents("Top.\nOn Mon, 2 Mar 2026,\n\nAl wrote:\nq", "email") == [
        "Top.\nOn Mon, 2 Mar 2026,",
        "Al wrote:\nq",
    ]
    text = "Top.\nOn Mon, 2 Mar 2026, Al wrote:\nq"
    assert contents(text, "message") == contents(text) == [text]


# Sections


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("## Title", "Title"),
        ("   ##\tTitle  ", "Title"),
        ("## Closed ##", "Closed"),
        ("## Closed ####  ", "Closed"),
        ("## C# and a##", "C# and a##"),
        ("## Two ## parts #", "Two ## parts"),
        ("##", ""),
        ("## ##", ""),
        ("## \t", ""),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_headings(heading: str, title: str, line_end: str) -> None:
    text = f"Intro.\n{heading}\nBody.\n\nMore.".replace("\n", line_end)
    assert sections(text) == [None, title, title]
    assert contents(text)[1] == f"{heading}{line_end}Body."


@pytest.mark.parametrize(
    "line",
    [
        "##No",
        "# One",
        "### Three",
        "    ## Code",
        "\t## Code",
        "x ## y",
        "> ## Quoted",
        "\\## No",
        "##\u00a0No",
    ],
)
def test_what_is_no_heading(line: str) -> None:
    assert sections(f"Intro.\n{line}\nBody.") == [None]


@pytest.mark.parametrize(
    "block",
    [
        "```\n## no\n```",
        "```py\n## no\n```",
        "~~~ `a`\n## no\n```\n## no\n~~~",
        "````\n```\n## no\n````",
        "```\n## no\n``` x\n## no\n`````",
        "   ```\n## no\n  ```  ",
        "<!-- a\n## no\n-->",
        "<!-- a\n\n## no\n\nb --> c",
        "<pre>\n## no\n</pre>",
    ],
)
def test_headings_that_a_block_hides(block: str) -> None:
    assert sections(f"{block}\n## Yes\nBody.")[-1] == "Yes"
    assert sum("## no" in each for each in contents(f"{block}\n## Yes")[:-1]) >= 1
    unclosed = block.rpartition("\n")[0]
    assert "Yes" not in sections(f"{unclosed}\n## Yes\nBody.")


@pytest.mark.parametrize(
    "line",
    ["``` a`b", "``", "    ```", "x <!-- y", "<!-->", "<!-- x -->", "<prefix>", "<\u017fcript>"],
)
def test_what_hides_no_heading(line: str) -> None:
    assert sections(f"{line}\n## Yes\nBody.")[-1] == "Yes"


def test_a_heading_stays_with_what_follows_it() -> None:
    assert contents("## A\n\n\nOne.\n\nTwo.\n## B\n## C\n\nThree.") == [
        "## A\n\n\nOne.",
        "Two.",
        "## B",
        "## C\n\nThree.",
    ]


def test_section_and_the_callers_metadata() -> None:
    given = {"section": "mine", "n": [1]}
    before, inside = LARGE.chunk("Intro.\n\n## Title\nBody.", metadata=given)
    assert before.metadata == given
    assert inside.metadata == {"section": "Title", "n": [1]}
    assert given["section"] == "mine"


# Paragraphs, sentences, forced cuts


@pytest.mark.parametrize(
    "gap", ["\n\n", "\r\n\r\n", "\r\r", "\n \t\n", "\n\n\n\n", "\n\r", "\r\n\n"]
)
def test_blank_lines_end_a_paragraph(gap: str) -> None:
    assert contents(f"One.{gap}Two.", "message") == ["One.", "Two."]


@pytest.mark.parametrize(
    "gap", ["\n", "\r\n", "\r", "\n\u00a0\n", "\n\x0c\n", "\u2029\u2029", " \u2028 "]
)
def test_other_white_space_does_not(gap: str) -> None:
    assert contents(f"One.{gap}Two.", "message") == [f"One.{gap}Two."]


def test_indentation_of_a_first_line_stays() -> None:
    assert contents("\n    code\n    more\n\n\ttabs  \n") == ["    code\n    more", "\ttabs"]
    assert contents("    " + "x" * 9, "message", 5, max_chars=10) == ["x" * 9]


def test_sentences_are_packed_up_to_the_target() -> None:
    text = "One two. Three four. Five six seven eight nine. Ten."
    assert contents(text, "message", 8, overlap_tokens=0, max_chars=1000) == [
        "One two. Three four.",
        "Five six seven eight nine.",
        "Ten.",
    ]


def test_a_sentence_over_the_budget_is_cut_at_white_space() -> None:
    text = "a b c d e f g. H i."
    assert contents(text, "message", 3, overlap_tokens=0, max_chars=1000) == [
        "a b c",
        "d e f",
        "g.",
        "H i.",  # over the target of one, within the budget of three
    ]
    assert contents("aa bbb cccccc d", "message", 50, max_chars=7, overlap_tokens=0) == [
        "aa bbb",
        "cccccc",
        "d",
    ]


def test_a_word_over_the_cap_is_cut_between_clusters() -> None:
    assert contents("ab abcdefgh ij", "message", 50, max_chars=3, overlap_tokens=0) == [
        "ab",
        "abc",
        "def",
        "gh",
        "ij",
    ]
    assert contents("abcde\u0301fghij", "document", 50, max_chars=5) == ["abcd", "e\u0301fgh", "ij"]
    assert contents("🇫🇷🇩🇪🇮🇹", "document", 50, max_chars=5) == ["🇫🇷🇩🇪", "🇮🇹"]


def test_a_cluster_over_the_cap_is_cut_between_code_points() -> None:
    family = "👨\u200d👩\u200d👧\u200d👦"
    assert "".join(contents(family, "document", 50, max_chars=3)) == family
    assert max(map(len, contents(family, "document", 50, max_chars=3))) == 3


@pytest.mark.parametrize("stop", ["。", "！", "？", "।", "؟"])
def test_terminators_of_other_scripts(stop: str) -> None:
    text = f"aaaa{stop}bbbb{stop}cccc{stop}"
    assert contents(text, "message", 50, max_chars=8, overlap_tokens=0) == [
        f"aaaa{stop}",
        f"bbbb{stop}",
        f"cccc{stop}",
    ]


# Overlap


def test_the_last_tokens_of_the_new_part_before() -> None:
    text = "a b c d e f g h i j"
    chunks = SemanticChunker(5, overlap_tokens=2).chunk(text, doc_type="message")
    assert [(c.content, text[c.new_start : c.end]) for c in chunks] == [
        ("a b c", "a b c"),
        ("b c d e f", "d e f"),
        ("e f g h i", "g h i"),
        ("h i j", "j"),
    ]


def test_overlap_gives_way_to_max_chars() -> None:
    text = "aaaa bbbb cccc\n\ndddd eeee"
    chunks = SemanticChunker(100, max_chars=32, overlap_tokens=9).chunk(text, doc_type="message")
    assert [c.content for c in chunks] == ["aaaa bbbb cccc", "bbbb cccc\n\ndddd eeee"]
    chunks = SemanticChunker(100, max_chars=19, overlap_tokens=9).chunk(text, doc_type="message")
    assert chunks[-1].content == "cccc\n\ndddd eeee"


def test_overlap_stays_within_a_section() -> None:
    text = "a b\n\nc\n\n## S\n\nd\n\ne"
    # Of a chunk that begins a part, at most all but its first token: a chunk never holds another as a whole.
    expected = ["a b", "b\n\nc", "## S\n\nd", "S\n\nd\n\ne"]
    assert contents(text, "document", 100, overlap_tokens=9) == expected


# The listed cases


def test_three_paragraphs_of_one_long_word() -> None:
    words = ["x" * 2048] * 3
    assert [c.content for c in SemanticChunker().chunk("\n\n".join(words))] == words


def test_a_long_heading_under_small_caps() -> None:
    chunks = SemanticChunker(5, max_chars=20).chunk("## " + "word " * 50)
    assert all(len(c.content) <= 20 and len(c.content.split()) <= 5 for c in chunks)
    assert {c.metadata["section"] for c in chunks} == {("word " * 50).strip()}


def test_an_empty_heading_and_crlf_paragraphs_and_a_reply() -> None:
    assert contents("Intro.\n\n##\n\nBody.") == ["Intro.", "##\n\nBody."]
    assert contents("Para one.\r\n\r\nPara two.") == ["Para one.", "Para two."]
    text = "Reply top.\n\nOn Mon, 2 Mar 2026, Al wrote:\n> q1"
    assert contents(text, "email") == ["Reply top.", "On Mon, 2 Mar 2026, Al wrote:\n> q1"]
