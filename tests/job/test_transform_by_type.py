"""`ChunkDocumentsByType`: the type-aware strategy inside someone's own pipeline."""

from __future__ import annotations

from typing import Any

import apache_beam as beam
import pyarrow as pa
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.util import assert_that
from sentchunk import InvalidInput, SemanticChunker

from sentchunk_beam import ChunkDocumentsByType, UsageError

MAIL = "Top.\n\nOn Mon, 2 Mar 2026, Al wrote:\n> q1"
TABLE = pa.table(
    {
        "id": [1, 2, 3, 4],
        "text": [MAIL, MAIL, None, "## T\nx"],
        "kind": ["email", "message", "email", "Message"],
    }
)


def run(check: Any, **options: Any) -> None:
    with beam.Pipeline(options=PipelineOptions(runner="FnApiRunner")) as pipeline:
        result = pipeline | beam.Create([TABLE]) | ChunkDocumentsByType(id_column="id", **options)
        assert_that(result.chunks, lambda tables: check(_rows(tables)), label="chunks")
        assert_that(result.dead_letters, _check_letters(options), label="letters")


def _rows(tables: list[pa.Table]) -> list[dict[str, Any]]:
    return [row for table in tables for row in table.to_pylist()]


def _check_letters(options: dict[str, Any]) -> Any:
    expected = {3: "null_text"} | ({4: "invalid_doc_type"} if "doc_type_column" in options else {})

    def check(tables: list[pa.Table]) -> None:
        found = {row["document_id"]: row["code"] for row in _rows(tables)}
        assert found == expected, found

    return check


def test_each_by_its_own_type() -> None:
    def check(rows: list[dict[str, Any]]) -> None:
        chunker = SemanticChunker(40)
        for identity, doc_type in [(1, "email"), (2, "message")]:
            expected = [c.content for c in chunker.chunk(MAIL, doc_type=doc_type)]
            ours = [row for row in rows if row["document_id"] == identity]
            assert [row["text"] for row in ours] == expected
            assert {row["doc_type"] for row in ours} == {doc_type}

    run(check, max_tokens=40, doc_type_column="kind")


def test_all_of_one_type_or_documents() -> None:
    def check(rows: list[dict[str, Any]]) -> None:
        assert {row["section"] for row in rows if row["document_id"] == 4} == {"T"}
        assert {row["doc_type"] for row in rows} == {"document"}

    run(check)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"max_tokens": 0}, InvalidInput, "max_tokens is 0"),
        ({"doc_type": "E-Mail", "doc_type_column": "x"}, UsageError, "give one of them"),
        ({"doc_type": "Email"}, InvalidInput, "write it 'email'"),
        ({"keep": "lang"}, UsageError, "keep is 'lang'; give a list"),
        ({"keep": ["section"]}, UsageError, "cannot keep column 'section'"),
    ],
)
def test_mistakes_show_at_construction(options: dict, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        ChunkDocumentsByType(id_column="id", **options)
