"""JSON Lines, line by line: what a line is does not hang on its neighbours, nor on the first megabyte."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentchunk import ChunkSpec

from job.helpers import rows, run, summary, write
from sentchunk_beam import files
from sentchunk_beam.settings import Columns, Settings
from sentchunk_beam.sources import FORMATS, Documents, Part, UnreadableFile, json_schema, jsonl
from sentchunk_beam.sources.json_lines import documents

SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("id", pa.int64()),
        ("meta", pa.struct([("a", pa.int64())])),
        ("score", pa.float64()),
    ]
)
SETTINGS = Settings(ChunkSpec(9), Columns("text", "id", ("meta", "score")))


def outcomes(block: bytes) -> dict[int, Any]:
    """For each row its document, or the code, id and byte position of its dead letter."""
    found: dict[int, Any] = {}
    lines = block.count(b"\n") + (not block.endswith(b"\n"))
    for piece in documents(block, lines, 0, SCHEMA, SETTINGS):
        if isinstance(piece, Documents):
            found |= zip(piece.rows.tolist(), piece.table.to_pylist(), strict=True)
        else:
            assert piece.letters == sorted(piece.letters, key=lambda each: each["row"])
            for each in piece.letters:
                found[each["row"]] = (each["code"], each["document_id"], each["byte_position"])
    return found


def document(
    text: str | None = None, identity: int | None = None, meta: Any = None, score: Any = None
) -> Any:
    return {"text": text, "id": identity, "meta": meta, "score": score}


LINES = {
    b'{"id": 1, "text": "A."}': document("A.", 1),
    b'  {"id": 1, "text": "A."}\t': document("A.", 1),
    b'\xef\xbb\xbf{"id": 1, "text": "A."}': document("A.", 1),
    b'{"id": 1, "meta": {"a": 2, "b": 3}}': document(None, 1, {"a": 2}),
    b'{"id": 5.5, "text": "A."}': ("wrong_type", None, None),
    b'{"id": 5.0, "text": "A."}': ("wrong_type", None, None),
    b'{"id": true, "text": "A."}': ("wrong_type", None, None),
    b'{"id": 1180591620717411303424, "text": "A."}': ("wrong_type", None, None),
    b'{"id": 1, "text": 5}': ("wrong_type", 1, None),
    b'{"id": 1, "meta": {"a": 5.5}}': ("wrong_type", 1, None),
    b'{"id": 1, "meta": [["a", 5]]}': ("wrong_type", 1, None),
    b'{"id": 1, "text": "a \\ud800"}': ("lone_surrogate", 1, None),
    b'{"id": 1, "other": "a \\ud800", "text": "A."}': document("A.", 1),
    b'{"id": 1}{"id": 2}': ("invalid_json", None, None),
    b'{"id": 1} {"id": 2}': ("invalid_json", None, None),
    b'{"id": 1}\0}': ("invalid_json", None, None),
    b'{"text": "B",': ("invalid_json", None, None),
    b'"text": "B"}': ("invalid_json", None, None),
    b"null": ("invalid_json", None, None),
    b"[1]": ("invalid_json", None, None),
    b'{"id": 1, "text": "ab\xff"}': ("invalid_utf8", 1, 2),
    b'{"id": 1, "other": "\xff", "text": "A."}': ("invalid_utf8", 1, None),
    b'{"id": 1, "text": "\xff': ("invalid_utf8", None, None),
    '{"id": 1, "text": "A."}'.encode("utf-16-le"): ("invalid_json", None, None),
    b'{"id": 1, "other": ' + b"[" * 5000 + b"]" * 5000 + b"}": document(None, 1),
    b'{"id": "b", "other": Inf}': ("invalid_json", None, None),
    b'{"id": 1, "other": Inf}': document(None, 1),
    b'{"id": 1, "other": NaN}': document(None, 1),
    b'{"id": 1, "score": 1152921504606846977}': document(None, 1, score=float(1 << 60)),
    b'{"id": 1, "id": 2, "score": 0.5}': document(None, 2, score=0.5),
    b"": None,
    b"\xef\xbb\xbf": None,
    b" \t": None,
}


@pytest.mark.parametrize("line", LINES, ids=lambda line: repr(line[:40]))
@pytest.mark.parametrize("around", [b"", b'{"id": 7}', b"null", b"{}{}"], ids=repr)
def test_a_line_is_the_same_whatever_is_around_it(line: bytes, around: bytes) -> None:
    expected = LINES[line]
    alone = outcomes(line + b"\n")
    assert alone.get(0) == expected
    assert outcomes(around + b"\n" + line + b"\n\n" + around + b"\n").get(1) == expected
    assert outcomes(around + b"\r\n" + line).get(1) == expected


@given(st.lists(st.sampled_from(list(LINES)), min_size=1, max_size=100))
def test_a_block_is_its_lines(lines: list[bytes]) -> None:
    expected = {row: LINES[line] for row, line in enumerate(lines) if LINES[line] is not None}
    assert outcomes(b"\n".join(lines) + b"\n") == expected


def test_an_object_over_two_lines_is_none() -> None:
    """Though there are as many objects as lines, and each line begins as one does."""
    found = outcomes(b'{"id": 1, "meta":\n{"a": 2}}{"id": 3}\n')
    assert found == dict.fromkeys((0, 1), ("invalid_json", None, None))


def test_two_objects_on_a_line_and_an_empty_line_are_not_two_documents(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": "A."}{"text": "B."}\n\n')
    (tmp_path / "ok.jsonl").write_text('{"text": "C."}\n')
    assert run(tmp_path / "*.jsonl", "--output", tmp_path / "out", "--max-size", 9) == 0
    assert [row["text"] for row in rows(tmp_path / "out")] == ["C."]


def schema_of(path: Path, content: bytes, *keep: str, identity: str | None = "id") -> pa.Schema:
    path.write_bytes(content)
    settings = Settings(ChunkSpec(9), Columns("text", identity, keep))
    facts = jsonl.inspect(files.FoundFile(str(path), len(content)), settings)
    assert facts.problem is None, facts.problem
    return facts.schema


def as_lines(*objects: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in objects)


TWO_TO_70 = 1 << 70
STRUCT = pa.struct([("a", pa.int64())])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 2, "a"], pa.int64()),
        (["a", 1, 2], pa.int64()),
        (["a", "b", 1], pa.string()),
        ([1, TWO_TO_70], pa.int64()),
        ([TWO_TO_70, 1, 2.5], pa.float64()),
        ([{"a": 1}, [1]], STRUCT),
        ([[1], {"a": 1}, {"a": 2}], STRUCT),
        ([None, "bad \ud800"], pa.string()),
        ([{"a": 1}, {"\ud800": 1}], STRUCT),
        ([None, None], pa.string()),
    ],
    ids=repr,
)
def test_the_type_of_a_column_is_that_of_most(
    tmp_path: Path, values: list[Any], expected: pa.DataType
) -> None:
    content = as_lines(*({"text": "A.", "id": each} for each in values))
    assert schema_of(tmp_path / "in.jsonl", content).field("id").type == expected


def test_keys_that_are_not_used_are_given_no_type(tmp_path: Path) -> None:
    odd = {"text": "A.", "id": 1, "odd": TWO_TO_70, "\ud800": 1, "mixed": [1, "a", {}]}
    found = schema_of(tmp_path / "in.jsonl", as_lines(odd, {"text": "A.", "mixed": 1}))
    assert found.field("id").type == pa.int64()
    assert "odd" in found.names


def test_a_key_nested_deeply_that_is_not_used(tmp_path: Path) -> None:
    deep = b'{"text": "A.", "id": 1, "odd": ' + b"[" * 5000 + b"]" * 5000 + b"}\n"
    (tmp_path / "in.jsonl").write_bytes(deep + as_lines({"text": "B.", "id": 2}))
    (tmp_path / "one.jsonl").write_bytes(deep)
    for name in ["in", "one"]:
        source, out = tmp_path / f"{name}.jsonl", tmp_path / name
        assert run(source, "--output", out, "--max-size", 9) == 0
        assert [row["text"] for row in rows(out)] == ["A.", "B."][: 2 if name == "in" else 1]


@pytest.mark.parametrize("cap", [64 << 20, 1 << 20])
def test_a_first_line_of_more_than_a_megabyte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cap: int
) -> None:
    """Where it is held it tells its types, and where it is over the cap the lines after it do."""
    monkeypatch.setattr(jsonl, "_line_cap", lambda settings: cap)
    long = as_lines({"text": "x" * (3 << 20), "id": 1, "first": 1})
    found = schema_of(tmp_path / "in.jsonl", long + as_lines({"text": "A.", "id": 2}))
    assert found.field("id").type == pa.int64()
    assert ("first" in found.names) == (cap > 3 << 20)
    broken = b'{"text": "' + b"x" * (3 << 20) + b"\n"
    found = schema_of(tmp_path / "in.jsonl", broken + as_lines({"text": "A.", "id": 2}))
    assert found.field("id").type == pa.int64()


def test_a_file_of_a_line_over_the_cap_loses_just_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "_line_cap", lambda settings: 1 << 20)
    content = as_lines({"text": "x" * (3 << 20)})
    assert schema_of(tmp_path / "in.jsonl", content).names == ["text", "id"]


def test_a_key_that_comes_first_beyond_the_first_megabyte(tmp_path: Path) -> None:
    first = as_lines(*({"text": "x" * 1000} for _ in range(1100)))
    later = as_lines({"text": "A.", "id": "late", "lang": "en"}, {"text": "B.", "id": 7})
    for folder in ["plain", "lang=de"]:
        (tmp_path / folder).mkdir()
        source, out = tmp_path / folder / "in.jsonl", tmp_path / "out" / folder
        source.write_bytes(first + later)
        assert run(source, "--output", out, "--max-size", 2000, "--id-column", "id",
                   "--keep", "lang") == 0  # fmt: skip
        (row,) = [row for row in rows(out) if row["document_id"] == "late"]
        assert row["lang"] == ("en" if folder == "plain" else "de")
        codes = {row["row"]: row["code"] for row in rows(out, "dead_letters")}
        assert codes[1101] == "wrong_type"


def test_a_key_that_is_nowhere_is_a_missing_column(tmp_path: Path, capsys) -> None:
    (tmp_path / "small.jsonl").write_bytes(as_lines({"text": "A."}))
    (tmp_path / "large.jsonl").write_bytes(as_lines(*({"body": "x" * 1000} for _ in range(1100))))
    options = ["--output", tmp_path / "out", "--max-size", 9]
    assert run(tmp_path / "small.jsonl", *options, "--id-column", "idd") == 2
    assert "has no column 'idd'" in capsys.readouterr().err
    assert run(tmp_path / "large.jsonl", *options) == 2
    assert "has no column 'text'" in capsys.readouterr().err


def test_ids_that_come_twice_in_json_lines(tmp_path: Path) -> None:
    """Numbers as well as strings; a line that cannot be read counts with the id that it tells."""
    identities: list[Any] = [1, 2, 2, 3, 4, "odd"]
    content = as_lines(*({"id": each, "text": "A."} for each in identities))
    (tmp_path / "in.jsonl").write_bytes(content + b'{"id": 4, "text": 5}\nnull\n')
    out = tmp_path / "out"
    assert run(tmp_path / "in.jsonl", "--output", out, "--max-size", 9, "--check-ids",
               "--id-column", "id") == 0  # fmt: skip
    assert summary(out)["duplicates"] == {"ids": 2, "documents": 4, "examples": ["2", "4"]}


def part_of(path: str, name: str) -> Part:
    return Part(path, name, 9, 0, 1, 0, 1, 9)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EIO])
def test_a_file_that_may_not_be_read_is_its_own_trouble_and_a_disks_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    source = write(tmp_path / "in", {"text": ["A."]})

    def refused(path: str) -> None:
        raise OSError(number, "refused", path)

    monkeypatch.setattr(files, "open_input", refused)
    expected = OSError if number == errno.EIO else UnreadableFile
    with pytest.raises(expected):
        list(FORMATS[name].read(part_of(source, name), SETTINGS))
    if name in ("jsonl", "parquet"):
        found = files.FoundFile(source, 9)
        if number == errno.EIO:
            with pytest.raises(OSError, match="refused"):
                FORMATS[name].inspect(found, SETTINGS)
        else:
            problem = FORMATS[name].inspect(found, SETTINGS).problem
            assert problem is not None
            assert problem[0] == "unreadable_file"


def test_the_sample_is_no_more_than_a_megabyte_of_whole_lines(tmp_path: Path) -> None:
    content = as_lines(*({"text": "x" * 100_000, f"k{n}": 1} for n in range(30)))
    names = schema_of(tmp_path / "in.jsonl", content, identity=None).names
    assert len(names) == json_schema.SAMPLE_BYTES // 100_000 + 1
