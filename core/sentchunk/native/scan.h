/* 64 bytes at a time: one bit for each byte that is of the kind asked for.

   Four ways to fill the bits: AVX2 where wide.c asks for it, SSE2 (every x86-64), NEON (every 64-bit ARM), and 8-byte
   integers elsewhere. All of them are exact, read little-endian, and never touch a byte outside the text. */
#ifndef SENTCHUNK_SCAN_H
#define SENTCHUNK_SCAN_H

#include <stdint.h>
#include <string.h>

#include "properties.h"

#if defined(SC_AVX2)
#include <immintrin.h>
#elif !defined(SC_NO_SIMD) && (defined(__SSE2__) || defined(_M_X64))
#define SC_SSE2
#include <emmintrin.h>
#elif !defined(SC_NO_SIMD) && (defined(__aarch64__) || defined(_M_ARM64))
#define SC_NEON
#include <arm_neon.h>
#endif

#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
#include <intrin.h>
#endif

#define SC_BLOCK 64

/* A vector of bytes; of a test's result, all bits (SIMD) or the highest bit (integers) of each byte that passes. */
#if defined(SC_AVX2)

typedef __m256i sc_vec;
#define SC_WIDTH 32

static inline sc_vec sc_load(const uint8_t *bytes) { return _mm256_loadu_si256((const __m256i *)bytes); }
static inline sc_vec sc_or(sc_vec a, sc_vec b) { return _mm256_or_si256(a, b); }
static inline sc_vec sc_is(sc_vec v, uint8_t byte) { return _mm256_cmpeq_epi8(v, _mm256_set1_epi8((char)byte)); }
static inline sc_vec sc_from(sc_vec v, uint8_t least) {
    return _mm256_cmpeq_epi8(_mm256_max_epu8(v, _mm256_set1_epi8((char)least)), v);
}
/* From `least` to `most`, both ASCII. */
static inline sc_vec sc_within(sc_vec v, uint8_t least, uint8_t most) {
    sc_vec above = _mm256_sub_epi8(v, _mm256_set1_epi8((char)least));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(above, _mm256_set1_epi8((char)(most - least))), above);
}
static inline sc_vec sc_continues(sc_vec v) { return _mm256_cmpgt_epi8(_mm256_set1_epi8(-64), v); }
static inline uint64_t sc_bits(const sc_vec *passed) {
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(passed[0]) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(passed[1]) << 32;
}
/* By its lower four bits each byte is compared with the one of them that has these, or for 0 with what it is not. */
static inline sc_vec sc_is_ascii_ender(sc_vec v) {
    const sc_vec enders = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(1, '!', 0, 0, 0, 0, 0, 0, 0, 0, '\n', 0, 0, '\r', '.', '?'));
    return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(enders, v), v);
}

#elif defined(SC_SSE2)

typedef __m128i sc_vec;
#define SC_WIDTH 16

static inline sc_vec sc_load(const uint8_t *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }
static inline sc_vec sc_or(sc_vec a, sc_vec b) { return _mm_or_si128(a, b); }
static inline sc_vec sc_is(sc_vec v, uint8_t byte) { return _mm_cmpeq_epi8(v, _mm_set1_epi8((char)byte)); }
static inline sc_vec sc_from(sc_vec v, uint8_t least) {
    return _mm_cmpeq_epi8(_mm_max_epu8(v, _mm_set1_epi8((char)least)), v);
}
static inline sc_vec sc_within(sc_vec v, uint8_t least, uint8_t most) {
    sc_vec above = _mm_sub_epi8(v, _mm_set1_epi8((char)least));
    return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8((char)(most - least))), above);
}
/* 0x80 to 0xBF, as signed bytes the lowest. */
static inline sc_vec sc_continues(sc_vec v) { return _mm_cmplt_epi8(v, _mm_set1_epi8(-64)); }
static inline uint64_t sc_bits(const sc_vec *passed) {
    return (uint64_t)(uint16_t)_mm_movemask_epi8(passed[0]) |
           (uint64_t)(uint16_t)_mm_movemask_epi8(passed[1]) << 16 |
           (uint64_t)(uint16_t)_mm_movemask_epi8(passed[2]) << 32 |
           (uint64_t)(uint16_t)_mm_movemask_epi8(passed[3]) << 48;
}

