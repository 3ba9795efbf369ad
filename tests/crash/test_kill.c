/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kill test: a child process runs a scenario and dies at its n-th system call, for every n until it gets through;
 * after each death the dataset must open, and all of it must be old or new, object by object. One that is being made
 * may be absent until its nc_enddef() has returned. Whatever is there then, the same nc_create() succeeds, and so does
 * nc_delete() in its place.
 *
 * To show that the test sees what it looks for, the same runs with a mutant of the file map that writes in place
 * instead of renaming: it must be caught.
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nczarr.h"
#include "zmap/file/zmap_file.h"
#include "support/kill.h"
#include "support/scratch.h"
#include "zmap/zmap_sys.h"

#define RECS   6  /* records of the first generation */
#define MORE   10 /* records after append */
#define WIDTH  23
#define CHUNKW 10

#define ROWS      8     /* in two shards */
#define FULL_ROWS 6     /* of the first generation */
#define ROW_WIDTH 32768 /* a shard is large enough to be written in place */

#define WORDS     5
#define LONG_WORD 200

/* ---- the scenarios --------------------------------------------------------------------------------------------- */

static char        top[64], path[256];
static bool        zip;  /* what stands at path */
static const char *mode; /* of a new dataset, as in a URL */

/* Shared with the child: its nc_enddef() of a new dataset has returned, the commit that followed as well. */
static struct progress {
    atomic_bool defined, complete;
} * progress;

#define TRY(call)                                                                                                    \
    do {                                                                                                             \
        if ((call) != NC_NOERR)                                                                                      \
            return false;                                                                                            \
    } while (0)

/* Record `rec` of generation `gen`: each element says both. */
static void
record(int gen, int rec, int *out)
{
    for (int i = 0; i < WIDTH; i++)
        out[i] = gen * 1000 + rec;
}

static bool
put_records(int ncid, const char *var, int gen, int from, int to)
{
    int varid, row[WIDTH];

    TRY(nc_inq_varid(ncid, var, &varid));
    for (int rec = from; rec < to; rec++) {
        record(gen, rec, row);
        TRY(nc_put_vara_int(ncid, varid, (size_t[]){(size_t)rec, 0}, (size_t[]){1, WIDTH}, row));
    }
    return true;
}

static int
create_there(int *ncid)
{
    char url[sizeof path + 64];

    snprintf(url, sizeof url, "file://%s#mode=%s,%s", path, zip ? "zip" : "file", mode);
    return nc_create(url, NC_NETCDF4, ncid);
}

static bool
create(void)
{
    int    ncid, grp, dims[2], v, w;
    size_t chunk[] = {2, CHUNKW};

    TRY(create_there(&ncid));
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "title", 9, "first one"));
    TRY(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
    TRY(nc_def_dim(ncid, "x", WIDTH, &dims[1]));
    TRY(nc_def_var(ncid, "plain", NC_INT, 2, dims, &v));
    TRY(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunk));
    TRY(nc_def_grp(ncid, "g", &grp));
    TRY(nc_def_var(grp, "packed", NC_INT, 2, dims, &w));
    TRY(nc_def_var_chunking(grp, w, NC_CHUNKED, chunk));
    TRY(nc_def_var_deflate(grp, w, 1, 1, 4));
    TRY(nc_put_att_text(grp, w, "units", 1, "m"));
    TRY(nc_enddef(ncid));
    atomic_store(&progress->defined, true);
    if (!put_records(ncid, "plain", 1, 0, RECS) || !put_records(grp, "packed", 1, 0, RECS))
        return false;
    TRY(nc_close(ncid));
    atomic_store(&progress->complete, true);
    return true;
}

/* Without nc_enddef(): the first put leaves define mode. */
static bool
create_at_once(void)
{
    int ncid, dim, v;

    TRY(create_there(&ncid));
    TRY(nc_def_dim(ncid, "x", WIDTH, &dim));
    TRY(nc_def_var(ncid, "v", NC_INT, 1, &dim, &v));
    TRY(nc_put_var1_int(ncid, v, (size_t[]){0}, (int[]){7}));
    atomic_store(&progress->defined, true);
    TRY(nc_close(ncid));
    atomic_store(&progress->complete, true);
    return true;
}

static bool
append(void)
{
    int ncid, grp;

    TRY(nc_open(path, NC_WRITE, &ncid));
    TRY(nc_inq_grp_ncid(ncid, "g", &grp));
    if (!put_records(ncid, "plain", 1, RECS, MORE) || !put_records(grp, "packed", 1, RECS, MORE))
        return false;
    return nc_close(ncid) == NC_NOERR;
}

