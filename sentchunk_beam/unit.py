"""Do: read, chunk and write one unit. What it writes depends on the unit and the settings alone."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import chain

import pyarrow as pa

from . import files
from .chunking import ChunkedTable, chunk_table
from .errors import JobError
from .plan import Unit
from .read import Source, SourceTable, gathered, read_part
from .schemas import DERIVED_ID, Counts, chunks_schema, dead_letters_schema
from .settings import Settings
from .write import ParquetSink

TEMPORARY = "_temporary"


@dataclass(frozen=True)
class Work:
    """What a worker needs to know beside the unit. Small, and the same for all units.

    `output` is the job's folder; `id_field` and `kept_fields` are the types that its files have.
    """

    output: str
    settings: Settings
    id_field: pa.Field = DERIVED_ID
    kept_fields: tuple[pa.Field, ...] = ()

    @property
    def chunks_schema(self) -> pa.Schema:
        return chunks_schema(self.id_field, self.kept_fields, self.settings.strategy.schema)

    @property
    def dead_letters_schema(self) -> pa.Schema:
        return dead_letters_schema(self.id_field, self.settings.dead_letter_text)

    @property
    def carried_schema(self) -> pa.Schema:
        """The types of the id column, if there is one, and of the kept ones; others that are used are strings."""
        id_field = [self.id_field] if self.settings.columns.id is not None else []
        known = {field.name: field for field in [*id_field, *self.kept_fields]}
        columns = self.settings.columns.carried
        return pa.schema([known.get(name, pa.field(name, pa.string())) for name in columns])

    @property
    def unfinished(self) -> str:
        """Where everything lies until the job has succeeded. Readers pass over such a name."""
        return files.join(self.output, TEMPORARY)


@dataclass(frozen=True)
class Manifest:
    """What a finished unit wrote: its figures, and its files, which still have temporary names.

    A file is None where there were no rows for it.
    """

    unit: str
    index: int
    counts: Counts
    chunks_file: str | None
    dead_letters_file: str | None
    output_bytes: int

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        fields = json.loads(text)
        return cls(**{**fields, "counts": Counts(**fields["counts"])})


def do_unit(unit: Unit, work: Work, observe: Callable[[Counts], None]) -> Manifest:
    """Do a unit, unless it is done. `observe` gets the figures of each table as it is finished.

    Every attempt writes files of its own. The manifest, written last and whole, makes them the unit's: a retry finds
    it and does nothing again, and of two attempts at the same time either's files will do.
    """
    manifest_path = files.join(work.unfinished, f"{unit.id}.json")
    if files.exists(manifest_path):
        done = Manifest.from_json(files.read_text(manifest_path))
        if _is_whole(done):
            observe(done.counts)
            return done
    attempt = files.join(work.unfinished, f"{unit.id}.{uuid.uuid4().hex[:8]}")
    manifest = write(chunk(read(unit, work), work), unit, work, attempt, observe)
    if not (manifest.counts.balanced and _as_planned(unit, work, manifest.counts)):
        raise JobError(f"unit {unit.id} lost count of its documents: {manifest.counts}")
    files.write_text(manifest_path, manifest.to_json())
    return manifest


def _is_whole(manifest: Manifest) -> bool:
    """Whether the files of a finished unit are as long as they were written: a power cut may have taken their ends.

    A file that is no longer there has its final name already, from a commit that was cut off.
    """
    paths = [path for path in (manifest.chunks_file, manifest.dead_letters_file) if path]
    if not all(map(files.exists, paths)):
        return True
    return sum(files.look_up(path).size for path in paths) == manifest.output_bytes


def _as_planned(unit: Unit, work: Work, counts: Counts) -> bool:
    """Whether as many documents came in as the footers told, where they all did and all were to come."""
    planned = [part.rows for part in unit.parts if part.rows is not None]
    told = len(planned) == len(unit.parts) and work.settings.only_dead_letters is None
    return not told or counts.documents == sum(planned)


def read(unit: Unit, work: Work) -> Iterator[Source]:
    parts = (read_part(part, work.settings, work.carried_schema) for part in unit.parts)
    yield from gathered(chain.from_iterable(parts))


def chunk(sources: Iterable[Source], work: Work) -> Iterator[ChunkedTable]:
    for source in sources:
        if isinstance(source, SourceTable):
            yield chunk_table(
                source.table, source.ids, work.settings, source.place, source.doc_type
            )
        else:
            letters = pa.Table.from_pylist(source.letters, schema=work.dead_letters_schema)
            yield ChunkedTable(work.chunks_schema.empty_table(), letters, source.counts)


def write(
    tables: Iterable[ChunkedTable],
    unit: Unit,
    work: Work,
    attempt: str,
    observe: Callable[[Counts], None],
) -> Manifest:
    chunks = ParquetSink(f"{attempt}.chunks.parquet", work.chunks_schema)
    dead_letters = ParquetSink(f"{attempt}.dead_letters.parquet", work.dead_letters_schema)
    counts = Counts()
    try:
        for table in tables:
            for piece in table.pieces():
                chunks.write(piece)
            dead_letters.write(table.dead_letters)
            counts.add(table.counts)
            observe(table.counts)
        return Manifest(
            unit.id,
            unit.index,
            counts,
            chunks.path if chunks.close() else None,
            dead_letters.path if dead_letters.close() else None,
            chunks.bytes + dead_letters.bytes,
        )
    except BaseException:
        chunks.abort()
        dead_letters.abort()
        raise
