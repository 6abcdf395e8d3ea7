"""What the formats share: how a file is looked at, what is read from it, and what can be wrong with it."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .. import files
from ..settings import Settings

# Documents are handed on in tables of about this size, or of a single larger document.
TABLE_BYTES = 4 << 20


@dataclass
class FileFacts:
    """What a file tells about itself before its documents are read.

    schema: its columns, or None where it cannot be read. A file is cut into units between splits (the row groups of
    Parquet; one for other formats), of `split_rows` documents (None where only reading tells) and `split_bytes`.
    problem: the code and the message of its dead letter, where it cannot be used. modified: as the file system tells.
    """

    path: str
    size: int
    format: str
    schema: pa.Schema | None = None
    split_rows: tuple[int | None, ...] = ()
    split_bytes: tuple[int, ...] = ()
    problem: tuple[str, str] | None = None
    modified: int | None = None


@dataclass(frozen=True)
class Part:
    """Splits `first_split` up to `end_split` of a file; `rows` documents, from `first_row` of the file on.

    A file that cannot be used is a part too, with the code and message of its dead letter in `problem`. `rows` is
    None where the file does not tell. `partition` has the columns that the path holds (`lang=en/`). `file_bytes` and
    `modified` are there to tell a file from what it is changed to.
    """

    path: str
    format: str
    file_bytes: int
    first_split: int
    end_split: int
    first_row: int
    rows: int | None
    input_bytes: int
    problem: tuple[str, str] | None = None
    partition: dict[str, str | None] = field(default_factory=dict)
    modified: int | None = None


@dataclass(frozen=True)
class Documents:
    """Documents of one file in its order, with the used columns that the file has; `rows` is the row of each."""

    table: pa.Table
    rows: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rejects:
    """Documents that the format itself makes unreadable: for each, the fields of its dead letter, `row` among them."""

    letters: list[dict[str, Any]]


@dataclass(frozen=True)
class Lost:
    """Documents that a broken stretch of a file takes with it: `rows` of them from `first_row` on. Others follow."""

    first_row: int
    rows: int
    message: str


class UnreadableFile(Exception):
    """The file's own trouble: it is broken, or no longer what the plan saw. Trouble on the way to it is not."""


class Format(Protocol):
    """A file format: a module with these two functions, and the suffixes of its files."""

    SUFFIXES: tuple[str, ...]

    def inspect(self, file: files.FoundFile, settings: Settings) -> FileFacts:
        """Look at a file without reading its documents. Whatever is wrong with it goes into `problem`."""

    def read(self, part: Part, settings: Settings) -> Iterator[Documents | Rejects | Lost]:
        """Yield the part's documents in order.

        Raises UnreadableFile where the file is of no use from here on, OSError for trouble that is not its own.
        """


def bounded(batches: Iterable[pa.RecordBatch | Lost]) -> Iterator[pa.Table | Lost]:
    """Gather small batches and part large ones, so that each table is about TABLE_BYTES or a single row."""
    gathered: list[pa.RecordBatch] = []
    size = 0
    for piece in (piece for batch in batches for piece in _parted(batch)):
        if gathered and (isinstance(piece, Lost) or size + piece.nbytes > TABLE_BYTES):
            yield pa.Table.from_batches(gathered)
            gathered, size = [], 0
        if isinstance(piece, Lost):
            yield piece
        else:
            gathered.append(piece)
            size += piece.nbytes
    if gathered:
        yield pa.Table.from_batches(gathered)


def _parted(batch: pa.RecordBatch | Lost) -> Iterator[pa.RecordBatch | Lost]:
    if isinstance(batch, Lost):
        yield batch
        return
    if batch.nbytes <= 2 * TABLE_BYTES or batch.num_rows <= 1:
        if batch.num_rows:
            yield batch
        return
    half = batch.num_rows // 2
    yield from _parted(batch.slice(0, half))
    yield from _parted(batch.slice(half))


# A file that is not there, or that may not be read, will be no other at a second try.
_OWN_ERRNOS = (None, errno.ENOENT, errno.EACCES, errno.EPERM)


def is_on_the_way(error: Exception) -> bool:
    """Whether it is trouble on the way to a file, a disk's or a network's, and not the file's own."""
    return isinstance(error, OSError) and error.errno not in _OWN_ERRNOS


def as_files_trouble(error: Exception, what: str) -> Exception:
    """UnreadableFile for what a broken, vanished or forbidden file raises; a disk's or a network's error as it is."""
    if isinstance(error, FileNotFoundError):
        return UnreadableFile("vanished after the job was planned")
    if is_on_the_way(error):
        return error  # the runner tries again
    return UnreadableFile(f"cannot be read as {what}: {one_line(error)}")


def one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
