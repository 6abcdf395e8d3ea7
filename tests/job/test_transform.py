"""`ChunkDocuments` inside a pipeline, and how tables travel."""

from __future__ import annotations

import pickle

import apache_beam as beam
import pyarrow as pa
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.util import assert_that
from sentchunk import InvalidInput, Limits, chunk

from sentchunk_beam import ChunkDocuments, UsageError, chunks_schema
from sentchunk_beam.coders import TableCoder

OPTIONS = PipelineOptions(runner="FnApiRunner")
TABLES = [
    pa.table(
        {"id": ["a", "b", "c"], "text": ["One. Two.", None, "x" * 50], "lang": ["en", "en", "?"]}
    ),
    pa.table({"id": ["d"], "text": ["日本。"], "lang": ["ja"]}),
]


def run(transform: ChunkDocuments, tables: list[pa.Table], chunks=None, dead_letters=None):
    pipeline = beam.Pipeline(options=OPTIONS)
    result = pipeline | beam.Create(tables) | beam.Reshuffle() | transform
    if chunks is not None:
        assert_that(result.chunks, same_rows(chunks), "chunks")
    if dead_letters is not None:
        assert_that(result.dead_letters, same_rows(dead_letters), "dead letters")
    done = pipeline.run()
    done.wait_until_finish()
    return done


def same_rows(expected: list[dict]):
    def check(tables: list[pa.Table]) -> None:
        assert all(isinstance(table, pa.Table) for table in tables)
        found = [
            {key: value for key, value in row.items() if key in expected[0]}
            for table in tables
            for row in table.to_pylist()
        ]
        assert sorted(found, key=str) == sorted(expected, key=str)

    return check


def test_chunks_and_dead_letters() -> None:
    expected = [
        {"document_id": identity, "chunk_index": index, **row._asdict(), "lang": lang}
        for identity, text, lang in [("a", "One. Two.", "en"), ("d", "日本。", "ja")]
        for index, row in enumerate(chunk(text, max_size=5))
    ]
    dead = [
        {"document_id": "b", "code": "null_text", "file": None, "documents": 1},
        {"document_id": "c", "code": "limit_exceeded", "file": None, "documents": 1},
    ]
    done = run(
        ChunkDocuments(max_size=5, id_column="id", keep=["lang"], limits=Limits(max_text_bytes=40)),
        TABLES,
        expected,
        dead,
    )
    counters = {
        metric.key.metric.name: metric.committed
        for metric in done.metrics().query()["counters"]
        if metric.key.metric.namespace == "sentchunk"
    }
    assert counters.items() >= {
        "documents": 4, "chunked": 2, "chunks": 3, "sentences": 3,
        "dead_letters_null_text": 1, "dead_letters_limit_exceeded": 1,
    }.items()  # fmt: skip
    distributions = {
        metric.key.metric.name: metric.committed
        for metric in done.metrics().query()["distributions"]
        if metric.key.metric.namespace == "sentchunk"
    }
    sizes, chunks = distributions["document_bytes"], distributions["chunks_per_document"]
    assert (sizes.count, sizes.min, sizes.max) == (2, 9, 9)
    assert (chunks.min, chunks.max) == (1, 2)


def test_blank_chunks_are_left_out_where_asked() -> None:
    text = "One.\n\n\n\n\n\nTwo."
    spoken = [
        {"document_id": "a", "chunk_index": index, "text": row.text}
        for index, row in enumerate(chunk(text, max_size=5))
        if row.text.strip()
    ]
    assert len(spoken) < len(chunk(text, max_size=5))
    table = pa.table({"id": ["a"], "text": [text]})
    run(ChunkDocuments(max_size=5, id_column="id", drop_blank=True), [table], spoken, None)


def test_schema_is_the_one_that_is_told() -> None:
    told = chunks_schema(pa.field("document_id", pa.string()), (pa.field("lang", pa.string()),))

    def check(tables: list[pa.Table]) -> None:
        for table in tables:
            assert table.schema.equals(told)  # nullability too, or Beam's writers refuse it

    with beam.Pipeline(options=OPTIONS) as pipeline:
        result = (
            pipeline
            | beam.Create(TABLES)
            | ChunkDocuments(max_size=5, id_column="id", keep=["lang"])
        )
        assert_that(result.chunks, check)


def test_outputs_are_typed() -> None:
    pipeline = beam.Pipeline(options=OPTIONS)
    result = pipeline | beam.Create(TABLES) | ChunkDocuments(max_size=5, id_column="id")
    assert (result.chunks.element_type, result.dead_letters.element_type) == (pa.Table, pa.Table)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"max_size": 0}, InvalidInput, "max_size is 0"),
        ({"max_size": 5, "overlap": 17}, InvalidInput, "overlap is 17"),
        ({"max_size": 5, "unit": "words"}, InvalidInput, "'words'"),
        ({"max_size": 5, "keep": "lang"}, UsageError, "keep is 'lang'; give a list"),
        ({"max_size": 5, "keep": ["text"]}, UsageError, "cannot keep column 'text'"),
    ],
)
def test_mistakes_show_at_construction(options: dict, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        ChunkDocuments(id_column="id", **options)


def test_a_missing_column_says_which_there_are() -> None:
    with pytest.raises(Exception, match="no column 'body'; the table has: id, text, lang"):
        run(ChunkDocuments(max_size=5, id_column="id", text_column="body"), TABLES)


def test_a_slice_travels_without_what_it_is_a_slice_of() -> None:
    whole = pa.table({"text": ["x" * 1000] * 1000})
    part, coder = whole.slice(10, 1), TableCoder()
    encoded = coder.encode(part)
    assert len(encoded) < 3000 < len(pickle.dumps(part))
    assert coder.decode(encoded).equals(part)
    assert coder.estimate_size(part) < 3000
    assert isinstance(beam.coders.registry.get_coder(pa.Table), TableCoder)
