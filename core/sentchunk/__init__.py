"""sentchunk: whole sentences, packed into chunks, with exact offsets.

The engine of sentchunk-beam. It knows text and Arrow columns; it knows no files and no Beam.
"""

from ._engine import kernel
from ._records import Chunk, Sentence
from .arrow import ChunkedDocuments, chunk_arrow
from .errors import InvalidInput, LimitExceeded, SentchunkError
from .json_form import DATA_VERSION, execute
from .semantic import ChunkResult, SemanticChunker
from .spec import ChunkSpec, Limits
from .text import chunk, sentences

__all__ = [
    "DATA_VERSION",
    "Chunk",
    "ChunkResult",
    "ChunkSpec",
    "ChunkedDocuments",
    "InvalidInput",
    "LimitExceeded",
    "Limits",
    "SemanticChunker",
    "SentchunkError",
    "Sentence",
    "chunk",
    "chunk_arrow",
    "execute",
    "kernel",
    "sentences",
]
