"""The type-aware chunker: mail, messages, notes and documents, by their own structure.

The kernel does it in C, and `reference` in numpy where there is no kernel. There a document's way is a module a step:
`kinds` (which rules a type has) → `tokens` → `parts` (`sections`, `replies`) → `paragraphs` → `sentences` → `forced` cuts →
`overlap`; `spans` is the way as a whole. `chunker` is the face of both, `columns` that for Arrow.
"""

from .._records import Spans
from .chunker import SemanticChunker, semantic_spans
from .implementation import ChunkResult
from .kinds import SemanticSpec

__all__ = ["ChunkResult", "SemanticChunker", "SemanticSpec", "Spans", "semantic_spans"]
