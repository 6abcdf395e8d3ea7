"""Plan: which files there are, and which worker call reads what. Descriptors only; no document is read.

A unit is what one call reads, chunks and writes: some row groups of a large file, or a run of small files.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from urllib.parse import unquote

import pyarrow as pa
from sentchunk.text_columns import is_text_type

from . import files
from .errors import UsageError
from .schemas import DERIVED_ID
from .selection import rows_by_file
from .settings import Columns, Settings
from .sources import FORMATS, FileFacts, Part, format_of, suffixes_of

UNIT_BYTES = 128 << 20
SMALLEST_UNIT_BYTES = 8 << 20
UNITS_OF_A_SMALL_CORPUS = 16
# To open a file costs about as much as to read this much of it; it also bounds the files of a unit.
OPENING_BYTES = 64 << 10
LOOKS_AT_ONCE = 16


@dataclass(frozen=True)
class Unit:
    """What one call does. `id` follows from what it holds and the settings; `index` orders the output files."""

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


def make_plan(inputs: Iterable[str], settings: Settings, wanted: str | None = None) -> Plan:
    """List the inputs, look at each file, pack units. Raises UsageError where no file can be used.

    `wanted` is the format that all files are to have; None takes each by its suffix. Where only the dead letters of a
    job are to be chunked, they name the files.
    """
    columns = settings.columns
    if settings.only_dead_letters is None:
        found = files.find(inputs, suffixes_of(wanted))
    else:
        found = list(map(files.look_up, sorted(rows_by_file(settings.only_dead_letters))))
    formats = [format_of(file.path, wanted) for file in found]
    _refuse_mixed_folders(found, formats)

    def look(file: files.FoundFile, source: str) -> FileFacts:
        facts = FORMATS[source].inspect(file, settings)
        facts.modified = file.modified
        if facts.problem is None and facts.schema is not None:
            facts.problem = _column_problem(facts.path, facts.schema, columns)
        return facts

    with ThreadPoolExecutor(LOOKS_AT_ONCE) as pool:
        looks = list(pool.map(look, found, formats))
    usable = [facts for facts in looks if facts.problem is None]
    if not usable:
        raise UsageError(_why_none(looks))
    unified = {name: _unified(name, usable) for name in columns.carried}
    total = sum(sum(facts.split_bytes) for facts in usable)
    target = min(max(total // UNITS_OF_A_SMALL_CORPUS, SMALLEST_UNIT_BYTES), UNIT_BYTES)
    return Plan(
        units=list(_units(_parts(looks, columns, target), target, repr(settings))),
        files=len(found),
        input_bytes=sum(file.size for file in found),
        id_field=unified[columns.id] if columns.id is not None else DERIVED_ID,
        kept_fields=tuple(unified[name] for name in columns.keep),
    )


def _refuse_mixed_folders(found: list[files.FoundFile], formats: list[str]) -> None:
    """Raise UsageError for a folder with files of several formats: some of them may be no documents at all."""
    by_folder: dict[str, Counter[str]] = defaultdict(Counter)
    for file, source in zip(found, formats, strict=True):
        if file.folder is not None:
            by_folder[file.folder][source] += 1
    for folder, counts in by_folder.items():
        if len(counts) > 1:
            there = ", ".join(f"{source}: {number:,}" for source, number in counts.items())
            raise UsageError(
                f"{folder} holds files of several formats ({there}); "
                "say which to take with --format, or name them by globs"
            )


def partition_of(path: str) -> dict[str, str | None]:
    """The columns that the folders of a path hold, as Hive names them: `lang=en/` is `lang`, a string."""
    pairs = (folder.partition("=") for folder in path.split("/")[:-1] if "=" in folder)
    return {
        name: None if value == "__HIVE_DEFAULT_PARTITION__" else unquote(value)
        for name, _, value in pairs
    }


def _column_problem(path: str, schema: pa.Schema, columns: Columns) -> tuple[str, str] | None:
    partition = partition_of(path)
    for name in columns.used:
        if name not in schema.names and (name == columns.text or name not in partition):
            there = ", ".join([*schema.names, *partition]) or "none"
            return "missing_column", f"has no column {name!r}; it has: {there}"
        if schema.names.count(name) > 1:
            return "ambiguous_column", f"has more than one column {name!r}"
    text_type = schema.field(columns.text).type
    if not (is_text_type(text_type) or pa.types.is_null(text_type)):
        return "wrong_type", f"column {columns.text!r} is {text_type}; documents have to be strings"
    return None


def _why_none(looks: list[FileFacts]) -> str:
    """Of the files' problems, the one that a person can do most about."""
    facts = next((each for each in looks if each.schema is not None), looks[0])
    assert facts.problem is not None
    advice = {
        "missing_column": "name an existing one with --text-column, --id-column or --keep",
        "wrong_type": "name a column of strings with --text-column",
        "ambiguous_column": "give them names of their own",
        "unreadable_file": f"say what the files are with --format {'|'.join(FORMATS)}",
    }[facts.problem[0]]
    others = f" (and {len(looks) - 1} more files cannot be used)" if len(looks) > 1 else ""
    return f"{facts.path} {facts.problem[1]}; {advice}{others}"


