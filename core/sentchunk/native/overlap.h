/* A chunk is known: how far it begins before what is new in it (`overlap.py`), and its row. */
#ifndef SENTCHUNK_OVERLAP_H
#define SENTCHUNK_OVERLAP_H

#include "replies.h"
#include "spans.h"

/* The caps, as `SemanticSpec` has them. */
typedef struct {
    int64_t max_tokens, max_chars, overlap;
    int64_t budget, target_tokens, target_chars;
} sc_caps;

/* A stretch of the text, without the white space around it, and the tokens in which it starts and ends. */
typedef struct {
    int64_t start, end, first, last;
} sc_piece;

/* A document that is being chunked, and the chunk before the one at hand: its new part, the part that it is in, and
   whether it has an overlap. */
typedef struct {
    const sc_caps *caps;
    const sc_python *python;
    sc_document *doc;
    sc_spans *spans;
    int64_t document, offset, titles; /* the number of the document, where its text begins, how many titles were before */
    int64_t part, chunks;
    sc_piece before;
    int64_t before_part;
    int before_overlaps;
    sc_list cuts;
} sc_chunker;

/* The first token from `low` on that starts at a code point or after it; `high` if none before that does. */
static int64_t sc_token_from_point(const sc_document *doc, int64_t low, int64_t high, int64_t point) {
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sc_point(doc, sc_token_start(doc, middle)) < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline int64_t sc_most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Where the chunk starts of which `piece` is what is new. It follows another one in the same part. */
static int64_t sc_with_overlap(const sc_chunker *chunker, sc_piece piece) {
    const sc_document *doc = chunker->doc;
    const sc_piece before = chunker->before;
    int64_t last_before = piece.first - (piece.start <= sc_token_start(doc, piece.first));
    int64_t least_token = sc_most(last_before + 1 - chunker->caps->overlap, piece.last + 1 - chunker->caps->max_tokens);
    int64_t least_point = sc_point(doc, piece.end) - chunker->caps->max_chars;
    int64_t first_from = before.first + (sc_token_start(doc, before.first) < before.start), token = first_from;
    int all_fits = least_point <= sc_point(doc, before.start);
    if (!all_fits) token = sc_token_from_point(doc, first_from, last_before + 1, least_point);
    token = sc_most(token, least_token);
    /* The piece of a token with which the new text before begins counts as one. */
    if (all_fits && first_from > before.first && least_token <= before.first)
        token = before.first;
    else if (token > last_before)
        return piece.start;
    else if (sc_token_start(doc, token) > before.start || chunker->before_overlaps)
        return sc_token_start(doc, token);
    if (chunker->before_overlaps) return before.start;
    /* It would hold the chunk before as a whole: the first token is left out, and with it the overlap if that is all. */
    token = before.first + (sc_token_start(doc, before.first) <= before.start);
    if (token >= doc->tokens || sc_token_start(doc, token) > piece.start) return piece.start;
    return sc_token_start(doc, token);
}

/* Add a chunk. Returns 0 where memory is out. */
static int sc_add_span(sc_chunker *chunker, sc_piece piece) {
    const sc_document *doc = chunker->doc;
    sc_spans *spans = chunker->spans;
    int64_t start = piece.start, row;
    if (!sc_room_for_span(spans)) return 0;
    if (chunker->chunks > 0 && chunker->caps->overlap > 0 && chunker->part == chunker->before_part)
        start = sc_with_overlap(chunker, piece);
    row = spans->count++;
    spans->numbers[SC_SPAN_START][row] = sc_point(doc, start);
    spans->numbers[SC_SPAN_END][row] = sc_point(doc, piece.end);
    spans->numbers[SC_SPAN_NEW_START][row] = sc_point(doc, piece.start);
    spans->numbers[SC_SPAN_PART][row] = chunker->part;
    if (spans->columns > SC_SPANS_OF_TEXT) {
        int titled = chunker->titles >= 0 && chunker->part > 0;
        spans->numbers[SC_SPAN_DOCUMENT][row] = chunker->document;
        spans->numbers[SC_SPAN_INDEX][row] = chunker->chunks;
        spans->numbers[SC_SPAN_BYTE_START][row] = chunker->offset + start;
        spans->numbers[SC_SPAN_BYTE_END][row] = chunker->offset + piece.end;
        spans->numbers[SC_SPAN_TITLE][row] = titled ? chunker->titles + chunker->part - 1 : -1;
    }
    spans->oversized[row] = 0;
    chunker->chunks++;
    chunker->before_overlaps = start < piece.start;
    chunker->before = piece;
    chunker->before_part = chunker->part;
    return 1;
}

#endif
