/* Sizes of a span of UTF-8: in the unit of the chunks, and as JSON. Counts of byte kinds, 64 at a time. */
#ifndef SENTCHUNK_MEASURE_H
#define SENTCHUNK_MEASURE_H

#include "scan.h"

enum sc_unit { SC_CODE_POINT, SC_UTF16, SC_UTF8 };

/* The length of the bytes from `start` to `end`, whole characters, in the unit. */
static inline int64_t sc_length(const uint8_t *text, int64_t size, int64_t start, int64_t end, int unit) {
    int64_t length = 0, at;
    if (unit == SC_UTF8) return end - start;
    for (at = start; at < end; at += SC_BLOCK) {
        sc_block block = sc_block_at(text, size, at);
        uint64_t inside = sc_below(end - at);
        length += sc_count(inside & ~sc_bits_continue(&block)); /* what does not continue a character begins one */
        if (unit == SC_UTF16) length += sc_count(inside & sc_bits_from(&block, 0xF0)); /* a surrogate pair */
    }
    return length;
}

/* How many bytes JSON adds to escape those from `start` to `end`: one for `"`, `\` and the controls that have a letter,
   five for the other controls. */
static inline int64_t sc_escapes(const uint8_t *text, int64_t size, int64_t start, int64_t end) {
    int64_t added = 0, at;
    for (at = start; at < end; at += SC_BLOCK) {
        sc_block block = sc_block_at(text, size, at);
        uint64_t inside = sc_below(end - at);
        uint64_t controls = inside & ~sc_bits_from(&block, 0x20);
        added += sc_count(inside & (sc_bits_is(&block, '"') | sc_bits_is(&block, '\\')));
        if (controls) {
            uint64_t letters = sc_bits_is(&block, '\b') | sc_bits_is(&block, '\t') | sc_bits_is(&block, '\n') |
                               sc_bits_is(&block, '\f') | sc_bits_is(&block, '\r');
            added += sc_count(controls & letters) + 5 * sc_count(controls & ~letters);
        }
    }
    return added;
}

static inline int64_t sc_digits(int64_t number) {
    int64_t digits = 1;
    for (; number >= 10; number /= 10) digits++;
    return digits;
}

#endif
