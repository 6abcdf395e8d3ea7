"""From documents as Python values to chunks and dead letters as rows, by way of a table."""

# ruff: noqa: UP007, UP045  (Beam's schemas know Optional[X]; `X | None` fails where X is one of Beam's own types)

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional, Union

import pyarrow as pa
from apache_beam.typehints.native_type_compatibility import convert_to_beam_type
from apache_beam.typehints.trivial_inference import instance_to_type
from apache_beam.typehints.typehints import is_consistent_with

from .chunking import chunk_table
from .row_shapes import Fields, Shape
from .schemas import REJECT_COLUMNS, Counts, chunk_columns
from .settings import Columns, Settings, TypedColumns


class ChunkedRows(NamedTuple):
    """Rows in the documents' order, each with the place of its document among those that came in.

    Rows are made when they are asked for: many at once keep the garbage collector busier than anything else.
    """

    chunks: Iterator[tuple[int, Any]]
    dead_letters: Iterator[tuple[int, Any]]
    counts: Counts


class RowChunker:
    """Chunks documents of one shape."""

    def __init__(self, shape: Shape, settings: Settings) -> None:
        # The table has but the text and a number that leads back to the document: the rest needs no Arrow.
        self._typed = shape.columns.doc_type_name is not None
        columns = Columns(keep=("row",))
        if isinstance(shape.columns, TypedColumns):
            columns = TypedColumns(keep=("row",), doc_type=_TYPE if self._typed else None)
        self._settings = Settings(settings.spec, columns, drop_blank=settings.drop_blank)
        self._found = chunk_columns(shape.found)
        self._chunk = shape.chunk_type.user_type._make
        self._dead_letter = shape.dead_letter_type.user_type._make
        # Names and types of the id and of what is kept, where values have to be looked at.
        named = [(shape.columns.id or "id", Optional[shape.id_type]), *shape.kept]
        if self._typed:
            named.append((shape.columns.doc_type_name or _TYPE, Optional[str]))
        self._undeclared = [] if shape.declared else [(name, _Type(type_)) for name, type_ in named]

    def chunk(self, documents: Sequence[Fields]) -> ChunkedRows:
        ids, texts, *kept = map(list, zip(*documents, strict=True))
        wrong = dict(self._wrong_types(ids, texts, kept))
        rows = [row for row in range(len(ids)) if row not in wrong]
        numbers = pa.array(rows, pa.int64())
        columns = {"text": _text_column([texts[row] for row in rows]), "row": numbers}
        if self._typed:
            *kept, types = kept
            columns[_TYPE] = pa.array([types[row] for row in rows], pa.string())
        found = chunk_table(
            pa.table(columns),
            pa.chunked_array([_id_column([ids[row] for row in rows])]),
            self._settings,
            pa.table({"file": pa.nulls(len(rows)), "row": numbers}),
        )
        table = found.chunks
        owners = _values(table["row"])
        chunks = zip(
            _values(table["chunk_id"]),
            map(ids.__getitem__, owners),
            *(_values(table[name]) for name in self._found),
            *(map(values.__getitem__, owners) for values in kept),
            strict=True,
        )
        letters = [
            (row, (ids[row], *reasons))
            for row, *reasons in zip(
                *(_values(found.dead_letters[name]) for name in ("row", *REJECT_COLUMNS)),
                strict=True,
            )
        ]
        if wrong:
            letters += wrong.items()
            lost = {"wrong_type": len(wrong)}
            found.counts.add(Counts(documents=len(wrong), dead_letters=lost))
        return ChunkedRows(
            zip(owners, map(self._chunk, chunks), strict=True),
            ((row, self._dead_letter(letter)) for row, letter in sorted(letters, key=_place)),
            found.counts,
        )

    def _wrong_types(
        self, ids: list[Any], texts: list[Any], kept: list[list[Any]]
    ) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Dead letters for documents with a value that its field cannot have."""
        for row in _TEXT.misfits(texts):
            message = f"the text is of type {_name(texts[row])}; use str or bytes"
            yield row, (ids[row], *_wrong_type(message))
        columns = list(zip(self._undeclared, [ids, *kept], strict=False))
        for (name, type_), values in reversed(
            columns
        ):  # the id last: a wrong one has no place in a row
            for row in type_.misfits(values):
                given = _name(values[row])
                message = (
                    f"{name!r} is of type {given}, not {type_}; "
                    f"where that is right, say types={{{name!r}: {given}}}"
                )
                yield row, (None if values is ids else ids[row], *_wrong_type(message))


_TYPE = "doc_type"  # of the table


class _Type:
    """A type to hold values against."""

    def __init__(self, declared: Any) -> None:
        self._declared = declared
        self._beam_type = convert_to_beam_type(declared)
        self._fitting = {kind for kind in _PLAIN if is_consistent_with(kind, self._beam_type)}

    def __str__(self) -> str:
        name = (
            getattr(self._declared, "__name__", None) if isinstance(self._declared, type) else None
        )
        return name or str(self._declared).replace("typing.", "")

    def misfits(self, values: list[Any]) -> list[int]:
        """The places of values that are not of the type. Each is looked at only where there are others than plain ones."""
        if self._fitting.issuperset(map(type, values)):
            return []
        return [row for row, value in enumerate(values) if not self._fits(value)]

    def _fits(self, value: Any) -> bool:
        return type(value) in self._fitting or is_consistent_with(
            instance_to_type(value), self._beam_type
        )


_PLAIN = (str, bytes, int, float, bool, type(None))
_TEXT = _Type(Union[str, bytes, None])


def _place(letter: tuple[int, Any]) -> int:
    return letter[0]


def _wrong_type(message: str) -> Iterator[Any]:
    return map({"code": "wrong_type", "message": message}.get, REJECT_COLUMNS)


def _name(value: Any) -> str:
    return type(value).__name__


def _text_column(texts: list[Any]) -> pa.Array:
    """The texts; as bytes, for the engine to judge, where one has no UTF-8 form."""
    try:
        return pa.array(texts, pa.large_string())
    except (pa.ArrowException, UnicodeError):
        return pa.array(list(map(_raw, texts)), pa.large_binary())


def _id_column(ids: list[Any]) -> pa.Array:
    """The ids as the bytes that keys are made of."""
    return pa.array(
        [value if value is None or isinstance(value, bytes) else _raw(str(value)) for value in ids],
        pa.large_binary(),
    )


def _raw(text: Any) -> Any:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def _values(column: pa.ChunkedArray) -> list[Any]:
    return column.to_pylist() if column.null_count else column.to_numpy().tolist()
