"""The type-aware chunker in C; the numpy passes under semantic/ are its specification. A part of `_kernel.pyx`.

The headers read in this order: list.h, tokens.h, headings.h, replies.h, spans.h, overlap.h, forced.h, structure.h.
"""

from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF

from ._records import Spans


@cython.final
@cython.freelist(8)
cdef class _Structure:
    """A document, or one after the other, and the rows of their chunks."""

    cdef sc_document doc
    cdef sc_spans spans
    cdef sc_caps caps
    cdef sc_python python
    cdef sc_chunker chunker
    cdef sc_list title_starts, title_ends
    cdef bytes encoded  # None where the text's own memory is its UTF-8: ASCII
    cdef sc_kind kind
    cdef object error  # what was raised where Python was asked

    def __dealloc__(self):
        sc_free_document(&self.doc)
        sc_free_spans(&self.spans)
        sc_free_list(&self.chunker.cuts)
        sc_free_list(&self.title_starts)
        sc_free_list(&self.title_ends)

    cdef object failure(self):
        return MemoryError() if self.error is None else self.error

    cdef list sections(self):
        """The title of each part, None for the text before the first; None where no part has a title."""
        cdef const int64_t *part
        cdef int64_t i
        if self.kind != SC_DOCUMENT_KIND or self.doc.parts.count == 0:
            return None
        cdef list titles = [None]
        for i in range(self.doc.parts.count // SC_PART_FIELDS):
            part = self.doc.parts.items + i * SC_PART_FIELDS
            titles.append(_decoded(self.doc.text, part[SC_TITLE_START], part[SC_TITLE_END]))
        return titles


cdef _Structure _structure(object spec, int columns):
    cdef _Structure found = _Structure()
    cdef sc_caps *caps = &found.caps
    caps.max_tokens, caps.max_chars, caps.overlap = spec.max_tokens, spec.max_chars, spec.overlap_tokens
    caps.budget = max(1, caps.max_tokens - caps.overlap)
    caps.target_tokens = max(1, caps.budget // 2)
    caps.target_chars = max(1, caps.max_chars // 2)
    found.spans.columns = columns
    found.python.self = <void *>found
    found.python.is_header = _is_header
    found.python.cuts = _cluster_cuts
    found.chunker.caps = caps
    found.chunker.python = &found.python
    found.chunker.doc = &found.doc
    found.chunker.spans = &found.spans
    return found


# -- What C asks -----------------------------------------------------------------------------------------------------

cdef object _replies = None, _clusters = None  # imported when they are first needed


cdef inline str _decoded(const uint8_t *text, int64_t start, int64_t end):
    return PyUnicode_DecodeUTF8(<const char *>text + start, end - start, "surrogatepass")


cdef int _is_header(void *self, const uint8_t *text, int64_t start, int64_t end, int begins_paragraph) noexcept with gil:
    global _replies
    try:
        if _replies is None:
            from sentchunk.semantic import replies as _replies
        return _replies.is_header(_decoded(text, start, end), begins_paragraph != 0)
    except BaseException as error:
        (<_Structure>self).error = error
        return -1


cdef int _cluster_cuts(
    void *self, const uint8_t *text, int64_t start, int64_t end, int64_t cap, sc_list *cuts
) noexcept with gil:
    """As `_cluster_cuts` of forced.py does."""
    global _clusters
    cdef int64_t since = 0, at = 0, after
    cdef bint room = True
    cdef str cluster
    try:
        if _clusters is None:
            from sentchunk.semantic.forced import CLUSTER
            _clusters = CLUSTER.findall
        for cluster in <list>_clusters(_decoded(text, start, end)):
            after = at + len(cluster)
            if after - since > cap:
                if at > since:
                    room = room and sc_append(cuts, at)
                    since = at
                while after - since > cap:
                    since += cap
                    room = room and sc_append(cuts, since)
            at = after
        if not room:
            raise MemoryError
    except BaseException as error:
        (<_Structure>self).error = error
        return -1
    return 0


# -- A single text ---------------------------------------------------------------------------------------------------

cdef _Structure _structure_of(object text, object kind, object spec):
    """What is found in a text under the rules of a kind. The text must outlive it."""
    cdef _Structure found = _structure(spec, SC_SPANS_OF_TEXT)
    cdef Py_ssize_t size
    cdef int outcome
    if not isinstance(text, str):
        raise TypeError(f"text is {type(text).__name__}; use a string")
    found.kind = <sc_kind><int>kind
    if PyUnicode_IS_COMPACT_ASCII(text):
        found.doc.text = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &size)
        found.doc.ascii = 1
    else:
        found.encoded = _encoded(text)
        found.doc.text, size = found.encoded, len(found.encoded)
    found.doc.size = size
    if size < LARGE_TEXT:
        outcome = _chunk_document(&found.chunker, found.kind)
    else:
        with nogil:
            outcome = _chunk_document(&found.chunker, found.kind)
    if outcome <= 0:
        raise found.failure()
    return found


cdef bytes _encoded(object text):
    """Lone surrogates are no obstacle: a chunk that holds one is a slice as any other."""
    try:
        return PyUnicode_AsUTF8String(text)
    except UnicodeEncodeError:
        return PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass")


cdef object _taken(sc_spans *spans, int column):
    """A column as an array. It is no longer in the rows then."""
    cdef object array = _array(spans.numbers[column], spans.count, INT64)
    spans.numbers[column] = NULL
    return array


cdef object _oversized(sc_spans *spans):
    cdef object array = _array(spans.oversized, spans.count, BOOL)
    spans.oversized = NULL
    return array


def semantic_spans(text, kind, spec):
    """Where the chunks of a text lie, as `semantic/spans.py` finds them."""
    cdef _Structure found = _structure_of(text, kind, spec)
    cdef sc_spans *spans = &found.spans
    return Spans(
        _taken(spans, SC_SPAN_START),
        _taken(spans, SC_SPAN_END),
        _taken(spans, SC_SPAN_NEW_START),
        _oversized(spans),
        _taken(spans, SC_SPAN_PART),
        found.sections(),
    )


def semantic_results(text, kind, spec, metadata):
    """The chunks of a text with what they hold."""
    cdef _Structure found = _structure_of(text, kind, spec)
    cdef sc_spans *spans = &found.spans
    cdef int64_t row, start, end, part = -1
    cdef list sections = found.sections(), results = PyList_New(spans.count)
    cdef dict plain
    cdef bint deep
    cdef _Metadata of_part = None
    cdef ChunkResult result
    plain, deep = _plain_metadata(metadata)
    PyObject_GC_UnTrack(results)  # while it has places without an item, no other code may come across it
    for row in range(spans.count):
        start, end = spans.numbers[SC_SPAN_START][row], spans.numbers[SC_SPAN_END][row]
        if spans.numbers[SC_SPAN_PART][row] != part:
            part = spans.numbers[SC_SPAN_PART][row]
            of_part = _Metadata.__new__(_Metadata)
            of_part.plain = plain
            of_part.section = None if sections is None else sections[part]
        result = ChunkResult.__new__(ChunkResult)
        result.content = PyUnicode_Substring(text, start, end)
        result.index_, result.start_, result.end_ = row, start, end
        result.new_start_ = spans.numbers[SC_SPAN_NEW_START][row]
        result.oversized = spans.oversized[row] != 0
        result.given = of_part
        if deep:
            result.given = of_part.added_to(dict(deepcopy(metadata)))
        else:
            PyObject_GC_UnTrack(result)  # nothing in it refers to it, until it is made to: `_track`
        Py_INCREF(result)
        PyList_SET_ITEM(results, row, result)
    PyObject_GC_Track(results)
    return results
