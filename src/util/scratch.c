/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scratch: memory that a working thread reuses. Fresh memory costs more than reading a chunk into it, since the system
 * zeroes every page at its first touch.
 */
#include "util/util.h"

#include <stdatomic.h>

enum { KEPT = 16, CACHE_LINE = 64 };

#define BYTES_KEPT ((size_t)32 << 20) /* larger buffers are freed after use */

/* What is kept for callers of the pool; each worker has its own. */
typedef struct kept_scratch {
    _Alignas(CACHE_LINE) ncz_scratch scratch; /* first: it is what callers have */
    atomic_bool taken;
} kept_scratch;

static kept_scratch kept[KEPT];

static _Thread_local unsigned last; /* the one that this thread had */

void *
ncz_scratch_room(ncz_scratch *s, ncz_scratch_use use, size_t nbytes)
{
    ncz_buf *b = &s->bufs[use];

    ncz_buf_reset(b);
    if (b->cap < nbytes || b->data == NULL) { /* not realloc, which would copy the contents */
        ncz_buf_clear(b);
        if ((b->data = ncz_alloc(nbytes)) == NULL) {
            (void)ncz_fail_nomem(nbytes);
            return NULL;
        }
        b->cap = nbytes != 0 ? nbytes : 1;
    }
    return b->data;
}

ncz_buf *
ncz_scratch_buf(ncz_scratch *s, ncz_scratch_use use, size_t limit)
{
    ncz_buf *b = &s->bufs[use];

    ncz_buf_reset(b);
    b->limit = limit;
    return b;
}

void
ncz_scratch_trim(ncz_scratch *s, size_t most)
{
    for (size_t i = 0; i < NCZ_LEN(s->bufs); i++)
        if (s->bufs[i].cap > most)
            ncz_buf_clear(&s->bufs[i]);
}

void
ncz_scratch_clear(ncz_scratch *s)
{
    ncz_scratch_trim(s, 0);
}

static bool
take_kept(unsigned i)
{
    return !atomic_load_explicit(&kept[i].taken, memory_order_relaxed) && !atomic_exchange(&kept[i].taken, true);
}

ncz_scratch *
ncz_scratch_take(ncz_scratch *own, unsigned most)
{
    if (take_kept(last))
        return &kept[last].scratch;
    for (unsigned i = 0; i < KEPT && i < most; i++)
        if (take_kept(i)) {
            last = i;
            return &kept[i].scratch;
        }
    *own = NCZ_SCRATCH_INIT;
    return own;
}

void
ncz_scratch_give(ncz_scratch *s, ncz_scratch *own)
{
    if (s == own) {
        ncz_scratch_clear(own);
        return;
    }
    ncz_scratch_trim(s, BYTES_KEPT);
    atomic_store(&((kept_scratch *)s)->taken, false);
}

void
ncz_scratch_free_kept(void)
{
    for (unsigned i = 0; i < KEPT; i++)
        if (take_kept(i)) {
            ncz_scratch_clear(&kept[i].scratch);
            atomic_store(&kept[i].taken, false);
        }
}
