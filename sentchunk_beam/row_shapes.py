"""What the elements of a PCollection of documents look like: where an element's text, id and kept fields are, their
types, and the schemas of the rows that come of it.
"""

# ruff: noqa: UP007, UP045  (Beam's schemas know Optional[X]; `X | None` fails where X is one of Beam's own types)

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from types import UnionType
from typing import Any, Optional, Union

import pyarrow as pa
from apache_beam.typehints import typehints
from apache_beam.typehints.native_type_compatibility import convert_to_beam_type
from apache_beam.typehints.row_type import RowTypeConstraint
from apache_beam.typehints.schemas import named_fields_from_element_type
from sentchunk.arrow import CHUNKS_SCHEMA
from sentchunk.semantic.columns import SEMANTIC_CHUNKS_SCHEMA

from .errors import UsageError
from .schemas import chunk_columns
from .settings import Columns, TypedColumns

# The id, the text and the kept fields of a document, in this order.
Fields = Sequence[Any]


@dataclass(frozen=True)
class Shape:
    """How to read the elements of a PCollection, and the types of what is read.

    declared: whether the elements carry the types themselves; where they do not, values are checked against them.
    """

    columns: Columns
    kind: str
    id_type: Any
    kept: tuple[tuple[str, Any], ...]
    declared: bool

    def reader(self) -> Callable[[Any], Fields]:
        """A function that gives the fields of an element. Without an id, it is a hash of the text."""
        columns = self.columns
        if self.kind == "text":
            return _read_text
        if self.kind == "pair":
            return _read_pair
        names = [columns.text if columns.id is None else columns.id, columns.text, *columns.keep]
        names += filter(None, [columns.doc_type_name])
        read = operator.attrgetter(*names) if self.kind == "row" else _read_by(names)
        return read if columns.id is not None else _identified(read)

    @property
    def chunk_type(self) -> RowTypeConstraint:
        """The schema of the chunks."""
        return RowTypeConstraint.from_fields(
            [
                ("chunk_id", str),
                ("document_id", self.id_type),
                *((name, self._type_of(name)) for name in chunk_columns(self.found)),
                *self.kept,
            ]
        )

    @property
    def found(self) -> pa.Schema:
        """What the strategy finds of each chunk."""
        return SEMANTIC_CHUNKS_SCHEMA if isinstance(self.columns, TypedColumns) else CHUNKS_SCHEMA

    def _type_of(self, name: str) -> Any:
        field = self.found.field(name)
        type_ = {pa.int64(): int, pa.bool_(): bool}.get(field.type, str)
        return Optional[type_] if field.nullable else type_

    @property
    def dead_letter_type(self) -> RowTypeConstraint:
        """The schema of the dead letters. The types are nullable where not every reason has such a fact."""
        return RowTypeConstraint.from_fields(
            [
                ("document_id", Optional[self.id_type]),
                ("code", str),
                ("limit_name", Optional[str]),
                ("limit", Optional[int]),
                ("figure", Optional[int]),
                ("byte_position", Optional[int]),
                ("message", str),
            ]
        )


def shape_of(element_type: Any, columns: Columns, types: Mapping[str, Any]) -> Shape:
    """The shape of a PCollection's elements. Raises UsageError, with what there is, where a field is not there.

    `types` has the types of the id and of kept fields where `element_type` does not tell them.
    """
    if not has_schema(element_type):
        return _schemaless(convert_to_beam_type(element_type), columns, types)
    fields = dict(named_fields_from_element_type(element_type))
    if types:
        raise UsageError(
            f"types is {types!r}, but the rows have a schema of their own; leave it out"
        )
    for name in columns.used:
        if name not in fields:
            raise UsageError(f"no field {name!r}; the rows have: {', '.join(fields)}")
    _check_text(fields[columns.text], f"field {columns.text!r}")
    if columns.doc_type_name is not None and _not_null(fields[columns.doc_type_name]) is not str:
        given = fields[columns.doc_type_name]
        raise UsageError(f"field {columns.doc_type_name!r} is of type {given}; a doc_type is a str")
    id_type = str if columns.id is None else _not_null(fields[columns.id])
    kept = tuple((name, fields[name]) for name in columns.keep)
    return Shape(columns, "row", id_type, kept, declared=True)


