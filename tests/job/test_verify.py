"""`sentchunk verify` on values, files and folders that are out of the ordinary."""

from __future__ import annotations

from pathlib import Path

import pytest

from job.helpers import run, write
from sentchunk_beam.cli import main

TEXTS = ["One. Two. Three.", "Four. Five. Six."]


@pytest.fixture
def done(tmp_path: Path) -> Path:
    source = write(tmp_path / "in.parquet", {"text": [*TEXTS, None]})
    assert run(source, "--output", tmp_path / "out", "--max-size", 5) == 0
    return tmp_path / "out"


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
