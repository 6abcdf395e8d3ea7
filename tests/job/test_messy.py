"""The job on a messy corpus: its result compared whole, whatever the workers, the order and the cuts; then verified."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from job.helpers import rows, run, summary, write
from job.messy import LIMITS, Messy, build
from sentchunk_beam import plan
from sentchunk_beam.cli import main
from sentchunk_beam.sources import base, parquet


@pytest.fixture(scope="module")
def messy(tmp_path_factory: pytest.TempPathFactory) -> Messy:
    return build(tmp_path_factory.mktemp("messy"))


@pytest.fixture(scope="module")
def done(messy: Messy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("done") / "out"
    assert run(*messy.inputs, "--output", out, "--max-size", 12, "--overlap", 1, *LIMITS) == 0
    return out


def test_the_figures_are_the_known_ones(messy: Messy, done: Path) -> None:
    figures = summary(done)
    found = {name: figures[name] for name in messy.figures}
    found["dead_letters"] = dict(sorted(found["dead_letters"].items()))
    assert found == messy.figures
    assert figures["chunks"] == len(rows(done))
    letters = rows(done, "dead_letters")
    assert sum(letter["documents"] or 0 for letter in letters) == sum(
        figures["dead_letters"].values()
    )


@pytest.mark.parametrize(
    "way", ["one worker", "three workers", "in memory", "other order", "small pieces"]
)
def test_rows_are_the_same_every_way(
    messy: Messy, done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    options = {
        "one worker": ["--direct_num_workers=1"],
        "three workers": ["--direct_num_workers=3"],
        "in memory": ["--direct_running_mode=in_memory", "--direct_num_workers=1"],
    }.get(way, [])
    inputs = messy.inputs[::-1] if way == "other order" else messy.inputs
    if way in ("small pieces", "three workers"):
        monkeypatch.setattr(plan, "SMALLEST_UNIT_BYTES", 2_000)
        monkeypatch.setattr(plan, "OPENING_BYTES", 100)
    if way == "small pieces":
        monkeypatch.setattr(base, "TABLE_BYTES", 200)
        monkeypatch.setattr(parquet, "BATCH_ROWS", 3)
    out = tmp_path / "out"
    assert run(*inputs, "--output", out, "--max-size", 12, "--overlap", 1, *LIMITS, *options) == 0
    assert rows(out, without=()) == rows(done, without=())
    if (
        way != "small pieces"
    ):  # there a broken file is cut into units, each with a letter of its own
        assert rows(out, "dead_letters") == rows(done, "dead_letters")
    found, expected = summary(out), summary(done)
    for name in ["documents", "chunked", "sentences", "chunks", "oversized", "blank", "text_bytes"]:
        assert found[name] == expected[name]


def verify(*arguments: object) -> int:
    return main(["verify", *map(str, arguments)])


def test_verify_finds_nothing_wrong(
    messy: Messy, done: Path, capsys: pytest.CaptureFixture
) -> None:
    assert verify(done, "--against", *messy.inputs, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found == {
        "documents": messy.figures["documents"], "chunks": len(rows(done)), "count": 0, "differences": []
    }  # fmt: skip


@pytest.mark.parametrize("unit", ["code_point", "utf16", "utf8"])
@pytest.mark.parametrize(
    "options", [["--overlap", "2"], ["--blank", "drop"]], ids=["overlap", "drop"]
)
def test_verify_in_every_unit(messy: Messy, tmp_path: Path, unit: str, options: list[str]) -> None:
    out = tmp_path / "out"
    assert run(*messy.inputs, "--output", out, "--max-size", 5, "--unit", unit, *options) == 0
    assert verify(out) == 0


def changed(table: pa.Table, name: str, row: int, value: object) -> pa.Table:
    field, values = table.schema.field(name), table[name].to_pylist()
    values[row] = value
    return table.set_column(table.schema.get_field_index(name), field, pa.array(values, field.type))


DAMAGES = {
    "text is not the slice": lambda t: changed(t, "text", 1, "Forged. "),
    "[0:5) of the document is in no chunk": lambda t: t.filter(pc.not_equal(t["chunk_index"], 0)),
    "after the last chunk": lambda t: t.filter(pc.not_equal(t["chunk_index"], 2)),
    "oversized is True": lambda t: changed(t, "oversized", 1, True),
    "size 99 is not end - start": lambda t: changed(t, "size", 1, 99),
    "kept column 'n' is 8": lambda t: changed(t, "n", 1, 8),
    "a chunk_id does not follow": lambda t: changed(t, "chunk_id", 0, "x"),
    "belongs to no document": lambda t: pa.concat_tables([t, t.slice(0, 1)]),
    "not 0, 1, 2": lambda t: changed(t, "chunk_index", 2, 7),
    "chunks is 6, found 5": lambda t: t.slice(1),
}


@pytest.mark.parametrize("said", DAMAGES)
def test_verify_finds_what_was_done_to_chunks(tmp_path: Path, capsys, said: str) -> None:
    source = write(
        tmp_path / "in.parquet", {"text": ["One. Two. Three.", "Four. Five. Six."], "n": [1, 2]}
    )
    out = tmp_path / "out"
    assert run(source, "--output", out, "--max-size", 5, "--keep", "n") == 0
    assert verify(out) == 0
    path = out / "chunks" / "part-00000.parquet"
    pq.write_table(DAMAGES[said](pq.read_table(path)), path)
    assert verify(out, "--against", source) == 1
    assert said in capsys.readouterr().out


def test_verify_finds_what_was_done_to_dead_letters(tmp_path: Path, capsys) -> None:
    source = write(tmp_path / "in.parquet", {"text": [None, "A."]})
    out = tmp_path / "out"
    assert run(source, "--output", out, "--max-size", 5) == 0
    path = out / "dead_letters" / "part-00000.parquet"
    table = pq.read_table(path)
    pq.write_table(table.slice(1), path)
    assert verify(out) == 1
    assert "is null or not UTF-8, and is not among the dead letters" in capsys.readouterr().out
    pq.write_table(changed(table, "row", 0, 1), path)
    assert verify(out) == 1
    assert "its dead letter says null_text, which is not so" in capsys.readouterr().out


def test_verify_of_other_inputs_or_of_no_job(tmp_path: Path, capsys) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["A."]})
    assert verify(tmp_path, "--against", source) == 2
    assert run(source, "--output", tmp_path / "out", "--max-size", 5) == 0
    write(tmp_path / "in.parquet", {"text": ["A.", "B. But longer."]})
    assert verify(tmp_path / "out") == 1
    assert "are not those that the job read: then 1 files" in capsys.readouterr().out
