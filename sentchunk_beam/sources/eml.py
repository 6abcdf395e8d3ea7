"""eml: a file is a mail."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from .. import files
from ..settings import DEAD_LETTER_TEXT_BYTES, Settings
from . import mail
from .base import Documents, FileFacts, Part, Rejects, as_files_trouble
from .blocks import opened, with_compression
from .text import read_up_to

SUFFIXES: tuple[str, ...] = with_compression(".eml")


def inspect(file: files.FoundFile, settings: Settings) -> FileFacts:
    return FileFacts(file.path, file.size, "eml", mail.schema(settings), (1,), (file.size,))


def read(part: Part, settings: Settings) -> Iterator[Documents | Rejects]:
    cap = mail.message_cap(settings)
    try:
        with opened(part.path) as stream:
            raw = read_up_to(stream, cap)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise as_files_trouble(error, "mail") from error
    if cap is not None and len(raw) > cap:
        found = mail.TooLong(raw[:DEAD_LETTER_TEXT_BYTES], len(raw))
        yield Rejects([mail.letter_of_too_long(0, found, cap)])
        return
    try:
        yield mail.documents([mail.document(raw, mail.used_headers(settings))], [0], settings)
    except mail.UnreadableMessage as error:
        yield Rejects([mail.letter(0, raw, error)])
