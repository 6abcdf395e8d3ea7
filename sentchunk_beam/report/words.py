"""Figures in words, as the page says them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..visible import excerpt

VALUE_LENGTH = 1000


def flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and (value or not name):
        for key, inner in value.items():
            yield from flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        yield name, excerpt(", ".join(map(str, value)) or "none", VALUE_LENGTH, 0)
    elif value is None or value == {}:
        yield name, "none"
    else:
        is_count = isinstance(value, int) and not isinstance(value, bool)
        yield name, excerpt(f"{value:,}" if is_count else str(value), VALUE_LENGTH, 0)


def size(value: int | None, sizes: dict[str, Any]) -> str:
    """A quantile; one that is None is above all that is counted exactly."""
    return f"{value:,}" if value is not None else f"up to {sizes['largest'] or 0:,}"


def percent(part: float | None) -> str:
    return "none" if part is None else f"{100 * part:.0f}%"


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "none"


def mean(total: int, number: int) -> str:
    return f"{total / number:,.1f}" if number else "none"


def counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
