/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that write one classic netCDF file: it has the same bytes as the one that a single process writes with the same
 * calls. Seeded histories of definitions and puts, collective and independent; and single cases by themselves.
 */
#include "support/test.h"

#include "ranks.h"
#include "support/scratch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- who writes ------------------------------------------------------------------------------------------------- */

/* The ranks [first, last) that this process is: one of them, or all of them where it writes alone. */
typedef struct writer {
    const nczarr_comm *comm; /* NULL: alone */
    int                first, last, nranks;
    char               path[500];
    int                ncid;
} writer;

static int
create(writer *w, int cmode)
{
    return w->comm != NULL ? nczarr_create_par(w->path, cmode, w->comm, &w->ncid)
                           : nc_create(w->path, cmode, &w->ncid);
}

static int
reopen(writer *w)
{
    return w->comm != NULL ? nczarr_open_par(w->path, NC_WRITE, w->comm, &w->ncid)
                           : nc_open(w->path, NC_WRITE, &w->ncid);
}

static writer
writer_of(const nczarr_comm *comm, int nranks, const char *name)
{
    writer w = {.comm = comm, .first = 0, .last = nranks, .nranks = nranks};

    if (comm != NULL) {
        w.first = comm->rank;
        w.last = comm->rank + 1;
    }
    snprintf(w.path, sizeof w.path, "%s/%s.nc", scratch_dir, name);
    return w;
}

/* ---- a history -------------------------------------------------------------------------------------------------- */

#define NVARS_MOST 12
#define NBOXES     64

typedef struct box {
    int    var;
    size_t start[3], count[3];
    size_t stride[3];
} box;

typedef struct history {
    unsigned seed;
    writer  *w;
    size_t   len[3]; /* of t, y, x; records so far */
    int      nvars, ndims[NVARS_MOST], dims[NVARS_MOST][3];
    box      put[NBOXES]; /* all of them; from `synced` on those that an nc_sync() has not stored yet */
    size_t   nput, synced;
    bool     nofill;
    bool     collective[NVARS_MOST];
} history;

