"""`ChunkDocumentsByType` and `ChunkRowsByType`: the type-aware strategy inside someone's own pipeline."""

# ruff: noqa: UP045  (to Beam's schemas, `str | None` is opaque)
# No `from __future__ import annotations` here: the fields of schema NamedTuples have to be types, not strings.

from typing import Any, NamedTuple, Optional

import apache_beam as beam
import pyarrow as pa
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.util import assert_that, equal_to
from sentchunk import InvalidInput, SemanticChunker

from sentchunk_beam import ChunkDocumentsByType, ChunkRowsByType, UsageError

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


# Rows


class Document(NamedTuple):
    id: int
    text: Optional[str]
    kind: Optional[str]


beam.coders.registry.register_coder(Document, beam.coders.RowCoder)

DOCUMENTS = [
    Document(1, MAIL, "email"),
    Document(2, "## T\nx", None),
    Document(3, None, "email"),
    Document(4, "x", "Email"),
]
EXPECTED = [
    (1, "Top.", 0, "email", None),
    (1, "On Mon, 2 Mar 2026, Al wrote:\n> q1", 0, "email", None),
    (2, "## T\nx", 0, "document", "T"),
]


def rows_of(elements: list[Any], transform: ChunkRowsByType, letters: dict[Any, str]) -> None:
    def check(rows: list[Any]) -> None:
        found = [
            (r.document_id, r.text, r.new_start - r.start, r.doc_type, r.section) for r in rows
        ]
        assert found == EXPECTED, found
        assert "sentence_count" not in rows[0]._fields

    def check_letters(rows: list[Any]) -> None:
        assert {row.document_id: row.code for row in rows} == letters

    with beam.Pipeline(options=PipelineOptions(runner="FnApiRunner")) as pipeline:
        result = pipeline | beam.Create(elements, reshuffle=False) | transform
        assert_that(result.chunks, check, label="chunks")
        assert_that(result.dead_letters, check_letters, label="letters")


LETTERS = {3: "null_text", 4: "invalid_doc_type"}


def test_rows_with_a_schema() -> None:
    rows_of(DOCUMENTS, ChunkRowsByType(doc_type_field="kind"), LETTERS)


def test_dicts_and_a_type_that_is_none() -> None:
    dicts = [document._asdict() for document in DOCUMENTS] + [{"id": 5, "text": "x", "kind": 7}]
    transform = ChunkRowsByType(doc_type_field="kind", types={"id": int})
    rows_of(dicts, transform, LETTERS | {5: "wrong_type"})


def test_pairs_of_one_type_and_a_field_that_they_do_not_have() -> None:
    transform = ChunkRowsByType(doc_type="email", max_tokens=40)
    with beam.Pipeline(options=PipelineOptions(runner="FnApiRunner")) as pipeline:
        result = pipeline | beam.Create([("a", MAIL)]) | transform
        assert_that(result.chunks | beam.Map(lambda row: row.doc_type), equal_to(["email"] * 2))
    pairs = beam.Pipeline() | beam.Create([("a", MAIL)])
    with pytest.raises(UsageError, match="is to come from field 'kind'"):
        pairs | ChunkRowsByType(doc_type_field="kind")


def test_mistakes_of_rows_show_at_construction() -> None:
    mistakes: list[dict[str, Any]] = [
        {"doc_type": "a", "doc_type_field": "b"}, {"keep": "x"}, {"keep": ["section"]},
    ]  # fmt: skip
    for options in mistakes:
        with pytest.raises(UsageError):
            ChunkRowsByType(**options)
