/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_copy: copies runs of elements; those of 2, 4 or 8 bytes with byte swap, too.
 *
 * Loads and stores use memcpy, so any alignment is fine, and compilers make single moves of them. The packed loops
 * are separate so that compilers can vectorise them.
 */
#include "grid/grid_int.h"

#include <string.h>

enum { WIDE_LEAST = 8 }; /* elements, for which a call is worth while */

#define SAME(x) (x)

#define LOOP(type, turn, ss, ds)                                                                                     \
    for (size_t i = 0; i < n; i++) {                                                                                 \
        type v;                                                                                                      \
                                                                                                                     \
        memcpy(&v, src + (ptrdiff_t)i * (ptrdiff_t)(ss), sizeof v);                                                  \
        v = turn(v);                                                                                                 \
        memcpy(dst + (ptrdiff_t)i * (ptrdiff_t)(ds), &v, sizeof v);                                                  \
    }

#define COPY(name, type, turn)                                                                                       \
    static void name(const char *restrict src, ptrdiff_t ss, char *restrict dst, ptrdiff_t ds, size_t n)             \
    {                                                                                                                \
        ptrdiff_t item = (ptrdiff_t)sizeof(type);                                                                    \
                                                                                                                     \
        if (ss == item && ds == item) {                                                                              \
            LOOP(type, turn, sizeof(type), sizeof(type))                                                             \
        } else if (ds == item) {                                                                                     \
            LOOP(type, turn, ss, sizeof(type))                                                                       \
        } else {                                                                                                     \
            LOOP(type, turn, ss, ds)                                                                                 \
        }                                                                                                            \
    }

COPY(copy1, uint8_t, SAME)
COPY(copy2, uint16_t, SAME)
COPY(copy4, uint32_t, SAME)
COPY(copy8, uint64_t, SAME)
COPY(swap2, uint16_t, __builtin_bswap16)
COPY(swap4, uint32_t, __builtin_bswap32)
COPY(swap8, uint64_t, __builtin_bswap64)

/* Elements of any other size (opaque ones), which have no byte order. */
static void
copy_any(const char *src, ptrdiff_t ss, char *dst, ptrdiff_t ds, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        memcpy(dst + (ptrdiff_t)i * ds, src + (ptrdiff_t)i * ss, size);
}

void
ncz_grid_copy(const char *src, ptrdiff_t ss, char *dst, ptrdiff_t ds, size_t n, size_t size, bool swap)
{
    if (!swap && ss == (ptrdiff_t)size && ds == (ptrdiff_t)size) {
        memcpy(dst, src, n * size);
        return;
    }
    if (swap && ss == (ptrdiff_t)size && ds == (ptrdiff_t)size && n >= WIDE_LEAST && size <= 8 && size > 1) {
        size_t done = ncz_vector_swap(src, dst, n * size, size);

        src += done;
        dst += done;
        n -= done / size;
    }
    switch (size) {
    case 1: copy1(src, ss, dst, ds, n); break;
    case 2: (swap ? swap2 : copy2)(src, ss, dst, ds, n); break;
    case 4: (swap ? swap4 : copy4)(src, ss, dst, ds, n); break;
    case 8: (swap ? swap8 : copy8)(src, ss, dst, ds, n); break;
    default: copy_any(src, ss, dst, ds, n, size);
    }
}
