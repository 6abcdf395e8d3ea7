# cython: language_level=3
"""What the kernel takes from C: the headers under native/, and what Cython does not declare of Python's own."""

from libc.stdint cimport int8_t, int64_t, uint8_t


cdef extern from "Python.h":
    void PyObject_GC_Track(object container)
    void PyObject_GC_UnTrack(object container)
    int PyObject_GC_IsTracked(object container)
    int PyObject_GenericSetAttr(object owner, object name, void *value) except -1
    long long PyLong_AsLongLongAndOverflow(object number, int *overflow) except? -1
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    object PyUnicode_New(Py_ssize_t size, unsigned int most)
    void *PyUnicode_DATA(object text)
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL


cdef extern from *:
    """
    /* A new tuple, or one of a type that is derived from it, to be filled: as the type itself makes one, without a call. */
    static inline PyObject *sc_new_tuple(PyObject *type, Py_ssize_t size) {
        return ((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, size);
    }
    """
    object sc_new_tuple(object type, Py_ssize_t size)


cdef extern from "native/pack.h" nogil:
    enum: SC_CODE_POINT, SC_UTF16, SC_UTF8
    enum: SC_DOCUMENT, SC_CHUNK_INDEX, SC_BYTE_START, SC_BYTE_END
    enum: SC_START, SC_STOP, SC_FIRST_SENTENCE, SC_SENTENCE_COUNT, SC_NUMBERS
    enum sc_status:
        SC_OK, SC_NULL_TEXT, SC_INVALID_UTF8, SC_TEXT_BYTES, SC_OUTPUT_BYTES, SC_INVALID_DOC_TYPE

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


cdef extern from "native/structure.h" nogil:
    enum: SC_DOCUMENT_KIND, SC_EMAIL_KIND, SC_MESSAGE_KIND, SC_WHOLE_KIND
    enum: SC_SPAN_START, SC_SPAN_END, SC_SPAN_NEW_START, SC_SPAN_PART, SC_SPANS_OF_TEXT
    enum: SC_SPAN_DOCUMENT, SC_SPAN_INDEX, SC_SPAN_BYTE_START, SC_SPAN_BYTE_END, SC_SPAN_TITLE, SC_SPAN_NUMBERS
    enum: SC_TITLE_START, SC_TITLE_END, SC_PART_FIELDS
    enum sc_kind:
        pass

    ctypedef struct sc_list:
        int64_t *items
        int64_t count

    ctypedef struct sc_document:
        const uint8_t *text
        int64_t size, tokens
        int ascii
        sc_list parts

    ctypedef struct sc_spans:
        int64_t *numbers[SC_SPAN_NUMBERS]
        uint8_t *oversized
        int64_t count, capacity
        int columns

    ctypedef struct sc_caps:
        int64_t max_tokens, max_chars, overlap, budget, target_tokens, target_chars

    ctypedef struct sc_python:
        void *self
        int (*is_header)(void *self, const uint8_t *text, int64_t start, int64_t end, int begins_paragraph) noexcept nogil
        int (*cuts)(void *self, const uint8_t *text, int64_t start, int64_t end, int64_t cap, sc_list *cuts) noexcept nogil

    ctypedef struct sc_chunker:
        const sc_caps *caps
        const sc_python *python
        sc_document *doc
        sc_spans *spans
        int64_t document, offset, titles
        sc_list cuts

    int64_t sc_first_invalid(const uint8_t *text, int64_t size, int *ascii)
    int sc_append(sc_list *list, int64_t number)
    void sc_free_list(sc_list *list)
    void sc_free_document(sc_document *doc)
    void sc_free_spans(sc_spans *spans)
    int sc_resize_spans(sc_spans *spans, int64_t capacity)
    int sc_chunk_document(sc_chunker *chunker, sc_kind kind)


cdef extern from "native/wide.h" nogil:
    int sc_may_go_wide()
    int sc_pack_document_wide(const sc_spec *spec, sc_rows *rows, int64_t document, const uint8_t *data,
                              int64_t start, int64_t end, sc_outcome *outcome)
    int sc_chunk_document_wide(sc_chunker *chunker, sc_kind kind)
