/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running out of memory: each allocation of a session fails in turn, once and from then on, on every map. The caller
 * sees NC_ENOMEM or success, a put that failed left what was there, nothing leaks and the map can be closed.
 */
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include "zmap/zmap.h"
#include "zmap/zmap_mem.h"
#include "zmap/file/zmap_file.h"
#include "zip/zip.h"
#include "support/zmap_fault.h"
#include "zmap/zmap_example.h"

#include "support/test.h"

static size_t          fail_at; /* the allocation that fails in this run */
static zmap_fault_plan no_fault;
static char           *dir;

static int
open_fault(zmap **out)
{
    zmap *inner = NULL;
    int   rc;

    if ((rc = zmap_mem_open(&inner)) != NC_NOERR)
        return rc;
    if ((rc = zmap_fault_open(inner, &no_fault, out)) != NC_NOERR)
        zmap_close(inner, ZMAP_KEEP);
    return rc;
}

static int
open_new_file(zmap **out)
{
    return zmap_file_open(scratch_path(dir, "store.zarr"), ZMAP_CREATE_NEW, out);
}

static int
open_new_zip(zmap **out)
{
    return ncz_zip_open(scratch_path(dir, "store.zip"), ZMAP_CREATE_NEW, &(ncz_zip_opts){.prefix = "p"}, out);
}

static int
open_zip_memory(zmap **out)
{
    return ncz_zip_mem_open(NULL, 0, ZMAP_CREATE_NEW, NULL, out);
}

/* An archive that is there: reading its directory and copying it come on top. Made by the allocator that fails, so
 * that the first failures are in here. */
static int
open_old_zip(zmap **out)
{
    zmap *m = NULL;
    int   rc;

    if ((rc = open_new_zip(&m)) != NC_NOERR)
        return rc;
    rc = zmap_put(m, "k/.zgroup", "{}", 2);
    if (zmap_close(m, rc == NC_NOERR ? ZMAP_KEEP : ZMAP_DISCARD) != NC_NOERR || rc != NC_NOERR)
        return NC_ENOMEM;
    return ncz_zip_open(scratch_path(dir, "store.zip"), ZMAP_OPEN_WRITE, NULL, out);
}

static void
expect_fine(int rc, const char *what)
{
    if (rc != NC_NOERR && rc != NC_ENOMEM)
        fail_msg("%s, allocation %zu: %d (%s)", what, fail_at, rc, ncz_err_text());
    if (rc == NC_ENOMEM && ncz_err_text()[0] == '\0')
        fail_msg("%s, allocation %zu: no text", what, fail_at);
}

static int
note_child(const char *name, bool leaf, void *arg)
{
    (void)name, (void)leaf;
    ++*(int *)arg;
    return 0;
}

static void
put_in_pieces(zmap *m)
{
    zmap_writer *w = NULL;
    int          rc = zmap_writer_begin(m, "e/3", &w);

    expect_fine(rc, "begin");
    if (rc != NC_NOERR)
        return;
    expect_fine(zmap_writer_append(w, "one", 3), "append");
    expect_fine(zmap_writer_append(w, "two", 3), "append");
    expect_fine(zmap_writer_commit(w, ZMAP_ALWAYS, NULL, NULL), "commit");
}

