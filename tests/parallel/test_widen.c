/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that know nothing of each other write chunks, or parts of chunks, of one variable of strings, while one or
 * two of them put longer and longer ones; a reader opened the dataset before, and one of the writers may be killed.
 * Every string that a process had stored is there, and no chunk is narrower than the document says. In a directory and,
 * with a server of the tests, in a bucket.
 *
 * usage: test_widen [bucket]
 */
#include "support/fork.h"
#include "support/scratch.h"
#include "support/test.h"

#include "child.h"
#include "nczarr_zmap.h"
#include "ranks.h"
#ifdef WITH_BUCKET
#include "zmap/bucket.h"
#endif

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { N = 32, CHUNK = 4, ROUNDS = 8, WRITERS = 3, LONGEST = 100 << ROUNDS };

typedef struct writing {
    const char *name;
    bool        parts;   /* elements of all chunks belong to each writer; else whole chunks */
    bool        deflate; /* shuffled and compressed */
    bool        records; /* along an unlimited dimension */
    int         longs;   /* writers of long strings; the others write short ones */
} writing;

static const writing writings[] = {
    {"chunks", false, false, false, 1}, {"both", false, true, false, 2},
    {"parts", true, false, false, 1},   {"parts, both", true, true, false, 3},
    {"records", false, false, true, 1}, {"records in parts", true, true, true, 2},
};

static char       *dir, path[4096];
static const char *root;

static int
owner_of(const writing *w, size_t i)
{
    return (int)((w->parts ? i : i / CHUNK) % WRITERS);
}

/* A long string gets longer with each round. */
static void
text_of(const writing *w, int who, int round, size_t i, char *out)
{
    size_t len = who < w->longs ? (size_t)100 << (round + who) % ROUNDS : 0;
    int    n = sprintf(out, "%d.%d.%zu", who, round, i);

    for (size_t at = (size_t)n; at < len; at++)
        out[at] = (char)('a' + at % 26);
    out[len > (size_t)n ? len : (size_t)n] = '\0';
}

static void
create_dataset(const writing *w)
{
    int ncid, d, v;

    ok(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid));
    ok(nc_def_dim(ncid, "x", w->records ? NC_UNLIMITED : N, &d));
    ok(nc_def_var(ncid, "s", NC_STRING, 1, &d, &v));
    ok(nc_def_var_chunking(ncid, v, NC_CHUNKED, &(size_t){CHUNK}));
    if (w->deflate)
        ok(nc_def_var_deflate(ncid, v, 1, 1, 1));
    ok(nc_close(ncid));
}

static int
write_round(const writing *w, int ncid, int who, int round)
{
    char *text = malloc(LONGEST + 64);
    int   rc = text == NULL ? NC_ENOMEM : NC_NOERR;

    for (size_t i = 0; i < N && rc == NC_NOERR; i++) {
        const char *in = text;

        if (owner_of(w, i) != who)
            continue;
        text_of(w, who, round, i, text);
        rc = nc_put_var1_string(ncid, 0, &i, &in);
    }
    free(text);
    return rc != NC_NOERR ? rc : nc_sync(ncid);
}

/* Opens, says so, and writes when all have opened. Each round that is stored is reported. */
static void
run_writer(const writing *w, int who, int rounds, int start, int report)
{
    int  ncid, rc;
    char go;

    must(nc_open(path, NC_WRITE, &ncid));
    if (write(report, "o", 1) != 1 || read(start, &go, 1) != 1)
        _exit(1);
    for (int i = 0; i < rounds; i++)
        if ((rc = write_round(w, ncid, who, i % ROUNDS)) != NC_NOERR || write(report, "x", 1) != 1) {
            fprintf(stderr, "%s: writer %d, round %d: %d %s\n", w->name, who, i, rc, nczarr_errmsg());
            _exit(2);
        }
    must(nc_close(ncid));
    _exit(0);
}

/* A reader from before the first round: each string is nothing, or one of its writer's. */
static void
run_reader(const writing *w, int start, int report)
{
    char *got[N], *want = malloc(LONGEST + 64);
    int   ncid, who;
    char  go;

    must(nc_open(path, NC_NOWRITE | NC_SHARE, &ncid));
    if (want == NULL || write(report, "o", 1) != 1 || read(start, &go, 1) != 1)
        _exit(1);
    for (int i = 0; i < 60; i++) {
        size_t n = 0;

        must(nc_sync(ncid));
        must(nc_inq_dimlen(ncid, 0, &n));
        must(nc_get_vara_string(ncid, 0, &(size_t){0}, &n, got));
        for (size_t k = 0; k < n; k++) {
            int round = 0;

            if (got[k] == NULL || got[k][0] == '\0')
                continue;
            if (sscanf(got[k], "%d.%d", &who, &round) == 2)
                text_of(w, who, round, k, want);
            if (who != owner_of(w, k) || strcmp(got[k], want) != 0) {
                fprintf(stderr, "%s: element %zu is %.40s...\n", w->name, k, got[k]);
                _exit(3);
            }
        }
        must(nc_free_string(n, got));
    }
    must(nc_close(ncid));
    _exit(0);
}

