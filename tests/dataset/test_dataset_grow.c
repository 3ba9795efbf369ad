/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Growth starts from fill: what a writer that died left beyond the recorded length never comes back as data. The dead
 * writer stores its chunks, and no document.
 */
#include "dataset_test.h"
#include "zmap/zmap_mem.h"
#include "support/zmap_fault.h"

#include "dataset/dataset_int.h"

enum { CHUNK = 4, DEAD = 19 };

static int recorded = 6; /* records that the documents know of */

static const int unwritten = NC_FILL_INT;

/* v and w along one unlimited dimension, with `recorded` records each; v with one below a group, too. */
static zmap *
make_dataset(void)
{
    const uint64_t chunk = CHUNK;
    zmap          *map = NULL;
    ncz_dataset   *ds = NULL;
    ncz_dim       *t = NULL;
    ncz_group     *g = NULL;
    ncz_var       *v[3];
    int            i[DEAD];

    for (int k = 0; k < recorded; k++)
        i[k] = k;
    OK(zmap_mem_open(&map));
    OK(ncz_dataset_create_map(map, NULL, NC_CLOBBER, NULL, &ds));
    OK(def_dim(ds, "t", 0, &t));
    OK(def_group(ds, "g", &g));
    OK(def_var(ds, NULL, "v", 1, &t, &v[0]));
    OK(def_var(ds, NULL, "w", 1, &t, &v[1]));
    OK(def_var(ds, g, "v", 1, &t, &v[2]));
    for (int k = 0; k < 3; k++) {
        OK(ncz_var_set_chunks(ds->model, v[k], NC_CHUNKED, &chunk));
        OK(put(ds, v[k], 0, recorded, i));
    }
    OK(end(ds));
    return map;
}

static ncz_dataset *
open_for_writing(zmap *map)
{
    ncz_dataset *ds = NULL;

    OK(ncz_dataset_open_map(map, NULL, NC_WRITE, NULL, &ds));
    return ds;
}

/* Stores records `recorded` to DEAD - 1 of each variable, and nothing about them. */
static void
die_after_chunks(zmap *map)
{
    ncz_dataset *ds = open_for_writing(map);
    int          i[DEAD];

    for (int k = 0; k < DEAD - recorded; k++)
        i[k] = 1000 + k;
    OK(put(ds, var(ds, "/", "v"), recorded, DEAD - recorded, i));
    OK(put(ds, var(ds, "/", "w"), recorded, DEAD - recorded, i));
    OK(put(ds, var(ds, "/g", "v"), recorded, DEAD - recorded, i));
    OK(ncz_engine_flush(ds->engine, 0));
    OK(ncz_dataset_abort(ds));
    ncz_dataset_free(ds);
}

static bool
has_object(zmap *map, const char *key)
{
    uint64_t len;

    return zmap_len(map, key, &len) == NC_NOERR;
}

/* Records are their own numbers up to `recorded`; `at` (if within n) holds 77; all others were never written. */
static void
check_records(ncz_dataset *ds, const char *group, const char *name, int n, int at)
{
    int got[2 * DEAD];

    (void)model_of(ds);
    OK(get(ds, var(ds, group, name), 0, (uint64_t)n, got));
    for (int k = 0; k < n; k++)
        assert_int_equal(got[k], k < recorded ? k : k == at ? 77 : unwritten);
}

/* One record is put at `at`; all that became reachable reads as fill, now and later. */
static void
grow_by_put(int at)
{
    zmap        *map = make_dataset();
    ncz_dataset *ds;
    const int    x = 77;

    die_after_chunks(map);
    assert_true(has_object(map, "v/4") && has_object(map, "g/v/4")); /* the dead writer did store */
    ds = open_for_writing(map);
    OK(put(ds, var(ds, "/", "v"), (uint64_t)at, 1, &x));
    for (int again = 0; again < 2; again++) {
        check_records(ds, "/", "v", at + 1, at);
        check_records(ds, "/", "w", at + 1, -1);
        check_records(ds, "/g", "v", at + 1, -1);
        OK(end(ds));
        ds = again == 0 ? open_for_writing(map) : NULL;
    }
    assert_false(has_object(map, "w/4") || has_object(map, "g/v/2"));
    OK(zmap_close(map, ZMAP_KEEP));
}

