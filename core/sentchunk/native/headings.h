/* Level-2 headings of Markdown, and what hides them (`sections.py`). */
#ifndef SENTCHUNK_HEADINGS_H
#define SENTCHUNK_HEADINGS_H

#include "tokens.h"

/* What is open at a line: a fence, and up to where an HTML block or a comment reaches. */
typedef struct {
    uint8_t fence; /* its character, or 0 */
    int64_t length, resume;
} sc_hiding;

/* Whether only blanks lie between the place and the line's beginning, three at most. */
static inline int sc_begins_line(const sc_document *doc, int64_t at, int64_t *line) {
    int blanks;
    for (blanks = 0; blanks < 3 && at > 0 && doc->text[at - 1] == ' '; blanks++) at--;
    *line = at;
    return at == 0 || sc_ends_line(doc->text[at - 1]);
}

static inline int64_t sc_line_end(const sc_document *doc, int64_t at) {
    while (at < doc->size && !sc_ends_line(doc->text[at])) at++;
    return at;
}

static inline int64_t sc_after_blanks(const sc_document *doc, int64_t at) {
    while (at < doc->size && sc_is_blank(doc->text[at])) at++;
    return at;
}

static inline int sc_line_ends_at(const sc_document *doc, int64_t at) { return at == doc->size || sc_ends_line(doc->text[at]); }

/* A line that begins with backticks or tildes. */
static void sc_at_fence(const sc_document *doc, int64_t at, sc_hiding *hiding) {
    const uint8_t mark = doc->text[at];
    int64_t after = at;
    while (after < doc->size && doc->text[after] == mark) after++;
    if (after - at < 3) return;
    if (hiding->fence) {
        if (mark == hiding->fence && after - at >= hiding->length && sc_line_ends_at(doc, sc_after_blanks(doc, after)))
            hiding->fence = 0;
        return;
    }
    if (mark == '`' && memchr(doc->text + after, '`', (size_t)(sc_line_end(doc, after) - after))) return;
    hiding->fence = mark;
    hiding->length = after - at;
}

/* The length of the name, of a block in which Markdown is none, that lies at a place in any case; 0 if none does. */
static int64_t sc_block_name(const sc_document *doc, int64_t at) {
    static const char *const names[] = {"pre", "script", "style", "textarea"};
    int name;
    for (name = 0; name < 4; name++) {
        const char *letter = names[name];
        int64_t place = at;
        /* No other byte but the capital becomes a small letter by this bit. */
        while (*letter && place < doc->size && (doc->text[place] | 0x20) == (uint8_t)*letter) letter++, place++;
        if (!*letter) return place - at;
    }
    return 0;
}

/* The end of the first `-->`, or of the first closing tag of a block, from a place on; else of the text. */
static int64_t sc_after_comment(const sc_document *doc, int64_t from) {
    int64_t at = from + 2;
    const uint8_t *found;
    while (at < doc->size && (found = (const uint8_t *)memchr(doc->text + at, '>', (size_t)(doc->size - at)))) {
        at = found - doc->text + 1;
        if (found[-1] == '-' && found[-2] == '-') return at;
    }
    return doc->size;
}

static int64_t sc_after_html(const sc_document *doc, int64_t from) {
    const uint8_t *found;
    while (from < doc->size && (found = (const uint8_t *)memchr(doc->text + from, '<', (size_t)(doc->size - from)))) {
        int64_t end;
        from = found - doc->text + 1;
        if (from == doc->size || doc->text[from] != '/') continue;
        end = sc_block_name(doc, from + 1);
        if (end == 0) continue;
        end += from + 1;
        if (end < doc->size && doc->text[end] == '>') return end + 1;
    }
    return doc->size;
}

/* A line that begins with `<`. */
static void sc_at_html(const sc_document *doc, int64_t at, sc_hiding *hiding) {
    const uint8_t *text = doc->text;
    int64_t end;
    if (hiding->fence) return;
    if (doc->size - at >= 4 && memcmp(text + at, "<!--", 4) == 0) {
        hiding->resume = sc_after_comment(doc, at + 2); /* `<!-->` is a whole comment */
        return;
    }
    end = sc_block_name(doc, at + 1);
    if (end == 0) return;
    end += at + 1;
    if (sc_line_ends_at(doc, end) || sc_is_blank(text[end]) || text[end] == '>') hiding->resume = sc_after_html(doc, at + 2);
}

/* A line that begins with a hash: it is a part's heading, or none. Returns 0 where memory is out. */
static int sc_at_hash(sc_document *doc, int64_t token, int64_t at) {
    const uint8_t *text = doc->text;
    int64_t start = at + 2, end, closing, *part;
    if (start > doc->size || text[at + 1] != '#') return 1;
    if (!sc_line_ends_at(doc, start) && !sc_is_blank(text[start])) return 1;
    if (!sc_room(&doc->parts, SC_PART_FIELDS)) return 0;
    part = doc->parts.items + doc->parts.count;
    doc->parts.count += SC_PART_FIELDS;
    end = sc_line_end(doc, start);
    part[SC_PART_TOKEN] = token;
    part[SC_HEAD_END] = end;
    start = sc_after_blanks(doc, start);
    while (end > start && sc_is_blank(text[end - 1])) end--;
    for (closing = end; closing > start && text[closing - 1] == '#';) closing--;
    if (closing == start || sc_is_blank(text[closing - 1])) end = closing;
    while (end > start && sc_is_blank(text[end - 1])) end--;
    part[SC_TITLE_START] = start;
    part[SC_TITLE_END] = end;
    return 1;
}

/* Make a part of each heading. Returns 0 where memory is out. */
static int sc_find_headings(sc_document *doc) {
    sc_hiding hiding = {0, 0, 0};
    int64_t i, line;
    for (i = 0; i < doc->marks.count; i++) {
        int64_t token = doc->marks.items[i], at = sc_token_start(doc, token);
        if (!sc_begins_line(doc, at, &line) || line < hiding.resume) continue;
        if (doc->text[at] == '<')
            sc_at_html(doc, at, &hiding);
        else if (doc->text[at] != '#')
            sc_at_fence(doc, at, &hiding);
        else if (!hiding.fence && !sc_at_hash(doc, token, at))
            return 0;
    }
    return 1;
}

#endif
