"""The tables that leave the Beam layer, and the figures that are counted beside them."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa
from sentchunk.arrow import CHUNKS_SCHEMA, REJECTS_SCHEMA

DERIVED_ID = pa.field("document_id", pa.string(), nullable=False)


def chunks_schema(
    id_field: pa.Field = DERIVED_ID,
    kept: tuple[pa.Field, ...] = (),
    found: pa.Schema = CHUNKS_SCHEMA,
) -> pa.Schema:
    """A row for each chunk: its key, the document's id, the columns of the engine, the columns carried along.

    `found` has the engine's columns: CHUNKS_SCHEMA for sentences, SEMANTIC_CHUNKS_SCHEMA for the type-aware strategy.
    """
    fields = [
        pa.field("chunk_id", pa.string(), nullable=False),
        pa.field("document_id", id_field.type, nullable=False),
    ]
    fields += [found.field(name) for name in chunk_columns(found)]
    return pa.schema([*fields, *kept])


def dead_letters_schema(id_field: pa.Field = DERIVED_ID, with_text: bool = False) -> pa.Schema:
    """A row for each document without chunks, and one for each file that could not be read.

    `file` and `row` say where it came from, where that is known. `documents` is how many documents the row stands
    for: 1, or the rows lost with a file, or null where the file does not tell. `text`, where it is asked for, has the
    first bytes of the document; they need not be UTF-8.
    """
    fields = [
        pa.field("document_id", id_field.type),
        pa.field("file", pa.string()),
        pa.field("row", pa.int64()),
        *(REJECTS_SCHEMA.field(name) for name in REJECT_COLUMNS),
        pa.field("documents", pa.int64()),
    ]
    return pa.schema([*fields, *([pa.field("text", pa.large_binary())] if with_text else [])])


def chunk_columns(found: pa.Schema) -> list[str]:
    return [name for name in found.names if name != "document"]


def reserved_columns(found: pa.Schema) -> frozenset[str]:
    """The names that no column carried along can have."""
    return frozenset(["chunk_id", "document_id", *chunk_columns(found)])


REJECT_COLUMNS = [name for name in REJECTS_SCHEMA.names if name != "document"]
RESERVED_COLUMNS = reserved_columns(CHUNKS_SCHEMA)


@dataclass
class Counts:
    """Figures of some documents. They add up: documents = chunked + the sum of dead_letters.

    `dead_letters` counts documents by reason code. `blank` counts chunks of white space only, which are among `chunks`
    unless they were dropped. `unreadable_files` counts files that lost documents;
    `files_of_unknown_size` those among them that do not tell how many.
    """

    documents: int = 0
    chunked: int = 0
    sentences: int = 0
    chunks: int = 0
    oversized: int = 0
    blank: int = 0
    text_bytes: int = 0
    dead_letters: dict[str, int] = field(default_factory=dict)
    unreadable_files: int = 0
    files_of_unknown_size: int = 0

    def add(self, other: Counts) -> None:
        for name, value in vars(other).items():
            if name == "dead_letters":
                self.dead_letters = dict(Counter(self.dead_letters) + Counter(value))
            else:
                setattr(self, name, getattr(self, name) + value)

    @property
    def balanced(self) -> bool:
        """Whether every document that came in was chunked or dead-lettered."""
        return self.documents == self.chunked + sum(self.dead_letters.values())

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
