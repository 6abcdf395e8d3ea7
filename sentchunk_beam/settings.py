"""What decides on the rows of a job, beside the documents: the same settings and documents give the same rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .errors import UsageError
from .schemas import RESERVED_COLUMNS, reserved_columns
from .strategies import Spec, Strategy, spec_from_dict, strategy_of


@dataclass(frozen=True)
class Columns:
    """Which columns of a table of documents are used, and for what.

    text: the documents. id: what chunks and dead letters carry as `document_id`, or None where an id is derived.
    keep: columns carried along to each chunk, types unchanged. Raises UsageError where a name would clash.
    """

    text: str = "text"
    id: str | None = None
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.keep:
            if name in RESERVED_COLUMNS:
                raise _cannot_keep(name)
        for name in set(self.keep):
            if self.keep.count(name) > 1:
                raise UsageError(f"column {name!r} is to be kept twice; name it once")

    @property
    def doc_type_name(self) -> str | None:
        """The column that tells the documents' types, where there is one."""
        return None

    @property
    def used(self) -> list[str]:
        """Every column that has to be read, each once."""
        return list(dict.fromkeys([self.text, *self.carried]))

    @property
    def carried(self) -> list[str]:
        """Every column that is used but for its text, each once."""
        return list(dict.fromkeys([*([self.id] if self.id is not None else []), *self.keep]))


@dataclass(frozen=True)
class TypedColumns(Columns):
    """Columns for the type-aware strategy. doc_type: tells the type of each document."""

    doc_type: str | None = None

    @property
    def doc_type_name(self) -> str | None:
        return self.doc_type

    @property
    def carried(self) -> list[str]:
        return list(dict.fromkeys([*super().carried, *([self.doc_type] if self.doc_type else [])]))


@dataclass(frozen=True)
class Settings:
    """How documents are chunked, and what is written of them.

    spec: the parameters of the strategy, and with them the strategy.
    drop_blank: leave out chunks of white space only, which embedding services refuse; the others keep their index.
    dead_letter_text: add the document's bytes, the first DEAD_LETTER_TEXT_BYTES of them, to its dead letter.
    only_dead_letters: the folder of a finished job; just the documents that it sent to its dead letters are chunked.
    """

    spec: Spec
    columns: Columns = field(default_factory=Columns)
    drop_blank: bool = False
    dead_letter_text: bool = False
    only_dead_letters: str | None = None

    def __post_init__(self) -> None:
        clash = reserved_columns(self.strategy.schema).intersection(self.columns.keep)
        if clash:
            raise _cannot_keep(min(clash))

    @property
    def strategy(self) -> Strategy:
        return strategy_of(self.spec)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Settings:
        """Settings as `dataclasses.asdict` and a summary have them."""
        columns = fields["columns"]
        kind = TypedColumns if "doc_type" in columns else Columns
        return cls(
            **fields
            | {
                "spec": spec_from_dict(fields["spec"]),
                "columns": kind(**columns | {"keep": tuple(columns["keep"])}),
            }
        )


DEAD_LETTER_TEXT_BYTES = 64 << 10


def _cannot_keep(name: str) -> UsageError:
    return UsageError(
        f"cannot keep column {name!r}: the chunks have a column of that name themselves; "
        "rename it in the input, or leave it out"
    )
