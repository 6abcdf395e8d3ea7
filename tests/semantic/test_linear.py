"""Every text costs time in proportion to its length, whatever the caps: hostile families at n and 4n, odd caps."""

from __future__ import annotations

import time

import pytest
from sentchunk.semantic import SemanticSpec, semantic_spans

FAMILIES = {
    "one-letter words": "a ",
    "joiners": "\u200d",
    "newlines": "\n",
    "headings": "## x\n",
    "full stops": ".",
    "almost headers": "On x wrote:\n",
    "headers": "On Mon, 2 Mar 2026, Al wrote:\n",
    "one paragraph a header": "On Al wrote:\n\n",
    "fences": "```\n",
    "comments": "<!-- x\n",
    "blocks": "<pre>\n",
    "backticks": "`",
    "one word": "w",
    "flags": "🇦",
    "marked letters": "e\u0301",
    "quotes": "\"'",
    "CR": "\r",
    "line separators": "a\u2028",
    "indentation": "\n" + " " * 50 + "x",
    "white lines": "a\n\u00a0\n",
    "ideographs": "你好。",
}
pytestmark = pytest.mark.usefixtures("implementation")

CAPS = [(1, 1), (1, 1_000_000), (100_000, 1), (100_000, 1_000_000), (7, 13), (512, 2048)]


def seconds(text: str, doc_type: str, spec: SemanticSpec) -> float:
    """The best of three, of this process's own time: other work on the machine does not count."""
    times = []
    for _ in range(3):
        started = time.process_time()
        semantic_spans(text, doc_type, spec)
        times.append(time.process_time() - started)
    return min(times)


@pytest.mark.parametrize("family", FAMILIES)
def test_four_times_the_text_is_about_four_times_the_time(family: str) -> None:
    unit = FAMILIES[family]
    small, large = (unit * (n // len(unit)) + "x" for n in (15_000, 60_000))
    for doc_type in ("document", "email"):
        for tokens, chars in CAPS:
            spec = SemanticSpec(tokens, chars)
            once, four_times = seconds(small, doc_type, spec), seconds(large, doc_type, spec)
            # Linear is 4 and quadratic 16; caches that a busy machine takes away get the room between.
            assert four_times < 10 * max(once, 0.002), (doc_type, tokens, chars)
