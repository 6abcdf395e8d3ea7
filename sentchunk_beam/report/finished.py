"""A finished job's folder: its summary and its files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.io.filesystem import BeamIOError
from sentchunk.spec import MAX_SIZE_RANGE, UNITS

from .. import files
from ..commit import SUCCESS, SUMMARY
from ..errors import UsageError, reason

PAGE_BYTES = 1 << 20


@dataclass(frozen=True)
class FinishedJob:
    """`chunk_files` and `dead_letter_files` are Parquet files, in order. `max_size` is in `unit`.

    cap: the parameter that `max_size` is the value of: "max_chars" in the type-aware strategy.
    """

    folder: str
    summary: dict[str, Any]
    max_size: int
    unit: str
    chunk_files: list[str]
    dead_letter_files: list[str]
    cap: str = "max_size"


def open_job(folder: str) -> FinishedJob:
    """Raises UsageError, which says what is missing, for a folder that no job has finished."""
    place = files.absolute(folder)
    with told(place):
        if not files.exists(files.join(place, SUCCESS)):
            raise UsageError(
                f"{place} has no {SUCCESS}: it is not a finished job's folder; "
                "give the --output of a job that has ended"
            )
        if not files.exists(files.join(place, SUMMARY)):
            raise UsageError(f"{place} has no {SUMMARY}, which every finished job writes")
        summary = _parsed(files.join(place, SUMMARY))
    max_size, unit, cap = _size(summary["settings"]["spec"])
    chunks, dead_letters = (_parquet_files(place, kind) for kind in ("chunks", "dead_letters"))
    return FinishedJob(place, summary, max_size, unit, chunks, dead_letters, cap)


def _size(parameters: dict[str, Any]) -> tuple[int, str, str]:
    """The largest size that a chunk may have, its unit, and what the parameter is called."""
    if "caps" in parameters:
        return parameters["caps"]["max_chars"], "code_point", "max_chars"
    low, high = MAX_SIZE_RANGE
    max_size, unit = parameters["max_size"], parameters["unit"]
    if not (low <= max_size <= high and unit in UNITS):
        raise KeyError("max_size")
    return max_size, unit, "max_size"


@contextmanager
def told(path: str) -> Iterator[None]:
    """What cannot be read is told in one line."""
    try:
        yield
    except UsageError:
        raise
    except (BeamIOError, OSError, ValueError, pa.ArrowException) as error:
        raise UsageError(f"cannot read {path}: {reason(error)}") from error


@contextmanager
def open_parquet(path: str) -> Iterator[pq.ParquetFile]:
    """A file that is read page by page, however large its row groups are."""
    with (
        told(path),
        files.open_input(path) as source,
        pq.ParquetFile(source, buffer_size=PAGE_BYTES, pre_buffer=False) as parquet,
    ):
        yield parquet


def batches(path: str, columns: list[str], batch_rows: int) -> Iterator[pa.RecordBatch]:
    """The columns of a file, in pieces of at most so many rows. Raises UsageError where one is missing."""
    with open_parquet(path) as parquet:
        missing = [name for name in columns if name not in parquet.schema_arrow.names]
        if missing:
            raise UsageError(
                f"{path} has no column {missing[0]!r}: no job of this program wrote it"
            )
        yield from parquet.iter_batches(batch_rows, columns=columns, use_threads=False)


def batches_of_group(
    parquet: pq.ParquetFile, group: int, columns: list[str], batch_rows: int
) -> Iterator[pa.RecordBatch]:
    """The columns of a single row group."""
    yield from parquet.iter_batches(
        batch_rows, row_groups=[group], columns=columns, use_threads=False
    )


def plain(array: pa.Array) -> pa.Array:
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def as_text(scalar: pa.Scalar) -> str | None:
    """A value of any type in words. Strings need not be UTF-8; a null is None."""
    if not scalar.is_valid:
        return None
    if pa.types.is_dictionary(scalar.type):
        return as_text(scalar.dictionary[scalar.index.as_py()])
    if pa.types.is_fixed_size_binary(scalar.type):
        scalar = scalar.cast(pa.binary())
    if hasattr(scalar, "as_buffer"):
        raw = scalar.as_buffer()
        return bytes(raw).decode(errors="backslashreplace") if raw is not None else ""
    return str(scalar)


def _parsed(path: str) -> dict[str, Any]:
    summary = json.loads(files.read_text(path))
    try:
        _size(summary["settings"]["spec"])
        known = all(isinstance(summary[name], int) for name in FIGURES)
        known = known and isinstance(summary["dead_letters"], dict)
    except (KeyError, TypeError):
        known = False
    if not known:
        raise UsageError(f"{path} is not the summary of a job of this program")
    return dict(summary)


FIGURES = ("documents", "chunked", "sentences", "chunks", "oversized", "text_bytes", "output_bytes")


def _parquet_files(folder: str, kind: str) -> list[str]:
    return [file.path for file in files.find([files.join(folder, kind)], (".parquet",))]
