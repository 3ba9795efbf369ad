/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Seeded histories of parallel writing, in a directory and in a bucket, by ranks that are processes or threads, of
 * which one dies at any call: of the communicator, of the store, or at any request. What was acknowledged is there, the
 * documents fit each other and the data, nobody hangs, and the same ranks can open the dataset and go on. Three planted
 * faults are found.
 *
 * usage: test_history [SEED]     that one alone, in each place; NCZARR_TEST_ALL: ten times as many seeds
 */
#include "support/scratch.h"
#include "support/test.h"

#include "history.h"
#include "planted.h"
#include "support/kill.h"
#include "support/peak.h"
#ifdef WITH_BUCKET
#include "zmap/bucket.h"
#endif

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef enum where { IN_DIRECTORY, IN_BUCKET, BY_THREADS } where;

static char    *dir;
static report  *reports; /* of the first run, then of the second; shared with the ranks */
static unsigned only_seed;

/* One of the two runs. */
typedef struct one_run {
    const schedule *s;
    const char     *url;
    report         *reports;
    int             number, first; /* the run, and its first epoch */
    size_t          len;
    bool            create;
    where           place;
} one_run;

/* ---- a rank ------------------------------------------------------------------------------------------------------ */

/* The communicator of a rank that dies at one of its calls. */
typedef struct mortal {
    const nczarr_comm *inner;
    unsigned           left; /* threads: calls until it breaks off; 0: never */
} mortal;

static bool
breaks_off(mortal *m)
{
    kill_count();
    return m->left > 0 && --m->left == 0;
}

static int
mortal_broadcast(void *context, int root, void *data, size_t len)
{
    mortal *m = context;

    return breaks_off(m) ? ranks_break_off(m->inner) : m->inner->broadcast(m->inner->context, root, data, len);
}

static int
mortal_max(void *context, int64_t *values, size_t n)
{
    mortal *m = context;

    return breaks_off(m) ? ranks_break_off(m->inner) : m->inner->allreduce_max(m->inner->context, values, n);
}

static int
mortal_alltoall(void *context, const void *send, const size_t *send_len, void *recv, const size_t *recv_len)
{
    mortal *m = context;

    return breaks_off(m) ? ranks_break_off(m->inner)
                         : m->inner->alltoall(m->inner->context, send, send_len, recv, recv_len);
}

static int
define_var(const schedule *s, int ncid, int var, int rows, int columns)
{
    static const size_t inner[] = {2, 5}, shard[] = {4, 10}, chunk[] = {3, 7};
    char                name[16];
    int                 varid, rc;

    history_name(var, name);
    if ((rc = nc_def_var(ncid, name, NC_INT, 2, (int[]){rows, columns}, &varid)) != NC_NOERR ||
        (rc = nc_def_var_chunking(ncid, varid, NC_CHUNKED, s->shards ? inner : chunk)) != NC_NOERR ||
        (s->shards && (rc = nczarr_def_var_shards(ncid, varid, shard)) != NC_NOERR))
        return rc;
    return nc_def_var_deflate(ncid, varid, 0, 1, 1);
}

static int
define_all(const schedule *s, int ncid)
{
    int t, y, x, rc;

    if ((rc = nc_def_dim(ncid, "t", NC_UNLIMITED, &t)) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "y", HISTORY_ROWS, &y)) != NC_NOERR ||
        (rc = nc_def_dim(ncid, "x", HISTORY_WIDTH, &x)) != NC_NOERR)
        return rc;
    for (int v = 0; rc == NC_NOERR && v < VAR_LATE; v++)
        rc = define_var(s, ncid, v, v == VAR_RECORDS ? t : y, x);
    return rc == NC_NOERR ? nc_enddef(ncid) : rc;
}

/* What an epoch defines: a variable, with a dimension and attributes. A rank that died may have stored it. */
static int
redefine(const schedule *s, int ncid, const epoch_plan *p, int epoch)
{
    char name[16];
    int  id, y, x, rc;

    if (!p->late)
        return NC_NOERR;
    history_name(VAR_LATE + epoch, name);
    if (nc_inq_varid(ncid, name, &id) == NC_NOERR)
        return NC_NOERR;
    if ((rc = nc_inq_dimid(ncid, "y", &y)) != NC_NOERR || (rc = nc_inq_dimid(ncid, "x", &x)) != NC_NOERR ||
        (rc = define_var(s, ncid, VAR_LATE + epoch, y, x)) != NC_NOERR)
        return rc;
    if (nc_inq_dimid(ncid, "extra", &id) != NC_NOERR && (rc = nc_def_dim(ncid, "extra", 3, &id)) != NC_NOERR)
        return rc;
    return nc_enddef(ncid);
}

