"""Sources: the formats that documents are read from."""

from __future__ import annotations

from ..errors import UsageError
from . import eml, jsonl, lines, mbox, parquet, text
from .base import TABLE_BYTES, Documents, FileFacts, Format, Lost, Part, Rejects, UnreadableFile
from .blocks import with_compression

__all__ = [
    "DOC_TYPES",
    "FORMATS",
    "TABLE_BYTES",
    "Documents",
    "FileFacts",
    "Format",
    "Lost",
    "Part",
    "Rejects",
    "UnreadableFile",
    "format_of",
    "suffixes_of",
]

FORMATS: dict[str, Format] = {
    "parquet": parquet,
    "text": text,
    "lines": lines,
    "jsonl": jsonl,
    "eml": eml,
    "mbox": mbox,
}
# Files of these names are text where they are named, or text is asked for; in a folder of other files they are
# as a rule about those.
NAMED_TEXT = with_compression(".md", ".markdown")

# What the type-aware strategy takes the documents of a format for, where nobody says what they are.
DOC_TYPES = {"eml": "email", "mbox": "email"}


def format_of(path: str, wanted: str | None) -> str:
    """The format of a file: the one that is wanted, or else what its suffix says. Raises UsageError for neither."""
    if wanted is not None:
        return wanted
    for name, source in FORMATS.items():
        if path.lower().endswith(source.SUFFIXES):
            return name
    if path.lower().endswith(NAMED_TEXT):
        return "text"
    raise UsageError(
        f"the name of {path} does not tell its format; say it with --format {'|'.join(FORMATS)}"
    )


def suffixes_of(wanted: str | None) -> tuple[str, ...]:
    """The suffixes of the files that count in a folder."""
    if wanted == "text":
        return (*text.SUFFIXES, *NAMED_TEXT)
    chosen = [FORMATS[wanted]] if wanted is not None else FORMATS.values()
    return tuple(dict.fromkeys(suffix for source in chosen for suffix in source.SUFFIXES))
