/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The zip map when system calls fail, each in turn, once and from then on. What must hold: the caller sees the error
 * that the system gave; what stands under the archive's name is all old or all new, and new where a commit was said
 * to have worked; no descriptor and no partial file stays behind; the map works on once the system does.
 */
#include "support/scratch.h"
#include "support/store_help.h"
#include "zip/zipdocs.h"
#include "zip/zip.h"
#include "support/sysfault.h"
#include "zip/zipmake.h"

#include <errno.h>
#include <unistd.h>
#include "support/test.h"

#define OBJECT_LEN 20000
#define PIECE      4096

static char              *dir, *path;
static const ncz_zip_opts opts = {.is_document = is_test_document, .prefix = ""};

static int
set_up(void **state)
{
    (void)state;
    dir = scratch_new();
    path = strdup(scratch_path(dir, "d.zip"));
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    sysfault_stop();
    free(path);
    scratch_free(dir);
    return 0;
}

static void
fill(char *data, char generation)
{
    memset(data, generation, OBJECT_LEN);
}

/* As others write: with a longer local header, a deflated entry. Enough dead bytes to repack when it is changed. */
static void
make_old(size_t ndead)
{
    zipmake z = {0};
    char   *data = calloc(1, OBJECT_LEN + ndead);

    fill(data, 'o');
    zipmake_add(&z, (zipmake_entry){.name = "a", .data = data, .len = OBJECT_LEN, .local_extra = 28});
    zipmake_add(&z, (zipmake_entry){.name = "b", .data = data, .len = OBJECT_LEN, .deflate = true, .late = true});
    zipmake_raw(&z, data, ndead);
    zipmake_add(&z, (zipmake_entry){.name = "c", .data = data, .len = OBJECT_LEN});
    zipmake_end(&z, false, "");
    scratch_write(path, z.data, z.len);
    zipmake_clear(&z);
    free(data);
}

/* The generation of an object; 0: nothing; -1: a mix; -2: an error. */
static int
generation_of(zmap *m, const char *key)
{
    ncz_buf body = NCZ_BUF_INIT;
    int     rc = zmap_get(m, key, &body), generation = rc == NC_EEMPTY ? 0 : -2;

    if (rc == NC_NOERR)
        generation = body.len == OBJECT_LEN ? body.data[0] : -1;
    for (size_t i = 0; rc == NC_NOERR && i < body.len; i++)
        if (body.data[i] != generation)
            generation = -1;
    ncz_buf_clear(&body);
    return generation;
}

/* What stands under the archive's name: 'o', 'n' (the session's), 0: nothing; -1: neither. */
static int
generation_there(void)
{
    zmap *m = NULL;
    int   rc = ncz_zip_open(path, ZMAP_OPEN_READ, &opts, &m), a, b, n, c;

    if (rc == NC_ENOOBJECT)
        return 0;
    if (rc != NC_NOERR)
        return -1;
    a = generation_of(m, "a");
    b = generation_of(m, "b");
    c = generation_of(m, "c");
    n = generation_of(m, "x/new");
    zmap_close(m, ZMAP_KEEP);
    if (a == 'o' && b == 'o' && c == 'o' && n == 0)
        return 'o';
    return a == 'n' && (b == 'o' || b == 0) && c == 0 && n == 'n' ? 'n' : -1;
}

enum { AT_OPEN, AT_PUT, AT_PUT2, AT_DEL, AT_GET, AT_LIST, AT_SYNC, AT_PUT3, AT_CLOSE, NSTEPS };

/* -1000: not reached. */
static void
session(zmap_open_how how, bool sync, int rc[NSTEPS], zmap **out)
{
    char       *data = malloc(OBJECT_LEN);
    ncz_buf     body = NCZ_BUF_INIT;
    const char *gone = "c";
    zmap       *m = NULL;

    for (int i = 0; i < NSTEPS; i++)
        rc[i] = -1000;
    fill(data, 'n');
    if ((rc[AT_OPEN] = ncz_zip_open(path, how, &opts, &m)) == NC_NOERR) {
        rc[AT_PUT] = zmap_put(m, "a", data, OBJECT_LEN);
        rc[AT_PUT2] = zmap_put(m, "x/new", data, OBJECT_LEN);
        rc[AT_DEL] = zmap_del(m, &gone, 1);
        rc[AT_GET] = zmap_get(m, how == ZMAP_OPEN_WRITE ? "b" : "a", &body);
        rc[AT_LIST] = zmap_list(m, "", note_child, NULL);
        if (sync)
            rc[AT_SYNC] = zmap_sync(m);
        ncz_buf_clear(&body);
    }
    free(data);
    *out = m;
}

static bool
may_be_silent(const char *call)
{
    static const char *const calls[] = {"close", "unlinkat",   "clone",       "copy_range", "flock",
                                        "sole",  "rename_new", "rename_swap", NULL};

    return sysfault_is_one_of(call, calls);
}

static void
check_codes(const int rc[NSTEPS], const sysfault *plan, bool repacks)
{
    int  want = sysfault_code(plan->err);
    bool told = false;

    for (int i = 0; i < NSTEPS; i++) {
        if (rc[i] == NC_NOERR || rc[i] == -1000 || (i == AT_GET && rc[i] == NC_EEMPTY && rc[AT_PUT] != NC_NOERR))
            continue;
        if (rc[i] != want)
            fail_msg("call %zu, %s, errno %d: step %d says %d (%s)", plan->nth, plan->hit, plan->err, i, rc[i],
                     ncz_err_text());
        told = true;
    }
    if (!told && !may_be_silent(plan->hit) && !repacks) /* what cannot be repacked is committed as it is */
        fail_msg("call %zu, %s, errno %d: nobody was told", plan->nth, plan->hit, plan->err);
}

