/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data that lie elsewhere, where features meet: a set of references, an aggregation, files that are joined and an
 * Icechunk repository, each read by many threads, ahead of the read, in a child after a fork, and not written.
 */
#include "api_test.h"
#include "contract/host.h"
#include "support/scratch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 10, COLS = 20, ALL = ROWS * COLS, THREADS = 16 };

typedef struct kind {
    const char *path; /* in the scratch directory, or NULL: */
    const char *data; /* a file of tests/data */
} kind;

static const kind kinds[] = {
    {"set.json", NULL}, {"all.nc", NULL}, {"part_?.nc#mode=join&along=y", NULL}, {NULL, "icechunk/spec2"}};

/* ---- the datasets ---- */

/* Two files along y, what joins them, and a set of references of one file. */
static void
make_parts(void)
{
    static const char *const names[] = {"part_0.nc", "part_1.nc"};
    char                     paths[2][500];
    const char              *both[2] = {paths[0], paths[1]};

    for (int i = 0; i < 2; i++) {
        float values[ALL / 2];
        int   nc, dims[2], v;

        snprintf(paths[i], sizeof paths[i], "%s/%s", scratch_dir, names[i]);
        OK(nc_create(paths[i], NC_NETCDF4, &nc));
        OK(nc_def_dim(nc, "y", ROWS / 2, &dims[0]));
        OK(nc_def_dim(nc, "x", COLS, &dims[1]));
        OK(nc_def_var(nc, "temp", NC_FLOAT, 2, dims, &v));
        OK(nc_def_var_chunking(nc, v, NC_CHUNKED, i == 0 ? (size_t[]){2, 7} : (size_t[]){3, COLS}));
        for (int k = 0; k < ALL / 2; k++)
            values[k] = (float)(i * ALL / 2 + k);
        OK(nc_put_var_float(nc, v, values));
        OK(nc_close(nc));
    }
    OK(nczarr_join(2, both, "y", scratch_path(scratch_dir, "all.nc"), NC_NETCDF4));
}

static void
make_set(void)
{
    static const char head[] =
        "{\".zgroup\": {\"zarr_format\": 2}, \"temp/.zattrs\": {\"_ARRAY_DIMENSIONS\": [\"y\", \"x\"]}, "
        "\"temp/.zarray\": {\"zarr_format\": 2, \"shape\": [10, 20], \"chunks\": [2, 20], \"dtype\": \"<f4\", "
        "\"order\": \"C\", \"compressor\": null, \"filters\": null, \"fill_value\": null}";
    char  text[2000];
    float values[ALL];
    int   len = snprintf(text, sizeof text, "%s", head);

    for (int k = 0; k < ALL; k++)
        values[k] = (float)k;
    for (int i = 0; i < ROWS / 2; i++)
        len += snprintf(text + len, sizeof text - (size_t)len, ", \"temp/%d.0\": [\"values\", %d, %d]", i,
                        i * 2 * COLS * 4, 2 * COLS * 4);
    len += snprintf(text + len, sizeof text - (size_t)len, "}");
    scratch_write(scratch_path(scratch_dir, "values"), values, sizeof values);
    scratch_write(scratch_path(scratch_dir, "set.json"), text, (size_t)len);
}

static int
set_up(void **state)
{
    int rc = scratch_set_up(state);

    if (rc == 0) {
        make_parts();
        make_set();
    }
    return rc;
}

static const char *
path_of(const kind *k)
{
    return k->path != NULL ? scratch_path(scratch_dir, k->path) : scratch_path(NCZ_TEST_DATA, k->data);
}

/* ---- readers ---- */

typedef struct reading {
    char         path[600];
    int          ncid; /* of all threads; -1: each has its own */
    const float *want;
    unsigned     seed;
    bool         good;
} reading;

/* A box of a pseudo-random place; whether its values are those. */
static bool
read_box(int ncid, const float *want, unsigned *seed, bool ahead)
{
    size_t start[2], count[2];
    float  got[ALL];
    int    v;

    for (int d = 0; d < 2; d++) {
        size_t n = d == 0 ? ROWS : COLS;

        *seed = *seed * 1103515245u + 12345u;
        start[d] = (*seed >> 16) % n;
        count[d] = 1 + (*seed >> 8) % (n - start[d]);
    }
    if (nc_inq_varid(ncid, "temp", &v) != NC_NOERR ||
        (ahead && nczarr_prefetch_vara(ncid, v, start, count) != NC_NOERR) ||
        nc_get_vara_float(ncid, v, start, count, got) != NC_NOERR)
        return false;
    for (size_t i = 0; i < count[0]; i++)
        for (size_t j = 0; j < count[1]; j++)
            if (got[i * count[1] + j] != want[(start[0] + i) * COLS + start[1] + j])
                return false;
    return true;
}

