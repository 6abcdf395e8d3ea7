"""`sentchunk preview`: what a person sees of one document, and what no document can do to the terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sentchunk
from job.helpers import invalid_utf8, write

from commands.helpers import STEERING, Said, call, process, refused

TEXT = "A1. B2. A long sentence it is. C3. D4."
HOSTILE = (
    "A\x1b]0;title\x07 and \x1b[2J. \x9b31mC1. \u202eturned\u2069. \x00\x08\x7f. "
    "\u0301lone. a" + "\u0300" * 300 + " stack. \u2028\u061c\r\n[bold]markup[/bold] :smile:"
)
SGR = re.compile(r"\x1b\[[0-9;]*m")


def preview(capfd: pytest.CaptureFixture, *arguments: object, stdin: bytes | None = None) -> Said:
    return call(capfd, "preview", *arguments, stdin=stdin, NO_COLOR="1", COLUMNS="1000")


@pytest.fixture
def parquet(tmp_path: Path) -> str:
    texts = pa.array([*(f"Row {n}. End." for n in range(200)), None]).cast(pa.string())
    table = pa.table({"key": pa.array(range(500, 701)), "text": texts, "n": [0] * 201})
    return write(tmp_path / "in.parquet", table, row_group_size=100)


def test_each_chunk_with_its_sentences(capfd: pytest.CaptureFixture) -> None:
    said = preview(capfd, "-", "--max-size", 8, "--overlap", 1, stdin=TEXT.encode())
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines() == [
        "chunk 0  [0:8]  size 8, 100% of max_size, 2 sentences",
        "      4 A1. ",
        "      4 B2. ",
        "",
        "chunk 1  [8:31]  size 23, 288% of max_size, 1 sentence, oversized",
        "!    23 A long sentence it is. ",
        "",
        "chunk 2  [31:38]  size 7, 88% of max_size, 2 sentences",
        "      4 C3. ",
        "      3 D4.",
        "",
        "3 chunks from 5 sentences, 38 code points; max_size 8",
        "sizes: smallest 7, median 8, largest 23, mean fill 94%",
        "! 1 oversized: a sentence larger than max_size, never cut",
        "~ 0 code points repeated, 0% of the document",
    ]


def test_what_is_repeated_has_a_sign(capfd: pytest.CaptureFixture) -> None:
    text = "A1. B2. C3. D4."
    said = preview(capfd, "-", "--max-size", 8, "--overlap", 1, stdin=text.encode())
    assert "chunk 1  [4:12]  size 8, 100% of max_size, 2 sentences, 1 repeated" in said.out
    assert [line for line in said.out.splitlines() if line.startswith("~")] == [
        "~     4 B2. ",
        "~     4 C3. ",
        "~ 8 code points repeated, 53% of the document",
    ]


def test_sizes_are_in_the_unit(capfd: pytest.CaptureFixture) -> None:
    for unit, size in (("utf8", 10), ("utf16", 4), ("code_point", 3)):
        said = preview(capfd, "-", "--max-size", 20, "--unit", unit, stdin="😀日。".encode())
        assert f"[0:{size}]  size {size}," in said.out
        assert f"{size:>7} 😀日。" in said.out


def test_colour_tells_the_same(capfd: pytest.CaptureFixture) -> None:
    arguments = ["preview", "-", "--max-size", 8, "--overlap", 1]
    text = (TEXT + " E5. F6.").encode()
    plain = process(*arguments, stdin=text, NO_COLOR="1").stdout.decode()
    coloured = process(*arguments, stdin=text, FORCE_COLOR="1", TERM="xterm").stdout.decode()
    assert "\x1b" not in plain
    assert SGR.sub("", coloured) == plain
    assert "\x1b[31mA long sentence it is. " in coloured
    assert "\x1b[36mD4. " in coloured


def test_nothing_of_the_document_steers_a_terminal(capfd: pytest.CaptureFixture) -> None:
    said = preview(capfd, "-", "--max-size", 30, "--overlap", 1, stdin=HOSTILE.encode())
    assert said.status == 0
    assert not re.search(STEERING, said.out)
    for sign in (
        "⟨ESC⟩]0;title⟨BEL⟩",
        "⟨ESC⟩[2J",
        "⟨U+009B⟩31m",
        "⟨U+202E⟩turned⟨U+2069⟩",
        "⟨NUL⟩⟨BS⟩⟨U+007F⟩",
        "◌\u0301lone",
    ):
        assert sign in said.out
    assert "⟨292 more marks⟩" in said.out
    assert "[bold]markup[/bold] :smile:" in said.out


def test_on_a_real_terminal(tmp_path: Path) -> None:
    (tmp_path / "hostile.txt").write_bytes(HOSTILE.encode())
    command = [
        sys.executable,
        "-m",
        "sentchunk_beam.cli",
        "preview",
        "hostile.txt",
        "--max-size",
        "30",
    ]
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {
        "TERM": "xterm-256color"
    }
    ours, theirs = pty.openpty()
    child = subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    raw = b""
    while True:
        try:
            read = os.read(ours, 65536)
        except OSError:  # the terminal is closed
            break
        if not read:
            break
        raw += read
    os.close(ours)
    assert child.wait() == 0
    shown = raw.decode()
    assert SGR.search(shown), "a terminal gets colours"
    assert not re.search(STEERING, SGR.sub("", shown).replace("\r\n", "\n"))


def test_long_documents_are_cut_and_counted(capfd: pytest.CaptureFixture) -> None:
    text = "\n" * 100 + "x" * 5000 + ". " + "Another one. " * 500
    said = preview(capfd, "-", "--max-size", 100, "--show", 2, stdin=text.encode())
    assert "… 60 more sentences" in said.out
    assert "⟨… 4,502 code points …⟩" in said.out
    total = int(re.search(r"^(\d+) chunks from 601 sentences", said.out, re.MULTILINE)[1])
    assert total == len(sentchunk.chunk(text, max_size=100))
    assert f"… {total - 2} of {total} chunks not shown" in said.out
    assert said.out.count("\nchunk ") == 1
    every = preview(capfd, "-", "--max-size", 100, "--show", "all", stdin=text.encode())
    assert every.out.count("\nchunk ") == total - 1


def test_json_has_the_rows_of_the_json_form(capfd: pytest.CaptureFixture) -> None:
    said = preview(capfd, "-", "--max-size", 30, "--json", stdin=HOSTILE.encode())
    assert not re.search(STEERING, said.out)
    rows = [json.loads(line) for line in said.out.splitlines()]
    assert rows == sentchunk.execute({"text": HOSTILE, "max_size": 30})["chunks"]


def test_an_empty_document(capfd: pytest.CaptureFixture) -> None:
    said = preview(capfd, "-", "--max-size", 30, stdin=b"")
    assert said.out == "0 chunks from 0 sentences, 0 code points; max_size 30\n"
    assert preview(capfd, "-", "--max-size", 30, "--json", stdin=b"").out == ""


def test_a_terminal_without_unicode() -> None:
    done = process(
        "preview", "-", "--max-size", "9", stdin="日本。\n".encode(), PYTHONIOENCODING="ascii"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"\u65e5\u672c" in done.stdout


@pytest.mark.parametrize("suffix", [".parquet", ".data"])
def test_rows_of_a_parquet_file(
    tmp_path: Path, capfd: pytest.CaptureFixture, suffix: str, parquet: str
) -> None:
    path = Path(parquet).rename(tmp_path / f"renamed{suffix}")
    for arguments, text in (
        ([], "Row 0. End."),
        (["--row", 150], "Row 150. End."),
        (["--id", "699", "--id-column", "key"], "Row 199. End."),
    ):
        said = preview(capfd, path, "--max-size", 99, "--json", *arguments)
        assert json.loads(said.out)["text"] == text


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())]
)
def test_types_of_text(tmp_path: Path, capfd: pytest.CaptureFixture, kind: pa.DataType) -> None:
    path = write(tmp_path / "in.parquet", {"body": pa.array(["A.", "Ü."]).cast(kind)})
    said = preview(capfd, path, "--max-size", 9, "--text-column", "body", "--row", 1, "--json")
    assert json.loads(said.out)["text"] == "Ü."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--row", "201"], "no row 201 in {file}: it has rows 0 to 200"),
        (["--row", "-1"], "no row -1 in {file}: it has rows 0 to 200"),
        (["--row", "200"], "row 200 of {file}: the text is null"),
        (["--id", "77", "--id-column", "key"], "no row of {file} has '77' in column 'key'"),
        (["--id", "77"], "give --id and --id-column together"),
        (["--id-column", "key"], "give --id and --id-column together"),
        (["--text-column", "body"], "has no column 'body'; it has: key, text, n"),
        (["--text-column", "n"], "column 'n' of {file} is int64"),
        (
            ["--max-text-bytes", "5"],
            "the document has 11 UTF-8 bytes of text, over max_text_bytes = 5",
        ),
        (["--max-sentences", "1"], "the document has 2 sentences, over max_sentences = 1"),
        (["--max-output-bytes", "9"], "over max_output_bytes = 9"),
        (["--max-size", "0"], "max_size is 0"),
        (["--unit", "token"], "unit is 'token'"),
    ],
)
def test_mistakes_with_parquet(
    capfd: pytest.CaptureFixture, parquet: str, arguments: list[str], said: str
) -> None:
    result = preview(capfd, parquet, "--max-size", 9, *arguments)
    assert refused(result, said.format(file=parquet))


def test_mistakes_with_files(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    (tmp_path / "latin.txt").write_bytes("Un café.".encode("latin-1"))
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    wrong = write(tmp_path / "wrong.parquet", {"text": invalid_utf8(b"A.", b"B\xff")})
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "empty.parquet")
    for name, arguments, said in (
        ("latin.txt", [], "latin.txt is not UTF-8: byte 6 is the first wrong one"),
        ("latin.txt", ["--row", "1"], "--row is for a Parquet file"),
        ("broken.parquet", [], "cannot be read as Parquet"),
        ("wrong.parquet", ["--row", "1"], f"row 1 of {wrong} is not UTF-8: byte 1 is"),
        ("empty.parquet", [], "it has no rows"),
        ("nothing.txt", [], "o such file or directory"),
        ("nothing.parquet", [], "o such file or directory"),
        (".", [], "Is a directory"),
    ):
        assert refused(preview(capfd, tmp_path / name, "--max-size", 9, *arguments), said)


def test_an_endless_document_is_not_read_to_its_end(capfd: pytest.CaptureFixture) -> None:
    said = preview(capfd, "/dev/zero", "--max-size", 9)
    assert refused(said, "more than max_text_bytes = 262,144 UTF-8 bytes")


def test_limits_can_be_switched_off(capfd: pytest.CaptureFixture) -> None:
    text = b"x" * 300_000
    assert preview(capfd, "-", "--max-size", 9, "--max-text-bytes", "none", stdin=text).status == 0