static bool
overwrite_at(const char *where)
{
    int ncid, grp;

    TRY(nc_open(where, NC_WRITE, &ncid));
    TRY(nc_inq_grp_ncid(ncid, "g", &grp));
    TRY(nc_put_att_text(ncid, NC_GLOBAL, "title", 2, "II"));
    if (!put_records(ncid, "plain", 2, 0, RECS) || !put_records(grp, "packed", 2, 0, RECS))
        return false;
    TRY(nc_sync(ncid));
    return nc_close(ncid) == NC_NOERR;
}

static bool
overwrite(void)
{
    return overwrite_at(path);
}

/* Without a wish for durability files are replaced by exchanging names. */
static bool
overwrite_hastily(void)
{
    char url[sizeof path + 64];

    snprintf(url, sizeof url, "file://%s#mode=nczarr,%s&durability=none", path, zip ? "zip" : "file");
    return overwrite_at(url);
}

static bool
sync_often(void)
{
    int ncid;

    TRY(nc_open(path, NC_WRITE, &ncid));
    for (int rec = 0; rec < RECS; rec += 2) {
        if (!put_records(ncid, "plain", 2, rec, rec + 2))
            return false;
        TRY(nc_sync(ncid));
    }
    return nc_close(ncid) == NC_NOERR;
}

static bool
redefine(void)
{
    int ncid, grp, v, extra;

    TRY(nc_open(path, NC_WRITE, &ncid));
    TRY(nc_inq_grp_ncid(ncid, "g", &grp));
    TRY(nc_inq_varid(ncid, "plain", &v));
    TRY(nc_redef(ncid));
    TRY(nc_rename_var(ncid, v, "renamed"));
    TRY(nc_rename_grp(grp, "h"));
    TRY(nc_def_var(ncid, "extra", NC_DOUBLE, 0, NULL, &extra));
    TRY(nc_del_att(ncid, NC_GLOBAL, "title"));
    TRY(nc_enddef(ncid));
    TRY(nc_put_var_double(ncid, extra, (double[]){2.5}));
    return nc_close(ncid) == NC_NOERR;
}

static const char *const words[WORDS] = {"red", "green", "blue", "white", "black"};

/* A dataset with strings of fixed width, where Zarr has such ones. */
static bool
create_words(void)
{
    int ncid, x, v;

    if (!create())
        return false;
    TRY(nc_open(path, NC_WRITE, &ncid));
    TRY(nc_def_dim(ncid, "w", WORDS, &x));
    TRY(nc_def_var(ncid, "words", NC_STRING, 1, &x, &v));
    TRY(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){2}));
    TRY(nc_put_var_string(ncid, v, (const char **)words));
    return nc_close(ncid) == NC_NOERR;
}

static void
long_word(char word[LONG_WORD + 1])
{
    memset(word, 'L', LONG_WORD);
    word[LONG_WORD] = '\0';
}

/* One of the strings becomes longer than all have room. */
static bool
widen(void)
{
    char word[LONG_WORD + 1];
    int  ncid, v;

    long_word(word);
    TRY(nc_open(path, NC_WRITE, &ncid));
    TRY(nc_inq_varid(ncid, "words", &v));
    TRY(nc_put_var1_string(ncid, v, (size_t[]){2}, &(const char *){word}));
    return nc_close(ncid) == NC_NOERR;
}

static bool
put_rows(int ncid, int v, int gen, int from, int to)
{
    static int row[ROW_WIDTH];

    for (int y = from; y < to; y++) {
        for (int i = 0; i < ROW_WIDTH; i++)
            row[i] = gen * 1000 + y;
        TRY(nc_put_vara_int(ncid, v, (size_t[]){(size_t)y, 0}, (size_t[]){1, ROW_WIDTH}, row));
    }
    return true;
}

/* A dataset with shards without compression, where Zarr has shards. */
static bool
create_shards(void)
{
    int ncid, dims[2], v;

    if (!create())
        return false;
    TRY(nc_open(path, NC_WRITE, &ncid));
    TRY(nc_def_dim(ncid, "y", ROWS, &dims[0]));
    TRY(nc_def_dim(ncid, "wide", ROW_WIDTH, &dims[1]));
    TRY(nc_def_var(ncid, "sharded", NC_INT, 2, dims, &v));
    TRY(nc_def_var_chunking(ncid, v, NC_CHUNKED, (size_t[]){1, ROW_WIDTH}));
    if (strstr(mode, "v3") != NULL)
        TRY(nczarr_def_var_shards(ncid, v, (size_t[]){ROWS / 2, ROW_WIDTH}));
    if (!put_rows(ncid, v, 1, 0, FULL_ROWS))
        return false;
    return nc_close(ncid) == NC_NOERR;
}