static void *
read_boxes(void *arg)
{
    reading *r = arg;
    int      ncid = r->ncid;

    r->good = ncid >= 0 || nc_open(r->path, NC_NOWRITE, &ncid) == NC_NOERR;
    for (int i = 0; i < 20 && r->good; i++)
        r->good = read_box(ncid, r->want, &r->seed, i % 3 == 0);
    if (r->ncid < 0 && ncid >= 0)
        r->good = nc_close(ncid) == NC_NOERR && r->good;
    return NULL;
}

static void
load(const char *path, int *ncid, float *want)
{
    int v;

    OK(nc_open(path, NC_NOWRITE, ncid));
    OK(nc_inq_varid(*ncid, "temp", &v));
    OK(nc_get_var_float(*ncid, v, want));
}

TEST_WITH(many_threads_read, set_up, scratch_tear_down)
{
    for (size_t k = 0; k < 2 * NCZ_LEN(kinds); k++) {
        const char *path = path_of(&kinds[k / 2]);
        float       want[ALL];
        reading     r[THREADS];
        pthread_t   thread[THREADS];
        int         first, shared;

        load(path, &first, want);
        OK(nc_open(path, NC_NOWRITE, &shared)); /* nothing of it is in memory */
        for (unsigned i = 0; i < THREADS; i++) {
            r[i] = (reading){.ncid = k % 2 == 0 ? shared : -1, .want = want, .seed = i + 1};
            snprintf(r[i].path, sizeof r[i].path, "%s", path);
            assert_int_equal(pthread_create(&thread[i], NULL, read_boxes, &r[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(thread[i], NULL), 0);
            assert_true(r[i].good);
        }
        OK(nc_close(shared));
        OK(nc_close(first));
    }
}

/* ---- forks ---- */

/* A child that reads what the parent has open, opens it itself, and closes both. */
static bool
child_reads(const char *path, int ncid, const float *want)
{
    unsigned seed = 7;
    int      own, status;
    pid_t    pid = fork();

    if (pid == 0) {
        bool good = true;

        (void)alarm(60);
        for (int i = 0; i < 5 && good; i++)
            good = read_box(ncid, want, &seed, i == 1);
        good = good && nc_open(path, NC_NOWRITE, &own) == NC_NOERR && read_box(own, want, &seed, false);
        _exit(good && nc_close(own) == NC_NOERR && nc_close(ncid) == NC_NOERR ? 0 : 1);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

TEST_WITH(a_child_reads_what_its_parent_opened, set_up, scratch_tear_down)
{
    if (!host_child_has_threads())
        skip();
    for (size_t k = 0; k < NCZ_LEN(kinds); k++) {
        const char *path = path_of(&kinds[k]);
        float       want[ALL];
        unsigned    seed = 3;
        int         read_before, fresh, v;

        load(path, &read_before, want);
        OK(nc_open(path, NC_NOWRITE, &fresh));
        assert_true(child_reads(path, read_before, want));
        assert_true(child_reads(path, fresh, want));
        OK(nc_inq_varid(fresh, "temp", &v));
        OK(nczarr_prefetch_vara(fresh, v, (size_t[]){0, 0}, (size_t[]){ROWS, COLS}));
        assert_true(child_reads(path, fresh, want));
        assert_true(read_box(fresh, want, &seed, false) && read_box(read_before, want, &seed, true));
        OK(nc_close(fresh));
        OK(nc_close(read_before));
    }
}

/* ---- writers ---- */

TEST_WITH(nothing_of_it_is_written, set_up, scratch_tear_down)
{
    for (size_t k = 0; k < NCZ_LEN(kinds); k++) {
        const char *path = path_of(&kinds[k]);
        float       want[ALL], one = 1;
        unsigned    seed = 5;
        int         nc, v, id, rc;

        load(path, &nc, want);
        OK(nc_inq_varid(nc, "temp", &v));
        FAILS(NC_EPERM, nc_redef(nc));
        FAILS(NC_EPERM, nc_def_dim(nc, "more", 2, &id));
        FAILS(NC_EPERM, nc_def_var(nc, "more", NC_INT, 0, NULL, &id));
        FAILS(NC_EPERM, nc_def_grp(nc, "more", &id));
        FAILS(NC_EPERM, nc_put_att_text(nc, v, "units", 1, "K"));
        FAILS(NC_EPERM, nc_rename_var(nc, v, "other"));
        FAILS(NC_EPERM, nc_put_var1_float(nc, v, (size_t[]){0, 0}, &one));
        assert_non_null(strstr(nczarr_errmsg(), "read-only"));
        OK(nc_sync(nc));
        assert_true(read_box(nc, want, &seed, false));
        OK(nc_close(nc));
        rc = nc_open(path, NC_WRITE, &nc); /* an aggregation's own variables can be */
        assert_int_equal(rc, k == 1 ? NC_NOERR : NC_EPERM);
        if (rc == NC_NOERR)
            OK(nc_close(nc));
    }
}
