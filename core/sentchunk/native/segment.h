/* Sentence boundaries: the rules of UAX #29 revision 47, on bytes that are known to be UTF-8.

   A sentence ends only after a ParaSep (SB4) or a terminator and what belongs to it (SB11). So the scan jumps from one
   character of those to the next and looks at classes only around it. `_rules.py` is the same as one expression.

   Why this is linear: after a terminator the machine walks forward over Close*, Sp* and SB8's skipped characters. None
   of those is a terminator or ParaSep, so the scan goes on where that walk stopped. Backward, SB7 walks over the marks
   just before one ATerm, which lie after the terminator before it. So no byte is walked over more than three times. */
#ifndef SENTCHUNK_SEGMENT_H
#define SENTCHUNK_SEGMENT_H

#include "scan.h"

#define SC_IN(class_, set) (1u << (class_) & (set))
#define SC_SET_PARASEP (1u << SC_SEP | 1u << SC_CR | 1u << SC_LF)
#define SC_SET_SATERM (1u << SC_STERM | 1u << SC_ATERM)
#define SC_SET_TRANSPARENT (1u << SC_EXTEND | 1u << SC_FORMAT)
#define SC_SET_STOPS_SB8 \
    (1u << SC_OLETTER | 1u << SC_UPPER | 1u << SC_LOWER | SC_SET_PARASEP | SC_SET_SATERM | 1u << SC_END)

/* The class of what is beyond the last character. */
#define SC_END 15

/* The bytes that are searched for enders at a time, and how many places are written without looking whether there are. */
#define SC_WINDOW 2048
#define SC_PLACES_AT_ONCE 4

/* A character: its class, where it begins, and where the next one does. */
typedef struct {
    unsigned class_;
    int64_t at, next;
} sc_character;

typedef struct {
    const uint8_t *text;
    int64_t size;
    int ascii;
    /* The places in the window that the scan is in where something that can end a sentence may begin; `next` is the
       first of them that is not passed. */
    int64_t window;
    int count, next;
    uint16_t places[SC_WINDOW + SC_PLACES_AT_ONCE];
} sc_scanner;

static inline unsigned sc_class_of(uint32_t code) {
    return sc_blocks[sc_block_of[code >> SC_BLOCK_BITS]][code & ((1u << SC_BLOCK_BITS) - 1)];
}

static inline sc_character sc_character_at(const sc_scanner *scan, int64_t at) {
    sc_character found = {SC_END, at, at};
    const uint8_t *byte = scan->text + at;
    if (at >= scan->size) return found;
    if (byte[0] < 0x80) { /* the first block of the table is ASCII */
        found.class_ = sc_blocks[0][byte[0]];
        found.next = at + 1;
    } else if (byte[0] < 0xE0) {
        found.class_ = sc_class_of((byte[0] & 0x1Fu) << 6 | (byte[1] & 0x3Fu));
        found.next = at + 2;
    } else if (byte[0] < 0xF0) {
        found.class_ = sc_class_of((byte[0] & 0x0Fu) << 12 | (byte[1] & 0x3Fu) << 6 | (byte[2] & 0x3Fu));
        found.next = at + 3;
    } else {
        found.class_ = sc_class_of(
            (byte[0] & 0x07u) << 18 | (byte[1] & 0x3Fu) << 12 | (byte[2] & 0x3Fu) << 6 | (byte[3] & 0x3Fu));
        found.next = at + 4;
    }
    return found;
}

/* SB5: X (Extend|Format)* -> X. The first character from `at` on that the rules do not look through. It is only asked for
   after a character that is no ParaSep, so every Extend and Format there is one to look through. */
static inline sc_character sc_visible_at(const sc_scanner *scan, int64_t at) {
    sc_character found = sc_character_at(scan, at);
    while (SC_IN(found.class_, SC_SET_TRANSPARENT)) found = sc_character_at(scan, found.next);
    return found;
}

/* SB7's left side: whether the character before `at`, looked for through the marks that SB5 hides, is a cased letter.
   At sot and after ParaSep a mark hides nothing; but neither sot nor ParaSep is a letter, so the answer is the same. */
static int sc_letter_before(const sc_scanner *scan, int64_t at) {
    while (at > 0) {
        unsigned class_;
        do at--;
        while ((scan->text[at] & 0xC0) == 0x80);
        class_ = sc_character_at(scan, at).class_;
        if (!SC_IN(class_, SC_SET_TRANSPARENT)) return class_ == SC_UPPER || class_ == SC_LOWER;
    }
    return 0;
}

/* SB3 and SB4: the boundary after a ParaSep, which CR and LF make together. */
static inline int64_t sc_after_parasep(const sc_scanner *scan, sc_character parasep) {
    int crlf = parasep.class_ == SC_CR && parasep.next < scan->size && scan->text[parasep.next] == '\n';
    return parasep.next + crlf;
}

/* The boundary that a terminator makes, or -1 if a rule joins it to what follows. `resume` becomes the place where to look
   for the next: nothing before it can end a sentence. */
