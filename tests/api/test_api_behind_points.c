/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing behind where the background thread stores at one moment of a put, whichever it is, and at all of them:
 * whatever is stored then, the file ends as that of puts that store nothing behind.
 *
 * The thread can only begin, or go on, where the calling thread does not have the engine's lock. So the program is
 * linked with wrappers of the lock and of the calls that change the file, and runs the thread's step itself before and
 * after each of them. No thread is started.
 */
#include "chunk/chunk_engine.h" /* before the next, which has a name that it uses */

#include "api_test.h"
#include "support/scratch.h"

#include <limits.h>

enum { ROWS = 3, COLUMNS = 4, CELLS = ROWS * COLUMNS, RECORDS = 21, PUTS = 7 };

/* ---- the seam ---- */

static struct {
    ncz_job *job; /* that was woken last; its engine is the one that is watched */
    bool     on, woken, inside;
    long     n, at; /* the moments so far; the one at which the job runs, or 0: at each */
} seam;

static ncz_engine *
watched_engine(void)
{
    return seam.job == NULL ? NULL : (ncz_engine *)(void *)((char *)seam.job - offsetof(ncz_engine, behind.job));
}

/* Whether the step would wait for the calling thread, for ever. */
static bool
would_wait(ncz_engine *e)
{
    bool free = pthread_mutex_trylock(&e->cells.lock) == 0;

    if (free)
        (void)pthread_mutex_unlock(&e->cells.lock);
    return !free || atomic_load(&e->objects.window.sharing) != 0 ||
           atomic_load(&e->objects.window.alone) != NCZ_RWLOCK_FREE;
}

/* All that the thread can do now. */
static void
run_job(void)
{
    seam.inside = true;
    while (seam.woken) {
        seam.woken = false;
        while (seam.job->step(seam.job))
            continue;
    }
    seam.inside = false;
}

static void
pass_moment(void)
{
    if (!seam.on || seam.inside || seam.job == NULL)
        return;
    seam.inside = true;
    if (would_wait(watched_engine())) {
        seam.inside = false;
        return;
    }
    seam.inside = false;
    seam.n++;
    if (seam.at == 0 || seam.n == seam.at)
        run_job();
}

static bool
is_watched(const pthread_mutex_t *m)
{
    return seam.on && !seam.inside && seam.job != NULL && m == &watched_engine()->cells.lock;
}

#define WRAPPED(type, name, ...)                                                                                     \
    type __real_##name(__VA_ARGS__);                                                                                 \
    type __wrap_##name(__VA_ARGS__);                                                                                 \
    type __wrap_##name(__VA_ARGS__)

WRAPPED(bool, ncz_background_wake, ncz_job *job)
{
    if (!seam.on)
        return __real_ncz_background_wake(job);
    seam.job = job;
    seam.woken = true;
    return true;
}

WRAPPED(void, ncz_background_end, ncz_job *job)
{
    __real_ncz_background_end(job);
    if (seam.job == job) {
        seam.job = NULL;
        seam.woken = false;
    }
}

WRAPPED(int, pthread_mutex_lock, pthread_mutex_t *m)
{
    if (is_watched(m))
        pass_moment();
    return __real_pthread_mutex_lock(m);
}

WRAPPED(int, pthread_mutex_unlock, pthread_mutex_t *m)
{
    bool watched = is_watched(m);
    int  err = __real_pthread_mutex_unlock(m);

    if (watched)
        pass_moment();
    return err;
}

/* Who waits for the thread lets it do all that it can. */
WRAPPED(int, pthread_cond_wait, pthread_cond_t *c, pthread_mutex_t *m)
{
    if (!is_watched(m))
        return __real_pthread_cond_wait(c, m);
    assert_true(seam.woken);
    (void)__real_pthread_mutex_unlock(m);
    run_job();
    return __real_pthread_mutex_lock(m);
}

WRAPPED(int, zmap_put_range, zmap *m, const char *key, uint64_t off, const void *data, size_t len)
{
    int rc;

    pass_moment();
    rc = __real_zmap_put_range(m, key, off, data, len);
    pass_moment();
    return rc;
}

WRAPPED(int, zmap_resize, zmap *m, const char *key, uint64_t size)
{
    int rc;

    pass_moment();
    rc = __real_zmap_resize(m, key, size);
    pass_moment();
    return rc;
}

/* ---- the program ---- */

typedef struct vars {
    int cells, number, text, fixed; /* cells(t, y, x), number(t), text(t, x), fixed(y, x) */
} vars;

