/* The kernel for processors with AVX2 (most of those since 2013 and 2015), beside the one that runs on all. */
#ifndef SENTCHUNK_WIDE_H
#define SENTCHUNK_WIDE_H

#include "pack.h"
#include "structure.h"

/* Only for compilers that can compile some functions for other processors than the rest. */
#if !defined(SC_NO_SIMD) && defined(__x86_64__) && defined(__GNUC__)
#define SC_HAS_WIDE
#endif

/* Whether what follows may be called on this machine. */
int sc_may_go_wide(void);

/* `sc_pack_document`, with AVX2. */
int sc_pack_document_wide(const sc_spec *spec, sc_rows *rows, int64_t document, const uint8_t *data, int64_t start,
                          int64_t end, sc_outcome *outcome);

/* `sc_chunk_document`, with AVX2. */
int sc_chunk_document_wide(sc_chunker *chunker, enum sc_kind kind);

#endif
