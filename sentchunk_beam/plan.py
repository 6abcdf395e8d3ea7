"""Plan: which files there are, and which worker call reads what. Descriptors only; no document is read.

A unit is what one call reads, chunks and writes: some row groups of a large file, or a run of small files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

import pyarrow as pa
import pyarrow.parquet as pq
from sentchunk import ChunkSpec
from sentchunk.arrow import is_text_type

from . import files
from .chunking import Columns
from .errors import UsageError
from .schemas import DERIVED_ID

UNIT_BYTES = 128 << 20
SMALLEST_UNIT_BYTES = 8 << 20
UNITS_OF_A_SMALL_CORPUS = 16
# To open a file costs about as much as to read this much of it; it also bounds the files of a unit.
OPENING_BYTES = 64 << 10
FOOTERS_AT_ONCE = 16


@dataclass(frozen=True)
class Part:
    """Row groups `first_group` up to `end_group` of a file; `rows` of them, from `first_row` of the file on.

    A file that cannot be used is a part too, with the code and message of its dead letter in `problem`; its `rows`
    are None where it does not tell.
    """

    path: str
    first_group: int
    end_group: int
    first_row: int
    rows: int | None
    input_bytes: int
    problem: tuple[str, str] | None = None


@dataclass(frozen=True)
class Unit:
    """What one call does. `id` follows from what it holds and the parameters; `index` orders the output files."""

    id: str
    index: int
    parts: tuple[Part, ...]

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Unit:
        fields = json.loads(text)
        parts = (
            Part(**{**part, "problem": part["problem"] and tuple(part["problem"])})
            for part in fields["parts"]
        )
        return cls(fields["id"], fields["index"], tuple(parts))


@dataclass(frozen=True)
class Plan:
    """The units of a job, and the types that its output has whatever the documents are."""

    units: list[Unit]
    files: int
    input_bytes: int
    id_field: pa.Field
    kept_fields: tuple[pa.Field, ...]


@dataclass
class _Footer:
    """What a file tells about itself; `schema` is None where it cannot be read."""

    path: str
    size: int
    schema: pa.Schema | None = None
    group_rows: tuple[int, ...] = ()
    group_bytes: tuple[int, ...] = ()
    problem: tuple[str, str] | None = None


def make_plan(inputs: Iterable[str], columns: Columns, spec: ChunkSpec) -> Plan:
    """List the inputs, read their footers, pack units. Raises UsageError where no file can be used."""
    found = files.find(inputs, (".parquet", ".parq", ".pq"))
    with ThreadPoolExecutor(FOOTERS_AT_ONCE) as pool:
        footers = list(pool.map(lambda file: _read_footer(file, columns), found))
    usable = [footer for footer in footers if footer.problem is None]
    if not usable:
        raise UsageError(_why_none(footers))
    unified = {name: _unified(name, usable) for name in columns.used if name != columns.text}
    total = sum(sum(footer.group_bytes) for footer in usable)
    target = min(max(total // UNITS_OF_A_SMALL_CORPUS, SMALLEST_UNIT_BYTES), UNIT_BYTES)
    return Plan(
        units=list(_units(_parts(footers, target), target, repr((columns, spec)))),
        files=len(found),
        input_bytes=sum(file.size for file in found),
        id_field=unified[columns.id] if columns.id is not None else DERIVED_ID,
        kept_fields=tuple(unified[name] for name in columns.keep),
    )


def _read_footer(file: files.FoundFile, columns: Columns) -> _Footer:
    footer = _Footer(*file)
    try:
        with files.open_input(file.path) as source, pq.ParquetFile(source) as parquet:
            footer.schema, metadata = parquet.schema_arrow, parquet.metadata
            groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    except Exception as error:
        # Whatever a broken footer makes the reader raise, it is this file's trouble alone.
        footer.problem = ("unreadable_file", f"cannot be read as Parquet: {error}")
        return footer
    footer.group_rows = tuple(group.num_rows for group in groups)
    footer.group_bytes = tuple(_used_bytes(group, columns.used) for group in groups)
    footer.problem = _column_problem(footer.schema, columns)
    return footer


def _used_bytes(group: pq.RowGroupMetaData, used: list[str]) -> int:
    """The uncompressed bytes of the columns that are read, nested ones by their root."""
    chunks = (group.column(index) for index in range(group.num_columns))
    return sum(
        chunk.total_uncompressed_size
        for chunk in chunks
        if chunk.path_in_schema in used or chunk.path_in_schema.split(".")[0] in used
    )


def _column_problem(schema: pa.Schema, columns: Columns) -> tuple[str, str] | None:
    for name in columns.used:
        if name not in schema.names:
            return "missing_column", f"has no column {name!r}; it has: {', '.join(schema.names)}"
    text_type = schema.field(columns.text).type
    if not is_text_type(text_type):
        return "wrong_type", f"column {columns.text!r} is {text_type}; documents have to be strings"
    return None


def _why_none(footers: list[_Footer]) -> str:
    """Of the files' problems, the one that a person can do most about."""
    readable = [footer for footer in footers if footer.schema is not None]
    footer = (readable or footers)[0]
    assert footer.problem is not None
    advice = {
        "missing_column": "name an existing one with --text-column, --id-column or --keep",
        "wrong_type": "name a column of strings with --text-column",
        "unreadable_file": "give Parquet files",
    }[footer.problem[0]]
    others = f" (and {len(footers) - 1} more files cannot be used)" if len(footers) > 1 else ""
    return f"{footer.path} {footer.problem[1]}; {advice}{others}"


