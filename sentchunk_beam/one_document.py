"""One document, out of a text file or a Parquet file, for a person to look at."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sentchunk.text_columns import is_text_type

from . import files
from .errors import UsageError, reason
from .sources import eml, mail
from .sources.blocks import opened
from .sources.text import read_up_to
from .visible import visible

STANDARD_INPUT = "-"
MAGIC = b"PAR1"
BATCH_ROWS = 64
BATCH_BYTES = 1 << 20


class Wanted(NamedTuple):
    """Which document of a Parquet file: that of a row, counted from 0, or the first with an id."""

    text_column: str = "text"
    row: int | None = None
    id: str | None = None
    id_column: str | None = None


def is_parquet(path: str) -> bool:
    """By name, or by what the file begins and ends with. Raises UsageError for a file that cannot be read."""
    if path == STANDARD_INPUT or (files.is_local(path) and not _is_plain_file(path)):
        return False
    if path.lower().endswith((".parquet", ".parq", ".pq")):
        return True
    with _told(path), files.open_input(path) as source:
        head = source.read(len(MAGIC))
        source.seek(max(source.size() - len(MAGIC), 0))
        return bool(head == source.read() == MAGIC)


def read_text_file(path: str, max_text_bytes: int | None) -> str:
    """The whole file, or of "-" the whole of standard input. Of one that is too long no more than that is read.

    max_text_bytes: UTF-8 bytes, or None for no limit. Raises UsageError.
    """
    enough = -1 if max_text_bytes is None else max_text_bytes + 1
    if path == STANDARD_INPUT:
        raw = sys.stdin.buffer.read(enough)
    else:
        with _told(path), files.open_stream(path) as source:
            raw = source.read(enough)
    if max_text_bytes is not None and len(raw) > max_text_bytes:
        raise UsageError(
            f"the document has more than max_text_bytes = {max_text_bytes:,} UTF-8 bytes of text; "
            "raise --max-text-bytes or switch it off"
        )
    return _decoded(raw, "standard input" if path == STANDARD_INPUT else path)


def is_mail(path: str) -> bool:
    return path.lower().endswith(eml.SUFFIXES)


def read_mail(path: str) -> str:
    """The text of an .eml file, as the job reads it. Raises UsageError."""
    with _told(path), opened(path) as source:
        raw = read_up_to(source, mail.LEAST_MESSAGE_CAP)
    if len(raw) > mail.LEAST_MESSAGE_CAP:
        raise UsageError(f"{path} has more than {mail.LEAST_MESSAGE_CAP:,} bytes; a mail has less")
    try:
        return mail.document(raw, ())["text"] or ""
    except mail.UnreadableMessage as error:
        raise UsageError(f"{path}: {error}") from error


def read_parquet_row(path: str, wanted: Wanted) -> str:
    """The text of a row. Raises UsageError where there is none, or where it is null or not UTF-8."""
    with (
        _told(path),
        files.open_input(path) as source,
        pq.ParquetFile(source, buffer_size=BATCH_BYTES, pre_buffer=False) as parquet,
    ):
        _check_columns(parquet.schema_arrow, wanted, path)
        rows = parquet.metadata.num_rows
        row = _row_with_id(parquet, wanted, path) if wanted.id is not None else wanted.row or 0
        if not 0 <= row < rows:
            there = f"rows 0 to {rows - 1:,}" if rows else "no rows"
            raise UsageError(f"there is no row {row:,} in {path}: it has {there}")
        raw = _value(parquet, wanted.text_column, row)
    if raw is None:
        raise UsageError(f"row {row:,} of {path}: the text is null")
    return _decoded(raw, f"row {row:,} of {path}")


def _is_plain_file(path: str) -> bool:
    return not os.path.exists(path) or os.path.isfile(path)


@contextmanager
def _told(path: str) -> Iterator[None]:
    """A file that cannot be read is a mistake of the user's, told in one line."""
    try:
        yield
    except UsageError:
        raise
    except pa.ArrowException as error:
        raise UsageError(f"{path} cannot be read as Parquet: {reason(error)}") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {reason(error)}") from error


def _decoded(raw: bytes, place: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{place} is not UTF-8: byte {error.start:,} is the first wrong one"
        ) from None


def _check_columns(schema: pa.Schema, wanted: Wanted, path: str) -> None:
    for name in filter(None, (wanted.text_column, wanted.id_column)):
        if name not in schema.names:
            there = visible(", ".join(schema.names))
            raise UsageError(f"{path} has no column {name!r}; it has: {there}")
    text_type = schema.field(wanted.text_column).type
    if not is_text_type(text_type):
        raise UsageError(
            f"column {wanted.text_column!r} of {path} is {text_type}; "
            "name a column of strings with --text-column"
        )


def _row_with_id(parquet: pq.ParquetFile, wanted: Wanted, path: str) -> int:
    first = 0
    for batch in parquet.iter_batches(columns=[wanted.id_column]):
        try:
            found = pc.index(_plain(batch.column(0)).cast(pa.string()), wanted.id).as_py()
        except pa.ArrowException as error:
            raise UsageError(
                f"cannot look for an id in column {wanted.id_column!r} of {path}: {reason(error)}; use --row"
            ) from error
        if found >= 0:
            return first + int(found)
        first += batch.num_rows
    raise UsageError(f"no row of {path} has {wanted.id!r} in column {wanted.id_column!r}")


def _value(parquet: pq.ParquetFile, column: str, row: int) -> bytes | None:
    """The bytes in a column at a row. Other row groups are not read, and this one only as far as need be."""
    group = 0
    while row >= parquet.metadata.row_group(group).num_rows:
        row -= parquet.metadata.row_group(group).num_rows
        group += 1
    batches = parquet.iter_batches(
        batch_size=BATCH_ROWS, row_groups=[group], columns=[column], use_threads=False
    )
    for batch in batches:
        if row < batch.num_rows:
            # As bytes, for a column that claims to be of strings may hold anything.
            value: bytes | None = _plain(batch.column(0)).cast(pa.large_binary())[row].as_py()
            return value
        row -= batch.num_rows
    raise UsageError("the file ends before the row, although its footer counts it")


def _plain(array: pa.Array) -> pa.Array:
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
