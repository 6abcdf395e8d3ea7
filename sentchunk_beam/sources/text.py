"""Text: a file is a document."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from sentchunk.errors import limit_message

from .. import files
from ..settings import DEAD_LETTER_TEXT_BYTES, Settings
from .base import Documents, FileFacts, Part, Rejects, as_files_trouble
from .blocks import BLOCK_BYTES, opened, with_compression

SUFFIXES: tuple[str, ...] = with_compression(".txt", ".text")


def inspect(file: files.FoundFile, settings: Settings) -> FileFacts:
    schema = pa.schema([(settings.columns.text, pa.large_binary())])
    return FileFacts(file.path, file.size, "text", schema, (1,), (file.size,))


def read(part: Part, settings: Settings) -> Iterator[Documents | Rejects]:
    limit = settings.spec.limits.max_text_bytes
    try:
        with opened(part.path) as stream:
            content = read_up_to(stream, limit)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise as_files_trouble(error, "text") from error
    if limit is not None and len(content) > limit:
        # How much more there is, only reading on would tell.
        letter = {
            "code": "limit_exceeded",
            "limit_name": "max_text_bytes",
            "limit": limit,
            "figure": len(content),
            "message": limit_message("max_text_bytes", limit, len(content), exact=False),
            "text": content[:DEAD_LETTER_TEXT_BYTES],
        }
        yield Rejects([{"row": 0, **letter}])
    else:
        texts = pa.array([content], pa.large_binary())
        yield Documents(pa.table({settings.columns.text: texts}), np.zeros(1, np.int64))


def read_up_to(stream: object, limit: int | None) -> bytes:
    """The whole file, or its first bytes, at least one more than the limit."""
    blocks: list[bytes] = []
    size = 0
    while (limit is None or size <= limit) and (block := stream.read(BLOCK_BYTES)):  # type: ignore[attr-defined]
        blocks.append(block)
        size += len(block)
    return b"".join(blocks)
