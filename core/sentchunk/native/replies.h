/* Reply headers of mail (`replies.py`): where one may stand is found here; whether it has the form of one, Python says. */
#ifndef SENTCHUNK_REPLIES_H
#define SENTCHUNK_REPLIES_H

#include "headings.h"

#define SC_MOST_LINES 3
#define SC_MOST_CHARS 600
#define SC_WROTE 6 /* letters of "wrote:" */

/* What the C code asks Python, with `self` as it was given. Each answers -1 where an exception was raised. */
typedef struct {
    void *self;
    /* Whether the bytes from `start` to `end`, which "wrote:" follows, have the form of a reply header. */
    int (*is_header)(void *self, const uint8_t *text, int64_t start, int64_t end, int begins_paragraph);
    /* Append the cuts of a word that is over the cap, in code points from its start. */
    int (*cuts)(void *self, const uint8_t *text, int64_t start, int64_t end, int64_t cap, sc_list *cuts);
} sc_python;

static inline int64_t sc_line_start(const sc_document *doc, int64_t at) {
    while (at > 0 && !sc_ends_line(doc->text[at - 1])) at--;
    return at;
}

/* The start of the line before the one that starts at `line`, which is not the first. */
static inline int64_t sc_line_before(const sc_document *doc, int64_t line) {
    line -= line > 1 && doc->text[line - 1] == '\n' && doc->text[line - 2] == '\r' ? 2 : 1;
    return sc_line_start(doc, line);
}

static inline int64_t sc_after_quotes(const sc_document *doc, int64_t at) {
    while (at < doc->size && (sc_is_blank(doc->text[at]) || doc->text[at] == '>')) at++;
    return at;
}

/* Whether a line has nothing but blanks and `>` marks, and an end. */
static inline int sc_line_is_blank(const sc_document *doc, int64_t line) {
    line = sc_after_quotes(doc, line);
    return line < doc->size && sc_ends_line(doc->text[line]);
}

static inline int sc_line_begins_header(const sc_document *doc, int64_t line) {
    line = sc_after_quotes(doc, line);
    return doc->size - line >= 3 && memcmp(doc->text + line, "On", 2) == 0 && sc_is_blank(doc->text[line + 2]);
}

/* The start of the header that ends at `end`, and not before `done`; -1 if there is none. */
static int64_t sc_header_start(const sc_document *doc, int64_t end, int64_t done) {
    int64_t line = sc_line_start(doc, end), chars = 0, at;
    int number;
    for (number = 1; line >= done; number++) {
        if (sc_line_begins_header(doc, line)) {
            for (at = line; at < end && chars <= SC_MOST_CHARS; at++) chars += (doc->text[at] & 0xC0) != 0x80;
            return chars > SC_MOST_CHARS ? -1 : line;
        }
        if (line == 0 || number == SC_MOST_LINES || sc_line_is_blank(doc, line)) return -1;
        line = sc_line_before(doc, line);
    }
    return -1;
}

/* The end of the next "wrote:" from a place on that ends a line, but for blanks; -1 if there is none. */
static int64_t sc_next_wrote(const sc_document *doc, int64_t from) {
    while (from < doc->size) {
        const uint8_t *found = (const uint8_t *)memchr(doc->text + from, ':', (size_t)(doc->size - from));
        if (found == NULL) return -1;
        from = found - doc->text + 1;
        if (from >= SC_WROTE && memcmp(found - 5, "wrote", 5) == 0 && sc_line_ends_at(doc, sc_after_blanks(doc, from)))
            return from;
    }
    return -1;
}

/* Make a part of each reply header. Returns 0 where memory is out, -1 where an exception was raised. */
static int sc_find_headers(sc_document *doc, const sc_python *python) {
    int64_t end, done = 0, start, token = 0, *part;
    for (end = sc_next_wrote(doc, 0); end >= 0; end = sc_next_wrote(doc, end)) {
        int begins, found;
        start = sc_header_start(doc, end, done);
        if (start < 0) continue;
        begins = start == 0 || sc_line_is_blank(doc, sc_line_before(doc, start));
        found = python->is_header(python->self, doc->text, start, end - SC_WROTE, begins);
        if (found < 0) return -1;
        if (found == 0) continue;
        if (!sc_room(&doc->parts, SC_PART_FIELDS)) return 0;
        part = doc->parts.items + doc->parts.count;
        doc->parts.count += SC_PART_FIELDS;
        while (sc_token_start(doc, token) < start) token++;
        part[SC_PART_TOKEN] = token;
        part[SC_HEAD_END] = done = end;
        part[SC_TITLE_START] = part[SC_TITLE_END] = -1;
    }
    return 1;
}

#endif
