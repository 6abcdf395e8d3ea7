"""Rows of chunks and of dead letters go where rows go: into Beam's own writer to BigQuery, with a client that keeps them."""

# ruff: noqa: UP045  (to Beam's schemas, `str | None` is opaque)
# No `from __future__ import annotations` here: the fields of schema NamedTuples have to be types, not strings.

from typing import Any, NamedTuple, Optional

import apache_beam as beam
import numpy as np
from apache_beam.io.gcp.bigquery import BigQueryDisposition, WriteToBigQuery
from apache_beam.io.gcp.bigquery_tools import (
    get_beam_typehints_from_tableschema,
    get_dict_table_schema,
)
from apache_beam.options.pipeline_options import PipelineOptions
from sentchunk import Limits, chunk

from sentchunk_beam import ChunkRows

CHUNKS = (
    "chunk_id:STRING,document_id:INTEGER,chunk_index:INTEGER,text:STRING,start:INTEGER,end:INTEGER,"
    "size:INTEGER,first_sentence:INTEGER,sentence_count:INTEGER,oversized:BOOLEAN,lang:STRING"
)
LETTERS = "document_id:INTEGER,code:STRING,limit_name:STRING,limit:INTEGER,figure:INTEGER,byte_position:INTEGER,message:STRING"


class Document(NamedTuple):
    id: int
    text: Optional[str]
    lang: Optional[str]


beam.coders.registry.register_coder(Document, beam.coders.RowCoder)

DOCUMENTS = [
    Document(1, "One. Two. Drei! Vier?", "de"),
    Document(2, "日本。", None),
    Document(3, None, "en"),
    Document(4, "x" * 50, "en"),
]

_inserted: dict[str, list[dict[str, Any]]] = {}


class Client:
    """What the writer calls of BigQuery's own client. It keeps the rows as JSON would have them."""

    def insert_rows_json(self, table: str, json_rows: list[dict[str, Any]], **_: Any) -> list[Any]:
        _inserted.setdefault(table, []).extend(json_rows)
        return []


def insert(rows: beam.PCollection, table: str, schema: str) -> None:
    (
        rows
        | f"{table} as dicts" >> beam.Map(lambda row: row._asdict())
        | table
        >> WriteToBigQuery(
            f"project-id:dataset.{table}",
            schema=schema,
            method=WriteToBigQuery.Method.STREAMING_INSERTS,
            create_disposition=BigQueryDisposition.CREATE_NEVER,
            test_client=Client(),
        )
    )


def test_streaming_inserts() -> None:
    _inserted.clear()
    with beam.Pipeline(options=PipelineOptions(runner="FnApiRunner")) as pipeline:
        result = (
            pipeline
            | beam.Create(DOCUMENTS)
            | ChunkRows(max_size=10, keep=["lang"], limits=Limits(max_text_bytes=40))
        )
        insert(result.chunks, "chunks", CHUNKS)
        insert(result.dead_letters, "dead_letters", LETTERS)
    chunks = sorted(_inserted["project-id.dataset.chunks"], key=_place)
    keys = [row.pop("chunk_id") for row in chunks]
    assert chunks == [
        {"document_id": document.id, "chunk_index": index, **each._asdict(), "lang": document.lang}
        for document in DOCUMENTS[:2]
        for index, each in enumerate(chunk(document.text or "", max_size=10))
    ]
    assert len(set(keys)) == len(keys) == 4
    assert {type(value) for row in chunks for value in row.values()} == {int, str, bool, type(None)}
    letters = sorted(_inserted["project-id.dataset.dead_letters"], key=_place)
    assert [(row["document_id"], row["code"], row["figure"]) for row in letters] == [
        (3, "null_text", None), (4, "limit_exceeded", 50)
    ]  # fmt: skip


def _place(row: dict[str, Any]) -> tuple[int, int]:
    return row["document_id"], row.get("chunk_index", 0)


def test_the_tables_schema_is_that_of_the_rows() -> None:
    pipeline = beam.Pipeline(options=PipelineOptions(runner="FnApiRunner"))
    result = pipeline | beam.Create(DOCUMENTS) | ChunkRows(max_size=10, keep=["lang"])
    for rows, schema in ((result.chunks, CHUNKS), (result.dead_letters, LETTERS)):
        of_table = get_beam_typehints_from_tableschema(get_dict_table_schema(schema))
        of_rows = rows.element_type._fields
        assert [name for name, _ in of_rows] == [name for name, _ in of_table]
        for (name, own), (_, tables) in zip(of_rows, of_table, strict=True):
            # A column can be null where it is not said to be REQUIRED; its whole numbers have 64 bits.
            beams = {Optional[int]: Optional[np.int64]}
            assert beams.get(Optional[own], Optional[own]) == tables, name
