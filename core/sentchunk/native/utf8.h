/* Whether bytes are UTF-8, and where they stop to be. Nothing else here may be given bytes that did not pass. */
#ifndef SENTCHUNK_UTF8_H
#define SENTCHUNK_UTF8_H

#include "scan.h"

/* The length of the sequence at `at`, or 0 where none of Unicode's table 3-7 ("well-formed byte sequences") begins. */
static int64_t sc_sequence(const uint8_t *text, int64_t size, int64_t at) {
    uint8_t lead = text[at], low = 0x80, high = 0xBF;
    int64_t length, i;
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return 0;
    length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (length > size - at) return 0;
    if (lead == 0xE0) low = 0xA0;  /* else too long a form */
    if (lead == 0xED) high = 0x9F; /* else a surrogate */
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F; /* else beyond U+10FFFF */
    if (text[at + 1] < low || text[at + 1] > high) return 0;
    for (i = 2; i < length; i++)
        if ((text[at + i] & 0xC0) != 0x80) return 0;
    return length;
}

/* The start of the first sequence that is none, from `at` on, where a character begins; -1 if all are. */
static int64_t sc_first_invalid_from(const uint8_t *text, int64_t size, int64_t at) {
    while (at < size) {
        int64_t length = sc_sequence(text, size, at);
        if (length == 0) return at;
        at += length;
    }
    return -1;
}

/* Where the character begins that reaches `at` or beyond it, if the one before does. */
static int64_t sc_character_across(const uint8_t *text, int64_t at) {
    int64_t back;
    for (back = 1; back <= 3 && back <= at; back++) {
        uint8_t byte = text[at - back];
        if (byte >= 0xC0) return at - back;
        if (byte < 0x80) break;
    }
    return at;
}

/* What the bytes before a block ask of its first bytes. */
typedef struct {
    uint64_t continuations, after_e0, after_ed, after_f0, after_f4;
} sc_demand;

/* The same table 3-7 on 64 bytes at once: continuation bytes are just where leads ask for them, and the four leads that
   ask for more of the byte after them get it. Updates the demand to that on the next block. */
static inline int sc_block_is_utf8(const sc_block *block, sc_demand *demand) {
    uint64_t from_80 = sc_bits_from(block, 0x80), from_c0 = sc_bits_from(block, 0xC0);
    uint64_t from_e0 = sc_bits_from(block, 0xE0), from_f0 = sc_bits_from(block, 0xF0);
    uint64_t wanted = from_c0 << 1 | from_e0 << 2 | from_f0 << 3 | demand->continuations;
    uint64_t wrong = wanted ^ (from_80 & ~from_c0);
    demand->continuations = from_c0 >> 63 | from_e0 >> 62 | from_f0 >> 61;
    wrong |= sc_bits_is(block, 0xC0) | sc_bits_is(block, 0xC1) | sc_bits_from(block, 0xF5);
    if (from_e0 | demand->after_e0 | demand->after_ed) {
        uint64_t e0 = sc_bits_is(block, 0xE0), ed = sc_bits_is(block, 0xED);
        uint64_t from_a0 = sc_bits_from(block, 0xA0);
        wrong |= (e0 << 1 | demand->after_e0) & ~from_a0;
        wrong |= (ed << 1 | demand->after_ed) & from_a0;
        demand->after_e0 = e0 >> 63;
        demand->after_ed = ed >> 63;
    }
    if (from_f0 | demand->after_f0 | demand->after_f4) {
        uint64_t f0 = sc_bits_is(block, 0xF0), f4 = sc_bits_is(block, 0xF4);
        uint64_t from_90 = sc_bits_from(block, 0x90);
        wrong |= (f0 << 1 | demand->after_f0) & ~from_90;
        wrong |= (f4 << 1 | demand->after_f4) & from_90;
        demand->after_f0 = f0 >> 63;
        demand->after_f4 = f4 >> 63;
    }
    return wrong == 0;
}

/* The position of the first byte that is not UTF-8, as in Python's UnicodeDecodeError.start, or -1 if all are. Sets
   `ascii` to whether all are ASCII. */
static int64_t sc_first_invalid(const uint8_t *text, int64_t size, int *ascii) {
    sc_demand demand = {0, 0, 0, 0, 0};
    int64_t at;
    *ascii = 1;
    for (at = 0; at < size; at += SC_BLOCK) {
        sc_block block = sc_block_at(text, size, at);
        if (sc_is_ascii(&block) && demand.continuations == 0) continue;
        *ascii = 0;
        if (!sc_block_is_utf8(&block, &demand))
            return sc_first_invalid_from(text, size, sc_character_across(text, at));
    }
    if (demand.continuations) /* the last character is cut off just at the end of a block */
        return sc_first_invalid_from(text, size, sc_character_across(text, size));
    return -1;
}

#endif
