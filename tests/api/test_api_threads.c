/* SPDX-License-Identifier: BSD-3-Clause */
/* Many threads on one dataset, and on one each; a close while others are at work. Run under ThreadSanitizer too. */
#include "api_test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, ROUNDS = 60, ROW = 50 };

typedef struct worker {
    pthread_t thread;
    int       number, ncid, var;
    place    *place;
    int       rc;
} worker;

static void
run(worker *w, int n, void *(*body)(void *))
{
    for (int i = 0; i < n; i++)
        assert_int_equal(pthread_create(&w[i].thread, NULL, body, &w[i]), 0);
    for (int i = 0; i < n; i++) {
        assert_int_equal(pthread_join(w[i].thread, NULL), 0);
        if (w[i].rc != NC_NOERR)
            print_error("thread %d: %d\n", i, w[i].rc);
        assert_int_equal(w[i].rc, NC_NOERR);
    }
}

#define TRY(call)                                                                                                    \
    do {                                                                                                             \
        if ((w->rc = (call)) != NC_NOERR)                                                                            \
            return NULL;                                                                                             \
    } while (0)

/* Each thread has the rows number, number + THREADS, ...: whole chunks and parts of shared ones; some beyond the end.
 */
static void *
put_rows(void *arg)
{
    worker *w = arg;
    int     row[ROW], back[ROW];

    for (int r = w->number; r < ROUNDS; r += THREADS) {
        const size_t start[2] = {(size_t)r, 0}, count[2] = {1, ROW};
        size_t       len;

        for (int i = 0; i < ROW; i++)
            row[i] = r * 1000 + i;
        TRY(nc_put_vara_int(w->ncid, w->var, start, count, row));
        TRY(nc_get_vara_int(w->ncid, w->var, start, count, back));
        if (memcmp(row, back, sizeof row) != 0)
            w->rc = NC_EINTERNAL;
        TRY(nc_put_att_int(w->ncid, w->var, (char[]){'a' + (char)w->number, 0}, NC_INT, 1, &r));
        TRY(nc_inq_att(w->ncid, w->var, (char[]){'a' + (char)w->number, 0}, NULL, &len));
        if (r % 16 == 0)
            TRY(nc_sync(w->ncid));
    }
    return NULL;
}