#elif defined(SC_NEON)

typedef uint8x16_t sc_vec;
#define SC_WIDTH 16

static inline sc_vec sc_load(const uint8_t *bytes) { return vld1q_u8(bytes); }
static inline sc_vec sc_or(sc_vec a, sc_vec b) { return vorrq_u8(a, b); }
static inline sc_vec sc_is(sc_vec v, uint8_t byte) { return vceqq_u8(v, vdupq_n_u8(byte)); }
static inline sc_vec sc_from(sc_vec v, uint8_t least) { return vcgeq_u8(v, vdupq_n_u8(least)); }
static inline sc_vec sc_within(sc_vec v, uint8_t least, uint8_t most) {
    return vcleq_u8(vsubq_u8(v, vdupq_n_u8(least)), vdupq_n_u8((uint8_t)(most - least)));
}
static inline sc_vec sc_continues(sc_vec v) { return vcltq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(-64)); }

/* Each byte keeps the bit of its place among eight; three rounds of adding neighbours gather them. */
static inline uint64_t sc_bits(const sc_vec *passed) {
    static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t place = vld1q_u8(places);
    uint8x16_t low = vpaddq_u8(vandq_u8(passed[0], place), vandq_u8(passed[1], place));
    uint8x16_t high = vpaddq_u8(vandq_u8(passed[2], place), vandq_u8(passed[3], place));
    uint8x16_t all = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

#else

typedef uint64_t sc_vec;
#define SC_WIDTH 8
#define SC_EACH 0x0101010101010101u
#define SC_LOW7 (SC_EACH * 0x7F)
#define SC_TOP (SC_EACH * 0x80)

/* Written out so that the first byte is the lowest on every machine; compilers make one load of it. */
static inline sc_vec sc_load(const uint8_t *bytes) {
    uint64_t value = 0;
    int i;
    for (i = 0; i < 8; i++) value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}
static inline sc_vec sc_or(sc_vec a, sc_vec b) { return a | b; }
static inline sc_vec sc_is(sc_vec v, uint8_t byte) {
    v ^= SC_EACH * byte;
    return ~(((v & SC_LOW7) + SC_LOW7) | v) & SC_TOP;
}
/* No sum of seven bits and at most 0x80 carries into the next byte. */
static inline sc_vec sc_from(sc_vec v, uint8_t least) {
    uint64_t low_reaches = (v & SC_LOW7) + SC_EACH * (uint64_t)(0x80 - (least & 0x7F));
    return (least & 0x80 ? low_reaches & v : low_reaches | v) & SC_TOP;
}
static inline sc_vec sc_within(sc_vec v, uint8_t least, uint8_t most) {
    return sc_from(v, least) & ~sc_from(v, (uint8_t)(most + 1));
}
static inline sc_vec sc_continues(sc_vec v) { return v & ~(v << 1) & SC_TOP; }
static inline uint64_t sc_bits(const sc_vec *passed) {
    uint64_t bits = 0;
    int i;
    for (i = 0; i < 8; i++) bits |= ((passed[i] >> 7) * 0x0102040810204080u >> 56) << 8 * i;
    return bits;
}

#endif

#if !defined(SC_AVX2)
static inline sc_vec sc_is_ascii_ender(sc_vec v) {
    sc_vec terms = sc_or(sc_is(v, '.'), sc_or(sc_is(v, '!'), sc_is(v, '?')));
    return sc_or(terms, sc_or(sc_is(v, '\n'), sc_is(v, '\r')));
}
#endif

#define SC_VECS (SC_BLOCK / SC_WIDTH)

typedef struct {
    sc_vec part[SC_VECS];
} sc_block;

/* The 64 bytes from `at`; those beyond the end of the text are zeros. */
static inline sc_block sc_block_at(const uint8_t *text, int64_t size, int64_t at) {
    uint8_t padded[SC_BLOCK];
    const uint8_t *bytes = text + at;
    sc_block block;
    int i;
    if (size - at < SC_BLOCK) {
        memset(padded, 0, SC_BLOCK);
        memcpy(padded, bytes, (size_t)(size - at));
        bytes = padded;
    }
    for (i = 0; i < SC_VECS; i++) block.part[i] = sc_load(bytes + i * SC_WIDTH);
    return block;
}

/* Whether the highest bit of any byte is set. */
static inline int sc_any(sc_vec v) {
#if defined(SC_AVX2)
    return _mm256_movemask_epi8(v) != 0;
#elif defined(SC_SSE2)
    return _mm_movemask_epi8(v) != 0;
#elif defined(SC_NEON)
    return vmaxvq_u8(v) >= 0x80;
#else
    return (v & SC_TOP) != 0;
#endif
}

static inline uint64_t sc_bits_is(const sc_block *block, uint8_t byte) {
    sc_block passed;
    int i;
    for (i = 0; i < SC_VECS; i++) passed.part[i] = sc_is(block->part[i], byte);
    return sc_bits(passed.part);
}

/* The continuation bytes of UTF-8. */
static inline uint64_t sc_bits_continue(const sc_block *block) {
    sc_block passed;
    int i;
    for (i = 0; i < SC_VECS; i++) passed.part[i] = sc_continues(block->part[i]);
    return sc_bits(passed.part);
}

/* The bytes that are `least` or more. */
static inline uint64_t sc_bits_from(const sc_block *block, uint8_t least) {
    sc_block passed;
    int i;
    for (i = 0; i < SC_VECS; i++) passed.part[i] = sc_from(block->part[i], least);
    return sc_bits(passed.part);
}

/* The first bytes of multi-byte characters among which some can end a sentence. Latin and Cyrillic have but one of them,
   the least, and a text that has one block of those has many. */
static inline uint64_t sc_bits_leads(const sc_block *block) {
    sc_block leads;
    sc_vec later = sc_from(block->part[0], SC_LEAST_LATER_LEAD);
    int i;
    for (i = 1; i < SC_VECS; i++) later = sc_or(later, sc_from(block->part[i], SC_LEAST_LATER_LEAD));
    for (i = 0; i < SC_VECS; i++) leads.part[i] = sc_is(block->part[i], SC_LEAST_LEAD);
    if (sc_any(later)) {
        for (i = 0; i < SC_VECS; i++) {
            sc_vec bytes = block->part[i], found = leads.part[i];
#define SC_OR_LEAD(lead) found = sc_or(found, sc_is(bytes, lead));
            SC_FOR_EACH_LATER_LEAD(SC_OR_LEAD)
#undef SC_OR_LEAD
            leads.part[i] = found;
        }
    }
    return sc_bits(leads.part);
}

/* The bytes where something that can end a sentence may begin: in ASCII exactly, else by the first byte. LF straight after
   CR or a terminator is left out, for it belongs to that (SB3, SB11). */
static inline uint64_t sc_bits_enders(const sc_block *block, int ascii) {
    sc_block enders;
    uint64_t found, feeds = sc_bits_is(block, '\n');
    int i;
    for (i = 0; i < SC_VECS; i++) enders.part[i] = sc_is_ascii_ender(block->part[i]);
    found = sc_bits(enders.part);
    found &= ~(feeds & (found & ~feeds) << 1);
    return ascii ? found : found | sc_bits_leads(block);
}

static inline int sc_is_ascii(const sc_block *block) {
    sc_vec all = block->part[0];
    int i;
    for (i = 1; i < SC_VECS; i++) all = sc_or(all, block->part[i]);
    return !sc_any(all);
}

/* The bits below `place`, which is 0 to 64. */
static inline uint64_t sc_below(int64_t place) {
    return place >= SC_BLOCK ? ~(uint64_t)0 : ((uint64_t)1 << place) - 1;
}

static inline int64_t sc_count(uint64_t bits) {
#if defined(SC_AVX2)
    return (int64_t)_mm_popcnt_u64(bits);
#else /* the processors that every x86-64 wheel must run on have no instruction for it */
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int64_t)(bits * 0x0101010101010101u >> 56);
#endif
}

/* The place of the lowest bit; there must be one. */
static inline int sc_lowest(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(bits);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long place;
    _BitScanForward64(&place, bits);
    return (int)place;
#else
    return (int)sc_count((bits & (0 - bits)) - 1);
#endif
}

#endif
