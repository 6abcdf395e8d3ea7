"""Dead letters of rows, and which documents have one whatever the engine would say: those with a value of a wrong type."""

# ruff: noqa: UP007, UP045  (Beam's schemas know Optional[X]; `X | None` fails where X is one of Beam's own types)

from __future__ import annotations

from typing import Any, Optional, Union, get_args

from apache_beam.typehints.native_type_compatibility import convert_to_beam_type
from apache_beam.typehints.trivial_inference import instance_to_type
from apache_beam.typehints.typehints import is_consistent_with

from .row_shapes import Fields, Shape

DEAD_LETTERS = "dead_letters"  # the tag of that output


class Letters:
    """Writes the dead letters of documents of one shape."""

    def __init__(self, shape: Shape) -> None:
        self._row = shape.dead_letter_type.user_type
        self._id_name = shape.columns.id or "id"
        # Of what a schema tells, only texts are looked at: for those the engine stands surety.
        known = Any if shape.declared else None
        kept = [(name, _Type(known or type_)) for name, type_ in shape.kept]
        if shape.columns.doc_type_name is not None:
            kept.append((shape.columns.doc_type_name, _Type(known or Optional[str])))
        self._id = _Type(known or Optional[shape.id_type])
        self._kept = kept
        # Of whole documents, those known to need no further look: one is faster than several.
        self.fitting: set[tuple[type, ...]] = set()
        self._plain = [self._id.plain, _TEXT.plain, *(type_.plain for _, type_ in kept)]

    def letter(
        self,
        identity: Any,
        code: str,
        message: str,
        *,
        limit_name: str | None = None,
        limit: int | None = None,
        figure: int | None = None,
        byte_position: int | None = None,
    ) -> Any:
        """The row of a document's dead letter."""
        return self._row(identity, code, limit_name, limit, figure, byte_position, message)

    def misfit(self, fields: Fields) -> Any:
        """The dead letter of a document with a value that its field cannot have; None for any other."""
        types = tuple(map(type, fields))
        if all(kind in plain for kind, plain in zip(types, self._plain, strict=True)):
            self.fitting.add(types)
            return None
        return self._looked_into(fields)

    def _looked_into(self, fields: Fields) -> Any:
        identity, text, *kept = fields
        if not self._id.fits(identity):  # one that has no place in the letter
            return self._wrong_type(None, self._id_name, self._id, identity)
        for value, (name, type_) in zip(kept, self._kept, strict=True):
            if not type_.fits(value):
                return self._wrong_type(identity, name, type_, value)
        if not _TEXT.fits(text):
            message = f"the text is of type {type(text).__name__}; use str or bytes"
            return self.letter(identity, "wrong_type", message)
        return None

    def _wrong_type(self, identity: Any, name: str, type_: _Type, value: Any) -> Any:
        given = type(value).__name__
        message = (
            f"{name!r} is of type {given}, not {type_}; "
            f"where that is right, say types={{{name!r}: {given}}}"
        )
        return self.letter(identity, "wrong_type", message)


class _Type:
    """A type to hold values against. `plain`: types of values that need no further look."""

    def __init__(self, declared: Any) -> None:
        self._declared = declared
        self._beam_type = convert_to_beam_type(declared)
        self.plain = {kind for kind in _PLAIN if is_consistent_with(kind, self._beam_type)}

    def __str__(self) -> str:
        if isinstance(self._declared, type) and not get_args(self._declared):
            return self._declared.__name__
        return str(self._declared).replace("typing.", "")

    def fits(self, value: Any) -> bool:
        return type(value) in self.plain or is_consistent_with(
            instance_to_type(value), self._beam_type
        )


_PLAIN = (str, bytes, int, float, bool, type(None))
_TEXT = _Type(Union[str, bytes, None])
