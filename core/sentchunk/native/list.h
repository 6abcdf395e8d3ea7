/* A list of numbers that grows. */
#ifndef SENTCHUNK_LIST_H
#define SENTCHUNK_LIST_H

#include <stdint.h>
#include <stdlib.h>

typedef struct {
    int64_t *items;
    int64_t count, capacity;
} sc_list;

static int sc_resize_list(sc_list *list, int64_t capacity) {
    void *grown;
    if ((uint64_t)capacity > SIZE_MAX / sizeof(int64_t)) return 0;
    grown = realloc(list->items, (size_t)capacity * sizeof(int64_t));
    if (grown == NULL) return 0;
    list->items = (int64_t *)grown;
    list->capacity = capacity;
    return 1;
}

/* Whether there is room for so many more. */
static inline int sc_room(sc_list *list, int64_t more) {
    if (list->count + more <= list->capacity) return 1;
    return sc_resize_list(list, list->capacity * 2 > list->count + more ? list->capacity * 2 : list->count + more);
}

static inline int sc_append(sc_list *list, int64_t number) {
    if (!sc_room(list, 1)) return 0;
    list->items[list->count++] = number;
    return 1;
}

static inline void sc_free_list(sc_list *list) {
    free(list->items);
    list->items = NULL;
    list->count = list->capacity = 0;
}

#endif
