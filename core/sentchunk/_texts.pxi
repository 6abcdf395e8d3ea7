"""A single text: its chunks, as Python objects or as rows of a caller's type, and its sentences. A part of `_kernel.pyx`."""

cdef enum: CHUNK_FIELDS = 7

# Columns of a text before, for the next one: to allocate nine costs a sixth of the time of a text of 2 kB.
cdef sc_rows _spare_rows
cdef enum: MOST_SPARE_ROWS = 1024


@cython.final
@cython.freelist(8)
cdef class _Text:
    """A text's UTF-8 and the rows that it is packed into."""

    cdef object text
    cdef bytes encoded  # None where the text's own memory is its UTF-8: ASCII
    cdef const char *bytes
    cdef Py_ssize_t size
    cdef sc_rows rows
    cdef sc_outcome outcome

    def __cinit__(self):
        global _spare_rows
        self.rows = _spare_rows
        memset(&_spare_rows, 0, sizeof(_spare_rows))

    def __dealloc__(self):
        global _spare_rows
        if self.rows.capacity <= MOST_SPARE_ROWS and not _spare_rows.capacity:
            _spare_rows = self.rows
            _spare_rows.count = 0
        else:
            sc_free_rows(&self.rows)

    cdef inline object slice(self, int64_t start, int64_t end):
        if self.encoded is None:
            return PyUnicode_Substring(self.text, start, end)
        return PyUnicode_DecodeUTF8(self.bytes + start, end - start, NULL)

    cdef inline bint is_blank(self, int64_t index, object row):
        """Whether a chunk, whose row is given, is white space alone. Most are known not to be by their first byte."""
        cdef uint8_t first = <uint8_t>self.bytes[self.rows.numbers[SC_BYTE_START][index]]
        return (first <= 0x20 or first >= 0x80) and row[3].isspace()


cdef _Text _pack_text(const sc_spec *spec, object text, object max_text_bytes):
    cdef _Text packed = _Text()
    cdef int room
    packed.text = text
    if type(text) is str and PyUnicode_IS_COMPACT_ASCII(text):
        packed.bytes = PyUnicode_AsUTF8AndSize(text, &packed.size)
    else:
        packed.encoded = checked_utf8(text, max_text_bytes)
        packed.bytes = packed.encoded
        packed.size = len(packed.encoded)
    if packed.size < LARGE_TEXT:
        room = _run(spec, packed)
    else:
        with nogil:
            room = _run(spec, packed)
    if not room:
        raise MemoryError
    return packed


cdef inline int _run(const sc_spec *spec, _Text packed) noexcept nogil:
    return _pack_document(
        spec, &packed.rows, 0, <const uint8_t *>packed.bytes, 0, packed.size, &packed.outcome
    )


cdef _Text _packed(const sc_spec *spec, object text, object limits):
    """Raises LimitExceeded."""
    cdef _Text packed = _pack_text(spec, text, limits.max_text_bytes)
    if packed.outcome.status != SC_OK:
        name = LIMIT_OF_STATUS[packed.outcome.status]
        raise LimitExceeded(name, getattr(limits, name), packed.outcome.figure)
    return packed


cdef inline void _put(object row, Py_ssize_t place, object value) noexcept:
    Py_INCREF(value)  # for the row, which takes it over
    PyTuple_SET_ITEM(row, place, value)


cdef inline int _put_chunk(object row, Py_ssize_t place, _Text packed, int64_t index) except -1:
    """The fields of Chunk, from a place of a new tuple on."""
    cdef int64_t **numbers = packed.rows.numbers
    cdef int64_t start = numbers[SC_START][index], end = numbers[SC_STOP][index]
    _put(row, place, packed.slice(numbers[SC_BYTE_START][index], numbers[SC_BYTE_END][index]))
    _put(row, place + 1, start)
    _put(row, place + 2, end)
    _put(row, place + 3, end - start)
    _put(row, place + 4, numbers[SC_FIRST_SENTENCE][index])
    _put(row, place + 5, numbers[SC_SENTENCE_COUNT][index])
    _put(row, place + 6, packed.rows.oversized[index] != 0)
    return 0


def chunk_text(text, max_size, unit, overlap, limits):
    """The chunks of a text, and the number of its sentences."""
    cdef sc_spec spec
    cdef _Text packed
    cdef int64_t index
    cdef list chunks = []
    _read_spec(&spec, max_size, unit, overlap, limits)
    packed = _packed(&spec, text, limits)
    for index in range(packed.rows.count):
        chunk = sc_new_tuple(Chunk, CHUNK_FIELDS)
        _put_chunk(chunk, 0, packed, index)
        chunks.append(chunk)
    return chunks, packed.outcome.sentences


