"""Mail as a source: `.eml` files and mbox, their charsets, their HTML, and what is no mail."""

from __future__ import annotations

import importlib.util
import io
import mailbox
import sys
import time
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path

import pytest

from job.helpers import rows, run, summary
from sentchunk_beam.cli import main
from sentchunk_beam.sources import blocks, mail, mbox

TYPE_AWARE = ("--strategy", "type-aware", "--max-tokens", "50", "--quiet")
REPLY = "Top.\n\nOn Mon, 2 Mar 2026, Al wrote:\n> q1\n"


def message(text: str = REPLY, *, html: str | None = None, subject: str = "Grüße") -> bytes:
    made = EmailMessage(policy=policy.SMTP)
    made["From"], made["To"], made["Subject"] = "Al <al@example.com>", "bo@example.com", subject
    made["Message-ID"] = "<1@example.com>"
    if text or html is None:
        made.set_content(text)
    if html is not None and text:
        made.add_alternative(html, subtype="html")
    elif html is not None:
        made.set_content(html, subtype="html")
    return made.as_bytes()


def raw(charset: str, body: bytes, kind: str = "text/plain") -> bytes:
    return b"Content-Type: %s; charset=%s\n\n" % (kind.encode(), charset.encode()) + body


def test_a_file_is_a_mail(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.eml").write_bytes(message())
    out = tmp_path / "out"
    assert (
        run(tmp_path / "in", "--output", out, *TYPE_AWARE, "--keep", "subject,from,message_id,date")
        == 0
    )
    found = rows(out)
    assert [(row["text"], row["doc_type"]) for row in found] == [
        ("Top.", "email"),
        ("On Mon, 2 Mar 2026, Al wrote:\r\n> q1", "email"),
    ]
    assert {row["document_id"] for row in found} == {str(tmp_path / "in" / "a.eml")}
    assert (found[0]["subject"], found[0]["from"]) == ("Grüße", "Al <al@example.com>")
    assert (found[0]["message_id"], found[0]["date"]) == ("<1@example.com>", None)
    assert main(["verify", str(out)]) == 0


def test_the_sentence_strategy_reads_mail_too(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(message("One. Two."))
    assert run(tmp_path / "a.eml", "--output", tmp_path / "out", "--max-size", 9, "--quiet") == 0
    assert [row["text"] for row in rows(tmp_path / "out")] == ["One. ", "Two.\r\n"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (raw("utf-8", "é".encode()), "é"),
        (raw("iso-8859-1", b"\xe9"), "é"),
        (raw("gb2312", "镕".encode("gbk")), "镕"),
        (raw("us-ascii", "é".encode()), "é"),
        (raw("x-unknown", b"plain"), "plain"),
        (b"Subject: x\n\nno type \xc3\xa9", "no type é"),
        (b"\n", ""),
        (b"", ""),
        (message("Plain.", html="<p>HTML"), "Plain.\r\n"),
        (message("", html="<h1>A</h1><p>B &amp; <b>C</b></p><script>x</script>"), "A\n\nB & C"),
        (b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAAA", ""),
    ],
)  # fmt: skip
def test_the_text_of_a_mail(given: bytes, text: str) -> None:
    assert (mail.document(given)["text"] or "").rstrip("\n") == text.rstrip("\n")


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        (raw("utf-8", b"a \xff"), "undecodable_text", "not utf-8: byte 2"),
        (raw("us-ascii", b"a \xe9"), "undecodable_text", "not us-ascii: byte 2"),
        (raw("x-unknown", b"\xe9"), "undecodable_text", "unknown charset 'x-unknown'"),
        (raw("unicode_escape", b"\xe9\\ud800"), "undecodable_text", "unknown charset"),
        (raw("utf-16", b"\x00\xd8\x00"), "undecodable_text", "utf-16"),
    ],
)
def test_text_that_cannot_be_decoded(given: bytes, code: str, told: str) -> None:
    with pytest.raises(mail.UnreadableMessage, match=told) as raised:
        mail.document(given)
    assert raised.value.code == code


def test_html_alone_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inscriptis", None)
    with pytest.raises(
        mail.UnreadableMessage, match=r"pip install 'sentchunk-beam\[mail\]'"
    ) as raised:
        mail.document(message("", html="<p>x"))
    assert raised.value.code == "needs_extra"


def test_a_mail_too_deep_is_a_dead_letter_and_the_others_go_on(tmp_path: Path) -> None:
    deep = b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (n, n) for n in range(3000)
    )
    bad = raw("utf-8", b"\xff")
    source = tmp_path / "in.mbox"
    source.write_bytes(_mbox(message(), deep, bad, message("Last.")))
    out = tmp_path / "out"
    assert run(source, "--output", out, *TYPE_AWARE, "--dead-letter-text") == 0
    letters = rows(out, "dead_letters")
    assert [(each["row"], each["code"]) for each in letters] == [
        (1, "invalid_message"),
        (2, "undecodable_text"),
    ]
    assert letters[1]["text"] == bad + b"\n"
    assert letters[1]["document_id"] == f"{source}#2"
    assert [row["text"] for row in rows(out)][-1] == "Last."
    assert (summary(out)["documents"], summary(out)["chunked"]) == (4, 2)
    assert main(["verify", str(out)]) == 0


