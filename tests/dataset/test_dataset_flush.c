/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of a flush and of a rename, through a map that fails: cut off after any operation (as a crash would),
 * what stands in the map must be the old dataset or the new one, or at least open and hold nothing wrong; after a
 * single failure the same dataset must be able to go on and commit.
 */
#include "dataset_test.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_ops.h"
#include "support/zmap_fault.h"

#include "dataset/dataset_int.h"

/* Variables with what they must hold in full: i -> base + i. */
enum { LEN = 6 };

static int
fill_var(ncz_dataset *ds, ncz_var *v, int base, int n)
{
    int data[32];

    for (int i = 0; i < n; i++)
        data[i] = base + i;
    return put(ds, v, 0, (uint64_t)n, data);
}

#define TRY(call)                                                                                                    \
    do {                                                                                                             \
        if ((rc = (call)) != NC_NOERR)                                                                               \
            return rc;                                                                                               \
    } while (0)

/* A first version: x, t, /a (base 100), /g/b (base 200), /grows (base 300, 3 long), attribute `version` 1. */
static int
make(ncz_dataset *ds)
{
    ncz_dim   *x = NULL, *t = NULL;
    ncz_group *g = NULL;
    ncz_var   *a = NULL, *b = NULL, *grows = NULL;
    int        rc;

    TRY(def_dim(ds, "x", LEN, &x));
    TRY(def_dim(ds, "t", 0, &t));
    TRY(def_group(ds, "g", &g));
    TRY(def_var(ds, NULL, "a", 1, &x, &a));
    TRY(def_var(ds, g, "b", 1, &x, &b));
    TRY(def_var(ds, NULL, "grows", 1, &t, &grows));
    TRY(put_att(ds, "version", 1));
    TRY(fill_var(ds, a, 100, LEN));
    TRY(fill_var(ds, b, 200, LEN));
    TRY(fill_var(ds, grows, 300, 3));
    return NC_NOERR;
}

/* What a later session does to it. */
typedef int (*change_fn)(ncz_dataset *ds);

static int
nothing(ncz_dataset *ds)
{
    (void)ds;
    return NC_NOERR;
}

static int
redefine(ncz_dataset *ds)
{
    ncz_dim *y = NULL, *x = ncz_model_dim_at(ncz_dataset_model(ds), "/x");
    ncz_var *c = NULL;
    int      rc;

    if (x == NULL) /* the variable that names it could not be read */
        return NC_EIO;
    TRY(put_att(ds, "version", 2));
    TRY(def_dim(ds, "y", 9, &y));
    TRY(def_var(ds, NULL, "c", 1, &x, &c));
    TRY(fill_var(ds, c, 400, LEN));
    return NC_NOERR;
}

static int
grow(ncz_dataset *ds)
{
    return fill_var(ds, var(ds, "/", "grows"), 300, 8);
}

static int
rename_var(ncz_dataset *ds)
{
    int rc;

    TRY(ncz_dataset_begin(ds, NCZ_USE_CHANGE));
    return ncz_dataset_end(ds, NCZ_USE_CHANGE, ncz_dataset_rename_var(ds, var(ds, "/", "a"), "renamed"));
}

static int
rename_group(ncz_dataset *ds)
{
    ncz_group *g = ncz_model_group_at(ncz_dataset_model(ds), "/g");
    int        rc;

    if (g == NULL) /* its document could not be read */
        return NC_EIO;
    TRY(ncz_dataset_begin(ds, NCZ_USE_CHANGE));
    return ncz_dataset_end(ds, NCZ_USE_CHANGE, ncz_dataset_rename_group(ds, g, "h"));
}

/* Every variable that is listed holds what it should; returns how many were seen. `torn`: a put failed, and some of
 * its data may be fill. */
static size_t
check_values(ncz_dataset *ds, bool torn)
{
    static const struct {
        const char *name;
        int         base;
    } known[] = {{"a", 100}, {"renamed", 100}, {"b", 200}, {"grows", 300}, {"c", 400}};
    ncz_model *m = model_of(ds);
    size_t     seen = 0;

    for (ncz_group *g = ncz_model_next_group(m, NULL); g != NULL; g = ncz_model_next_group(m, g))
        for (size_t i = 0; i < g->nvars; i++)
            for (size_t k = 0; k < NCZ_LEN(known); k++) {
                ncz_var *v = g->vars[i];
                int      data[32];

                if (strcmp(v->name, known[k].name) != 0)
                    continue;
                assert_true(v->dims[0]->len <= 8);
                OK(get(ds, v, 0, v->dims[0]->len, data));
                for (int e = 0; e < (int)v->dims[0]->len; e++)
                    if (!(torn && data[e] == NC_FILL_INT))
                        assert_int_equal(data[e], known[k].base + e);
                seen++;
            }
    return seen;
}

