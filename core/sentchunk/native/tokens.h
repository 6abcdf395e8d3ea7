/* Tokens, the pieces of `str.split()`: found once for a document, and what all later steps look into (`tokens.py`).

   All places are bytes. The caps count code points: `sc_point` tells for any place how many lie before it. */
#ifndef SENTCHUNK_TOKENS_H
#define SENTCHUNK_TOKENS_H

#include "list.h"
#include "scan.h"

typedef struct {
    const uint8_t *text;
    int64_t size;
    int ascii;
    sc_list edges;  /* where tokens start and end, alternately */
    sc_list gaps;   /* the tokens that more than one byte of white space lies before */
    sc_list marks;  /* the tokens that begin as headings do, and what can hide them */
    sc_list points; /* where not all is ASCII, for each block: the characters before it, and bits of where some begin */
    sc_list parts;  /* of each its SC_PART_FIELDS */
    int64_t tokens;
} sc_document;

/* Of a part: its first token, where its heading ends or its reply header does, and where the heading's title lies. */
enum sc_part_field { SC_PART_TOKEN, SC_HEAD_END, SC_TITLE_START, SC_TITLE_END, SC_PART_FIELDS };

static inline void sc_free_document(sc_document *doc) {
    sc_free_list(&doc->edges);
    sc_free_list(&doc->gaps);
    sc_free_list(&doc->marks);
    sc_free_list(&doc->points);
    sc_free_list(&doc->parts);
}

static inline int64_t sc_token_start(const sc_document *doc, int64_t token) { return doc->edges.items[2 * token]; }
static inline int64_t sc_token_end(const sc_document *doc, int64_t token) { return doc->edges.items[2 * token + 1]; }

/* The code points before a place. */
static inline int64_t sc_point(const sc_document *doc, int64_t place) {
    const int64_t *block;
    if (doc->ascii) return place;
    block = doc->points.items + place / SC_BLOCK * 2;
    return block[0] + sc_count((uint64_t)block[1] & sc_below(place % SC_BLOCK));
}

static inline int sc_ends_line(uint8_t byte) { return byte == '\n' || byte == '\r'; }
static inline int sc_is_blank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

/* ASCII's white space as `str.isspace` has it: with the four separators before the blank. */
static inline uint64_t sc_bits_white(const sc_block *block) {
    sc_block passed;
    int i;
    for (i = 0; i < SC_VECS; i++)
        passed.part[i] = sc_or(sc_within(block->part[i], '\t', '\r'), sc_within(block->part[i], 0x1C, ' '));
    return sc_bits(passed.part);
}

static inline uint64_t sc_bits_marks(const sc_block *block) {
    sc_block passed;
    int i;
    for (i = 0; i < SC_VECS; i++) {
        sc_vec bytes = block->part[i];
        passed.part[i] = sc_or(sc_or(sc_is(bytes, '#'), sc_is(bytes, '<')), sc_or(sc_is(bytes, '`'), sc_is(bytes, '~')));
    }
    return sc_bits(passed.part);
}

/* How many bytes the white space beyond ASCII has that begins at `at`; 0 if none does. */
static inline int sc_wide_white(const uint8_t *text, int64_t size, int64_t at) {
    const uint8_t *byte = text + at;
    if (size - at < 2) return 0;
    if (byte[0] == 0xC2) return byte[1] == 0x85 || byte[1] == 0xA0 ? 2 : 0; /* NEL, NO-BREAK SPACE */
    if (size - at < 3) return 0;
    if (byte[0] == 0xE1) return byte[1] == 0x9A && byte[2] == 0x80 ? 3 : 0; /* U+1680 */
    if (byte[0] == 0xE3) return byte[1] == 0x80 && byte[2] == 0x80 ? 3 : 0; /* U+3000 */
    if (byte[0] != 0xE2) return 0;
    if (byte[1] == 0x81) return byte[2] == 0x9F ? 3 : 0; /* U+205F */
    /* U+2000 to U+200A, U+2028, U+2029, U+202F */
    return byte[1] == 0x80 && (byte[2] <= 0x8A || byte[2] == 0xA8 || byte[2] == 0xA9 || byte[2] == 0xAF) ? 3 : 0;
}

