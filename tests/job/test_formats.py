"""Text, lines and JSON Lines as inputs: what is a document, and what becomes of what is none."""

from __future__ import annotations

import bz2
import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from job.helpers import rows, run, summary, write
from sentchunk_beam.sources import blocks, lines
from sentchunk_beam.sources.blocks import LongLine

COMPRESS = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def texts(output: Path) -> list[tuple]:
    return [(row["document_id"], row["text"]) for row in rows(output)]


def letters(output: Path) -> list[tuple]:
    found = rows(output, "dead_letters")
    return [(row["row"], row["code"], row["figure"]) for row in found]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_text_file_is_a_document(tmp_path: Path, suffix: str) -> None:
    content = "\ufeffOne. Two.\r\nThree."
    for name in ["a", "b"]:
        path = tmp_path / "in" / f"{name}.txt{suffix}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(COMPRESS[suffix](content.encode()))
    assert run(tmp_path / "in", "--output", tmp_path / "out", "--max-size", 7) == 0
    expected = ["\ufeffOne. ", "Two.\r\n", "Three."]  # a byte order mark is kept and counted
    files = [str(tmp_path / "in" / f"{name}.txt{suffix}") for name in ["a", "b"]]
    assert texts(tmp_path / "out") == [(file, text) for file in files for text in expected]


def test_a_text_over_the_limit_or_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "exact.txt").write_text("x" * 100)
    (tmp_path / "long.txt").write_text("x" * 101)
    (tmp_path / "utf16.txt").write_bytes("One. Two.".encode("utf-16"))
    (tmp_path / "bomb.txt.gz").write_bytes(gzip.compress(b" " * 50_000_000))
    out = tmp_path / "out"
    assert run(tmp_path, "--output", out, "--max-size", 9, "--max-text-bytes", 100,
               "--dead-letter-text") == 0  # fmt: skip
    found = {Path(row["file"]).name: row for row in rows(out, "dead_letters")}
    assert {name: row["code"] for name, row in found.items()} == {
        "long.txt": "limit_exceeded", "utf16.txt": "invalid_utf8", "bomb.txt.gz": "limit_exceeded"
    }  # fmt: skip
    assert found["utf16.txt"]["byte_position"] == 0
    assert "at least" in found["bomb.txt.gz"]["message"]
    assert found["bomb.txt.gz"]["figure"] <= 2 * blocks.BLOCK_BYTES
    assert found["long.txt"]["text"] == b"x" * 101
    assert len(found["bomb.txt.gz"]["text"]) == 65_536
    assert (summary(out)["documents"], summary(out)["chunked"]) == (4, 1)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_line_is_a_document(tmp_path: Path, suffix: str) -> None:
    source = tmp_path / f"in.log{suffix}"
    source.write_bytes(COMPRESS[suffix](b"One. Two.\r\n\nThree.\xff\nA\rB\nLast."))
    out = tmp_path / "out"
    assert run(source, "--output", out, "--max-size", 99, "--format", "lines") == 0
    assert texts(out) == [
        (f"{source}#0", "One. Two."), (f"{source}#3", "A\rB"), (f"{source}#4", "Last.")
    ]  # fmt: skip
    assert letters(out) == [(2, "invalid_utf8", None)]
    assert (summary(out)["documents"], summary(out)["chunked"]) == (5, 4)


def test_a_long_line_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 10)
    source = tmp_path / "in.txt"
    source.write_bytes(b"short\n" + b"x" * 1000 + b"\r\n" + b"y" * 20 + b"\r\n" + b"z" * 21)
    out = tmp_path / "out"
    assert run(source, "--output", out, "--max-size", 99, "--format", "lines",
               "--max-text-bytes", 20) == 0  # fmt: skip
    assert [text for _, text in texts(out)] == ["short", "y" * 20]
    assert letters(out) == [(1, "limit_exceeded", 1000), (3, "limit_exceeded", 21)]