static inline int64_t sc_after_terminator(const sc_scanner *scan, sc_character term, int64_t *resume) {
    sc_character after = sc_visible_at(scan, term.next);
    *resume = after.at;
    if (term.class_ == SC_ATERM) {
        if (after.class_ == SC_NUMERIC) return -1; /* SB6: ATerm x Numeric */
        if (after.class_ == SC_UPPER && sc_letter_before(scan, term.at))
            return -1; /* SB7: (Upper|Lower) ATerm x Upper */
    }
    /* SB9, SB10: Close* Sp* stay with the terminator. */
    while (after.class_ == SC_CLOSE) after = sc_visible_at(scan, after.next);
    while (after.class_ == SC_SP) after = sc_visible_at(scan, after.next);
    *resume = after.at;
    if (term.class_ == SC_ATERM) {
        /* SB8: ATerm Close* Sp* x (not OLetter, Upper, Lower, ParaSep, SATerm)* Lower */
        sc_character ahead = after;
        while (!SC_IN(ahead.class_, SC_SET_STOPS_SB8)) ahead = sc_character_at(scan, ahead.next);
        *resume = ahead.at;
        if (ahead.class_ == SC_LOWER) return -1;
    }
    /* SB8a: SATerm Close* Sp* x (SContinue|SATerm) */
    if (SC_IN(after.class_, 1u << SC_SCONTINUE | SC_SET_SATERM)) return -1;
    /* SB10, SB11: SATerm Close* Sp* ParaSep? / */
    if (SC_IN(after.class_, SC_SET_PARASEP)) return *resume = sc_after_parasep(scan, after);
    return after.at;
}

/* Add the places of the bits. In prose a block holds none, one or two, and a branch on that is a guess: so some are
   written whatever there is, and only the count tells which of them are meant. */
static inline int sc_add_places(sc_scanner *scan, int count, int start, uint64_t bits) {
    int found = (int)sc_count(bits), i;
    for (i = 0; i < SC_PLACES_AT_ONCE || i < found; i++) {
        scan->places[count + i] = (uint16_t)(start + sc_lowest(bits | (uint64_t)1 << 63));
        bits &= bits - 1;
    }
    return count + found;
}

/* The same where bytes are the first of more: the byte after rules most of them out. */
static inline int sc_add_multibyte_places(sc_scanner *scan, int count, int64_t at, uint64_t bits) {
    const uint8_t *text = scan->text;
    for (; bits; bits &= bits - 1) {
        int64_t place = at + sc_lowest(bits);
        int64_t after = place + (place + 1 < scan->size);
        scan->places[count] = (uint16_t)(place - scan->window);
        count += (int)(sc_seconds_of[text[place]] >> (text[after] & 0x3F) & 1);
    }
    return count;
}

static void sc_fill_window(sc_scanner *scan, int64_t start) {
    int64_t end = scan->size - start < SC_WINDOW ? scan->size : start + SC_WINDOW, at;
    int count = 0;
    scan->window = start;
    for (at = start; at < end; at += SC_BLOCK) {
        sc_block block = sc_block_at(scan->text, scan->size, at);
        if (scan->ascii || sc_is_ascii(&block))
            count = sc_add_places(scan, count, (int)(at - start), sc_bits_enders(&block, 1));
        else
            count = sc_add_multibyte_places(scan, count, at, sc_bits_enders(&block, 0));
    }
    scan->count = count;
    scan->next = 0;
}

/* The first place from `from` on where something that can end a sentence may begin, or the size of the text. */
static inline int64_t sc_next_ender(sc_scanner *scan, int64_t from) {
    for (;;) {
        int64_t beyond = scan->window + SC_WINDOW;
        while (scan->next < scan->count) {
            int64_t at = scan->window + scan->places[scan->next++];
            if (at >= from) return at;
        }
        if (from > beyond) beyond = from;
        if (beyond >= scan->size) return scan->size;
        sc_fill_window(scan, beyond);
    }
}

static inline void sc_start_scan(sc_scanner *scan, const uint8_t *text, int64_t size, int ascii) {
    scan->text = text;
    scan->size = size;
    scan->ascii = ascii;
    sc_fill_window(scan, 0);
}

/* The boundary at a place of the scan if it is one of the three that are most of them in prose; else -1: LF (SB4); a
   terminator before LF (SB11); a terminator before a blank and A to Z, where SB8 stops at the capital. One branch tells
   these from the rest, for the processor cannot guess which of them comes next. */
static inline int64_t sc_plain_end(const sc_scanner *scan, int64_t at) {
    const uint8_t *byte = scan->text + at;
    int feed, term, before_feed, before_capital;
    if (scan->size - at < 3) return -1;
    feed = byte[0] == '\n';
    term = (byte[0] == '.') | (byte[0] == '!') | (byte[0] == '?');
    before_feed = byte[1] == '\n';
    before_capital = (byte[1] == ' ') & ((uint8_t)(byte[2] - 'A') < 26);
    return feed | (term & (before_feed | before_capital)) ? at + 1 + term : -1;
}

/* The end of the sentence at hand, which is the size of the text for the last one (SB2: Any / eot). `from` is where to
   look, and becomes where to look for the next. */
static inline int64_t sc_next_end(sc_scanner *scan, int64_t *from) {
    for (;;) {
        int64_t at = sc_next_ender(scan, *from), end;
        sc_character found;
        if (at >= scan->size) return *from = scan->size;
        end = sc_plain_end(scan, at);
        if (end >= 0) return *from = end;
        found = sc_character_at(scan, at);
        *from = found.next;
        if (SC_IN(found.class_, SC_SET_PARASEP)) return *from = sc_after_parasep(scan, found);
        if (!SC_IN(found.class_, SC_SET_SATERM)) continue;
        end = sc_after_terminator(scan, found, from);
        if (end >= 0) return end;
    }
}

#endif
