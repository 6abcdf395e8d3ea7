from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ._records import (
    Chunk,
    Int64Array,
    PackedChunks,
    PackedDocuments,
    RowFigures,
    Sentence,
    Spans,
    StructuredChunks,
)
from ._records import ChunkResult as ChunkResult
from .semantic.kinds import Kind, SemanticSpec
from .spec import ChunkSpec, Limits, Unit

def pack_documents(
    data: npt.NDArray[np.uint8],
    offsets: Int64Array,
    valid: npt.NDArray[np.bool_] | None,
    spec: ChunkSpec,
) -> tuple[PackedChunks, PackedDocuments]: ...
def gather(
    data: npt.NDArray[np.uint8], starts: Int64Array, ends: Int64Array
) -> tuple[npt.NDArray[np.uint8], Int64Array]: ...
def chunk_text(
    text: str, max_size: int, unit: Unit, overlap: int, limits: Limits
) -> tuple[list[Chunk], int]: ...

class RowMaker:
    def __init__(self, spec: ChunkSpec, row_type: type[Any], drop_blank: bool) -> None: ...
    def rows(self, text: str, seed: bytes, identity: Any, kept: tuple[Any, ...]) -> list[Any]: ...
    def take_figures(self) -> RowFigures: ...

def row_maker(spec: ChunkSpec, row_type: type[Any], drop_blank: bool) -> RowMaker: ...
def chunk_key(seed: bytes, index: int) -> str: ...
def sentence_list(text: str) -> list[Sentence]: ...
def semantic_spans(text: str, kind: Kind, spec: SemanticSpec) -> Spans: ...
def semantic_results(
    text: str, kind: Kind, spec: SemanticSpec, metadata: Mapping[str, Any] | None
) -> list[ChunkResult]: ...
def semantic_column(
    data: npt.NDArray[np.uint8],
    offsets: Int64Array,
    valid: npt.NDArray[np.bool_] | None,
    kinds: npt.NDArray[np.int8],
    spec: SemanticSpec,
    limits: Limits,
) -> tuple[StructuredChunks, npt.NDArray[np.uint8], Int64Array]: ...
def go_wide(wide: bool) -> bool: ...