@cython.final
cdef class RowMaker:
    """Makes rows of the chunks of texts, and counts. `_reference.RowMaker` is its specification."""

    cdef sc_spec spec
    cdef object limits, row_type
    cdef bint drop_blank
    cdef int64_t chunked, sentences, chunks, oversized, blank, text_bytes

    def __init__(self, spec, row_type, drop_blank):
        if not issubclass(row_type, tuple):
            raise TypeError(f"{row_type!r} is no type of tuples")
        _read_spec(&self.spec, spec.max_size, spec.unit, spec.overlap, spec.limits)
        self.limits, self.row_type, self.drop_blank = spec.limits, row_type, drop_blank

    def rows(self, text, bytes seed not None, identity, tuple kept not None):
        cdef _Text packed
        cdef int64_t index, blank = 0, oversized = 0
        cdef Py_ssize_t place, others = len(kept)
        cdef list made = []
        if len(seed) != 12:
            raise ValueError(f"the seed of the keys has {len(seed)} bytes, not 12")
        packed = _packed(&self.spec, text, self.limits)
        for index in range(packed.rows.count):
            row = sc_new_tuple(self.row_type, 3 + CHUNK_FIELDS + others)
            _put(row, 0, _key(seed, <uint32_t>index))
            _put(row, 1, identity)
            _put(row, 2, index)
            _put_chunk(row, 3, packed, index)
            for place in range(others):
                _put(row, 3 + CHUNK_FIELDS + place, kept[place])
            if packed.is_blank(index, row):
                blank += 1
                if self.drop_blank:
                    continue
            oversized += packed.rows.oversized[index]
            made.append(row)
        self.chunked += 1
        self.sentences += packed.outcome.sentences
        self.chunks += len(made)
        self.oversized += oversized
        self.blank += blank
        self.text_bytes += packed.size
        return made

    def take_figures(self):
        figures = RowFigures(
            self.chunked, self.sentences, self.chunks, self.oversized, self.blank, self.text_bytes
        )
        self.chunked = self.sentences = self.chunks = self.oversized = self.blank = self.text_bytes = 0
        return figures


row_maker = RowMaker


def chunk_key(bytes seed not None, uint32_t index):
    """The key of a chunk: `_reference.chunk_key`."""
    if len(seed) != 12:
        raise ValueError(f"the seed of the keys has {len(seed)} bytes, not 12")
    return _key(seed, index)


cdef inline object _key(const uint8_t *seed, uint32_t index):
    """A UUID of version 8: 12 bytes of one's own but for the 6 bits that RFC 9562 sets, then the index."""
    cdef uint8_t[16] raw
    cdef object text = PyUnicode_New(36, 127)
    cdef char *place = <char *>PyUnicode_DATA(text)
    cdef int byte
    memcpy(raw, seed, 12)
    for byte in range(4):
        raw[12 + byte] = <uint8_t>(index >> (24 - 8 * byte))
    raw[6] = raw[6] & 0x0F | 0x80
    raw[8] = raw[8] & 0x3F | 0x80
    for byte in range(16):
        if byte == 4 or byte == 6 or byte == 8 or byte == 10:
            place[0] = b"-"
            place += 1
        place[0] = HEX[raw[byte] >> 4]
        place[1] = HEX[raw[byte] & 0x0F]
        place += 2
    return text


cdef const char *HEX = b"0123456789abcdef"


def sentence_list(text):
    """The sentences of a text: each is a chunk of its own where no two fit into one."""
    cdef sc_spec spec
    cdef _Text packed
    cdef int64_t row, start, end
    cdef int64_t **numbers
    cdef list found = []
    _read_spec(&spec, 1, "code_point", 0, _NO_LIMITS)
    packed = _pack_text(&spec, text, None)
    numbers = packed.rows.numbers
    for row in range(packed.rows.count):
        start, end = numbers[SC_BYTE_START][row], numbers[SC_BYTE_END][row]
        sentence = sc_new_tuple(Sentence, 4)
        _put(sentence, 0, packed.slice(start, end))
        _put(sentence, 1, numbers[SC_START][row])
        _put(sentence, 2, numbers[SC_STOP][row])
        _put(sentence, 3, _ending_rule(<const uint8_t *>packed.bytes, packed.size, end))
        found.append(sentence)
    return found


_NO_LIMITS = Limits(None, None, None)


cdef inline object _ending_rule(const uint8_t *bytes, Py_ssize_t size, int64_t end):
    """The first rule, in the annex's order, that ends the sentence that ends at `end`."""
    cdef uint8_t last = bytes[end - 1]
    if end == size:
        return "SB2"
    if last == b"\n" or last == b"\r":
        return "SB4"
    if last == 0x85 and bytes[end - 2] == 0xC2:  # NEL
        return "SB4"
    # LINE SEPARATOR, PARAGRAPH SEPARATOR
    if (last == 0xA8 or last == 0xA9) and end > 2 and bytes[end - 2] == 0x80 and bytes[end - 3] == 0xE2:
        return "SB4"
    return "SB11"
