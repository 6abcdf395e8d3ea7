/* Greedy packing of whole sentences (`_packing.py`), one sentence after the other, and the limits on a document.

   A chunk can begin at most sixteen sentences before the first uncovered one, so the starts of the last sentences in a
   ring are all that must be remembered: memory is the output, and nothing else grows with a document. */
#ifndef SENTCHUNK_PACK_H
#define SENTCHUNK_PACK_H

#include "measure.h"
#include "rows.h"
#include "segment.h"
#include "utf8.h"

enum sc_status {
    SC_OK,
    SC_NULL_TEXT,
    SC_INVALID_UTF8,
    SC_TEXT_BYTES,
    SC_SENTENCES,
    SC_OUTPUT_BYTES,
    SC_INVALID_DOC_TYPE /* of the type-aware chunker alone */
};

/* The parameters. A limit that is off is INT64_MAX, which no figure exceeds. */
typedef struct {
    int64_t max_size, overlap, max_text_bytes, max_sentences, max_output_bytes;
    int64_t echoed_bytes; /* of unit, max_size and overlap in the JSON form */
    int unit;
} sc_spec;

/* The JSON form, all but the values. */
#define SC_RESULT_BYTES \
    ((int64_t)sizeof("{'data_version':'unicode-17.0.0','unit':'','max_size':,'overlap':,'sentence_count':,'count':,'chunks':[]}") - 1)
#define SC_CHUNK_BYTES \
    ((int64_t)sizeof("{'text':'','start':,'end':,'size':,'first_sentence':,'sentence_count':,'oversized':}") - 1)
#define SC_LEAST_VALUES 9 /* five digits and `true` */
#define SC_MOST_VALUES 100 /* five numbers of 19 digits and `false` */

#define SC_RING 32 /* a power of two over the largest overlap */

typedef struct {
    const sc_spec *spec;
    sc_rows *rows;
    const uint8_t *text;
    int64_t size, document, offset; /* of the text in the column's data */
    int ascii;

    int64_t sentences;
    int64_t bytes, units; /* the end of the open chunk */
    int64_t ring_bytes[SC_RING], ring_units[SC_RING]; /* the starts of the last ones */

    int64_t first, start_bytes, start_units; /* the open chunk: its first sentence, and where that begins */
    int64_t chunks, text_bytes;              /* those closed, and the bytes of their texts */
    int64_t first_row;                       /* of this document */
    int64_t json_bytes;                      /* of the chunks closed, once they are known to be too many; else -1 */
    int uncounted;                           /* over max_sentences */
} sc_packer;

/* One chunk as JSON, with the comma before it for all but the first. */
static int64_t sc_chunk_json(const sc_packer *pack, int64_t index, int64_t start_bytes, int64_t end_bytes,
                             int64_t start, int64_t end, int64_t first, int64_t count) {
    int64_t size = end - start;
    return (index > 0) + SC_CHUNK_BYTES + sc_digits(start) + sc_digits(end) + sc_digits(size) + sc_digits(first) +
           sc_digits(count) + (size > pack->spec->max_size ? 4 : 5) + (end_bytes - start_bytes) +
           sc_escapes(pack->text, pack->size, start_bytes, end_bytes);
}

/* All chunks that the document has rows of, as JSON. */
static int64_t sc_rows_json(const sc_packer *pack) {
    int64_t total = 0, row;
    int64_t *const *numbers = pack->rows->numbers;
    for (row = pack->first_row; row < pack->rows->count; row++)
        total += sc_chunk_json(pack, row - pack->first_row, numbers[SC_BYTE_START][row] - pack->offset,
                               numbers[SC_BYTE_END][row] - pack->offset, numbers[SC_START][row],
                               numbers[SC_STOP][row], numbers[SC_FIRST_SENTENCE][row],
                               numbers[SC_SENTENCE_COUNT][row]);
    return total;
}

static inline void sc_drop_rows(sc_packer *pack) { pack->rows->count = pack->first_row; }

/* The rest of the result object, around the chunks. */
static inline int64_t sc_frame_json(const sc_packer *pack) {
    return SC_RESULT_BYTES + pack->spec->echoed_bytes + sc_digits(pack->sentences) + sc_digits(pack->chunks);
}

static inline void sc_write_row(sc_packer *pack, int64_t stop) {
    sc_rows *rows = pack->rows;
    int64_t row = rows->count++;
    rows->numbers[SC_DOCUMENT][row] = pack->document;
    rows->numbers[SC_CHUNK_INDEX][row] = pack->chunks;
    rows->numbers[SC_BYTE_START][row] = pack->offset + pack->start_bytes;
    rows->numbers[SC_BYTE_END][row] = pack->offset + pack->bytes;
    rows->numbers[SC_START][row] = pack->start_units;
    rows->numbers[SC_STOP][row] = pack->units;
    rows->numbers[SC_FIRST_SENTENCE][row] = pack->first;
    rows->numbers[SC_SENTENCE_COUNT][row] = stop - pack->first;
    rows->oversized[row] = pack->units - pack->start_units > pack->spec->max_size;
}

/* Close the open chunk before sentence `stop`. Returns 0 where memory is out.

   As soon as the document is over the output limit for certain its rows are dropped, and from there on only the figure is
   computed: a rejected document costs no memory beyond the limit. */
