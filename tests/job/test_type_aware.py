"""The job with `--strategy type-aware`: rows, types, dead letters, limits, resume, verify, and what is refused."""

from __future__ import annotations

import base64
import json
import pickle
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sentchunk import ChunkSpec, InvalidInput, Limits, SemanticChunker
from sentchunk.semantic import SemanticSpec

from job.helpers import rows, run, summary, write
from sentchunk_beam.cli import main
from sentchunk_beam.settings import Columns, Settings, TypedColumns
from sentchunk_beam.strategies import TypeAware

MARKDOWN = (
    "Intro é.\n\n## Titel ##\n\nBody of it. " + "More words here. " * 60 + "\n\n```\n## no\n```\n"
)
MAIL = "Top.\n\nOn Mon, 2 Mar 2026, Al wrote:\n> q1\n"
EVENT = "\nStand-up\n\n## no section\n" + "long " * 300
TEXTS = {
    "document": MARKDOWN,
    "email": MAIL,
    "event": EVENT,
    "message": "One.\n\n## Two.",
    "ticket": "## T\nx",
}


def corpus(path: Path) -> str:
    table = {
        "id": [*TEXTS, "untyped", "mistyped", "bytes", "none"],
        "kind": [*TEXTS, None, "Email", "note", "note"],
        "text": pa.array([*(each.encode() for each in TEXTS.values()), MAIL.encode(), b"x", b"a\xff", None], pa.binary()),
    }  # fmt: skip
    return write(path / "in.parquet", table, row_group_size=2)


OPTIONS = ("--strategy", "type-aware", "--max-tokens", 60, "--overlap-tokens", 7, "--quiet")


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    given = corpus(tmp_path), "--output", tmp_path / "out", *OPTIONS
    assert run(*given, "--id-column", "id", "--keep", "kind", "--doc-type-column", "kind") == 0
    return tmp_path / "out"


def test_rows_are_those_of_the_chunker(finished: Path) -> None:
    chunker = SemanticChunker(60, overlap_tokens=7)
    found = rows(finished)
    for doc_type, text in TEXTS.items():
        expected = chunker.chunk(text, doc_type=doc_type)
        ours = [row for row in found if row["document_id"] == doc_type]
        assert [(r["text"], r["chunk_index"], r["start"], r["end"], r["new_start"], r["oversized"], r["section"]) for r in ours] == [
            (c.content, c.index, c.start, c.end, c.new_start, c.oversized, c.metadata.get("section")) for c in expected
        ]  # fmt: skip
        assert {(row["doc_type"], row["kind"]) for row in ours} == {(doc_type, doc_type)}
        assert [row["size"] for row in ours] == [len(row["text"]) for row in ours]
    assert {row["doc_type"] for row in found if row["document_id"] == "untyped"} == {"document"}
    assert pq.read_schema(next((finished / "chunks").iterdir())).names == [
        "chunk_id", "document_id", "chunk_index", "text", "start", "end", "new_start", "size", "oversized",
        "section", "doc_type", "kind",
    ]  # fmt: skip


def test_dead_letters_and_accounting(finished: Path) -> None:
    letters = {row["document_id"]: row["code"] for row in rows(finished, "dead_letters")}
    assert letters == {"mistyped": "invalid_doc_type", "bytes": "invalid_utf8", "none": "null_text"}
    figures = summary(finished)
    assert (figures["documents"], figures["chunked"]) == (9, 6)
    assert figures["oversized"] == 1


def test_verify_finds_nothing_and_finds_what_is_wrong(
    finished: Path, capfd: pytest.CaptureFixture
) -> None:
    assert main(["verify", str(finished)]) == 0
    path = next((finished / "chunks").iterdir())
    table = pq.read_table(path)
    for name, value in [
        ("start", 1),
        ("new_start", 0),
        ("doc_type", "note"),
        ("oversized", True),
        ("size", 3),
        ("section", "another"),
    ]:
        broken = table.to_pylist()
        broken[2][name] = value
        pq.write_table(pa.Table.from_pylist(broken, schema=table.schema), path)
        assert main(["verify", str(finished)]) == 1, name
    pq.write_table(table.slice(1), path)
    assert main(["verify", str(finished)]) == 1
    said = capfd.readouterr().out
    assert "of the document is in no chunk" in said
    assert "section is 'another', not " in said


