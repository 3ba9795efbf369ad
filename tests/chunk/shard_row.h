/* SPDX-License-Identifier: BSD-3-Clause */
/* shard_row: a row of shards of Zarr v3 for tests, on a map that counts operations. */
#ifndef SHARD_ROW_H
#define SHARD_ROW_H

#include "toy_shard.h"

#include <stdlib.h>

#include "chunk/chunk_engine.h"
#include "filter/chain_v3_int.h"

static const ncz_dtype i4 = {NCZ_KIND_INT, HOST_BIG, 4};
static const int32_t   minus_one = -1;

/* Zarr's shards, under the keys of these tests. */
typedef struct shards_layout {
    ncz_layout       base;
    ncz_shard_layout shard;
} shards_layout;

static inline ncz_shard_layout *
shard_of(const ncz_spec *s)
{
    return &((shards_layout *)s->layout)->shard;
}

static inline bool
shard_needs(const ncz_layout *l, size_t *nbytes, bool *at_end)
{
    return ncz_shard_index_range(&((const shards_layout *)l)->shard, l->nslots, nbytes, at_end);
}

static inline int
shard_learn(const ncz_layout *l, const void *index, size_t nbytes, ncz_slot *slots)
{
    return ncz_shard_parse_index(&((const shards_layout *)l)->shard, index, nbytes, slots, l->nslots);
}

static inline int
shard_assemble(const ncz_layout *l, const ncz_slot_bytes *parts, ncz_buf *out)
{
    return ncz_shard_assemble(&((const shards_layout *)l)->shard, parts, l->nslots, out);
}

static inline int
shard_make_index(const ncz_layout *l, const ncz_slot_bytes *parts, ncz_buf *out)
{
    return ncz_shard_make_index(&((const shards_layout *)l)->shard, parts, l->nslots, out);
}

static inline int
shard_place_index(const ncz_layout *l, const ncz_slot *slots, ncz_buf *out)
{
    return ncz_shard_place_index(&((const shards_layout *)l)->shard, slots, l->nslots, out);
}

static const ncz_layout_ops shards_ops = {.name = "shards",
                                          .locate = toy_locate,
                                          .needs = shard_needs,
                                          .learn = shard_learn,
                                          .assemble = shard_assemble,
                                          .make_index = shard_make_index,
                                          .place_index = shard_place_index};

static inline void
share(ncz_spec *s, const uint64_t *object, const ncz_shard_layout *layout)
{
    share_objects(s, object, &shards_ops, sizeof(shards_layout));
    *shard_of(s) = *layout;
}

/* Tells how many chunks each dimension of the array has. */
static inline void
set_extent(ncz_spec *s, const uint64_t *extent)
{
    ncz_layout_shape shape = {
        .rank = s->rank, .path = s->path, .object = s->layout->object, .nslots = s->layout->nslots, .extent = extent};
    ncz_shard_layout shard = *shard_of(s);
    ncz_layout      *old = s->layout;

    assert_int_equal(ncz_layout_new(&shards_ops, sizeof(shards_layout), &shape, &s->layout), NC_NOERR);
    *shard_of(s) = shard;
    ncz_layout_unref(old);
}

/* Puts, gets and flushes at random; what is got is as in `a`. */
static inline void
random_steps(ncz_engine *e, ncz_spec *spec, plain *a, uint64_t *seed)
{
    static double v[MAX_ELEMS];

    for (int step = 0; step < 30; step++) {
        request  r = random_request(a->rank, a->shape, seed);
        ncz_plan p = test_plan(spec, a->shape, &r, NC_DOUBLE);
        bool     fill = rnd(seed, 3) == 0;

        if (rnd(seed, 8) == 0)
            assert_int_equal(ncz_engine_flush(e, 0), NC_NOERR);
        if (rnd(seed, 2) == 0) {
            assert_int_equal(ncz_engine_read(e, &p, v), NC_NOERR);
            assert_true(plain_same(a, &r, v));
            continue;
        }
        for (size_t i = 0; i < r.nelems; i++)
            v[i] = fill ? -1.0 : (double)rnd(seed, 1000);
        assert_int_equal(ncz_engine_write(e, &p, v), NC_NOERR);
        plain_put(a, &r, v);
        assert_true(e->cells.cache.used <= e->cells.cache.limit || ncz_engine_dirty(e));
    }
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

/* All objects of a store, to be compared with those of another. */
typedef struct stored {
    zmap   *m;
    ncz_buf text; /* their keys, and bytes */
    size_t  n;
} stored;

static inline int
note_object(const char *key, uint64_t size, void *arg)
{
    stored *s = arg;

    (void)size;
    s->n++;
    assert_int_equal(ncz_buf_printf(&s->text, "%s:", strchr(key, '/')), NC_NOERR); /* each array has another name */
    return zmap_get(s->m, key, &s->text);
}

static inline stored
take_stored(row *r)
{
    stored s = {.m = r->m, .text = NCZ_BUF_INIT};

    assert_int_equal(zmap_walk(r->m, "", note_object, &s), NC_NOERR);
    return s;
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