static int
put_op(const one_run *run, int ncid, int rank, int epoch, const operation *op)
{
    int    values[HISTORY_LONGEST * HISTORY_WIDTH], varid, rc;
    char   name[16];
    block  b;
    size_t n = 0;
    bool   writes = history_block(run->s, op, rank, &b);

    history_name(op->var, name);
    if ((rc = nc_inq_varid(ncid, name, &varid)) != NC_NOERR ||
        (!run->s->jobs &&
         (rc = nc_var_par_access(ncid, varid, op->collective ? NC_COLLECTIVE : NC_INDEPENDENT)) != NC_NOERR))
        return rc;
    for (size_t y = 0; y < b.count[0]; y++)
        for (size_t x = 0; x < b.count[1]; x++)
            values[n++] = history_value(history_stamp(run->number, epoch), op->var, b.start[0] + y,
                                        b.start[1] + x * (size_t)b.stride[1]);
    if (!writes && !op->collective)
        return NC_NOERR;
    return nc_put_vars_int(ncid, varid, b.start, b.count, b.stride, values);
}

/* The operations of an epoch, without its end. Attributes come last: those of a dataset that was never synced are
 * stored when define mode ends, before its data. */
static int
write_epoch(const one_run *run, int ncid, int rank, int epoch, const epoch_plan *p)
{
    int rc = run->s->jobs ? NC_NOERR : redefine(run->s, ncid, p, epoch);

    for (int i = 0; rc == NC_NOERR && i < p->nops; i++)
        rc = put_op(run, ncid, rank, epoch, &p->ops[i]);
    if (rc != NC_NOERR || run->s->jobs)
        return rc;
    if ((rc = nc_put_att_int(ncid, NC_GLOBAL, "epoch", NC_INT, 1, &epoch)) != NC_NOERR)
        return rc;
    return nc_put_att_int(ncid, VAR_FIXED, "epoch", NC_INT, 1, &epoch);
}

static int
open_again(const one_run *run, const nczarr_comm *comm, int *ncid)
{
    return run->s->jobs ? nc_open(run->url, NC_WRITE, ncid) : nczarr_open_par(run->url, NC_WRITE, comm, ncid);
}

static int
keep_first(report *r, int rc)
{
    if (rc != NC_NOERR && r->rc == NC_NOERR) {
        snprintf(r->text, sizeof r->text, "%s", nczarr_errmsg());
        r->rc = rc;
    }
    return rc;
}

/* All epochs of a run, on one rank. Stops at the first error. */
static void
write_epochs(const one_run *run, const nczarr_comm *comm, report *r)
{
    int    ncid, rc;
    size_t len = run->len;
    bool   is_open;

    if (run->create)
        rc = nczarr_create_par(run->url, NC_NETCDF4, comm, &ncid);
    else
        rc = open_again(run, comm, &ncid);
    is_open = rc == NC_NOERR;
    if (rc == NC_NOERR && run->create && (rc = define_all(run->s, ncid)) == NC_NOERR)
        r->acked = -1;
    (void)keep_first(r, rc);
    for (int e = run->first; rc == NC_NOERR && e < run->s->epochs; e++) {
        epoch_plan p;
        bool       last = e == run->s->epochs - 1;

        history_plan(run->s, run->number, e, len, &p);
        len = p.len;
        r->started = e;
        if (keep_first(r, rc = write_epoch(run, ncid, comm->rank, e, &p)) != NC_NOERR)
            break;
        if (p.reopen || last)
            is_open = false;
        if (keep_first(r, rc = p.reopen || last ? nc_close(ncid) : nc_sync(ncid)) != NC_NOERR)
            break;
        r->acked = e;
        if (p.reopen && !last)
            is_open = keep_first(r, rc = open_again(run, comm, &ncid)) == NC_NOERR;
    }
    if (is_open)
        (void)keep_first(r, nc_close(ncid));
}

static int
run_rank(const nczarr_comm *comm, void *arg)
{
    const one_run *run = arg;
    report        *r = &run->reports[comm->rank];
    bool           dies = run->number == 0 && run->s->victim == comm->rank, threads = run->place == BY_THREADS;
    mortal         m = {.inner = comm, .left = dies && threads ? run->s->die_at : 0};
    nczarr_comm    mine = *comm;

    if (!threads)
        kill_arm(dies && run->place == IN_DIRECTORY ? run->s->die_at : 0);
    mine.context = &m;
    mine.broadcast = mortal_broadcast;
    mine.allreduce_max = mortal_max;
    mine.alltoall = mortal_alltoall;
    mine.release = NULL;
    __atomic_store_n(&r->pid, (int)getpid(), __ATOMIC_SEQ_CST);
    write_epochs(run, &mine, r);
    r->finished = 1;
    return 0;
}

/* ---- a schedule -------------------------------------------------------------------------------------------------- */

