"""The columns of a JSON Lines file, and their types, as its first lines have them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from ..settings import Columns
from .blocks import LongLine, line_blocks

SAMPLE_BYTES = 1 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def inferred(stream: Any, cap: int | None, path: str, columns: Columns) -> pa.Schema:
    """The columns that the first lines have; types are told for the used ones alone, the text is a string.

    A used column that comes first beyond these lines is a string, or what the path holds. The text is not: a file
    that has none in its first megabyte is no file of documents. Raises ValueError where no line is an object.
    """
    sample = _sample(stream, cap)
    if not sample.objects and sample.lines and not sample.unknown:
        raise ValueError("no line of its first megabyte is a JSON object")
    types = {name: pa.string() for each in sample.objects for name in each if _is_utf8(name)}
    for name in columns.carried:
        if name in types and name != columns.text:
            types[name] = _type_of([each.get(name) for each in sample.objects])
    if sample.unknown or not sample.objects:
        in_path = {folder.partition("=")[0] for folder in path.split("/")[:-1] if "=" in folder}
        unseen = columns.carried if sample.objects else columns.used
        types = {name: pa.string() for name in unseen if name not in in_path} | types
    return pa.schema(list(types.items()))


@dataclass
class _Sample:
    """The objects of a file's first lines. unknown: there is more in the file, or in a line that cannot be parsed."""

    objects: list[dict[str, Any]] = field(default_factory=list)
    lines: int = 0
    unknown: bool = False


def _sample(stream: Any, cap: int | None) -> _Sample:
    """The whole lines of the first megabyte, and those after it where it holds no more than a piece of one."""
    sample, source = _Sample(), _ByMegabyte(stream)
    for block in line_blocks(source, cap, 0):
        for line in _lines(block):
            sample.lines += 1
            try:
                found = None if line is None else json.loads(line.removeprefix(BYTE_ORDER_MARK))
            except ValueError:
                continue
            except RecursionError:  # Arrow will read it, if the depth is in a key that is not used
                found = None
                sample.unknown = True
            if isinstance(found, dict):
                sample.objects.append(found)
            sample.unknown |= line is None
        if source.taken >= SAMPLE_BYTES and (sample.objects or sample.lines > 1):
            sample.unknown |= bool(sample.objects)
            break
    return sample


def _lines(block: bytes | LongLine) -> Iterator[bytes | None]:
    """The lines that are not blank, None for one that is too long to be held."""
    if isinstance(block, LongLine):
        yield None
    else:
        yield from filter(bytes.strip, block.split(b"\n"))


class _ByMegabyte:
    """A stream that is read in pieces of a sample's size, and tells how much was read."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.taken = 0

    def read(self, size: int) -> bytes:
        piece: bytes = self._stream.read(min(size, SAMPLE_BYTES))
        self.taken += len(piece)
        return piece


def _type_of(values: list[Any]) -> pa.DataType:
    """The type of all values, or else of as many as go together, the most frequent first; a string where all are null.

    The lines of the other values are rejected one by one, and the file is still of use.
    """
    try:
        return _without_null(pa.array(values, from_pandas=False).type)
    except _NO_ARRAY:
        pass
    counted = Counter(each for value in values if (each := _own_type(value)) is not None)
    chosen = pa.null()
    for each, _ in counted.most_common():
        chosen = _merged(chosen, each) or chosen
    return _without_null(chosen)


_NO_ARRAY = (pa.ArrowException, OverflowError, ValueError, TypeError, RecursionError)


def _own_type(value: Any) -> pa.DataType | None:
    try:
        return pa.array([value], from_pandas=False).type
    except _NO_ARRAY:
        return None


def _merged(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    try:
        schemas = [pa.schema([("value", each)]) for each in (one, other)]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return None


def _without_null(arrow_type: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_null(arrow_type) else arrow_type


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # a lone surrogate, which no column's name can hold
        return False
    return True
