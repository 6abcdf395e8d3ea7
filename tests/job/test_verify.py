"""`sentchunk verify` on values, files and folders that are out of the ordinary."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from job.helpers import invalid_utf8, run, summary, write
from job.test_messy import changed, verify
from sentchunk_beam import verify as verifying
from sentchunk_beam.cli import main

TEXTS = ["One. Two. Three.", "Four. Five. Six."]


@pytest.fixture
def done(tmp_path: Path) -> Path:
    source = write(tmp_path / "in.parquet", {"text": [*TEXTS, None]})
    assert run(source, "--output", tmp_path / "out", "--max-size", 5) == 0
    return tmp_path / "out"


def rewritten(out: Path, change: Callable[[pa.Table], pa.Table], kind: str = "chunks") -> None:
    path = out / kind / "part-00000.parquet"
    pq.write_table(change(pq.read_table(path)), path)


@pytest.mark.parametrize("kind", ["chunks", "dead_letters"])
def test_files_that_no_unit_wrote(done: Path, kind: str, capsys) -> None:
    part = done / kind / "part-00000.parquet"
    (part.parent / ".part-00000.parquet.crc").write_bytes(b"")  # readers pass over it
    assert verify(done) == 0
    shutil.copy(part, part.with_name("part-00099.parquet"))
    (part.parent / "more").mkdir()
    capsys.readouterr()
    assert verify(done) == 1
    said = capsys.readouterr().out
    assert f"{kind}/part-00099.parquet: is not a file of the job" in said
    assert f"{kind}/more: is not a file of the job" in said
    assert "2 differences" in said


def test_folders_without_the_parts(done: Path, capsys) -> None:
    (done / "dead_letters" / "part-00000.parquet").unlink()
    assert verify(done) == 1
    assert "dead_letters: holds no part file" in capsys.readouterr().out
    (done / "dead_letters").rmdir()
    assert verify(done) == 1
    assert "dead_letters: cannot be listed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("first_sentence", 99, "chunk 1: 1 sentences from number 99 on, of 3 in the document"),
        ("first_sentence", -1, "chunk 1: 1 sentences from number -1 on"),
        ("first_sentence", 0, "chunk 1: 1 sentences from number 0 on are [0:5), not [5:10)"),
        ("sentence_count", -5, "chunk 1: -5 sentences"),
        ("sentence_count", 2, "chunk 1: 2 sentences from number 1 on are [5:16), not [5:10)"),
    ],
)
def test_sentences_of_a_chunk(done: Path, capsys, name: str, value: int, said: str) -> None:
    rewritten(done, lambda table: changed(table, name, 1, value))
    assert verify(done) == 1
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("unit", ["utf8", "utf16"])
def test_sentences_in_other_units(tmp_path: Path, unit: str) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["日本。 Ünï! 😀 x. Y", "\n\n😀. é", ""]})
    out = tmp_path / "out"
    assert run(source, "--output", out, "--max-size", 14, "--unit", unit, "--overlap", 1) == 0
    assert verify(out) == 0


NAN = float("nan")
KEPT = {
    "nan": pa.array([NAN, 1.0]),
    "nan in a list": pa.array([[1.0, NAN], None]),
    "nan in a struct": pa.array([{"a": [NAN], "b": "x"}, None]),
    "nan in a map": pa.array([[("k", NAN)], []], pa.map_(pa.string(), pa.float64())),
    "timestamp": pa.array([1_234_567_891, None], pa.timestamp("ns", "UTC")),
    "duration": pa.array([1_234_567_891, None], pa.duration("ns")),
    "time": pa.array([1_234_567_891, None], pa.time64("ns")),
    "timestamps": pa.array([[1_234_567_891], None], pa.list_(pa.timestamp("ns"))),
    "fixed list": pa.array([[1_234_567_891], [7]], pa.list_(pa.duration("ns"), 1)),
    "struct": pa.array([{"a": 1_234_567_891}, None], pa.struct({"a": pa.timestamp("ns")})),
    "date of no calendar": pa.array([4_000_000, None], pa.date32()),
    "seconds": pa.array([7, None], pa.timestamp("s")),
    "decimal": pa.array([None, None], pa.decimal128(5, 2)),
    "dictionary": pa.array(["é", None]).dictionary_encode(),
    "invalid UTF-8": invalid_utf8(b"a\xff", b"fine"),
    "large": pa.array(["é", None], pa.large_string()),
    "binary": pa.array([b"a\xff", None]),
    "texts": pa.array([["é"], None], pa.large_list(pa.string())),
}


@pytest.mark.parametrize("kind", KEPT)
def test_kept_values_of_every_kind(tmp_path: Path, capsys, kind: str) -> None:
    table = pa.table({"text": TEXTS, "k": KEPT[kind]})
    source = write(tmp_path / "in.parquet", table)
    out = tmp_path / "out"
    assert run(source, "--output", out, "--max-size", 5, "--keep", "k") == 0
    assert verify(out) == 0
    if kind == "decimal":
        return
    # The values of the first document, in chunks of the second.
    first = pa.array([0] * 6)
    rewritten(out, lambda t: t.set_column(t.num_columns - 1, t.field("k"), t["k"].take(first)))
    capsys.readouterr()
    assert verify(out) == 1
    assert "3 differences" in capsys.readouterr().out


def test_an_id_that_is_nan(tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet", {"text": [*TEXTS, None], "id": [NAN, 1.5, NAN]})
    out = tmp_path / "out"
    assert run(source, "--output", out, "--max-size", 5, "--id-column", "id") == 0
    assert verify(out) == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--max-size", 5),
        ("--max-size", 5, "--blank", "drop"),
        ("--max-size", 9, "--overlap", 1),
        ("--max-size", 9, "--overlap", 1, "--blank", "drop"),
        ("--strategy", "type-aware", "--max-tokens", 20),
    ],
)
def test_equal_ids_next_to_each_other(tmp_path: Path, options: tuple[object, ...]) -> None:
    texts = ["", *TEXTS, "", " \n", "\n\nAfter blanks. More.\n\n", "", "\nOne.\n"]
    source = write(tmp_path / "in.parquet", {"text": texts, "id": ["same"] * len(texts)})
    out = tmp_path / "out"
    assert run(source, "--output", out, "--id-column", "id", *options) == 0
    assert verify(out) == 0


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda raw: raw[:9], "is damaged: "),
        (lambda raw: "{}", "is damaged: it has no 'documents'"),
        (lambda raw: "[1]", "is damaged: "),
        (lambda raw: "[" * 100_000, "is damaged: "),
        (lambda raw: raw.replace('"documents": 3', '"documents": "3"'), "'documents' is not what"),
        (lambda raw: raw.replace('"max_size": 5', '"max_size": -5'), "is damaged: "),
        (lambda raw: raw.replace('"max_size"', '"size"'), "is damaged: "),
        (lambda raw: raw.replace('"columns"', '"rows"'), "is damaged: it has no 'columns'"),
    ],
)
def test_a_summary_that_is_damaged(done: Path, capsys, damage, said: str) -> None:
    path = done / "summary.json"
    path.write_text(damage(path.read_text("utf-8")), "utf-8")
    source = done.parent / "in.parquet"
    capsys.readouterr()
    resume = ["chunk", str(source), "--output", str(done), "--max-size", "5", "--resume"]
    for arguments in (["verify", str(done)], resume):
        assert main(arguments) == 2
        told = capsys.readouterr().err
        assert said in told
        assert told.count("\n") == 1


@pytest.mark.parametrize("differs", [False, True])
def test_findings_that_cannot_be_stored(done: Path, capsys, differs: bool) -> None:
    (done / "_verified.json").mkdir()
    if differs:
        rewritten(done, lambda table: changed(table, "chunk_id", 1, "x"))
    assert verify(done, "--json") == int(differs)
    out, err = capsys.readouterr()
    assert json.loads(out)["count"] == int(differs)
    assert err.startswith("sentchunk: the findings could not be stored: ")
    assert err.count("\n") == 1


def test_findings_are_stored(done: Path, capsys) -> None:
    rewritten(done, lambda table: changed(table, "size", 1, 99))
    assert verify(done, "--json") == 1
    stored = json.loads((done / "_verified.json").read_text("utf-8"))
    assert stored == json.loads(capsys.readouterr().out)


BROKEN = {
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:-20]), "cannot be read: "),
    "empty": (lambda path: path.write_bytes(b""), "cannot be read: "),
    "other columns": (lambda path: pq.write_table(pa.table({"a": [1]}), path), "has other columns"),
    "nulls": (lambda path: _with_a_null(path), "has nulls"),
    "another type": (lambda path: _with_bytes(path), "is binary, not"),
}


def _with_a_null(path: Path) -> None:
    table = pq.read_table(path)
    fields = [field.with_nullable(True) for field in table.schema]
    pq.write_table(changed(table.cast(pa.schema(fields)), _texts_of(table), 0, None), path)


def _with_bytes(path: Path) -> None:
    table = pq.read_table(path)
    name = _texts_of(table)
    column = table[name].cast("large_binary").cast("binary")
    pq.write_table(table.set_column(table.schema.get_field_index(name), name, column), path)


def _texts_of(table: pa.Table) -> str:
    return "message" if "message" in table.column_names else "text"


@pytest.mark.parametrize("kind", ["chunks", "dead_letters"])
@pytest.mark.parametrize("damage", BROKEN)
def test_a_part_file_that_is_damaged(done: Path, capsys, kind: str, damage: str) -> None:
    change, said = BROKEN[damage]
    change(done / kind / "part-00000.parquet")
    assert verify(done) == 1
    out, err = capsys.readouterr()
    found = [line for line in out.splitlines() if f"{kind}/part-00000.parquet: " in line]
    assert len(found) == 1
    assert said in found[0]
    assert err == ""


def test_chunks_that_are_not_utf8(done: Path, capsys) -> None:
    def change(table: pa.Table) -> pa.Table:
        raw = table["text"].cast("large_binary").to_pylist()
        column = pa.array([b"\xff", *raw[1:]], pa.large_binary()).view(pa.large_string())
        return table.set_column(table.schema.get_field_index("text"), table.field("text"), column)

    rewritten(done, change)
    assert verify(done) == 1
    assert "chunk 0: text is not the slice [0:5)" in capsys.readouterr().out


def test_a_failure_is_told_in_one_line(done: Path, capsys, monkeypatch) -> None:
    def fail(*given: object) -> None:
        raise RuntimeError("no\x1b[31m luck")

    monkeypatch.setattr(verifying, "verify_unit", fail)
    capsys.readouterr()
    assert verify(done) == 1
    out, err = capsys.readouterr()
    assert (out, err) == ("", "sentchunk: verifying failed: no⟨ESC⟩[31m luck\n")
    assert sorted(each.name for each in done.iterdir() if each.is_dir()) == ["chunks", "dead_letters"]  # fmt: skip


def test_a_job_that_tells_nothing_is_not_taken_for_verified(
    done: Path, capsys, monkeypatch
) -> None:
    assert verify(done) == 0
    monkeypatch.setattr(verifying.beam.Pipeline, "run", lambda pipeline: mock.MagicMock())
    capsys.readouterr()
    assert verify(done) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "before it told what it found" in err


def test_a_dead_letter_that_comes_twice(done: Path, capsys) -> None:
    rewritten(done, lambda table: pa.concat_tables([table, table]), "dead_letters")
    assert verify(done) == 1
    assert "in.parquet#2: has another dead letter, null_text" in capsys.readouterr().out


def test_paths_are_made_visible(tmp_path: Path, capsys) -> None:
    source = write(tmp_path / "a\x1b[31m\nb.parquet", {"text": TEXTS})
    assert run(source, "--output", tmp_path / "out", "--max-size", 5) == 0
    rewritten(tmp_path / "out", lambda table: changed(table, "size", 1, 99))
    capsys.readouterr()
    assert verify(tmp_path / "out") == 1
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "a⟨ESC⟩[31m↵b.parquet#0: chunk 1: size 99" in said


def test_an_input_that_was_written_again(done: Path, capsys) -> None:
    os.utime(done.parent / "in.parquet", (1, 1))
    assert verify(done) == 0
    write(done.parent / "in.parquet", {"text": [TEXTS[1], TEXTS[0], None]})
    capsys.readouterr()
    assert verify(done) == 1
    assert "chunk 0: text is not the slice" in capsys.readouterr().out


def test_a_copy_at_another_place(done: Path, capsys) -> None:
    copy = shutil.copy(done.parent / "in.parquet", done.parent / "copy.parquet")
    capsys.readouterr()
    assert verify(done, "--against", copy) == 1
    said = capsys.readouterr().out
    assert "the same number of files and bytes" in said
    assert "but at other paths or with other sizes" in said
    stored = json.loads((done / "_verified.json").read_text("utf-8"))
    assert stored["count"] == 1
    assert summary(done)["files"] == 1
    with pytest.raises(SystemExit):
        verify("--help")
    assert "a copy at another place always differs" in " ".join(capsys.readouterr().out.split())