def test_chunk_ids_follow_from_what_decides_on_the_chunks(tmp_path: Path) -> None:
    given = corpus(tmp_path), "--id-column", "id", "--quiet", "--strategy", "type-aware"
    seen = []
    for number, options in enumerate(
        [
            (),
            (),
            ("--max-tokens", 60),
            ("--doc-type", "email"),
            ("--max-chars", 99),
            ("--overlap-tokens", 0),
        ]
    ):
        out = tmp_path / f"out{number}"
        assert run(*given, "--output", out, *options) == 0
        seen.append(rows(out, without=())[0]["chunk_id"])
    assert seen[0] == seen[1]
    assert len(set(seen[1:])) == len(seen) - 1


def test_limits(tmp_path: Path) -> None:
    text = "word " * 4000
    source = write(tmp_path / "in.parquet", {"text": [text, "short"]})
    given = source, "--quiet", "--strategy", "type-aware"
    assert run(*given, "--output", tmp_path / "a", "--max-text-bytes", 9_999) == 0
    (letter,) = rows(tmp_path / "a", "dead_letters")
    assert (letter["limit_name"], letter["figure"]) == ("max_text_bytes", 20_000)
    # Overlap comes on top: a fifth of the tokens, by default.
    assert run(*given, "--output", tmp_path / "b", "--max-output-bytes", 20_400) == 0
    (letter,) = rows(tmp_path / "b", "dead_letters")
    assert letter["limit_name"] == "max_output_bytes"
    assert "UTF-8 bytes of chunks" in letter["message"]
    assert main(["verify", str(tmp_path / "b")]) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--max-tokens", "9"], "--max-tokens belongs to --strategy type-aware; this is --strategy sentences"),
        (["--max-size", "9", "--doc-type", "email"], "--doc-type belongs to --strategy type-aware"),
        (["--strategy", "type-aware", "--max-size", "9"], "--max-size belongs to --strategy sentences"),
        (["--strategy", "type-aware", "--overlap", "1"], "--overlap belongs to --strategy sentences"),
        (["--strategy", "type-aware", "--unit", "utf8"], "--unit belongs to --strategy sentences"),
        (["--strategy", "type-aware", "--max-sentences", "9"], "--max-sentences belongs to --strategy sentences"),
        (["--strategy", "type-aware", "--max-tokens", "0"], "max_tokens is 0; use an integer from 1"),
        (["--strategy", "type-aware", "--doc-type", "Email"], "doc_type is 'Email'; write it 'email'"),
        (["--strategy", "type-aware", "--doc-type", "a", "--doc-type-column", "b"], "not allowed with argument"),
        (["--strategy", "type-aware", "--doc-type-column", "nope"], "no column 'nope'"),
        (["--strategy", "type-aware", "--keep", "new_start"], "cannot keep column 'new_start'"),
        (["--strategy", "words"], "invalid choice: 'words'"),
    ],
)  # fmt: skip
def test_mistakes(
    arguments: list[str], told: str, tmp_path: Path, capfd: pytest.CaptureFixture
) -> None:
    assert run(corpus(tmp_path), "--output", tmp_path / "out", *arguments) == 2
    assert told in capfd.readouterr().err
    assert not (tmp_path / "out").exists()


def test_settings_survive_json_and_pickle() -> None:
    typed = Settings(
        TypeAware(SemanticSpec(9), Limits(None, None, 5), "email"),
        TypedColumns("body", "id", ("a",), "kind"),
    )
    plain = Settings(ChunkSpec(9), Columns(keep=("section",)))
    for settings in (typed, plain):
        again = Settings.from_dict(json.loads(json.dumps(asdict(settings))))
        assert again == settings == pickle.loads(pickle.dumps(settings))
        assert repr(again) == repr(settings)
    with pytest.raises(InvalidInput):
        TypeAware(doc_type=" email")


