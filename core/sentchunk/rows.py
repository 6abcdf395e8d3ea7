"""Chunks of a document as rows of a caller's type: what a pipeline of rows is made with."""

from __future__ import annotations

from typing import Any

from . import _engine
from ._engine import RowMaker
from ._records import RowFigures
from .spec import ChunkSpec

__all__ = ["RowFigures", "RowMaker", "chunk_key", "row_maker"]


def row_maker(spec: ChunkSpec, row_type: type[Any], drop_blank: bool) -> RowMaker:
    """Makes rows of the chunks of texts, and counts.

    row_type: a type of tuples. A row has its key, an identity, the chunk's index, the fields of `Chunk`, and what is kept.
    drop_blank: leave out chunks of white space only; the others keep their index.
    """
    return _engine.active.row_maker(spec, row_type, drop_blank)


def chunk_key(seed: bytes, index: int) -> str:
    """The key of a chunk, a UUID of version 8 (RFC 9562): a seed of 12 bytes but for the bits that are the version's, then
    the chunk's index.
    """
    return _engine.active.chunk_key(seed, index)