/* Replaces one shard, and completes another in two steps. */
static bool
change_shards(void)
{
    int ncid, v;

    TRY(nc_open(path, NC_WRITE, &ncid));
    TRY(nc_inq_varid(ncid, "sharded", &v));
    if (!put_rows(ncid, v, 2, 0, FULL_ROWS))
        return false;
    TRY(nc_sync(ncid));
    if (!put_rows(ncid, v, 2, FULL_ROWS, ROWS))
        return false;
    return nc_close(ncid) == NC_NOERR;
}

static bool
rewrite_all(void) /* NC_CLOBBER over the old dataset: it may be gone after a death, but nothing of it may be torn */
{
    return create();
}

/* ---- looking at what a death left ------------------------------------------------------------------------------ */

static char complaint[512];

static bool
wrong(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(complaint, sizeof complaint, fmt, args);
    va_end(args);
    return false;
}

/* Each chunk of two records holds one generation of each record, whole. */
static bool
records_whole(int ncid, const char *name, size_t atleast)
{
    int    varid, dims[2], rc, row[WIDTH];
    size_t nrecs;

    if ((rc = nc_inq_varid(ncid, name, &varid)) != NC_NOERR)
        return wrong("%s: %s", name, nczarr_errmsg());
    if (nc_inq_vardimid(ncid, varid, dims) != NC_NOERR || nc_inq_dimlen(ncid, dims[0], &nrecs) != NC_NOERR)
        return wrong("%s has lost its dimensions", name);
    if (nrecs < atleast)
        return wrong("%s has %zu records", name, nrecs);
    for (size_t rec = 0; rec < nrecs; rec++) {
        rc = nc_get_vara_int(ncid, varid, (size_t[]){rec, 0}, (size_t[]){1, WIDTH}, row);
        if (rc != NC_NOERR)
            return wrong("%s record %zu: %d %s", name, rec, rc, nczarr_errmsg());
        for (int i = 0; i < WIDTH; i++) {
            bool fill = row[i] == NC_FILL_INT, first = row[i] == 1000 + (int)rec, second = row[i] == 2000 + (int)rec;

            if (!(first || second || (fill && rec >= atleast)))
                return wrong("%s record %zu element %d is %d", name, rec, i, row[i]);
            if (i % CHUNKW != 0 && row[i] != row[i - 1])
                return wrong("%s record %zu: a chunk holds %d and %d", name, rec, row[i - 1], row[i]);
        }
    }
    return true;
}

static bool
title_whole(int ncid)
{
    char   title[64] = "";
    size_t len = 0;
    int    rc = nc_inq_attlen(ncid, NC_GLOBAL, "title", &len);

    if (rc == NC_ENOTATT)
        return true;
    if (rc != NC_NOERR || len >= sizeof title || nc_get_att_text(ncid, NC_GLOBAL, "title", title) != NC_NOERR)
        return wrong("title: %s", nczarr_errmsg());
    return strcmp(title, "first one") == 0 || strcmp(title, "II") == 0 || wrong("title is '%s'", title);
}

static bool
look(size_t atleast)
{
    int  ncid, grp, varid, rc = nc_open(path, NC_NOWRITE, &ncid);
    bool good;

    if (rc != NC_NOERR)
        return wrong("does not open: %d %s", rc, nczarr_errmsg());
    if (nc_inq_grp_ncid(ncid, "g", &grp) != NC_NOERR && nc_inq_grp_ncid(ncid, "h", &grp) != NC_NOERR)
        good = wrong("its group is gone");
    else
        good = title_whole(ncid) &&
               records_whole(ncid, nc_inq_varid(ncid, "plain", &varid) == NC_NOERR ? "plain" : "renamed", atleast) &&
               records_whole(grp, "packed", atleast);
    if (nc_close(ncid) != NC_NOERR)
        return wrong("does not close: %s", nczarr_errmsg());
    return good;
}

