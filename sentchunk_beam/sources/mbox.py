"""mbox: a file of many mails, each after a line that begins with "From ". It is read as a stream, a mail at a time.

The standard library's `mailbox` looks through the whole file first, and needs one that it can seek in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from .. import files
from ..settings import DEAD_LETTER_TEXT_BYTES, Settings
from . import mail
from .base import TABLE_BYTES, Documents, FileFacts, Part, Rejects, UnreadableFile, as_files_trouble
from .blocks import LongLine, line_blocks, opened, with_compression

SUFFIXES: tuple[str, ...] = with_compression(".mbox", ".mbx")

# "From " and a time and a year; a line of a mail's own text that looks like that is written ">From " by who wrote the file.
_SEPARATOR = re.compile(rb"^From [^\n]{0,300}(?:\n|\Z)", re.MULTILINE)
_DATED = re.compile(rb"\d:\d\d.*\d{4}|\d{4}.*\d:\d\d")
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_AFTER_BLANK = (b"\n\n", b"\n\r\n")


def inspect(file: files.FoundFile, settings: Settings) -> FileFacts:
    return FileFacts(file.path, file.size, "mbox", mail.schema(settings), (None,), (file.size,))


def read(part: Part, settings: Settings) -> Iterator[Documents | Rejects]:
    try:
        with opened(part.path) as stream:
            yield from _tables(split(stream, mail.message_cap(settings)), settings)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise as_files_trouble(error, "mbox") from error


def _tables(
    messages: Iterator[bytes | mail.TooLong], settings: Settings
) -> Iterator[Documents | Rejects]:
    cap, headers = mail.message_cap(settings), mail.used_headers(settings)
    found: list[dict[str, str | None]] = []
    rows: list[int] = []
    size = 0
    for row, raw in enumerate(messages):
        if isinstance(raw, mail.TooLong):
            assert cap is not None
            yield Rejects([mail.letter_of_too_long(row, raw, cap)])
            continue
        try:
            found.append(mail.document(raw, headers))
        except mail.UnreadableMessage as error:
            yield Rejects([mail.letter(row, raw, error)])
            continue
        rows.append(row)
        size += len(found[-1]["text"] or "") + _EACH
        if size > TABLE_BYTES:
            yield mail.documents(found, rows, settings)
            found, rows, size = [], [], 0
    if found:
        yield mail.documents(found, rows, settings)


_EACH = 1000  # about what a document's headers take


def split(stream: Any, cap: int | None) -> Iterator[bytes | mail.TooLong]:
    """Yield the bytes of each mail, its quoted "From " lines restored. Raises UnreadableFile for what is no mbox."""
    message = _Message(cap)
    started = False
    before = b"\n\n"  # the last bytes before the block: a file begins as after a blank line
    for block in line_blocks(stream, cap, DEAD_LETTER_TEXT_BYTES):
        if isinstance(block, LongLine):
            _check_started(started)
            message.add(block.head, block.length)
            before = b"-\n"
            continue
        done = 0
        for separator in _SEPARATOR.finditer(block):
            at = separator.start()
            after_blank = (before + block[max(at - 3, 0) : at]).endswith(_AFTER_BLANK)
            if not (after_blank and _DATED.search(separator[0])):
                continue
            if started:
                message.add(block[done:at])
                yield message.take()
            elif block[done:at].strip():
                break
            started, done = True, separator.end()
        if not started and not block.strip():
            continue
        _check_started(started)
        message.add(block[done:])
        before = (before + block[-3:])[-3:]
    if started:
        yield message.take()


def _check_started(started: bool) -> None:
    if not started:
        raise UnreadableFile('is no mbox: it does not begin with a line "From … date"')


class _Message:
    """A mail as it comes; its head alone, once it is over the cap."""

    def __init__(self, cap: int | None) -> None:
        self._cap = cap
        self._held: list[bytes] = []
        self._length = 0

    def add(self, piece: bytes, length: int | None = None) -> None:
        """A piece; `length` where it is the head of one so long."""
        self._length += len(piece) if length is None else length
        self._held.append(piece)
        if self._over:
            self._held = [b"".join(self._held)[:DEAD_LETTER_TEXT_BYTES]]

    def take(self) -> bytes | mail.TooLong:
        raw, length, over = b"".join(self._held), self._length, self._over
        self._held, self._length = [], 0
        if over:
            return mail.TooLong(raw, length)
        # The blank line before the next separator is the file's, not the mail's.
        for end in (b"\r\n", b"\n"):
            if raw.endswith(end + end):
                raw = raw[: -len(end)]
        return _QUOTED.sub(rb"\1", raw) if b"\n>" in raw or raw.startswith(b">") else raw

    @property
    def _over(self) -> bool:
        return self._cap is not None and self._length > self._cap
