"""Mail: from the bytes of a message to its text and the headers that say what it is."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import EmailPolicy
from typing import Any

import numpy as np
import pyarrow as pa

from ..settings import DEAD_LETTER_TEXT_BYTES, Settings
from .base import Documents, one_line

# Of a message there is more than its text: pictures, other forms of the same. This bounds what is held of it.
LEAST_MESSAGE_CAP = 32 << 20
HEADERS = ("message_id", "date", "from", "to", "subject")

# What mail programs call by the name of a smaller set.
_LARGER = {"gb2312": "gb18030", "ks_c_5601-1987": "cp949", "ks_c_5601": "cp949"}
# Codecs of Python's own that no mail is written in; some of them are slow on purpose-made bytes.
_NO_CHARSETS = {"idna", "punycode", "unicode_escape", "raw-unicode-escape", "unicode-escape", "undefined"}  # fmt: skip


# Of a header no more is looked at: the standard library's parser takes seconds for one of some hundred thousand characters.
_HEADER_CHARS, _OTHER_HEADER_CHARS = 10_000, 1_000


class _BoundedHeaders(EmailPolicy):
    """The modern policy, with headers cut where they are longer than any that is meant."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        most = _HEADER_CHARS if name.lower().replace("-", "_") in HEADERS else _OTHER_HEADER_CHARS
        return name, value[:most]


_POLICY = _BoundedHeaders()


class UnreadableMessage(Exception):
    """Why a message is no document: the code and the message of its dead letter."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class TooLong:
    """A message over the cap, passed over without being held: its first bytes, and how many it has at least."""

    head: bytes
    length: int


def message_cap(settings: Settings) -> int | None:
    limit = settings.spec.limits.max_text_bytes
    return None if limit is None else max(LEAST_MESSAGE_CAP, 4 * limit)


def schema(settings: Settings) -> pa.Schema:
    """The columns of mail: its text, and some headers, decoded; one that a message does not have is null."""
    headers = [pa.field(name, pa.string()) for name in HEADERS if name != settings.columns.text]
    return pa.schema([(settings.columns.text, pa.large_string()), *headers])


def used_headers(settings: Settings) -> list[str]:
    return [name for name in HEADERS if name in settings.columns.used]


def document(raw: bytes, headers: Sequence[str] = HEADERS) -> dict[str, str | None]:
    """The text of a message as "text", and some of its headers. Raises UnreadableMessage.

    The text is the plain part; where there is none, the HTML part made text; where there is neither, empty.
    """
    try:
        message: Any = BytesParser(_class=EmailMessage, policy=_POLICY).parsebytes(raw)
        part = message.get_body(("plain", "html"))
        found: dict[str, str | None] = {name: _header(message, name) for name in headers}
        found["text"] = "" if part is None else _text(part)
    except UnreadableMessage:
        raise
    except Exception as error:  # the parser has many ways to stumble over what is no mail
        why = f"{type(error).__name__}: {one_line(error)}"
        raise UnreadableMessage("invalid_message", f"cannot be read as a mail: {why}") from error
    return found


def _header(message: Any, name: str) -> str | None:
    try:
        value = message[name.replace("_", "-")]
        # Bytes that are not ASCII come as lone surrogates, which no column can hold.
        return None if value is None else str(value).encode(errors="replace").decode()
    except Exception:  # a header that cannot be parsed is as good as none; the text is what counts
        return None


def _text(part: Any) -> str:
    raw = part.get_payload(decode=True) or b""
    text = _decoded(raw, str(part.get_content_charset() or "us-ascii"))
    return _from_html(text) if part.get_content_subtype() == "html" else text


def _decoded(raw: bytes, charset: str) -> str:
    """The part's text. Bytes that are not what they are said to be are not guessed at, but for UTF-8 called ASCII."""
    try:
        name = codecs.lookup(_LARGER.get(charset, charset)).name
        if name in _NO_CHARSETS:
            raise LookupError
        text = raw.decode("utf-8" if name == "ascii" else name)
        text.encode()
    except UnicodeDecodeError as error:
        where = f"byte {error.start:,} is the first wrong one"
        raise UnreadableMessage("undecodable_text", f"the text is not {charset}: {where}") from None
    except UnicodeEncodeError as error:
        where = f"a lone surrogate at code point {error.start:,}"
        raise UnreadableMessage("undecodable_text", f"the text as {charset} has {where}") from None
    except (LookupError, ValueError):
        if raw.isascii():
            return raw.decode("ascii")
        message = f"the text is in the unknown charset {charset[:40]!r}"
        raise UnreadableMessage("undecodable_text", message) from None
    return text


def _from_html(html: str) -> str:
    try:
        from inscriptis import get_text
        from inscriptis.css_profiles import CSS_PROFILES
        from inscriptis.model.config import ParserConfig
    except ImportError:
        raise UnreadableMessage(
            "needs_extra",
            "the mail is HTML alone: for that, pip install 'sentchunk-beam[mail]' and run again with --only-dead-letters",
        ) from None
    # By name, for what is the default differs between versions: "strict" indents nothing that HTML does not.
    config = ParserConfig(css=CSS_PROFILES["strict"], display_links=False)
    # Without a character that HTML cannot hold, which lxml would refuse.
    return str(get_text(html.replace("\0", ""), config))


def letter(row: int, raw: bytes, error: UnreadableMessage) -> dict[str, Any]:
    """The dead letter of a message that is no document."""
    head = raw[:DEAD_LETTER_TEXT_BYTES]
    return {"row": row, "code": error.code, "message": str(error), "text": head}


def letter_of_too_long(row: int, found: TooLong, cap: int) -> dict[str, Any]:
    return {
        "row": row,
        "code": "limit_exceeded",
        "limit_name": "max_message_bytes",
        "limit": cap,
        "figure": found.length,
        "message": (
            f"the message has at least {found.length:,} bytes, over the {cap:,} that are held of one; "
            "raise max_text_bytes or switch it off"
        ),
        "text": found.head,
    }


def documents(found: list[dict[str, str | None]], rows: list[int], settings: Settings) -> Documents:
    """The messages as a table of the columns that are used."""
    columns = schema(settings)
    used = [name for name in settings.columns.used if name in columns.names]
    arrays = {}
    for name in used:
        key = "text" if name == settings.columns.text else name
        arrays[name] = pa.array([each[key] for each in found], columns.field(name).type)
    return Documents(pa.table(arrays), np.array(rows, np.int64))
