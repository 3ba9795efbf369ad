/* SPDX-License-Identifier: BSD-3-Clause */
/* nczarr_par.h: what ranks do together, with their results and errors. */
#include "support/test.h"

#include "ranks.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"

#include <signal.h>
#include <unistd.h>

#define NX 12 /* divisible by 2, 3 and 4 ranks */

typedef struct job {
    const char *path;
    int         steps, victim;
    bool        independent;
} job;

static int
value_at(size_t t, size_t x)
{
    return (int)(t * 1000 + x + 1);
}

/* Defines v(time, x), with chunks of one step and `chunk` elements. */
static int
define(int ncid, size_t chunk, int *varid)
{
    int    dims[2], rc;
    size_t chunks[] = {1, chunk};

    if ((rc = nc_def_dim(ncid, "time", NC_UNLIMITED, &dims[0])) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "x", NX, &dims[1])) != NC_NOERR ||
        (rc = nc_def_var(ncid, "v", NC_INT, 2, dims, varid)) != NC_NOERR ||
        (rc = nc_def_var_chunking(ncid, *varid, NC_CHUNKED, chunks)) != NC_NOERR)
        return rc;
    return nc_def_var_deflate(ncid, *varid, 0, 1, 1);
}

/* Puts this rank's part of one step. */
static int
put_step(const nczarr_comm *comm, int ncid, int varid, size_t t)
{
    size_t part = NX / (size_t)comm->nranks, start[] = {t, part * (size_t)comm->rank}, count[] = {1, part};
    int    values[NX];

    for (size_t i = 0; i < part; i++)
        values[i] = value_at(t, start[1] + i);
    return nc_put_vara_int(ncid, varid, start, count, values);
}

/* True if all steps are there, as this process sees them. */
static bool
has_steps(int ncid, int varid, size_t steps)
{
    for (size_t t = 0; t < steps; t++) {
        size_t start[] = {t, 0}, count[] = {1, NX};
        int    values[NX];

        if (nc_get_vara_int(ncid, varid, start, count, values) != NC_NOERR)
            return false;
        for (size_t x = 0; x < NX; x++)
            if (values[x] != value_at(t, x))
                return false;
    }
    return true;
}

static size_t
length_of(int ncid, int dimid)
{
    size_t n = 0;

    return nc_inq_dimlen(ncid, dimid, &n) == NC_NOERR ? n : SIZE_MAX;
}

/* ---- what works ------------------------------------------------------------------------------------------------ */

static int
write_and_append(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    size_t     part = NX / (size_t)comm->nranks;
    int        ncid, varid;

    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define(ncid, part, &varid) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_NOERR);
    RANK_CHECK(nc_var_par_access(ncid, varid, NC_COLLECTIVE) == NC_NOERR);
    for (size_t t = 0; t < 3; t++)
        RANK_CHECK(put_step(comm, ncid, varid, t) == NC_NOERR);
    RANK_CHECK(length_of(ncid, 0) == 3);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(has_steps(ncid, varid, 3)); /* what the others put, too */
    RANK_CHECK(nc_close(ncid) == NC_NOERR);

    RANK_CHECK(nczarr_open_par(j->path, NC_WRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(nc_var_par_access(ncid, NC_GLOBAL, NC_COLLECTIVE) == NC_NOERR);
    RANK_CHECK(put_step(comm, ncid, varid, 3) == NC_NOERR);
    RANK_CHECK(nc_put_att_text(ncid, NC_GLOBAL, "title", 5, "ranks") == NC_NOERR);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);

    RANK_CHECK(nczarr_open_par(j->path, NC_NOWRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(length_of(ncid, 0) == 4 && has_steps(ncid, varid, 4));
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(ranks_write_and_append)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};
    int ncid, varid;

    for (int n = 1; n <= 4; n++) {
        assert_int_equal(ranks_as_processes(n, write_and_append, &j, -1), 0);
        assert_int_equal(nc_open(j.path, NC_NOWRITE, &ncid), NC_NOERR);
        assert_int_equal(nc_inq_varid(ncid, "v", &varid), NC_NOERR);
        assert_int_equal(length_of(ncid, 0), 4);
        assert_true(has_steps(ncid, varid, 4));
        assert_int_equal(nc_close(ncid), NC_NOERR);
        assert_int_equal(nc_delete(j.path), NC_NOERR);

        (void)ranks_released();
        assert_int_equal(ranks_as_threads(n, write_and_append, &j), 0);
        assert_int_equal(ranks_released(), 3 * n);
        assert_int_equal(nc_delete(j.path), NC_NOERR);
    }
}

/* Without nc_enddef(): the first put ends define mode, on all ranks. A rank without data takes part. */
static int
put_without_enddef(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    size_t     start[] = {0, 0}, none[] = {0, 0}, all[] = {1, NX};
    int        ncid, varid, values[NX];

    for (size_t x = 0; x < NX; x++)
        values[x] = value_at(0, x);
    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4 | NC_MPIIO, comm, &ncid) == NC_NOERR);
    RANK_CHECK(nc_var_par_access(ncid, NC_GLOBAL, NC_COLLECTIVE) == NC_NOERR); /* of variables to come */
    RANK_CHECK(define(ncid, NX, &varid) == NC_NOERR);
    RANK_CHECK(nc_put_vara_int(ncid, varid, start, comm->rank == 1 ? all : none, values) == NC_NOERR);
    RANK_CHECK(length_of(ncid, 0) == 1);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(has_steps(ncid, varid, 1));
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(puts_end_definitions_on_all_ranks)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};

    ranks_of_both_kinds(scratch_dir, 3, put_without_enddef, &j);
}

