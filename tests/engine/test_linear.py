"""Every input costs time in proportion to its length: hostile texts at n and 2n."""

from __future__ import annotations

import time

import pytest
from hostile import FAMILIES
from sentchunk import Limits, chunk

pytestmark = pytest.mark.usefixtures("implementation")


def seconds(text: str) -> float:
    """The best of three, of this process's own time: other work on the machine does not count."""
    times = []
    for _ in range(3):
        started = time.process_time()
        chunk(text, max_size=100, overlap=16, limits=Limits(None, None, None))
        times.append(time.process_time() - started)
    return min(times)


@pytest.mark.parametrize("family", FAMILIES)
def test_twice_the_text_is_about_twice_the_time(family: str) -> None:
    text = FAMILIES[family]
    seconds(text(1000))
    once, four_times = seconds(text(50_000)), seconds(text(200_000))
    # Linear is 4 and quadratic 16; caches that a busy machine takes away get the room between.
    assert four_times < 10 * max(once, 0.001)
