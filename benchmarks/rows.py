"""How fast rows are beside tables: `ChunkRows` beside `ChunkDocuments`, on the same documents, in turn.

    python -m benchmarks.rows [BYTES OF A DOCUMENT...]      (2000 without)

Both run on Beam's in-process runner: `transform` from documents in memory to a counter, `files` from Parquet to Parquet
by Beam's own reader and writer. The table path has tables all the way, the row path rows all the way; `by hand` is what a
pipeline of rows would do without `ChunkRows`: make tables of its rows, chunk those, make rows of the chunks. `Beam alone` is
what rows cost whoever chunks: documents in, chunks out that were made before, nothing done between. A ratio is taken within
a round, and given as the median and the spread of the rounds. Time is that of the processor, all of a pipeline's included:
on a machine that does other work besides, the clock on the wall tells of that.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
from apache_beam.io import parquetio
from apache_beam.options.pipeline_options import PipelineOptions
from sentchunk import ChunkSpec

from benchmarks.corpora import documents, english
from sentchunk_beam import ChunkDocuments, ChunkRows, Columns, Settings, chunks_schema
from sentchunk_beam.row_chunking import RowChunker
from sentchunk_beam.row_shapes import shape_of

ROUNDS = 5
TIMES = 25  # over and over the same 4 MB
ROWS_OF_A_TABLE = 1000
OPTIONS = {"max_size": 1000}


def compare(size: int) -> None:
    texts = documents(english(), size)
    table = pa.table({"id": [f"doc-{number}" for number in range(len(texts))], "text": texts})
    total = TIMES * sum(map(len, texts)) / 1e6
    print(f"\ndocuments of {size:,} bytes, {total:.0f} MB, chunks of up to {OPTIONS['max_size']}")
    make_chunks(rows_of(table))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "corpus.parquet")
        pq.write_table(pa.concat_tables([table] * TIMES), source, row_group_size=20_000)
        contests: dict[str, dict[str, Callable[[], None]]] = {
            "transform": {
                "tables": lambda: in_memory(tables_of(table), chunk_tables()),
                "NamedTuples": lambda: in_memory(rows_of(table), ChunkRows(**OPTIONS)),
                "dicts": lambda: in_memory(table.to_pylist(), ChunkRows(**OPTIONS)),
                "pairs": lambda: in_memory(pairs_of(table), ChunkRows(**OPTIONS)),
                "by hand": lambda: in_memory(rows_of(table), RowsThroughTables()),
                "Beam alone": lambda: in_memory(rows_of(table), chunks_made_before()),
            },
            "files": {
                "tables": lambda: table_files(str(source), folder),
                "rows": lambda: row_files(str(source), folder, ChunkRows(**OPTIONS)),
                "Beam alone": lambda: row_files(str(source), folder, chunks_made_before()),
            },
        }
        for contest, runs in contests.items():
            measure(contest, runs, total)


def measure(contest: str, runs: dict[str, Callable[[], None]], total: float) -> None:
    rounds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            started = time.process_time()
            run()
            rounds[name].append(time.process_time() - started)
    for name, times in rounds.items():
        ratios = [own / tables for own, tables in zip(times, rounds["tables"], strict=True)]
        print(
            f"{contest:>10} {name:<12} {total / statistics.median(times):6.0f} MB/s  "
            f"{statistics.median(ratios):5.2f} times the time of tables ({min(ratios):.2f}-{max(ratios):.2f})"
        )


def chunk_tables() -> ChunkDocuments:
    return ChunkDocuments(id_column="id", **OPTIONS)


class RowsThroughTables(beam.PTransform):
    """`ChunkDocuments` among rows."""

    def expand(self, rows: beam.PCollection) -> Any:
        batches = (
            rows
            | beam.BatchElements(ROWS_OF_A_TABLE, ROWS_OF_A_TABLE)
            | beam.Map(_table).with_output_types(pa.Table)
        )
        return (batches | chunk_tables()).chunks | beam.FlatMap(pa.Table.to_pylist)


def _table(rows: list[Any]) -> pa.Table:
    ids, texts = zip(*rows, strict=True)
    return pa.table({"id": ids, "text": texts})


# The chunks of the documents, by their ids.
_made: dict[str, list[Any]] = {}


def make_chunks(documents: list[Any]) -> None:
    """Fill `_made`."""
    _made.clear()
    shape = shape_of(type_of(documents[0]), Columns("text", "id"), {})
    chunker = RowChunker(shape, Settings(ChunkSpec(**OPTIONS), shape.columns))
    _made.update((document.id, chunker.chunk(document)) for document in documents)


def chunks_made_before() -> beam.PTransform:
    row = type(next(iter(_made.values()))[0])
    return beam.FlatMap(_chunks_of).with_output_types(row)


def _chunks_of(document: Any) -> list[Any]:
    return _made[document.id]


def tables_of(table: pa.Table) -> list[pa.Table]:
    return [
        table.slice(first, ROWS_OF_A_TABLE) for first in range(0, table.num_rows, ROWS_OF_A_TABLE)
    ]


def rows_of(table: pa.Table) -> list[Any]:
    row_type = beam.typehints.row_type.RowTypeConstraint.from_fields([("id", str), ("text", str)])
    return list(map(row_type.user_type._make, pairs_of(table)))


def pairs_of(table: pa.Table) -> list[tuple[str, str]]:
    return list(zip(table["id"].to_pylist(), table["text"].to_pylist(), strict=True))


# Documents in memory, which no pipeline has to carry.
_held: list[Any] = []


def _give_out(_: Any) -> Iterator[Any]:
    for _ in range(TIMES):
        yield from _held


def in_memory(elements: list[Any], transform: beam.PTransform) -> None:
    _held[:] = elements
    with beam.Pipeline(options=PipelineOptions(runner="FnApiRunner")) as pipeline:
        held = pipeline | beam.Create([None]) | beam.FlatMap(_give_out)
        held.element_type = type_of(elements[0])
        result = held | transform
        getattr(result, "chunks", result) | beam.FlatMap(_count)


def type_of(element: Any) -> Any:
    return beam.typehints.trivial_inference.instance_to_type(element)


def _count(chunk: Any) -> tuple[()]:
    return ()


def table_files(source: str, folder: str) -> None:
    with beam.Pipeline(options=PipelineOptions(runner="FnApiRunner")) as pipeline:
        tables = pipeline | parquetio.ReadFromParquetBatched(source)
        schema = chunks_schema()
        (tables | chunk_tables()).chunks | parquetio.WriteToParquetBatched(
            f"{folder}/tables", schema, codec="zstd"
        )


def row_files(source: str, folder: str, transform: beam.PTransform) -> None:
    with beam.Pipeline(options=PipelineOptions(runner="FnApiRunner")) as pipeline:
        rows = pipeline | parquetio.ReadFromParquet(source, as_rows=True)
        result = rows | transform
        chunks = getattr(result, "chunks", result)
        chunks | parquetio.WriteToParquet(f"{folder}/rows", codec="zstd")


if __name__ == "__main__":
    # From the module by its name: what is in `__main__`, Beam pickles into the pipeline, the documents among it.
    from benchmarks.rows import compare as compare_by_name

    for given in sys.argv[1:] or ["2000"]:
        compare_by_name(int(given))
