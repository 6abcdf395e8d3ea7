"""The first look, as a newcomer runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from job.helpers import rows, summary
from sentchunk_beam.cli import main

COMMAND = [sys.executable, "-m", "sentchunk_beam.cli", "demo"]


def test_demo_shows_chunks_an_oversized_one_and_dead_letters(tmp_path: Path) -> None:
    done = subprocess.run(COMMAND, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    output = tmp_path / "sentchunk-demo" / "chunked"
    figures = summary(output)
    assert figures["oversized"] > 0
    assert figures["dead_letters"] == {"limit_exceeded": 2, "invalid_utf8": 1, "null_text": 1}
    first = rows(output)[0]
    assert f"{first['document_id']}[{first['start']}:{first['end']}]" in done.stdout
    for code in figures["dead_letters"]:
        assert code in done.stdout


def test_demo_does_not_write_over_what_is_there(tmp_path: Path, capsys) -> None:
    (tmp_path / "mine").write_text("keep me")
    assert main(["demo", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_a_reader_that_has_seen_enough(tmp_path: Path) -> None:
    command = " ".join(COMMAND)
    done = subprocess.run(
        f"{command} | head -1", shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
