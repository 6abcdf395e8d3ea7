"""What the commands read and write may lie wherever Beam's file systems reach."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from job.helpers import write
from remote import PREFIX
from remote import new_process as new_process

from commands.helpers import call, refused
from sentchunk_beam.report.page import MARK

pytestmark = pytest.mark.usefixtures("new_process")


def test_report(plain_job: Path, tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    here = json.loads(call(capfd, "report", plain_job, "--json").out)
    there = json.loads(call(capfd, "report", f"{PREFIX}{plain_job}", "--json").out)
    assert there == here | {"folder": f"{PREFIX}{plain_job}"}
    said = call(
        capfd, "report", f"{PREFIX}{plain_job}", "--output", f"{PREFIX}{tmp_path}/page.html"
    )
    assert said.out == f"report written: {PREFIX}{tmp_path}/page.html\n"
    assert MARK in (tmp_path / "page.html").read_text("utf-8")
    (tmp_path / "mine.html").write_text("mine")
    said = call(capfd, "report", plain_job, "--output", f"{PREFIX}{tmp_path}/mine.html")
    assert refused(said, "is no report of ours")
    assert refused(call(capfd, "report", f"{PREFIX}{tmp_path}"), "has no _SUCCESS")


def test_preview(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    parquet = write(tmp_path / "in.parquet", {"text": ["A.", "B."]})
    (tmp_path / "in.txt").write_text("Text.")
    for path, text in ((parquet, "A."), (tmp_path / "in.txt", "Text.")):
        said = call(capfd, "preview", f"{PREFIX}{path}", "--max-size", 9, "--json")
        assert json.loads(said.out)["text"] == text
    for name in ("no.txt", "no.parquet"):
        said = call(capfd, "preview", f"{PREFIX}{tmp_path}/{name}", "--max-size", 9)
        assert refused(said, f"cannot read {PREFIX}{tmp_path}/{name}")


def test_execute(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    (tmp_path / "request.json").write_text('{"text": "A.", "max_size": 9}')
    said = call(capfd, "execute", "--input", f"{PREFIX}{tmp_path}/request.json")
    assert json.loads(said.out)["count"] == 1
    assert refused(call(capfd, "execute", "--input", f"{PREFIX}{tmp_path}/no.json"), "cannot read")
