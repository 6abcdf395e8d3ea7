"""The type-aware chunker: mail, messages, notes and documents, by their own structure.

A document's way, a module a step: `kinds` (which rules a type has) → `tokens` → `parts` (`sections`, `replies`) →
`paragraphs` → `sentences` → `forced` cuts → `overlap`; `spans` is the way as a whole, `chunker` its face.
Every step is a few passes over arrays, so the time is that of the text, whatever the caps are.
"""

from .chunker import ChunkResult, SemanticChunker
from .kinds import SemanticSpec
from .spans import Spans, semantic_spans

__all__ = ["ChunkResult", "SemanticChunker", "SemanticSpec", "Spans", "semantic_spans"]
