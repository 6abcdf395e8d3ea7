"""What a new user gets wrong: one line that says what to do, exit status 2, nothing written."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pytest

from job.helpers import run, write
from sentchunk_beam.cli import main


@pytest.fixture
def source(tmp_path: Path) -> str:
    return write(tmp_path / "in.parquet", {"id": [1], "text": ["A."], "start": [0], "n": [1]})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--max-size", "0"], "max_size is 0; use an integer from 1 to 1,048,576"),
        (["--max-size", "x"], "'x' is not an integer"),
        (["--max-size", "9", "--overlap", "17"], "overlap is 17; use an integer from 0 to 16"),
        (
            ["--max-size", "9", "--unit", "token"],
            "unit is 'token'; use one of code_point, utf16, utf8",
        ),
        (["--max-size", "9", "--max-sentences", "-1"], "max_sentences is -1"),
        (
            ["--max-size", "9", "--text-column", "body"],
            "no column 'body'; it has: id, text, start, n",
        ),
        (
            ["--max-size", "9", "--text-column", "n"],
            "column 'n' is int64; documents have to be strings",
        ),
        (["--max-size", "9", "--id-column", "key"], "no column 'key'"),
        (["--max-size", "9", "--keep", "n,m"], "no column 'm'"),
        (["--max-size", "9", "--keep", "start"], "cannot keep column 'start'"),
        (["--max-size", "9", "--keep", "n,n"], "column 'n' is to be kept twice"),
        (["--max-size", "9", "--maxsize", "9"], "unrecognized arguments: --maxsize"),
        ([], "required: --max-size"),
    ],
)
def test_wrong_arguments(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture, arguments: list[str], said: str
) -> None:
    out = tmp_path / "out"
    assert run(source, "--output", out, *arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error
    assert error.splitlines()[-1].startswith("sentchunk")
    assert not out.exists()


@pytest.mark.parametrize("given", ["nowhere.parquet", "nowhere/*.parquet", "nowhere"])
def test_no_such_input(tmp_path: Path, capsys: pytest.CaptureFixture, given: str) -> None:
    out = tmp_path / "out"
    assert run(tmp_path / given, "--output", out, "--max-size", 9) == 2
    assert "no file found for" in capsys.readouterr().err
    assert not out.exists()


def test_an_output_that_no_folder_can_be_made_for(tmp_path: Path, capsys) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["A."]})
    assert run(source, "--output", f"{source}/out", "--max-size", 9) == 2
    error = capsys.readouterr().err
    assert f"cannot write to {source}/out: Not a directory; name another folder" in error
    assert "Traceback" not in error


def test_a_folder_without_parquet(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("text\nA.\n")
    assert run(tmp_path / "in", "--output", tmp_path / "out", "--max-size", 9) == 2
    error = capsys.readouterr().err
    assert "a folder with files named *.parquet" in error
    assert "*.txt" in error
    assert "*.txt.gz" not in error  # those of compressed files would be most of the message


def test_no_file_is_parquet(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "a.csv").write_text("text\nA.\n")
    assert run(tmp_path / "a.csv", "--output", tmp_path / "out", "--max-size", 9) == 2
    assert "does not tell its format; say it with --format" in capsys.readouterr().err
    arguments = ["--output", tmp_path / "out", "--max-size", 9, "--format", "parquet"]
    assert run(tmp_path / "a.csv", *arguments) == 2
    assert "cannot be read as Parquet" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_types_that_do_not_agree(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    write(tmp_path / "in" / "a.parquet", {"id": [1], "text": ["A."]})
    write(tmp_path / "in" / "b.parquet", {"id": pa.array([[1]]), "text": ["B."]})
    out = tmp_path / "out"
    assert run(tmp_path / "in", "--output", out, "--max-size", 9, "--id-column", "id") == 2
    error = capsys.readouterr().err
    assert "column 'id' is int64 in" in error
    assert "b.parquet" in error


def test_an_output_that_is_in_use(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("keep me")
    assert run(source, "--output", out, "--max-size", 9) == 2
    assert "is not empty; name a new folder" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ["mine.txt"]


def test_an_output_that_is_a_file(source: str, capsys: pytest.CaptureFixture) -> None:
    assert run(source, "--output", source, "--max-size", 9) == 2
    assert "is not empty" in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    said = capsys.readouterr().out
    assert f"sentchunk-beam {version('sentchunk-beam')}, unicode-17.0.0, native kernel" in said