/* The bits of that in a block. `spill` becomes those that it has in the next. */
static uint64_t sc_bits_wide_white(const sc_document *doc, const sc_block *block, int64_t at, uint64_t *spill) {
    uint64_t leads = sc_bits_is(block, 0xC2) | sc_bits_is(block, 0xE1) | sc_bits_is(block, 0xE2) | sc_bits_is(block, 0xE3);
    uint64_t white = 0;
    for (; leads; leads &= leads - 1) {
        int place = sc_lowest(leads);
        int length = sc_wide_white(doc->text, doc->size, at + place);
        uint64_t bits = sc_below(length);
        white |= bits << place;
        if (place + length > SC_BLOCK) *spill = bits >> (SC_BLOCK - place);
    }
    return white;
}

static inline void sc_add_tokens(sc_list *list, int64_t first, uint64_t starts, uint64_t chosen) {
    for (chosen &= starts; chosen; chosen &= chosen - 1)
        list->items[list->count++] = first + sc_count(starts & sc_below(sc_lowest(chosen)));
}

/* Find the tokens of the text. Returns 0 where memory is out. */
static int sc_find_tokens(sc_document *doc, int with_marks) {
    uint64_t before = ~(uint64_t)0, spill = 0; /* as if white space lay before the text */
    int64_t at, points = 0, size = doc->size;
    doc->edges.count = doc->gaps.count = doc->marks.count = doc->points.count = doc->parts.count = 0;
    for (at = 0; at < size; at += SC_BLOCK) {
        sc_block block = sc_block_at(doc->text, size, at);
        uint64_t inside = sc_below(size - at), white = sc_bits_white(&block) | spill | ~inside, after, turns, starts;
        int64_t first = (doc->edges.count + 1) / 2, *edge;
        spill = 0;
        if (!doc->ascii) {
            uint64_t begins = inside & ~sc_bits_continue(&block);
            if (!sc_is_ascii(&block)) white |= sc_bits_wide_white(doc, &block, at, &spill);
            if (!sc_room(&doc->points, 4)) return 0; /* two, and two after the last block */
            doc->points.items[doc->points.count++] = points;
            doc->points.items[doc->points.count++] = (int64_t)begins;
            points += sc_count(begins);
        }
        if (!sc_room(&doc->edges, SC_BLOCK + 1) || !sc_room(&doc->gaps, SC_BLOCK) || !sc_room(&doc->marks, SC_BLOCK))
            return 0;
        after = white << 1 | before >> 63;
        turns = white ^ after;
        starts = turns & ~white;
        sc_add_tokens(&doc->gaps, first, starts, white << 2 | before >> 62);
        if (with_marks) sc_add_tokens(&doc->marks, first, starts, sc_bits_marks(&block));
        edge = doc->edges.items + doc->edges.count;
        doc->edges.count += sc_count(turns);
        for (; turns; turns &= turns - 1) *edge++ = at + sc_lowest(turns);
        before = white;
    }
    if (doc->edges.count % 2) doc->edges.items[doc->edges.count++] = size;
    if (doc->points.count) {
        doc->points.items[doc->points.count++] = points;
        doc->points.items[doc->points.count++] = 0;
    }
    doc->tokens = doc->edges.count / 2;
    return 1;
}

/* Where a chunk starts that begins with the token: at its line's indentation where there is one that fits the cap together
   with the token, else at its start. */
static int64_t sc_lead(const sc_document *doc, int64_t token, int64_t max_chars) {
    int64_t start = sc_token_start(doc, token), line = start, room;
    if (start > 0 && !sc_is_blank(doc->text[start - 1])) return start;
    room = max_chars - (sc_point(doc, sc_token_end(doc, token)) - sc_point(doc, start));
    while (line > 0 && sc_is_blank(doc->text[line - 1]) && start - line <= room) line--;
    return start - line <= room && (line == 0 || sc_ends_line(doc->text[line - 1])) ? line : start;
}

/* Whether a blank line lies before the token: two line ends, and only blanks between them. */
static int sc_after_blank_line(const sc_document *doc, int64_t token) {
    int64_t at = token ? sc_token_end(doc, token - 1) : 0, start = sc_token_start(doc, token);
    int ended = 0;
    for (; at < start; at++) {
        if (sc_is_blank(doc->text[at])) continue;
        if (!sc_ends_line(doc->text[at])) {
            ended = 0;
            continue;
        }
        if (ended) return 1;
        ended = 1;
        if (doc->text[at] == '\r' && at + 1 < start && doc->text[at + 1] == '\n') at++;
    }
    return 0;
}

#endif