static inline int sc_close_chunk(sc_packer *pack, int64_t stop) {
    if (pack->json_bytes >= 0) {
        pack->json_bytes += sc_chunk_json(pack, pack->chunks, pack->start_bytes, pack->bytes, pack->start_units,
                                          pack->units, pack->first, stop - pack->first);
    } else {
        if (!sc_room_for_one(pack->rows)) return 0;
        sc_write_row(pack, stop);
    }
    pack->chunks++;
    pack->text_bytes += pack->bytes - pack->start_bytes;
    if (pack->json_bytes < 0 &&
        pack->text_bytes + pack->chunks * (SC_CHUNK_BYTES + SC_LEAST_VALUES) > pack->spec->max_output_bytes) {
        pack->json_bytes = sc_rows_json(pack);
        sc_drop_rows(pack);
    }
    return 1;
}

/* Start a chunk at the sentence from the last bound to `end`, with the most sentences before it that fit beside it. */
static inline void sc_open_chunk(sc_packer *pack, int64_t sentence, int64_t end_units) {
    int64_t most = pack->spec->overlap, place;
    pack->first = sentence;
    pack->start_bytes = pack->bytes;
    pack->start_units = pack->units;
    for (; most > 0 && pack->first > 0; most--) {
        place = (pack->first - 1) & (SC_RING - 1);
        if (end_units - pack->ring_units[place] > pack->spec->max_size) break;
        pack->first--;
        pack->start_bytes = pack->ring_bytes[place];
        pack->start_units = pack->ring_units[place];
    }
}

/* The status of a document whose sentences are all packed, and its figure. */
static enum sc_status sc_over_limit(sc_packer *pack, int64_t *figure) {
    int64_t limit = pack->spec->max_output_bytes, json = pack->json_bytes;
    if (pack->uncounted) {
        *figure = pack->sentences;
        return SC_SENTENCES;
    }
    if (json < 0) {
        /* No byte becomes more than six in JSON. Most documents are too small to need the exact figure. */
        int64_t most = 6 * pack->text_bytes + pack->chunks * (1 + SC_CHUNK_BYTES + SC_MOST_VALUES);
        if (most + sc_frame_json(pack) <= limit) return SC_OK;
        json = sc_rows_json(pack);
    }
    json += sc_frame_json(pack);
    if (json <= limit) return SC_OK;
    sc_drop_rows(pack);
    *figure = json;
    return SC_OUTPUT_BYTES;
}

/* What became of one document. */
typedef struct {
    int64_t figure, sentences;
    enum sc_status status;
} sc_outcome;

/* Over max_sentences: the rest of them is only counted. */
static void sc_count_sentences(sc_packer *pack, sc_scanner *scan, int64_t end) {
    pack->uncounted = 1;
    sc_drop_rows(pack);
    for (; end < pack->size; pack->sentences++) end = sc_next_end(scan);
}

/* Find and pack the sentences of a text that is UTF-8. Returns 0 where memory is out.

   What every sentence needs is in local variables; the packer is told where a chunk ends. */
static int sc_pack_sentences(sc_packer *pack) {
    const int64_t size = pack->size, max_size = pack->spec->max_size, max_sentences = pack->spec->max_sentences;
    const int unit = pack->ascii ? SC_UTF8 : pack->spec->unit, overlap = pack->spec->overlap > 0;
    int64_t sentence = 0, start = 0, start_units = 0, fits_until = -1, end, end_units;
    sc_scanner scan;
    sc_start_scan(&scan, pack->text, size, pack->ascii);
    for (; start < size; sentence++, start = end, start_units = end_units) {
        end = sc_next_end(&scan);
        if (sentence == max_sentences) {
            pack->sentences = sentence + 1;
            sc_count_sentences(pack, &scan, end);
            return 1;
        }
        end_units = start_units + sc_length(pack->text, size, start, end, unit);
        if (overlap) {
            pack->ring_bytes[sentence & (SC_RING - 1)] = start;
            pack->ring_units[sentence & (SC_RING - 1)] = start_units;
        }
        if (end_units <= fits_until) continue;
        pack->bytes = start;
        pack->units = start_units;
        if (sentence > 0 && !sc_close_chunk(pack, sentence)) return 0;
        sc_open_chunk(pack, sentence, end_units);
        fits_until = pack->start_units + max_size;
    }
    pack->sentences = sentence;
    pack->bytes = start;
    pack->units = start_units;
    return sentence == 0 || sc_close_chunk(pack, sentence);
}

/* Chunk the document `data[start:end]`: its rows are added, or it has none. Returns 0 where memory is out. */
static int sc_pack_document(const sc_spec *spec, sc_rows *rows, int64_t document, const uint8_t *data, int64_t start,
                            int64_t end, sc_outcome *outcome) {
    sc_packer pack = {0};
    outcome->status = SC_TEXT_BYTES;
    outcome->figure = end - start;
    outcome->sentences = 0;
    if (end - start > spec->max_text_bytes) return 1;
    pack.spec = spec;
    pack.rows = rows;
    pack.text = data + start;
    pack.size = end - start;
    pack.document = document;
    pack.offset = start;
    pack.first_row = rows->count;
    pack.json_bytes = -1;
    outcome->status = SC_INVALID_UTF8;
    outcome->figure = sc_first_invalid(pack.text, pack.size, &pack.ascii);
    if (outcome->figure >= 0) return 1;
    if (!sc_pack_sentences(&pack)) return 0;
    outcome->figure = 0;
    outcome->status = sc_over_limit(&pack, &outcome->figure);
    if (outcome->status == SC_OK) outcome->sentences = pack.sentences;
    return 1;
}

#endif