static void
define(int ncid, bool alone, vars *v)
{
    int t, y, x;

    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &t));
    OK(nc_def_dim(ncid, "y", ROWS, &y));
    OK(nc_def_dim(ncid, "x", COLUMNS, &x));
    *v = (vars){.number = -1, .text = -1, .fixed = -1};
    OK(nc_def_var(ncid, "cells", NC_INT, 3, (int[]){t, y, x}, &v->cells));
    if (!alone) {
        OK(nc_def_var(ncid, "number", NC_DOUBLE, 1, &t, &v->number));
        OK(nc_def_var(ncid, "text", NC_CHAR, 2, (int[]){t, x}, &v->text));
        OK(nc_def_var(ncid, "fixed", NC_FLOAT, 2, (int[]){y, x}, &v->fixed));
    }
    OK(nc_enddef(ncid));
}

static int
cell_of(size_t record, size_t i)
{
    return (int)(record * 100 + i + 1);
}

/* Puts the cells of a record in one of the ways that there are; `way` 3: and those of the next one. */
static void
put_cells(int ncid, int varid, size_t r, int way)
{
    int b[2 * CELLS], turned[CELLS];

    for (size_t i = 0; i < CELLS; i++) {
        b[i] = cell_of(r, i);
        b[CELLS + i] = cell_of(r + 1, i);
        turned[i % COLUMNS * ROWS + i / COLUMNS] = b[i];
    }
    switch (way) {
    case 0: OK(nc_put_vara_int(ncid, varid, (size_t[]){r, 0, 0}, (size_t[]){1, ROWS, COLUMNS}, b)); break;
    case 1:
        for (size_t i = 0; i < CELLS; i++)
            OK(nc_put_var1_int(ncid, varid, (size_t[]){r, i / COLUMNS, i % COLUMNS}, &b[i]));
        break;
    case 2:
        for (size_t k = 0; k < 2; k++)
            OK(nc_put_vars_int(ncid, varid, (size_t[]){r, 0, k}, (size_t[]){1, ROWS, 2}, (ptrdiff_t[]){1, 1, 2},
                               (int[]){b[k], b[k + 2], b[k + 4], b[k + 6], b[k + 8], b[k + 10]}));
        break;
    case 3: OK(nc_put_vara_int(ncid, varid, (size_t[]){r, 0, 0}, (size_t[]){2, ROWS, COLUMNS}, b)); break;
    case 4:
        OK(nc_put_varm_int(ncid, varid, (size_t[]){r, 0, 0}, (size_t[]){1, ROWS, COLUMNS}, NULL,
                           (ptrdiff_t[]){CELLS, 1, ROWS}, turned));
        break;
    case 5: /* from the last row to the first */
        for (size_t y = ROWS; y-- > 0;)
            OK(nc_put_vara_int(ncid, varid, (size_t[]){r, y, 0}, (size_t[]){1, 1, COLUMNS}, b + y * COLUMNS));
        break;
    default: /* the next record first */
        OK(nc_put_vara_int(ncid, varid, (size_t[]){r + 1, 0, 0}, (size_t[]){1, ROWS, COLUMNS}, b + CELLS));
        OK(nc_put_vara_int(ncid, varid, (size_t[]){r, 0, 0}, (size_t[]){1, ROWS, COLUMNS}, b));
        break;
    }
}

/* The other variables of a record, before its cells or after them. */
static void
put_others(int ncid, const vars *v, size_t r)
{
    double number = (double)r + 0.5;
    char   text[COLUMNS + 1];
    float  row[COLUMNS];

    if (v->number < 0)
        return;
    snprintf(text, sizeof text, "r%03zu", r % 1000);
    for (size_t i = 0; i < COLUMNS; i++)
        row[i] = (float)(r * 10 + i);
    OK(nc_put_var1_double(ncid, v->number, &r, &number));
    if (r % 3 != 1) /* of the others all is fill */
        OK(nc_put_vara_text(ncid, v->text, (size_t[]){r, 0}, (size_t[]){1, r % 2 == 0 ? COLUMNS : 2}, text));
    OK(nc_put_vara_float(ncid, v->fixed, (size_t[]){r % ROWS, 0}, (size_t[]){1, COLUMNS}, row));
}

static void
put_record(int ncid, const vars *v, size_t r)
{
    int way = (int)(r % PUTS), seen[CELLS];

    if (r % 4 < 2)
        put_others(ncid, v, r);
    put_cells(ncid, v->cells, r, way);
    if (r % 4 >= 2)
        put_others(ncid, v, r);
    if (r % 5 == 4)
        OK(nc_sync(ncid));
    OK(nc_get_vara_int(ncid, v->cells, (size_t[]){r, 0, 0}, (size_t[]){1, ROWS, COLUMNS}, seen));
    for (size_t i = 0; i < CELLS; i++)
        assert_int_equal(seen[i], cell_of(r, i));
}