def _unified(name: str, usable: list[_Footer]) -> pa.Field:
    """One type for a column that differs from file to file, as wide as needed."""
    by_type: dict[pa.DataType, str] = {}
    for footer in usable:
        assert footer.schema is not None
        by_type.setdefault(plain_type(footer.schema.field(name).type), footer.path)
    schemas = [pa.schema([pa.field(name, each)]) for each in by_type]
    try:
        return pa.unify_schemas(schemas, promote_options="permissive").field(0)
    except pa.ArrowException:
        (one, first), (other, second) = list(by_type.items())[:2]
        raise UsageError(
            f"column {name!r} is {one} in {first}, but {other} in {second}; "
            "make the types agree, or leave the column out"
        ) from None


def plain_type(arrow_type: pa.DataType) -> pa.DataType:
    """The type of the values, where a column is a dictionary of them."""
    return arrow_type.value_type if pa.types.is_dictionary(arrow_type) else arrow_type


def _parts(footers: list[_Footer], target: int) -> Iterator[Part]:
    for footer in footers:
        if footer.problem is not None or not footer.group_rows:
            rows = None if footer.schema is None else sum(footer.group_rows)
            yield Part(footer.path, 0, 0, 0, rows, OPENING_BYTES, footer.problem)
            continue
        first_group, first_row = 0, 0
        for end_group in _cuts(footer.group_bytes, target):
            rows = sum(footer.group_rows[first_group:end_group])
            size = OPENING_BYTES + sum(footer.group_bytes[first_group:end_group])
            yield Part(footer.path, first_group, end_group, first_row, rows, size)
            first_group, first_row = end_group, first_row + rows


def _cuts(sizes: tuple[int, ...], target: int) -> Iterator[int]:
    """Where to end runs of at least `target` bytes; the last run may be smaller."""
    filled = 0
    for end, size in enumerate(sizes, 1):
        filled += size
        if filled >= target or end == len(sizes):
            yield end
            filled = 0


def _units(parts: Iterable[Part], target: int, parameters: str) -> Iterator[Unit]:
    for index, run in enumerate(_runs(parts, target)):
        held = json.dumps([parameters, [asdict(part) for part in run]])
        yield Unit(hashlib.sha256(held.encode()).hexdigest()[:16], index, tuple(run))


def _runs(parts: Iterable[Part], target: int) -> Iterator[list[Part]]:
    run: list[Part] = []
    for part in parts:
        if run and sum(held.input_bytes for held in run) + part.input_bytes > target:
            yield run
            run = []
        run.append(part)
    if run:
        yield run