class Held:
    """A stream of a block over and over, that tells how much was asked for."""

    def __init__(self, block: bytes, times: int) -> None:
        self.block, self.times = block, times

    def read(self, size: int) -> bytes:
        self.times -= 1
        return self.block if self.times >= 0 else b""


def test_a_line_of_5_gb_costs_no_more_than_its_head() -> None:
    stream = Held(b"x" * (50 << 20), 100)
    (found,) = blocks.line_blocks(stream, 1 << 20, 1000)
    assert found == LongLine(b"x" * 1000, 100 * (50 << 20))


@given(
    st.lists(st.sampled_from([b"a", b"bb", b"\n", b"\r\n", b"\r", b"c" * 9]), max_size=30).map(
        b"".join
    ),
    st.integers(1, 12),
    st.one_of(st.none(), st.integers(0, 12)),
)
def test_blocks_lose_no_line(content: bytes, block_bytes: int, cap: int | None) -> None:
    """Whatever the sizes of blocks and cap are, the lines are those of the whole, or are counted as long."""

    class Stream:
        position = 0

        def read(self, size: int) -> bytes:
            self.position += block_bytes
            return content[self.position - block_bytes : self.position]

    found: list[bytes | int] = []
    for block in blocks.line_blocks(Stream(), cap, 3):
        found += (
            [block.length] if isinstance(block, LongLine) else lines.split_lines(block).to_pylist()
        )
    expected = lines.split_lines(content).to_pylist() if content else []
    assert len(found) == len(expected)
    for line, whole in zip(found, expected, strict=True):
        assert line in (whole, len(whole))
        assert isinstance(line, bytes) or (cap is not None and line > cap)


JSON_LINES = [
    b'{"id": 1, "text": "One. Two.", "meta": {"lang": "en"}, "html": "<p>"}',
    b'{"id": 2, "text": null, "meta": null}',
    b"",
    b'{"id": 3}',
    b'{"id": 4, "text": 7}',
    b'{"id": "five", "text": "A."}',
    b'{"id": 6, "text": "bad \\ud800"}',
    b'{"id": 7, "text": "bad \xff"}',
    b'{"id": 8, "text": "cut',
    b"[1, 2]",
    b'{"id": 9, "text": "2020-01-01"}',
]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_an_object_of_json_lines_is_a_document(tmp_path: Path, suffix: str) -> None:
    source = tmp_path / f"in.jsonl{suffix}"
    source.write_bytes(COMPRESS[suffix](b"\xef\xbb\xbf" + b"\r\n".join(JSON_LINES)))
    out = tmp_path / "out"
    # The wrong id is beyond the lines that the types are taken from.
    assert run(source, "--output", out, "--max-size", 5, "--keep", "meta") == 0
    assert [(identity.rpartition("#")[2], text) for identity, text in texts(out)] == [
        ("0", "One. "), ("0", "Two."), ("5", "A."), ("10", "2020-01-01")
    ]  # fmt: skip
    assert rows(out)[0]["meta"] == {"lang": "en"}
    assert sorted(letters(out)) == [
        (1, "null_text", None),
        (3, "null_text", None),
        (4, "wrong_type", None),
        (6, "lone_surrogate", None),
        (7, "invalid_utf8", None),
        (8, "invalid_json", None),
        (9, "invalid_json", None),
    ]
    assert (summary(out)["documents"], summary(out)["chunked"]) == (10, 3)


def test_json_lines_that_all_are_right_take_the_fast_way_to_the_same_rows(tmp_path: Path) -> None:
    objects = [{"id": f"d{n}", "text": f'Row {n}. "Quoted" \n日本。', "n": n} for n in range(500)]
    good = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)
    (tmp_path / "fast.jsonl").write_text(good, "utf-8")
    (tmp_path / "slow.jsonl").write_text(good + "\n{}\n", "utf-8")
    for name in ["fast", "slow"]:
        assert run(tmp_path / f"{name}.jsonl", "--output", tmp_path / name, "--max-size", 9,
                   "--id-column", "id", "--keep", "n") == 0  # fmt: skip
    assert rows(tmp_path / "fast", without=()) == rows(tmp_path / "slow", without=())
    assert (
        pq.read_schema(tmp_path / "fast" / "chunks" / "part-00000.parquet").field("n").type
        == pa.int64()
    )


