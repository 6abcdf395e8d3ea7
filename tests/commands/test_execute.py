"""`sentchunk execute`: whatever comes in, one line of JSON in UTF-8 goes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sentchunk

from commands.helpers import call, process, refused
from sentchunk_beam.commands.execute import MAX_REQUEST_BYTES


def error_of(capfd: pytest.CaptureFixture, request: bytes) -> dict[str, Any]:
    said = call(capfd, "execute", stdin=request)
    assert said.status == 2
    assert said.err == ""
    assert len(said.out.splitlines()) == 1
    answer = json.loads(said.out)
    assert list(answer) == ["error"]
    assert answer["error"]["message"]
    return answer["error"]


@pytest.mark.parametrize("by_file", [True, False])
def test_result_is_the_engines(tmp_path: Path, capfd: pytest.CaptureFixture, by_file: bool) -> None:
    request = {"text": "😀 Hi! 日本。\x9b", "max_size": 5, "unit": "utf16", "overlap": 1}
    raw = json.dumps(request).encode()
    if by_file:
        (tmp_path / "request.json").write_bytes(raw)
        said = call(capfd, "execute", "--input", tmp_path / "request.json")
    else:
        said = call(capfd, "execute", stdin=raw)
    assert (said.status, said.err) == (0, "")
    assert json.loads(said.out) == sentchunk.execute(request)
    assert (
        said.out
        == json.dumps(json.loads(said.out), ensure_ascii=False, separators=(",", ":")) + "\n"
    )


def test_output_is_as_long_as_the_limit_counts() -> None:
    request = {"text": 'A "quote"\t\x01 ü. \x7f\x9b😀 B.', "max_size": 5}
    limits = sentchunk.Limits(None, None, 0)
    with pytest.raises(sentchunk.LimitExceeded) as caught:
        sentchunk.chunk(request["text"], max_size=5, limits=limits)
    assert (
        len(process("execute", stdin=json.dumps(request).encode()).stdout)
        == caught.value.figure + 1
    )


def test_output_is_utf8_whatever_the_locale() -> None:
    done = process(
        "execute", stdin='{"text":"日本。","max_size":5}'.encode(), PYTHONIOENCODING="ascii"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "日本。" in done.stdout.decode()


@pytest.mark.parametrize(
    ("request_", "field", "said"),
    [
        (b"", "request", "not JSON"),
        (b'{"text": "A.", "max_size": 5', "request", "line 1, column 29"),
        (b'\xef\xbb\xbf{"text": "A.", "max_size": 5}', "request", "BOM"),
        (b'{"text": "A\xff.", "max_size": 5}', "request", "byte 11 is the first wrong one"),
        (b'{"text": "A\n", "max_size": 5}', "request", "control character"),
        (b'{"text": "A.", "text": "B.", "max_size": 5}', "text", "'text' is there twice"),
        (b'{"text": "A.", "max_size": NaN}', "request", "it has NaN"),
        (b'{"text": "A.", "max_size": -Infinity}', "request", "it has -Infinity"),
        (b'{"text": "A.", "max_size": 1e999}', "max_size", "max_size is inf"),
        (b'{"text": "A.", "max_size": ' + b"9" * 5000 + b"}", "request", "too long"),
        (b'{"text": "A.", "max_size": 5.5}', "max_size", "max_size is 5.5"),
        (b'{"text": "A.", "max_size": 5, "trim": 1}', "trim", "'trim' is not a key"),
        (b'{"text": null, "max_size": 5}', "text", "use a string"),
        (b"[" * 100_000, "request", "nested too deeply"),
        (b"[]", "request", "use an object"),
    ],
    ids=lambda value: None if isinstance(value, bytes) and len(value) > 99 else value,
)
def test_invalid_input(
    capfd: pytest.CaptureFixture, request_: bytes, field: str, said: str
) -> None:
    error = error_of(capfd, request_)
    assert (error["code"], error["field"]) == ("invalid_input", field)
    assert said in error["message"]


def test_a_lone_surrogate_in_the_text(capfd: pytest.CaptureFixture) -> None:
    error = error_of(capfd, b'{"text": "ab\\ud800", "max_size": 5}')
    assert (error["code"], error["field"], error["position"]) == ("invalid_input", "text", 2)


def test_a_surrogate_pair_is_a_character(capfd: pytest.CaptureFixture) -> None:
    said = call(capfd, "execute", stdin=b'{"text": "\\ud83d\\ude00", "max_size": 5}')
    assert json.loads(said.out)["chunks"][0]["text"] == "😀"


@pytest.mark.parametrize(
    "request_",
    [
        b'{"text": "a", "max_size": 5, "\\udfff": 1}',
        b'{"text": "a", "max_size": 5, "unit": "\\ud800"}',
    ],
)
def test_a_lone_surrogate_elsewhere(capfd: pytest.CaptureFixture, request_: bytes) -> None:
    assert error_of(capfd, request_)["code"] == "invalid_input"


def test_what_is_quoted_is_short(capfd: pytest.CaptureFixture) -> None:
    request = json.dumps({"text": "a", "max_size": 5, "k" * 100_000: 1, "unit": "u"}).encode()
    assert len(json.dumps(error_of(capfd, request))) < 1000


def test_limits(capfd: pytest.CaptureFixture) -> None:
    error = error_of(capfd, json.dumps({"text": "x" * 262_145, "max_size": 5}).encode())
    assert error["code"] == "limit_exceeded"
    assert (error["limit_name"], error["limit"], error["figure"]) == (
        "max_text_bytes",
        262_144,
        262_145,
    )


def test_every_request_within_the_limits_is_read(capfd: pytest.CaptureFixture) -> None:
    text = "\\u0001" * 262_144
    said = call(capfd, "execute", stdin=f'{{"text": "{text}", "max_size": 1048576}}'.encode())
    assert json.loads(said.out)["count"] == 1


def test_an_endless_request_is_not_read_to_its_end(capfd: pytest.CaptureFixture) -> None:
    said = call(capfd, "execute", "--input", "/dev/zero")
    error = json.loads(said.out)["error"]
    assert (said.status, error["code"], error["figure"]) == (2, "limit_exceeded", None)
    assert f"more than {MAX_REQUEST_BYTES:,} bytes" in error["message"]


def test_a_file_that_is_not_there(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    assert refused(call(capfd, "execute", "--input", tmp_path / "no.json"), "No such file")
    assert refused(call(capfd, "execute", "--input", tmp_path), "Is a directory")
    assert refused(call(capfd, "execute", "--input", "nowhere://x"), "cannot read nowhere://x")
