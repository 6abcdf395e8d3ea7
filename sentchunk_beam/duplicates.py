"""Ids that more than one document has. Ids alone are shuffled, in buckets of their hashes, and only where asked for."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from typing import Any
from zlib import crc32

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import coders as _coders  # registers the coder of pa.Table
from .plan import Unit
from .read import LostRows, SourceTable, read_part
from .settings import Columns
from .sources import Part
from .unit import Work

assert _coders

BUCKETS = 256
EXAMPLES = 10


class FindDuplicateIds(beam.PTransform):
    """Units → for each bucket of ids, what is in it twice, as JSON under the key "job"."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self._work = work

    def expand(self, units: beam.PCollection) -> beam.PCollection:
        return (
            units
            | "ReadIds" >> beam.ParDo(_ReadIds(self._work))
            | "Bucket" >> beam.GroupByKey()
            | "Compare" >> beam.MapTuple(_compare).with_output_types(tuple[str, str])
        )


@beam.typehints.with_input_types(str)
@beam.typehints.with_output_types(tuple[int, pa.Table])
class _ReadIds(beam.DoFn):
    def __init__(self, work: Work) -> None:
        self._work = work

    def process(self, unit: str) -> Iterator[tuple[int, pa.Table]]:
        gathered: list[pa.Array] = []
        for part in Unit.from_json(unit).parts:
            settings = _ids_only(self._work, part)
            for source in read_part(part, settings, self._work.carried_schema):
                if isinstance(source, SourceTable):
                    gathered += source.ids.drop_null().chunks
                elif isinstance(source, LostRows):
                    gathered.append(_known_ids(source, self._work.id_field.type))
        ids = pa.chunked_array(gathered, self._work.id_field.type)
        hashes = (crc32(str(value).encode()) for value in ids.to_pylist())
        buckets = np.fromiter(hashes, np.int64, len(ids)) % BUCKETS
        order = np.argsort(buckets, kind="stable")
        starts = np.searchsorted(buckets[order], np.arange(BUCKETS + 1))
        for bucket in range(BUCKETS):
            chosen = order[starts[bucket] : starts[bucket + 1]]
            if len(chosen):
                yield bucket, pa.table({"id": ids.take(pa.array(chosen))})


def _known_ids(lost: LostRows, id_type: pa.DataType) -> pa.Array:
    """The ids of documents that cannot be read: mended, they would have them."""
    found = (letter["document_id"] for letter in lost.letters)
    return pa.array([each for each in found if each is not None], id_type)


def _ids_only(work: Work, part: Part) -> Any:
    """Settings that read no text, except where only the text tells how many ids there are, or whether a line is sound.

    The first is so where the id is in the path. The second is so for JSON Lines, whose texts have to be strings.
    """
    columns = work.settings.columns
    assert columns.id is not None
    needs_text = columns.id in part.partition or part.format == "jsonl"
    text = columns.text if needs_text else columns.id
    return dataclasses.replace(work.settings, columns=Columns(text=text, id=columns.id))


def _compare(bucket: int, tables: Iterable[pa.Table]) -> tuple[str, str]:
    counted = pc.value_counts(pa.concat_tables(tables)["id"].combine_chunks())
    twice = counted.filter(pc.greater(counted.field("counts"), 1))
    examples = sorted(str(entry["values"]) for entry in twice.to_pylist())[:EXAMPLES]
    return "job", json.dumps(
        {
            "ids": len(twice),
            "documents": pc.sum(twice.field("counts")).as_py() or 0,
            "examples": examples,
        }
    )


def combined(reports: Iterable[str]) -> dict[str, Any]:
    """One report of all buckets: how many ids come more than once, how many documents have them, and a few ids."""
    found = list(map(json.loads, reports))
    return {
        "ids": sum(each["ids"] for each in found),
        "documents": sum(each["documents"] for each in found),
        "examples": sorted(name for each in found for name in each["examples"])[:EXAMPLES],
    }
