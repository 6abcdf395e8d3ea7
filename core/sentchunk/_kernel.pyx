# cython: language_level=3
"""The engine in C, over the bytes of an Arrow column or a single text. `_reference.py` is its specification.

What is here is the way in and out: Python's objects become pointers, the C code under native/ runs over a whole batch
without the GIL, and its columns become numpy arrays without a copy. The headers read in this order: scan.h (64 bytes at a
time), utf8.h, segment.h (the rules), measure.h, rows.h, pack.h; wide.h has all of it once more, for AVX2. What a single
text gives is in `_texts.pxi`; the type-aware chunker in `_semantic.pxi` and `_columns.pxi`, its results in `_results.pxi`.
"""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.long cimport PyLong_CheckExact
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_SET_ITEM
from cpython.unicode cimport (
    PyUnicode_AsEncodedString,
    PyUnicode_AsUTF8String,
    PyUnicode_DecodeUTF8,
    PyUnicode_Substring,
)
from libc.stdint cimport INT64_MAX, int8_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

import numpy as np

from ._records import LIMIT_OF_STATUS, Chunk, PackedChunks, PackedDocuments, RowFigures, Sentence
from .errors import InvalidInput, LimitExceeded
from .spec import DEFAULT_LIMITS, MAX_SIZE_RANGE, OVERLAP_RANGE, ChunkSpec, Limits, checked_utf8


cdef dict UNITS = {"code_point": SC_CODE_POINT, "utf16": SC_UTF16, "utf8": SC_UTF8}
cdef int64_t MOST_SIZE = MAX_SIZE_RANGE[1], MOST_OVERLAP = OVERLAP_RANGE[1]

# From this size on, other threads gain more from the GIL than releasing it costs.
cdef enum: LARGE_TEXT = 65_536


ctypedef int (*_packer)(
    const sc_spec *, sc_rows *, int64_t, const uint8_t *, int64_t, int64_t, sc_outcome *
) noexcept nogil

ctypedef int (*_structurer)(sc_chunker *, sc_kind) noexcept nogil

cdef _packer _pack_document
cdef _structurer _chunk_document


def go_wide(bint wide):
    """Use AVX2, if this processor has it, or not: for tests, which try both. Returns whether it is used now."""
    global _pack_document, _chunk_document
    wide = wide and sc_may_go_wide()
    _pack_document = sc_pack_document_wide if wide else sc_pack_document
    _chunk_document = sc_chunk_document_wide if wide else sc_chunk_document
    return wide


go_wide(True)


# -- Parameters ------------------------------------------------------------------------------------------------------

cdef inline int64_t _small_integer(object value, int64_t most):
    """A plain int from 0 to `most`, or -1 for anything else."""
    cdef int overflow = 0
    cdef int64_t number
    if not PyLong_CheckExact(value):
        return -1
    number = PyLong_AsLongLongAndOverflow(value, &overflow)
    return number if overflow == 0 and 0 <= number <= most else -1


cdef inline int64_t _limit(object value):
    return INT64_MAX if value is None else value


cdef int _read_spec(sc_spec *spec, object max_size, object unit, object overlap, object limits) except -1:
    """Fill `spec`. What is not plainly right goes to ChunkSpec, which converts it or says what is wrong."""
    spec.max_size = _small_integer(max_size, MOST_SIZE)
    spec.overlap = _small_integer(overlap, MOST_OVERLAP)
    if (
        spec.max_size < 1
        or spec.overlap < 0
        or type(unit) is not str
        or type(limits) is not Limits
        or unit not in UNITS
    ):
        checked = ChunkSpec(max_size, unit, overlap, limits)
        spec.max_size, spec.overlap = checked.max_size, checked.overlap
        unit, limits = checked.unit, checked.limits
    spec.unit = UNITS[unit]
    spec.max_text_bytes = _limit(limits.max_text_bytes)
    spec.max_sentences = _limit(limits.max_sentences)
    spec.max_output_bytes = _limit(limits.max_output_bytes)
    spec.echoed_bytes = len(unit) + sc_digits(spec.max_size) + sc_digits(spec.overlap)
    return 0


# -- A column --------------------------------------------------------------------------------------------------------

@cython.final
cdef class _Memory:
    """Memory that C allocated, for a numpy array to lie over; freed when the last such array is gone."""

    cdef void *start
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer *buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.start, self.size, 0, flags)

    def __dealloc__(self):
        free(self.start)


cdef object _array(void *start, int64_t count, object dtype):
    """An array over `count` elements of C's memory, which it owns from here on."""
    cdef _Memory memory = _Memory()
    memory.start = start
    memory.size = count * dtype.itemsize
    return np.frombuffer(memory, dtype) if count else np.empty(0, dtype)


cdef object INT64 = np.dtype(np.int64)
cdef object BOOL = np.dtype(np.bool_)


