"""The boundary rules against the official cases, the version probes, and ICU as an independent oracle."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import sentchunk
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import HAS_ORACLE, REPRESENTATIVES, icu_ends

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.usefixtures("implementation")

needs_oracle = pytest.mark.skipif(not HAS_ORACLE, reason="icu4py has no wheel for Python 3.10")


def ends(text: str) -> list[int]:
    return [sentence.end for sentence in sentchunk.sentences(text)]


@pytest.mark.parametrize(
    ("text", "boundaries"),
    [
        ("A! ;B", [0, 5]),
        ("a\u17d4 B", [0, 3, 4]),
        ("A\u1b4e B", [0, 3, 4]),
        ("a. \U00016ebb", [0, 4]),
        ("B.\U00016ea0", [0, 3]),
        ("a. \u0295", [0, 3, 4]),
        ("a. \ua7f1", [0, 4]),
    ],
)
def test_unicode_17_data(text: str, boundaries: list[int]) -> None:
    assert [0, *ends(text)] == boundaries


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("foo. 5 bars", ["foo. 5 bars"]),  # SB8 looks over digits
        ("a. (B", ["a. ", "(B"]),  # after Sp a Close does not continue
        ("Dr. Smith", ["Dr. ", "Smith"]),
        ("the U.S.A team", ["the U.S.A team"]),  # SB7
        ("3.14", ["3.14"]),  # SB6
        ("A.\r\nB", ["A.\r\n", "B"]),  # SB3 inside SB11
        ("\n\u0308\u0308a", ["\n", "\u0308\u0308a"]),  # SB5 not after ParaSep
        ("One.\u00a0Two", ["One.\u00a0", "Two"]),  # NBSP is Sp in the data
        ("One.\u200b\ufeff Two", ["One.\u200b\ufeff ", "Two"]),  # Format is transparent
        ("Really?! Yes.", ["Really?! ", "Yes."]),
        ("", []),
    ],
)
def test_what_surprises(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in sentchunk.sentences(text)] == sentences


def test_rule_that_ended_a_sentence() -> None:
    found = sentchunk.sentences("One. Two!\nThree\u2029Four.\n")
    assert [(sentence.text, sentence.rule) for sentence in found] == [
        ("One. ", "SB11"),
        ("Two!\n", "SB4"),
        ("Three\u2029", "SB4"),
        ("Four.\n", "SB2"),
    ]


def test_official_cases() -> None:
    path = ROOT.parent / "shared" / "unicode-17.0.0" / "SentenceBreakTest.txt"
    if not path.exists():
        pytest.skip("the official test file is not laid beside the project")
    lines = [line.split("#")[0].split() for line in path.read_text(encoding="utf-8").splitlines()]
    cases = [line for line in lines if line]
    assert len(cases) == 512
    for case in cases:
        text, boundaries = "", []
        for token in case:
            if token == "÷":
                boundaries.append(len(text))
            elif token != "×":
                text += chr(int(token, 16))
        assert [0, *ends(text)] == boundaries, case


@needs_oracle
@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(REPRESENTATIVES),
            st.sampled_from(
                ["。", "？", "」", "؟", "।", "\u200d", "\u3000", "😀", "e\u0301", "Dr. "]
            ),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
        ),
        max_size=60,
    ).map("".join)
)
def test_texts_of_all_scripts(text: str) -> None:
    assert ends(text) == icu_ends(text)


@needs_oracle
def test_property_of_every_code_point() -> None:
    """Each code point between probes that tell its property value apart from every other."""
    probes = ["a.{}b", "a. {}B", "a.{}B", "{}.B", "{} a", "a.){}A", "\r{}\n", "\n{}\u0308A"]
    for code in itertools.chain(range(0xD800), range(0xE000, 0x110000, 1)):
        if 0x20000 < code < 0xE0000 and code % 0x100:
            continue  # planes of ideographs and unassigned code points: sampled
        text = "\u2029".join(probe.format(chr(code)) for probe in probes)
        assert ends(text) == icu_ends(text), hex(code)
