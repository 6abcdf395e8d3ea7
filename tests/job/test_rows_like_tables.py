"""Rows, dead letters and figures of documents are those of a table of them."""

from __future__ import annotations

from typing import Any

import apache_beam as beam
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from sentchunk import ChunkSpec, Limits
from sentchunk.semantic import SemanticSpec

from sentchunk_beam import Columns, Settings
from sentchunk_beam.chunking import chunk_table
from sentchunk_beam.row_chunking import RowChunker
from sentchunk_beam.row_shapes import shape_of
from sentchunk_beam.schemas import Counts
from sentchunk_beam.settings import TypedColumns
from sentchunk_beam.strategies import TypeAware

TEXTS = st.none() | st.text(max_size=30) | st.lists(
    st.sampled_from([b"One. ", b"Two! ", b"\n\n## T\n", "日本。".encode(), b" \n ", b"\xff", b"\xed\xa0\x80", b"\xe6\x97", b"\xc0\x80"]),
    max_size=12,
).map(b"".join)  # fmt: skip


IDS_AND_TEXTS = st.lists(st.tuples(st.none() | st.text(max_size=3), TEXTS), min_size=1, max_size=5)
LIMITS = st.builds(
    Limits, st.none() | st.integers(0, 30), st.none() | st.integers(0, 6), st.none() | st.integers(0, 900)
)  # fmt: skip


def check_against_tables(documents: list[Any], types: dict, chosen: Settings) -> None:
    """Rows, dead letters and figures of documents (id, text, more) are those of a table of them."""
    ids = pa.chunked_array([[fields[0] for fields in documents]], pa.string())
    raw = [text.encode() if isinstance(text, str) else text for _, text, *_ in documents]
    kept = {name: [fields[2] for fields in documents] for name in types}
    table = chunk_table(pa.table({"text": pa.array(raw, pa.binary())} | kept), ids, chosen)
    chunker = RowChunker(shape_of(dict if types else Any, chosen.columns, types), chosen)
    found = [row for document in documents for row in chunker.chunk(document)]
    letters = [row.value._asdict() for row in found if isinstance(row, beam.pvalue.TaggedOutput)]
    rows = [row._asdict() for row in found if not isinstance(row, beam.pvalue.TaggedOutput)]
    assert rows == table.chunks.to_pylist()
    expected = table.dead_letters.drop_columns(["file", "row", "documents"]).to_pylist()
    assert sorted(map(repr, letters)) == sorted(map(repr, expected))
    assert chunker.take_counts() == table.counts
    assert chunker.take_counts() == Counts()


@settings(max_examples=300, deadline=None)
@given(IDS_AND_TEXTS, LIMITS, st.booleans())
def test_rows_and_figures_are_those_of_a_table(
    documents: list[Any], limits: Limits, drop_blank: bool
) -> None:
    spec = ChunkSpec(9, "code_point", 1, limits)
    check_against_tables(documents, {}, Settings(spec, Columns("text", "id"), drop_blank))


@settings(max_examples=300, deadline=None)
@given(
    IDS_AND_TEXTS,
    LIMITS,
    st.lists(st.sampled_from([None, "email", "event", "Email", "note"]), min_size=5, max_size=5),
)
def test_rows_by_type_are_those_of_a_table(
    documents: list[Any], limits: Limits, types: list[str | None]
) -> None:
    typed = [(*fields, type_) for fields, type_ in zip(documents, types, strict=False)]
    columns = TypedColumns("text", "id", (), "kind")
    chosen = Settings(TypeAware(SemanticSpec(4, max_chars=9), limits), columns)
    check_against_tables(typed, {"kind": str | None}, chosen)
    chosen = Settings(TypeAware(SemanticSpec(3), limits, "email"), TypedColumns("text", "id"))
    check_against_tables(documents, {}, chosen)
