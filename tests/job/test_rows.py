"""`ChunkRows` and `ChunkRowsByType`: what may come in, and what goes out."""

# ruff: noqa: UP045  (to Beam's schemas, `str | None` is opaque)
# No `from __future__ import annotations` here: the fields of schema NamedTuples have to be types, not strings.

import dataclasses
from typing import Any, NamedTuple, Optional

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.util import assert_that, equal_to
from apache_beam.transforms.error_handling import CollectingErrorHandler, ErrorHandler
from apache_beam.typehints.schemas import schema_from_element_type
from sentchunk import ChunkSpec, InvalidInput, Limits, chunk

from sentchunk_beam import ChunkDocuments, ChunkRows, ChunkRowsByType, Columns, Settings, UsageError
from sentchunk_beam.row_chunking import RowChunker
from sentchunk_beam.row_shapes import shape_of
from sentchunk_beam.settings import TypedColumns
from sentchunk_beam.strategies import TypeAware

OPTIONS = PipelineOptions(runner="FnApiRunner")


class Document(NamedTuple):
    id: int
    text: Optional[str]
    lang: str
    score: Optional[float]


@dataclasses.dataclass
class Note:
    id: str
    text: str


beam.coders.registry.register_coder(Document, beam.coders.RowCoder)
beam.coders.registry.register_coder(Note, beam.coders.RowCoder)


def run(elements: list[Any], transform: ChunkRows, element_type: Any = None):
    """The chunks and the dead letters as dicts, in order, and the schemas of both."""
    found: dict[str, list[dict]] = {"chunks": [], "dead_letters": []}
    pipeline = beam.Pipeline(options=OPTIONS)
    documents = pipeline | beam.Create(elements, reshuffle=False)
    if element_type is not None:
        documents |= beam.Map(lambda element: element).with_output_types(element_type)
    result = documents | transform
    types = result.chunks.element_type, result.dead_letters.element_type
    keep(result.chunks, found["chunks"])
    keep(result.dead_letters, found["dead_letters"])
    done = pipeline.run()
    return found["chunks"], found["dead_letters"], types, counters(done)


_kept: dict[int, list[dict]] = {}


def keep(rows: beam.PCollection, place: list[dict]) -> None:
    """Gather the rows that come by, as dicts: a function that Beam pickles by its name is this very one."""
    _kept[id(place)] = place
    rows | f"keep {id(place)}" >> beam.Map(_keep, id(place))


def _keep(row: Any, place: int) -> None:
    _kept[place].append(row._asdict())


def counters(done) -> dict[str, int]:
    return {
        metric.key.metric.name: metric.committed
        for metric in done.metrics().query()["counters"]
        if metric.key.metric.namespace == "sentchunk"
    }


def rows(identity: Any, text: str, max_size: int = 5, **kept: Any) -> list[dict]:
    return [
        {"document_id": identity, "chunk_index": index, **each._asdict(), **kept}
        for index, each in enumerate(chunk(text, max_size=max_size))
    ]


def without_key(found: list[dict]) -> list[dict]:
    return [{name: value for name, value in row.items() if name != "chunk_id"} for row in found]


@pytest.mark.parametrize(
    ("elements", "identity"),
    [
        ([("a", "One. Two.")], "a"),
        ([(7, "One. Two.")], 7),
        ([{"id": "a", "text": "One. Two."}], "a"),
        ([beam.Row(id="a", text="One. Two.")], "a"),
        ([Note("a", "One. Two.")], "a"),
        ([Document(7, "One. Two.", "en", None)], 7),
        (["One. Two."], "39ea00104774ff324ac78ed267691fa9"),
        ([b"One. Two."], "39ea00104774ff324ac78ed267691fa9"),
    ],
)
def test_elements_of_every_kind(elements: list[Any], identity: Any) -> None:
    chunks, dead_letters, _, _ = run(elements, ChunkRows(max_size=5))
    assert without_key(chunks) == rows(identity, "One. Two.")
    assert dead_letters == []


def test_elements_of_which_beam_knows_nothing() -> None:
    elements = [
        ("a", "One."),
        {"id": "b", "text": "Two."},
        beam.Row(id="c", text="Dos."),
        "One. Two.",
    ]
    chunks, dead_letters, _, _ = run(elements, ChunkRows(max_size=5), Any)
    assert [row["document_id"] for row in chunks][:3] == ["a", "b", "c"]
    assert chunks[3]["document_id"] == "39ea00104774ff324ac78ed267691fa9"
    assert dead_letters == []


def test_ids_and_keys_are_those_of_the_table_path() -> None:
    texts = {"a": "One. Two.", "b": "日本。Dr. Who? ", "c": "", "é": "One."}
    table = pa.table({"id": list(texts), "text": list(texts.values())})
    keys: list[dict] = []
    with beam.Pipeline(options=OPTIONS) as pipeline:
        result = pipeline | beam.Create([table]) | ChunkDocuments(max_size=5, id_column="id")
        keep(
            result.chunks
            | beam.FlatMap(lambda chunks: [beam.Row(**row) for row in chunks.to_pylist()]),
            keys,
        )
    assert run(list(texts.items()), ChunkRows(max_size=5))[0] == keys
    assert len(keys) == 6


