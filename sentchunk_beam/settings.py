"""What decides on the rows of a job, beside the documents: the same settings and documents give the same rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sentchunk import ChunkSpec, Limits

from .errors import UsageError
from .schemas import RESERVED_COLUMNS


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
                raise UsageError(
                    f"cannot keep column {name!r}: the chunks have a column of that name themselves; "
                    "rename it in the input, or leave it out"
                )
        for name in set(self.keep):
            if self.keep.count(name) > 1:
                raise UsageError(f"column {name!r} is to be kept twice; name it once")

    @property
    def used(self) -> list[str]:
        """Every column that has to be read, each once."""
        return list(dict.fromkeys([self.text, *self.carried]))

    @property
    def carried(self) -> list[str]:
        """Every column that is used but for its text, each once."""
        return list(dict.fromkeys([*([self.id] if self.id is not None else []), *self.keep]))


@dataclass(frozen=True)
class Settings:
    """How documents are chunked, and what is written of them.

    drop_blank: leave out chunks of white space only, which embedding services refuse; the others keep their index.
    dead_letter_text: add the document's bytes, the first DEAD_LETTER_TEXT_BYTES of them, to its dead letter.
    only_dead_letters: the folder of a finished job; just the documents that it sent to its dead letters are chunked.
    """

    spec: ChunkSpec
    columns: Columns = field(default_factory=Columns)
    drop_blank: bool = False
    dead_letter_text: bool = False
    only_dead_letters: str | None = None

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Settings:
        """Settings as `dataclasses.asdict` and a summary have them."""
        spec, columns = fields["spec"], fields["columns"]
        return cls(
            **fields
            | {
                "spec": ChunkSpec(**spec | {"limits": Limits(**spec["limits"])}),
                "columns": Columns(**columns | {"keep": tuple(columns["keep"])}),
            }
        )


DEAD_LETTER_TEXT_BYTES = 64 << 10
