"""The options of the strategies: which there are, which belong to which, and the parameters that they make.

An option that is not given is no attribute of the parsed arguments, so that one of the other strategy is noticed.
"""

from __future__ import annotations

import argparse
from typing import Any

from sentchunk import ChunkSpec, Limits
from sentchunk.semantic import SemanticSpec
from sentchunk.spec import LIMIT_NAMES, UNITS

from ..errors import UsageError
from ..strategies import Spec, TypeAware
from .options import integer, limit

SENTENCES, TYPE_AWARE = "sentences", "type-aware"

_OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    SENTENCES: {
        "--max-size": {"type": integer, "metavar": "N", "help": "of a chunk, in the unit (required)"},
        "--unit": {"help": f"one of {', '.join(UNITS)} (code_point)"},
        "--overlap": {"type": integer, "metavar": "K", "help": "sentences to repeat, 0 to 16 (0)"},
    },
    TYPE_AWARE: {
        "--max-tokens": {"type": integer, "metavar": "N", "help": "of a chunk (512)"},
        "--max-chars": {"type": integer, "metavar": "N", "help": "of a chunk (4 * max_tokens)"},
        "--overlap-tokens": {
            "type": integer, "metavar": "N", "help": "tokens to repeat (min(100, max_tokens // 5))",
        },
    },
}  # fmt: skip
_DOC_TYPE = "--doc-type"
_DOC_TYPE_COLUMN = "--doc-type-column"


def add_strategy_arguments(command: argparse.ArgumentParser, columns: bool = True) -> None:
    """`--strategy` and the options of each. Their values are checked by what `spec_of` makes of them.

    columns: whether a column may tell the documents' types.
    """
    command.add_argument(
        "--strategy", choices=list(_OPTIONS), default=SENTENCES,
        help="whole sentences up to a size, or mail, messages and Markdown by their structure (%(default)s)",
    )  # fmt: skip
    for strategy, options in _OPTIONS.items():
        group = command.add_argument_group(f"strategy {strategy}")
        for name, how in options.items():
            group.add_argument(name, default=argparse.SUPPRESS, **how)
    types = group.add_mutually_exclusive_group()
    types.add_argument(
        _DOC_TYPE, default=argparse.SUPPRESS, metavar="TYPE",
        help="of all documents: email, message, event, contact, or any other name for a document",
    )  # fmt: skip
    if columns:
        types.add_argument(
            _DOC_TYPE_COLUMN, default=argparse.SUPPRESS, metavar="COLUMN",
            help="that tells each document's type",
        )  # fmt: skip


def add_limit_arguments(command: argparse.ArgumentParser) -> None:
    """The per-document limits."""
    for name in LIMIT_NAMES:
        only = " (strategy sentences)" if name == "max_sentences" else ""
        command.add_argument(
            _option(name),
            type=limit,
            default=argparse.SUPPRESS,
            metavar="N|none",
            help=f"of a document ({getattr(Limits(), name):,}){only}",
        )


def spec_of(given: argparse.Namespace) -> Spec:
    """The strategy's parameters. Raises UsageError for an option of the other strategy, InvalidInput for a value."""
    _refuse_others(given)
    limits = Limits(**{name: getattr(given, name) for name in LIMIT_NAMES if hasattr(given, name)})
    if given.strategy == TYPE_AWARE:
        return TypeAware(
            SemanticSpec(**_given(given, TYPE_AWARE)), limits, getattr(given, "doc_type", None)
        )
    parameters = _given(given, SENTENCES)
    if "max_size" not in parameters:
        raise UsageError(
            "this option is required: --max-size, how large a chunk may be; --strategy type-aware has defaults"
        )
    return ChunkSpec(**parameters, limits=limits)


def doc_type_column(given: argparse.Namespace) -> str | None:
    return getattr(given, "doc_type_column", None)


def _given(given: argparse.Namespace, strategy: str) -> dict[str, Any]:
    names = map(_attribute, _OPTIONS[strategy])
    return {name: getattr(given, name) for name in names if hasattr(given, name)}


def _refuse_others(given: argparse.Namespace) -> None:
    for strategy, options in _belonging().items():
        if strategy != given.strategy:
            for option in options:
                if hasattr(given, _attribute(option)):
                    raise UsageError(
                        f"{option} belongs to --strategy {strategy}; this is --strategy {given.strategy}"
                    )


def _belonging() -> dict[str, list[str]]:
    """Every option that one strategy alone has."""
    return {
        SENTENCES: [*_OPTIONS[SENTENCES], "--max-sentences"],
        TYPE_AWARE: [*_OPTIONS[TYPE_AWARE], _DOC_TYPE, _DOC_TYPE_COLUMN],
    }


def _attribute(option: str) -> str:
    return option.removeprefix("--").replace("-", "_")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
