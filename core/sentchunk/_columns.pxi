"""The type-aware chunker on the documents of an Arrow column. A part of `_kernel.pyx`, after `_semantic.pxi`."""

from ._records import StructuredChunks


def semantic_column(const uint8_t[::1] data, const int64_t[::1] offsets, valid, const int8_t[::1] kinds, spec, limits):
    """Chunk document i, the bytes `data[offsets[i]:offsets[i + 1]]`, under the rules of `kinds[i]`; of -1 there are none."""
    cdef Py_ssize_t documents = offsets.shape[0] - 1
    cdef _Structure found = _structure(spec, SC_SPAN_NUMBERS)
    cdef int column
    if kinds.shape[0] != documents or (valid is not None and len(valid) != documents):
        raise ValueError(f"the kinds or flags are not those of {documents} documents")
    status, figure = np.empty(documents, np.uint8), np.empty(documents, np.int64)
    _chunk_column(
        found, data, offsets, None if valid is None else valid.view(np.uint8), kinds,
        _limit(limits.max_text_bytes), _limit(limits.max_output_bytes), status, figure,
    )
    if 0 < found.spans.count < found.spans.capacity:
        sc_resize_spans(&found.spans, found.spans.count)  # gives back what is too much; if that fails, it stays
    titles = gather(data, _numbers(&found.title_starts), _numbers(&found.title_ends))
    columns = [_taken(&found.spans, column) for column in IN_ORDER]
    return StructuredChunks(*columns, _oversized(&found.spans), *titles), status, figure


# Of StructuredChunks.
cdef tuple IN_ORDER = (
    SC_SPAN_DOCUMENT, SC_SPAN_INDEX, SC_SPAN_BYTE_START, SC_SPAN_BYTE_END, SC_SPAN_START, SC_SPAN_END,
    SC_SPAN_NEW_START, SC_SPAN_TITLE,
)


cdef object _numbers(sc_list *numbers):
    return np.array(<int64_t[:numbers.count]>numbers.items) if numbers.count else np.empty(0, np.int64)


cdef int _chunk_column(
    _Structure found,
    const uint8_t[::1] data,
    const int64_t[::1] offsets,
    const uint8_t[::1] valid,
    const int8_t[::1] kinds,
    int64_t max_text_bytes,
    int64_t max_output_bytes,
    uint8_t[::1] status,
    int64_t[::1] figure,
) except -1:
    """All documents, without the GIL but where Python is asked."""
    cdef const uint8_t *bytes = &data[0] if data.shape[0] else NULL
    cdef bint all_valid = valid is None, inside = True
    cdef Py_ssize_t size = data.shape[0], documents = offsets.shape[0] - 1, document = 0
    cdef int64_t start, end
    cdef int outcome = 1
    with nogil:
        for document in range(documents):
            start, end = offsets[document], offsets[document + 1]
            figure[document] = 0
            status[document] = SC_NULL_TEXT
            if not all_valid and not valid[document]:
                continue
            inside = 0 <= start <= end <= size
            if not inside:
                break
            figure[document] = end - start
            status[document] = SC_TEXT_BYTES
            if end - start > max_text_bytes:
                continue
            found.doc.text, found.doc.size = bytes + start, end - start
            status[document] = SC_INVALID_UTF8
            figure[document] = sc_first_invalid(found.doc.text, found.doc.size, &found.doc.ascii)
            if figure[document] >= 0:
                continue
            figure[document] = 0
            status[document] = SC_INVALID_DOC_TYPE
            if kinds[document] < 0:
                continue
            found.chunker.document, found.chunker.offset = document, start
            outcome = _chunk_one(found, <sc_kind>kinds[document], max_output_bytes, &figure[document])
            if outcome <= 0:
                break
            status[document] = SC_OUTPUT_BYTES if figure[document] else SC_OK
    if not inside:
        raise ValueError(f"the offsets of document {document} are not within the {size} bytes of data")
    if outcome <= 0:
        raise found.failure()
    return 0


cdef int _chunk_one(_Structure found, sc_kind kind, int64_t max_output_bytes, int64_t *figure) noexcept nogil:
    """One document. Over `max_output_bytes` it has no chunks, and `figure` becomes the bytes of those that it would have.

    The title of each chunk's section counts, for a column holds it as often: a long one is most of what there is.
    """
    cdef sc_spans *spans = &found.spans
    cdef const int64_t *part
    cdef int64_t row, title, first = spans.count, total = 0
    cdef int outcome
    found.chunker.titles = found.title_starts.count if kind == SC_DOCUMENT_KIND else -1
    outcome = _chunk_document(&found.chunker, kind)
    if outcome <= 0:
        return outcome
    for row in range(first, spans.count):
        total += spans.numbers[SC_SPAN_BYTE_END][row] - spans.numbers[SC_SPAN_BYTE_START][row]
        title = spans.numbers[SC_SPAN_TITLE][row]
        if title >= 0:
            part = found.doc.parts.items + (title - found.chunker.titles) * SC_PART_FIELDS
            total += part[SC_TITLE_END] - part[SC_TITLE_START]
    if total > max_output_bytes:
        spans.count = first
        figure[0] = total
        return 1
    if kind == SC_DOCUMENT_KIND:
        for row in range(found.doc.parts.count // SC_PART_FIELDS):
            part = found.doc.parts.items + row * SC_PART_FIELDS
            if not sc_append(&found.title_starts, found.chunker.offset + part[SC_TITLE_START]):
                return 0
            if not sc_append(&found.title_ends, found.chunker.offset + part[SC_TITLE_END]):
                return 0
    return 1
