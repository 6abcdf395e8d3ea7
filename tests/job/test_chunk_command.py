"""`sentchunk chunk` from files to files: what comes out, for good input and for bad."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sentchunk

from job.helpers import invalid_utf8, rows, run, summary, write

TEXTS = ["One. Two two. Three three three.", "日本。 Ünï! 😀", "A\nB"]


def expected(ids: list, texts: list[str], **options) -> list[dict]:
    return [
        {"document_id": identity, "chunk_index": index, **row._asdict()}
        for identity, text in zip(ids, texts, strict=True)
        for index, row in enumerate(sentchunk.chunk(text, **options))
    ]


def test_rows_are_those_of_the_engine(tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", {"id": [7, 8, 9], "text": TEXTS})
    out = tmp_path / "out"
    status = run(source, "--output", out, "--max-size", 14, "--unit", "utf16", "--overlap", 1,
                 "--id-column", "id")  # fmt: skip
    assert status == 0
    assert rows(out) == expected([7, 8, 9], TEXTS, max_size=14, unit="utf16", overlap=1)
    figures = summary(out)
    assert (figures["documents"], figures["chunked"], figures["dead_letters"]) == (3, 3, {})
    assert figures["chunks"] == len(rows(out))
    assert figures["oversized"] == sum(row["oversized"] for row in rows(out))
    assert figures["sentences"] == sum(len(sentchunk.sentences(text)) for text in TEXTS)
    assert figures["text_bytes"] == sum(len(text.encode()) for text in TEXTS)
    assert not (out / "_temporary").exists()


def test_an_id_is_derived_from_file_and_row(tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", {"text": TEXTS}, row_group_size=1)
    assert run(source, "--output", tmp_path / "out", "--max-size", 100) == 0
    ids = [row["document_id"] for row in rows(tmp_path / "out")]
    assert ids == [f"{source}#{row}" for row in range(3)]


def test_kept_columns_keep_their_types(tmp_path: Path) -> None:
    kept = {
        "n": pa.array([1, None, 3], pa.uint8()),
        "tags": pa.array([["a"], [], None]),
        "meta": pa.array([{"x": 1}, {"x": 2}, None]),
        "kind": pa.array(["p", "q", "p"]).dictionary_encode(),
    }
    source = write(tmp_path / "in.parquet", {"text": TEXTS, "unused": [1, 2, 3], **kept})
    assert (
        run(source, "--output", tmp_path / "out", "--max-size", 14, "--keep", "n,tags,meta,kind")
        == 0
    )
    table = pq.read_table(tmp_path / "out" / "chunks")
    assert table.schema.names[-4:] == list(kept)
    assert table.schema.field("n").type == pa.uint8()
    assert table.schema.field("tags").type == pa.list_(pa.string())
    by_document = {row["document_id"].rpartition("#")[2]: row for row in table.to_pylist()}
    for index, row in by_document.items():
        assert {name: row[name] for name in kept} == {
            name: column[int(index)].as_py() for name, column in kept.items()
        }


@pytest.mark.parametrize(
    "column",
    [
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS).dictionary_encode(),
        pa.array([text.encode() for text in TEXTS]),
    ],
    ids=["large_string", "dictionary", "binary"],
)
def test_types_of_the_text_column(tmp_path: Path, column: pa.Array) -> None:
    source = write(tmp_path / "in.parquet", {"id": ["a", "b", "c"], "body": column})
    assert run(source, "--output", tmp_path / "out", "--max-size", 14, "--text-column", "body",
               "--id-column", "id") == 0  # fmt: skip
    assert rows(tmp_path / "out") == expected(["a", "b", "c"], TEXTS, max_size=14)


def test_documents_that_cannot_be_chunked(tmp_path: Path) -> None:
    texts = invalid_utf8(b"Good.", b"bad \xff", b"", b"x" * 30, b"a\nb\nc\nd")
    table = pa.table(
        {
            "id": [1, 2, 3, 4, 5, 6, None],
            "text": pa.concat_arrays([texts, pa.array([None, "No id."])]),
        }
    )
    source = write(tmp_path / "in.parquet", table)
    out = tmp_path / "out"
    assert run(source, "--output", out, "--max-size", 9, "--id-column", "id", "--max-text-bytes", 20,
               "--max-sentences", 3, "--max-output-bytes", "none") == 0  # fmt: skip
    assert [row["document_id"] for row in rows(out)] == [1]
    found = {row["row"]: row for row in rows(out, "dead_letters")}
    reasons = {
        row: (each["code"], each["limit_name"], each["limit"], each["figure"])
        for row, each in found.items()
    }
    assert reasons == {
        1: ("invalid_utf8", None, None, None),
        3: ("limit_exceeded", "max_text_bytes", 20, 30),
        4: ("limit_exceeded", "max_sentences", 3, 4),
        5: ("null_text", None, None, None),
        6: ("null_id", None, None, None),
    }
    assert found[1]["byte_position"] == 4
    assert [found[row]["document_id"] for row in sorted(found)] == [2, 4, 5, 6, None]
    assert {(each["file"], each["documents"]) for each in found.values()} == {(source, 1)}
    figures = summary(out)
    assert (figures["documents"], figures["chunked"]) == (7, 2)
    assert figures["dead_letters"] == {
        "invalid_utf8": 1, "limit_exceeded": 2, "null_text": 1, "null_id": 1
    }  # fmt: skip


def test_bad_files_among_good_ones(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    corpus = tmp_path / "corpus"
    write(corpus / "a.parquet", {"text": ["A."]})
    write(corpus / "deep" / "b.parquet", {"text": ["B.", "C."]})
    write(corpus / "no_rows.parquet", {"text": pa.array([], pa.string())})
    write(corpus / "other_columns.parquet", {"body": ["D.", "E.", "F."]})
    write(corpus / "numbers.parquet", {"text": [1, 2]})
    (corpus / "empty.parquet").write_bytes(b"")
    (corpus / "garbage.parquet").write_bytes(b"PAR1" + b"\x00" * 99 + b"PAR1")
    (corpus / "_hidden.parquet").write_bytes(b"not looked at")
    (corpus / "notes.md").write_text("not looked at")
    broken = corpus / "broken.parquet"
    write(
        broken,
        {"text": ["G. " * 50] * 400},
        row_group_size=100,
        compression="none",
        use_dictionary=False,
    )
    damage_row_group(broken, 2)

    out = tmp_path / "out"
    assert run(corpus, "--output", out, "--max-size", 99) == 0
    found = {Path(row["file"]).name: row for row in rows(out, "dead_letters")}
    assert {name: (row["code"], row["documents"]) for name, row in found.items()} == {
        "other_columns.parquet": ("missing_column", 3),
        "numbers.parquet": ("wrong_type", 2),
        "empty.parquet": ("unreadable_file", None),
        "garbage.parquet": ("unreadable_file", None),
        "broken.parquet": ("unreadable_file", 100),
    }
    assert found["broken.parquet"]["row"] == 200
    assert "body" in found["other_columns.parquet"]["message"]
    figures = summary(out)
    assert figures["documents"] == 1 + 2 + 3 + 2 + 400
    assert figures["chunked"] == 1 + 2 + 300
    assert (figures["unreadable_files"], figures["files_of_unknown_size"]) == (5, 2)
    assert "5 could not be used, 2 of which do not tell" in capsys.readouterr().out


def damage_row_group(path: Path, group: int) -> None:
    """Overwrite the head of a column's pages, so that the footer is right and the data is not."""
    column = pq.ParquetFile(path).metadata.row_group(group).column(0)
    raw = bytearray(path.read_bytes())
    raw[column.data_page_offset : column.data_page_offset + 16] = b"\xff" * 16
    path.write_bytes(raw)