/* What stands in the map: 0 nothing that opens, else the number of variables, all of them right. `torn`: see above. */
static size_t
examine_torn(zmap *map, bool torn)
{
    ncz_dataset *ds = NULL;
    size_t       seen;
    int          rc = ncz_dataset_open_map(map, NULL, NC_NOWRITE, NULL, &ds);

    if (rc == NC_ENOTNC)
        return 0;
    OK(rc);
    seen = check_values(ds, torn);
    OK(end(ds));
    return seen;
}

static size_t
examine(zmap *map)
{
    return examine_torn(map, false);
}

/* A session: create or open through a map with a fault, change, close. */
static int
session(zmap *inner, zmap_fault_plan *plan, const char *mode, bool create, change_fn change)
{
    ncz_dataset *ds = NULL;
    zmap        *map = NULL;
    int          rc, closed;

    OK(zmap_fault_open(zmap_ref(inner), plan, &map));
    rc = create ? ncz_dataset_create_map(map, mode, NC_CLOBBER, NULL, &ds)
                : ncz_dataset_open_map(map, mode, NC_WRITE, NULL, &ds);
    if (rc == NC_NOERR) {
        rc = change(ds);
        closed = end(ds);
        rc = rc != NC_NOERR ? rc : closed;
    }
    (void)zmap_close(map, ZMAP_KEEP);
    return rc;
}

static zmap *
fresh_map(const char *mode)
{
    zmap           *map = NULL;
    zmap_fault_plan none = {.nth = 0};

    OK(zmap_mem_open(&map));
    if (mode != NULL)
        OK(session(map, &none, mode, true, make));
    return map;
}

static const char *const modes[] = {"mode=nczarr", "mode=zarr", "mode=nczarr,consolidated"};

TEST(a_new_dataset_appears_whole)
{
    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        bool appeared = false;

        for (size_t n = 1; !appeared || n < 12; n++) {
            zmap_fault_plan plan = {.nth = n, .forever = true, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
            zmap           *map = fresh_map(NULL);
            int             rc = session(map, &plan, modes[m], true, make);
            size_t          seen = examine_torn(map, rc != NC_NOERR);
            zmap_fault_plan none = {.nth = 0};

            assert_true(seen == 0 ||
                        seen == 3); /* nothing, or all definitions; values that were not stored are fill */
            if (rc == NC_NOERR) {
                assert_int_equal(seen, 3);
                appeared = true;
            } else {
                assert_int_equal(rc, NC_EIO);
            }
            OK(session(map, &none, modes[m], true, make)); /* the same call works, whatever it left */
            assert_int_equal(examine(map), 3);
            assert_int_equal(zmap_len(map, ".nczarr-writer", NULL), NC_EEMPTY);
            OK(zmap_close(map, ZMAP_KEEP));
            assert_true(n < 1000);
        }
    }
}

/* What is defined is there as soon as define mode is left, by a call or by the first put; what is put later is too. */
TEST(definitions_are_stored_when_they_are_final)
{
    for (int put = 0; put < 2; put++) {
        zmap        *map = NULL;
        ncz_dataset *ds = NULL;
        ncz_dim     *x = NULL;
        ncz_var     *a = NULL, *late = NULL;
        zmap_stats   before, after;

        OK(zmap_mem_open(&map));
        OK(ncz_dataset_create_map(map, "mode=nczarr", NC_CLOBBER, NULL, &ds));
        OK(def_dim(ds, "x", LEN, &x));
        OK(def_var(ds, NULL, "a", 1, &x, &a));
        assert_int_equal(examine(map), 0);
        OK(put ? fill_var(ds, a, 100, LEN) : ncz_dataset_enddef(ds, &(ncz_file_room){.align = 0}));
        assert_int_equal(examine_torn(map, true), 1);
        OK(def_var(ds, NULL, "b", 1, &x, &late));
        OK(put ? ncz_dataset_enddef(ds, &(ncz_file_room){.align = 0}) : fill_var(ds, late, 200, LEN));
        assert_int_equal(examine_torn(map, true), put ? 2 : 1); /* a put stores documents only the first time */
        OK(ncz_dataset_sync(ds));
        zmap_stats_of(map, &before);
        OK(ncz_dataset_sync(ds)); /* none is put twice */
        zmap_stats_of(map, &after);
        assert_int_equal(after.puts, before.puts);
        OK(end(ds));
        assert_int_equal(examine_torn(map, true), 2);
        OK(zmap_close(map, ZMAP_KEEP));
    }
}