/* Each string is whole: the old one or, in its place, the long one. */
static bool
words_whole(int ncid)
{
    char  want[LONG_WORD + 1];
    char *got[WORDS] = {NULL};
    bool  good = true;
    int   v, rc;

    long_word(want);
    if ((rc = nc_inq_varid(ncid, "words", &v)) != NC_NOERR || (rc = nc_get_var_string(ncid, v, got)) != NC_NOERR)
        return wrong("words: %d %s", rc, nczarr_errmsg());
    for (int i = 0; good && i < WORDS; i++) {
        const char *word = got[i] != NULL ? got[i] : "";

        if (strcmp(word, words[i]) != 0 && (i != 2 || strcmp(word, want) != 0))
            good = wrong("word %d is '%.20s' of %zu", i, word, strlen(word));
    }
    (void)nc_free_string(WORDS, got);
    return good;
}

/* Each row is whole. */
static bool
look_at_shards(size_t atleast)
{
    static int row[ROW_WIDTH];
    int        ncid, v, rc;
    bool       good = look(atleast);

    if (!good)
        return false;
    if (nc_open(path, NC_NOWRITE, &ncid) != NC_NOERR || nc_inq_varid(ncid, "sharded", &v) != NC_NOERR)
        return wrong("the shards are gone: %s", nczarr_errmsg());
    for (int y = 0; y < ROWS && good; y++) {
        if ((rc = nc_get_vara_int(ncid, v, (size_t[]){(size_t)y, 0}, (size_t[]){1, ROW_WIDTH}, row)) != NC_NOERR)
            return wrong("row %d: %d %s", y, rc, nczarr_errmsg());
        good = row[0] == 1000 + y || row[0] == 2000 + y || (y >= FULL_ROWS && row[0] == NC_FILL_INT) ||
               wrong("row %d is %d", y, row[0]);
        for (int i = 1; good && i < ROW_WIDTH; i++)
            good = row[i] == row[0] || wrong("row %d holds %d and %d", y, row[0], row[i]);
    }
    return (nc_close(ncid) == NC_NOERR || wrong("does not close")) && good;
}

/* For a reader, for the next writer, and for a reader of what that left. */
static bool
look_at_words(size_t atleast)
{
    bool good = look(atleast);

    for (int turn = 0; good && turn < 3; turn++) {
        int ncid, rc = nc_open(path, turn == 1 ? NC_WRITE : NC_NOWRITE, &ncid);

        if (rc != NC_NOERR)
            return wrong("does not open: %d %s", rc, nczarr_errmsg());
        good = words_whole(ncid);
        if (nc_close(ncid) != NC_NOERR)
            return wrong("does not close: %s", nczarr_errmsg());
    }
    return good;
}

/* A new dataset: whole when it is complete, all that was defined before that, and nothing before that. */
static bool
look_at_new(size_t atleast)
{
    int ncid, rc;

    if (progress->complete)
        return look(atleast);
    rc = nc_open(path, NC_NOWRITE, &ncid);
    if (rc == NC_NOERR)
        return nc_close(ncid) != NC_NOERR ? wrong("does not close: %s", nczarr_errmsg()) : look(0);
    if (progress->defined && !zip)
        return wrong("what was defined does not open: %d %s", rc, nczarr_errmsg());
    return rc == NC_ENOTNC || rc == NC_ENOOBJECT || wrong("does not open: %d %s", rc, nczarr_errmsg());
}

static bool
look_at_scalar(size_t atleast)
{
    int ncid, varid, value = 0, rc = nc_open(path, NC_NOWRITE, &ncid);

    (void)atleast;
    if (rc != NC_NOERR)
        return (!progress->defined || zip) && !progress->complete
                   ? true
                   : wrong("does not open: %d %s", rc, nczarr_errmsg());
    if (nc_inq_varid(ncid, "v", &varid) != NC_NOERR ||
        nc_get_var1_int(ncid, varid, (size_t[]){0}, &value) != NC_NOERR ||
        (value != 7 && (progress->complete || value != NC_FILL_INT)))
        return wrong("v is %d: %s", value, nczarr_errmsg());
    return nc_close(ncid) == NC_NOERR || wrong("does not close");
}

/* Whatever a death left: it can be deleted, and the same place taken again. */
static bool
place_is_free(long n)
{
    bool removing = n % 2 == 0;
    int  rc, ncid;

    if (removing && access(path, F_OK) == 0 && (rc = nc_delete(path)) != NC_NOERR)
        return wrong("cannot be deleted: %d %s", rc, nczarr_errmsg());
    if (removing && access(path, F_OK) == 0)
        return wrong("was deleted, and is there");
    if (!create())
        return wrong("cannot be created again: %s", nczarr_errmsg());
    if (!look(RECS))
        return false;
    if (nc_open(path, NC_WRITE, &ncid) != NC_NOERR || nc_close(ncid) != NC_NOERR)
        return wrong("created again, cannot be written: %s", nczarr_errmsg());
    return (rc = nc_delete(path)) == NC_NOERR ||
           wrong("created again, cannot be deleted: %d %s", rc, nczarr_errmsg());
}