/* The documents are read once, by rank 0. */
static int
count_gets(const nczarr_comm *comm, void *arg)
{
    const job    *j = arg;
    nczarr_counts counts = {.size = sizeof counts};
    int           ncid, varid;

    RANK_CHECK(nczarr_open_par(j->path, NC_NOWRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(nc_inq_varid(ncid, "v", &varid) == NC_NOERR);
    RANK_CHECK(nczarr_stats(ncid, &counts) == NC_NOERR);
    RANK_CHECK(comm->rank == 0 ? counts.gets > 0 : counts.gets + counts.lists == 0);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    RANK_CHECK(nczarr_open_par(j->path, NC_WRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(nczarr_stats(ncid, &counts) == NC_NOERR);
    RANK_CHECK(comm->rank == 0 ? counts.gets > 0 : counts.gets + counts.lists == 0);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(documents_are_read_by_one_rank)
{
    char *path = scratch_path(scratch_dir, "a.zarr"), with[600];
    job   j = {.path = path};
    int   ncid, varid, group;

    for (int kind = 0; kind < 3; kind++) {
        snprintf(with, sizeof with, "file://%s#mode=nczarr%s", path,
                 kind == 0   ? ""
                 : kind == 1 ? ",v3"
                             : "&consolidated=yes");
        assert_int_equal(nc_create(with, NC_NETCDF4, &ncid), NC_NOERR);
        assert_int_equal(define(ncid, NX, &varid), NC_NOERR);
        assert_int_equal(nc_def_grp(ncid, "inner", &group), NC_NOERR);
        assert_int_equal(nc_put_att_text(group, NC_GLOBAL, "a", 1, "b"), NC_NOERR);
        assert_int_equal(nc_close(ncid), NC_NOERR);
        assert_int_equal(ranks_as_processes(3, count_gets, &j, -1), 0);
        assert_int_equal(ranks_as_threads(3, count_gets, &j), 0);
        scratch_empty(scratch_dir);
    }
}

static int
redefine(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    int        ncid, varid, group, more;

    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define(ncid, NX / (size_t)comm->nranks, &varid) == NC_NOERR);
    RANK_CHECK(nc_rename_var(ncid, varid, "w") == NC_NOERR); /* nothing is stored yet */
    RANK_CHECK(nc_enddef(ncid) == NC_NOERR);
    RANK_CHECK(nc_rename_var(ncid, varid, "v") == NC_ENOTBUILT);
    RANK_CHECK(nc_enddef(ncid) == NC_ENOTINDEFINE);
    RANK_CHECK(nc_redef(ncid) == NC_NOERR);
    RANK_CHECK(nc_def_grp(ncid, "g", &group) == NC_NOERR);
    RANK_CHECK(nc_def_var(group, "s", NC_DOUBLE, 0, NULL, &more) == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(comm->rank != 1 || nc_put_var_double(group, more, &(double){2.5}) == NC_NOERR);
    RANK_CHECK(nc_rename_grp(group, "h") == NC_ENOTBUILT);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);

    RANK_CHECK(nczarr_open_par(j->path, NC_WRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(nc_redef(ncid) == NC_NOERR);
    RANK_CHECK(nc_def_var(ncid, "late", NC_INT, 0, NULL, &more) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_NOERR);
    RANK_CHECK(comm->rank != 0 || nc_put_var_int(ncid, more, &(int){7}) == NC_NOERR);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(ranks_define_more_later)
{
    job    j = {.path = scratch_path(scratch_dir, "a.zarr")};
    int    ncid, varid, group, late = 0;
    double s = 0;

    assert_int_equal(ranks_as_processes(2, redefine, &j, -1), 0);
    assert_int_equal(nc_open(j.path, NC_NOWRITE, &ncid), NC_NOERR);
    assert_int_equal(nc_inq_varid(ncid, "w", &varid), NC_NOERR);
    assert_int_equal(nc_inq_ncid(ncid, "g", &group), NC_NOERR);
    assert_int_equal(nc_get_var_double(group, 0, &s), NC_NOERR);
    assert_true(s > 2.4 && s < 2.6);
    assert_int_equal(nc_inq_varid(ncid, "late", &varid), NC_NOERR);
    assert_int_equal(nc_get_var_int(ncid, varid, &late), NC_NOERR);
    assert_int_equal(late, 7);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    scratch_empty(scratch_dir);
    ranks_of_both_kinds(scratch_dir, 3, redefine, &j);
}

/* ---- errors ---------------------------------------------------------------------------------------------------- */

static bool
says(const char *words)
{
    return strstr(nczarr_errmsg(), words) != NULL;
}

static int
fail_to_create(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    char       path[600];
    int        ncid = -5, other;

    snprintf(path, sizeof path, "%s/missing/a.zarr", j->path);
    RANK_CHECK(nczarr_create_par(path, NC_NETCDF4, comm, &ncid) == NC_ENOOBJECT);
    RANK_CHECK(says("rank 0: ") && says("missing") && ncid == -5);
    RANK_CHECK(nczarr_open_par(path, NC_NOWRITE, comm, &ncid) == NC_ENOOBJECT && says("rank 0: "));
    snprintf(path, sizeof path, "%s/b.zarr", j->path);
    RANK_CHECK(nczarr_create_par(path, NC_NETCDF4 | NC_NOCLOBBER, comm, &ncid) == NC_NOERR);
    RANK_CHECK(nczarr_create_par(path, NC_NETCDF4 | NC_NOCLOBBER, comm, &other) == NC_EEXIST);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    /* One rank with another path: its error is everybody's. */
    RANK_CHECK(nczarr_create_par(comm->rank == 1 ? "what://ever" : path, NC_NETCDF4, comm, &ncid) == NC_EINVAL);
    RANK_CHECK(says("rank 1: "));

    snprintf(path, sizeof path, "file://%s/c.zip#mode=nczarr,zip", j->path);
    RANK_CHECK(nczarr_create_par(path, NC_NETCDF4, comm, &ncid) == NC_ENOPAR && says("nczcopy"));
    snprintf(path, sizeof path, "file://%s/c.zarr#commit=close", j->path);
    RANK_CHECK(nczarr_create_par(path, NC_NETCDF4, comm, &ncid) == NC_ENOTBUILT && says("commit=close"));
    RANK_CHECK(nczarr_create_par("x", NC_NETCDF4 | NC_DISKLESS, comm, &ncid) == NC_ENOPAR);
    RANK_CHECK(nczarr_create_par(NULL, NC_NETCDF4, comm, &ncid) == NC_EINVAL);
    return 0;
}

TEST(a_failure_to_create_is_one_on_all_ranks)
{
    job j = {.path = scratch_dir};

    ranks_of_both_kinds(scratch_dir, 2, fail_to_create, &j);
}

static int
write_archive(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    int        ncid;

    RANK_CHECK(nczarr_open_par(j->path, NC_WRITE, comm, &ncid) == NC_ENOPAR && says("archive"));
    RANK_CHECK(nczarr_open_par(j->path, NC_NOWRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(length_of(ncid, 1) == NX);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(archives_are_read_and_not_written)
{
    char path[600];
    job  j = {.path = path};
    int  ncid, varid;

    snprintf(path, sizeof path, "file://%s/a.zip#mode=nczarr,zip", scratch_dir);
    assert_int_equal(nc_create(path, NC_NETCDF4, &ncid), NC_NOERR);
    assert_int_equal(define(ncid, NX, &varid), NC_NOERR);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    assert_int_equal(ranks_as_processes(2, write_archive, &j, -1), 0);
    scratch_empty(scratch_dir);
}

static int
define_differently(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    bool       other = comm->rank == 2;
    int        ncid, varid, dim;

    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define(ncid, other ? 6 : NX, &varid) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_EINVAL);
    RANK_CHECK(says("rank 2: ") && says("variable /v: here \"int (time, x); chunks 1 6;") && says("chunks 1 12"));
    /* Still in define mode: it can be corrected. */
    RANK_CHECK(nc_def_var_chunking(ncid, varid, NC_CHUNKED, (size_t[]){1, NX}) == NC_NOERR);
    RANK_CHECK(nc_put_att_int(ncid, varid, "_FillValue", NC_INT, 1, &(int){other ? 11 : 10}) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_EINVAL && says("attribute /v:_FillValue"));
    RANK_CHECK(nc_put_att_int(ncid, varid, "_FillValue", NC_INT, 1, &(int){10}) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_NOERR);
    RANK_CHECK(comm->rank != 1 || nc_put_att_text(ncid, NC_GLOBAL, "only", 3, "one") == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_EINVAL);
    RANK_CHECK(says("rank 1: ") && says("the attributes of /"));
    RANK_CHECK(comm->rank == 1 || nc_put_att_text(ncid, NC_GLOBAL, "only", 3, "one") == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(nc_redef(ncid) == NC_NOERR);
    RANK_CHECK(nc_def_dim(ncid, "y", other ? 9 : 10, &dim) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_EINVAL);
    RANK_CHECK(says("dimension /y: here \"9\", on rank 0 \"10\""));
    RANK_CHECK(nc_close(ncid) == NC_EINVAL);
    return 0;
}

/* True if an attribute of any type reads as this text. */
static bool
att_reads(int ncid, int varid, const char *name, const char *text)
{
    char   buf[80] = "";
    size_t len;

    return nc_inq_attlen(ncid, varid, name, &len) == NC_NOERR && len < sizeof buf &&
           nc_get_att_text(ncid, varid, name, buf) == NC_NOERR && len == strlen(text) && strcmp(buf, text) == 0;
}

static bool
has_values_of_first(int ncid, int varid)
{
    char *strings[2] = {NULL, NULL};
    int   level = 0, rc;
    bool  ok;

    if (!att_reads(ncid, NC_GLOBAL, "history", "made by 0") ||
        nc_get_att_int(ncid, varid, "level", &level) != NC_NOERR || level != 0)
        return false;
    rc = nc_get_att_string(ncid, varid, "names", strings);
    ok = rc == NC_NOERR && strcmp(strings[0], "zero") == 0 && strcmp(strings[1], "") == 0;
    return nc_free_string(2, strings) == NC_NOERR && ok;
}

/* Attributes with a clock or an address in them: the values of rank 0 are stored, and known to all ranks. */
static int
describe_differently(const nczarr_comm *comm, void *arg)
{
    const job  *j = arg;
    const char *names[] = {comm->rank == 0 ? "zero" : "another, longer one", comm->rank == 0 ? "" : "x"};
    char        history[40];
    int         ncid, varid;

    snprintf(history, sizeof history, "made by %d%s", comm->rank, comm->rank == 1 ? " at noon" : "");
    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define(ncid, NX, &varid) == NC_NOERR);
    RANK_CHECK(nc_put_att_text(ncid, NC_GLOBAL, "history", strlen(history), history) == NC_NOERR);
    RANK_CHECK(nc_put_att_int(ncid, varid, "level", NC_INT, 1, &comm->rank) == NC_NOERR);
    RANK_CHECK(nc_put_att_string(ncid, varid, "names", 2, names) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_NOERR);
    RANK_CHECK(has_values_of_first(ncid, varid));
    /* Between nc_enddef and nc_close, too. */
    RANK_CHECK(nc_put_att_int(ncid, varid, "level", NC_INT, 1, &(int){comm->rank * 2}) == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(has_values_of_first(ncid, varid));
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    RANK_CHECK(nczarr_open_par(j->path, NC_NOWRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(has_values_of_first(ncid, varid));
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    /* A type is part of the definition. */
    RANK_CHECK(nczarr_open_par(j->path, NC_WRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(nc_put_att_int(ncid, varid, "level", comm->rank == 1 ? NC_INT64 : NC_INT, 1, &(int){3}) == NC_NOERR);
    RANK_CHECK(nc_close(ncid) == NC_EINVAL &&
               says("the attributes of /v: here \"int64 level, string names\", on rank 0 \"int level, "));
    return 0;
}

TEST(differing_attributes_are_an_error)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};

    ranks_of_both_kinds(scratch_dir, 3, describe_differently, &j);
}

TEST(differing_definitions_are_an_error)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};

    ranks_of_both_kinds(scratch_dir, 3, define_differently, &j);
}

static int
put_wrongly(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    size_t     start[] = {0, 0}, count[] = {1, NX}, beyond[] = {1, NX + 1}, first[] = {0, 0};
    int        ncid, varid, narrow, value = 0, values[NX + 1] = {0};

    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define(ncid, NX / (size_t)comm->nranks, &varid) == NC_NOERR);
    RANK_CHECK(nc_def_var(ncid, "narrow", NC_BYTE, 2, (int[]){0, 1}, &narrow) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_NOERR);
    RANK_CHECK(nc_put_vara_int(ncid, varid, start, count, values) == NC_ECANTEXTEND && says("nc_var_par_access"));
    RANK_CHECK(nczarr_grow_dim(ncid, 0, 5) == NC_ECANTEXTEND);
    RANK_CHECK(nc_var_par_access(ncid, varid, 2) == NC_EINVAL);
    RANK_CHECK(nc_var_par_access(ncid, 9, NC_COLLECTIVE) == NC_ENOTVAR);
    RANK_CHECK(nc_var_par_access(ncid, varid, NC_COLLECTIVE) == NC_NOERR);
    /* One rank's mistake: all fail, and the dimension stays. */
    RANK_CHECK(nc_put_vara_int(ncid, varid, start, comm->rank == 1 ? beyond : count, values) == NC_EEDGE);
    RANK_CHECK(says("rank 1: ") && length_of(ncid, 0) == 0);
    RANK_CHECK(put_step(comm, ncid, varid, 0) == NC_NOERR);
    RANK_CHECK(put_step(comm, ncid, varid, 1) == NC_NOERR);
    /* A range error is the rank's own. */
    RANK_CHECK(nc_var_par_access(ncid, narrow, NC_COLLECTIVE) == NC_NOERR);
    first[1] = (size_t)comm->rank;
    value = comm->rank == 0 ? 1000 : 1;
    RANK_CHECK(nc_put_vara_int(ncid, narrow, first, (size_t[]){1, 1}, &value) ==
               (comm->rank == 0 ? NC_ERANGE : NC_NOERR));
    RANK_CHECK(nc_var_par_access(ncid, varid, NC_INDEPENDENT) == NC_NOERR);
    RANK_CHECK(comm->rank != 1 || put_step(comm, ncid, varid, 1) == NC_NOERR); /* within the length */
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(has_steps(ncid, varid, 2));
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(wrong_puts_are_errors_on_their_rank)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};
    int ncid;

    ranks_of_both_kinds(scratch_dir, 2, put_wrongly, &j);
    assert_int_equal(nc_create(j.path, NC_NETCDF4, &ncid), NC_NOERR);
    assert_int_equal(nc_var_par_access(ncid, NC_GLOBAL, NC_COLLECTIVE), NC_ENOPAR);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    scratch_empty(scratch_dir);
}

/* Ranks that make different calls learn it, and can close. */
static int
call_differently(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    int        ncid, varid;

    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define(ncid, NX, &varid) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_NOERR);
    if (comm->rank == 1)
        RANK_CHECK(nc_sync(ncid) == NC_EINVAL && says("rank 1 makes nc_sync() while rank 0 makes nc_close()"));
    RANK_CHECK(nc_close(ncid) == NC_EINVAL && says("rank 1 makes nc_sync() while rank 0 makes nc_close()"));
    return 0;
}

TEST(differing_calls_are_an_error)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};

    ranks_of_both_kinds(scratch_dir, 3, call_differently, &j);
}

static int
abort_creation(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    int        ncid, varid;

    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define(ncid, NX / (size_t)comm->nranks, &varid) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_NOERR);
    RANK_CHECK(nc_var_par_access(ncid, varid, NC_COLLECTIVE) == NC_NOERR);
    RANK_CHECK(put_step(comm, ncid, varid, 0) == NC_NOERR);
    RANK_CHECK(nc_abort(ncid) == NC_NOERR);
    RANK_CHECK(!scratch_exists(j->path) || comm->rank != 0);
    return 0;
}

TEST(abort_removes_the_dataset)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};

    ranks_of_both_kinds(scratch_dir, 2, abort_creation, &j);
}

/* ---- communicators --------------------------------------------------------------------------------------------- */

static int
max_of_one(void *context, int64_t *values, size_t n)
{
    const int *fail_at = context;
    static int calls;

    (void)values, (void)n;
    if (fail_at == NULL)
        return NC_NOERR;
    calls = *fail_at < 0 ? 0 : calls + 1;
    return *fail_at >= 0 && calls > *fail_at ? NC_EIO : NC_NOERR;
}

static int
broadcast_of_one(void *context, int root, void *data, size_t len)
{
    (void)context, (void)root, (void)data, (void)len;
    return NC_NOERR;
}

static const nczarr_comm one = {
    .size = sizeof one, .nranks = 1, .node_ranks = 1, .broadcast = broadcast_of_one, .allreduce_max = max_of_one};

TEST(bad_tables_of_a_communicator_are_refused)
{
    char       *path = scratch_path(scratch_dir, "a.zarr");
    nczarr_comm bad[6];
    int         ncid;

    for (size_t i = 0; i < 6; i++)
        bad[i] = one;
    bad[0].size--;
    bad[1].broadcast = NULL;
    bad[2].allreduce_max = NULL;
    bad[3].rank = 1;
    bad[4].rank = -1;
    bad[5].node_ranks = 0;
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(nczarr_create_par(path, NC_NETCDF4, &bad[i], &ncid), NC_EPARINIT);
        assert_int_equal(nczarr_open_par(path, NC_NOWRITE, &bad[i], &ncid), NC_EPARINIT);
    }
    assert_int_equal(nczarr_create_par(path, NC_NETCDF4, NULL, &ncid), NC_EPARINIT);
    assert_false(scratch_exists(path));
}

/* The communicator fails at each of its calls: every call returns its error, and nothing hangs or stays open. */
TEST(a_failing_communicator_hangs_nothing)
{
    char       *path = scratch_path(scratch_dir, "a.zarr");
    int         fail_at = -1, rc = NC_EIO, files = (int)scratch_open_files();
    nczarr_comm comm = one;

    comm.context = &fail_at;
    for (int n = 0; rc != NC_NOERR && n < 100; n++) {
        int ncid, varid, later;

        fail_at = -1;
        (void)max_of_one(&fail_at, NULL, 0); /* counts from 0 again */
        fail_at = n;
        if ((rc = nczarr_create_par(path, NC_NETCDF4, &comm, &ncid)) == NC_NOERR) {
            if ((rc = define(ncid, NX, &varid)) == NC_NOERR && (rc = nc_enddef(ncid)) == NC_NOERR &&
                (rc = nc_var_par_access(ncid, varid, NC_COLLECTIVE)) == NC_NOERR)
                rc = put_step(&comm, ncid, varid, 0);
            later = nc_close(ncid);
            assert_true(rc == NC_NOERR || later == rc); /* final */
            rc = later;
        }
        assert_true(rc == NC_NOERR || rc == NC_EIO);
        assert_true(rc == NC_NOERR || says("communicator"));
        assert_int_equal(scratch_open_files(), files);
        assert_true(n > 0 || rc == NC_EIO);
    }
    assert_int_equal(rc, NC_NOERR);
    scratch_empty(scratch_dir);
}

static int
cycle_with_one(void *arg)
{
    const char *path = arg;
    int         ncid, varid, rc, first = NC_NOERR;

    if ((rc = nczarr_create_par(path, NC_NETCDF4, &one, &ncid)) != NC_NOERR)
        return rc;
    if ((rc = define(ncid, NX, &varid)) != NC_NOERR || (rc = nc_enddef(ncid)) != NC_NOERR ||
        (rc = nc_var_par_access(ncid, varid, NC_COLLECTIVE)) != NC_NOERR ||
        (rc = put_step(&one, ncid, varid, 0)) != NC_NOERR)
        first = rc;
    rc = nc_close(ncid);
    if (first != NC_NOERR || rc != NC_NOERR)
        return first != NC_NOERR ? first : rc;
    if ((rc = nczarr_open_par(path, NC_WRITE, &one, &ncid)) != NC_NOERR)
        return rc;
    return nc_close(ncid);
}

TEST(every_allocation_fails_once)
{
    bool failed = true;

    for (size_t nth = 1; failed; nth++) {
        char *path = scratch_path(scratch_dir, "a.zarr");
        int   rc;

        fail_allocation(nth);
        rc = cycle_with_one(path);
        failed = end_failing();
        /* Some failures are made up for. */
        assert_true(rc == NC_NOERR || (failed && rc == NC_ENOMEM));
        assert_int_equal(cycle_with_one(path), NC_NOERR);
    }
    scratch_empty(scratch_dir);
}

/* One rank runs out of memory while it opens, at any place: all get that error, and nobody waits. */
static int
open_without_memory(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    bool       failed = true;

    for (size_t nth = 1; failed && nth < 10000; nth += nth < 20 ? 1 : 13) {
        int64_t seen[3];
        int     ncid = -5, rc;

        if (comm->rank == 1)
            fail_allocation(nth);
        rc = j->steps > 0 ? nczarr_create_par(j->path, NC_NETCDF4, comm, &ncid)
                          : nczarr_open_par(j->path, NC_WRITE, comm, &ncid);
        seen[0] = rc;
        seen[1] = -rc;
        seen[2] = comm->rank == 1 && end_failing();
        RANK_CHECK(comm->allreduce_max(comm->context, seen, 3) == NC_NOERR);
        failed = seen[2] != 0;
        RANK_CHECK(seen[0] == -seen[1] && (rc == NC_NOERR || (failed && rc == NC_ENOMEM && ncid == -5)));
        RANK_CHECK(nth > 1 || rc == NC_ENOMEM);
        RANK_CHECK(rc != NC_NOERR || nc_close(ncid) == NC_NOERR);
    }
    return 0;
}

TEST(one_rank_without_memory_fails_all)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr"), .steps = 1};

    assert_int_equal(ranks_as_processes(3, open_without_memory, &j, -1), 0);
    j.steps = 0;
    assert_int_equal(ranks_as_processes(3, open_without_memory, &j, -1), 0);
    scratch_empty(scratch_dir);
}

