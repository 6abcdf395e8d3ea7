/* Where the chunks of documents lie: growing columns of numbers, a row for each chunk. */
#ifndef SENTCHUNK_SPANS_H
#define SENTCHUNK_SPANS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Places in code points, which are the document's, and of a text that is all. In a column of documents there is more:
   places in the data's bytes, and the section's title, by its place among all titles, or -1. */
enum sc_span_column {
    SC_SPAN_START,
    SC_SPAN_END,
    SC_SPAN_NEW_START,
    SC_SPAN_PART,
    SC_SPANS_OF_TEXT,
    SC_SPAN_DOCUMENT = SC_SPANS_OF_TEXT,
    SC_SPAN_INDEX,
    SC_SPAN_BYTE_START,
    SC_SPAN_BYTE_END,
    SC_SPAN_TITLE,
    SC_SPAN_NUMBERS
};

typedef struct {
    int64_t *numbers[SC_SPAN_NUMBERS];
    uint8_t *oversized;
    int64_t count, capacity;
    int columns; /* how many of them there are: SC_SPANS_OF_TEXT, or all */
} sc_spans;

static inline void sc_free_spans(sc_spans *spans) {
    int column;
    for (column = 0; column < SC_SPAN_NUMBERS; column++) free(spans->numbers[column]);
    free(spans->oversized);
    memset(spans, 0, sizeof *spans);
}

/* Whether the columns now have room for `capacity` rows. If not, they are as they were, and still to be freed. */
static int sc_resize_spans(sc_spans *spans, int64_t capacity) {
    int column;
    void *grown;
    if ((uint64_t)capacity > SIZE_MAX / sizeof(int64_t)) return 0;
    for (column = 0; column < spans->columns; column++) {
        grown = realloc(spans->numbers[column], (size_t)capacity * sizeof(int64_t));
        if (grown == NULL) return 0;
        spans->numbers[column] = (int64_t *)grown;
    }
    grown = realloc(spans->oversized, (size_t)capacity);
    if (grown == NULL) return 0;
    spans->oversized = (uint8_t *)grown;
    spans->capacity = capacity;
    return 1;
}

static inline int sc_room_for_span(sc_spans *spans) {
    return spans->count < spans->capacity || sc_resize_spans(spans, spans->capacity ? spans->capacity * 2 : 16);
}

#endif