def test_a_json_id_of_another_type_than_the_first(tmp_path: Path) -> None:
    first = "".join(json.dumps({"id": n, "text": "x" * 1000}) + "\n" for n in range(1100))
    (tmp_path / "in.jsonl").write_text(first + '{"id": "odd", "text": "A."}\n')
    out = tmp_path / "out"
    assert run(tmp_path / "in.jsonl", "--output", out, "--max-size", 9, "--id-column", "id") == 0
    (letter,) = rows(out, "dead_letters")
    assert (letter["row"], letter["code"]) == (1100, "wrong_type")
    assert "'id' is \"odd\", and not int64" in letter["message"]


def test_a_compressed_file_that_is_cut(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b"Line %d.\n" % n for n in range(200_000)), 1)
    (tmp_path / "cut.jsonl.gz").write_bytes(b"no gzip at all")
    (tmp_path / "cut.log.gz").write_bytes(whole[: len(whole) // 2])
    out = tmp_path / "out"
    assert run(tmp_path / "cut.log.gz", "--output", out, "--max-size", 99, "--format", "lines") == 0
    (letter,) = rows(out, "dead_letters")
    assert (letter["code"], letter["documents"]) == ("unreadable_file", None)
    assert letter["row"] == summary(out)["chunked"]
    assert summary(out)["files_of_unknown_size"] == 1


def test_formats_do_not_mix_in_a_folder_unnoticed(tmp_path: Path, capsys) -> None:
    write(tmp_path / "in" / "a.parquet", {"text": ["A."]})
    (tmp_path / "in" / "LICENSE.txt").write_text("No document.")
    assert run(tmp_path / "in", "--output", tmp_path / "out", "--max-size", 9) == 2
    assert "several formats (text: 1, parquet: 1)" in capsys.readouterr().err
    assert (
        run(tmp_path / "in", "--output", tmp_path / "one", "--max-size", 9, "--format", "parquet")
        == 0
    )
    assert len(rows(tmp_path / "one")) == 1
    both = [tmp_path / "in" / "a.parquet", tmp_path / "in" / "*.txt"]
    assert run(*both, "--output", tmp_path / "two", "--max-size", 99) == 0
    assert len(rows(tmp_path / "two")) == 2


@pytest.mark.parametrize("form", ["text", "lines"])
def test_in_a_folder_the_suffix_counts_and_a_glob_takes_any_name(tmp_path: Path, form: str) -> None:
    for name in ["a.txt", "b.html", "c.json"]:
        (tmp_path / "in" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "in" / name).write_text(name)
    options = ["--max-size", 9, f"--format={form}"]
    assert run(tmp_path / "in", "--output", tmp_path / "one", *options) == 0
    assert [row["text"] for row in rows(tmp_path / "one")] == ["a.txt"]
    assert run(tmp_path / "in" / "*.[ht]*", "--output", tmp_path / "two", *options) == 0
    assert [row["text"] for row in rows(tmp_path / "two")] == ["a.txt", "b.html"]


def test_hive_partitions_are_columns(tmp_path: Path) -> None:
    for lang, text in [("en", "A."), ("a%20b", "B."), ("__HIVE_DEFAULT_PARTITION__", "C.")]:
        write(tmp_path / "in" / "year=2026" / f"lang={lang}" / "x.parquet", {"text": [text]})
    out = tmp_path / "out"
    assert run(tmp_path / "in", "--output", out, "--max-size", 9, "--keep", "lang,year") == 0
    found = {row["text"]: (row["lang"], row["year"]) for row in rows(out)}
    assert found == {"A.": ("en", "2026"), "B.": ("a b", "2026"), "C.": (None, "2026")}
    assert (
        run(tmp_path / "in", "--output", tmp_path / "ids", "--max-size", 9, "--id-column", "year")
        == 0
    )
    assert {row["document_id"] for row in rows(tmp_path / "ids")} == {"2026"}
