"""Plan, do and commit as plain calls: what they promise to each other and to a retry."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sentchunk import ChunkSpec

from job.helpers import rows, run, write
from sentchunk_beam import Columns, JobError, Settings, commit, plan, unit
from sentchunk_beam.schemas import Counts
from sentchunk_beam.sources import base, parquet

SPEC = ChunkSpec(20)
SETTINGS = Settings(SPEC)


def corpus(folder: Path) -> str:
    """A large file of many row groups between runs of small ones."""
    for index in range(5):
        write(folder / f"a{index}.parquet", {"text": [f"File {index}. Row."]})
    texts = [f"Row {row}. " + "x" * 2000 for row in range(400)]
    write(folder / "b.parquet", {"text": texts}, row_group_size=20, use_dictionary=False)
    write(folder / "c.parquet", {"text": ["Last."]})
    return str(folder)


@pytest.fixture
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "SMALLEST_UNIT_BYTES", 200_000)
    monkeypatch.setattr(plan, "OPENING_BYTES", 100)


def do_all(made: plan.Plan, work: unit.Work) -> list[unit.Manifest]:
    return [unit.do_unit(each, work, lambda counts: None) for each in made.units]


@pytest.mark.usefixtures("small_units")
def test_units_hold_each_row_once_in_order(tmp_path: Path) -> None:
    made = plan.make_plan([corpus(tmp_path / "in")], SETTINGS)
    assert len(made.units) > 3
    parts = [part for each in made.units for part in each.parts]
    assert [Path(part.path).name for part in parts if part.first_row == 0] == [
        "a0.parquet", "a1.parquet", "a2.parquet", "a3.parquet", "a4.parquet", "b.parquet", "c.parquet"
    ]  # fmt: skip
    large = [part for part in parts if part.path.endswith("b.parquet")]
    assert large[0].first_row == 0
    for left, right in pairwise(large):
        assert right.first_row == left.first_row + left.rows
        assert right.first_split == left.end_split
    assert sum(part.rows for part in large) == 400
    assert plan.Unit.from_json(made.units[1].to_json()) == made.units[1]


@pytest.mark.usefixtures("small_units")
def test_a_units_id_follows_from_what_it_holds_and_the_parameters(tmp_path: Path) -> None:
    source = corpus(tmp_path / "in")

    def ids(settings: Settings = SETTINGS) -> list[str]:
        return [each.id for each in plan.make_plan([source], settings).units]

    assert ids() == ids()
    assert len(set(ids())) == len(ids())
    assert not set(ids()) & set(ids(Settings(ChunkSpec(21))))
    assert not set(ids()) & set(ids(Settings(SPEC, Columns(keep=()), drop_blank=True)))


@pytest.mark.usefixtures("small_units")
def test_rows_do_not_depend_on_how_the_corpus_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = corpus(tmp_path / "in")
    assert run(source, "--output", tmp_path / "many", "--max-size", 20) == 0
    monkeypatch.setattr(plan, "SMALLEST_UNIT_BYTES", 1 << 30)
    monkeypatch.setattr(base, "TABLE_BYTES", 3000)
    assert (
        run(source, "--output", tmp_path / "one", "--max-size", 20, "--direct_num_workers=1") == 0
    )
    assert len(list((tmp_path / "many" / "chunks").iterdir())) > 3
    assert len(list((tmp_path / "one" / "chunks").iterdir())) == 1
    assert rows(tmp_path / "many") == rows(tmp_path / "one")


def test_a_unit_that_is_done_is_not_done_again(tmp_path: Path) -> None:
    made = plan.make_plan([corpus(tmp_path / "in")], SETTINGS)
    work = unit.Work(str(tmp_path / "out"), SETTINGS)
    first = do_all(made, work)
    files = sorted((tmp_path / "out" / "_temporary").iterdir())
    assert do_all(made, work) == first
    assert sorted((tmp_path / "out" / "_temporary").iterdir()) == files


def test_two_attempts_at_the_same_time(tmp_path: Path) -> None:
    """Both go the whole way; the job takes the files of one, and nothing twice."""
    made = plan.make_plan([corpus(tmp_path / "in")], SETTINGS)
    work = unit.Work(str(tmp_path / "out"), SETTINGS)
    (only,) = made.units

    def attempt_within_an_attempt(counts: Counts) -> None:
        if not attempts:
            attempts.append(None)
            attempts.append(unit.do_unit(only, work, lambda counts: None))

    attempts: list = []
    second = unit.do_unit(only, work, attempt_within_an_attempt)
    first = attempts[1]
    assert first.chunks_file != second.chunks_file
    assert pq.read_table(first.chunks_file).equals(pq.read_table(second.chunks_file))
    commit.commit([first, second], 1, work, {})
    assert len(rows(tmp_path / "out")) == first.counts.chunks


def test_commit_can_be_done_again(tmp_path: Path) -> None:
    made = plan.make_plan([corpus(tmp_path / "in")], SETTINGS)
    work = unit.Work(str(tmp_path / "out"), SETTINGS)
    manifests = do_all(made, work)
    commit.commit(manifests, 1, work, {"seconds": 1})
    once = rows(tmp_path / "out")
    commit.commit(manifests, 1, work, {"seconds": 1})
    assert rows(tmp_path / "out") == once


def test_commit_refuses_what_does_not_add_up(tmp_path: Path) -> None:
    work = unit.Work(str(tmp_path / "out"), SETTINGS)
    good = unit.Manifest("a", 0, Counts(documents=2, chunked=2), None, None, 0)
    bad = unit.Manifest("b", 1, Counts(documents=2, chunked=1), None, None, 0)
    with pytest.raises(JobError, match="2 units were planned, 1 came back"):
        commit.commit([good], 2, work, {})
    with pytest.raises(JobError, match="documents in are not"):
        commit.commit([good, bad], 2, work, {})
    assert not (tmp_path / "out").exists()


def test_a_file_that_changes_or_vanishes_after_the_plan(tmp_path: Path) -> None:
    for name in ["gone", "other", "good"]:
        write(tmp_path / "in" / f"{name}.parquet", {"text": ["One.", "Two."]})
    made = plan.make_plan([str(tmp_path / "in")], SETTINGS)
    (tmp_path / "in" / "gone.parquet").unlink()
    write(tmp_path / "in" / "other.parquet", {"text": ["One."]})
    work = unit.Work(str(tmp_path / "out"), SETTINGS)
    (manifest,) = do_all(made, work)
    assert manifest.counts.dead_letters == {"unreadable_file": 4}
    assert manifest.counts.chunked == 2
    messages = pq.read_table(manifest.dead_letters_file)["message"].to_pylist()
    assert [message.split(" ")[0] for message in messages] == ["vanished", "has"]


def test_trouble_on_the_way_to_a_file_is_not_the_files_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk error makes the unit fail, for the runner to try again; its documents are no dead letters."""
    made = plan.make_plan([write(tmp_path / "in.parquet", {"text": ["A."]})], SETTINGS)

    def fail(path: str) -> None:
        raise OSError(5, "Input/output error", path)

    monkeypatch.setattr(parquet.files, "open_input", fail)
    with pytest.raises(OSError, match="Input/output error"):
        do_all(made, unit.Work(str(tmp_path / "out"), SETTINGS))


