/* Forced cuts of a sentence over the budget (`forced.py`): at the last white space that fits, else between grapheme
   clusters, else between code points. */
#ifndef SENTCHUNK_FORCED_H
#define SENTCHUNK_FORCED_H

#include "overlap.h"

/* The piece that is open: what of it ends with a whole token, and the part of a token after that, which stays with it
   only if nothing whole is there. Two parts that follow each other never fit one piece, so one part is all there can be. */
typedef struct {
    sc_piece whole, part;
    int has_whole, has_part;
} sc_open_piece;

static int sc_close_piece(sc_chunker *chunker, sc_open_piece *open) {
    if (open->has_whole) {
        open->has_whole = 0;
        return sc_add_span(chunker, open->whole);
    }
    open->has_part = 0;
    return sc_add_span(chunker, open->part);
}

/* Add a token, or a part of one, that is at most as long as the cap. Returns 0 where memory is out. */
static int sc_add_atom(sc_chunker *chunker, sc_open_piece *open, sc_piece atom, int ends_token) {
    while (open->has_whole || open->has_part) {
        const sc_piece *first = open->has_whole ? &open->whole : &open->part;
        if (sc_point(chunker->doc, atom.end) - sc_point(chunker->doc, first->start) <= chunker->caps->max_chars &&
            atom.last - first->first < chunker->caps->budget) {
            sc_piece grown = ends_token || open->has_part ? *(ends_token ? first : &open->part) : atom;
            grown.end = atom.end;
            grown.last = atom.last;
            *(ends_token ? &open->whole : &open->part) = grown;
            open->has_whole |= ends_token;
            open->has_part = !ends_token;
            return 1;
        }
        if (!sc_close_piece(chunker, open)) return 0;
    }
    if (ends_token)
        open->whole = atom;
    else
        open->part = atom;
    open->has_whole = ends_token;
    open->has_part = !ends_token;
    return 1;
}

/* The place so many characters after one. */
static inline int64_t sc_skip(const sc_document *doc, int64_t at, int64_t characters) {
    for (; characters > 0; characters--) {
        at++;
        while (at < doc->size && (doc->text[at] & 0xC0) == 0x80) at++;
    }
    return at;
}

static inline int sc_is_ascii_word(const sc_document *doc, sc_piece word) {
    return doc->ascii || sc_point(doc, word.end) - sc_point(doc, word.start) == word.end - word.start;
}

/* Add a word over the cap, in parts. Returns as sc_chunk_document does. */
static int sc_add_word(sc_chunker *chunker, sc_open_piece *open, sc_piece word) {
    const sc_document *doc = chunker->doc;
    const int64_t cap = chunker->caps->max_chars;
    const int ascii = sc_is_ascii_word(doc, word);
    int64_t points = sc_point(doc, word.end) - sc_point(doc, word.start), done = 0, next = 0;
    const int even = ascii || cap == 1; /* the clusters are single characters, or no matter */
    sc_piece atom = word;
    chunker->cuts.count = 0;
    if (!even && chunker->python->cuts(chunker->python->self, doc->text, word.start, word.end, cap, &chunker->cuts) < 0)
        return -1;
    for (; even ? done + cap < points : next < chunker->cuts.count; next++) {
        int64_t cut = even ? done + cap : chunker->cuts.items[next];
        atom.end = ascii ? atom.start + cap : sc_skip(doc, atom.start, cut - done);
        if (!sc_add_atom(chunker, open, atom, 0)) return 0;
        atom.start = atom.end;
        done = cut;
    }
    atom.end = word.end;
    return sc_add_atom(chunker, open, atom, 1);
}

/* Add the pieces of a sentence. Returns as sc_chunk_document does. */
static int sc_cut_by_force(sc_chunker *chunker, sc_piece sentence) {
    const sc_document *doc = chunker->doc;
    const int64_t cap = chunker->caps->max_chars;
    sc_open_piece open = {{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0};
    int64_t token;
    int outcome;
    for (token = sentence.first; token <= sentence.last; token++) {
        sc_piece atom = {sc_token_start(doc, token), sc_token_end(doc, token), token, token};
        if (atom.end > sentence.end) atom.end = sentence.end;
        if (atom.start < sentence.start)
            atom.start = sentence.start;
        else
            atom.start = sc_most(sentence.start, sc_lead(doc, token, cap));
        outcome = sc_point(doc, atom.end) - sc_point(doc, atom.start) <= cap ? sc_add_atom(chunker, &open, atom, 1)
                                                                             : sc_add_word(chunker, &open, atom);
        if (outcome <= 0) return outcome;
    }
    while (open.has_whole || open.has_part)
        if (!sc_close_piece(chunker, &open)) return 0;
    return 1;
}

#endif
