/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kill test of nczcopy: a child process copies and dies at its n-th system call on the store, for every n until
 * it gets through. After each death the source is what it was, byte for byte, and the target is absent or (where a
 * dataset stood before) the old one or the new one, whole. Then the copy is resumed, or begun again, and must give
 * what a copy in one go gives, again byte for byte; and that can be deleted. Done for chunks moved as they are and
 * for chunks coded again.
 *
 * To show that there is something to see: under the other name, where it is made, the copy is found half done.
 */
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copy/copy.h"
#include "zmap/file/zmap_file.h"
#include "nczarr.h"
#include "support/kill.h"
#include "support/scratch.h"

#define RECS  5
#define WIDTH 23

/* ---- datasets -------------------------------------------------------------------------------------------------- */

static char top[64], source[100], target[100], whole[100];

static void
place(bool zip)
{
    snprintf(target, sizeof target, "%s/target.%s", top, zip ? "zip" : "zarr");
    snprintf(whole, sizeof whole, "%s/whole.%s", top, zip ? "zip" : "zarr");
}

#define OK(call)                                                                                                     \
    do {                                                                                                             \
        if ((call) != NC_NOERR) {                                                                                    \
            fprintf(stderr, "[  FAILED  ] copy_kill: %s: %s\n", #call, nczarr_errmsg());                             \
            exit(1);                                                                                                 \
        }                                                                                                            \
    } while (0)

/* Records of generation `gen`; a quantized variable, text and a group are there for their own ways through a copy. */
static void
make(const char *path, int gen)
{
    int    ncid, grp, dims[2], v, w, q, values[RECS * WIDTH];
    float  reals[WIDTH];
    size_t chunk[] = {2, 10};

    for (int i = 0; i < RECS * WIDTH; i++)
        values[i] = gen * 1000 + i;
    for (int i = 0; i < WIDTH; i++)
        reals[i] = (float)i / 3;
    OK(nc_create(path, NC_CLOBBER, &ncid));
    OK(nc_put_att_int(ncid, NC_GLOBAL, "generation", NC_INT, 1, &gen));
    OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    OK(nc_def_dim(ncid, "x", WIDTH, &dims[1]));
    OK(nc_def_var(ncid, "plain", NC_INT, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunk));
    OK(nc_def_var(ncid, "rounded", NC_FLOAT, 1, &dims[1], &q));
    OK(nc_def_var_quantize(ncid, q, NC_QUANTIZE_BITGROOM, 3));
    OK(nc_put_att_text(ncid, q, "units", 1, "m"));
    OK(nc_def_grp(ncid, "g", &grp));
    OK(nc_def_var(grp, "packed", NC_INT, 2, dims, &w));
    OK(nc_def_var_chunking(grp, w, NC_CHUNKED, chunk));
    OK(nc_def_var_deflate(grp, w, 1, 1, 4));
    OK(nc_put_vara_int(ncid, v, (size_t[]){0, 0}, (size_t[]){RECS, WIDTH}, values));
    OK(nc_put_vara_int(grp, w, (size_t[]){0, 0}, (size_t[]){2, WIDTH}, values)); /* the rest is fill */
    OK(nc_put_var_float(ncid, q, reals));
    OK(nc_close(ncid));
}

/* ---- the bytes of a directory ---------------------------------------------------------------------------------- */

static uint64_t sum_of_all;
static size_t   sum_skip;

static int
sum_one(const char *name, const struct stat *st, int type, struct FTW *ftw)
{
    uint64_t h = 0xCBF29CE484222325u;
    FILE    *f;

    (void)st;
    (void)ftw;
    if (type != FTW_F)
        return 0;
    for (const char *p = name + sum_skip; *p != '\0'; p++)
        h = (h ^ (unsigned char)*p) * 0x100000001B3u;
    if ((f = fopen(name, "rb")) == NULL)
        return 1;
    for (int c; (c = fgetc(f)) != EOF;)
        h = (h ^ (unsigned)c) * 0x100000001B3u;
    fclose(f);
    sum_of_all += h; /* in whatever order they come */
    return 0;
}

/* Of names and contents; 0: there is nothing. */
static uint64_t
sum(const char *path)
{
    struct stat st;

    sum_of_all = 1;
    sum_skip = strlen(path);
    return stat(path, &st) != 0 ? 0 : nftw(path, sum_one, 16, FTW_PHYS) == 0 ? sum_of_all : 2;
}

static void
remove_all(const char *path, const char *suffix)
{
    char name[200];

    snprintf(name, sizeof name, "%s%s", path, suffix);
    scratch_remove(name);
}

/* ---- the loop -------------------------------------------------------------------------------------------------- */

typedef struct scenario {
    const char *name, *chunks;
    int         deflate;
    bool        over; /* a dataset stands at the target */
    bool        zip;  /* the target is an archive: then there is nothing to continue, and --resume begins */
} scenario;

static const scenario scenarios[] = {
    {"as_they_are", NULL, -1, false},
    {"coded_again", "plain:1,23", 2, false},
    {"over_an_old_one", NULL, -1, true},
    {"to_an_archive", NULL, -1, false, true},
    {"over_an_old_archive", "plain:1,23", 2, true, true},
};

/* False: it failed, and said why. */
static bool
copy(const scenario *s, const char *to, bool resume)
{
    copy_opts o = COPY_OPTS_INIT;
    bool      good;

    o.in = source;
    o.out = to;
    o.deflate = s->deflate;
    o.resume = o.verify = resume;
    o.progress = COPY_NO;
    good = (s->chunks == NULL || copy_parse_chunks(&o, s->chunks)) && copy_run(&o) == NC_NOERR;
    copy_opts_clear(&o);
    return good;
}

typedef struct job {
    const scenario *scenario;
    const char     *to;
} job;

static bool
copy_job(void *arg)
{
    const job *j = arg;

    return copy(j->scenario, j->to, false);
}

/* Copies in a child that dies at call n. True when it got through instead. */
static bool
run_to(const scenario *s, const char *to, long n)
{
    return kill_at_call(n, KILL_AT_CHANGES, s->name, copy_job, &(job){s, to});
}

/* What a target holds: of a directory every byte; of an archive, which has its name and the time in it, that of the
 * directory it is copied to. */
static uint64_t
holds(const scenario *s, const char *path)
{
    static const scenario plain = {.name = "look", .deflate = -1};
    char                  from[100], out[100];
    uint64_t              found;
    struct stat           st;

    if (!s->zip || stat(path, &st) != 0)
        return sum(path);
    snprintf(out, sizeof out, "%s/look.zarr", top);
    memcpy(from, source, sizeof from);
    memcpy(source, path, strlen(path) + 1);
    found = copy(&plain, out, false) ? sum(out) : 2;
    memcpy(source, from, sizeof source);
    remove_all(out, "");
    return found;
}

static bool
exists(const char *path, const char *suffix)
{
    char name[200];

    snprintf(name, sizeof name, "%s%s", path, suffix);
    return access(name, F_OK) == 0;
}

static void
start(const scenario *s)
{
    remove_all(target, "");
    remove_all(target, ".nczcopy");
    if (s->over)
        make(target, 2);
}

static bool
wrong(long n, const char *what)
{
    fprintf(stderr, "killed at call %ld: %s\n", n, what);
    return false;
}

static bool
survives(const scenario *s, long *points)
{
    uint64_t before, complete, old, now;
    bool     through = false;

    place(s->zip);
    before = sum(source);
    remove_all(whole, "");
    if (!copy(s, whole, false))
        return wrong(0, "the copy in one go failed");
    complete = holds(s, whole);
    start(s);
    old = holds(s, target);
    for (long n = kill_first(); !through; n += kill_step()) {
        start(s);
        through = run_to(s, target, n);
        *points = n;
        now = holds(s, target);
        if (sum(source) != before)
            return wrong(n, "the source has changed");
        if (now != old && now != complete)
            return wrong(n, old == 0 ? "the target is neither absent nor complete"
                                     : "the target is neither old nor new");
        if (!copy(s, target, n % 3 != 0))
            return wrong(n, n % 3 != 0 ? "it cannot be resumed" : "it cannot be begun again");
        if (holds(s, target) != complete)
            return wrong(n, "in the end it is not what it is in one go");
        if (exists(target, ".nczcopy"))
            return wrong(n, "something is left beside it");
        if (nc_delete(target) != NC_NOERR || exists(target, ""))
            return wrong(n, "it cannot be deleted");
        if (sum(source) != before)
            return wrong(n, "resuming has changed the source");
    }
    return true;
}

/* Looks at copies under the other name, the one that nobody must take for the target: it must see some half done. */
static long
half_done(const scenario *s)
{
    char     url[200], part[200];
    uint64_t complete, now;
    long     seen = 0;

    place(false);
    complete = sum(whole);
    snprintf(url, sizeof url, "%s", target);
    snprintf(part, sizeof part, "%s.nczcopy", target);
    for (long n = 1;; n += 7) {
        start(s);
        if (run_to(s, url, n))
            return seen;
        now = sum(part);
        seen += now != 0 && now != complete;
    }
}

int
main(void)
{
    bool failed = false;
    long points = 0, seen;

    snprintf(top, sizeof top, "%s/nczarr-copykill-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(top) == NULL)
        return 2;
    snprintf(source, sizeof source, "%s/source.zarr", top);
    make(source, 1);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        bool good = survives(&scenarios[i], &points);

        printf("[%s] copy_kill_%s at one in %ld of %ld system calls\n", good ? "       OK " : "  FAILED  ",
               scenarios[i].name, kill_step(), points);
        fflush(stdout);
        failed = failed || !good;
    }
    seen = half_done(&scenarios[1]);
    printf("[%s] copy_kill_sees: %ld deaths left something half done beside the target\n",
           seen > 0 ? "       OK " : "  FAILED  ", seen);
    remove_all(top, "");
    return failed || seen == 0;
}