def test_the_sentence_strategys_settings_are_as_they_were() -> None:
    """Unit ids are made of this: another text would redo every job that is to be resumed."""
    assert repr(Settings(ChunkSpec(9))) == (
        "Settings(spec=ChunkSpec(max_size=9, unit='code_point', overlap=0, limits=Limits(max_text_bytes=262144, "
        "max_sentences=65536, max_output_bytes=4194304)), columns=Columns(text='text', id=None, keep=()), "
        "drop_blank=False, dead_letter_text=False, only_dead_letters=None)"
    )


def test_types_from_the_folders_of_a_path(tmp_path: Path) -> None:
    for doc_type in ("email", "document"):
        write(tmp_path / "in" / f"kind={doc_type}" / "a.parquet", {"text": [MAIL]})
    given = tmp_path / "in", "--output", tmp_path / "out", *OPTIONS
    assert run(*given, "--doc-type-column", "kind") == 0
    assert [row["doc_type"] for row in rows(tmp_path / "out")] == [
        "document",
        "document",
        "email",
        "email",
    ]


def test_a_folder_of_mixed_files_by_globs(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(b"Subject: x\n\n" + MAIL.encode())
    (tmp_path / "b.md").write_text(MARKDOWN, "utf-8")
    (tmp_path / "c.txt").write_text("## T\nx", "utf-8")
    write(tmp_path / "d.parquet", {"text": ["One.\n\nTwo."]})
    out = tmp_path / "out"
    globs = [tmp_path / f"*.{suffix}" for suffix in ("eml", "md", "txt", "parquet")]
    assert run(*globs, "--output", out, *OPTIONS) == 0
    types = {Path(row["document_id"].split("#")[0]).name: row["doc_type"] for row in rows(out)}
    assert types == {
        "a.eml": "email",
        "b.md": "document",
        "c.txt": "document",
        "d.parquet": "document",
    }
    assert "Titel" in {row["section"] for row in rows(out)}
    assert main(["verify", str(out)]) == 0
    assert main(["report", str(out), "--json"]) == 0


def test_only_dead_letters_run_again(finished: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    given = "--only-dead-letters", finished, "--output", again, *OPTIONS, "--id-column", "id"
    assert run(*given, "--doc-type", "email") == 0
    assert {row["document_id"] for row in rows(again)} == {"mistyped"}


def test_preview(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    (tmp_path / "a.md").write_text(MARKDOWN, "utf-8")
    options = ["--strategy", "type-aware", "--max-tokens", "60"]
    assert main(["preview", str(tmp_path / "a.md"), *options]) == 0
    shown = capfd.readouterr().out
    assert "section Titel" in shown
    assert "max_tokens 60, max_chars 240, overlap_tokens 12" in shown
    assert main(["preview", str(tmp_path / "a.md"), *options, "--json"]) == 0
    found = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [each["content"] for each in found] == [
        chunk.content for chunk in SemanticChunker(60).chunk(MARKDOWN)
    ]


def test_preview_of_a_mail(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    raw = b"Subject: x\nContent-Transfer-Encoding: base64\n\n" + base64.b64encode(MAIL.encode())
    (tmp_path / "a.eml").write_bytes(raw)
    assert main(["preview", str(tmp_path / "a.eml"), "--strategy", "type-aware"]) == 0
    shown = capfd.readouterr().out
    assert "2 chunks" in shown
    assert "as email" in shown
    (tmp_path / "b.eml").write_bytes(b"Content-Type: text/plain; charset=utf-8\n\n\xff")
    assert main(["preview", str(tmp_path / "b.eml"), "--strategy", "type-aware"]) == 2
    assert "not utf-8: byte 0" in capfd.readouterr().err


def test_resumed_where_it_was_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = corpus(tmp_path), *OPTIONS, "--id-column", "id", "--doc-type-column", "kind"
    assert run(*given, "--output", tmp_path / "whole") == 0
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr("sentchunk_beam.job.commit", _fail)
        assert run(*given, "--output", out) == 1
    assert not (out / "_SUCCESS").exists()
    with monkeypatch.context() as patch:
        patch.setattr("sentchunk_beam.unit.chunk_table", _fail)  # what is done is not done again
        assert run(*given, "--output", out, "--resume") == 0
    assert rows(out, without=()) == rows(tmp_path / "whole", without=())


def _fail(*arguments: object) -> None:
    raise RuntimeError("cut off")
