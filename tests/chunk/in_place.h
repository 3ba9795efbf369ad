/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An array of 32-bit integers whose chunks are ranges of one object, "file", which are put in place.
 */
#ifndef NCZ_TESTS_CHUNK_IN_PLACE_H
#define NCZ_TESTS_CHUNK_IN_PLACE_H

#include "chunk_test.h"

#include "chunk/chunk_engine.h"

#include <errno.h>

typedef struct in_place {
    zmap_fault_plan plan;
    zmap           *m;
    ncz_engine     *e;
    ncz_spec       *s;
} in_place;

/* One dimension, in chunks of so many elements, which lie where `ops` says. */
static inline ncz_spec *
in_place_spec(const ncz_layout_ops *ops, uint64_t chunk, const int32_t *fill)
{
    const ncz_dtype  i4 = {NCZ_KIND_INT, HOST_BIG, 4};
    ncz_layout_shape shape = {.rank = 1, .path = "v"};
    ncz_spec        *s = test_spec(1, &chunk, i4, fill, NULL);

    ncz_layout_unref(s->layout);
    assert_int_equal(ncz_layout_new(ops, sizeof(ncz_layout), &shape, &s->layout), NC_NOERR);
    return s;
}

/* With a file of `nbytes` bytes that all are `byte`. */
static inline void
in_place_init(in_place *w, ncz_spec *s, int byte, size_t nbytes)
{
    char *bytes = malloc(nbytes);

    assert_non_null(bytes);
    memset(bytes, byte, nbytes);
    *w = (in_place){.s = s};
    w->m = test_map(false, &w->plan);
    w->e = test_engine(w->m, 1 << 20);
    ncz_engine_in_place(w->e);
    assert_int_equal(zmap_put(w->m, "file", bytes, nbytes), NC_NOERR);
    free(bytes);
    w->plan.seen = 0;
}

static inline void
in_place_clear(in_place *w)
{
    ncz_engine_free(w->e);
    ncz_spec_unref(w->s);
    assert_int_equal(zmap_close(w->m, ZMAP_KEEP), NC_NOERR);
}

/* Puts `count` elements of the array of `size`; they wait in the cache. */
static inline void
in_place_put(in_place *w, uint64_t size, uint64_t start, uint64_t count, const int32_t *values)
{
    request  r = test_request(1, &start, &count);
    ncz_plan p = test_plan(w->s, &size, &r, NC_INT);

    assert_int_equal(ncz_engine_write(w->e, &p, values), NC_NOERR);
}

/* Flushes, with a failure of the n-th request. */
static inline void
in_place_fail_flush(in_place *w, size_t nth)
{
    w->plan.seen = 0;
    w->plan.nth = nth;
    w->plan.kind = ZMAP_FAULT_FAIL;
    w->plan.code = ENOSPC;
    assert_int_equal(ncz_engine_flush(w->e, 0), ENOSPC);
    w->plan.nth = 0;
}

#endif /* NCZ_TESTS_CHUNK_IN_PLACE_H */
