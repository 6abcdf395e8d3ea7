"""Keys for chunks: the same document id, parameters and index give the same key, in every run.

A key is a UUID of version 8 (RFC 9562, for a form of one's own), since that is what every vector store takes: 12 bytes
of a hash of the document's id and the parameters, then the index in 4 bytes.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

# The two digits of each byte, as one number; and the groups of a UUID's digits, each with the place where it stands.
_HEX = np.frombuffer(b"".join(b"%02x" % byte for byte in range(256)), np.uint16)
_GROUPS = [
    (0, slice(0, 8)),
    (9, slice(8, 12)),
    (14, slice(12, 16)),
    (19, slice(16, 20)),
    (24, slice(20, 32)),
]
_HYPHENS = [8, 13, 18, 23]


def chunk_ids(
    ids: pa.ChunkedArray,
    owners: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int64],
    key: bytes,
) -> pa.StringArray:
    """A key for each chunk: `owners` has the place in `ids` of its document, in rising order, `indices` its index.

    key: what the parameters have to say, at most 64 bytes.
    """
    raw = np.empty((len(owners), 16), np.uint8)
    if len(owners):
        first = np.diff(owners, prepend=-1) > 0
        digests = _digests(ids.take(pa.array(owners[first])), key)
        raw[:, :12] = digests.take(np.cumsum(first) - 1, axis=0)
    raw[:, 12:] = indices.astype(">u4").view(np.uint8).reshape(-1, 4)
    raw[:, 6] = raw[:, 6] & 0x0F | 0x80  # version 8
    raw[:, 8] = raw[:, 8] & 0x3F | 0x80  # the variant of RFC 9562
    digits = _HEX.take(raw).view(np.uint8)
    text = np.empty((len(owners), 36), np.uint8)
    text[:, _HYPHENS] = ord("-")
    for place, group in _GROUPS:
        text[:, place : place + group.stop - group.start] = digits[:, group]
    offsets = np.arange(0, 36 * len(owners) + 1, 36, dtype=np.int32)
    return pa.StringArray.from_buffers(len(owners), pa.py_buffer(offsets), pa.py_buffer(text))


class Seeds:
    """The 12 bytes that the keys of a document's chunks begin with, for a document at a time."""

    def __init__(self, key: bytes) -> None:
        self._keyed = blake2b(digest_size=12, key=key)

    def of(self, identity: Any) -> bytes:
        hashed = self._keyed.copy()  # half the time of a new one with the key
        plain = type(identity) is str and identity.isascii()
        hashed.update(identity.encode() if plain else id_bytes(identity))
        return hashed.digest()


def id_bytes(identity: Any) -> bytes:
    """What is hashed of an id. One with lone surrogates, which has no UTF-8, is taken as it is."""
    if isinstance(identity, bytes):
        return identity
    text = str(identity)
    return text.encode() if text.isascii() else text.encode("utf-8", "surrogatepass")


def _as_values(ids: pa.ChunkedArray) -> pa.ChunkedArray:
    """Ids as Python can take them: Arrow has finer times than Python's, and writes them itself."""
    return ids.cast(pa.string()) if pa.types.is_temporal(ids.type) else ids


def _digests(ids: pa.ChunkedArray, key: bytes) -> npt.NDArray[np.uint8]:
    seed = Seeds(key).of
    return np.frombuffer(b"".join(map(seed, _as_values(ids).to_pylist())), np.uint8).reshape(-1, 12)
