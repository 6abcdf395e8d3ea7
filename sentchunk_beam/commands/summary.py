"""A job's figures, or its failure, in words for a person."""

from __future__ import annotations

import re
import traceback
from typing import Any

import grpc

from .. import files, runners
from ..visible import visible


def text(figures: dict[str, Any]) -> str:
    """The summary that a finished job prints."""
    dead = figures["dead_letters"]
    lines = [
        ("documents", f"{figures['documents']:,}: {figures['chunked']:,} chunked, {sum(dead.values()):,} dead letters"),
        *([] if "caps" in figures["settings"]["spec"] else [("sentences", f"{figures['sentences']:,}")]),
        ("chunks", f"{figures['chunks']:,}, of which {figures['oversized']:,} oversized"),
        *(("", f"{number:,} {code}") for code, number in sorted(dead.items())),
        ("time", _speed(figures)),
        ("output", figures["output"]),
    ]  # fmt: skip
    if figures["unreadable_files"]:
        unknown = figures["files_of_unknown_size"]
        told = f", {unknown:,} of which do not tell how many documents they hold" if unknown else ""
        lines.insert(-2, ("files", f"{figures['unreadable_files']:,} could not be used{told}"))
    if duplicates := figures.get("duplicates"):
        named = (
            f", such as {', '.join(map(visible, duplicates['examples']))}"
            if duplicates["ids"]
            else ""
        )
        lines.insert(-2, ("ids", f"{duplicates['ids']:,} that come more than once{named}"))
    titles = {index: "dead letters" for index, (title, _) in enumerate(lines) if not title}
    first = min(titles, default=None)
    return "\n".join(
        f"{(title if title else titles[index] if index == first else ''):<13} {value}"
        for index, (title, value) in enumerate(lines)
    )


def share_lost(figures: dict[str, Any]) -> float:
    """The share of dead-lettered documents; all, where a file does not tell how many were lost with it."""
    if figures["files_of_unknown_size"]:
        return 1.0
    return sum(figures["dead_letters"].values()) / max(figures["documents"], 1)


def lost(figures: dict[str, Any]) -> str:
    """What `share_lost` is, in words."""
    if unknown := figures["files_of_unknown_size"]:
        return (
            "all documents count as dead letters, for how many are lost is not known: "
            f"{unknown:,} files could not be used, and do not tell how many they hold"
        )
    return f"{share_lost(figures):.3%} of the documents are dead letters"


def _speed(figures: dict[str, Any]) -> str:
    seconds, megabytes = figures["seconds"], figures["text_bytes"] / 1e6
    written = figures["output_bytes"] / 1e6
    return (
        f"{seconds:,.1f} s for {megabytes:,.1f} MB of text "
        f"({megabytes / max(seconds, 1e-3):,.1f} MB/s), {written:,.1f} MB written"
    )


def submitted(output: str, options: Any) -> str:
    """For a runner that only builds the job."""
    if runners.is_beam_dry_run(options):
        return "the job graph was built and, for --dry_run, sent nowhere"
    return f"handed over; the figures will be in {files.join(output, 'summary.json')}"


def failure(error: Exception, output: str) -> str:
    """One line, the same on every runner; the whole story goes to a file, for whoever has to look into it."""
    told = reason(error)
    details = files.join(files.absolute(output), "_temporary", "error.txt")
    try:
        files.write_text(details, "".join(traceback.format_exception(error)))
        where = f" (details: {details})"
    except OSError:
        where = ""
    return f"sentchunk: the job failed, nothing was published: {told}{where}"


def reason(error: Exception) -> str:
    """What went wrong, without what the runner puts around it.

    In this process it is the exception itself. Other runners give a traceback as text, in an exception of their own,
    and more after it, such as a trace of Java's; Beam marks the line of a DoFn's exception.
    """
    if isinstance(error, grpc.RpcError) and hasattr(error, "details"):
        return f"no connection to the runner, or no more: {error.details()}"
    lines = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()
    marked = [line for line in lines if _MARK in line]
    reason = (marked or lines)[-1].partition(_MARK)[0].strip()
    while (shorter := _TOLD_OTHERWISE.sub("", reason)) != reason:
        reason = shorter
    if lost := _WORKER_LOST.search(reason):
        return f"a worker process was lost, perhaps for want of memory; the runner says: {lost[0]}"
    return reason


_MARK = " [while running "
# Prism's words, Flink's and Dataflow's.
_WORKER_LOST = re.compile(
    r"SDK worker disconnected|SDK [Hh]arness [\w-]* ?disconnected|worker lost contact with the service"
)
# Exceptions whose message says all; of others, a KeyError for one, it means nothing without their name.
_TOLD_OTHERWISE = re.compile(r"^(?:[\w.]+\.)?(?:RuntimeError|JobError|UsageError): ")
