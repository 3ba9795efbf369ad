/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scratch: memory that a working thread reuses. Fresh memory costs more than reading a chunk into it, since the system
 * zeroes every page at its first touch.
 */
#include "util/util.h"

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
