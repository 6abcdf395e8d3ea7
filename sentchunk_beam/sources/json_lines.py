"""Lines of JSON as documents: many at once where all are sound, one by one where not, with the same outcome.

Arrow decides about every line that it can read, alone or among others; a line that it cannot read is looked at alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json as pj

from ..settings import DEAD_LETTER_TEXT_BYTES, Settings
from .base import Documents, Rejects, one_line
from .json_schema import BYTE_ORDER_MARK
from .lines import split_lines


def documents(
    block: bytes, lines: int, row: int, schema: pa.Schema, settings: Settings
) -> Iterator[Documents | Rejects]:
    """The documents of a block of whole lines, the first of which is `row` of its file."""
    table = _at_once(block.removeprefix(BYTE_ORDER_MARK), lines, schema)
    if table is not None:
        yield Documents(table, np.arange(row, row + lines))
        return
    bare = (
        line.removeprefix(BYTE_ORDER_MARK).strip(b" \t\r")
        for line in split_lines(block).to_pylist()
    )
    # An empty line is no object and no mistake.
    numbered = [(number, line) for number, line in enumerate(bare, row) if line.strip()]
    tables: list[pa.Table] = []
    rows: list[int] = []
    letters: list[dict[str, Any]] = []
    for numbers, found in _by_halves(numbered, schema, settings):
        if isinstance(found, Trouble):
            letters.append({"row": numbers[0], **found.letter})
        else:
            tables.append(found)
            rows += numbers
    if letters:
        yield Rejects(sorted(letters, key=lambda letter: letter["row"]))
    if tables:
        yield Documents(pa.concat_tables(tables).combine_chunks(), np.asarray(rows, np.int64))


# To call Arrow for a line costs as much as to parse many; so few lines are parsed one by one before they are parted.
FEW_LINES = 64


def _by_halves(
    numbered: list[tuple[int, bytes]], schema: pa.Schema, settings: Settings, sifted: bool = False
) -> Iterator[tuple[list[int], pa.Table | Trouble]]:
    """Rows and what their lines hold. A line that is not as the others costs just its neighbours the fast way."""
    if not numbered:
        return
    table = _at_once(b"\n".join(line for _, line in numbered), len(numbered), schema)
    if table is not None:
        yield [number for number, _ in numbered], table
    elif len(numbered) == 1:
        ((number, line),) = numbered
        yield [number], _parsed(line, schema, settings)
    elif len(numbered) <= FEW_LINES and not sifted:
        yield from _sifted(numbered, schema, settings)
    else:
        half = len(numbered) // 2
        yield from _by_halves(numbered[:half], schema, settings, sifted)
        yield from _by_halves(numbered[half:], schema, settings, sifted)


def _sifted(
    numbered: list[tuple[int, bytes]], schema: pa.Schema, settings: Settings
) -> Iterator[tuple[list[int], pa.Table | Trouble]]:
    """The lines that Arrow would not read either are told one by one, the others together."""
    others: list[tuple[int, bytes]] = []
    for number, line in numbered:
        found = _parsed(line, schema, settings)
        if isinstance(found, Trouble) and found.certain:
            yield [number], found
        else:
            others.append((number, line))
    yield from _by_halves(others, schema, settings, sifted=True)


def _at_once(block: bytes, lines: int, schema: pa.Schema) -> pa.Table | None:
    """A row for each line, or None where a line is not just one object as the schema has it."""
    try:
        if not _has_an_object_on_each_line(block):
            return None
        table = pj.read_json(
            pa.BufferReader(block),
            pj.ReadOptions(use_threads=False, block_size=len(block) + 1),
            pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
    except pa.ArrowException:
        return None
    return table.select(schema.names) if table.num_rows == lines else None


def _has_an_object_on_each_line(block: bytes) -> bool:
    """Whether each line, if the block is JSON at all, has one object or more, whole ones. Raises where it is not UTF-8.

    A line end between "}" and "{" is in no object, where one would need a comma, and in no string, where JSON has
    none. So as many rows as lines are one row a line. Of lines of `null` alone Arrow would crash.
    """
    values = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(values == ord("\n"))
    if not block.endswith(b"\n"):
        ends = np.append(ends, len(block))
    starts = np.append(0, ends[:-1] + 1)
    if not len(ends) or starts[-1] == len(block) or (values[starts] != ord("{")).any():
        return False
    last = ends - 1
    last = last - (values[last] == ord("\r"))
    if (values[last] != ord("}")).any():
        return False
    offsets = pa.py_buffer(np.array([0, len(block)], np.int64))
    whole = [None, offsets, pa.py_buffer(block)]
    pa.LargeBinaryArray.from_buffers(pa.large_binary(), 1, whole).cast(pa.large_string())
    return True


class Trouble:
    """Why a line is no document. certain: Arrow's reader would not take it either."""

    def __init__(
        self,
        code: str,
        message: str,
        line: bytes,
        identity: Any = None,
        byte_position: int | None = None,
        certain: bool = True,
    ) -> None:
        self.certain = certain
        self.letter = {
            "code": code,
            "message": message,
            "text": line[:DEAD_LETTER_TEXT_BYTES],
            "document_id": identity,
            "byte_position": byte_position,
        }


