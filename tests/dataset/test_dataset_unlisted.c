/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores that cannot list, as web servers are: the stored chunks and objects of a variable are those that a list finds,
 * and a dataset that is copied object by object is whole. Variables with many more chunks than can be asked for are
 * refused.
 */
#include "dataset_test.h"

#include "open/open_int.h"
#include "support/store_help.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_ops.h"

/* ---- a store without lists ---- */

typedef struct unlisted_map {
    zmap  base;
    zmap *inner;
} unlisted_map;

static int
get_unlisted(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    return zmap_get_batch(((unlisted_map *)m)->inner, reqs, n, done, arg);
}

static int
close_unlisted(zmap *m, zmap_end how)
{
    int rc = zmap_close(((unlisted_map *)m)->inner, how);

    free(m);
    return rc;
}

static const zmap_ops unlisted_ops = {.name = "unlisted", .get = get_unlisted, .close = close_unlisted};

static zmap *
new_unlisted(zmap *inner)
{
    unlisted_map  *m = calloc(1, sizeof *m);
    const unsigned kept = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END;

    assert_non_null(m);
    *m = (unlisted_map){.base = {.ops = &unlisted_ops, .caps = zmap_caps_of(inner) & kept, .refs = 1}};
    m->inner = zmap_ref(inner);
    return &m->base;
}

/* ---- a dataset: /row in chunks of three, two of which are stored, /one a scalar, /g/none without chunks ---- */

enum { LEN = 40, CHUNK = 3, IN_SHARD = 2 };

static void
set_layout(ncz_dataset *ds, ncz_var *v, bool sharded)
{
    const uint64_t chunk = CHUNK, shard = CHUNK * IN_SHARD;
    ncz_model     *m = ncz_dataset_model(ds);

    OK(ncz_dataset_begin(ds, NCZ_USE_DEFINE));
    OK(ncz_var_set_chunks(m, v, NC_CHUNKED, &chunk));
    OK(ncz_dataset_end(ds, NCZ_USE_DEFINE, sharded ? ncz_var_set_shards(m, v, &shard) : NC_NOERR));
}

static zmap *
make_dataset(const char *mode, bool sharded)
{
    const int    three[] = {1, 2, 3}, last = 9, one = 5;
    ncz_dataset *ds = NULL;
    ncz_dim     *x = NULL;
    ncz_group   *g = NULL;
    ncz_var     *row = NULL, *single = NULL, *none = NULL;
    zmap        *map = NULL;

    OK(zmap_mem_open(&map));
    OK(ncz_dataset_create_map(map, mode, NC_CLOBBER, NULL, &ds));
    OK(def_dim(ds, "x", LEN, &x));
    OK(def_var(ds, NULL, "row", 1, &x, &row));
    set_layout(ds, row, sharded);
    OK(def_var(ds, NULL, "one", 0, NULL, &single));
    OK(def_group(ds, "g", &g));
    OK(def_var(ds, g, "none", 1, &x, &none));
    OK(put_att(ds, "version", 7));
    OK(put(ds, row, 0, 3, three));
    OK(put(ds, row, LEN - 1, 1, &last));
    OK(put(ds, single, 0, 1, &one));
    OK(end(ds));
    return map;
}

static ncz_dataset *
open_dataset(zmap *map)
{
    ncz_dataset *ds = NULL;

    OK(ncz_dataset_open_map(map, NULL, NC_NOWRITE, NULL, &ds));
    assert_int_equal(att(ds, "version"), 7);
    return ds;
}

/* ---- what is stored ---- */

static int
compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* The indices of the stored chunks of a variable of one dimension, or none; in order. */
static void
expect_chunks(ncz_dataset *ds, ncz_var *v, size_t n, const uint64_t *want)
{
    ncz_stored_chunks found = {.index = NULL};

    OK(ncz_dataset_begin(ds, NCZ_USE_LOOK));
    OK(ncz_dataset_use_var(ds, v));
    OK(ncz_dataset_end(ds, NCZ_USE_LOOK, ncz_dataset_list_chunks(ds, v, &found)));
    assert_int_equal(found.n, n);
    if (n > 0) {
        qsort(found.index, n, sizeof *found.index, compare_numbers);
        assert_memory_equal(found.index, want, n * sizeof *want);
    }
    ncz_stored_chunks_clear(&found);
}

static void
expect_objects(ncz_dataset *ds, ncz_var *v, size_t n, const uint64_t *want)
{
    uint64_t *index = NULL;
    size_t    found = 0;

    OK(ncz_dataset_begin(ds, NCZ_USE_LOOK));
    OK(ncz_dataset_use_var(ds, v));
    OK(ncz_dataset_end(ds, NCZ_USE_LOOK, ncz_dataset_list_objects(ds, v, &index, &found)));
    assert_int_equal(found, n);
    if (n > 0) {
        qsort(index, n, sizeof *index, compare_numbers);
        assert_memory_equal(index, want, n * sizeof *want);
    }
    ncz_free(index);
}

static void
check_stored(ncz_dataset *ds, bool sharded)
{
    const uint64_t last = LEN / CHUNK, chunks[] = {0, last}, zero = 0;
    const uint64_t objects[] = {0, sharded ? last / IN_SHARD * IN_SHARD : last}; /* by their first chunks */

    expect_chunks(ds, var(ds, "/", "row"), 2, chunks);
    expect_objects(ds, var(ds, "/", "row"), 2, objects);
    expect_chunks(ds, var(ds, "/", "one"), 1, &zero);
    expect_objects(ds, var(ds, "/", "one"), 1, &zero);
    expect_chunks(ds, var(ds, "/g", "none"), 0, NULL);
    expect_objects(ds, var(ds, "/g", "none"), 0, NULL);
}