/* ---- others beside the ranks ------------------------------------------------------------------------------------ */

/* A session without a communicator makes the dimension longer than any rank does: all ranks learn it. */
static int
append_beside_another(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    int        ncid, varid, other, values[NX] = {0};

    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define(ncid, NX, &varid) == NC_NOERR);
    RANK_CHECK(nc_var_par_access(ncid, varid, NC_COLLECTIVE) == NC_NOERR);
    RANK_CHECK(put_step(comm, ncid, varid, 0) == NC_NOERR && nc_sync(ncid) == NC_NOERR);
    if (comm->rank == 1) {
        RANK_CHECK(nc_open(j->path, NC_WRITE, &other) == NC_NOERR);
        RANK_CHECK(nc_put_vara_int(other, varid, (size_t[]){7, 0}, (size_t[]){1, NX}, values) == NC_NOERR);
        RANK_CHECK(nc_close(other) == NC_NOERR);
    }
    RANK_CHECK(put_step(comm, ncid, varid, 1) == NC_NOERR); /* after the other has closed: rank 1 takes part */
    RANK_CHECK(length_of(ncid, 0) == 2);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(length_of(ncid, 0) == 8 && has_steps(ncid, varid, 2));
    RANK_CHECK(put_step(comm, ncid, varid, 8) == NC_NOERR);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    RANK_CHECK(nc_open(j->path, NC_NOWRITE, &other) == NC_NOERR);
    RANK_CHECK(length_of(other, 0) == 9);
    RANK_CHECK(nc_get_vara_int(other, varid, (size_t[]){8, 0}, (size_t[]){1, NX}, values) == NC_NOERR);
    RANK_CHECK(values[NX - 1] == value_at(8, NX - 1));
    RANK_CHECK(nc_close(other) == NC_NOERR);
    return 0;
}