#define TRY(call)                                                                                                    \
    do {                                                                                                             \
        int try_rc = (call);                                                                                         \
        if (try_rc != NC_NOERR) {                                                                                    \
            fprintf(stderr, "%s:%d: %s: %d, %s\n", __FILE__, __LINE__, #call, try_rc, nczarr_errmsg());              \
            return try_rc;                                                                                           \
        }                                                                                                            \
    } while (0)

static int
add_var(history *h)
{
    static const nc_type types[] = {NC_BYTE, NC_SHORT, NC_INT, NC_FLOAT, NC_DOUBLE};
    static const int     shapes[][4] = {{2, 1, 2}, {3, 0, 1, 2}, {1, 0}, {2, 0, 2}, {1, 1}, {2, 0, 1}};
    const int           *shape = shapes[ranks_draw(&h->seed, 6)];
    nc_type              type = types[ranks_draw(&h->seed, 5)];
    char                 name[16];
    int                  v;

    snprintf(name, sizeof name, "v%d", h->nvars);
    TRY(nc_def_var(h->w->ncid, name, type, shape[0], shape + 1, &v));
    if (ranks_draw(&h->seed, 3) == 0) {
        double fill = -7;

        TRY(nc_put_att_double(h->w->ncid, v, "_FillValue", type, 1, &fill));
    }
    h->ndims[v] = shape[0];
    memcpy(h->dims[v], shape + 1, (size_t)shape[0] * sizeof *shape);
    h->nvars++;
    return NC_NOERR;
}

static int
define(history *h)
{
    static const int modes[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA};
    int              id, old;

    TRY(create(h->w, modes[ranks_draw(&h->seed, 3)]));
    if ((h->nofill = ranks_draw(&h->seed, 4) == 0))
        TRY(nc_set_fill(h->w->ncid, NC_NOFILL, &old));
    TRY(nc_def_dim(h->w->ncid, "t", NC_UNLIMITED, &id));
    TRY(nc_def_dim(h->w->ncid, "y", h->len[1] = 2 + ranks_draw(&h->seed, 8), &id));
    TRY(nc_def_dim(h->w->ncid, "x", h->len[2] = 3 + ranks_draw(&h->seed, 40), &id));
    for (unsigned n = 1 + ranks_draw(&h->seed, 5); n > 0; n--)
        TRY(add_var(h));
    return nc_enddef(h->w->ncid);
}

static int
sync_all(history *h)
{
    h->synced = h->nput;
    return nc_sync(h->w->ncid);
}

/* More definitions: they move the data, or fit. */
static int
redefine(history *h)
{
    char text[3000], name[16];

    TRY(nc_redef(h->w->ncid));
    h->synced = h->nput;
    if (h->nvars < NVARS_MOST && ranks_draw(&h->seed, 2) == 0)
        TRY(add_var(h));
    memset(text, 'a', sizeof text);
    snprintf(name, sizeof name, "a%u", ranks_draw(&h->seed, 5));
    TRY(nc_put_att_text(h->w->ncid, NC_GLOBAL, name, ranks_draw(&h->seed, sizeof text), text));
    return ranks_draw(&h->seed, 3) == 0 ? nc__enddef(h->w->ncid, 100 * ranks_draw(&h->seed, 9), 4, 0, 4)
                                        : nc_enddef(h->w->ncid);
}

/* A box of a variable, perhaps strided or with new records. Its last index is inside. */
static box
draw_box(history *h)
{
    box b = {.var = (int)ranks_draw(&h->seed, (unsigned)h->nvars)};

    for (int d = 0; d < h->ndims[b.var]; d++) {
        size_t len = h->dims[b.var][d] == 0 ? h->len[0] + ranks_draw(&h->seed, 4) + 1 : h->len[h->dims[b.var][d]];

        b.stride[d] = ranks_draw(&h->seed, 4) == 0 ? 2 : 1;
        b.start[d] = ranks_draw(&h->seed, 2) == 0 ? 0 : ranks_draw(&h->seed, (unsigned)len);
        b.count[d] = (len - b.start[d] - 1) / b.stride[d] + 1;
        if (ranks_draw(&h->seed, 2) == 0)
            b.count[d] = 1 + ranks_draw(&h->seed, (unsigned)b.count[d]);
    }
    return b;
}

/* The part of one rank: every n-th index along a dimension, or a block. */
static box
part_of(const box *all, int d, bool every, int rank, int nranks)
{
    box    b = *all;
    size_t n = all->count[d], r = (size_t)rank, k = (size_t)nranks;

    if (every) {
        b.start[d] += r * all->stride[d];
        b.stride[d] *= k;
        b.count[d] = n > r ? (n - r - 1) / k + 1 : 0;
    } else {
        b.start[d] += n * r / k * all->stride[d];
        b.count[d] = n * (r + 1) / k - n * r / k;
    }
    if (b.count[d] == 0)
        b.start[d] = 0;
    return b;
}

static bool
meet(const box *a, const box *b, int ndims)
{
    if (a->var != b->var)
        return false;
    for (int d = 0; d < ndims; d++)
        if (a->start[d] > b->start[d] + (b->count[d] - 1) * b->stride[d] ||
            b->start[d] > a->start[d] + (a->count[d] - 1) * a->stride[d])
            return false;
    return true;
}

static int
put_part(history *h, const box *b, unsigned salt)
{
    size_t    n = 1;
    ptrdiff_t stride[3];
    double   *values;
    int       rc;

    for (int d = 0; d < h->ndims[b->var]; d++) {
        n *= b->count[d];
        stride[d] = (ptrdiff_t)b->stride[d];
    }
    if ((values = malloc((n + 1) * sizeof *values)) == NULL)
        return NC_ENOMEM;
    for (size_t i = 0; i < n; i++)
        values[i] = (double)((i + salt) % 120);
    rc = nc_put_vars_double(h->w->ncid, b->var, b->start, b->count, stride, values);
    free(values);
    return rc;
}

/* All ranks put parts of one box. */
static int
put(history *h)
{
    box      all = draw_box(h);
    int      ndims = h->ndims[all.var], d = (int)ranks_draw(&h->seed, (unsigned)ndims);
    bool     every = ranks_draw(&h->seed, 2) == 0, collective = ranks_draw(&h->seed, 2) == 0, again = false;
    unsigned salt = ranks_draw(&h->seed, 1000);

    for (size_t i = h->synced; i < h->nput; i++)
        again = again || meet(&all, &h->put[i], ndims);
    if (again)
        TRY(sync_all(h));
    h->put[h->nput++] = all;
    if (h->w->comm != NULL)
        TRY(nc_var_par_access(h->w->ncid, all.var, collective ? NC_COLLECTIVE : NC_INDEPENDENT));
    for (int r = h->w->first; r < h->w->last; r++) {
        box b = part_of(&all, d, every, r, h->w->nranks);

        if (b.count[d] != 0 || (collective && h->w->comm != NULL))
            TRY(put_part(h, &b, salt + (unsigned)r * 7));
    }
    if (h->dims[all.var][0] == 0) {
        size_t end = all.start[0] + (all.count[0] - 1) * all.stride[0] + 1;

        h->len[0] = end > h->len[0] ? end : h->len[0];
    }
    return NC_NOERR;
}

static int
run_history(history *h)
{
    writer *w = h->w;

    TRY(define(h));
    for (unsigned n = 5 + ranks_draw(&h->seed, 40); n > 0; n--) {
        unsigned what = ranks_draw(&h->seed, 20);

        if (what == 0) {
            TRY(sync_all(h));
        } else if (what == 1) {
            TRY(redefine(h));
        } else if (what == 2) {
            TRY(nc_close(w->ncid));
            TRY(reopen(w));
            h->synced = h->nput;
        } else {
            TRY(put(h));
        }
    }
    return nc_close(w->ncid);
}

typedef struct job {
    unsigned    seed;
    const char *name;
} job;

static int
run_on_rank(const nczarr_comm *comm, void *arg)
{
    const job *j = arg;
    writer     w = writer_of(comm, comm->nranks, j->name);
    history    h = {.seed = j->seed, .w = &w};

    RANK_CHECK(run_history(&h) == NC_NOERR);
    return 0;
}

/* Compares the bytes of two files. */
static void
check_same(const char *ranks, const char *alone, unsigned seed)
{
    size_t n = 0, m = 0, at = 0;
    char  *a = scratch_read(scratch_path(scratch_dir, ranks), &n),
         *b = scratch_read(scratch_path(scratch_dir, alone), &m);

    assert_non_null(a);
    assert_non_null(b);
    while (at < n && at < m && a[at] == b[at])
        at++;
    if (n != m || at < n)
        fail_msg("seed %u: %zu and %zu bytes, the first different one is %zu", seed, n, m, at);
    free(a);
    free(b);
}

/* What was put is the same in both files; what was not is undefined with NC_NOFILL. */
static void
check_puts(const history *h)
{
    int ncid[2];

    assert_int_equal(nc_open(scratch_path(scratch_dir, "ranks.nc"), NC_NOWRITE, &ncid[0]), NC_NOERR);
    assert_int_equal(nc_open(scratch_path(scratch_dir, "alone.nc"), NC_NOWRITE, &ncid[1]), NC_NOERR);
    for (size_t i = 0; i < h->nput; i++) {
        const box *b = &h->put[i];
        size_t     n = 1;
        ptrdiff_t  stride[3];
        double    *values[2];

        for (int d = 0; d < h->ndims[b->var]; d++) {
            n *= b->count[d];
            stride[d] = (ptrdiff_t)b->stride[d];
        }
        for (int k = 0; k < 2; k++) {
            values[k] = calloc(n, sizeof *values[k]);
            assert_non_null(values[k]);
            assert_int_equal(nc_get_vars_double(ncid[k], b->var, b->start, b->count, stride, values[k]), NC_NOERR);
        }
        assert_memory_equal(values[0], values[1], n * sizeof *values[0]);
        free(values[0]);
        free(values[1]);
    }
    assert_int_equal(nc_close(ncid[0]), NC_NOERR);
    assert_int_equal(nc_close(ncid[1]), NC_NOERR);
}

static void
one_history(unsigned seed, int n, bool threads)
{
    job     j = {.seed = seed, .name = "ranks"};
    writer  alone = writer_of(NULL, n, "alone");
    history h = {.seed = seed, .w = &alone};

    assert_int_equal(run_history(&h), NC_NOERR);
    assert_int_equal(threads ? ranks_as_threads(n, run_on_rank, &j) : ranks_as_processes(n, run_on_rank, &j, -1), 0);
    if (h.nofill)
        check_puts(&h);
    else
        check_same("ranks.nc", "alone.nc", seed);
    assert_int_equal(scratch_count(scratch_dir), 2); /* and nothing else is left */
    scratch_empty(scratch_dir);
}

TEST(histories_of_ranks_are_those_of_one_process)
{
    const char *few = getenv("NCZ_TEST_FEW"), *from = getenv("NCZ_TEST_SEED");
    unsigned    first = from != NULL ? (unsigned)strtoul(from, NULL, 10) : 1, n = few != NULL ? 12 : 80;

    for (unsigned seed = first; seed < first + n; seed++)
        one_history(seed, 1 + (int)(seed % 4), seed / 4 % 2 == 0);
}

/* ---- large variables: many pieces, at whose ends two ranks meet ------------------------------------------------- */

#define LARGE 400000 /* elements; more than three megabytes of doubles */

typedef struct large {
    const char *name;
    bool        collective, every, fill;
} large;

static int
write_large(writer *w, const large *l)
{
    static double values[LARGE];
    size_t        n = LARGE, k = (size_t)w->nranks;
    int           dims[2], v[3], old;

    TRY(create(w, NC_64BIT_DATA));
    if (!l->fill)
        TRY(nc_set_fill(w->ncid, NC_NOFILL, &old));
    TRY(nc_def_dim(w->ncid, "t", NC_UNLIMITED, &dims[0]));
    TRY(nc_def_dim(w->ncid, "x", n, &dims[1]));
    TRY(nc_def_var(w->ncid, "fixed", NC_DOUBLE, 1, dims + 1, &v[0]));
    TRY(nc_def_var(w->ncid, "bytes", NC_BYTE, 2, dims, &v[1]));
    TRY(nc_def_var(w->ncid, "doubles", NC_DOUBLE, 2, dims, &v[2]));
    TRY(nc_enddef(w->ncid));
    if (w->comm != NULL && l->collective)
        TRY(nc_var_par_access(w->ncid, NC_GLOBAL, NC_COLLECTIVE));
    for (int r = w->first; r < w->last; r++) {
        size_t    lo = n * (size_t)r / k, hi = n * ((size_t)r + 1) / k;
        size_t    start[] = {0, l->every ? (size_t)r : lo};
        size_t    count[] = {1, l->every ? (n - (size_t)r - 1) / k + 1 : hi - lo};
        ptrdiff_t stride[] = {1, l->every ? (ptrdiff_t)k : 1};

        for (size_t i = 0; i < count[1]; i++)
            values[i] = (double)((start[1] + i * (size_t)stride[1]) % 127);
        TRY(nc_put_vars_double(w->ncid, v[0], start + 1, count + 1, stride + 1, values));
        for (start[0] = 0; start[0] < 3; start[0]++) {
            TRY(nc_put_vars_double(w->ncid, v[1], start, count, stride, values));
            TRY(nc_put_vars_double(w->ncid, v[2], start, count, stride, values));
        }
    }
    return nc_close(w->ncid);
}

static int
large_on_rank(const nczarr_comm *comm, void *arg)
{
    writer w = writer_of(comm, comm->nranks, "ranks");

    RANK_CHECK(write_large(&w, arg) == NC_NOERR);
    return 0;
}

TEST(large_files_are_written_by_all_ranks)
{
    for (unsigned what = 0; what < 8; what++) {
        large  l = {.collective = what % 2 != 0, .every = what / 2 % 2 != 0, .fill = what / 4 != 0};
        writer alone = writer_of(NULL, 3, "alone");

        if (l.every && !l.collective)
            continue; /* a system call for each element */
        if (!test_drawn_sanitized(what / 2, 2))
            continue; /* these ranks are processes */
        assert_int_equal(write_large(&alone, &l), NC_NOERR);
        assert_int_equal(ranks_as_processes(3, large_on_rank, &l, -1), 0);
        check_same("ranks.nc", "alone.nc", what);
        scratch_empty(scratch_dir);
    }
}

/* ---- records that one rank adds alone --------------------------------------------------------------------------- */

static bool
says(const char *words)
{
    return strstr(nczarr_errmsg(), words) != NULL;
}

static size_t
length_of(int ncid, int dimid)
{
    size_t n = 0;

    return nc_inq_dimlen(ncid, dimid, &n) == NC_NOERR ? n : SIZE_MAX;
}

/* "t" and "x", and a variable of both; x has an element for each rank. */
static int
define_small(int ncid, int nranks, int *v)
{
    int dims[2], rc;

    if ((rc = nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0])) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "x", (size_t)nranks, &dims[1])) != NC_NOERR)
        return rc;
    return nc_def_var(ncid, "v", NC_INT, 2, dims, v);
}