static void
use_map(zmap *m)
{
    zmap_put_req puts[3] = {{.key = "a/b/0", .data = "0", .len = 1},
                            {.key = "a/b/1", .data = "1", .len = 1},
                            {.key = "c", .data = "2", .len = 1}};
    zmap_get_req range = {.key = "a/b/0", .off = 0, .len = 1};
    ncz_buf      body = NCZ_BUF_INIT;
    const char  *gone[] = {"a/b/1", "none/at/all"};
    int          n = 0, rc, rc_replace;

    expect_fine(zmap_put_batch(m, puts, 3), "put");
    rc_replace = zmap_put(m, "c", "new", 3);
    expect_fine(rc_replace, "replace");
    if ((rc = zmap_get(m, "c", &body)) != NC_EEMPTY || puts[2].err.code == NC_NOERR)
        expect_fine(rc, "get");
    if (rc == NC_NOERR)
        assert_string_equal(body.data, rc_replace == NC_NOERR ? "new" : "2");
    expect_fine(zmap_get_batch(m, &range, 1, NULL, NULL), "range");
    expect_fine(zmap_list(m, "a", note_child, &n), "list");
    if ((zmap_caps_of(m) & ZMAP_CAN_PUT_RANGE) != 0) {
        expect_fine(zmap_put_range(m, "a/c/2", 300, "2", 1), "put range");
        expect_fine(zmap_resize(m, "a/c/2", 9000), "resize");
        if ((rc = zmap_rename(m, "a/c/2", "d/2")) != NC_ENOOBJECT)
            expect_fine(rc, "rename");
    }
    put_in_pieces(m);
    expect_fine(zmap_del(m, gone, 2), "del");
    expect_fine(zmap_sync(m), "sync");
    ncz_buf_clear(&range.body);
    ncz_buf_clear(&body);
}

/* Each allocation in turn, until a run passes without meeting the failure. */
static void
run_all(int (*open_map)(zmap **out), bool on)
{
    zmap  *m;
    size_t files = scratch_open_files();
    bool   met;

    for (fail_at = 1;; fail_at++) {
        m = NULL;
        if (on)
            fail_allocations_from(fail_at);
        else
            fail_allocation(fail_at);
        if (open_map(&m) == NC_NOERR) {
            use_map(m);
            expect_fine(zmap_close(m, ZMAP_DISCARD), "close");
        } else {
            assert_null(m);
        }
        met = end_failing();
        assert_int_equal(scratch_open_files(), files);
        if (scratch_exists(scratch_path(dir, "store.zarr")))
            assert_int_equal(zmap_file_remove(scratch_path(dir, "store.zarr"), NULL), NC_NOERR);
        if (open_map == open_old_zip && scratch_exists(scratch_path(dir, "store.zip")))
            assert_int_equal(ncz_zip_remove(scratch_path(dir, "store.zip")), NC_NOERR);
        assert_int_equal(scratch_count(dir), 0);
        if (!met)
            break;
    }
    assert_true(fail_at > 10 || on);
    fail_at = 0;
}

TEST(every_allocation_may_fail)
{
    static int (*const maps[])(zmap **) = {zmap_mem_open, zmap_example_open, open_fault,  open_new_file,
                                           open_new_zip,  open_zip_memory,   open_old_zip};

    dir = scratch_new();
    for (size_t i = 0; i < NCZ_LEN(maps); i++) {
        run_all(maps[i], false);
        run_all(maps[i], true);
    }
    scratch_free(dir);
}

/* An object is in the map or not, and no key is left without one. */
TEST(a_failed_put_changes_nothing)
{
    zmap *m = NULL;
    int   rc = NC_ENOMEM;

    assert_int_equal(zmap_mem_open(&m), NC_NOERR);
    assert_int_equal(zmap_put(m, "k", "old", 3), NC_NOERR);
    for (fail_at = 1; rc != NC_NOERR; fail_at++) {
        ncz_buf body = NCZ_BUF_INIT;
        int     n = 0;

        fail_allocation(fail_at);
        rc = zmap_put(m, "k", "new", 3);
        if (rc == NC_NOERR)
            rc = zmap_put(m, "l", "new", 3);
        fail_allocation(0);
        assert_int_equal(zmap_list(m, "", note_child, &n), NC_NOERR);
        assert_int_equal(n, rc == NC_NOERR ? 2 : 1);
        assert_int_equal(zmap_get(m, "k", &body), NC_NOERR);
        assert_string_equal(body.data, fail_at <= 2 ? "old" : "new");
        ncz_buf_clear(&body);
    }
    fail_at = 0;
    assert_int_equal(zmap_close(m, ZMAP_KEEP), NC_NOERR);
}
