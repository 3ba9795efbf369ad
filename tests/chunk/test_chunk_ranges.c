/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of large chunks that are stored as they are, read by several workers: a part that is worth it is shared among
 * them, and every element comes from where it should. What goes to the map is counted.
 */
#include "chunk_test.h"
#include "chunk/chunk_engine.h"

enum { SIDE = 64, BYTES = SIDE * SIDE * SIDE * 4 };

static const uint64_t  chunk[3] = {SIDE, SIDE, SIDE}, shape[3] = {100, SIDE, SIDE};
static const zmap_ops *inner;
static atomic_int      nbatches;
static int             bad; /* which batch fails; 0: none */

typedef struct large large;
static void          put_all_again(const large *l);
static const large  *put_after; /* the one to whose chunk other values are put after the first batch; or NULL */

static int
counted_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    int at = atomic_fetch_add(&nbatches, 1) + 1;

    if (at != bad) {
        int rc = inner->get(m, reqs, n, done, arg);

        if (at == 1 && put_after != NULL)
            put_all_again(put_after);
        return rc;
    }
    for (size_t i = 0; i < n; i++)
        ncz_err_save(&reqs[i].err, ncz_fail(NC_EIO, "batch %d", at));
    return NC_EIO;
}

struct large {
    zmap       *map;
    zmap_ops    ops;
    ncz_engine *e;
    ncz_spec   *spec;
};

/* Two chunks, the second half outside of the array. */
static void
large_begin(large *l, bool fortran, bool stored)
{
    int32_t *data = malloc((size_t)shape[0] * SIDE * SIDE * sizeof *data), fill = -7;
    request  all = test_request(3, (uint64_t[3]){0, 0, 0}, shape);
    ncz_plan p;

    l->map = test_map(false, NULL);
    l->spec = test_spec(3, chunk, (ncz_dtype){NCZ_KIND_INT, HOST_BIG, 4}, &fill, NULL);
    set_fortran(l->spec, fortran);
    l->e = test_engine(l->map, 4 * BYTES);
    for (int32_t i = 0; i < (int32_t)shape[0] * SIDE * SIDE; i++)
        data[i] = i;
    p = test_plan(l->spec, shape, &all, NC_INT);
    if (stored)
        assert_int_equal(ncz_engine_write(l->e, &p, data), NC_NOERR);
    free(data);
    assert_int_equal(ncz_engine_flush(l->e, 0), NC_NOERR);
    ncz_engine_forget(l->e, 0);
    inner = l->map->ops;
    l->ops = *inner;
    l->ops.get = counted_get;
    l->map->ops = &l->ops;
    bad = 0;
    put_after = NULL;
    atomic_store(&nbatches, 0);
}

static void
large_end(large *l)
{
    l->map->ops = inner;
    ncz_engine_free(l->e);
    ncz_spec_unref(l->spec);
    assert_int_equal(zmap_close(l->map, ZMAP_KEEP), NC_NOERR);
}

static int
read_request(const large *l, const request *r, bool absent)
{
    ncz_plan p = test_plan(l->spec, shape, r, NC_INT);
    int32_t *got = malloc(r->nelems * sizeof *got);
    int      rc = ncz_engine_read(l->e, &p, got);

    for (size_t i = 0; rc == NC_NOERR && i < r->nelems; i++) {
        size_t z = i / (size_t)(r->count[1] * r->count[2]), y = i / (size_t)r->count[2] % (size_t)r->count[1];
        size_t x = i % (size_t)r->count[2], at;

        at = (size_t)(r->start[0] + z * r->stride[0]) * SIDE;
        at = (at + (size_t)(r->start[1] + y * r->stride[1])) * SIDE + (size_t)(r->start[2] + x * r->stride[2]);
        assert_int_equal(got[i], absent ? -7 : (int32_t)at);
    }
    free(got);
    return rc;
}