/* Until it is committed a new dataset goes with an abort, and a renamed variable leaves nothing under its old name. */
TEST(an_abort_removes_what_was_defined)
{
    ncz_dataset *ds = NULL;
    ncz_dim     *x = NULL;
    ncz_var     *a = NULL;
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    zmap        *map = NULL;
    bool         empty = false;

    OK(zmap_mem_open(&map));
    OK(ncz_dataset_create_map(map, "mode=nczarr", NC_CLOBBER, NULL, &ds));
    OK(def_dim(ds, "x", LEN, &x));
    OK(def_var(ds, NULL, "a", 1, &x, &a));
    OK(fill_var(ds, a, 100, LEN));
    OK(rename_var(ds));
    assert_int_equal(examine_torn(map, true), 1);
    OK(ncz_key_list_walk(map, "a", &keys));
    assert_int_equal(keys.n, 0);
    OK(ncz_dataset_abort(ds));
    ncz_dataset_free(ds);
    OK(ncz_owner_store_empty(map, &empty));
    assert_true(empty);
    OK(zmap_close(map, ZMAP_KEEP));
}

static void
cut_off(change_fn change, size_t least)
{
    for (size_t m = 0; m < NCZ_LEN(modes); m++) {
        bool done = false;

        for (size_t n = 1; !done; n++) {
            zmap_fault_plan plan = {.nth = n, .forever = true, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
            zmap           *map = fresh_map(modes[m]);

            /* A document that cannot be read costs a variable, and no failure. */
            done = session(map, &plan, NULL, false, change) == NC_NOERR && plan.seen < n;
            assert_true(examine(map) >= least);
            OK(zmap_close(map, ZMAP_KEEP));
            assert_true(n < 1000);
        }
    }
}

TEST(a_crash_leaves_old_or_new)
{
    cut_off(nothing, 3);
    cut_off(redefine, 3);
    cut_off(grow, 3);
    cut_off(rename_var, 3);
    cut_off(rename_group, 3);
}

/* One operation fails and no other: the dataset itself goes on. */
static void
go_on(change_fn change)
{
    bool done = false;

    for (size_t n = 1; !done; n++) {
        zmap_fault_plan plan = {.nth = n, .kind = ZMAP_FAULT_FAIL, .code = NC_EIO};
        zmap           *inner = fresh_map("mode=nczarr"), *map = NULL;
        ncz_dataset    *ds = NULL;
        int             rc;

        OK(zmap_fault_open(zmap_ref(inner), &plan, &map));
        /* A failed sync would be final: that is another test. */
        if (ncz_dataset_open_map(map, "durability=none", NC_WRITE, NULL, &ds) == NC_NOERR) {
            rc = change(ds);
            if (rc == NC_NOERR)
                rc = ncz_dataset_sync(ds);
            done = rc == NC_NOERR && plan.seen < n;
            plan.nth = 0;
            OK(ncz_dataset_sync(ds)); /* what failed is tried again */
            OK(put_att(ds, "late", 1));
            OK(end(ds));
            OK(ncz_dataset_open_map(inner, NULL, NC_NOWRITE, NULL, &ds));
            assert_true(check_values(ds, rc != NC_NOERR) >= 3);
            assert_int_equal(att(ds, "late"), 1);
            OK(end(ds));
        }
        OK(zmap_close(map, ZMAP_KEEP));
        OK(zmap_close(inner, ZMAP_KEEP));
        assert_true(n < 1000);
    }
}

TEST(a_failure_is_survived)
{
    go_on(redefine);
    go_on(grow);
    go_on(rename_var);
    go_on(rename_group);
}

/* The documents of both variables are put in one batch. */
static int
note_vars(ncz_dataset *ds, int value)
{
    ncz_var   *vars[] = {var(ds, "/", "a"), var(ds, "/", "grows")};
    ncz_model *m;
    int        rc;

    TRY(ncz_dataset_begin(ds, NCZ_USE_CHANGE));
    m = ncz_dataset_model(ds);
    for (size_t i = 0; rc == NC_NOERR && i < NCZ_LEN(vars); i++)
        rc = ncz_atts_set(m, &vars[i]->atts, "note", ncz_type_of(NC_INT), 1, &value, NULL);
    return ncz_dataset_end(ds, NCZ_USE_CHANGE, rc);
}

static void
expect_notes(zmap *map, int value)
{
    static const char *const names[] = {"a", "grows"};
    ncz_dataset             *ds = NULL;

    OK(ncz_dataset_open_map(map, NULL, NC_NOWRITE, NULL, &ds));
    assert_non_null(model_of(ds));
    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        const ncz_att *note = ncz_atts_find(&var(ds, "/", names[i])->atts, "note");
        int            got;

        assert_non_null(note);
        memcpy(&got, note->data, sizeof got);
        assert_int_equal(got, value);
    }
    OK(end(ds));
}