static void
check_values(ncz_dataset *ds)
{
    int row[LEN] = {0}, one = 0;

    OK(get(ds, var(ds, "/", "row"), 0, LEN, row));
    assert_true(row[0] == 1 && row[1] == 2 && row[2] == 3 && row[3] == NC_FILL_INT && row[LEN - 1] == 9);
    OK(get(ds, var(ds, "/", "one"), 0, 1, &one));
    assert_int_equal(one, 5);
}

static int
count_objects(const char *key, uint64_t size, void *arg)
{
    (void)key, (void)size;
    ++*(int *)arg;
    return 0;
}

typedef struct kind {
    const char *mode;
    bool        sharded;
} kind;

static const kind kinds[] = {
    {"mode=nczarr", false}, {"mode=nczarr,consolidated", false}, {"mode=nczarr,v3", false}, {"mode=nczarr,v3", true}};

TEST(finds_what_a_list_finds)
{
    for (size_t i = 0; i < NCZ_LEN(kinds); i++) {
        zmap        *map = make_dataset(kinds[i].mode, kinds[i].sharded), *unlisted = new_unlisted(map);
        ncz_dataset *ds = open_dataset(map);

        check_stored(ds, kinds[i].sharded);
        OK(end(ds));
        ds = open_dataset(unlisted);
        check_stored(ds, kinds[i].sharded);
        check_values(ds);
        OK(end(ds));
        OK(zmap_close(unlisted, ZMAP_KEEP));
        OK(zmap_close(map, ZMAP_KEEP));
    }
}

TEST(copies_object_by_object)
{
    for (size_t i = 0; i < NCZ_LEN(kinds); i++) {
        zmap        *map = make_dataset(kinds[i].mode, kinds[i].sharded), *unlisted = new_unlisted(map), *copy = NULL;
        ncz_target  *t = NULL;
        ncz_dataset *ds;
        int          objects = 0, copied = 0;

        OK(ncz_target_parse("unlisted.zarr", false, &t));
        OK(zmap_mem_open(&copy));
        OK(ncz_unlisted_copy(unlisted, t, &ncz_limits_default, copy));
        OK(zmap_walk(map, "", count_objects, &objects));
        OK(zmap_walk(copy, "", count_objects, &copied));
        assert_int_equal(copied, objects);
        ds = open_dataset(copy);
        check_stored(ds, kinds[i].sharded);
        check_values(ds);
        OK(end(ds));
        ncz_target_free(t);
        OK(zmap_close(copy, ZMAP_KEEP));
        OK(zmap_close(unlisted, ZMAP_KEEP));
        OK(zmap_close(map, ZMAP_KEEP));
    }
}

TEST(nothing_there_is_an_error)
{
    zmap       *map = NULL, *unlisted, *copy = NULL;
    ncz_target *t = NULL;

    OK(zmap_mem_open(&map));
    OK(zmap_mem_open(&copy));
    unlisted = new_unlisted(map);
    OK(ncz_target_parse("unlisted.zarr", false, &t));
    assert_int_equal(ncz_unlisted_copy(unlisted, t, &ncz_limits_default, copy), NC_ENOTNC);
    expect_list(copy, "", "");
    ncz_target_free(t);
    OK(zmap_close(unlisted, ZMAP_KEEP));
    OK(zmap_close(copy, ZMAP_KEEP));
    OK(zmap_close(map, ZMAP_KEEP));
}

TEST(too_many_to_ask_for)
{
    const uint64_t    chunk = 1;
    ncz_stored_chunks found = {.index = NULL};
    ncz_dataset      *ds = NULL;
    ncz_dim          *x = NULL;
    ncz_var          *v = NULL;
    zmap             *map = NULL, *unlisted;

    OK(zmap_mem_open(&map));
    OK(ncz_dataset_create_map(map, "mode=nczarr", NC_CLOBBER, NULL, &ds));
    OK(def_dim(ds, "x", UINT64_C(1) << 30, &x));
    OK(def_var(ds, NULL, "v", 1, &x, &v));
    OK(ncz_dataset_begin(ds, NCZ_USE_DEFINE));
    OK(ncz_dataset_end(ds, NCZ_USE_DEFINE, ncz_var_set_chunks(ncz_dataset_model(ds), v, NC_CHUNKED, &chunk)));
    OK(put_att(ds, "version", 7));
    OK(end(ds));

    unlisted = new_unlisted(map);
    ds = open_dataset(unlisted);
    OK(ncz_dataset_begin(ds, NCZ_USE_LOOK));
    v = var(ds, "/", "v");
    OK(ncz_dataset_use_var(ds, v));
    assert_int_equal(ncz_dataset_list_chunks(ds, v, &found), NC_ENOTBUILT);
    assert_int_equal(ncz_dataset_end(ds, NCZ_USE_LOOK, NC_NOERR), NC_NOERR);
    assert_int_equal(found.n, 0);
    OK(end(ds));
    OK(zmap_close(unlisted, ZMAP_KEEP));
    OK(zmap_close(map, ZMAP_KEEP));
}