# mbox


def _mbox(*messages: bytes, line_end: bytes = b"\n") -> bytes:
    head = b"From al@example.com Mon Mar  2 10:00:00 2026\n"
    joined = b"".join(head + each.replace(b"\r\n", b"\n") + b"\n\n" for each in messages)
    return joined.replace(b"\n", line_end)


def test_mails_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "in.mbox"
    path.write_bytes(_mbox(message("One."), message("Two."), message("Three.")))
    assert run(path, "--output", tmp_path / "out", *TYPE_AWARE, "--id-column", "message_id") == 0
    assert [row["text"] for row in rows(tmp_path / "out")] == ["One.", "Two.", "Three."]
    assert {row["document_id"] for row in rows(tmp_path / "out")} == {"<1@example.com>"}


def _split(content: bytes, cap: int | None = None) -> list[object]:
    return list(mbox.split(io.BytesIO(content), cap))


@pytest.mark.parametrize("block_bytes", [1, 2, 7, 50, 1 << 20])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_mails_are_the_same_whatever_the_blocks(
    block_bytes: int, line_end: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block_bytes)
    bodies = [
        b"Subject: a\n\nFrom here on it is 10:00\n\nFrom no date",
        b"Subject: b\n\n>From al Mon Mar  2 10:00:00 2026\n\n>>From x\n> From y",
        b"",
        b"Subject: c",
    ]
    found = _split(_mbox(*bodies, line_end=line_end))
    expected = [body.replace(b">From", b"From") + b"\n" for body in bodies]
    assert found == [each.replace(b"\n", line_end) for each in expected]


def test_the_standard_library_finds_the_same_mails(tmp_path: Path) -> None:
    path = tmp_path / "x.mbox"
    path.write_bytes(_mbox(*(message(f"Text {n}.\n\nMore.") for n in range(20))))
    theirs = [each.get_payload() for each in mailbox.mbox(path)]
    ours = [BytesParser().parsebytes(each).get_payload() for each in _split(path.read_bytes())]
    assert [each.rstrip() for each in ours] == [each.rstrip() for each in theirs]


def test_a_mail_over_the_cap_is_recognised_while_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1000)
    large = b"Subject: x\n\n" + b"line of text\n" * 10_000
    long_line = b"Subject: x\n\n" + b"y" * 50_000
    first, second, third, last = _split(_mbox(b"A: a\n\na", large, long_line, b"B: b\n\nb"), 5000)
    assert (first, last) == (b"A: a\n\na\n", b"B: b\n\nb\n")
    assert isinstance(second, mail.TooLong)
    assert second.length >= len(large)
    assert isinstance(third, mail.TooLong)
    assert third.length >= len(long_line)


def test_what_is_no_mbox(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(_mbox(message()))
    (tmp_path / "b.mbox").write_bytes(b"From here on\nno mbox\n")
    (tmp_path / "c.mbox").write_bytes(b"")
    assert run(tmp_path, "--output", tmp_path / "out", *TYPE_AWARE) == 0
    (letter,) = rows(tmp_path / "out", "dead_letters")
    assert letter["code"] == "unreadable_file"
    assert "is no mbox" in letter["message"]


# Python's own test mails

DATA = importlib.util.find_spec("test.test_email")


@pytest.mark.skipif(DATA is None, reason="this Python was installed without its tests")
def test_pythons_own_test_mails(tmp_path: Path) -> None:
    assert DATA is not None
    assert DATA.origin is not None
    found = sorted((Path(DATA.origin).parent / "data").glob("msg_*.txt"))
    assert len(found) > 30
    for path in found:
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{path.stem}.eml").write_bytes(path.read_bytes())
    out = tmp_path / "out"
    assert run(tmp_path / "in", "--output", out, *TYPE_AWARE) == 0
    figures = summary(out)
    assert figures["documents"] == len(found)
    assert figures["chunked"] >= len(found) - 5
    assert set(figures["dead_letters"]) <= {"undecodable_text", "invalid_message"}
    assert main(["verify", str(out)]) == 0


@pytest.mark.parametrize(
    "header",
    [b"Subject: " + b"a " * 200_000, b"Content-Type: text/plain; " + b"a=b; " * 20_000, b"To: " + b"a@b.c, " * 50_000],
)  # fmt: skip
def test_a_header_without_end_takes_no_time(header: bytes) -> None:
    started = time.process_time()
    assert mail.document(header + b"\n\nx")["text"] == "x"
    assert time.process_time() - started < 2