TEST(ranks_append_beside_another_process)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};

    ranks_of_both_kinds(scratch_dir, 3, append_beside_another, &j);
}

/* ---- the machine is shared --------------------------------------------------------------------------------------- */

/* The ranks of a machine divide its CPUs, unless a program sets a number of threads. */
static int
divide_threads(const nczarr_comm *comm, void *arg)
{
    const job  *j = arg;
    nczarr_comm mine = *comm;
    int         ncid, cpus;

    (void)unsetenv("NCZARR_THREADS");
    mine.node_ranks = 1;
    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4, &mine, &ncid) == NC_NOERR && nc_close(ncid) == NC_NOERR);
    RANK_CHECK(nczarr_set_threads(0) == NC_NOERR && (cpus = nczarr_get_threads()) >= 1);
    mine.node_ranks = 2;
    RANK_CHECK(nczarr_open_par(j->path, NC_WRITE, &mine, &ncid) == NC_NOERR);
    RANK_CHECK(nczarr_get_threads() == (cpus + 1) / 2);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    RANK_CHECK(nczarr_set_threads(3) == NC_NOERR);
    RANK_CHECK(nczarr_open_par(j->path, NC_WRITE, &mine, &ncid) == NC_NOERR);
    RANK_CHECK(nczarr_get_threads() == 3);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(ranks_of_a_machine_divide_its_threads)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};

    if (!ranks_have_threads())
        skip();
    assert_int_equal(ranks_as_processes(2, divide_threads, &j, -1), 0);
    scratch_empty(scratch_dir);
}

