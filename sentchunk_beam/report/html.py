"""Elements of a page, safe by how they are made: every text goes through `visible` and the serializer's escaping."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ..visible import SIGN, visible

Child = Element | str | int | None
_SIGN = re.compile(f"({SIGN})")


def element(tag: str, /, *children: Child, **attributes: str) -> Element:
    """An element. `class_` is the attribute "class", `aria_label` is "aria-label"; None adds nothing."""
    made = Element(tag, {_attribute(key): visible(value) for key, value in attributes.items()})
    for child in children:
        if child is None:
            continue
        if isinstance(child, Element):
            made.append(child)
            continue
        text = visible(f"{child:,}" if isinstance(child, int) else child)
        if len(made):
            made[-1].tail = (made[-1].tail or "") + text
        else:
            made.text = (made.text or "") + text
    return made


def document_text(text: str) -> Element:
    """Text of a document, apart from the page's in direction, with the signs for what is unseen set off."""
    parts = _SIGN.split(visible(text))
    return element(
        "bdi",
        *(
            element("span", part, class_="sign") if number % 2 else part
            for number, part in enumerate(parts)
        ),
    )


def table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[Child]], **attributes: str
) -> Element:
    """A table with headers for columns and rows, in a box of its own that scrolls where it is too wide."""
    header = (element("th", name, scope="col", role="columnheader") for name in head)
    body = (
        element(
            "tr",
            element("th", row[0], scope="row", role="rowheader"),
            *(element("td", cell, role="cell") for cell in row[1:]),
            role="row",
        )
        for row in rows
    )
    # The roles say again what the elements mean, for the style shows some tables as blocks on a phone.
    made = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *header, role="row"), role="rowgroup"),
        element("tbody", *body, role="rowgroup"),
        role="table",
        **attributes,
    )
    return element("div", made, class_="scroll", role="region", aria_label=caption, tabindex="0")


def picture(alt: str, wide: bytes, narrow: bytes) -> Element:
    """An SVG for a page of full width and one for a phone's."""
    source = element("source", media="(max-width: 640px)", srcset=_data(narrow))
    return element("picture", source, element("img", src=_data(wide), alt=alt))


def serialized(page: Element) -> str:
    return (
        "<!DOCTYPE html>\n" + ElementTree.tostring(page, encoding="unicode", method="html") + "\n"
    )


def _attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _data(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"
