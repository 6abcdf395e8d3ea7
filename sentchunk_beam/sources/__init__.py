"""Sources: the formats that documents are read from."""

from __future__ import annotations

from ..errors import UsageError
from . import jsonl, lines, parquet, text
from .base import TABLE_BYTES, Documents, FileFacts, Format, Lost, Part, Rejects, UnreadableFile

__all__ = [
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

FORMATS: dict[str, Format] = {"parquet": parquet, "text": text, "lines": lines, "jsonl": jsonl}


def format_of(path: str, wanted: str | None) -> str:
    """The format of a file: the one that is wanted, or else what its suffix says. Raises UsageError for neither."""
    if wanted is not None:
        return wanted
    for name, source in FORMATS.items():
        if path.lower().endswith(source.SUFFIXES):
            return name
    raise UsageError(
        f"the name of {path} does not tell its format; say it with --format {'|'.join(FORMATS)}"
    )


def suffixes_of(wanted: str | None) -> tuple[str, ...]:
    """The suffixes of the files that count in a folder."""
    chosen = [FORMATS[wanted]] if wanted is not None else FORMATS.values()
    return tuple(dict.fromkeys(suffix for source in chosen for suffix in source.SUFFIXES))