/* A put that is said to have failed may have stored its document: what was there before is put again. */
TEST(a_failure_that_was_none)
{
    bool done = false;

    for (size_t n = 1; !done; n++) {
        zmap_fault_plan plan = {.nth = 0, .kind = ZMAP_FAULT_LIE, .code = NC_EIO};
        zmap           *inner = fresh_map("mode=nczarr"), *map = NULL;
        ncz_dataset    *ds = NULL;

        OK(zmap_fault_open(zmap_ref(inner), &plan, &map));
        OK(ncz_dataset_open_map(map, "durability=none", NC_WRITE, NULL, &ds));
        OK(note_vars(ds, 1));
        OK(ncz_dataset_sync(ds));
        OK(note_vars(ds, 2));
        plan.seen = 0;
        plan.nth = n;
        done = ncz_dataset_sync(ds) == NC_NOERR;
        plan.nth = 0;
        OK(note_vars(ds, 1));
        OK(end(ds));
        expect_notes(inner, 1);
        OK(zmap_close(map, ZMAP_KEEP));
        OK(zmap_close(inner, ZMAP_KEEP));
        assert_true(n < 100 && (!done || n > 2));
    }
}

/* ---- what is put, and what is not ---- */

static size_t
operations(zmap *inner, change_fn change)
{
    zmap_fault_plan plan = {.nth = 0};
    size_t          before;

    OK(session(inner, &plan, "durability=none", false, nothing));
    before = plan.seen;
    plan.seen = 0;
    OK(session(inner, &plan, "durability=none", false, change));
    return plan.seen - before;
}

static int
same_attribute(ncz_dataset *ds)
{
    return put_att(ds, "version", 1);
}

static int
other_attribute(ncz_dataset *ds)
{
    return put_att(ds, "version", 7);
}

TEST(only_changes_are_stored)
{
    zmap *map = fresh_map("mode=nczarr");

    assert_int_equal(operations(map, same_attribute), 0);  /* the same bytes are not put again */
    assert_int_equal(operations(map, other_attribute), 1); /* one document */
    OK(zmap_close(map, ZMAP_KEEP));
}

/* ---- a failed sync is final ---- */

static unsigned good_fsyncs; /* before the one that fails */

static int
no_fsync(zmap *m)
{
    (void)m;
    if (good_fsyncs > 0) {
        good_fsyncs--;
        return NC_NOERR;
    }
    return ncz_fail(NC_EIO, "no fsync today");
}

TEST(a_failed_sync_is_final)
{
    zmap           *map = fresh_map("mode=nczarr");
    ncz_dataset    *ds = NULL;
    zmap_ops        ops = *map->ops;
    const zmap_ops *real = map->ops;

    map->caps |= ZMAP_CAN_SYNC;
    map->ops = &ops;
    for (unsigned good = 0; good < 2; good++) { /* that of the data, and that of the documents */
        ops.sync = no_fsync;
        good_fsyncs = good;
        OK(ncz_dataset_open_map(map, NULL, NC_WRITE, NULL, &ds));
        OK(put_att(ds, "version", 10 + (int)good));
        assert_int_equal(ncz_dataset_sync(ds), NC_EIO);
        ops.sync = real->sync;
        assert_int_equal(ncz_dataset_sync(ds), NC_EIO);
        assert_non_null(strstr(ncz_err_text(), "no fsync today"));
        assert_int_equal(end(ds), NC_EIO);
    }

    ops.sync = no_fsync; /* who asks for no durability is not bothered */
    OK(ncz_dataset_open_map(map, "durability=none", NC_WRITE, NULL, &ds));
    OK(put_att(ds, "version", 4));
    OK(end(ds));
    map->ops = real;
    OK(zmap_close(map, ZMAP_KEEP));
}