/* One way after the other, or each several times, as a program that appends does. */
static void
run_program(const char *path, int flags, bool alone)
{
    int  ncid;
    vars v;

    OK(nc_create(path, flags | NC_CLOBBER, &ncid));
    define(ncid, alone, &v);
    for (size_t r = 0; r < RECORDS; r++)
        put_record(ncid, &v, r);
    OK(nc_redef(ncid));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "late", 3, "yes"));
    OK(nc_enddef(ncid));
    for (size_t r = RECORDS; r < RECORDS + PUTS; r++) {
        put_cells(ncid, v.cells, r, 0);
        if (v.number >= 0)
            OK(nc_put_var1_double(ncid, v.number, &r, &(double){(double)r}));
    }
    OK(nc_close(ncid));
}

/* ---- the results ---- */

/* The variables' values, with the lengths of dimensions, as one block. */
static char *
read_values(const char *path, size_t *len)
{
    char  *all = NULL;
    size_t n = 0;
    int    ncid, nvars;

    OK(nc_open(path, NC_NOWRITE, &ncid));
    OK(nc_inq_nvars(ncid, &nvars));
    for (int v = 0; v < nvars; v++) {
        int     rank, dims[3];
        nc_type type;
        size_t  nbytes;

        OK(nc_inq_var(ncid, v, NULL, &type, &rank, dims, NULL));
        OK(nc_inq_type(ncid, type, NULL, &nbytes));
        for (int d = 0; d < rank; d++) {
            size_t length;

            OK(nc_inq_dimlen(ncid, dims[d], &length));
            nbytes *= length;
        }
        assert_non_null(all = realloc(all, n + nbytes + 1));
        OK(nc_get_var(ncid, v, all + n));
        n += nbytes;
    }
    OK(nc_close(ncid));
    *len = n;
    return all;
}

/* A way to store. */
typedef struct kind {
    const char *name;
    int         flags;
    const char *fragment;
    bool        bytes; /* the file itself is compared */
    long        step;  /* from one moment to the next: the seed says where they begin */
} kind;

static char *
read_result(const kind *k, const char *path, size_t *len)
{
    return k->bytes ? scratch_read(path, len) : read_values(path, len);
}

/* Runs the program behind, with the job at the moment `at`, and compares. Returns how many moments there were. */
static long
run_behind(const kind *k, const char *room, bool alone, long at, const char *want, size_t nwant)
{
    char   path[400], *got;
    size_t ngot;

    snprintf(path, sizeof path, "%s#%s&write=behind&behind_bytes=%s", scratch_path(scratch_dir, k->name), k->fragment,
             room);
    memset(&seam, 0, sizeof seam);
    seam.at = at;
    seam.on = true;
    run_program(path, k->flags, alone);
    seam.on = false;
    *strchr(path, '#') = '\0';
    got = read_result(k, path, &ngot);
    if (ngot != nwant || memcmp(got, want, nwant) != 0)
        fail_msg("%s, behind_bytes=%s, %s: with a store at moment %ld (0: each) something else is there than without",
                 k->name, room, alone ? "one variable" : "four variables", at);
    free(got);
    return seam.n;
}

static void
each_moment(const kind *k, const char *room, bool alone)
{
    char   path[400], *want;
    size_t nwant;
    long   n;

    snprintf(path, sizeof path, "%s#%s", scratch_path(scratch_dir, k->name), k->fragment);
    run_program(path, k->flags, alone);
    *strchr(path, '#') = '\0';
    want = read_result(k, path, &nwant);
    n = run_behind(k, room, alone, 0, want, nwant);
    assert_true(n > 100);
    n = run_behind(k, room, alone, LONG_MAX, want, nwant);
    for (long at = 1 + (long)(test_seed() % (unsigned long)k->step); at <= n; at += k->step)
        (void)run_behind(k, room, alone, at, want, nwant);
    free(want);
}

static const kind kinds[] = {
    {"f1.nc", 0, "mode=cdf1", true, 11},
    {"f2.nc", NC_64BIT_OFFSET, "mode=cdf2", true, 3},
    {"f5.nc", NC_64BIT_DATA, "mode=cdf5", true, 11},
    {"z2.zarr", NC_NETCDF4, "mode=nczarr", false, 23},
    {"z3.zarr", NC_NETCDF4, "mode=nczarr,v3", false, 23},
};

TEST_WITH(some_wait, scratch_set_up, scratch_tear_down)
{
    for (size_t i = 0; i < NCZ_LEN(kinds); i++)
        for (int alone = 0; alone < 2; alone++)
            each_moment(&kinds[i], kinds[i].bytes ? "150000" : "300", alone);
}

TEST_WITH(none_wait, scratch_set_up, scratch_tear_down)
{
    for (size_t i = 0; i < NCZ_LEN(kinds); i++)
        each_moment(&kinds[i], "1", i % 2 == 0);
}

int
main(void)
{
    if (access("/dev/shm", W_OK | X_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    nczarr_set_threads(1);
    return run_file_tests(NULL, NULL);
}
