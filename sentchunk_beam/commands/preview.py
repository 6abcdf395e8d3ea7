"""`sentchunk preview`: the chunks of one document, so that a person can choose the sizes before a run."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import Any

from rich.console import Console
from sentchunk import ChunkSpec, SemanticChunker, sentences
from sentchunk.semantic.kinds import DOCUMENT
from sentchunk.text import chunk_with

from ..errors import UsageError
from ..one_document import (
    Wanted,
    is_mail,
    is_parquet,
    read_mail,
    read_parquet_row,
    read_text_file,
)
from ..sources import DOC_TYPES
from ..strategies import TypeAware
from .json_output import write_json
from .options import integer
from .preview_picture import Preview
from .preview_structure import StructurePreview
from .strategy_options import add_limit_arguments, add_strategy_arguments, spec_of

SHOWN_CHUNKS = 20


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "preview",
        help="show the chunks of one document",
        description=(
            "Shows the chunks of one document, a sentence a line: what is repeated from the chunk before, what is "
            "oversized, and the figures. What cannot be seen in the text, or would steer a terminal, is shown by signs."
        ),
        allow_abbrev=False,
    )
    command.add_argument(
        "file",
        metavar="FILE",
        help="a text file, - for standard input, an .eml file, or a Parquet file",
    )
    add_strategy_arguments(command, columns=False)
    command.add_argument(
        "--text-column", metavar="COLUMN", help="of a Parquet file: the documents (text)"
    )
    which = command.add_mutually_exclusive_group()
    which.add_argument("--row", type=integer, metavar="R", help="of a Parquet file, from 0 on (0)")
    which.add_argument("--id", help="of the document, in the column that --id-column names")
    command.add_argument("--id-column", metavar="COLUMN")
    add_limit_arguments(command)
    command.add_argument(
        "--show", type=_number_or_all, default=SHOWN_CHUNKS, metavar="N|all",
        help="chunks to show at most; the figures are of all (%(default)s)",
    )  # fmt: skip
    command.add_argument(
        "--json", action="store_true", help="print a JSON object a line for each chunk, and no more"
    )
    command.set_defaults(run=run)


def run(given: argparse.Namespace, options: Any) -> int:
    """Print the preview. Raises UsageError and SentchunkError, the latter for a document over a limit."""
    spec = spec_of(given)
    text = _document(given, spec.limits.max_text_bytes)
    console = Console(highlight=False, markup=False, emoji=False)
    picture: Preview | StructurePreview
    if isinstance(spec, ChunkSpec):
        chunks, _ = chunk_with(spec, text)
        rows = [chunk._asdict() for chunk in chunks]
        picture = Preview(spec, chunks, sentences(text), console)
    else:
        picture = _by_structure(
            spec, text, DOC_TYPES["eml"] if is_mail(given.file) else DOCUMENT, console
        )
        rows = [asdict(chunk) for chunk in picture.chunks]
    if given.json:
        for row in rows:
            write_json(row)
        return 0
    if hasattr(sys.stdout, "reconfigure"):  # a terminal without Unicode shows codes
        sys.stdout.reconfigure(errors="backslashreplace")
    for line in picture.lines(given.show):
        console.print(line, no_wrap=True, overflow="ignore", crop=False)
    return 0


def _by_structure(spec: TypeAware, text: str, told: str, console: Console) -> StructurePreview:
    caps, doc_type = spec.caps, spec.doc_type or told
    chunker = SemanticChunker(
        caps.max_tokens, max_chars=caps.max_chars, overlap_tokens=caps.overlap_tokens
    )
    chunks = chunker.chunk(text, doc_type=doc_type)
    return StructurePreview(caps, doc_type, chunks, len(text), console)


def _document(given: argparse.Namespace, max_text_bytes: int | None) -> str:
    asked = [
        name
        for name in ("row", "id", "id_column", "text_column")
        if getattr(given, name) is not None
    ]
    if (given.id is None) != (given.id_column is None):
        raise UsageError("give --id and --id-column together: a value, and the column it is in")
    if is_parquet(given.file):
        wanted = Wanted(given.text_column or "text", given.row, given.id, given.id_column)
        return read_parquet_row(given.file, wanted)
    if asked:
        raise UsageError(
            f"--{asked[0].replace('_', '-')} is for a Parquet file; {given.file} is read as one text"
        )
    if is_mail(given.file):
        return read_mail(given.file)
    return read_text_file(given.file, max_text_bytes)


def _number_or_all(text: str) -> int | None:
    number = None if text == "all" else integer(text)
    if number is not None and number < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is negative; use a number from 0, or all")
    return number