static void
one_dataset_on(place *p)
{
    worker w[THREADS];
    int    ncid, dims[2], v, row[ROW];

    OK(place_create(p, "mode=nczarr&durability=none", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", ROW, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){3, 20}));
    OK(nc_enddef(ncid));
    for (int i = 0; i < THREADS; i++)
        w[i] = (worker){.number = i, .ncid = ncid, .var = v};
    run(w, THREADS, put_rows);
    OK(nc_close(ncid));
    OK(place_open(p, NULL, NC_NOWRITE, &ncid));
    for (int r = 0; r < ROUNDS; r++) {
        OK(nc_get_vara_int(ncid, v, (size_t[]){(size_t)r, 0}, (size_t[]){1, ROW}, row));
        for (int i = 0; i < ROW; i++)
            assert_int_equal(row[i], r * 1000 + i);
    }
    OK(nc_close(ncid));
}

TEST(one_dataset)
{
    place p;

    for (int memory = 0; memory < 2; memory++) {
        place_make(&p, memory != 0);
        one_dataset_on(&p);
        place_drop(&p);
    }
}

/* ---- records of a classic file, which all threads append to --------------------------------------------------- */

enum { RECORDS = 4000 };

/* What each variable has in record r. */
static double
value_of(int var, size_t r)
{
    return var * 100000.0 + (double)r;
}

/* Puts one variable, an element a record; each put may be the one that adds the record. Reads what another thread puts:
 * its values, or the fill value. */
static void *
append_elements(void *arg)
{
    worker *w = arg;
    int     other = (w->number + 1) % THREADS;

    for (size_t r = 0; r < RECORDS; r++) {
        size_t at = r / 2, len;
        double mine = value_of(w->number, r), back = 0, theirs = 0;

        TRY(nc_put_var1_double(w->ncid, w->number, &r, &mine));
        TRY(nc_get_var1_double(w->ncid, w->number, &at, &back));
        TRY(nc_get_var1_double(w->ncid, other, &at, &theirs));
        TRY(nc_inq_dimlen(w->ncid, 0, &len));
        if (back != value_of(w->number, at) || (theirs != value_of(other, at) && theirs != NC_FILL_DOUBLE) ||
            len <= r)
            w->rc = NC_EINTERNAL;
        if (r % 1000 == 999)
            TRY(nc_sync(w->ncid));
    }
    return NULL;
}

TEST(records_of_classic)
{
    place  p;
    worker w[THREADS];
    int    ncid, t, v;

    place_make(&p, false);
    OK(place_create(&p, "mode=cdf5", NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &t));
    for (int i = 0; i < THREADS; i++)
        OK(nc_def_var(ncid, (char[]){'a' + (char)i, 0}, NC_DOUBLE, 1, &t, &v));
    OK(nc_enddef(ncid));
    for (int i = 0; i < THREADS; i++)
        w[i] = (worker){.number = i, .ncid = ncid};
    run(w, THREADS, append_elements);
    OK(nc_close(ncid));
    OK(place_open(&p, NULL, NC_NOWRITE, &ncid));
    for (size_t r = 0; r < RECORDS; r++)
        for (int i = 0; i < THREADS; i++) {
            double back = 0;

            OK(nc_get_var1_double(ncid, i, &r, &back));
            assert_true(back == value_of(i, r));
        }
    OK(nc_close(ncid));
    place_drop(&p);
}

static void *
own_dataset(void *arg)
{
    worker *w = arg;

    for (int round = 0; round < 5; round++) {
        int dim, x = 0;

        TRY(place_create(w->place, "mode=nczarr&durability=none", NC_CLOBBER, &w->ncid));
        TRY(nc_def_dim(w->ncid, "x", ROW, &dim));
        TRY(nc_def_var(w->ncid, "v", NC_INT, 1, &dim, &w->var));
        TRY(nc_put_var1_int(w->ncid, w->var, (size_t[]){3}, &round));
        TRY(nc_close(w->ncid));
        TRY(place_open(w->place, NULL, NC_NOWRITE, &w->ncid));
        TRY(nc_get_var1_int(w->ncid, w->var, (size_t[]){3}, &x));
        if (x != round)
            w->rc = NC_EINTERNAL;
        TRY(nc_close(w->ncid));
        if (nc_close(w->ncid) != NC_EBADID || nczarr_errmsg()[0] == '\0') /* this thread's own text */
            w->rc = NC_EINTERNAL;
    }
    return NULL;
}

TEST(many_datasets)
{
    place  p[THREADS];
    worker w[THREADS];

    for (int i = 0; i < THREADS; i++) {
        place_make(&p[i], i % 2 == 1);
        w[i] = (worker){.number = i, .place = &p[i]};
    }
    run(w, THREADS, own_dataset);
    for (int i = 0; i < THREADS; i++)
        place_drop(&p[i]);
}

/* Reads until the dataset is gone: each call then is NC_EBADID, and nothing worse. */
static void *
read_until_closed(void *arg)
{
    worker *w = arg;
    int     x, rc;

    while ((rc = nc_get_var1_int(w->ncid, w->var, (size_t[]){1}, &x)) == NC_NOERR)
        if (x != NC_FILL_INT)
            rc = NC_EINTERNAL;
    w->rc = rc == NC_EBADID ? NC_NOERR : rc;
    return NULL;
}

static void *
close_it(void *arg)
{
    worker *w = arg;

    usleep(20000);
    w->rc = nc_close(w->ncid);
    return NULL;
}

TEST(a_close_waits_for_readers)
{
    place  p;
    worker w[THREADS];
    int    ncid, dim, v;

    place_make(&p, true);
    OK(place_create(&p, NULL, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "x", ROW, &dim));
    OK(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    OK(nc_enddef(ncid));
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){.number = i, .ncid = ncid, .var = v};
        assert_int_equal(pthread_create(&w[i].thread, NULL, i == 0 ? close_it : read_until_closed, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(w[i].thread, NULL), 0);
        assert_int_equal(w[i].rc, NC_NOERR);
    }
    place_drop(&p);
}

/* ---- more datasets than the table's first page has slots ---- */

enum { OPEN_AT_ONCE = 700 };

static int ids[OPEN_AT_ONCE];

/* Opens and closes its share of the ids, over and over; each id means its own dataset while it is open. */
static void *
open_and_close(void *arg)
{
    worker *w = arg;

    for (int round = 0; round < 3; round++) {
        for (int i = w->number; i < OPEN_AT_ONCE; i += THREADS) {
            TRY(nc_create("unused", NC_DISKLESS, &ids[i]));
            TRY(nc_put_att_int(ids[i], NC_GLOBAL, "i", NC_INT, 1, &i));
        }
        for (int i = w->number; i < OPEN_AT_ONCE; i += THREADS) {
            int got = -1, closed = ids[i];

            TRY(nc_get_att_int(ids[i], NC_GLOBAL, "i", &got));
            TRY(nc_close(ids[i]));
            if (got != i || nc_inq_natts(closed, &got) != NC_EBADID)
                w->rc = NC_EINTERNAL;
        }
    }
    return NULL;
}

TEST(many_ids)
{
    worker w[THREADS];

    for (int i = 0; i < THREADS; i++)
        w[i] = (worker){.number = i};
    run(w, THREADS, open_and_close);
}
