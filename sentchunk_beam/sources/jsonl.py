"""JSON Lines: an object a line, its keys the columns. A line that is not one is a dead letter, and the others go on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json as pj

from .. import files
from ..settings import DEAD_LETTER_TEXT_BYTES, Settings
from .base import Documents, FileFacts, Part, Rejects, as_files_trouble, one_line
from .blocks import LongLine, line_blocks, opened, with_compression
from .lines import over_limit, split_lines

SUFFIXES: tuple[str, ...] = with_compression(".jsonl", ".ndjson")

SAMPLE_BYTES = 1 << 20
# A line holds more than the text, and holds it escaped; this bounds what is held of it.
LEAST_LINE_CAP = 64 << 20


def inspect(file: files.FoundFile, settings: Settings) -> FileFacts:
    facts = FileFacts(file.path, file.size, "jsonl")
    try:
        with opened(file.path) as stream:
            sample = stream.read(SAMPLE_BYTES)
        facts.schema = _inferred(sample, settings)
    except Exception as error:
        facts.problem = ("unreadable_file", f"cannot be read as JSON Lines: {one_line(error)}")
    facts.split_rows, facts.split_bytes = (None,), (file.size,)
    return facts


def _inferred(sample: bytes, settings: Settings) -> pa.Schema:
    """Keys and types as the first lines have them. A key that is only null there is taken for a string."""
    whole = sample[: sample.rfind(b"\n") + 1] or sample
    objects = [each for each in map(_object, whole.splitlines()) if isinstance(each, dict)]
    if not objects and whole.strip():
        raise ValueError("no line of its first megabyte is a JSON object")
    names = dict.fromkeys(name for each in objects for name in each)
    fields = []
    for name in names:
        if name == settings.columns.text or name not in settings.columns.used:
            fields.append(pa.field(name, pa.string()))
            continue
        values = [each.get(name) for each in objects]
        fields.append(pa.field(name, _without_null(pa.array(values, from_pandas=False).type)))
    if not objects:
        fields = [pa.field(name, pa.string()) for name in settings.columns.used]
    return pa.schema(fields)


def _object(line: bytes) -> Any:
    try:
        return json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return None


def _without_null(arrow_type: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_null(arrow_type) else arrow_type


def read(part: Part, settings: Settings) -> Iterator[Documents | Rejects]:
    schema = _read_schema(part, settings)
    limit, row = settings.spec.limits.max_text_bytes, 0
    cap = None if limit is None else max(LEAST_LINE_CAP, 6 * limit + SAMPLE_BYTES)
    try:
        with opened(part.path) as stream:
            for block in line_blocks(stream, cap, DEAD_LETTER_TEXT_BYTES):
                if isinstance(block, LongLine):
                    assert cap is not None
                    message = (
                        f"the line has {block.length:,} bytes, over the {cap:,} that are held of one; "
                        "raise max_text_bytes or switch it off"
                    )
                    yield Rejects(
                        [{"row": row, **over_limit(block, "max_line_bytes", cap, message)}]
                    )
                    row += 1
                    continue
                lines = block.count(b"\n") + (not block.endswith(b"\n"))
                yield from _documents(block, lines, row, schema, settings)
                row += lines
    except (pa.ArrowException, OSError, ValueError) as error:
        raise as_files_trouble(error, "JSON Lines") from error


def _read_schema(part: Part, settings: Settings) -> pa.Schema:
    with opened(part.path) as stream:
        schema = _inferred(stream.read(SAMPLE_BYTES), settings)
    return pa.schema([schema.field(name) for name in settings.columns.used if name in schema.names])


def _documents(
    block: bytes, lines: int, row: int, schema: pa.Schema, settings: Settings
) -> Iterator[Documents | Rejects]:
    """The documents of a block at once; line by line where one of them is not as the others."""
    try:
        table = pj.read_json(
            pa.BufferReader(block),
            pj.ReadOptions(use_threads=False, block_size=len(block) + 1),
            pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
        )
    except pa.ArrowException:
        table = None
    if table is not None and table.num_rows == lines:
        yield Documents(table.select(schema.names), np.arange(row, row + lines))
        return
    good: list[dict[str, Any]] = []
    rows: list[int] = []
    letters: list[dict[str, Any]] = []
    for number, line in enumerate(split_lines(block).to_pylist(), row):
        if not line.strip():
            continue  # an empty line is no object and no mistake
        found = _parsed(line, schema, settings)
        if isinstance(found, Trouble):
            letters.append({"row": number, **found.letter})
        else:
            good.append(found)
            rows.append(number)
    if letters:
        yield Rejects(letters)
    if good:
        yield Documents(pa.Table.from_pylist(good, schema=schema), np.asarray(rows, np.int64))


class Trouble:
    """Why a line is no document."""

    def __init__(self, code: str, message: str, line: bytes, identity: Any = None) -> None:
        self.letter = {
            "code": code,
            "message": message,
            "text": line[:DEAD_LETTER_TEXT_BYTES],
            "document_id": identity,
        }


def _parsed(line: bytes, schema: pa.Schema, settings: Settings) -> dict[str, Any] | Trouble:
    try:
        found = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except UnicodeDecodeError as error:
        return Trouble("invalid_utf8", f"the line is not UTF-8: byte {error.start:,}", line)
    except (ValueError, RecursionError) as error:
        return Trouble("invalid_json", f"the line is not JSON: {one_line(error)}", line)
    if not isinstance(found, dict):
        return Trouble("invalid_json", f"the line is no object: {line[:40]!r}", line)
    identity = None
    for field in schema:
        value = found.get(field.name)
        try:
            pa.array([value], field.type)
        except UnicodeEncodeError:
            message = f"{field.name!r} has a lone surrogate, which no UTF-8 text can hold"
            return Trouble("lone_surrogate", message, line, identity)
        except (pa.ArrowException, OverflowError, ValueError, TypeError):
            message = f"{field.name!r} is {json.dumps(value)[:40]}, and not {field.type}"
            return Trouble("wrong_type", message, line, identity)
        if field.name == settings.columns.id:
            identity = value
    return {name: found.get(name) for name in schema.names}