/* After one failure the same map goes on, unless an fsync failed. */
static void
check_goes_on(zmap *m, const sysfault *plan)
{
    bool  failed = strcmp(plan->hit, "fsync") == 0;
    int   want = failed ? sysfault_code(plan->err) : NC_NOERR, rc;
    char *data = malloc(OBJECT_LEN);

    fill(data, 'n');
    if ((rc = zmap_put(m, "a", data, OBJECT_LEN)) != want || (rc = zmap_put(m, "x/new", data, OBJECT_LEN)) != want ||
        (rc = zmap_del(m, &(const char *){"c"}, 1)) != want || (rc = zmap_sync(m)) != want)
        fail_msg("call %zu, %s, errno %d: the map then says %d (%s)", plan->nth, plan->hit, plan->err, rc,
                 ncz_err_text());
    free(data);
}

typedef struct kind {
    zmap_open_how how;
    bool          sync;  /* before it is closed */
    size_t        ndead; /* bytes in the old archive */
} kind;

static bool
run_session(const void *arg, sysfault plan)
{
    const kind *k = arg;
    int         rc[NSTEPS], there;
    size_t      files = scratch_open_files();
    zmap       *m;
    bool        met, all;

    if (k->how == ZMAP_OPEN_WRITE)
        make_old(k->ndead);
    sysfault_start(plan);
    session(k->how, k->sync, rc, &m);
    met = sysfault_plan.hit != NULL;
    all = rc[AT_PUT] == NC_NOERR && rc[AT_PUT2] == NC_NOERR && rc[AT_DEL] == NC_NOERR;
    if (m != NULL && met && !plan.forever && k->sync) {
        plan = sysfault_plan;
        sysfault_start((sysfault){0});
        check_goes_on(m, &plan);
        all = strcmp(plan.hit, "fsync") != 0;
        rc[AT_CLOSE] = zmap_close(m, all ? ZMAP_KEEP : ZMAP_REVERT);
    } else if (m != NULL) {
        rc[AT_CLOSE] = zmap_close(m, all ? ZMAP_KEEP : ZMAP_REVERT);
        plan = sysfault_plan;
        met = plan.hit != NULL;
    } else {
        plan = sysfault_plan;
    }
    sysfault_stop();

    if (met)
        check_codes(rc, &plan, k->ndead != 0 && rc[AT_CLOSE] == NC_NOERR);
    there = generation_there();
    if (there != 'n' && there != (k->how == ZMAP_OPEN_WRITE ? 'o' : 0))
        fail_msg("call %zu, %s, errno %d: the archive is of generation %d", plan.nth, met ? plan.hit : "", plan.err,
                 there);
    if (all && m != NULL && rc[AT_CLOSE] == NC_NOERR && there != 'n')
        fail_msg("call %zu, %s, errno %d: success, but the archive is of generation %d", plan.nth,
                 met ? plan.hit : "", plan.err, there);
    assert_int_equal(scratch_open_files(), files);
    if (met && rc[AT_OPEN] != NC_NOERR && strncmp(plan.hit, "fstat", 5) == 0)
        unlink(scratch_path(dir, "d.zip.nczarr.partial")); /* it may be another's: not removed before it is locked */
    if ((!met || (strcmp(plan.hit, "unlinkat") != 0 && !plan.forever)) && scratch_count(dir) != scratch_exists(path))
        fail_msg("call %zu, %s, errno %d: a partial file is left", plan.nth, met ? plan.hit : "", plan.err);
    unlink(path);
    unlink(scratch_path(dir, "d.zip.nczarr.partial"));
    unlink(scratch_path(dir, "d.zip.nczarr-repack.partial"));
    assert_int_equal(scratch_count(dir), 0);
    return met;
}

static void
run_all(const kind *k, size_t least)
{
    sysfault_each(run_session, k, PIECE, least, least / 2);
}

TEST_WITH(each_call_may_fail_in_a_new_archive, set_up, tear_down)
{
    run_all(&(kind){ZMAP_CREATE_NEW, false, 0}, 20);
    run_all(&(kind){ZMAP_CREATE_NEW, true, 0}, 20);
}

TEST_WITH(each_call_may_fail_in_an_old_archive, set_up, tear_down)
{
    run_all(&(kind){ZMAP_OPEN_WRITE, false, 0}, 25);
    run_all(&(kind){ZMAP_OPEN_WRITE, true, 0}, 25);
}

TEST_WITH(each_call_may_fail_in_a_repack, set_up, tear_down)
{
    run_all(&(kind){ZMAP_OPEN_WRITE, false, 1200000}, 35);
}

TEST_WITH(each_call_may_fail_in_a_removal, set_up, tear_down)
{
    bool met = true;

    for (size_t n = 1; met; n++) {
        size_t files = scratch_open_files();
        int    rc;

        make_old(0);
        sysfault_start((sysfault){.nth = n, .err = EIO});
        rc = ncz_zip_remove(path);
        sysfault_stop();
        met = sysfault_plan.hit != NULL;
        if (met && !(strcmp(sysfault_plan.hit, "close") == 0 || strcmp(sysfault_plan.hit, "flock") == 0))
            assert_int_equal(rc, NC_EIO);
        assert_int_equal(scratch_exists(path), rc != NC_NOERR);
        assert_int_equal(scratch_open_files(), files);
    }
}