/* Rank r adds the record 2 * r; the others see it after nc_sync(), and fill values in what nobody wrote. */
static int
add_records(const nczarr_comm *comm, void *arg)
{
    size_t r = (size_t)comm->rank, at[] = {2 * r, r}, n = 2 * (size_t)comm->nranks - 1;
    int    ncid, v, value;

    RANK_CHECK(nczarr_create_par(arg, NC_64BIT_OFFSET, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define_small(ncid, comm->nranks, &v) == NC_NOERR && nc_enddef(ncid) == NC_NOERR);
    value = (int)r + 1;
    RANK_CHECK(nc_put_var1_int(ncid, v, at, &value) == NC_NOERR && length_of(ncid, 0) == 2 * r + 1);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR && length_of(ncid, 0) == n);
    for (at[0] = 0; at[0] < n; at[0]++)
        for (at[1] = 0; at[1] < (size_t)comm->nranks; at[1]++) {
            RANK_CHECK(nc_get_var1_int(ncid, v, at, &value) == NC_NOERR);
            RANK_CHECK(value == (at[0] == 2 * at[1] ? (int)at[1] + 1 : NC_FILL_INT));
        }
    /* A collective put after them extends all to the same length. */
    at[0] = 50 + r;
    at[1] = r;
    RANK_CHECK(comm->rank != 0 || nc_put_var1_int(ncid, v, at, &value) == NC_NOERR);
    RANK_CHECK(nc_var_par_access(ncid, v, NC_COLLECTIVE) == NC_NOERR);
    RANK_CHECK(nc_put_var1_int(ncid, v, at, &value) == NC_NOERR);
    RANK_CHECK(length_of(ncid, 0) == 50 + (size_t)comm->nranks);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(ranks_add_records_independently)
{
    for (int n = 1; n <= 4; n++)
        ranks_of_both_kinds(scratch_dir, n, add_records, scratch_path(scratch_dir, "a.nc"));
}

/* What lies behind the last record of a file is no data: a writer that died left it. */
static int
append_behind_garbage(const nczarr_comm *comm, void *arg)
{
    size_t at[] = {2, (size_t)comm->rank};
    int    ncid, value = 7;

    RANK_CHECK(nczarr_open_par(arg, NC_WRITE, comm, &ncid) == NC_NOERR && length_of(ncid, 0) == 1);
    RANK_CHECK(comm->rank != 1 || nc_put_var1_int(ncid, 0, at, &value) == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR && length_of(ncid, 0) == 3);
    for (at[0] = 1; at[0] < 3; at[0]++)
        for (at[1] = 0; at[1] < 2; at[1]++) {
            RANK_CHECK(nc_get_var1_int(ncid, 0, at, &value) == NC_NOERR);
            RANK_CHECK(value == (at[0] == 2 && at[1] == 1 ? 7 : NC_FILL_INT));
        }
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(bytes_behind_the_records_are_not_data)
{
    char  *path = scratch_path(scratch_dir, "a.nc");
    size_t n = 0;
    int    ncid, v;

    assert_int_equal(nc_create(path, NC_CLOBBER, &ncid), NC_NOERR);
    assert_int_equal(define_small(ncid, 2, &v), NC_NOERR);
    assert_int_equal(nc_enddef(ncid), NC_NOERR);
    assert_int_equal(nc_put_var1_int(ncid, v, (size_t[]){0, 0}, &(int){5}), NC_NOERR);
    assert_int_equal(nc_close(ncid), NC_NOERR);
    for (int k = 0; k < 2; k++) {
        char *bytes = scratch_read(path, &n), *more = calloc(1, n + 80);

        assert_non_null(bytes);
        assert_non_null(more);
        memcpy(more, bytes, n);
        memset(more + n, 'g', 80);
        scratch_write(path, more, n + 80);
        free(more);
        assert_int_equal(k == 0 ? ranks_as_processes(2, append_behind_garbage, path, -1)
                                : ranks_as_threads(2, append_behind_garbage, path),
                         0);
        scratch_write(path, bytes, n);
        free(bytes);
    }
    scratch_empty(scratch_dir);
}

/* ---- agreement, errors, abort ----------------------------------------------------------------------------------- */

static int
disagree(const nczarr_comm *comm, void *arg)
{
    bool last = comm->rank == comm->nranks - 1;
    char text[20];
    int  ncid, v, x;

    RANK_CHECK(nczarr_create_par(arg, NC_64BIT_DATA, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define_small(ncid, comm->nranks, &v) == NC_NOERR);
    RANK_CHECK(nc_def_dim(ncid, last ? "y" : "z", 4, &x) == NC_NOERR);
    RANK_CHECK(nc_enddef(ncid) == NC_EINVAL && says("definitions differ"));
    RANK_CHECK(last || nc_rename_dim(ncid, x, "y") == NC_NOERR);
    RANK_CHECK(nc__enddef(ncid, last ? 100 : 200, 4, 0, 4) == NC_EINVAL && says("different room"));
    snprintf(text, sizeof text, "by rank %d", comm->rank);
    RANK_CHECK(nc_put_att_text(ncid, NC_GLOBAL, "history", strlen(text), text) == NC_NOERR);
    RANK_CHECK(nc__enddef(ncid, 100, 4, 0, 4) == NC_NOERR);
    RANK_CHECK(nc_get_att_text(ncid, NC_GLOBAL, "history", text) == NC_NOERR && text[8] == '0');
    RANK_CHECK(nc_put_var1_int(ncid, v, (size_t[]){0, (size_t)comm->rank}, &comm->rank) == NC_NOERR);
    if (last)
        RANK_CHECK(nc_sync(ncid) == NC_EINVAL && says("nc_sync()") && says("nc_redef()"));
    else
        RANK_CHECK(nc_redef(ncid) == NC_EINVAL && says("nc_sync()") && says("nc_redef()"));
    RANK_CHECK(nc_close(ncid) == NC_EINVAL);
    return 0;
}

TEST(disagreement_is_an_error_on_all_ranks)
{
    ranks_of_both_kinds(scratch_dir, 2, disagree, scratch_path(scratch_dir, "a.nc"));
    ranks_of_both_kinds(scratch_dir, 4, disagree, scratch_path(scratch_dir, "a.nc"));
}

/* Whether the file has the short definitions, and the values of all ranks in each of `n` records. */
static bool
has_short_header(int ncid, int nranks, size_t n)
{
    char text[20] = "";
    int  v, value;

    if (nc_get_att_text(ncid, NC_GLOBAL, "history", text) != NC_NOERR || strcmp(text, "new") != 0 ||
        nc_inq_attid(ncid, NC_GLOBAL, "second", NULL) != NC_NOERR || nc_inq_varid(ncid, "v", &v) != NC_NOERR ||
        nc_inq_dimid(ncid, "x", NULL) != NC_NOERR || length_of(ncid, 0) != n)
        return false;
    for (size_t t = 0; t < n; t++)
        for (int r = 0; r < nranks; r++)
            if (nc_get_var1_int(ncid, v, (size_t[]){t, (size_t)r}, &value) != NC_NOERR || value != (int)t * 100 + r)
                return false;
    return true;
}

/* In data mode attributes and names get shorter, so that all behind them in the header moves, while the ranks put. */
static int
shrink_header(const nczarr_comm *comm, void *arg)
{
    size_t at[2] = {0, (size_t)comm->rank};
    int    ncid, v, value;

    RANK_CHECK(nczarr_create_par(arg, NC_64BIT_DATA, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define_small(ncid, comm->nranks, &v) == NC_NOERR);
    RANK_CHECK(nc_rename_var(ncid, v, "a_long_name") == NC_NOERR && nc_rename_dim(ncid, 1, "along_x") == NC_NOERR);
    RANK_CHECK(nc_put_att_text(ncid, NC_GLOBAL, "history", 16, "a long old value") == NC_NOERR);
    RANK_CHECK(nc_put_att_int(ncid, NC_GLOBAL, "second", NC_INT, 1, &v) == NC_NOERR && nc_enddef(ncid) == NC_NOERR);
    for (at[0] = 0; at[0] < 2; at[0]++) {
        value = (int)at[0] * 100 + comm->rank;
        RANK_CHECK(nc_put_var1_int(ncid, v, at, &value) == NC_NOERR);
        if (at[0] == 1)
            break;
        RANK_CHECK(nc_put_att_text(ncid, NC_GLOBAL, "history", 3, "new") == NC_NOERR);
        RANK_CHECK(nc_rename_var(ncid, v, "v") == NC_NOERR && nc_rename_dim(ncid, 1, "x") == NC_NOERR);
        RANK_CHECK(nc_sync(ncid) == NC_NOERR && has_short_header(ncid, comm->nranks, 1));
    }
    RANK_CHECK(nc_sync(ncid) == NC_NOERR && has_short_header(ncid, comm->nranks, 2) && nc_close(ncid) == NC_NOERR);
    RANK_CHECK(nc_open(arg, NC_NOWRITE, &ncid) == NC_NOERR && has_short_header(ncid, comm->nranks, 2));
    return nc_close(ncid);
}

TEST(a_header_may_become_shorter)
{
    ranks_of_both_kinds(scratch_dir, 1, shrink_header, scratch_path(scratch_dir, "a.nc"));
    ranks_of_both_kinds(scratch_dir, 4, shrink_header, scratch_path(scratch_dir, "a.nc"));
}

/* A new file that is given up was never there; an older one stays until the first nc_sync(). */
static int
give_up(const nczarr_comm *comm, void *arg)
{
    int ncid, v, value = 0;

    RANK_CHECK(nczarr_create_par(arg, NC_64BIT_DATA, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define_small(ncid, comm->nranks, &v) == NC_NOERR && nc_abort(ncid) == NC_NOERR);
    RANK_CHECK(!scratch_exists(arg));
    RANK_CHECK(nczarr_open_par(arg, NC_WRITE, comm, &ncid) == ENOENT);

    RANK_CHECK(nczarr_create_par(arg, NC_64BIT_DATA, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define_small(ncid, comm->nranks, &v) == NC_NOERR && nc_enddef(ncid) == NC_NOERR);
    RANK_CHECK(nc_put_var1_int(ncid, v, (size_t[]){1, (size_t)comm->rank}, &comm->rank) == NC_NOERR);
    RANK_CHECK(nc_redef(ncid) == NC_NOERR); /* stores what was put, and the definitions */
    RANK_CHECK(nc_def_dim(ncid, "more", 4, NULL) == NC_NOERR && nc_abort(ncid) == NC_NOERR);

    RANK_CHECK(nczarr_open_par(arg, NC_WRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(nc_inq_dimid(ncid, "more", &v) == NC_EBADDIM && length_of(ncid, 0) == 2);
    RANK_CHECK(nc_put_var1_int(ncid, 0, (size_t[]){0, (size_t)comm->rank}, &(int){9}) == NC_NOERR);
    RANK_CHECK(nc_abort(ncid) == NC_NOERR); /* outside define mode it is nc_close() */

    RANK_CHECK(nczarr_create_par(arg, NC_64BIT_DATA | NC_NOCLOBBER, comm, &ncid) == NC_EEXIST);
    RANK_CHECK(nczarr_create_par(arg, NC_64BIT_OFFSET, comm, &ncid) == NC_NOERR && nc_enddef(ncid) == NC_NOERR);
    for (int r = 0; r < comm->nranks; r++) {
        int old;

        RANK_CHECK(nc_open(arg, NC_NOWRITE, &old) == NC_NOERR);
        RANK_CHECK(nc_get_var1_int(old, 0, (size_t[]){0, (size_t)r}, &value) == NC_NOERR && value == 9);
        RANK_CHECK(nc_get_var1_int(old, 0, (size_t[]){1, (size_t)r}, &value) == NC_NOERR && value == r);
        RANK_CHECK(nc_close(old) == NC_NOERR);
    }
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    RANK_CHECK(nczarr_open_par(arg, NC_NOWRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(nc_inq_nvars(ncid, &value) == NC_NOERR && value == 0 && nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(abort_leaves_no_file)
{
    for (int n = 1; n <= 3; n++)
        ranks_of_both_kinds(scratch_dir, n, give_up, scratch_path(scratch_dir, "a.nc"));
}

/* What is made is chosen as nc_create() does: by the mode, the flags, the default, the name. */
static int
choose(const nczarr_comm *comm, void *arg)
{
    static const struct {
        const char *name;
        int         cmode, standard, format;
    } cases[] = {
        {"a.nc", 0, 0, NC_FORMAT_CLASSIC},
        {"b.nc", NC_64BIT_DATA | NC_MPIIO, 0, NC_FORMAT_64BIT_DATA},
        {"c", NC_64BIT_OFFSET, 0, NC_FORMAT_64BIT_OFFSET},
        {"d", 0, 0, NC_FORMAT_NETCDF4},
        {"e.zarr", NC_NETCDF4, 0, NC_FORMAT_NETCDF4},
        {"f", 0, NC_FORMAT_64BIT_DATA, NC_FORMAT_64BIT_DATA},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[600];
        int  ncid, format = 0, rc;

        snprintf(path, sizeof path, "%s/%s", (char *)arg, cases[i].name);
        RANK_CHECK(cases[i].standard == 0 || nc_set_default_format(cases[i].standard, NULL) == NC_NOERR);
        rc = nczarr_create_par(path, cases[i].cmode, comm, &ncid);
        RANK_CHECK(cases[i].standard == 0 || nc_set_default_format(NC_FORMAT_CLASSIC, NULL) == NC_NOERR);
        RANK_CHECK(rc == NC_NOERR && nc_inq_format(ncid, &format) == NC_NOERR && format == cases[i].format);
        RANK_CHECK(nc_close(ncid) == NC_NOERR);
    }
    return 0;
}

static int
refuse(const nczarr_comm *comm, void *arg)
{
    char path[600];
    int  ncid;

    snprintf(path, sizeof path, "%s/a.nc", (char *)arg);
    RANK_CHECK(nczarr_create_par(path, NC_64BIT_DATA | NC_DISKLESS, comm, &ncid) == NC_ENOPAR);
    RANK_CHECK(nczarr_create_par("https://example.invalid/a.nc", NC_64BIT_DATA, comm, &ncid) == NC_EINVAL);
    snprintf(path, sizeof path, "file://%s/a.nc#mode=zarr", (char *)arg);
    RANK_CHECK(nczarr_create_par(path, NC_64BIT_DATA, comm, &ncid) == NC_EINVAL);
    snprintf(path, sizeof path, "%s/a.nc", (char *)arg);
    RANK_CHECK(nczarr_create_par(path, NC_NETCDF4, comm, &ncid) == NC_ENOTBUILT && says("#mode=nczarr"));
    snprintf(path, sizeof path, "%s/a", (char *)arg);
    RANK_CHECK(nczarr_create_par(path, comm->rank == 1 ? NC_NETCDF4 : NC_64BIT_DATA, comm, &ncid) == NC_EINVAL);
    return 0;
}

TEST(the_mode_chooses_the_format_on_all_ranks)
{
    assert_int_equal(ranks_as_processes(2, choose, scratch_dir, -1), 0);
    scratch_empty(scratch_dir);
    ranks_of_both_kinds(scratch_dir, 2, refuse, scratch_dir);
}

/* A rank that is killed leaves the file of the last nc_sync(), which opens, with what was put since in its place. */
static int
die(const nczarr_comm *comm, void *arg)
{
    size_t at[] = {0, (size_t)comm->rank};
    int    ncid, v;

    RANK_CHECK(nczarr_create_par(arg, NC_64BIT_DATA, comm, &ncid) == NC_NOERR);
    RANK_CHECK(define_small(ncid, comm->nranks, &v) == NC_NOERR && nc_enddef(ncid) == NC_NOERR);
    for (; at[0] < 3; at[0]++)
        RANK_CHECK(nc_put_var1_int(ncid, v, at, &comm->rank) == NC_NOERR);
    RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    RANK_CHECK(nc_put_var1_int(ncid, v, at, &comm->rank) == NC_NOERR);
    if (comm->rank == 1)
        (void)raise(SIGKILL);
    RANK_CHECK(nc_sync(ncid) != NC_NOERR);
    (void)nc_close(ncid);
    return 0;
}

TEST(a_dead_rank_leaves_a_file_that_opens)
{
    char *path = scratch_path(scratch_dir, "a.nc");
    int   ncid, value;

    assert_int_equal(ranks_as_processes(3, die, path, 1), 0);
    assert_int_equal(nc_open(path, NC_WRITE, &ncid), NC_NOERR);
    assert_int_equal(length_of(ncid, 0), 3);
    for (size_t t = 0; t < 3; t++)
        for (size_t x = 0; x < 3; x++) {
            assert_int_equal(nc_get_var1_int(ncid, 0, (size_t[]){t, x}, &value), NC_NOERR);
            assert_int_equal(value, (int)x);
        }
    assert_int_equal(nc_close(ncid), NC_NOERR);
    scratch_empty(scratch_dir);
}

int
main(void)
{
    return run_file_tests(scratch_set_up, scratch_tear_down);
}