#ifdef WITH_BUCKET
/* The server kills the victim at a request. */
typedef struct killer {
    const schedule *s;
    unsigned        requests; /* of the ranks */
    bool            armed;
} killer;

static bool
kill_at_request(const stub_request *req, stub_reply *reply, void *arg)
{
    killer *k = arg;
    int     pid;

    (void)req, (void)reply;
    if (!__atomic_load_n(&k->armed, __ATOMIC_SEQ_CST) || k->s->victim < 0 || ++k->requests != k->s->die_at)
        return false;
    pid = __atomic_load_n(&reports[k->s->victim].pid, __ATOMIC_SEQ_CST);
    if (pid > 0 && reports[k->s->victim].finished == 0)
        (void)kill(pid, SIGKILL);
    return false;
}
#endif

static void
clear_reports(report *r)
{
    for (int i = 0; i < RANKS_MOST; i++)
        r[i] = (report){.acked = -2, .started = -1};
}

/* Runs the ranks. False: one failed other than by another one's death. */
static bool
run_ranks(history *h, one_run *run)
{
    const schedule *s = run->s;
    int             victim = run->number == 0 ? s->victim : -1, failed;
    bool            died;

    clear_reports(run->reports);
    failed = run->place == BY_THREADS ? ranks_as_threads(s->nranks, run_rank, run)
                                      : ranks_as_processes(s->nranks, run_rank, run, victim);
    died = victim >= 0 && (run->reports[victim].finished == 0 || run->place == BY_THREADS);
    for (int i = 0; i < s->nranks && failed == 0; i++) {
        const report *r = &run->reports[i];

        if (r->rc != NC_NOERR && !(died && !s->jobs && r->rc == NC_EIO && strstr(r->text, "communicator") != NULL)) {
            snprintf(h->why, sizeof h->why, "run %d, rank %d, epoch %d: %d: %s", run->number, i, r->started, r->rc,
                     r->text);
            return false;
        }
    }
    if (failed > 0)
        snprintf(h->why, sizeof h->why, "run %d: %d ranks hang or crash", run->number, failed);
    return failed == 0;
}

/* Without a communicator one process defines. */
static int
create_for_jobs(const schedule *s, const char *url)
{
    int ncid, rc = nc_create(url, NC_NETCDF4, &ncid), closed;

    if (rc != NC_NOERR)
        return rc;
    rc = define_all(s, ncid);
    closed = nc_close(ncid);
    return rc != NC_NOERR ? rc : closed;
}

static bool
run_both(history *h, const char *url, where place)
{
    char    plain[700];
    one_run first = {.s = &h->s, .url = url, .reports = reports, .place = place, .create = !h->s.jobs},
            second = first;

    second.reports = reports + RANKS_MOST;
    second.number = 1;
    history_expect(h, 0, 0, 0);
    if (h->s.jobs && create_for_jobs(&h->s, url) != NC_NOERR) {
        snprintf(h->why, sizeof h->why, "create: %s", nczarr_errmsg());
        return false;
    }
    if (!run_ranks(h, &first))
        return false;
    snprintf(plain, sizeof plain, "%s&consolidated=no", url);
    if ((h->s.consolidated && !history_check(h, plain, first.reports)) || !history_check(h, url, first.reports))
        return false;
    second.create = h->found_epoch == -2;
    second.first = h->found_epoch < 0 || h->s.jobs ? 0 : h->found_epoch + 1;
    second.len = h->found_epoch == -2 ? 0 : h->found_len;
    history_expect(h, 1, second.first, second.len);
    return run_ranks(h, &second) && history_check_again(h, url, first.reports, second.reports);
}

static bool
run_schedule(history *h, const schedule *s, where place)
{
    char url[600], mode[100];
    bool good;

    memset(h, 0, sizeof *h);
    h->s = *s;
    snprintf(mode, sizeof mode, "nczarr,%s%s", s->v3 ? "v3" : "v2", s->consolidated ? ",consolidated" : "");
    if (place != IN_BUCKET) {
        snprintf(url, sizeof url, "file://%s#mode=%s", scratch_path(dir, "h.zarr"), mode);
        good = run_both(h, url, place);
        scratch_empty(dir);
        return good;
    }
#ifdef WITH_BUCKET
    killer  k = {.s = s, .armed = true};
    bucket *b = bucket_start(kill_at_request, &k);

    snprintf(url, sizeof url, "http://127.0.0.1:%u/buck/h.zarr#mode=%s,s3&anon", stub_port(bucket_stub(b)), mode);
    good = run_both(h, url, place);
    bucket_stop(b);
    return good;
#else
    return true;
#endif
}

