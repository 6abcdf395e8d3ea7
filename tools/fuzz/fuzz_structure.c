/* libFuzzer's target: the type-aware chunker's C code on any bytes, against what must hold for every text.

   The first eight bytes choose the caps and the kind; the rest is one document, in memory of just its size, so that the
   address sanitizer sees every read beyond it. What is computed a second time, character by character: the tokens, the
   code points before each place, and whether the chunks hold their caps, rise, and cover all that is not white space. */
#include <assert.h>
#include <stddef.h>

/* Small, so that inputs have several. */
#define SC_WINDOW 128

#include "native/structure.h"
#include "native/utf8.h"

#define MOST 4096

typedef struct {
    int count;                               /* of characters */
    int64_t byte[MOST + 1], tokens[MOST + 1]; /* where each begins, and how many tokens start before it; and the end */
    int white[MOST + 1];
} characters;

static int is_white(uint32_t code) {
    return (code >= 9 && code <= 13) || (code >= 0x1C && code <= 0x20) || code == 0x85 || code == 0xA0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
           code == 0x3000;
}

static void decode(const uint8_t *text, int64_t size, characters *found) {
    int64_t at = 0;
    int after_white = 1;
    found->count = 0;
    found->tokens[0] = 0;
    while (at < size) {
        uint32_t code = text[at];
        int length = code < 0x80 ? 1 : code < 0xE0 ? 2 : code < 0xF0 ? 3 : 4, i;
        if (length > 1) code &= 0x7Fu >> length;
        for (i = 1; i < length; i++) code = code << 6 | (text[at + i] & 0x3F);
        found->byte[found->count] = at;
        found->white[found->count] = is_white(code);
        found->tokens[found->count + 1] = found->tokens[found->count] + (after_white && !is_white(code));
        after_white = is_white(code);
        found->count++;
        at += length;
    }
    found->byte[found->count] = size;
}

/* What Python is asked, in a form that needs none: a header has a digit, and each character is a cluster. */
static int has_digit(void *self, const uint8_t *text, int64_t start, int64_t end, int begins_paragraph) {
    (void)self;
    for (; start < end; start++)
        if (text[start] >= '0' && text[start] <= '9') return 1;
    return begins_paragraph;
}

static int even_cuts(void *self, const uint8_t *text, int64_t start, int64_t end, int64_t cap, sc_list *cuts) {
    int64_t characters = 0, cut;
    (void)self;
    for (; start < end; start++) characters += (text[start] & 0xC0) != 0x80;
    for (cut = cap; cut < characters; cut += cap) assert(sc_append(cuts, cut));
    return 0;
}

static sc_caps chosen_caps(const uint8_t *choice) {
    static const int64_t sizes[] = {1, 2, 3, 7, 20, 100, (int64_t)1 << 60};
    sc_caps caps;
    caps.max_tokens = sizes[choice[0] % 7] + choice[1] % 4;
    caps.max_chars = sizes[choice[2] % 7] + choice[3] % 4;
    caps.overlap = choice[4] % 12 < caps.max_tokens ? choice[4] % 12 : caps.max_tokens - 1;
    caps.budget = sc_most(1, caps.max_tokens - caps.overlap);
    caps.target_tokens = sc_most(1, caps.budget / 2);
    caps.target_chars = sc_most(1, caps.max_chars / 2);
    return caps;
}

static void check_tokens(const sc_document *doc, const characters *text) {
    int i;
    int64_t token = 0;
    assert(doc->tokens == text->tokens[text->count]);
    for (i = 0; i < text->count; i++) {
        assert(sc_point(doc, text->byte[i]) == i);
        if (text->tokens[i + 1] > text->tokens[i]) assert(sc_token_start(doc, token++) == text->byte[i]);
        if (!text->white[i] && (i + 1 == text->count || text->white[i + 1]))
            assert(sc_token_end(doc, token - 1) == text->byte[i + 1]);
    }
    assert(sc_point(doc, doc->size) == text->count);
}

static int64_t tokens_within(const characters *text, int64_t start, int64_t end) {
    int starts_within = start > 0 && start < end && !text->white[start] && !text->white[start - 1];
    return text->tokens[end] - text->tokens[start] + starts_within;
}

static void check_spans(const sc_spans *spans, const characters *text, const sc_caps *caps, int whole) {
    int64_t row, covered = 0, before_start = -1, before_new = 0;
    for (row = 1; row < spans->count; row++) { /* the first is another document's */
        int64_t start = spans->numbers[SC_SPAN_START][row], end = spans->numbers[SC_SPAN_END][row];
        int64_t new_start = spans->numbers[SC_SPAN_NEW_START][row];
        int over = end - start > caps->max_chars || tokens_within(text, start, end) > caps->max_tokens;
        assert(0 <= start && start <= new_start && new_start < end && end <= text->count);
        assert(spans->numbers[SC_SPAN_BYTE_START][row] == text->byte[start] + 1);
        assert(spans->numbers[SC_SPAN_BYTE_END][row] == text->byte[end] + 1);
        assert(spans->numbers[SC_SPAN_DOCUMENT][row] == 7 && spans->numbers[SC_SPAN_INDEX][row] == row - 1);
        assert(spans->oversized[row] == (whole && over) && (whole || !over));
        assert(start > before_start && start >= before_new && new_start >= covered);
        assert(tokens_within(text, start, new_start) <= caps->overlap);
        for (; covered < new_start; covered++) assert(text->white[covered]);
        covered = end;
        before_start = start;
        before_new = new_start;
    }
    for (; covered < text->count; covered++) assert(text->white[covered]);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    static characters found;
    sc_document doc = {0};
    sc_spans spans = {0};
    sc_python python = {NULL, has_digit, even_cuts};
    sc_chunker chunker = {0};
    sc_caps caps;
    uint8_t *text;
    int64_t size = (int64_t)length - 8;
    if (size < 0 || size > MOST) return 0;
    caps = chosen_caps(input);
    text = (uint8_t *)malloc((size_t)size);
    assert(size == 0 || text != NULL);
    if (size) memcpy(text, input + 8, (size_t)size);
    spans.columns = SC_SPAN_NUMBERS;
    chunker.caps = &caps;
    chunker.python = &python;
    chunker.doc = &doc;
    chunker.spans = &spans;
    doc.text = (const uint8_t *)"a";
    doc.size = doc.ascii = 1;
    assert(sc_chunk_document(&chunker, SC_WHOLE_KIND) == 1 && spans.count == 1);
    doc.text = text;
    doc.size = size;
    chunker.document = 7;
    chunker.offset = 1;
    if (sc_first_invalid(text, size, &doc.ascii) < 0) {
        assert(sc_chunk_document(&chunker, (enum sc_kind)(input[5] % 4)) == 1);
        decode(text, size, &found);
        check_tokens(&doc, &found);
        check_spans(&spans, &found, &caps, input[5] % 4 == SC_WHOLE_KIND);
        assert(spans.numbers[SC_SPAN_DOCUMENT][0] == 0 && spans.numbers[SC_SPAN_BYTE_END][0] == 1);
    }
    sc_free_list(&chunker.cuts);
    sc_free_spans(&spans);
    sc_free_document(&doc);
    free(text);
    return 0;
}
