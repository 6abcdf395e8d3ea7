"""What can be asked of the outcome: keys, blank chunks, another try for dead letters, a failing status, unique ids."""

from __future__ import annotations

import uuid
from pathlib import Path

import pyarrow as pa
import pytest

from job.helpers import invalid_utf8, rows, run, summary, write
from job.test_chunk_command import damage_row_group


def keys(output: Path) -> list[str]:
    return [row["chunk_id"] for row in rows(output, without=())]


def test_chunk_ids_follow_from_id_parameters_and_index(tmp_path: Path) -> None:
    texts = ["One. Two. Three.", "One. Two. Three."]
    first = write(tmp_path / "a.parquet", {"id": ["x", "y"], "text": texts})
    other = write(tmp_path / "b.parquet", {"id": ["z", "y"], "text": ["Else.", "Four. Five. Six."]})
    for name, source, size in [
        ("one", first, 5),
        ("two", first, 5),
        ("other", other, 5),
        ("size", first, 6),
    ]:
        assert (
            run(source, "--output", tmp_path / name, "--max-size", size, "--id-column", "id") == 0
        )
    one = keys(tmp_path / "one")
    assert len(set(one)) == len(one) == 6
    assert one == keys(tmp_path / "two")
    assert keys(tmp_path / "other")[1:] == one[3:]  # of document y, whatever its text and its file
    assert not set(one) & set(keys(tmp_path / "size"))
    assert {(uuid.UUID(key).version, uuid.UUID(key).variant) for key in one} == {(8, uuid.RFC_4122)}