/* Repeats a failure with fewer ranks, epochs and variables, as long as it still fails. */
static void
shorten(history *h, schedule *s, where place)
{
    bool shorter = true;

    while (shorter) {
        schedule next[3 + VAR_LATE + 1];
        size_t   n = 0;

        shorter = false;
        for (size_t i = 0; i < 3; i++)
            next[i] = *s;
        if (--next[0].epochs >= 1)
            n++;
        next[n] = *s;
        if (--next[n].nranks >= 2 && next[n].victim < next[n].nranks)
            n++;
        for (int v = 0; v <= VAR_LATE; v++)
            if ((s->without >> v & 1) == 0) {
                next[n] = *s;
                next[n++].without |= 1U << v;
            }
        for (size_t i = 0; i < 3 * n && !shorter; i++)
            if (!run_schedule(h, &next[i % n], place)) {
                *s = next[i % n];
                shorter = true;
            }
    }
}

/* Puts of every second history do not wait for the store. */
static void
check_schedule(unsigned seed, where place)
{
    history *h = malloc(sizeof *h);
    schedule s = history_draw(seed);
    char     why[sizeof h->why];

    assert_non_null(h);
    assert_int_equal(setenv("NCZARR_WRITE", seed % 2 == 0 ? "behind" : "through", 1), 0);
    if (place == BY_THREADS && s.jobs)
        s.jobs = false;
    if (run_schedule(h, &s, place)) {
        free(h);
        return;
    }
    memcpy(why, h->why, sizeof why);
    fprintf(stderr, "%s: %s\n", place == IN_BUCKET ? "bucket" : place == BY_THREADS ? "threads" : "directory", why);
    history_print(&s);
    shorten(h, &s, place);
    fprintf(stderr, "the shortest that fails, without variables 0x%x:\n", s.without);
    history_print(&s);
    free(h);
    fail_msg("seed %u: %s", seed, why);
}

static void
check_schedules(unsigned n, where place)
{
    if (only_seed > 0) {
        check_schedule(only_seed, place);
        return;
    }
    if (PEAK_SANITIZED)
        n = n / 4 + 1;
    if (getenv("NCZARR_TEST_ALL") != NULL)
        n *= 10;
    for (unsigned seed = 1; seed <= n; seed++)
        check_schedule(1000 * (unsigned)test_seed() + seed, place);
}

TEST(histories_in_a_directory_are_possible)
{
    check_schedules(60, IN_DIRECTORY);
}

TEST(histories_in_a_bucket_are_possible)
{
#ifndef WITH_BUCKET
    skip();
#endif
    check_schedules(24, IN_BUCKET);
}

TEST(threads_see_one_history)
{
    check_schedules(40, BY_THREADS);
}

/* ---- planted faults ---------------------------------------------------------------------------------------------- */

static void
find_fault(planted_fault fault)
{
    history *h = malloc(sizeof *h);
    bool     found = false;

    assert_non_null(h);
    planted = fault;
    for (unsigned seed = 1; seed <= 300 && !found; seed++) {
        schedule s = history_draw(seed);

        s.jobs = fault != PLANTED_DOCUMENTS_FIRST;
        if (s.jobs)
            s.victim = -1;
        else if (s.victim < 0)
            continue;
        if (fault == PLANTED_NO_CONDITION)
            s.nranks = 8;
        found = !run_schedule(h, &s, IN_DIRECTORY);
        if (found && only_seed > 0)
            fprintf(stderr, "fault %d: seed %u: %s\n", (int)fault, seed, h->why);
    }
    planted = PLANTED_NOTHING;
    free(h);
    assert_true(found);
}

TEST(unconditional_puts_are_found_out)
{
    find_fault(PLANTED_NO_CONDITION);
}

TEST(documents_before_data_are_found_out)
{
    find_fault(PLANTED_DOCUMENTS_FIRST);
}

TEST(a_lost_length_is_found_out)
{
    find_fault(PLANTED_LAST_LENGTH);
}

static int
setup(void **state)
{
    (void)state;
    dir = scratch_new();
    reports = mmap(NULL, 2 * RANKS_MOST * sizeof *reports, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return reports == MAP_FAILED ? 1 : 0;
}

static int
teardown(void **state)
{
    (void)state;
    (void)munmap(reports, 2 * RANKS_MOST * sizeof *reports);
    scratch_free(dir);
    return 0;
}

int
main(int argc, char **argv)
{
    bool in_threads = argc > 1 && strcmp(argv[1], "threads") == 0;

    if (argc > 1 + in_threads)
        only_seed = (unsigned)strtoul(argv[1 + in_threads], NULL, 10);
    if (PEAK_SANITIZED && !in_threads) {
        printf("skipped: a process forked beside the server's threads may wait for the sanitizer's locks forever\n");
        return 77;
    }
    if (in_threads)
        cmocka_set_test_filter("threads_*");
    else
        cmocka_set_skip_filter("threads_*");
    return run_file_tests(setup, teardown);
}
