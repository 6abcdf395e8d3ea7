"""Lines: a line of a text file is a document, without its line end (LF or CRLF). An empty line is an empty one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from sentchunk.errors import limit_message

from .. import files
from ..settings import DEAD_LETTER_TEXT_BYTES, Settings
from .base import Documents, FileFacts, Part, Rejects, as_files_trouble
from .blocks import LongLine, line_blocks, opened, with_compression

# Where nobody says that files are to be taken by lines, those named like text are taken whole: text comes first.
SUFFIXES: tuple[str, ...] = with_compression(".txt", ".text", ".log")


def inspect(file: files.FoundFile, settings: Settings) -> FileFacts:
    schema = pa.schema([(settings.columns.text, pa.large_binary())])
    return FileFacts(file.path, file.size, "lines", schema, (None,), (file.size,))


def read(part: Part, settings: Settings) -> Iterator[Documents | Rejects]:
    limit, row = settings.spec.limits.max_text_bytes, 0
    try:
        with opened(part.path) as stream:
            for block in line_blocks(stream, limit, DEAD_LETTER_TEXT_BYTES):
                if isinstance(block, LongLine):
                    assert limit is not None
                    message = limit_message("max_text_bytes", limit, block.length)
                    yield Rejects(
                        [{"row": row, **over_limit(block, "max_text_bytes", limit, message)}]
                    )
                    row += 1
                    continue
                texts = split_lines(block)
                rows = np.arange(row, row + len(texts))
                row += len(texts)
                yield Documents(pa.table({settings.columns.text: texts}), rows)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise as_files_trouble(error, "text") from error


def over_limit(line: LongLine, name: str, limit: int, message: str) -> dict[str, object]:
    """The dead letter of a line that is longer than a limit."""
    return {
        "code": "limit_exceeded",
        "limit_name": name,
        "limit": limit,
        "figure": line.length,
        "message": message,
        "text": line.head,
    }


def split_lines(block: bytes) -> pa.LargeBinaryArray:
    """The lines of a block, without their ends."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    if not block.endswith(b"\n"):
        ends = np.append(ends, len(block))
    # With the line ends taken out, line i ends i places earlier.
    offsets = np.zeros(len(ends) + 1, np.int64)
    offsets[1:] = ends - np.arange(len(ends))
    data = block.replace(b"\n", b"")
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(ends), [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    )