def _unified(name: str, usable: list[FileFacts]) -> pa.Field:
    """One type for a column that differs from file to file, as wide as needed."""
    by_type: dict[pa.DataType, str] = {}
    for facts in usable:
        assert facts.schema is not None
        in_file = name in facts.schema.names
        found = plain_type(facts.schema.field(name).type) if in_file else pa.string()
        by_type.setdefault(found, facts.path)
    # What is null in all of a file says nothing of the type.
    told = [each for each in by_type if not pa.types.is_null(each)] or [pa.string()]
    schemas = [pa.schema([pa.field(name, each)]) for each in told]
    try:
        if any(map(pa.types.is_integer, told)) and any(map(pa.types.is_floating, told)):
            raise pa.ArrowInvalid("a large integer is no float")
        return pa.unify_schemas(schemas, promote_options="permissive").field(0)
    except pa.ArrowException:
        (one, first), (other, second) = [(each, by_type[each]) for each in told[:2]]
        raise UsageError(
            f"column {name!r} is {one} in {first}, but {other} in {second}; "
            "make the types agree, or leave the column out"
        ) from None


def plain_type(arrow_type: pa.DataType) -> pa.DataType:
    """The type of a dictionary's values, and the plain form of a view, of which Arrow can take no rows."""
    if pa.types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    return {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}.get(
        arrow_type, arrow_type
    )


def _parts(looks: list[FileFacts], columns: Columns, target: int) -> Iterator[Part]:
    for facts in looks:
        partition = {
            name: value
            for name, value in partition_of(facts.path).items()
            if name in columns.carried
            and facts.schema is not None
            and name not in facts.schema.names
        }

        whole = facts.problem is not None or not facts.split_rows
        ends = [len(facts.split_rows)] if whole else _cuts(facts.split_bytes, target)
        first, first_row = 0, 0
        for end in ends:
            part = Part(
                facts.path,
                facts.format,
                facts.size,
                first,
                end,
                first_row,
                _sum(facts.split_rows[first:end]) if facts.schema is not None else None,
                OPENING_BYTES + sum(facts.split_bytes[first:end]),
                facts.problem,
                partition,
                facts.modified,
            )
            yield part
            first, first_row = end, first_row + (part.rows or 0)


def _sum(rows: tuple[int | None, ...]) -> int | None:
    known = [each for each in rows if each is not None]
    return sum(known) if len(known) == len(rows) else None


def _cuts(sizes: tuple[int, ...], target: int) -> Iterator[int]:
    """Where to end runs of at least `target` bytes; the last run may be smaller."""
    filled = 0
    for end, size in enumerate(sizes, 1):
        filled += size
        if filled >= target or end == len(sizes):
            yield end
            filled = 0


def _units(parts: Iterable[Part], target: int, settings: str) -> Iterator[Unit]:
    for index, run in enumerate(_runs(parts, target)):
        held = json.dumps([settings, [asdict(part) | {"modified": None} for part in run]])
        yield Unit(hashlib.sha256(held.encode()).hexdigest()[:16], index, tuple(run))


def _runs(parts: Iterable[Part], target: int) -> Iterator[list[Part]]:
    run: list[Part] = []
    filled = 0
    for part in parts:
        if run and filled + part.input_bytes > target:
            yield run
            run, filled = [], 0
        run.append(part)
        filled += part.input_bytes
    if run:
        yield run
