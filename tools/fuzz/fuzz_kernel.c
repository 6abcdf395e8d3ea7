/* libFuzzer's target: the kernel's C code on any bytes, against the plainest form of the same rules.

   The first eight bytes choose the parameters; the rest is one document, in memory of just its size, so that the address
   sanitizer sees every read beyond it. What is computed a second time, character by character and without care for
   speed: whether the bytes are UTF-8, each boundary by each rule of the annex, the packing, the JSON's length. */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>

/* Small, so that inputs have several. */
#define SC_WINDOW 128

#include "native/pack.h"

#define MOST 4096

static const char *const unit_names[] = {"code_point", "utf16", "utf8"};

typedef struct {
    int count;                      /* of characters */
    unsigned class_[MOST];          /* of each */
    int64_t byte[MOST + 1];         /* where each begins, and the end */
    int64_t unit[MOST + 1];
} characters;

static int64_t width(uint32_t code, int unit) {
    if (unit == SC_CODE_POINT) return 1;
    if (unit == SC_UTF16) return code > 0xFFFF ? 2 : 1;
    return code > 0xFFFF ? 4 : code > 0x7FF ? 3 : code > 0x7F ? 2 : 1;
}

/* -1, or the start of the first sequence that is not UTF-8. */
static int64_t decode(const uint8_t *text, int64_t size, int unit, characters *found) {
    int64_t at = 0;
    found->count = 0;
    found->byte[0] = found->unit[0] = 0;
    while (at < size) {
        static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
        uint32_t code = text[at];
        int length = code < 0x80 ? 1 : code >> 5 == 6 ? 2 : code >> 4 == 14 ? 3 : code >> 3 == 30 ? 4 : 0, i;
        if (length == 0 || at + length > size) return at;
        if (length > 1) code &= 0x7Fu >> length;
        for (i = 1; i < length; i++) {
            if (text[at + i] >> 6 != 2) return at;
            code = code << 6 | (text[at + i] & 0x3F);
        }
        if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return at;
        at += length;
        found->class_[found->count] = sc_class_of(code);
        found->unit[found->count + 1] = found->unit[found->count] + width(code, unit);
        found->byte[++found->count] = at;
    }
    return -1;
}

static int in(unsigned class_, unsigned set) { return (1u << class_ & set) != 0; }

/* Whether there is a boundary before character k of those that SB5 leaves, 0 < k < count. */
static int boundary(const unsigned *v, int k, int count) {
    int j = k - 1, blanks, ahead = k;
    if (v[k - 1] == SC_CR && v[k] == SC_LF) return 0;                                              /* SB3 */
    if (in(v[k - 1], SC_SET_PARASEP)) return 1;                                                    /* SB4 */
    if (v[k - 1] == SC_ATERM && v[k] == SC_NUMERIC) return 0;                                      /* SB6 */
    if (k > 1 && (v[k - 2] == SC_UPPER || v[k - 2] == SC_LOWER) && v[k - 1] == SC_ATERM && v[k] == SC_UPPER)
        return 0;                                                                                  /* SB7 */
    while (j > 0 && v[j] == SC_SP) j--;
    blanks = j < k - 1;
    while (j > 0 && v[j] == SC_CLOSE) j--;
    if (!in(v[j], SC_SET_SATERM)) return 0;                                                        /* SB998 */
    while (ahead < count && !in(v[ahead], SC_SET_STOPS_SB8)) ahead++;
    if (v[j] == SC_ATERM && ahead < count && v[ahead] == SC_LOWER) return 0;                       /* SB8 */
    if (in(v[k], SC_SET_SATERM | 1u << SC_SCONTINUE)) return 0;                                    /* SB8a */
    if (!blanks && in(v[k], SC_SET_PARASEP | 1u << SC_CLOSE | 1u << SC_SP)) return 0;              /* SB9 */
    if (in(v[k], SC_SET_PARASEP | 1u << SC_SP)) return 0;                                          /* SB10 */
    return 1;                                                                                      /* SB11 */
}

/* The sentences' starts and the end, as indices of characters. */
static int sentence_bounds(const characters *text, int *bounds) {
    static unsigned visible[MOST];
    static int place[MOST];
    int count = 0, sentences = 0, i, k;
    for (i = 0; i < text->count; i++) {
        int hidden = in(text->class_[i], SC_SET_TRANSPARENT) && i > 0 && !in(text->class_[i - 1], SC_SET_PARASEP);
        if (hidden) continue; /* SB5 */
        place[count] = i;
        visible[count++] = text->class_[i];
    }
    bounds[0] = 0;
    for (k = 1; k < count; k++)
        if (boundary(visible, k, count)) bounds[++sentences] = place[k];
    if (count > 0) bounds[++sentences] = text->count; /* SB1, SB2 */
    return sentences;
}

static int64_t escaped(const uint8_t *text, int64_t start, int64_t end) {
    int64_t length = 0;
    for (; start < end; start++) {
        uint8_t byte = text[start];
        int pair = byte == '"' || byte == '\\' || byte == '\b' || byte == '\f' || byte == '\n' || byte == '\r' || byte == '\t';
        length += pair ? 2 : byte < 0x20 ? 6 : 1;
    }
    return length;
}

