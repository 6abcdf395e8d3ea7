"""Which of the two implementations runs: the compiled kernel where there is one, else the reference in Python."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from ._records import Chunk, Int64Array, PackedChunks, PackedDocuments, RowFigures, Sentence
from .spec import ChunkSpec, Limits, Unit


class RowMaker(Protocol):
    """Makes rows of the chunks of texts, and counts: `_reference.RowMaker`."""

    def rows(self, text: str, seed: bytes, identity: Any, kept: tuple[Any, ...]) -> list[Any]: ...

    def take_figures(self) -> RowFigures: ...


class Implementation(Protocol):
    """What both have. They give the same for the same, errors included."""

    def pack_documents(
        self,
        data: npt.NDArray[np.uint8],
        offsets: Int64Array,
        valid: npt.NDArray[np.bool_] | None,
        spec: ChunkSpec,
    ) -> tuple[PackedChunks, PackedDocuments]: ...

    def gather(
        self, data: npt.NDArray[np.uint8], starts: Int64Array, ends: Int64Array
    ) -> tuple[npt.NDArray[np.uint8], Int64Array]: ...

    def chunk_text(
        self, text: str, max_size: int, unit: Unit, overlap: int, limits: Limits
    ) -> tuple[list[Chunk], int]: ...

    def row_maker(self, spec: ChunkSpec, row_type: type[Any], drop_blank: bool) -> RowMaker: ...

    def chunk_key(self, seed: bytes, index: int) -> str: ...

    def sentence_list(self, text: str) -> list[Sentence]: ...


kernel: Literal["native", "python"]
active: Implementation

try:
    import sentchunk._kernel as _kernel
except ImportError as error:
    from . import _reference

    warnings.warn(
        f"sentchunk runs without its compiled kernel ({error}): results are the same, but columns take "
        "hundreds of times as long. To have it, install a C compiler and then `pip install --force-reinstall --no-cache-dir "
        "sentchunk-beam`.",
        RuntimeWarning,
        stacklevel=2,
    )
    kernel, active = "python", _reference
else:
    kernel, active = "native", _kernel