/* A rank that writes gets the chunks that it asks for, and no others: they may change. */
static int
read_in_turn(const nczarr_comm *comm, void *arg)
{
    const job    *j = arg;
    nczarr_counts counts = {.size = sizeof counts};
    int           ncid, varid, values[NX];

    RANK_CHECK(nczarr_set_threads(4) == NC_NOERR);
    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define(ncid, NX, &varid) == NC_NOERR);
    RANK_CHECK(nc_var_par_access(ncid, varid, NC_COLLECTIVE) == NC_NOERR);
    for (size_t t = 0; t < 12; t++)
        RANK_CHECK(put_step(comm, ncid, varid, t) == NC_NOERR);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    RANK_CHECK(nczarr_open_par(j->path, NC_WRITE, comm, &ncid) == NC_NOERR);
    for (size_t t = 0; t < 12; t++) {
        unsigned long long before;

        RANK_CHECK(nczarr_stats(ncid, &counts) == NC_NOERR);
        before = counts.gets;
        RANK_CHECK(nc_get_vara_int(ncid, varid, (size_t[]){t, 0}, (size_t[]){1, NX}, values) == NC_NOERR);
        RANK_CHECK(nczarr_stats(ncid, &counts) == NC_NOERR && counts.gets == before + 1);
    }
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(ranks_in_turn_read_nothing_ahead)
{
    job j = {.path = scratch_path(scratch_dir, "a.zarr")};

    if (!ranks_have_threads())
        skip();
    assert_int_equal(ranks_as_processes(2, read_in_turn, &j, -1), 0);
    scratch_empty(scratch_dir);
}

