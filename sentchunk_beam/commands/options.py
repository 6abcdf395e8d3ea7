"""Arguments that more than one command takes. What is Beam's goes to Beam unchanged, the rest is ours."""

from __future__ import annotations

import argparse
import os
from importlib.metadata import version
from typing import Any

import sentchunk
from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions

from .. import runners
from ..errors import UsageError

LOCAL_RUNNER = "FnApiRunner"


def engine_text() -> str:
    """What chunks here, in words: the versions that results depend on, and how fast it is."""
    return f"sentchunk-beam {version('sentchunk-beam')}, {sentchunk.DATA_VERSION}, {sentchunk.kernel} kernel"


def split_beam_options(arguments: list[str]) -> tuple[PipelineOptions, list[str]]:
    """Beam's options, and the arguments that are not Beam's, in their order.

    Beam's own parser takes its options out first, for it alone knows which of them take a value.
    """
    parsers: list[argparse.ArgumentParser] = []
    PipelineOptions([]).get_all_options(add_extra_args_fn=parsers.append)
    # The help that is asked for is ours, not that of two hundred options.
    help_wanted = [each for each in arguments if each in ("-h", "--help")]
    known, rest = parsers[0].parse_known_args([a for a in arguments if a not in help_wanted])
    rest += help_wanted
    given = {
        name: value for name, value in vars(known).items() if value != parsers[0].get_default(name)
    }
    return PipelineOptions([], **with_local_defaults(given)), rest


def with_runner_options(
    options: PipelineOptions, arguments: list[str], ours: argparse.ArgumentParser
) -> tuple[PipelineOptions, list[str]]:
    """Where the runner is a job server, add what neither we nor Beam's Python side know.

    Beam asks the server for the names. They have to be written with "=", for nothing here tells whether a value follows.
    """
    if runners.name(options) not in runners.PORTABLE:
        return options, arguments
    known = option_names(ours)
    theirs = [
        each
        for each in arguments
        if each.startswith("--") and "=" in each and each.partition("=")[0] not in known
    ]
    # As flags: whatever else they are parsed with is kept.
    options = PipelineOptions(theirs, **options.get_all_options(drop_default=True))
    return options, [each for each in arguments if each not in theirs]


def option_names(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a parser and of its subcommands."""
    names: set[str] = set()
    for action in parser._actions:
        names.update(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            names.update(*(option_names(each) for each in action.choices.values()))
    return names


def with_local_defaults(given: dict[str, Any]) -> dict[str, Any]:
    """Where no runner is named: in this process, downloading nothing, a thread for each core.

    `DirectRunner`, Beam's default, would first try to download another runner.
    """
    if "runner" in given:
        return given
    local = {
        "runner": LOCAL_RUNNER,
        "direct_running_mode": "multi_threading",
        "direct_num_workers": os.cpu_count() or 1,
    }
    return local | given


def use_workers(options: PipelineOptions, workers: int) -> None:
    """Set the local runner's threads. Raises UsageError for a number that is none, or another runner."""
    if workers < 1:
        raise UsageError(f"--workers is {workers}; use 1 or more")
    runner = options.get_all_options()["runner"]
    if runner != LOCAL_RUNNER:
        raise UsageError(
            f"--workers is for the local runner; {runner} has options of its own for that"
        )
    options.view_as(DirectOptions).direct_num_workers = workers


def limit(text: str) -> int | None:
    return None if text == "none" else integer(text)


def integer(text: str) -> int:
    try:
        return int(text.replace("_", "").replace(",", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer") from None