def test_a_failing_job_publishes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    source = write(tmp_path / "in.parquet", {"text": ["A."]})

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(unit.ParquetSink, "close", fail)
    out = tmp_path / "out"
    assert run(source, "--output", out, "--max-size", 9) == 1
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "nothing was published: OSError: [Errno 28] No space left on device" in error
    assert "Traceback" in (out / "_temporary" / "error.txt").read_text()
    assert [path.name for path in out.iterdir()] == ["_temporary"]


def test_tables_are_bounded_in_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "TABLE_BYTES", 10_000)
    monkeypatch.setattr(parquet, "BATCH_BYTES", 4_000)
    texts = ["short"] * 500 + ["x" * 3_000] * 20 + ["y" * 50_000] + ["short"] * 500
    source = write(tmp_path / "in.parquet", {"text": pa.array(texts).dictionary_encode()})
    (only,) = plan.make_plan([source], SETTINGS).units
    tables = list(parquet.read(only.parts[0], SETTINGS))
    assert [text for each in tables for text in each.table["text"].to_pylist()] == texts
    assert [row for each in tables for row in each.rows] == list(range(len(texts)))
    sizes = [(each.table.num_rows, each.table["text"].cast("string").nbytes) for each in tables]
    assert all(size <= 2 * 10_000 + 8 * count or count == 1 for count, size in sizes)


def test_small_tables_are_put_together_and_their_order_stays(tmp_path: Path) -> None:
    """Tables of small files are one, up to a file of another type or a broken one between them."""
    for number in range(8):
        kind = pa.large_string() if number == 5 else pa.string()
        write(
            tmp_path / "in" / f"{number}.parquet",
            {"text": pa.array([f"File {number}.", None], kind)},
        )
    (tmp_path / "in" / "3.parquet").write_bytes(b"broken")
    (only,) = plan.make_plan([str(tmp_path / "in")], SETTINGS).units
    work = unit.Work(str(tmp_path / "out"), SETTINGS)
    sources = list(unit.read(only, work))
    sizes = [len(each.ids) if hasattr(each, "ids") else None for each in sources]
    assert sizes == [6, None, 2, 2, 4]
    (manifest,) = do_all(plan.make_plan([str(tmp_path / "in")], SETTINGS), work)
    chunks = pq.read_table(manifest.chunks_file).to_pylist()
    assert [row["text"] for row in chunks] == [
        f"File {number}." for number in range(8) if number != 3
    ]
    letters = pq.read_table(manifest.dead_letters_file).to_pylist()
    names = [Path(row["file"]).name for row in letters]
    assert names == [f"{number}.parquet" for number in range(8)]
    assert [row["row"] for row in letters] == [1, 1, 1, None, 1, 1, 1, 1]