def _parsed(line: bytes, schema: pa.Schema, settings: Settings) -> pa.Table | Trouble:
    """A line that Arrow does not read: a row where just the keys that are not used are strange, else what is wrong."""
    try:
        found = json.loads(line.decode())
    except UnicodeDecodeError as error:
        return _not_utf8(line, error.start, schema, settings)
    except RecursionError:
        return Trouble("invalid_json", "the line is nested too deeply", line, certain=False)
    except ValueError as error:
        # Python knows no Inf, and no numbers of thousands of digits.
        certain = isinstance(error, json.JSONDecodeError) and b"Inf" not in line
        message = f"the line is not JSON: {one_line(error)}"
        return Trouble("invalid_json", message, line, certain=certain)
    if not isinstance(found, dict):
        return Trouble("invalid_json", f"the line is no object: {line[:40]!r}", line)
    identity = _identity(found, schema, settings)
    arrays = []
    for field in schema:
        try:
            arrays.append(_array(found.get(field.name), field.type))
        except UnicodeEncodeError:
            message = f"{field.name!r} has a lone surrogate, which no UTF-8 text can hold"
            return Trouble("lone_surrogate", message, line, identity)
        except _WRONG as error:
            message = f"{field.name!r} is {_shown(found[field.name])}, and not {field.type}"
            # Arrow rounds an integer to the nearest double where it reads JSON, and nowhere else.
            certain = not isinstance(error, pa.ArrowException)
            return Trouble("wrong_type", message, line, identity, certain=certain)
    return pa.Table.from_arrays(arrays, schema=schema)


def _not_utf8(line: bytes, start: int, schema: pa.Schema, settings: Settings) -> Trouble:
    """The id, and where in the text the bad byte is, if only the bytes are wrong and not the JSON around them."""
    identity = position = None
    message = f"the line is not UTF-8: byte {start:,}"
    try:
        found = json.loads(line.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        identity = _identity(found, schema, settings)
        position = _bad_byte(found.get(settings.columns.text))
    if position is not None:
        message = f"the text is not UTF-8: byte {position:,}"
    return Trouble("invalid_utf8", message, line, identity, position)


def _bad_byte(text: Any) -> int | None:
    """The place of the first byte that was no UTF-8 in a text decoded with escapes, or None where all were."""
    if not isinstance(text, str):
        return None
    try:
        text.encode("utf-8", "surrogateescape").decode()
    except UnicodeDecodeError as error:
        return error.start
    except UnicodeEncodeError:  # a surrogate that was written as an escape
        return None
    return None


def _identity(found: dict[str, Any], schema: pa.Schema, settings: Settings) -> Any:
    """The id of an object, or None where it has none that its column can hold."""
    name = settings.columns.id
    if name is None or name not in schema.names:
        return None
    try:
        return _array(found.get(name), schema.field(name).type)[0].as_py()
    except _WRONG:
        return None


_WRONG = (pa.ArrowException, OverflowError, ValueError, TypeError)


def _array(value: Any, arrow_type: pa.DataType) -> pa.Array:
    """An array of one value. Raises where it is not of the type: Arrow alone would take 5.5 for 5, and pairs for a struct."""
    if not _fits(value, arrow_type):
        raise TypeError
    return pa.array([value], arrow_type)


def _fits(value: Any, arrow_type: pa.DataType) -> bool:
    """Whether a value is of the kind that Arrow's own reader of JSON takes for the type."""
    if value is None:
        return True
    if pa.types.is_boolean(arrow_type):
        return isinstance(value, bool)
    if pa.types.is_integer(arrow_type):
        return isinstance(value, int) and not isinstance(value, bool)
    if pa.types.is_floating(arrow_type):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if pa.types.is_string(arrow_type):
        return isinstance(value, str)
    if pa.types.is_list(arrow_type):
        return isinstance(value, list) and all(_fits(each, arrow_type.value_type) for each in value)
    if pa.types.is_struct(arrow_type):
        return isinstance(value, dict) and all(
            _fits(value.get(field.name), field.type) for field in arrow_type
        )
    return False  # of a null's type, which holds nothing else


def _shown(value: Any) -> str:
    try:
        return json.dumps(value)[:40]
    except RecursionError:
        return "nested too deeply"
