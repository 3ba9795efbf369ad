/* SPDX-License-Identifier: BSD-3-Clause */
/* shard_row: a row of shards of Zarr v3 for tests, on a map that counts operations. */
#ifndef SHARD_ROW_H
#define SHARD_ROW_H

#include "toy_shard.h"

#include <stdlib.h>

#include "chunk/chunk_int.h"
#include "filter/chain_v3_int.h"

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};
static const int32_t   minus_one = -1;

static inline void
share(ncz_spec *s, const uint64_t *object, const ncz_shard_layout *layout)
{
    toy_share(s, object, &toy_end);
    s->object_ops = &ncz_shard_ops;
    s->shard_layout = *layout;
    s->object_layout = &s->shard_layout;
}

/* A row of shards. */
typedef struct row {
    zmap_fault_plan plan; /* counts operations */
    zmap           *m;
    ncz_engine     *e;
    ncz_spec       *s;
    uint64_t        size;
} row;

static inline void
row_init(row *r, bool far, size_t cache, uint64_t chunk, uint64_t chunks, uint64_t size, const char *codec)
{
    *r = (row){.size = size};
    r->m = test_map(far, &r->plan);
    r->e = test_engine(r->m, cache);
    r->s = test_spec(1, &chunk, i4, &minus_one, codec);
    share(r->s, &chunks, &(ncz_shard_layout){.big = false});
}

static inline void
row_clear(row *r)
{
    ncz_engine_free(r->e);
    ncz_spec_unref(r->s);
    assert_int_equal(zmap_close(r->m, ZMAP_KEEP), NC_NOERR);
}

/* Element i is i + add. */
static inline void
put_row(row *r, uint64_t at, uint64_t n, int add)
{
    int     *v = malloc(n * sizeof *v);
    request  q = test_request(1, &at, &n);
    ncz_plan p = test_plan(r->s, &r->size, &q, NC_INT);

    for (uint64_t i = 0; i < n; i++)
        v[i] = (int)(at + i) + add;
    assert_int_equal(ncz_engine_write(r->e, &p, v), NC_NOERR);
    free(v);
}

static inline int
read_row(row *r, uint64_t at, uint64_t n, int *v)
{
    request  q = test_request(1, &at, &n);
    ncz_plan p = test_plan(r->s, &r->size, &q, NC_INT);

    return ncz_engine_read(r->e, &p, v);
}

static inline void
expect_row(row *r, uint64_t at, uint64_t n, int add)
{
    int *v = malloc(n * sizeof *v);

    assert_int_equal(read_row(r, at, n, v), NC_NOERR);
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(v[i], (int)(at + i) + add);
    free(v);
}

static inline size_t
operations(row *r)
{
    size_t n = r->plan.seen;

    r->plan.seen = 0;
    return n;
}

#endif /* SHARD_ROW_H */
