/* The whole way of a document (`spans.py`): tokens, parts, paragraphs, sentences, forced cuts. Each step gives its pieces to
   the next as it finds them, so memory is the tokens and the output. */
#ifndef SENTCHUNK_STRUCTURE_H
#define SENTCHUNK_STRUCTURE_H

#include "forced.h"
#include "segment.h"

enum sc_kind { SC_DOCUMENT_KIND, SC_EMAIL_KIND, SC_MESSAGE_KIND, SC_WHOLE_KIND };

static inline int sc_within_caps(const sc_document *doc, sc_piece piece, int64_t tokens, int64_t chars) {
    return piece.last - piece.first < tokens && sc_point(doc, piece.end) - sc_point(doc, piece.start) <= chars;
}

/* Add the chunks of a paragraph over the target: as many sentences each as fit, but at least one; and a sentence over the
   budget in pieces that are chunks by themselves. Returns as sc_chunk_document does. */
static int sc_pack_paragraph(sc_chunker *chunker, sc_piece paragraph) {
    const sc_document *doc = chunker->doc;
    const sc_caps *caps = chunker->caps;
    const int64_t base = paragraph.start, size = paragraph.end - base;
    int64_t start, end = 0, first = paragraph.first;
    int open = 0, outcome;
    sc_piece chunk = paragraph;
    sc_scanner scan;
    sc_start_scan(&scan, doc->text + base, size, doc->ascii);
    for (start = 0; start < size; start = end) {
        sc_piece sentence;
        end = sc_next_end(&scan);
        while (sc_token_end(doc, first) <= base + start) first++;
        if (sc_token_start(doc, first) >= base + end) continue; /* blank */
        sentence.first = sentence.last = first;
        while (sentence.last < paragraph.last && sc_token_start(doc, sentence.last + 1) < base + end) sentence.last++;
        sentence.start = base + start;
        if (sentence.start <= sc_token_start(doc, first))
            sentence.start = sc_most(sentence.start, sc_lead(doc, first, caps->max_chars));
        sentence.end = base + end;
        if (sentence.end > sc_token_end(doc, sentence.last)) sentence.end = sc_token_end(doc, sentence.last);
        first = sentence.last;
        if (!sc_within_caps(doc, sentence, caps->budget, caps->max_chars)) {
            if (open && !sc_add_span(chunker, chunk)) return 0;
            open = 0;
            outcome = sc_cut_by_force(chunker, sentence);
            if (outcome <= 0) return outcome;
            continue;
        }
        if (open) {
            sc_piece grown = {chunk.start, sentence.end, chunk.first, sentence.last};
            if (sc_within_caps(doc, grown, caps->target_tokens, caps->target_chars)) {
                chunk = grown;
                continue;
            }
            if (!sc_add_span(chunker, chunk)) return 0;
        }
        chunk = sentence;
        open = 1;
    }
    return !open || sc_add_span(chunker, chunk);
}

/* Whether a paragraph begins with a token that is no part's first: after a blank line, but not right after a heading, which
   stays with what follows it. `head_end` is where the last one ends. */
static inline int sc_opens(const sc_document *doc, int64_t token, int64_t head_end) {
    if (sc_token_start(doc, token) >= head_end && sc_token_start(doc, token - 1) < head_end) return 0;
    return sc_after_blank_line(doc, token);
}

/* Add the chunks of all paragraphs. Returns as sc_chunk_document does. */
static int sc_add_paragraphs(sc_chunker *chunker) {
    const sc_document *doc = chunker->doc;
    const sc_caps *caps = chunker->caps;
    int64_t part = 0, gap = 0, head_end = -1, next;
    sc_piece paragraph;
    int outcome;
    for (paragraph.first = 0; paragraph.first < doc->tokens; paragraph.first = next) {
        if (part < doc->parts.count && doc->parts.items[part + SC_PART_TOKEN] == paragraph.first) {
            head_end = doc->parts.items[part + SC_HEAD_END];
            chunker->part++;
            part += SC_PART_FIELDS;
        }
        next = part < doc->parts.count ? doc->parts.items[part + SC_PART_TOKEN] : doc->tokens;
        for (; gap < doc->gaps.count && doc->gaps.items[gap] < next; gap++) {
            int64_t token = doc->gaps.items[gap];
            if (token > paragraph.first && sc_opens(doc, token, head_end)) next = token;
        }
        paragraph.last = next - 1;
        paragraph.start = sc_lead(doc, paragraph.first, caps->max_chars);
        paragraph.end = sc_token_end(doc, paragraph.last);
        outcome = sc_within_caps(doc, paragraph, caps->target_tokens, caps->target_chars)
                      ? sc_add_span(chunker, paragraph)
                      : sc_pack_paragraph(chunker, paragraph);
        if (outcome <= 0) return outcome;
    }
    return 1;
}

/* An event or a contact: the text as it is. */
static int sc_add_whole(sc_chunker *chunker) {
    const sc_document *doc = chunker->doc;
    sc_piece whole = {0, doc->size, 0, doc->tokens - 1};
    if (!sc_add_span(chunker, whole)) return 0;
    chunker->spans->oversized[chunker->spans->count - 1] =
        !sc_within_caps(doc, whole, chunker->caps->max_tokens, chunker->caps->max_chars);
    return 1;
}

/* Add the chunks of the document, which has its text, to the rows. Returns 1, or 0 where memory is out, or -1 where Python
   was asked and raised an exception. */
static int sc_chunk_document(sc_chunker *chunker, enum sc_kind kind) {
    sc_document *doc = chunker->doc;
    int outcome = 1;
    chunker->part = chunker->chunks = 0;
    if (!sc_find_tokens(doc, kind == SC_DOCUMENT_KIND)) return 0;
    if (doc->tokens == 0) return 1;
    if (kind == SC_WHOLE_KIND) return sc_add_whole(chunker);
    if (kind == SC_DOCUMENT_KIND) outcome = sc_find_headings(doc);
    if (kind == SC_EMAIL_KIND) outcome = sc_find_headers(doc, chunker->python);
    return outcome <= 0 ? outcome : sc_add_paragraphs(chunker);
}

#endif
