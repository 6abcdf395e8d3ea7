# cython: language_level=3
"""What the kernel takes from C: the headers under native/, and what Cython does not declare of Python's own."""

from libc.stdint cimport int64_t, uint8_t


cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object number, int *overflow) except? -1
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    object PyUnicode_New(Py_ssize_t size, unsigned int most)
    void *PyUnicode_DATA(object text)
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL


cdef extern from "native/pack.h" nogil:
    enum: SC_CODE_POINT, SC_UTF16, SC_UTF8
    enum: SC_DOCUMENT, SC_CHUNK_INDEX, SC_BYTE_START, SC_BYTE_END
    enum: SC_START, SC_STOP, SC_FIRST_SENTENCE, SC_SENTENCE_COUNT, SC_NUMBERS
    enum sc_status:
        SC_OK, SC_NULL_TEXT

    ctypedef struct sc_spec:
        int64_t max_size, overlap, max_text_bytes, max_sentences, max_output_bytes, echoed_bytes
        int unit

    ctypedef struct sc_rows:
        int64_t *numbers[SC_NUMBERS]
        uint8_t *oversized
        int64_t count, capacity

    ctypedef struct sc_outcome:
        int64_t figure, sentences
        sc_status status

    int64_t sc_digits(int64_t number)
    int sc_resize_rows(sc_rows *rows, int64_t capacity)
    void sc_free_rows(sc_rows *rows)
    int sc_pack_document(const sc_spec *spec, sc_rows *rows, int64_t document, const uint8_t *data,
                         int64_t start, int64_t end, sc_outcome *outcome)
