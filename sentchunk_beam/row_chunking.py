"""From a document as Python values to its chunks as rows, a document at a time.

What documents cost among rows is what is done for each of them and of their chunks in Python. To gather them into a table
would add to that: texts are copied into it and made again out of it, and the window of each has to be kept meanwhile.
"""

from __future__ import annotations

from typing import Any

from apache_beam.pvalue import TaggedOutput
from sentchunk import ChunkSpec, InvalidInput, LimitExceeded
from sentchunk.rows import RowMaker, row_maker

from .chunk_ids import Seeds
from .row_letters import DEAD_LETTERS, Letters
from .row_shapes import Fields, Shape
from .row_structure import StructureRows
from .schemas import Counts
from .settings import Settings


class RowChunker:
    """Chunks documents of one shape."""

    def __init__(self, shape: Shape, settings: Settings) -> None:
        spec, row_type = settings.spec, shape.chunk_type.user_type
        self._maker: RowMaker = (
            row_maker(spec, row_type, settings.drop_blank)
            if isinstance(spec, ChunkSpec)
            else StructureRows(spec, row_type, shape.columns.doc_type_name is not None)
        )
        self._most_bytes = spec.limits.max_text_bytes
        self._seeds = Seeds(settings.strategy.key)
        self._letters = Letters(shape)
        self._looked_at = not shape.declared
        self._dead_letters: dict[str, int] = {}

    def chunk(self, fields: Fields) -> list[Any]:
        """The rows of a document's chunks; or the row of its dead letter, with the tag of that output."""
        identity, text = fields[0], fields[1]
        if self._looked_at or type(text) is not str:
            letters = self._letters
            if tuple(map(type, fields)) not in letters.fitting:
                letter = letters.misfit(fields)
                if letter is not None:
                    return self._lost(letter)
        if identity is None:
            message = "the document's id is null, or not UTF-8"
            return self._lost(self._letters.letter(None, "null_id", message))
        if text is None:
            return self._lost(self._letters.letter(identity, "null_text", "the text is null"))
        try:
            if isinstance(text, bytes):
                text = self._decoded(text)
            return self._maker.rows(text, self._seeds.of(identity), identity, tuple(fields[2:]))
        except LimitExceeded as error:
            return self._lost(self._over_limit(identity, error))
        except UnicodeDecodeError as error:
            return self._lost(self._not_utf8(identity, error.start))
        except InvalidInput as error:
            if error.field == "doc_type":
                return self._lost(self._letters.letter(identity, "invalid_doc_type", str(error)))
            # A text can have nothing but a lone surrogate.
            return self._lost(self._not_utf8(identity, len(text[: error.position].encode())))

    def take_counts(self) -> Counts:
        """The figures of the documents since they were taken last."""
        figures, lost = self._maker.take_figures(), self._dead_letters
        self._dead_letters = {}
        documents = figures.chunked + sum(lost.values())
        return Counts(documents=documents, dead_letters=lost, **figures._asdict())

    def _decoded(self, raw: bytes) -> str:
        most = self._most_bytes
        if most is not None and len(raw) > most:  # whatever else is wrong with it
            raise LimitExceeded("max_text_bytes", most, len(raw))
        return raw.decode()

    def _over_limit(self, identity: Any, error: LimitExceeded) -> Any:
        name, limit, figure = error.limit_name, error.limit, error.figure
        return self._letters.letter(
            identity, error.code, str(error), limit_name=name, limit=limit, figure=figure
        )

    def _not_utf8(self, identity: Any, place: int) -> Any:
        message = f"the text is not UTF-8: byte {place:,} is the first wrong one"
        return self._letters.letter(identity, "invalid_utf8", message, byte_position=place)

    def _lost(self, letter: Any) -> list[Any]:
        self._dead_letters[letter.code] = self._dead_letters.get(letter.code, 0) + 1
        return [TaggedOutput(DEAD_LETTERS, letter)]
