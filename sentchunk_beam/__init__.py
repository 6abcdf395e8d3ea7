"""sentchunk_beam: sentence chunking on Apache Beam, as a transform and as a job from files to files."""

from . import _beam as _beam  # isort: skip  (before all that imports Beam)

from .errors import JobError, UsageError
from .job import Job
from .rows import ChunkRows, ChunkRowsByType
from .schemas import chunks_schema, dead_letters_schema
from .settings import Columns, Settings
from .transforms import ChunkDocuments, ChunkDocumentsByType

__all__ = [
    "ChunkDocuments",
    "ChunkDocumentsByType",
    "ChunkRows",
    "ChunkRowsByType",
    "Columns",
    "Job",
    "JobError",
    "Settings",
    "UsageError",
    "chunks_schema",
    "dead_letters_schema",
]