def test_kept_fields_have_their_types() -> None:
    documents = [Document(1, "One. Two.", "en", 0.5), Document(2, None, "fr", None)]
    chunks, dead_letters, types, _ = run(documents, ChunkRows(max_size=5, keep=["lang", "score"]))
    assert without_key(chunks) == rows(1, "One. Two.", lang="en", score=0.5)
    assert dead_letters == [
        {
            "document_id": 2, "code": "null_text", "limit_name": None, "limit": None,
            "figure": None, "byte_position": None, "message": "the text is null",
        }
    ]  # fmt: skip
    fields = {field.name: field.type for field in schema_from_element_type(types[0]).fields}
    assert list(fields) == [
        "chunk_id", "document_id", "chunk_index", "text", "start", "end", "size",
        "first_sentence", "sentence_count", "oversized", "lang", "score",
    ]  # fmt: skip
    nullable = {name for name, type_ in fields.items() if type_.nullable}
    assert nullable == {"score"}
    # SqlTransform and the sinks of other languages know atomic types; of Python's own they know nothing.
    for type_ in types:
        assert all(field.type.atomic_type for field in schema_from_element_type(type_).fields)


def test_other_names_and_no_id() -> None:
    row = beam.Row(key="a", body="One. Two.")
    assert without_key(run([row], ChunkRows(max_size=5, text="body", id="key"))[0]) == rows(
        "a", "One. Two."
    )
    by_text = run([row], ChunkRows(max_size=5, text="body", id=None))[0]
    assert {each["document_id"] for each in by_text} == {"39ea00104774ff324ac78ed267691fa9"}


def test_types_of_what_has_no_schema() -> None:
    documents = [{"id": 1, "text": "One.", "tags": ["x"]}, {"id": 2, "text": "Two.", "tags": "x"}]
    transform = ChunkRows(max_size=5, keep=["tags"], types={"id": int, "tags": list[str]})
    chunks, dead_letters, _, _ = run(documents, transform)
    assert without_key(chunks) == rows(1, "One.", tags=["x"])
    assert [(row["document_id"], row["code"]) for row in dead_letters] == [(2, "wrong_type")]
    assert "'tags' is of type str, not list[str]" in dead_letters[0]["message"]


def test_every_document_is_accounted_for() -> None:
    documents = [
        ("a", "One. Two."), ("b", None), ("c", 5), (6, "x"), (None, "x"), ("d", "x" * 50), ("e", ""),
        ("f", b"ab\xff"), (7, 7), ("h", "Two."),
    ]  # fmt: skip
    transform = ChunkRows(max_size=5, limits=Limits(max_text_bytes=40))
    pipeline = beam.Pipeline(options=OPTIONS)
    found: list[dict] = []
    chunks: list[dict] = []
    result = (
        pipeline
        | beam.Create([None])
        | beam.FlatMap(lambda _: documents).with_output_types(  # no coder takes a lone surrogate
            Any
        )
        | transform
    )
    keep(result.chunks, chunks)
    keep(result.dead_letters, found)
    done = pipeline.run()
    assert [row["document_id"] for row in chunks] == ["a", "a", "h"]
    assert [(row["document_id"], row["code"]) for row in found] == [
        ("b", "null_text"), ("c", "wrong_type"), (None, "wrong_type"), (None, "null_id"),
        ("d", "limit_exceeded"), ("f", "invalid_utf8"), (None, "wrong_type"),
    ]  # fmt: skip
    assert [row["figure"] for row in found if row["code"] == "limit_exceeded"] == [50]
    assert [row["byte_position"] for row in found if row["code"] == "invalid_utf8"] == [2]
    figures = counters(done)
    assert figures["documents"] == len(documents)
    lost = sum(count for name, count in figures.items() if name.startswith("dead_letters_"))
    assert figures["chunked"] + lost == len(documents)


def test_a_lone_surrogate_makes_a_dead_letter() -> None:
    """Of the chunker alone, since Beam's coders take no such text; where steps are fused, it may come all the same."""
    for spec, columns in [
        (ChunkSpec(5), Columns("text", "id")),
        (TypeAware(), TypedColumns("text", "id")),
    ]:
        chunker = RowChunker(shape_of(Any, columns, {}), Settings(spec, columns))
        (letter,) = chunker.chunk(("a", "Éne \ud800."))
        assert (letter.tag, letter.value.code) == ("dead_letters", "invalid_utf8")
        assert letter.value.byte_position == 5


