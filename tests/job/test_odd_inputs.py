"""Inputs that are odd in one place: the outcome is decided, and the others go on."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sentchunk import ChunkSpec

from job.helpers import invalid_utf8, rows, run, summary, write
from sentchunk_beam import Settings, UsageError, files, plan, state, unit

SIZE = ["--max-size", 9]


def test_ids_that_are_not_utf8(tmp_path: Path) -> None:
    source = write(
        tmp_path / "in.parquet", {"id": invalid_utf8(b"a", b"\xff"), "text": ["A.", "B."]}
    )
    assert run(source, "--output", tmp_path / "out", *SIZE, "--id-column", "id") == 0
    assert [row["document_id"] for row in rows(tmp_path / "out")] == ["a"]
    (letter,) = rows(tmp_path / "out", "dead_letters")
    assert (letter["row"], letter["code"], letter["document_id"]) == (1, "null_id", None)


@pytest.mark.parametrize("kind", [pa.timestamp("ns"), pa.time64("ns"), pa.date32()])
def test_ids_finer_than_pythons_times(tmp_path: Path, kind: pa.DataType) -> None:
    ids = pa.array([1, 2], pa.int64() if kind != pa.date32() else pa.int32()).cast(kind)
    source = write(tmp_path / "in.parquet", {"id": ids, "text": ["A.", "B."]})
    assert run(source, "--output", tmp_path / "out", *SIZE, "--id-column", "id") == 0
    found = pq.read_table(tmp_path / "out" / "chunks")
    assert found["document_id"].combine_chunks().equals(ids)
    assert len(set(found["chunk_id"].to_pylist())) == 2


def test_views_with_nulls_and_their_texts(tmp_path: Path) -> None:
    view = pa.array(["A.", None, "x" * 50], pa.string_view())
    source = write(tmp_path / "in.parquet", {"id": ["a", "b", None], "text": view, "k": view})
    assert run(source, "--output", tmp_path / "out", *SIZE, "--id-column", "id", "--keep", "k",
               "--dead-letter-text", "--max-text-bytes", 20) == 0  # fmt: skip
    assert [(row["text"], row["k"]) for row in rows(tmp_path / "out")] == [("A.", "A.")]
    letters = {row["row"]: row["code"] for row in rows(tmp_path / "out", "dead_letters")}
    assert letters == {1: "null_text", 2: "null_id"}


def test_a_column_that_comes_twice_is_that_files_trouble(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.parquet", {"text": ["A."]})
    twice = pa.Table.from_arrays([pa.array(["B."]), pa.array(["C."])], names=["text", "text"])
    write(tmp_path / "in" / "b.parquet", twice)
    assert run(tmp_path / "in", "--output", tmp_path / "out", *SIZE) == 0
    (letter,) = rows(tmp_path / "out", "dead_letters")
    assert (letter["code"], letter["documents"]) == ("ambiguous_column", 1)


def test_columns_that_are_null_in_all_of_a_file(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.parquet", {"id": [1], "text": ["A."], "k": [1.5]})
    write(tmp_path / "in" / "b.parquet", {"id": pa.nulls(1), "text": ["B."], "k": pa.nulls(1)})
    write(tmp_path / "in" / "c.parquet", {"id": [3], "text": pa.nulls(1), "k": [2.5]})
    assert (
        run(
            tmp_path / "in", "--output", tmp_path / "out", *SIZE, "--id-column", "id", "--keep", "k"
        )
        == 0
    )
    assert [(row["document_id"], row["k"]) for row in rows(tmp_path / "out")] == [(1, 1.5)]
    letters = rows(tmp_path / "out", "dead_letters")
    assert sorted(row["code"] for row in letters) == ["null_id", "null_text"]


def test_integers_and_floats_are_not_one_type(tmp_path: Path, capsys) -> None:
    write(tmp_path / "in" / "a.parquet", {"id": [2**53 + 1], "text": ["A."]})
    write(tmp_path / "in" / "b.parquet", {"id": [1.5], "text": ["B."]})
    assert run(tmp_path / "in", "--output", tmp_path / "out", *SIZE, "--id-column", "id") == 2
    assert "column 'id' is int64 in" in capsys.readouterr().err


def test_dictionaries_are_read_as_their_values(tmp_path: Path) -> None:
    """A dictionary of long values is small, and each slice of it counts as all of it: neither may matter."""
    ids = pa.array([f"{'long' * 30}-{number}" for number in range(20_000)]).dictionary_encode()
    source = write(tmp_path / "in.parquet", {"id": ids, "text": ["A."] * 20_000})
    started = time.process_time()
    assert run(source, "--output", tmp_path / "out", *SIZE, "--id-column", "id") == 0
    assert time.process_time() - started < 10
    assert [row["document_id"] for row in rows(tmp_path / "out")] == ids.to_pylist()


def test_an_output_within_the_input_is_no_input(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.parquet", {"text": ["A."]})
    (tmp_path / "in" / "_SUCCESS").write_text(
        ""
    )  # as Spark leaves it: the folder itself is an input
    for name in ["one", "two"]:
        assert run(tmp_path / "in", "--output", tmp_path / "in" / name, *SIZE) == 0
        assert summary(tmp_path / "in" / name)["documents"] == 1
    assert run(tmp_path / "in" / "one" / "chunks", "--output", tmp_path / "three", *SIZE) == 0


def test_links_that_lead_in_circles(tmp_path: Path) -> None:
    write(tmp_path / "in" / "deep" / "a.parquet", {"text": ["A."]})
    (tmp_path / "in" / "deep" / "back").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "link").symlink_to(tmp_path / "elsewhere")
    write(tmp_path / "elsewhere" / "b.parquet", {"text": ["B."]})
    assert run(tmp_path / "in", "--output", tmp_path / "out", *SIZE) == 0
    assert sorted(row["text"] for row in rows(tmp_path / "out")) == ["A.", "B."]


def test_a_folder_that_may_not_be_read(tmp_path: Path, monkeypatch, capsys) -> None:
    write(tmp_path / "in" / "deep" / "a.parquet", {"text": ["A."]})
    listed = os.scandir

    def refuse(path: str):
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert run(tmp_path / "in", "--output", tmp_path / "out", *SIZE) == 2
    assert "deep: Permission denied" in capsys.readouterr().err


def test_a_name_that_is_not_utf8(tmp_path: Path, capsys) -> None:
    name = os.fsencode(str(tmp_path)) + b"/caf\xe9.txt"
    with open(name, "w") as file:
        file.write("A.")
    assert run(tmp_path, "--output", tmp_path / "out", *SIZE) == 2
    assert "is not UTF-8; rename the file" in capsys.readouterr().err


def test_only_dead_letters_takes_over_format_and_columns(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("A.\n" + "Too long. " * 9 + "\n")
    given = ["--format", "lines", "--max-text-bytes", 20]
    assert run(tmp_path / "in.txt", "--output", tmp_path / "one", *SIZE, *given) == 0
    assert run("--only-dead-letters", tmp_path / "one", "--output", tmp_path / "two", *SIZE) == 0
    assert (summary(tmp_path / "two")["documents"], summary(tmp_path / "two")["chunked"]) == (1, 1)
    source = write(tmp_path / "in.parquet", {"key": ["a"], "body": ["Too long. " * 9], "k": [7]})
    given = ["--text-column", "body", "--id-column", "key", "--keep", "k", "--max-text-bytes", 20]
    assert run(source, "--output", tmp_path / "three", *SIZE, *given) == 0
    assert run("--only-dead-letters", tmp_path / "three", "--output", tmp_path / "four", *SIZE) == 0
    assert {(row["document_id"], row["k"]) for row in rows(tmp_path / "four")} == {("a", 7)}


def test_a_complete_job_is_not_another_ones(tmp_path: Path, capsys) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["A."]})
    assert run(source, "--output", tmp_path / "out", *SIZE) == 0
    assert run(source, "--output", tmp_path / "out", "--max-size", 8, "--resume") == 2
    assert "had other inputs or options" in capsys.readouterr().err


def test_a_file_system_without_hard_links(tmp_path: Path, monkeypatch) -> None:
    def link(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    source = write(tmp_path / "in.parquet", {"text": ["A."]})
    assert run(source, "--output", tmp_path / "out", "--max-size", 9) == 0
    assert summary(tmp_path / "out")["chunks"] == 1


def test_two_jobs_that_begin_at_the_same_time(tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["A."]})
    for size in (8, 9):
        settings = Settings(ChunkSpec(size))
        work = unit.Work(str(tmp_path / "out"), settings)
        made = plan.make_plan([source], settings)
        if size == 8:
            state.begin(state.NEW, work, made)
        else:  # it too has seen an empty folder
            with pytest.raises(UsageError, match="another job has just begun"):
                state.begin(state.NEW, work, made)
    kept = files.read_text(state.plan_path(work.output))
    assert len(list((tmp_path / "out" / "_temporary").iterdir())) == 1
    assert kept


def test_a_finished_unit_whose_file_was_cut_short_is_done_again(tmp_path: Path) -> None:
    settings = Settings(ChunkSpec(9))
    work = unit.Work(str(tmp_path / "out"), settings)
    (only,) = plan.make_plan([write(tmp_path / "in.parquet", {"text": ["A."]})], settings).units
    first = unit.do_unit(only, work, lambda counts: None)
    os.truncate(first.chunks_file, 10)
    second = unit.do_unit(only, work, lambda counts: None)
    assert pq.read_table(second.chunks_file)["text"].to_pylist() == ["A."]


def test_an_output_that_is_empty_or_the_input(tmp_path: Path, capsys) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["A."]})
    assert run(source, "--output", "", *SIZE) == 2
    assert "--output is empty" in capsys.readouterr().err
    assert run(source, "--output", source, *SIZE) == 2
    assert "remove" not in capsys.readouterr().err
