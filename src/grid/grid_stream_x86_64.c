/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_stream_x86_64: writes that replace a cache line without reading it first, with instructions that every x86-64
 * has. Scattering runs into a large array is three to four times as fast with them.
 *
 * Only whole lines are written this way. The lines at the ends of a run are shared with its neighbours and written as
 * usual. They are prefetched a few runs ahead, so that the writes do not wait for them.
 */
#include "grid/grid_int.h"

#include <emmintrin.h>
#include <string.h>

enum {
    LINE = 64,
    AHEAD = 8, /* runs */
};

/* Prefetches a place. It may lie outside the array: a prefetch never faults. */
static inline void
ask_for(uintptr_t place)
{
    __builtin_prefetch((const void *)place, 1, 0);
}

static inline void
store_line(char *to, const char *from)
{
    __m128i v0 = _mm_loadu_si128((const __m128i *)(const void *)from);
    __m128i v1 = _mm_loadu_si128((const __m128i *)(const void *)(from + 16));
    __m128i v2 = _mm_loadu_si128((const __m128i *)(const void *)(from + 32));
    __m128i v3 = _mm_loadu_si128((const __m128i *)(const void *)(from + 48));

    _mm_stream_si128((__m128i *)(void *)to, v0);
    _mm_stream_si128((__m128i *)(void *)(to + 16), v1);
    _mm_stream_si128((__m128i *)(void *)(to + 32), v2);
    _mm_stream_si128((__m128i *)(void *)(to + 48), v3);
}

/* nbytes must be at least LINE. */
static void
stream_run(char *dst, const char *src, size_t nbytes, ptrdiff_t next)
{
    size_t    head = (size_t) - (uintptr_t)dst % LINE, tail = (nbytes - head) % LINE;
    uintptr_t ahead = (uintptr_t)dst + AHEAD * (uintptr_t)next;

    if (head > 0) {
        ask_for(ahead);
        memcpy(dst, src, head);
    }
    if (tail > 0) {
        ask_for(ahead + nbytes - 1);
        memcpy(dst + nbytes - tail, src + nbytes - tail, tail);
    }
    for (size_t at = head; at < nbytes - tail; at += LINE)
        store_line(dst + at, src + at);
}

void
ncz_grid_stream(const ncz_runs *r, size_t nbytes)
{
    for (size_t row = 0; row < r->rows; row++)
        stream_run(r->dst + (ptrdiff_t)row * r->dst_row, r->src + (ptrdiff_t)row * r->src_row, nbytes, r->dst_row);
}

void
ncz_grid_stream_end(void)
{
    _mm_sfence();
}