def has_schema(element_type: Any) -> bool:
    """Whether elements of this type carry names and types of their fields."""
    try:
        named_fields_from_element_type(element_type)
    except TypeError:
        return False
    return True


def _schemaless(element_type: Any, columns: Columns, types: Mapping[str, Any]) -> Shape:
    types = {name: _optional(type_) for name, type_ in types.items()}
    unknown = set(types) - set(columns.carried)
    if unknown:
        raise UsageError(f"types names {', '.join(sorted(unknown))}: neither the id nor kept")
    inner = _not_null(element_type)
    id_type = _not_null(types.get(columns.id, str)) if columns.id is not None else str
    kept = tuple((name, types.get(name, Optional[str])) for name in columns.keep)
    if inner in (str, bytes):
        _check_no_fields(columns, "texts")
        return Shape(columns, "text", str, (), declared=True)
    if isinstance(inner, typehints.TupleHint.TupleConstraint):
        if len(inner.tuple_types) != 2:
            raise UsageError(f"the input's elements are {inner}; use pairs of an id and a text")
        own_id, text = inner.tuple_types
        _check_no_fields(columns, "pairs of an id and a text")
        _check_text(text, "the second of each pair")
        known = own_id != typehints.Any
        return Shape(columns, "pair", _not_null(own_id) if known else id_type, (), known)
    if (
        inner == typehints.Any
        or isinstance(inner, (typehints.DictConstraint, typehints.UnionConstraint))
        or inner is dict
    ):
        return Shape(columns, "any", id_type, kept, declared=False)
    raise UsageError(
        f"the input's elements are {inner}; use strings, pairs of an id and a text, dicts or rows with a schema"
    )


def _optional(type_: Any) -> Any:
    """The type in the form that Beam's schemas know: `X | None` would be opaque to them."""
    return Union[type_.__args__] if isinstance(type_, UnionType) else type_


def _check_no_fields(columns: Columns, what: str) -> None:
    if columns.doc_type_name is not None:
        raise UsageError(
            f"the type is to come from field {columns.doc_type_name!r}, but the input has {what}, without other fields"
        )
    if columns.keep:
        raise UsageError(
            f"keep is {list(columns.keep)}, but the input has {what}, without other fields"
        )


def _check_text(text_type: Any, where: str) -> None:
    if _not_null(text_type) not in (str, bytes, typehints.Any, Any):
        raise UsageError(f"{where} is of type {text_type}; documents are str or bytes")


def _not_null(type_: Any) -> Any:
    """The type without None."""
    beam_type = convert_to_beam_type(type_)
    if typehints.is_nullable(beam_type) and beam_type not in (typehints.Any, Any):
        return typehints.get_concrete_type_from_nullable(beam_type)
    return type_


def _read_text(text: Any) -> Fields:
    return text_id(text), text


def _read_pair(pair: Any) -> Fields:
    return pair if len(pair) == 2 else (None, pair)


def _identified(read: Callable[[Any], Fields]) -> Callable[[Any], Fields]:
    """Reads the hash of a text in the place of its id, where `read` finds the text a second time."""

    def read_identified(element: Any) -> Fields:
        _, text, *kept = read(element)
        return text_id(text), text, *kept

    return read_identified


def _read_by(names: list[str]) -> Callable[[Any], Fields]:
    """Reads elements of which nothing is known before. What is not there is null."""

    values_of = operator.itemgetter(*names)

    def read(element: Any) -> Fields:
        try:
            if type(element) is dict:
                return values_of(element)
        except KeyError:
            pass
        if isinstance(element, Mapping):
            return [element.get(name) for name in names]
        if hasattr(element, "_asdict") or hasattr(element, "__dataclass_fields__"):
            return [getattr(element, name, None) for name in names]
        nothing = (None,) * (len(names) - 2)
        if isinstance(element, tuple) and len(element) == 2:
            return *element, *nothing
        return text_id(element), element, *nothing

    return read


def text_id(text: Any) -> str | None:
    """The id of a document that has none: 32 hexadecimal digits of a hash of the text, so equal texts have the same.

    None for what is not a text.
    """
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogatepass")
    elif text is None:
        text = b""
    return blake2b(text, digest_size=16).hexdigest() if isinstance(text, bytes) else None
