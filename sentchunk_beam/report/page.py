"""The report as one HTML page, from the facts alone. It needs no script, no font and no other file."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files as resources
from typing import Any
from xml.etree.ElementTree import Element

from ..visible import excerpt
from . import plots, words
from .html import document_text, element, picture, serialized, table

# What tells an earlier report from a file of somebody else's: it stands at the beginning of the page.
GENERATOR = "sentchunk report"
MARK = f'<meta name="generator" content="{GENERATOR}">'
# Second to the escaping: were it to fail, no script would run and nothing would be loaded.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
SHOWN_INPUTS, ID_LENGTH = 20, 200
FIGURES_SHOWN_ELSEWHERE = ("settings", "versions", "inputs", "dead_letters", "output", "plan")


def render(facts: dict[str, Any]) -> str:
    """Draw the plots and make the page. Raises UsageError where the plotting library is missing."""
    plots.require_library()
    style = element("style")
    style.text = resources(__package__).joinpath("style.css").read_text("utf-8")
    head = element(
        "head",
        element("meta", name="generator", content=GENERATOR),
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"Chunks in {facts['folder']}"),
        style,
    )
    main = element("main", *_parts(facts))
    return serialized(element("html", head, element("body", main), lang="en"))


def _parts(facts: dict[str, Any]) -> Iterator[Element]:
    yield element("h1", "Chunking report")
    yield element("p", facts["folder"], class_="path muted")
    yield from _notices(facts)
    yield _tiles(facts)
    yield _sizes(facts)
    yield _fill(facts)
    yield _oversized(facts)
    yield _dead_letters(facts)
    yield _scripts(facts)
    yield _run(facts["summary"])


def _notices(facts: dict[str, Any]) -> Iterator[Element]:
    summary = facts["summary"]
    lost = sum(summary["dead_letters"].values())
    if summary["documents"] == summary["chunked"] + lost:
        accounted = "Every document is accounted for: "
        yield element(
            "p",
            f"{accounted}{summary['documents']:,} came in, {summary['chunked']:,} were chunked and {lost:,} are dead letters.",
            class_="notice",
        )
    for warning in facts["warnings"]:
        yield element("p", f"{warning}.", class_="notice bad")


def _tiles(facts: dict[str, Any]) -> Element:
    summary, sizes = facts["summary"], facts["sizes"]
    lost = sum(summary["dead_letters"].values())
    unit, quantiles = plots.UNIT_NAMES[facts["unit"]], sizes["quantiles"]
    seconds = summary.get("seconds")
    megabytes = summary["text_bytes"] / 1e6
    tiles = (
        ("Documents", summary["documents"], f"{lost:,} dead letters ({words.share(lost, summary['documents'])})"),
        ("Chunks", sizes["chunks"], f"{words.mean(sizes['chunks'], summary['chunked'])} a document"),
        ("Oversized", sizes["oversized"], f"{words.share(sizes['oversized'], sizes['chunks'])} of the chunks"),
        ("Median size", words.size(quantiles["50%"], sizes), f"{unit}; 90% are {words.size(quantiles['5%'], sizes)} to {words.size(quantiles['95%'], sizes)}"),
        ("Mean fill", words.percent(sizes["mean_fill"]), f"of {facts['cap']}, without the oversized"),
        *([("Sentences", summary["sentences"], f"{sizes['sentences_mean'] or 0:,.1f} a chunk, at most {sizes['sentences_most']:,}")] if facts["cap"] == "max_size" else []),
        ("Repeated", words.share(sizes["repeated"], sizes["total"] - sizes["repeated"]), "of the text, by overlap"),
        ("Text", f"{megabytes:,.1f} MB", f"in {seconds:,.1f} s" if isinstance(seconds, int | float) else "as UTF-8"),
    )  # fmt: skip
    return element(
        "dl",
        *(
            element(
                "div", element("dt", name), element("dd", value), element("dd", more, class_="more")
            )
            for name, value, more in tiles
        ),
        class_="tiles",
    )


def _sizes(facts: dict[str, Any]) -> Element:
    sizes, unit = facts["sizes"], plots.UNIT_NAMES[facts["unit"]]
    if not sizes["chunks"]:
        return _section("Sizes", element("p", "There are no chunks."))
    told = (
        f"Sizes are {sizes['smallest']:,} to {sizes['largest']:,} {unit}; half of the chunks have at most "
        f"{words.size(sizes['quantiles']['50%'], sizes)}. {facts['cap']} is {facts['max_size']:,}."
    )
    rows = [
        (f"{bar['above'] + 1:,} to {bar['up_to']:,}" if bar["up_to"] else f"over {bar['above']:,}", bar["fitting"], bar["oversized"])
        for bar in sizes["histogram"]
    ]  # fmt: skip
    return _section(
        "Sizes",
        element("p", told, class_="muted"),
        picture(
            f"Bar chart of the number of chunks by size. {told} {sizes['oversized']:,} are oversized.",
            plots.sizes_plot(facts, plots.WIDE),
            plots.sizes_plot(facts, plots.NARROW),
        ),
        _details(table("Chunks by size", [f"Size, {unit}", "Fit", "Oversized"], rows, class_="numbers")),
    )  # fmt: skip


def _fill(facts: dict[str, Any]) -> Element:
    sizes = facts["sizes"]
    told = (
        f"Chunks that fit fill {words.percent(sizes['mean_fill'])} of {facts['cap']} on average. The last chunk of a document holds "
        "what is left, so it may be short."
    )
    rows: list[tuple[Any, ...]] = [
        (f"up to {bar['up_to_percent']}%", bar["inside_document"], bar["last_of_document"])
        for bar in sizes["fill"]
    ]
    return _section(
        "Fill",
        element("p", told, class_="muted"),
        picture(
            f"Bar chart of the number of chunks by their size as a share of {facts['cap']}. {told} "
            f"{sizes['oversized']:,} are oversized.",
            plots.fill_plot(facts, plots.WIDE),
            plots.fill_plot(facts, plots.NARROW),
        ),
        _details(
            table("Chunks by fill", [f"Share of {facts['cap']}", "Inside a document", "Last of its document"], rows, class_="numbers"),
        ),
    )  # fmt: skip


def _oversized(facts: dict[str, Any]) -> Element:
    number = facts["sizes"]["oversized"]
    by_sentences = facts["cap"] == "max_size"
    if not number:
        return _section(
            "Oversized chunks",
            element("p", f"None: every {'sentence' if by_sentences else 'chunk'} fits."),
        )
    rows = (
        (
            _place(chunk["document_id"], f"[{chunk['start']}:{chunk['end']}]"),
            f"{chunk['size']:,} ({chunk['size'] / facts['max_size']:,.1f} × {facts['cap']})",
            _cut(chunk["text_head"], chunk["text_left_out"], chunk["text_tail"]),
        )
        for chunk in facts["longest_oversized"]
    )
    return _section(
        "Oversized chunks",
        element(
            "p",
            f"{words.counted(number, 'sentence is', 'sentences are')} larger than max_size. A sentence is never cut: "
            "each is a chunk of its own."
            if by_sentences
            else f"{words.counted(number, 'event or contact is', 'events and contacts are')} over a cap: they are never cut.",
            class_="muted",
        ),
        table("The longest", ["Document and place", "Size", "Text"], rows, class_="texts"),
    )


def _dead_letters(facts: dict[str, Any]) -> Element:
    reasons = facts["dead_letters"]
    if not reasons:
        return _section("Dead letters", element("p", "None: every document was chunked."))
    unknown = any(reason["of_unknown_size"] for reason in reasons)
    head = ["Reason", "Documents", *(["Files that do not tell how many"] if unknown else [])]
    counts = [
        (_reason(reason), reason["documents"], reason["of_unknown_size"])[: len(head)]
        for reason in reasons
    ]
    examples = (
        (_origin(example), _reason(reason), document_text(example["message"] or ""))
        for reason in reasons
        for example in reason["examples"]
    )
    return _section(
        "Dead letters",
        element("p", "Documents without chunks, by reason.", class_="muted"),
        table("Reasons", head, counts, class_="numbers"),
        table("Examples", ["Document", "Reason", "Message"], examples, class_="texts"),
    )  # fmt: skip


def _scripts(facts: dict[str, Any]) -> Element:
    found = facts["scripts"]
    sampled = f"{found['sampled_chunks']:,} of {facts['sizes']['chunks']:,} chunks"
    if not found["shares"]:
        return _section("Scripts", element("p", f"No letters in a sample of {sampled}."))
    rows = (
        (name, f"{100 * share:.1f}%" if share >= 0.001 else "under 0.1%", _bar(share))
        for name, share in found["shares"].items()
    )
    told = (
        f"A sample: {found['letters']:,} letters in {sampled}, of each at most its first "
        f"{found['sampled_code_points_of_a_chunk']:,} code points."
    )
    return _section(
        "Scripts",
        element("p", told, class_="muted"),
        table("Letters by script", ["Script", "Share", "Share as a bar"], rows, class_="scripts"),
    )


def _run(summary: dict[str, Any]) -> Element:
    inputs = [str(path) for path in summary.get("inputs", [])]
    listed = [(str(number), path) for number, path in enumerate(inputs[:SHOWN_INPUTS], 1)]
    if len(inputs) > SHOWN_INPUTS:
        listed.append(("…", f"{len(inputs) - SHOWN_INPUTS:,} more in summary.json"))
    rest = {name: value for name, value in summary.items() if name not in FIGURES_SHOWN_ELSEWHERE}
    return _section(
        "The run",
        _facts_table("Settings", summary["settings"]),
        table("Inputs", ["Number", "Path"], listed, class_="facts"),
        _facts_table("Figures", rest),
        _facts_table("Versions", summary.get("versions", {})),
    )


def _facts_table(caption: str, facts: dict[str, Any]) -> Element:
    return table(caption, ["Name", "Value"], words.flat(facts), class_="facts")


def _section(title: str, *children: Element) -> Element:
    return element("section", element("h2", title), *children)


def _details(content: Element) -> Element:
    return element("details", element("summary", "The figures of the plot"), content)


def _place(document_id: str, rest: str) -> Element:
    return element("span", document_text(excerpt(document_id, ID_LENGTH, 20)), rest, class_="where")


def _origin(example: dict[str, Any]) -> Element:
    where = f"{example['file']}#{example['row']}" if example["file"] else ""
    if example["document_id"] in (None, where):
        return _place(where if example["row"] is not None else example["file"] or "unknown", "")
    return _place(example["document_id"], "")


def _reason(reason: dict[str, Any]) -> str:
    return f"{reason['code']}: {reason['limit_name']}" if reason["limit_name"] else reason["code"]


def _cut(head: str, left_out: int, tail: str) -> Element:
    if not left_out:
        return document_text(head + tail)
    gap = element("span", f" … {left_out:,} code points … ", class_="sign")
    return element("span", document_text(head), gap, document_text(tail))


def _bar(share: float) -> Element:
    return element("span", class_="bar", style=f"width:{100 * share:.1f}%", aria_hidden="true")