@pytest.mark.parametrize(
    "kind", [pa.int64(), pa.binary(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_ids_of_any_type(tmp_path: Path, kind: pa.DataType) -> None:
    ids = pa.array([1, 2]) if kind == pa.int64() else pa.array(["1", "2"]).cast(kind)
    source = write(tmp_path / "in.parquet", {"id": ids, "text": ["A.", "B."]})
    assert run(source, "--output", tmp_path / "out", "--max-size", 5, "--id-column", "id") == 0
    assert [row["document_id"] for row in rows(tmp_path / "out")] == ids.to_pylist()
    assert len(set(keys(tmp_path / "out"))) == 2


def test_blank_chunks(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["One.\n\n\u3000\u2029\nTwo.", "  "]})
    kept, dropped = tmp_path / "kept", tmp_path / "dropped"
    assert run(source, "--output", kept, "--max-size", 1) == 0
    assert run(source, "--output", dropped, "--max-size", 1, "--blank", "drop") == 0
    assert [row for row in rows(kept) if not row["text"].isspace()] == rows(dropped)
    assert [(row["chunk_index"], row["text"]) for row in rows(dropped)] == [
        (0, "One.\n"),
        (4, "Two."),
    ]
    for out, chunks in [(kept, 6), (dropped, 2)]:
        figures = summary(out)
        assert (figures["blank"], figures["chunks"], figures["documents"]) == (4, chunks, 2)
        assert figures["oversized"] == sum(row["oversized"] for row in rows(out))


def test_dead_letters_can_bring_their_text(tmp_path: Path) -> None:
    texts = pa.concat_arrays(
        [invalid_utf8(b"bad \xff", b"x" * 100_000), pa.array([None], pa.string())]
    )
    source = write(tmp_path / "in.parquet", {"text": texts})
    options = ["--max-size", 5, "--max-text-bytes", 99]
    assert run(source, "--output", tmp_path / "out", *options, "--dead-letter-text") == 0
    found = [row["text"] for row in rows(tmp_path / "out", "dead_letters")]
    assert found == [b"bad \xff", b"x" * 65_536, None]
    assert run(source, "--output", tmp_path / "light", *options) == 0
    assert "text" not in rows(tmp_path / "light", "dead_letters")[0]


def test_dead_letters_are_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First run and second together are one run with the larger limits, whatever made a document a dead letter."""
    corpus = tmp_path / "in"
    texts = [f"Row {row}. " + "x" * (row % 7) * 10 for row in range(300)]
    write(corpus / "a.parquet", {"text": texts}, row_group_size=50, use_dictionary=False)
    write(
        corpus / "b.parquet",
        {"text": texts},
        row_group_size=100,
        use_dictionary=False,
        compression="none",
    )
    write(corpus / "c.parquet", {"body": texts})
    sound = (corpus / "b.parquet").read_bytes()
    damage_row_group(corpus / "b.parquet", 1)
    first, second, whole = tmp_path / "first", tmp_path / "second", tmp_path / "whole"
    assert run(corpus, "--output", first, "--max-size", 9, "--max-text-bytes", 40) == 0
    lost = summary(first)["dead_letters"]
    assert lost["unreadable_file"] == 100
    assert lost["missing_column"] == 300

    (corpus / "b.parquet").write_bytes(sound)
    write(corpus / "c.parquet", {"text": texts})
    assert run("--only-dead-letters", first, "--output", second, "--max-size", 9) == 0
    assert summary(second)["documents"] == sum(lost.values())
    assert run(corpus, "--output", whole, "--max-size", 9) == 0
    both = rows(first, without=()) + rows(second, without=())
    assert sorted(both, key=str) == sorted(rows(whole, without=()), key=str)


def test_dead_letters_of_lines_are_run_again(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "A."}\nnot json\n{"text": "Too long. For it."}\n')
    assert run(source, "--output", tmp_path / "one", "--max-size", 9, "--max-text-bytes", 9) == 0
    options = ["--output", tmp_path / "two", "--max-size", 99]
    assert run("--only-dead-letters", tmp_path / "one", *options) == 0
    assert [row["document_id"] for row in rows(tmp_path / "two")] == [f"{source}#2"]
    assert [row["row"] for row in rows(tmp_path / "two", "dead_letters")] == [1]


def test_what_is_no_job_has_no_dead_letters(tmp_path: Path, capsys) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["A."]})
    out = ["--output", tmp_path / "out", "--max-size", 9]
    assert run("--only-dead-letters", tmp_path, *out) == 2
    assert "holds no finished job" in capsys.readouterr().err
    assert run(source, "--only-dead-letters", tmp_path, *out) == 2
    assert "not both" in capsys.readouterr().err
    assert run(*out) == 2
    assert run(source, *out) == 0
    assert (
        run("--only-dead-letters", tmp_path / "out", "--output", tmp_path / "two", "--max-size", 9)
        == 2
    )
    assert "has no dead letters" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "status"),
    [
        ("--fail-on-dead-letters", 3),
        ("--fail-on-dead-letters=0.24", 3),
        ("--fail-on-dead-letters=0.25", 0),
    ],
)
def test_a_status_for_dead_letters(tmp_path: Path, capsys, option: str, status: int) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["A.", "B.", "C.", None]})
    assert run(source, "--output", tmp_path / "out", "--max-size", 9, option) == status
    assert len(rows(tmp_path / "out")) == 3
    if status:
        assert "25.000% of the documents are dead letters" in capsys.readouterr().err


def test_a_status_for_a_file_that_does_not_tell(tmp_path: Path, capsys) -> None:
    source = write(tmp_path / "in" / "a.parquet", {"text": ["A.", "B."]})
    (tmp_path / "in" / "b.parquet").write_bytes(b"PAR1")
    option = "--fail-on-dead-letters=0.5"
    assert run(Path(source).parent, "--output", tmp_path / "out", "--max-size", 9, option) == 3
    error = capsys.readouterr().err
    assert "1 files could not be used, and do not tell how many they hold" in error
    assert "100.000%" not in error


def test_a_rate_that_is_none(tmp_path: Path, capsys) -> None:
    assert run("--max-size", 9, "--output", tmp_path, "--fail-on-dead-letters", "corpus/") == 2
    assert "'corpus/' is no rate from 0 to 1" in capsys.readouterr().err


def test_ids_that_come_twice(tmp_path: Path, capsys) -> None:
    corpus = tmp_path / "in"
    write(
        corpus / "lang=en" / "a.parquet",
        {"id": [f"d{n}" for n in range(1000)], "text": ["A."] * 1000},
    )
    write(corpus / "lang=de" / "b.parquet", {"id": ["d7", "d7", "other", None], "text": ["B."] * 4})
    options = ["--max-size", 9, "--check-ids", "--id-column"]
    assert run(corpus, "--output", tmp_path / "out", *options, "id") == 0
    assert summary(tmp_path / "out")["duplicates"] == {"ids": 1, "documents": 3, "examples": ["d7"]}
    assert "1 that come more than once, such as d7" in capsys.readouterr().out
    assert run(corpus, "--output", tmp_path / "langs", *options, "lang") == 0
    found = summary(tmp_path / "langs")["duplicates"]
    assert found == {"ids": 2, "documents": 1004, "examples": ["de", "en"]}
    assert run(corpus, "--output", tmp_path / "none", "--max-size", 9, "--check-ids") == 2
    assert "name the column to check with --id-column" in capsys.readouterr().err


def test_quiet_prints_nothing(tmp_path: Path, capfd) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["A."]})
    assert run(source, "--output", tmp_path / "out", "--max-size", 9, "--quiet") == 0
    assert capfd.readouterr() == ("", "")
