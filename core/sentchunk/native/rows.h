/* The chunks of all documents, in growing columns: eight of numbers and one of flags. */
#ifndef SENTCHUNK_ROWS_H
#define SENTCHUNK_ROWS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum sc_column {
    SC_DOCUMENT,
    SC_CHUNK_INDEX,
    SC_BYTE_START,
    SC_BYTE_END,
    SC_START,
    SC_STOP,
    SC_FIRST_SENTENCE,
    SC_SENTENCE_COUNT,
    SC_NUMBERS
};

typedef struct {
    int64_t *numbers[SC_NUMBERS];
    uint8_t *oversized;
    int64_t count, capacity;
} sc_rows;

static inline void sc_free_rows(sc_rows *rows) {
    int column;
    for (column = 0; column < SC_NUMBERS; column++) free(rows->numbers[column]);
    free(rows->oversized);
    memset(rows, 0, sizeof *rows);
}

/* Whether the columns now have room for `capacity` rows. If not, they are as they were, and still to be freed. */
static int sc_resize_rows(sc_rows *rows, int64_t capacity) {
    int column;
    void *grown;
    if ((uint64_t)capacity > SIZE_MAX / sizeof(int64_t)) return 0;
    for (column = 0; column < SC_NUMBERS; column++) {
        grown = realloc(rows->numbers[column], (size_t)capacity * sizeof(int64_t));
        if (grown == NULL) return 0;
        rows->numbers[column] = (int64_t *)grown;
    }
    grown = realloc(rows->oversized, (size_t)capacity);
    if (grown == NULL) return 0;
    rows->oversized = (uint8_t *)grown;
    rows->capacity = capacity;
    return 1;
}

static inline int sc_room_for_one(sc_rows *rows) {
    return rows->count < rows->capacity || sc_resize_rows(rows, rows->capacity ? rows->capacity * 2 : 16);
}

#endif
