"""Which implementation of the type-aware chunker runs: the kernel's where there is one, else the reference in numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from .. import _engine
from .._records import ChunkResult, Int64Array, Spans, StructuredChunks
from ..spec import Limits
from .kinds import Kind, SemanticSpec

__all__ = ["ChunkResult", "Implementation", "active"]


class Implementation(Protocol):
    """What both have. They give the same for the same, but that each has its own class of ChunkResult."""

    def semantic_spans(self, text: str, kind: Kind, spec: SemanticSpec) -> Spans: ...

    def semantic_results(
        self, text: str, kind: Kind, spec: SemanticSpec, metadata: Mapping[str, Any] | None
    ) -> list[ChunkResult]: ...

    def semantic_column(
        self,
        data: npt.NDArray[np.uint8],
        offsets: Int64Array,
        valid: npt.NDArray[np.bool_] | None,
        kinds: npt.NDArray[np.int8],
        spec: SemanticSpec,
        limits: Limits,
    ) -> tuple[StructuredChunks, npt.NDArray[np.uint8], Int64Array]: ...


active: Implementation

if _engine.kernel == "native":
    from .. import _kernel

    active = _kernel
    if not TYPE_CHECKING:  # to a type checker they are one class
        ChunkResult = _kernel.ChunkResult
else:
    from . import reference

    active = reference