/* ---- a rank is killed ------------------------------------------------------------------------------------------ */

/* Writes steps until the victim kills itself before its step `steps`; then all others get errors. */
static int
lose_a_rank(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    int        ncid, varid, rc = NC_NOERR;

    RANK_CHECK(nczarr_create_par(j->path, NC_NETCDF4, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define(ncid, NX / (size_t)comm->nranks, &varid) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_NOERR);
    RANK_CHECK(nc_var_par_access(ncid, varid, NC_COLLECTIVE) == NC_NOERR);
    for (size_t t = 0; rc == NC_NOERR && t < 6; t++) {
        if (comm->rank == j->victim && (int)t == j->steps)
            (void)raise(SIGKILL);
        rc = put_step(comm, ncid, varid, t);
        if (rc == NC_NOERR)
            rc = nc_sync(ncid);
    }
    RANK_CHECK(rc == NC_EIO && says("communicator"));
    RANK_CHECK(nc_sync(ncid) == NC_EIO);
    RANK_CHECK(nc_close(ncid) == NC_EIO);
    return 0;
}

TEST(a_killed_rank_leaves_whole_steps)
{
    for (int victim = 0; victim < 3; victim++)
        for (int steps = 1; steps < 3; steps++) {
            job j = {.path = scratch_path(scratch_dir, "a.zarr"), .steps = steps, .victim = victim};
            int ncid, varid;

            assert_int_equal(ranks_as_processes(3, lose_a_rank, &j, victim), 0);
            assert_int_equal(nc_open(j.path, NC_NOWRITE, &ncid), NC_NOERR);
            assert_int_equal(nc_inq_varid(ncid, "v", &varid), NC_NOERR);
            assert_true(length_of(ncid, 0) == (size_t)steps);
            assert_true(has_steps(ncid, varid, (size_t)steps));
            assert_int_equal(nc_close(ncid), NC_NOERR);
            scratch_empty(scratch_dir);
        }
}

int
main(void)
{
    return run_file_tests(scratch_set_up, scratch_tear_down);
}
