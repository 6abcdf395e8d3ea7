"""JSON Lines: an object a line, its keys the columns. A line that is not one is a dead letter, and the others go on.

The first megabyte tells the columns and their types. Of a kept object, just the keys that it has there are carried:
one that first comes later is dropped, as Arrow drops what a type does not name.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from .. import files
from ..settings import DEAD_LETTER_TEXT_BYTES, Settings
from .base import (
    Documents,
    FileFacts,
    Part,
    Rejects,
    as_files_trouble,
    is_on_the_way,
    one_line,
)
from .blocks import LongLine, line_blocks, line_ends, opened, with_compression
from .json_lines import documents
from .json_schema import SAMPLE_BYTES, inferred
from .lines import over_limit

SUFFIXES: tuple[str, ...] = with_compression(".jsonl", ".ndjson")

# A line holds more than the text, and holds it escaped; this bounds what is held of it.
LEAST_LINE_CAP = 64 << 20


def inspect(file: files.FoundFile, settings: Settings) -> FileFacts:
    facts = FileFacts(file.path, file.size, "jsonl")
    try:
        facts.schema = _schema(file.path, settings)
    except Exception as error:
        if is_on_the_way(error):
            raise
        facts.problem = ("unreadable_file", f"cannot be read as JSON Lines: {one_line(error)}")
    facts.split_rows, facts.split_bytes = (None,), (file.size,)
    return facts


def _schema(path: str, settings: Settings) -> pa.Schema:
    with opened(path) as stream:
        return inferred(stream, _line_cap(settings), path, settings.columns)


def _line_cap(settings: Settings) -> int | None:
    limit = settings.spec.limits.max_text_bytes
    return None if limit is None else max(LEAST_LINE_CAP, 6 * limit + SAMPLE_BYTES)


def read(part: Part, settings: Settings) -> Iterator[Documents | Rejects]:
    cap, row = _line_cap(settings), 0
    try:
        found = _schema(part.path, settings)
        schema = pa.schema(
            [found.field(name) for name in settings.columns.used if name in found.names]
        )
        with opened(part.path) as stream:
            for block in line_blocks(stream, cap, DEAD_LETTER_TEXT_BYTES):
                if isinstance(block, LongLine):
                    assert cap is not None
                    message = (
                        f"the line has {block.length:,} bytes, over the {cap:,} that are held of one; "
                        "raise max_text_bytes or switch it off"
                    )
                    yield Rejects(
                        [{"row": row, **over_limit(block, "max_line_bytes", cap, message)}]
                    )
                    row += 1
                    continue
                lines = line_ends(block) + (not block.endswith(b"\n"))
                yield from documents(block, lines, row, schema, settings)
                row += lines
    except (pa.ArrowException, OSError, ValueError) as error:
        raise as_files_trouble(error, "JSON Lines") from error