cdef object _packed_chunks(sc_rows *rows):
    """The columns as arrays. They are no longer in `rows` then."""
    cdef int64_t count = rows.count
    cdef int column
    cdef list arrays = []
    if 0 < count < rows.capacity:
        sc_resize_rows(rows, count)  # gives back what is too much; if that fails, it stays
    for column in range(SC_NUMBERS):
        arrays.append(_array(rows.numbers[column], count, INT64))
        rows.numbers[column] = NULL
    arrays.append(_array(rows.oversized, count, BOOL))
    rows.oversized = NULL
    return PackedChunks._make(arrays)


def pack_documents(const uint8_t[::1] data, const int64_t[::1] offsets, valid, spec):
    """Chunk document i, the bytes `data[offsets[i]:offsets[i + 1]]`, unless `valid[i]` is False (a null)."""
    cdef Py_ssize_t documents = offsets.shape[0] - 1
    cdef sc_spec parameters
    cdef sc_rows rows
    _read_spec(&parameters, spec.max_size, spec.unit, spec.overlap, spec.limits)
    if valid is not None and len(valid) != documents:
        raise ValueError(f"{len(valid)} flags for {documents} documents")
    outcomes = PackedDocuments(
        np.empty(documents, np.uint8), np.empty(documents, np.int64), np.empty(documents, np.int64)
    )
    memset(&rows, 0, sizeof(rows))
    try:
        if not sc_resize_rows(&rows, _likely_rows(&parameters, data.shape[0], offsets)):
            raise MemoryError
        _pack_column(&parameters, &rows, data, offsets, None if valid is None else valid.view(np.uint8),
                     outcomes.status, outcomes.figure, outcomes.sentences)
        return _packed_chunks(&rows), outcomes
    finally:
        sc_free_rows(&rows)


cdef int64_t _likely_rows(const sc_spec *spec, int64_t data_size, const int64_t[::1] offsets):
    """One for each document, and as many as there are chunks if all are full: most columns then need not grow."""
    cdef Py_ssize_t documents = offsets.shape[0] - 1
    cdef int64_t size = min(max(offsets[documents] - offsets[0], 0), data_size)
    return 16 + documents + size // max(spec.max_size, FEWEST_BYTES_A_ROW)


# A row is 65 bytes: the first guess takes no more memory than the documents.
cdef enum: FEWEST_BYTES_A_ROW = 65


cdef int _pack_column(
    const sc_spec *spec,
    sc_rows *rows,
    const uint8_t[::1] data,
    const int64_t[::1] offsets,
    const uint8_t[::1] valid,
    uint8_t[::1] status,
    int64_t[::1] figure,
    int64_t[::1] sentences,
) except -1:
    """The whole batch without the GIL."""
    cdef const uint8_t *bytes = &data[0] if data.shape[0] else NULL
    cdef bint all_valid = valid is None
    cdef Py_ssize_t size = data.shape[0], documents = offsets.shape[0] - 1, document = 0
    cdef sc_outcome outcome
    cdef bint inside = True, room = True
    with nogil:
        for document in range(documents):
            if not all_valid and not valid[document]:
                status[document] = SC_NULL_TEXT
                figure[document] = sentences[document] = 0
                continue
            inside = 0 <= offsets[document] <= offsets[document + 1] <= size
            if not inside:
                break
            room = _pack_document(spec, rows, document, bytes, offsets[document], offsets[document + 1], &outcome)
            if not room:
                break
            status[document] = <uint8_t>outcome.status
            figure[document] = outcome.figure
            sentences[document] = outcome.sentences
    if not inside:
        raise ValueError(f"the offsets of document {document} are not within the {size} bytes of data")
    if not room:
        raise MemoryError
    return 0


def gather(const uint8_t[::1] data, const int64_t[::1] starts, const int64_t[::1] ends):
    """The slices `data[starts[i]:ends[i]]` one after another, and the offset of each in that and its end."""
    cdef Py_ssize_t count = starts.shape[0], i = 0, size = data.shape[0]
    cdef const uint8_t *source = &data[0] if size else NULL
    cdef int64_t total = 0
    cdef bint inside = ends.shape[0] == count
    offsets = np.empty(count + 1, np.int64)
    cdef int64_t[::1] place = offsets
    cdef uint8_t[::1] target
    if inside:
        with nogil:
            for i in range(count):
                inside = 0 <= starts[i] <= ends[i] <= size
                if not inside:
                    break
                place[i] = total
                total += ends[i] - starts[i]
            place[count] = total
    if not inside:
        raise ValueError(f"slice {i} is not within the {size} bytes of data")
    joined = np.empty(total, np.uint8)
    if total:
        target = joined
        with nogil:
            for i in range(count):
                if ends[i] > starts[i]:
                    memcpy(&target[place[i]], source + starts[i], <size_t>(ends[i] - starts[i]))
    return joined, offsets


include "_texts.pxi"
include "_results.pxi"
include "_semantic.pxi"
include "_columns.pxi"