TEST(put_beyond)
{
    grow_by_put(recorded);     /* in the chunk that the length ends in */
    grow_by_put(recorded + 1); /* the same, after a gap */
    grow_by_put(9);
    grow_by_put(DEAD - 1);
    grow_by_put(DEAD + 5);
}

/* The length ends where a chunk does: the next one is beyond it as a whole. */
TEST(put_beyond_whole_chunks)
{
    recorded = 2 * CHUNK;
    grow_by_put(recorded);
    grow_by_put(recorded + 1);
    grow_by_put(DEAD - 1);
    recorded = 6;
}

TEST(length_alone)
{
    zmap        *map = make_dataset();
    ncz_dataset *ds;

    die_after_chunks(map);
    ds = open_for_writing(map);
    OK(ncz_dataset_begin(ds, NCZ_USE_PUT_ALONE));
    OK(ncz_dataset_end(ds, NCZ_USE_PUT_ALONE, ncz_dataset_grow_dim(ds, ds->model->dims[0], DEAD)));
    check_records(ds, "/", "v", DEAD, -1);
    check_records(ds, "/", "w", DEAD, -1);
    OK(end(ds));
    OK(zmap_close(map, ZMAP_KEEP));
}

/* What this session wrote beyond the old length stays, however often it grows, with a sync in between. */
TEST(own_records_stay)
{
    zmap        *map = make_dataset();
    ncz_dataset *ds;
    int          got[DEAD];

    die_after_chunks(map);
    ds = open_for_writing(map);
    for (int k = recorded; k < DEAD; k++) {
        const int x = k;

        OK(put(ds, var(ds, "/", "v"), (uint64_t)k, 1, &x));
        if (k % 5 == 0)
            OK(ncz_dataset_sync(ds));
    }
    OK(get(ds, var(ds, "/", "v"), 0, DEAD, got));
    for (int k = 0; k < DEAD; k++)
        assert_int_equal(got[k], k);
    check_records(ds, "/", "w", DEAD, -1);
    OK(end(ds));
    OK(zmap_close(map, ZMAP_KEEP));
}

/* A put that fails half-way leaves chunks beyond the length, too: of this very session. */
TEST(failed_put)
{
    zmap           *map = make_dataset(), *faulty = NULL;
    zmap_fault_plan plan = {.nth = 0};
    ncz_dataset    *ds;
    int             i[DEAD];
    const int       x = 77;

    for (int k = 0; k < DEAD; k++)
        i[k] = 5000 + k;
    OK(zmap_fault_open(map, &plan, &faulty));
    ds = open_for_writing(faulty);
    OK(ncz_dataset_begin(ds, NCZ_USE_PUT_ALONE)); /* clears; then nothing but the put is counted */
    OK(ncz_dataset_end(ds, NCZ_USE_PUT_ALONE, ncz_dataset_clear_beyond(ds, ds->model->dims[0])));
    plan = (zmap_fault_plan){.nth = 3, .forever = true, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
    assert_int_equal(put(ds, var(ds, "/", "v"), recorded, DEAD, i), NC_EIO);
    plan = (zmap_fault_plan){.nth = 0};
    assert_true(has_object(map, "v/2") || has_object(map, "v/3") || has_object(map, "v/4"));
    OK(put(ds, var(ds, "/", "v"), recorded + DEAD, 1, &x));
    check_records(ds, "/", "v", recorded + DEAD + 1, recorded + DEAD);
    OK(end(ds));
    OK(zmap_close(faulty, ZMAP_KEEP));
}

/* Lists once in a session, and not at all where the dataset was made by it or nothing grows. */
TEST(growth_lists_keys_once_in_a_session)
{
    zmap        *map = make_dataset();
    ncz_dataset *ds = open_for_writing(map);
    zmap_stats   before, after;
    const int    x = 1;

    OK(ncz_dataset_stats(ds, &before));
    OK(put(ds, var(ds, "/", "v"), 0, 1, &x));
    OK(ncz_dataset_stats(ds, &after));
    assert_int_equal(after.lists, before.lists);
    for (uint64_t k = recorded; k < DEAD; k++)
        OK(put(ds, var(ds, "/", "v"), k, 1, &x));
    OK(ncz_dataset_stats(ds, &after));
    assert_int_equal(after.lists, before.lists + 3); /* one for each variable along the dimension */
    OK(end(ds));
    OK(zmap_close(map, ZMAP_KEEP));
}
