/* The same code once more, compiled for AVX2. */
#if !defined(SC_NO_SIMD) && defined(__x86_64__) && defined(__GNUC__)
#define SC_AVX2
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif
#endif

#include "wide.h"

int sc_pack_document_wide(const sc_spec *spec, sc_rows *rows, int64_t document, const uint8_t *data, int64_t start,
                          int64_t end, sc_outcome *outcome) {
    return sc_pack_document(spec, rows, document, data, start, end, outcome);
}

int sc_chunk_document_wide(sc_chunker *chunker, enum sc_kind kind) { return sc_chunk_document(chunker, kind); }

/* What asks must run everywhere. */
#if defined(SC_HAS_WIDE)
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

int sc_may_go_wide(void) {
#if defined(SC_HAS_WIDE)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
#else
    return 0;
#endif
}
