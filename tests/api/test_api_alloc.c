/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that runs out at every allocation in turn: each call then gives NC_ENOMEM and no other failure, nothing
 * leaks (the sanitizers see to that), the dataset can be closed, and what was committed before is still there.
 */
#include "no_memory.h"

#include "nczarr_filter.h"

/* Makes a dataset; `*made` once it was committed. */
static int
create(place *p, bool *made)
{
    const char *text = "word";
    int         ncid, grp, dims[2], v, s, o, rc, closed;

    if ((rc = place_create(p, NULL, NC_CLOBBER, &ncid)) != NC_NOERR)
        return rc;
    TRY(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    TRY(nc_def_dim(ncid, "x", 5, &dims[1]));
    TRY(nc_def_grp(ncid, "g", &grp));
    TRY(nc_def_var(ncid, "v", NC_INT, 2, dims, &v));
    TRY(nc_def_var_deflate(ncid, v, 1, 1, 4));
    TRY(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2, 3}));
    TRY(nc_def_var_fill(ncid, v, 0, &(int){-1}));
    TRY(nc_def_var(grp, "s", NC_STRING, 0, NULL, &s));
    TRY(nc_put_att_text(ncid, v, "units", 1, "m"));
    TRY(nc_put_att_string(ncid, NC_GLOBAL, "words", 1, &text));
    TRY(nc_rename_att(ncid, v, "units", "unit"));
    TRY(nc_rename_dim(ncid, dims[1], "xx"));
    TRY(nc_put_vara_int(ncid, v, (size_t[]){0, 0}, (size_t[]){2, 5}, (int[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    TRY(nc_put_var_string(grp, s, &text));
    TRY(nc_def_var(grp, "o", NC_STRING, 1, &dims[1], &o));
    TRY(nczarr_def_var_codec(grp, o, "{\"id\": \"json2\"}"));
    TRY(nc_put_var1_string(grp, o, (size_t[]){1}, &text));
done:
    closed = nc_close(ncid);
    *made = rc == NC_NOERR && closed == NC_NOERR;
    return rc != NC_NOERR ? rc : closed;
}

/* Opens it, looks at everything, changes a little. */
static int
change(place *p, bool *made)
{
    char  *word = NULL, name[NC_MAX_NAME + 1];
    size_t len;
    int    ncid, grp, v, data[10], id, rc, closed;

    (void)made;
    if ((rc = place_open(p, NULL, NC_WRITE, &ncid)) != NC_NOERR)
        return rc;
    TRY(nc_inq_varid(ncid, "v", &v));
    TRY(nc_inq_varname(ncid, v, name));
    TRY(nc_get_var_int(ncid, v, data));
    TRY(nc_inq_grp_full_ncid(ncid, "/g", &grp));
    TRY(nc_inq_grpname_full(grp, &len, name));
    TRY(nc_get_var_string(grp, 0, &word));
    OK(nc_free_string(1, &word));
    TRY(nc_get_var1_string(grp, 1, (size_t[]){1}, &word));
    OK(nc_free_string(1, &word));
    TRY(nc_put_var1_string(grp, 1, (size_t[]){2}, &(const char *){"more"}));
    TRY(nc_get_att_string(ncid, NC_GLOBAL, "words", &word));
    OK(nc_free_string(1, &word));
    TRY(nc_inq_att(ncid, v, "_Codecs", NULL, &len));
    TRY(nc_put_att_int(ncid, NC_GLOBAL, "new", NC_INT, 2, (int[]){1, 2}));
    TRY(nc_put_var1_int(ncid, v, (size_t[]){0, 0}, &(int){1}));
    TRY(nc_sync(ncid));
    TRY(nc_rename_var(ncid, v, "w"));
    TRY(nc_rename_var(ncid, v, "v"));
    TRY(nc_copy_var(ncid, v, grp));
    TRY(nc_copy_att(ncid, v, "unit", ncid, NC_GLOBAL));
    TRY(nc_inq_varid(grp, "v", &id));
done:
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

static void
check(place *p)
{
    int ncid, v, data[10];

    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    if (nc_inq_varid(ncid, "v", &v) != NC_NOERR)
        OK(nc_inq_varid(ncid, "w", &v)); /* the failure fell between the two renames */
    OK(nc_get_vara_int(ncid, v, (size_t[]){0, 0}, (size_t[]){2, 5}, data));
    for (int i = 0; i < 10; i++)
        assert_int_equal(data[i], i + 1);
    OK(nc_close(ncid));
}

enum { MEMORY, ARCHIVE };

static void
loop(int kind, bool ever, int (*scenario)(place *, bool *))
{
    for (size_t n = 1;; n++) {
        place p;
        bool  made = false, met;
        int   rc;

        place_make(&p, kind == MEMORY);
        if (kind == ARCHIVE)
            snprintf(p.path, sizeof p.path, "%s/data.zip", p.dir);
        if (scenario == change)
            OK(create(&p, &made));
        if (ever)
            fail_allocations_from(n);
        else
            fail_allocation(n);
        rc = scenario(&p, &made);
        met = end_failing();
        if (rc != NC_NOERR && rc != NC_ENOMEM)
            print_error("allocation %zu: %d (%s)\n", n, rc, nczarr_errmsg());
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        if (made)
            check(&p);
        place_drop(&p);
        if (rc == NC_NOERR && !met)
            break;
        assert_true(n < 20000);
    }
}

TEST(once_in_memory)
{
    loop(MEMORY, false, create);
    loop(MEMORY, false, change);
}

TEST(for_ever_in_memory)
{
    loop(MEMORY, true, create);
    loop(MEMORY, true, change);
}

TEST(once_in_an_archive)
{
    loop(ARCHIVE, false, create);
    loop(ARCHIVE, false, change);
}

TEST(for_ever_in_an_archive)
{
    loop(ARCHIVE, true, create);
    loop(ARCHIVE, true, change);
}

int
main(void)
{
    if (access("/dev/shm", W_OK | X_OK) == 0) /* thousands of archives would keep a disk busy with syncing */
        (void)setenv("TMPDIR", "/dev/shm", 0);

    return run_file_tests(NULL, NULL);
}