TEST(one_part_many_workers)
{
    large   l;
    request box = test_request(3, (uint64_t[3]){3, 5, 7}, (uint64_t[3]){32, 32, 32});
    request few = test_request(3, (uint64_t[3]){3, 5, 7}, (uint64_t[3]){2, 2, 2});

    large_begin(&l, false, true);
    ncz_pool_set_threads(1);
    assert_int_equal(read_request(&l, &box, false), NC_NOERR);
    assert_int_equal(nbatches, 1);
    large_end(&l);

    large_begin(&l, false, true);
    ncz_pool_set_threads(4);
    assert_int_equal(read_request(&l, &few, false), NC_NOERR); /* not worth it */
    assert_int_equal(nbatches, 1);
    assert_int_equal(read_request(&l, &box, false), NC_NOERR);
    assert_in_range(nbatches, 3, 9);
    large_end(&l);
}

/* As another thread's put, which counts. The new values are all 5. */
static void
put_all_again(const large *l)
{
    int32_t *data = malloc(BYTES);
    char     key[64];

    for (size_t i = 0; i < BYTES / sizeof *data; i++)
        data[i] = 5;
    snprintf(key, sizeof key, "%s/0.0.0", l->spec->path);
    (void)pthread_mutex_lock(&l->e->cells.lock);
    l->e->writes++;
    (void)pthread_mutex_unlock(&l->e->cells.lock);
    assert_int_equal(zmap_put(l->map, key, data, BYTES), NC_NOERR);
    free(data);
}

TEST(one_worker_reads_a_part_again_whose_chunk_was_put_meanwhile)
{
    large    l;
    request  box = test_request(3, (uint64_t[3]){3, 5, 7}, (uint64_t[3]){32, 32, 32});
    int32_t *got = malloc(box.nelems * sizeof *got);
    ncz_plan p;

    large_begin(&l, false, true);
    p = test_plan(l.spec, shape, &box, NC_INT);
    put_after = &l;
    ncz_pool_set_threads(4);
    assert_int_equal(ncz_engine_read(l.e, &p, got), NC_NOERR);
    for (size_t i = 0; i < box.nelems; i++)
        assert_int_equal(got[i], 5);
    assert_in_range(nbatches, 3, 9); /* the last one alone */
    put_after = NULL;
    free(got);
    large_end(&l);
}

/* Boxes, planes, strides; both orders of a chunk's elements. */
TEST(every_element)
{
    uint64_t seed = 7;

    for (int fortran = 0; fortran < 2; fortran++) {
        for (unsigned threads = 2; threads < 6; threads += 3) {
            large l;

            large_begin(&l, fortran != 0, true);
            ncz_pool_set_threads(threads);
            for (int i = 0; i < 60; i++) {
                request r = random_request(3, shape, &seed);

                assert_int_equal(read_request(&l, &r, false), NC_NOERR);
                if (i % 3 == 0)
                    ncz_engine_forget(l.e, 0); /* else all is in the cache soon */
            }
            large_end(&l);
        }
    }
}

TEST(nothing_there)
{
    large   l;
    request box = test_request(3, (uint64_t[3]){50, 5, 7}, (uint64_t[3]){32, 32, 32});
    int     before;

    large_begin(&l, false, false);
    ncz_pool_set_threads(4);
    assert_int_equal(read_request(&l, &box, true), NC_NOERR);
    before = nbatches;
    assert_int_equal(read_request(&l, &box, true), NC_NOERR); /* that is remembered */
    assert_int_equal(nbatches, before);
    large_end(&l);
}

/* A range that fails is asked for again with the whole chunk; when that fails too, so does the call. */
TEST(a_bad_part)
{
    large   l;
    request box = test_request(3, (uint64_t[3]){3, 5, 7}, (uint64_t[3]){32, 32, 32});
    char    key[32];

    large_begin(&l, false, true);
    ncz_pool_set_threads(4);
    bad = 2;
    assert_int_equal(read_request(&l, &box, false), NC_NOERR);
    snprintf(key, sizeof key, "%s/0.0.0", l.spec->path);
    assert_int_equal(zmap_put(l.map, key, "short", 5), NC_NOERR);
    ncz_engine_forget(l.e, 0);
    bad = 0;
    assert_int_equal(read_request(&l, &box, false), NC_ETRUNC);
    assert_non_null(strstr(ncz_err_text(), key));
    large_end(&l);
}