typedef struct child {
    pid_t pid;
    int   start, report; /* the ends of its pipes here */
} child;

static child
start_child(const writing *w, int who, int rounds)
{
    int   go[2], said[2];
    char  byte;
    child c;

    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(said), 0);
    if ((c.pid = fork_quiet()) == 0) {
        (void)alarm(240);
        if (who < WRITERS)
            run_writer(w, who, rounds, go[0], said[1]);
        run_reader(w, go[0], said[1]);
    }
    assert_true(c.pid > 0);
    close(go[0]);
    close(said[1]);
    c.start = go[1];
    c.report = said[0];
    assert_int_equal(read(c.report, &byte, 1), 1);
    return c;
}

/* Each chunk without codecs has the width of the document. */
static int
check_length(const char *key, unsigned long long length, void *arg)
{
    size_t      width = *(size_t *)arg;
    const char *name = strrchr(key, '/');

    if (name == NULL || name[1] < '0' || name[1] > '9')
        return 0;
    if (length != NCZARR_MAP_WHOLE)
        assert_int_equal(length, width * CHUNK);
    return 0;
}

/* What each writer stored last is there; of one that was killed, perhaps what it was about to store. */
static void
check_dataset(const writing *w, const int done[WRITERS], int killed)
{
    char       *got[N], *want = malloc(LONGEST + 64), *next = malloc(LONGEST + 64);
    nczarr_map *map;
    void       *text;
    size_t      n = 0, width = 0;
    int         ncid;

    assert_true(want != NULL && next != NULL);
    ok(nc_open(path, NC_WRITE, &ncid)); /* finishes what a killed writer has begun */
    ok(nc_close(ncid));
    ok(nc_open(path, NC_NOWRITE, &ncid));
    ok(nc_inq_dimlen(ncid, 0, &n));
    ok(nc_get_vara_string(ncid, 0, &(size_t){0}, &n, got));
    for (size_t i = 0; i < n; i++) {
        int who = owner_of(w, i);

        text_of(w, who, (done[who] + ROUNDS - 1) % ROUNDS, i, want);
        text_of(w, who, done[who] % ROUNDS, i, next);
        if (done[who] > 0 && strcmp(got[i], want) != 0 && !(who == killed && strcmp(got[i], next) == 0))
            fail_msg("%s: element %zu is %.30s..., not %.30s...", w->name, i, got[i], want);
    }
    if (killed < 0)
        assert_int_equal(n, N);
    ok(nc_free_string(n, got));
    ok(nczarr_inq_var_strlen(ncid, 0, &width));
    ok(nc_close(ncid));
    ok(nczarr_map_open(path, NCZARR_MAP_READ, &map));
    ok(nczarr_map_get(map, "s/.zarray", &text, &n));
    assert_null(memmem(text, n, "nczarr_widening", 15));
    free(text);
    if (!w->deflate && killed < 0)
        ok(nczarr_map_walk(map, "s", check_length, &width));
    ok(nczarr_map_close(map));
    free(want);
    free(next);
}

/* All write at once, a reader reads, and `killed` is killed in its second half; -1: nobody. */
static void
write_at_once(const writing *w, int killed)
{
    child c[WRITERS + 1];
    int   done[WRITERS] = {0}, status;

    create_dataset(w);
    for (int i = 0; i <= WRITERS; i++)
        c[i] = start_child(w, i, i < w->longs ? ROUNDS : 3 * ROUNDS);
    for (int i = 0; i <= WRITERS; i++)
        assert_int_equal(write(c[i].start, "g", 1), 1);
    if (killed >= 0) {
        char byte;

        for (int i = 0; i < ROUNDS / 2; i++)
            done[killed] += read(c[killed].report, &byte, 1) == 1;
        usleep((unsigned)rand() % 4000);
        assert_int_equal(kill(c[killed].pid, SIGKILL), 0);
    }
    for (int i = 0; i <= WRITERS; i++) {
        int n = count_reports(c[i].report);

        if (i < WRITERS)
            done[i] += n;
        close(c[i].start);
        assert_int_equal(waitpid(c[i].pid, &status, 0), c[i].pid);
        assert_true(status == 0 || i == killed);
    }
    check_dataset(w, done, killed);
}