def test_nothing_but_dead_letters_and_nothing_at_all(tmp_path: Path) -> None:
    source = write(tmp_path / "nulls.parquet", {"text": pa.array([None], pa.string())})
    assert run(source, "--output", tmp_path / "one", "--max-size", 9) == 0
    assert (rows(tmp_path / "one"), len(rows(tmp_path / "one", "dead_letters"))) == ([], 1)
    source = write(tmp_path / "none.parquet", {"text": pa.array([], pa.string())})
    assert run(source, "--output", tmp_path / "two", "--max-size", 9) == 0
    assert rows(tmp_path / "two") == rows(tmp_path / "two", "dead_letters") == []
    assert summary(tmp_path / "two")["documents"] == 0


def test_schema_does_not_depend_on_the_rows(tmp_path: Path) -> None:
    full = write(tmp_path / "full.parquet", {"id": [1, 2], "text": ["A.", None]})
    empty = write(
        tmp_path / "empty.parquet",
        pa.schema([("id", pa.int64()), ("text", pa.string())]).empty_table(),
    )
    for name, source in [("one", full), ("two", empty)]:
        assert run(source, "--output", tmp_path / name, "--max-size", 9, "--id-column", "id") == 0
    for kind in ["chunks", "dead_letters"]:
        path = f"{kind}/part-00000.parquet"
        one, two = (pq.read_schema(tmp_path / name / path) for name in ("one", "two"))
        assert one.equals(two, check_metadata=True)


def test_ids_of_different_types_get_one_that_holds_all(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.parquet", {"id": pa.array([1], pa.int32()), "text": ["A."]})
    write(tmp_path / "in" / "b.parquet", {"id": pa.array([2**40], pa.int64()), "text": ["B."]})
    assert (
        run(tmp_path / "in", "--output", tmp_path / "out", "--max-size", 9, "--id-column", "id")
        == 0
    )
    assert [row["document_id"] for row in rows(tmp_path / "out")] == [1, 2**40]


def test_parquet_is_written_for_its_readers(tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", {"text": TEXTS})
    assert run(source, "--output", tmp_path / "out", "--max-size", 14) == 0
    metadata = pq.read_metadata(tmp_path / "out" / "chunks" / "part-00000.parquet")
    columns = {
        column.path_in_schema: column
        for column in (metadata.row_group(0).column(index) for index in range(metadata.num_columns))
    }
    assert {column.compression for column in columns.values()} == {"ZSTD"}
    assert not columns["text"].has_dictionary_page
    assert columns["document_id"].statistics is not None