static sc_spec chosen_spec(const uint8_t *choice) {
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 20, 100, 1048576};
    sc_spec spec;
    char echoed[64];
    spec.unit = choice[0] % 3;
    spec.overlap = choice[1] % 17;
    spec.max_size = sizes[choice[2] % 8] + choice[3] % 4;
    spec.max_text_bytes = choice[4] & 1 ? choice[4] * 8 : INT64_MAX;
    spec.max_sentences = choice[5] & 1 ? choice[5] / 4 : INT64_MAX;
    spec.max_output_bytes = choice[6] & 1 ? (choice[6] * 256 + choice[7]) / 4 : INT64_MAX;
    spec.echoed_bytes = snprintf(echoed, sizeof echoed, "%s%lld%lld", unit_names[spec.unit], (long long)spec.max_size,
                                 (long long)spec.overlap);
    return spec;
}

/* Pack as `_packing.py` does and compare each row; the JSON's length is summed up on the way. */
static int64_t compare_chunks(const sc_spec *spec, const uint8_t *text, const characters *found, const int *bounds,
                              int sentences, const sc_rows *rows, int kept, int *chunks) {
    int64_t json = 0;
    int uncovered = 0;
    for (*chunks = 0; uncovered < sentences; ++*chunks) {
#define UNIT(sentence) found->unit[bounds[sentence]]
        int first = uncovered, stop = uncovered + 1, row = *chunks + 1;
        char fields[256];
        int64_t start, end;
        while (first > 0 && uncovered - first < spec->overlap && UNIT(uncovered + 1) - UNIT(first - 1) <= spec->max_size)
            first--;
        while (stop < sentences && UNIT(stop + 1) - UNIT(first) <= spec->max_size) stop++;
        start = UNIT(first), end = UNIT(stop);
        if (kept) {
            assert(row < rows->count);
            assert(rows->numbers[SC_DOCUMENT][row] == 7 && rows->numbers[SC_CHUNK_INDEX][row] == *chunks);
            assert(rows->numbers[SC_BYTE_START][row] == found->byte[bounds[first]]);
            assert(rows->numbers[SC_BYTE_END][row] == found->byte[bounds[stop]]);
            assert(rows->numbers[SC_START][row] == start && rows->numbers[SC_STOP][row] == end);
            assert(rows->numbers[SC_FIRST_SENTENCE][row] == first);
            assert(rows->numbers[SC_SENTENCE_COUNT][row] == stop - first);
            assert(rows->oversized[row] == (end - start > spec->max_size));
        }
        json += snprintf(fields, sizeof fields,
                         "%s{\"text\":\"\",\"start\":%lld,\"end\":%lld,\"size\":%lld,\"first_sentence\":%d,"
                         "\"sentence_count\":%d,\"oversized\":%s}",
                         *chunks ? "," : "", (long long)start, (long long)end, (long long)(end - start), first,
                         stop - first, end - start > spec->max_size ? "true" : "false");
        json += escaped(text, found->byte[bounds[first]], found->byte[bounds[stop]]);
        uncovered = stop;
    }
    return json;
}

static void check(const sc_spec *spec, const uint8_t *text, int64_t size, const sc_rows *rows, sc_outcome outcome) {
    static characters found;
    static int bounds[MOST + 1];
    int64_t wrong, json;
    int sentences, chunks, expected = SC_OK;
    char frame[256];
    if (size > spec->max_text_bytes) {
        assert(outcome.status == SC_TEXT_BYTES && outcome.figure == size && rows->count == 1);
        return;
    }
    wrong = decode(text, size, spec->unit, &found);
    if (wrong >= 0) {
        assert(outcome.status == SC_INVALID_UTF8 && outcome.figure == wrong && rows->count == 1);
        return;
    }
    sentences = sentence_bounds(&found, bounds);
    json = compare_chunks(spec, text, &found, bounds, sentences, rows, outcome.status == SC_OK, &chunks);
    json += snprintf(frame, sizeof frame,
                     "{\"data_version\":\"unicode-17.0.0\",\"unit\":\"\",\"max_size\":,\"overlap\":,"
                     "\"sentence_count\":%d,\"count\":%d,\"chunks\":[]}",
                     sentences, chunks) + spec->echoed_bytes;
    if (json > spec->max_output_bytes) expected = SC_OUTPUT_BYTES;
    if (sentences > spec->max_sentences) expected = SC_SENTENCES;
    assert((int)outcome.status == expected);
    assert(outcome.figure == (expected == SC_OK ? 0 : expected == SC_SENTENCES ? sentences : json));
    assert(outcome.sentences == (expected == SC_OK ? sentences : 0));
    assert(rows->count == 1 + (expected == SC_OK ? chunks : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    sc_rows rows = {0};
    sc_spec spec;
    sc_outcome outcome, before;
    uint8_t *text;
    int64_t size = (int64_t)length - 8;
    if (size < 0 || size > MOST) return 0;
    spec = chosen_spec(input);
    text = (uint8_t *)malloc((size_t)size);
    assert(size == 0 || text != NULL);
    if (size) memcpy(text, input + 8, (size_t)size);
    /* A row of another document, which nothing may touch. */
    {
        sc_spec plain = {100, 0, INT64_MAX, INT64_MAX, INT64_MAX, 0, SC_UTF8};
        assert(sc_pack_document(&plain, &rows, 6, (const uint8_t *)"a", 0, 1, &before) && rows.count == 1);
    }
    assert(sc_pack_document(&spec, &rows, 7, text, 0, size, &outcome));
    assert(rows.numbers[SC_DOCUMENT][0] == 6 && rows.numbers[SC_BYTE_END][0] == 1);
    check(&spec, text, size, &rows, outcome);
    sc_free_rows(&rows);
    free(text);
    return 0;
}
