"""Columns of documents, of whatever Arrow type: as bytes between offsets, in arrays that are worth a call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ._records import Int64Array
from .errors import InvalidInput


def is_text_type(arrow_type: pa.DataType) -> bool:
    """Whether a column of this type can hold documents."""
    if pa.types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    return arrow_type in _TEXT_TYPES


_TEXT_TYPES = (
    pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()
)  # fmt: skip


def check_text_type(arrow_type: pa.DataType) -> None:
    if not is_text_type(arrow_type):
        raise InvalidInput(
            "documents",
            f"documents are of type {arrow_type}; "
            "use string, large_string, string_view, binary or a dictionary of those",
        )


def with_offsets(array: pa.Array) -> pa.Array:
    """The same documents as bytes between offsets; only a dictionary and views are copied.

    Whatever the type says, the bytes may be no UTF-8: the engine finds that out.
    """
    if pa.types.is_dictionary(array.type):
        return array.dictionary.cast(pa.large_binary()).take(array.indices)
    return array if array.type.id in _OFFSETS else array.cast(pa.large_binary())


# Types that have offsets, and those of what kind.
_OFFSETS = {
    pa.string().id: np.int32,
    pa.binary().id: np.int32,
    pa.large_string().id: np.int64,
    pa.large_binary().id: np.int64,
}


def joined(arrays: Iterable[pa.Array]) -> Iterator[pa.Array]:
    """The same documents in larger arrays, where there are many small ones: each costs as much as much text."""
    small: list[pa.Array] = []
    size = 0
    for array in arrays:
        own = array.nbytes
        if small and size + own >= _SMALL_BYTES:
            yield _concatenated(small)
            small, size = [], 0
        if own >= _SMALL_BYTES:
            yield array
        else:
            small.append(array)
            size += own
    if small:
        yield _concatenated(small)


_SMALL_BYTES = 1 << 18


def _concatenated(arrays: list[pa.Array]) -> pa.Array:
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def offsets_of(array: pa.Array) -> Int64Array:
    if len(array) == 0:  # Arrow allows such an array to have no offsets at all
        return np.zeros(1, dtype=np.int64)
    # Of the buffer no more than is the array's: it may end in padding that is no whole number.
    count = array.offset + len(array) + 1
    offsets = np.frombuffer(array.buffers()[1], _OFFSETS[array.type.id], count)
    own = offsets[array.offset :]
    return own if own.dtype == np.int64 else own.astype(np.int64)


def valid_of(array: pa.Array) -> npt.NDArray[np.bool_] | None:
    if array.null_count == 0:
        return None
    return np.asarray(array.is_valid().to_numpy(zero_copy_only=False))