static void
set_path(const char *name)
{
    if (root != NULL)
        snprintf(path, sizeof path, "%s/%s.zarr#mode=s3,nczarr&anon", root, name);
    else
        snprintf(path, sizeof path, "file://%s#mode=nczarr", scratch_path(dir, name));
}

TEST(processes_that_widen_at_once_lose_nothing)
{
    for (int again = 0; again < (root == NULL ? 4 : 1); again++)
        for (size_t i = 0; i < NCZ_LEN(writings); i++) {
            set_path("data");
            write_at_once(&writings[i], -1);
        }
}

TEST(a_widener_is_killed)
{
    for (int again = 0; again < (root == NULL ? 4 : 1); again++)
        for (size_t i = 0; i < NCZ_LEN(writings); i++) {
            set_path("killed");
            write_at_once(&writings[i], 0);
        }
}

/* ---- ranks beside a process that widens ------------------------------------------------------------------------ */

enum { RANKS = 3, PUTS = 6 };

/* Each rank puts elements of all chunks, collectively or not, and rank 0 stores longer strings by itself between. */
static int
write_as_rank(const nczarr_comm *comm, void *arg)
{
    const writing *w = arg;
    char           text[64];
    const char    *in = text;
    int            ncid;

    RANK_CHECK(nczarr_open_par(path, NC_WRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(nc_var_par_access(ncid, 0, w->records ? NC_COLLECTIVE : NC_INDEPENDENT) == NC_NOERR);
    for (int put = 0; put < PUTS; put++) {
        if (comm->rank == 0) {
            char *longer = malloc((size_t)200 << put);
            int   alone = -1, rc;

            RANK_CHECK(longer != NULL);
            memset(longer, 'L', (size_t)200 << put);
            longer[((size_t)200 << put) - 1] = '\0';
            RANK_CHECK(nc_open(path, NC_WRITE, &alone) == NC_NOERR);
            rc = nc_put_var1_string(alone, 0, &(size_t){N - 1}, &(const char *){longer});
            RANK_CHECK(rc == NC_NOERR && nc_close(alone) == NC_NOERR);
            free(longer);
        }
        for (size_t i = 0; i < N - CHUNK; i += RANKS) {
            size_t at = i + (size_t)comm->rank, n = at < N - CHUNK;
            int    rc;

            snprintf(text, sizeof text, "%d.%d.%zu", comm->rank, put, at);
            do
                rc = nc_put_vara_string(ncid, 0, &(size_t){n != 0 ? at : 0}, &n, &in);
            while (rc == NC_EZARRMETA); /* "put again" */
            RANK_CHECK(rc == NC_NOERR);
        }
        RANK_CHECK(nc_sync(ncid) == NC_NOERR);
    }
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    return 0;
}

TEST(ranks_widen_together)
{
    for (size_t i = 0; i < NCZ_LEN(writings); i++) {
        const writing *w = &writings[i];
        char          *got[N], want[64];
        size_t         n = N - 1;
        int            ncid;

        set_path("ranks");
        create_dataset(w);
        ok(nc_open(path, NC_WRITE, &ncid));
        ok(nc_put_var1_string(ncid, 0, &n, &(const char *){"last"}));
        ok(nc_close(ncid));
        assert_int_equal(ranks_as_processes(RANKS, write_as_rank, (void *)(uintptr_t)w, -1), 0);
        ok(nc_open(path, NC_NOWRITE, &ncid));
        ok(nc_get_var_string(ncid, 0, got));
        for (size_t k = 0; k < N - CHUNK; k++) {
            snprintf(want, sizeof want, "%zu.%d.%zu", k % RANKS, PUTS - 1, k);
            assert_string_equal(got[k], want);
        }
        assert_int_equal(strlen(got[N - 1]), ((size_t)200 << (PUTS - 1)) - 1);
        ok(nc_free_string(N, got));
        ok(nc_close(ncid));
    }
}

int
main(int argc, char **argv)
{
    int failed;

    dir = scratch_new();
#ifdef WITH_BUCKET
    if (argc > 1 && strcmp(argv[1], "bucket") == 0) {
        bucket     *b = bucket_start(NULL, NULL);
        static char url[64];

        snprintf(url, sizeof url, "http://127.0.0.1:%u/buck", stub_port(bucket_stub(b)));
        root = url;
        failed = run_file_tests(NULL, NULL);
        bucket_stop(b);
        scratch_free(dir);
        return failed;
    }
#endif
    (void)argc;
    (void)argv;
    failed = run_file_tests(NULL, NULL);
    scratch_free(dir);
    return failed;
}