/* ---- the loop -------------------------------------------------------------------------------------------------- */

typedef struct scenario {
    const char *name;
    bool (*prepare)(void);
    bool (*go)(void);
    bool (*look)(size_t atleast);
    size_t atleast;   /* records that must be there whenever it dies */
    bool   zip_stays; /* an archive that was there is, where a directory may be gone */
} scenario;

static const scenario scenarios[] = {
    {"create", NULL, create, look_at_new, RECS, false},
    {"append", create, append, look, RECS, false},
    {"overwrite", create, overwrite, look, RECS, false},
    {"redefine", create, redefine, look, RECS, false},
    {"clobber", create, rewrite_all, look_at_new, RECS, true},
    {"hasty", create, overwrite_hastily, look, RECS, false},
    {"sync", create, sync_often, look, RECS, false},
    {"widen", create_words, widen, look_at_words, RECS, false},
    {"shards", create_shards, change_shards, look_at_shards, RECS, false},
    {"implicit", NULL, create_at_once, look_at_scalar, 0, false},
};

/* Everything below the test's own directory goes: the dataset and what deaths left beside it. */
static void
fresh(const scenario *s)
{
    scratch_empty(top);
    zmap_file_use(NULL);
    if (s->prepare != NULL && !s->prepare()) {
        fprintf(stderr, "[  FAILED  ] kill_%s: cannot prepare: %s\n", s->name, nczarr_errmsg());
        exit(1);
    }
}

static bool
run_scenario(void *arg)
{
    const scenario *s = arg;

    *progress = (struct progress){false, false};
    return s->go();
}

/* A dataset that was committed before is one whatever happens: some of the deaths do. */
static bool
checks_place(const scenario *s, bool mutant, long n)
{
    return !mutant && ((s->look != look && s->look != look_at_words && s->look != look_at_shards) || n % 5 == 0);
}

/* The number of deaths after which something was wrong; stops at the first when not hunting the mutant. */
static long
torn_after(const scenario *s, bool mutant, long *points)
{
    long torn = 0, n, step = kill_step();

    for (n = mutant ? 1 : kill_first();; n += mutant ? 1 : step) {
        bool through;

        fresh(s);
        through = kill_at_call(n, mutant ? KILL_IN_PLACE : KILL_AT_ALL, s->name, run_scenario, (void *)s);
        if (!(zip && s->zip_stays ? look : s->look)(s->atleast) ||
            (checks_place(s, mutant, n) && !place_is_free(n))) {
            torn++;
            if (!mutant) {
                fprintf(stderr, "kill at call %ld: %s\n", n, complaint);
                break;
            }
        }
        if (through)
            break;
    }
    *points = n;
    return torn;
}

/* All scenarios on one kind of store, in one format, and its mutant. */
static bool
kill_all(const char *store, const char *format)
{
    long points, torn;
    bool failed = false;

    zip = strcmp(store, "zip") == 0;
    mode = format;
    snprintf(path, sizeof path, "%s/d.%s", top, zip ? "zip" : "zarr");
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        torn = torn_after(&scenarios[i], false, &points);
        printf("[%s] kill_%s_%s at one in %ld of %ld system calls (%s)\n", torn ? "  FAILED  " : "       OK ", store,
               scenarios[i].name, kill_step(), points, mode);
        failed = failed || torn != 0;
    }
    torn = torn_after(&scenarios[2], true, &points);
    printf("[%s] kill_%s_mutant: a map that writes in place is caught (%ld of %ld deaths)\n",
           torn ? "       OK " : "  FAILED  ", store, torn, points);
    return failed || torn == 0;
}

int
main(void)
{
    bool failed;

    snprintf(top, sizeof top, "%s/nczarr-kill-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mkdtemp(top) == NULL || progress == MAP_FAILED)
        return 2;
    failed = kill_all("file", "nczarr");
    failed = kill_all("zip", "nczarr") || failed;
    failed = kill_all("file", "nczarr,v3") || failed;
    failed = kill_all("file", "nczarr,v3,consolidated") || failed;
    failed = kill_all("zip", "nczarr,v3") || failed;
    fresh(&scenarios[0]);
    (void)rmdir(top);
    return failed;
}
