"""A single text: its chunks, as Python objects or as rows of a caller's type, and its sentences. A part of `_kernel.pyx`."""

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


cdef _Text _packed(object text, max_size, unit, overlap, limits):
    """Raises LimitExceeded."""
    cdef sc_spec spec
    cdef _Text packed
    _read_spec(&spec, max_size, unit, overlap, limits)
    packed = _pack_text(&spec, text, limits.max_text_bytes)
    if packed.outcome.status != SC_OK:
        name = LIMIT_OF_STATUS[packed.outcome.status]
        raise LimitExceeded(name, getattr(limits, name), packed.outcome.figure)
    return packed


cdef inline tuple _fields(_Text packed, int64_t row):
    """Those of Chunk."""
    cdef int64_t **numbers = packed.rows.numbers
    cdef int64_t start = numbers[SC_START][row], end = numbers[SC_STOP][row]
    return (
        packed.slice(numbers[SC_BYTE_START][row], numbers[SC_BYTE_END][row]),
        start,
        end,
        end - start,
        numbers[SC_FIRST_SENTENCE][row],
        numbers[SC_SENTENCE_COUNT][row],
        packed.rows.oversized[row] != 0,
    )


def chunk_text(text, max_size, unit, overlap, limits):
    """The chunks of a text, and the number of its sentences."""
    cdef _Text packed = _packed(text, max_size, unit, overlap, limits)
    cdef int64_t row
    return [_new(Chunk, _fields(packed, row)) for row in range(packed.rows.count)], packed.outcome.sentences


def chunk_rows(text, spec, form):
    """The chunks of a text as rows, the number of its sentences, and that of its UTF-8 bytes."""
    cdef _Text packed
    cdef int64_t row
    cdef list rows = []
    cdef bytes seed
    cdef tuple kept
    row_type, seed, identity, kept = form
    if len(seed) != 12:
        raise ValueError(f"the seed of the keys has {len(seed)} bytes, not 12")
    packed = _packed(text, spec.max_size, spec.unit, spec.overlap, spec.limits)
    for row in range(packed.rows.count):
        rows.append(_new(row_type, (_key(seed, <uint32_t>row), identity, row) + _fields(packed, row) + kept))
    return rows, packed.outcome.sentences, packed.size


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

cdef object _new = tuple.__new__  # what `_make` of a NamedTuple does, without a call in Python


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
        fields = (
            packed.slice(start, end),
            numbers[SC_START][row],
            numbers[SC_STOP][row],
            _ending_rule(<const uint8_t *>packed.bytes, packed.size, end),
        )
        found.append(tuple.__new__(Sentence, fields))
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
