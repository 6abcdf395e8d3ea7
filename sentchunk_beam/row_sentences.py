"""From a document as Python values to its chunks as rows, by the sentence strategy, a document at a time.

What documents cost among rows is what is done for each of them and of their chunks in Python. To gather them into a table
would add to that: texts are copied into it and made again out of it, and the window of each has to be kept meanwhile.
"""

from __future__ import annotations

from typing import Any

from apache_beam.pvalue import TaggedOutput
from sentchunk import Chunk, ChunkSpec, InvalidInput, LimitExceeded
from sentchunk.text import rows_with

from .chunk_ids import Seeds
from .row_letters import DEAD_LETTERS, Letters
from .row_shapes import Fields, Shape
from .schemas import Counts
from .settings import Settings


class SentenceChunker:
    """Chunks documents of one shape. `counts` has the figures of those since it was set."""

    def __init__(self, shape: Shape, spec: ChunkSpec, settings: Settings) -> None:
        self.counts = Counts()
        self._spec = spec
        self._seeds = Seeds(settings.strategy.key)
        self._letters = Letters(shape)
        self._looked_at = not shape.declared
        self._drop_blank = settings.drop_blank
        self._row = shape.chunk_type.user_type

    def chunk(self, fields: Fields) -> list[Any]:
        """The rows of a document's chunks; or the row of its dead letter, with the tag of that output."""
        self.counts.documents += 1
        identity, text = fields[0], fields[1]
        if self._looked_at or type(text) is not str:
            letter = self._letters.misfit(fields)
            if letter is not None:
                return self._lost(letter)
        if identity is None:
            message = "the document's id is null, or not UTF-8"
            return self._lost(self._letters.letter(None, "null_id", message))
        if text is None:
            return self._lost(self._letters.letter(identity, "null_text", "the text is null"))
        form = (self._row, self._seeds.of(identity), identity, tuple(fields[2:]))
        try:
            if isinstance(text, bytes):
                text = self._decoded(text)
            rows, sentences, size = rows_with(self._spec, text, form)
        except LimitExceeded as error:
            return self._lost(self._over_limit(identity, error))
        except UnicodeDecodeError as error:
            return self._lost(self._not_utf8(identity, error.start))
        except InvalidInput as error:  # a text can have nothing but a lone surrogate
            return self._lost(self._not_utf8(identity, len(text[: error.position].encode())))
        counts = self.counts
        counts.chunked += 1
        counts.sentences += sentences
        counts.text_bytes += size
        return self._counted(rows)

    def _counted(self, rows: list[Any]) -> list[Any]:
        """The rows, without the blank ones where they are to be left out."""
        blank = oversized = 0
        for row in rows:  # by place: by name it takes twice the time, for every chunk that there is
            if row[_TEXT].isspace():
                blank += 1
            if row[_OVERSIZED]:
                oversized += 1
        counts = self.counts
        if blank:
            counts.blank += blank
            if self._drop_blank:
                return self._counted([row for row in rows if not row[_TEXT].isspace()])
        if oversized:
            counts.oversized += oversized
        counts.chunks += len(rows)
        return rows

    def _decoded(self, raw: bytes) -> str:
        most = self._spec.limits.max_text_bytes
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
        lost = self.counts.dead_letters
        lost[letter.code] = lost.get(letter.code, 0) + 1
        return [TaggedOutput(DEAD_LETTERS, letter)]


_TEXT, _OVERSIZED = (3 + Chunk._fields.index(name) for name in ("text", "oversized"))
