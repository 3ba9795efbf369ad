/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose place a new dataset's is: two writers, one that died, one whose place was taken over; and datasets that are
 * seen when they are closed. */
#include "dataset_test.h"
#include "zmap/zmap_mem.h"

#include "contract/host.h"
#include "dataset/dataset_int.h"
#include "support/fork.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLAIM ".nczarr-writer"

#define TRY(call)                                                                                                    \
    do {                                                                                                             \
        if ((rc = (call)) != NC_NOERR)                                                                               \
            return rc;                                                                                               \
    } while (0)

static char dir[64], path[128];

static void
make_dir(void)
{
    snprintf(dir, sizeof dir, "/tmp/nczarr-claim-XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/d.zarr", dir);
}

static bool
exists(const char *name)
{
    char file[256];

    snprintf(file, sizeof file, "%s/%s", path, name);
    return access(file, F_OK) == 0;
}

static void
write_file(const char *name, const char *text)
{
    char  file[256];
    FILE *f;

    snprintf(file, sizeof file, "%s/%s", path, name);
    assert_non_null(f = fopen(file, "w"));
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static int
define(ncz_dataset *ds)
{
    ncz_dim *x = NULL;
    ncz_var *v = NULL;
    int      rc;

    TRY(def_dim(ds, "x", 4, &x));
    TRY(def_var(ds, NULL, "v", 1, &x, &v));
    return ncz_dataset_enddef(ds, &(ncz_file_room){.align = 0});
}

TEST(the_claim_goes_with_the_commit)
{
    ncz_dataset *ds = NULL;

    make_dir();
    OK(ncz_dataset_create(path, NC_CLOBBER, NCZ_FORMAT_UNSAID, NULL, &ds));
    assert_true(exists(CLAIM));
    OK(define(ds));
    assert_true(exists(CLAIM) && exists(".zgroup") && exists("v/.zarray"));
    OK(ncz_dataset_sync(ds));
    assert_false(exists(CLAIM));
    OK(end(ds));
    OK(ncz_dataset_delete(path));
    assert_int_equal(rmdir(dir), 0);
}

/* A child begins, and is still there; then it is killed. */
TEST(a_running_process_is_respected)
{
    ncz_dataset *ds = NULL;
    int          ready[2], status;
    char         c;
    pid_t        child;

    if (host_emulated())
        skip(); /* other processes cannot be looked at */
    make_dir();
    assert_int_equal(pipe(ready), 0);
    assert_true((child = fork_quiet()) >= 0);
    if (child == 0) {
        if (ncz_dataset_create(path, NC_CLOBBER, NCZ_FORMAT_UNSAID, NULL, &ds) != NC_NOERR ||
            define(ds) != NC_NOERR || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_int_equal(ncz_dataset_create(path, NC_CLOBBER, NCZ_FORMAT_UNSAID, NULL, &ds), NC_EEXIST);
    assert_non_null(strstr(ncz_err_text(), "process"));
    assert_int_equal(ncz_dataset_delete(path), NC_EEXIST);
    assert_true(exists("v/.zarray"));

    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    OK(ncz_dataset_open(path, NC_NOWRITE, NULL, &ds)); /* what was defined is there */
    OK(end(ds));
    OK(ncz_dataset_create(path, NC_CLOBBER, NCZ_FORMAT_UNSAID, NULL, &ds));
    OK(define(ds));
    OK(end(ds));
    OK(ncz_dataset_delete(path));
    assert_int_equal(rmdir(dir), 0);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

/* Another writer, of a machine that cannot be asked, has put its claim in place of ours: neither a commit nor an abort
 * touches what is there. */
TEST(who_lost_the_place_touches_nothing)
{
    for (int abort = 0; abort < 2; abort++) {
        ncz_dataset *ds = NULL;

        make_dir();
        OK(ncz_dataset_create(path, NC_CLOBBER, NCZ_FORMAT_UNSAID, NULL, &ds));
        OK(define(ds));
        write_file(CLAIM, "somebody else's\n");
        if (!abort)
            assert_int_equal(ncz_dataset_sync(ds), NC_EEXIST);
        assert_int_equal(abort ? ncz_dataset_abort(ds) : ncz_dataset_close(ds), NC_EEXIST);
        ncz_dataset_free(ds);
        assert_true(exists(CLAIM) && exists(".zgroup") && exists("v/.zarray"));
        OK(ncz_dataset_delete(path)); /* its writer is taken for dead */
        assert_int_equal(rmdir(dir), 0);
    }
}

static int
open_closing(zmap *map, int mode, ncz_dataset **out)
{
    return ncz_dataset_open_map(map, "commit=close", mode, NULL, out);
}

TEST(seen_when_it_is_closed)
{
    ncz_dataset *ds = NULL, *other = NULL;
    zmap        *map = NULL;

    OK(zmap_mem_open(&map));
    assert_int_equal(ncz_dataset_create_map(map, "commit=often", NC_CLOBBER, NULL, &ds), NC_EINVAL);
    OK(ncz_dataset_create_map(map, "consolidated=yes&commit=close", NC_CLOBBER, NULL, &ds));
    OK(define(ds));
    OK(put_att(ds, "title", 1));
    OK(ncz_dataset_sync(ds));
    assert_int_equal(ncz_dataset_open_map(map, NULL, NC_NOWRITE, NULL, &other), NC_ENOTNC);
    OK(ncz_dataset_abort(ds)); /* what was committed stays, and can be continued */
    ncz_dataset_free(ds);

    OK(open_closing(map, NC_NOWRITE, &other));
    assert_int_equal(att(other, "title"), 1);
    OK(end(other));
    OK(open_closing(map, NC_WRITE, &ds));
    OK(put_att(ds, "title", 2));
    OK(end(ds));

    OK(ncz_dataset_open_map(map, "consolidated=yes", NC_NOWRITE, NULL, &ds));
    assert_int_equal(att(ds, "title"), 2);
    assert_non_null(var(ds, "/", "v"));
    OK(end(ds));
    assert_int_equal(open_closing(map, NC_WRITE, &ds), NC_ENOOBJECT); /* there is nothing to continue */
    OK(open_closing(map, NC_NOWRITE, &ds));
    assert_int_equal(att(ds, "title"), 2);
    OK(end(ds));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(
            zmap_len(map, ncz_deferred_key((const char *[]){".zgroup", ".zattrs", ".zmetadata"}[i]), NULL),
            NC_EEMPTY);
    assert_int_equal(zmap_len(map, CLAIM, NULL), NC_EEMPTY);
    OK(zmap_close(map, ZMAP_KEEP));
}

/* A dialect may have no place for a claim or for marks of growth; a deletion is claimed in any case. */
TEST(a_dialect_may_do_without_marks)
{
    ncz_dialect_ops        plain = *ncz_dialects_find(0);
    const ncz_dialect_ops *own;
    ncz_dataset           *ds = NULL;
    ncz_dim               *t = NULL;
    zmap                  *map;
    char                  *claim = NULL;

    plain.traits.marks_writers = false;
    OK(zmap_mem_open(&map));
    OK(ncz_claim_put(map, &plain, "d", &claim));
    assert_null(claim);
    assert_int_equal(zmap_len(map, CLAIM, NULL), NC_EEMPTY);
    OK(ncz_claim_put(map, NULL, "d", &claim));
    assert_non_null(claim);
    OK(ncz_claim_drop(map, &claim));
    OK(zmap_close(map, ZMAP_KEEP));

    make_dir();
    OK(ncz_dataset_create(path, NC_CLOBBER, NCZ_FORMAT_UNSAID, NULL, &ds));
    OK(def_dim(ds, "t", 0, &t));
    OK(ncz_dataset_sync(ds));
    own = ds->model->dialect;
    assert_true(ncz_growth_is_needed(ds) && ncz_lengths_are_shared(ds));
    ds->model->dialect = &plain;
    assert_false(ncz_growth_is_needed(ds) || ncz_lengths_are_shared(ds));
    ds->model->dialect = own;
    OK(end(ds));
    OK(ncz_dataset_delete(path));
    assert_int_equal(rmdir(dir), 0);
}
