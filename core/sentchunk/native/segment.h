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

/* Not inlined: what is rare, so that the rest stays in registers. */
#if defined(_MSC_VER)
#define SC_APART __declspec(noinline)
#else
#define SC_APART __attribute__((noinline))
#endif

/* The class of what is beyond the last character. */
#define SC_END 15

/* The bytes that are searched at a time, whole blocks, and how many places are written without looking whether there are. */
#if !defined(SC_WINDOW)
#define SC_WINDOW 2048
#endif
#define SC_PLACES_AT_ONCE 3

/* A character: its class, where it begins, and where the next one does. */
typedef struct {
    unsigned class_;
    int64_t at, next;
} sc_character;

typedef struct {
    const uint8_t *text;
    int64_t size;
    int ascii;
    int64_t window, from; /* the next window; where the next end may be looked for, which can be beyond that */
    int count, next;      /* of the ends */
    int64_t ends[SC_WINDOW + 1]; /* of sentences, found in the window before, and the end of the text at last (SB2) */
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
static inline int sc_add_places(uint16_t *places, int count, int start, uint64_t bits) {
    const int found = (int)sc_count(bits);
    int i;
    places += count;
#define SC_ADD_PLACE(i) (places[i] = (uint16_t)(start + sc_lowest(bits | (uint64_t)1 << 63)), bits &= bits - 1)
    SC_ADD_PLACE(0);
    SC_ADD_PLACE(1);
    SC_ADD_PLACE(2);
    for (i = SC_PLACES_AT_ONCE; i < found; i++) SC_ADD_PLACE(i);
#undef SC_ADD_PLACE
    return count + found;
}

/* The same where bytes are the first of more: the byte after rules most of them out. */
static inline int sc_add_multibyte_places(const sc_scanner *scan, uint16_t *places, int count, int start, uint64_t bits) {
    const uint8_t *block = scan->text + scan->window + start, *last = scan->text + scan->size - 1;
    for (; bits; bits &= bits - 1) {
        int place = sc_lowest(bits);
        const uint8_t *byte = block + place, *after = byte + (byte < last);
        places[count] = (uint16_t)(start + place);
        count += (int)(sc_seconds_of[*byte] >> (*after & 0x3F) & 1);
    }
    return count;
}

/* The places in the window where something that can end a sentence may begin. */
static inline int sc_find_places(const sc_scanner *scan, uint16_t *places) {
    const int64_t left = scan->size - scan->window;
    const int size = left < SC_WINDOW ? (int)left : SC_WINDOW, ascii = scan->ascii;
    const uint8_t *window = scan->text + scan->window;
    int count = 0, start;
    for (start = 0; start < size; start += SC_BLOCK) {
        sc_block block = sc_block_at(window, left, start);
        if (ascii || sc_is_ascii(&block))
            count = sc_add_places(places, count, start, sc_bits_enders(&block, 1));
        else
            count = sc_add_multibyte_places(scan, places, count, start, sc_bits_enders(&block, 0));
    }
    return count;
}

/* The boundary that the rules make at a place, or -1. */
static SC_APART int64_t sc_end_by_rules(const sc_scanner *scan, int64_t at, int64_t *from) {
    sc_character found = sc_character_at(scan, at);
    *from = found.next;
    if (SC_IN(found.class_, SC_SET_PARASEP)) return *from = sc_after_parasep(scan, found);
    return SC_IN(found.class_, SC_SET_SATERM) ? sc_after_terminator(scan, found, from) : -1;
}

/* What three bytes are that tell most ends in prose: those at a place, and the two after it. */
enum { SC_IS_OTHER, SC_IS_LF, SC_IS_CR, SC_IS_DOT, SC_IS_MARK, SC_IS_BLANK, SC_IS_UPPER, SC_IS_LOWER, SC_IS_DIGIT, SC_KINDS };

#define SC_TEN(kind) kind, kind, kind, kind, kind, kind, kind, kind, kind, kind
#define SC_LETTERS(kind) SC_TEN(kind), SC_TEN(kind), kind, kind, kind, kind, kind, kind
static const uint8_t sc_kinds[256] = {
    ['\n'] = SC_IS_LF, ['\r'] = SC_IS_CR, [' '] = SC_IS_BLANK, ['!'] = SC_IS_MARK, ['.'] = SC_IS_DOT,
    ['0'] = SC_TEN(SC_IS_DIGIT), ['?'] = SC_IS_MARK, ['A'] = SC_LETTERS(SC_IS_UPPER), ['a'] = SC_LETTERS(SC_IS_LOWER)};

/* The verdict by the three kinds: how many bytes more the sentence has, that none ends there, or that the rules must tell. */
enum { SC_ASK, SC_ENDS_1, SC_ENDS_2, SC_ENDS_3, SC_JOINS };
#define SC_IF_LF(lf, other) {other, lf, other, other, other, other, other, other, other}
#define SC_ALL(verdict) SC_IF_LF(verdict, verdict)
static const uint8_t sc_verdicts[SC_IS_BLANK][SC_KINDS][SC_KINDS] = {
    /* SB4, with CR and LF joined by SB3 */
    [SC_IS_LF] = {SC_ALL(1), SC_ALL(1), SC_ALL(1), SC_ALL(1), SC_ALL(1), SC_ALL(1), SC_ALL(1), SC_ALL(1), SC_ALL(1)},
    [SC_IS_CR] = {SC_ALL(1), SC_ALL(2), SC_ALL(1), SC_ALL(1), SC_ALL(1), SC_ALL(1), SC_ALL(1), SC_ALL(1), SC_ALL(1)},
    [SC_IS_DOT] = {[SC_IS_LF] = SC_ALL(SC_ENDS_2), /* SB10, SB11 */
                   [SC_IS_CR] = SC_IF_LF(SC_ENDS_3, SC_ENDS_2),
                   [SC_IS_DOT] = SC_ALL(SC_JOINS), /* SB8a */
                   [SC_IS_MARK] = SC_ALL(SC_JOINS),
                   [SC_IS_LOWER] = SC_ALL(SC_JOINS), /* SB8 */
                   [SC_IS_DIGIT] = SC_ALL(SC_JOINS), /* SB6 */
                   [SC_IS_BLANK] = {[SC_IS_UPPER] = SC_ENDS_2 /* SB11 */, [SC_IS_LOWER] = SC_JOINS /* SB8 */}},
    [SC_IS_MARK] = {[SC_IS_LF] = SC_ALL(SC_ENDS_2), /* SB10, SB11 */
                    [SC_IS_CR] = SC_IF_LF(SC_ENDS_3, SC_ENDS_2),
                    [SC_IS_DOT] = SC_ALL(SC_JOINS), /* SB8a */
                    [SC_IS_MARK] = SC_ALL(SC_JOINS),
                    [SC_IS_UPPER] = SC_ALL(SC_ENDS_1), /* SB11 */
                    [SC_IS_LOWER] = SC_ALL(SC_ENDS_1),
                    [SC_IS_DIGIT] = SC_ALL(SC_ENDS_1),
                    [SC_IS_BLANK] = {[SC_IS_UPPER] = SC_ENDS_2, [SC_IS_LOWER] = SC_ENDS_2, [SC_IS_DIGIT] = SC_ENDS_2}}};

/* Find the ends of the next window. Only what the rules must tell is a branch: which of the rest comes next, the processor
   cannot guess. */
static void sc_fill_window(sc_scanner *scan) {
    uint16_t places[SC_WINDOW + SC_PLACES_AT_ONCE];
    const int total = sc_find_places(scan, places);
    const uint8_t *text = scan->text;
    const int64_t window = scan->window, with_two_after = scan->size - 2;
    int64_t from = scan->from, end;
    int count = 0, i;
    for (i = 0; i < total; i++) {
        int64_t at = window + places[i];
        const uint8_t *byte = text + at;
        unsigned verdict = SC_ASK;
        if (at < with_two_after) verdict = sc_verdicts[sc_kinds[byte[0]]][sc_kinds[byte[1]]][sc_kinds[byte[2]]];
        if (verdict != SC_ASK) {
            int found = (verdict != SC_JOINS) & (at >= from);
            scan->ends[count] = end = at + verdict;
            from = found ? end : from;
            count += found;
        } else if (at >= from) {
            scan->ends[count] = end = sc_end_by_rules(scan, at, &from);
            count += end >= 0;
        }
    }
    scan->window = from > window + SC_WINDOW ? from : window + SC_WINDOW;
    if (scan->window >= scan->size) scan->ends[count++] = scan->size; /* SB2: Any / eot */
    scan->from = from;
    scan->count = count;
    scan->next = 0;
}

static inline void sc_start_scan(sc_scanner *scan, const uint8_t *text, int64_t size, int ascii) {
    scan->text = text;
    scan->size = size;
    scan->ascii = ascii;
    scan->window = scan->from = 0;
    scan->count = scan->next = 0;
}

/* The end of the next sentence. There must be one: none follows that which is the size of the text. */
static inline int64_t sc_next_end(sc_scanner *scan) {
    while (scan->next == scan->count) sc_fill_window(scan);
    return scan->ends[scan->next++];
}

#endif