def test_blank_chunks_are_left_out_where_asked() -> None:
    text = "One.\n\n\n\n\n\nTwo."
    everything = run([("a", text)], ChunkRows(max_size=5))[0]
    spoken = run([("a", text)], ChunkRows(max_size=5, drop_blank=True))[0]
    assert spoken == [row for row in everything if row["text"].strip()]
    assert len(spoken) < len(everything)


def updates_of(elements: list[str], transform: Any) -> int:
    """How many times figures are counted, each of which is an update of a distribution."""
    pipeline = beam.Pipeline(options=OPTIONS)
    texts = pipeline | beam.Create(elements, reshuffle=False)
    texts | transform
    done = pipeline.run()
    assert counters(done)["documents"] == len(elements)
    (distribution,) = [
        metric.committed
        for metric in done.metrics().query()["distributions"]
        if metric.key.metric.name == "document_bytes"
    ]
    assert distribution.max == len("One. Two.")
    return distribution.count


@pytest.mark.parametrize("transform", [ChunkRows(max_size=5), ChunkRowsByType(max_tokens=2)])
def test_figures_are_counted_many_documents_at_a_time(transform: Any) -> None:
    updates = updates_of(["One. Two."] * 2500, transform)
    assert 3 <= updates < 100  # every thousand of a bundle, and as it ends


def test_beams_error_handlers_take_the_dead_letters() -> None:
    found: list[dict] = []
    with beam.Pipeline(options=OPTIONS) as pipeline:
        with ErrorHandler(beam.Map(lambda row: row)) as handler:
            chunks = (
                pipeline
                | beam.Create([Document(1, "One.", "en", None), Document(2, None, "en", None)])
                | ChunkRows(max_size=5).with_error_handler(handler)
            )
        assert isinstance(chunks, beam.PCollection)
        assert_that(chunks | beam.Map(lambda row: row.document_id), equal_to([1]), "chunks")
        keep(handler.output(), found)
    assert [(row["document_id"], row["code"]) for row in found] == [(2, "null_text")]
    pipeline = beam.Pipeline(options=OPTIONS)
    unread = CollectingErrorHandler()
    pipeline | beam.Create(["One."]) | ChunkRows(max_size=5).with_error_handler(unread)
    with pytest.raises(RuntimeError, match="requires the output to be retrieved"):
        pipeline.run()
    assert ChunkRows(max_size=5).with_error_handler(None)._error_handler is None


def test_parquet_in_and_out_by_beams_own_transforms(tmp_path) -> None:
    table = pa.table({"id": [1, 2], "text": ["One. Two.", "Dos."], "lang": ["en", None]})
    pq.write_table(table, tmp_path / "in.parquet")
    with beam.Pipeline(options=OPTIONS) as pipeline:
        documents = pipeline | beam.io.ReadFromParquet(str(tmp_path / "in.parquet"), as_rows=True)
        result = documents | ChunkRows(max_size=5, keep=["lang"])
        result.chunks | "chunks" >> beam.io.WriteToParquet(f"{tmp_path}/chunks")
        result.dead_letters | "dead" >> beam.io.WriteToParquet(f"{tmp_path}/dead")
    (written,) = tmp_path.glob("chunks-*")
    found = pq.read_table(written)
    assert without_key(found.to_pylist()) == [
        *rows(1, "One. Two.", lang="en"), *rows(2, "Dos.", lang=None)
    ]  # fmt: skip
    assert found.schema.field("document_id").type == pa.int64()


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"max_size": 0}, InvalidInput, "max_size is 0"),
        ({"max_size": 5, "overlap": 17}, InvalidInput, "overlap is 17"),
        ({"max_size": 5, "keep": "lang"}, UsageError, "keep is 'lang'; give a list"),
        ({"max_size": 5, "keep": ["text"]}, UsageError, "cannot keep column 'text'"),
    ],
)
def test_mistakes_show_at_construction(options: dict, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        ChunkRows(**options)


@pytest.mark.parametrize(
    ("element", "options", "said"),
    [
        (Document(1, "", "", None), {"text": "body"}, "no field 'body'; the rows have: id, text, lang, score"),
        (Document(1, "", "", None), {"keep": ["langs"]}, "no field 'langs'"),
        (Document(1, "", "", None), {"text": "score"}, "field 'score' is of type .*; documents are str or bytes"),
        (Document(1, "", "", None), {"keep": ["lang"], "types": {"lang": str}}, "have a schema of their own"),
        ("One.", {"keep": ["lang"]}, "keep is .'lang'., but the input has texts, without other fields"),
        (("a", "One.", "x"), {}, "use pairs of an id and a text"),
        (("a", 5), {}, "the second of each pair is of type"),
        (5, {}, "elements are <class 'int'>; use strings, pairs"),
        ({"id": "a"}, {"types": {"lang": int}}, "types names lang: neither the id nor kept"),
    ],
)  # fmt: skip
def test_mistakes_show_where_it_is_applied(element: Any, options: dict, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        beam.Pipeline(options=OPTIONS) | beam.Create([element]) | ChunkRows(max_size=5, **options)
