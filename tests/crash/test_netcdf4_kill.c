/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kill test of netCDF-4 files: a child process that creates one, also over an older one, or opens one to change
 * it, dies at its n-th system call on the store, for every n until it gets through. It appends records, syncs,
 * defines more, renames and changes attributes. After each death the file opens, and has exactly what one commit had:
 * the last that was acknowledged, or the one that was being made; its structures are sound; and the same calls then
 * succeed, and remove what was begun. In the long run a thousand deaths more, of random programs.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crash/netcdf4_steps.h"
#include "dump/dump.h"
#include "nczarr.h"
#include "support/kill.h"
#include "support/scratch.h"

enum { WIDTH = 300, RANDOM = 1000 };

static char       top[64], path[100], url[200];
static char      *older[2]; /* files of the first version: of width, and random */
static size_t     nolder[2];
static steps_log *progress; /* shared with the child */

typedef struct scenario {
    const char *name, *fragment;
    bool        fresh, append, texts;
    int         width;
} scenario;

static const scenario scenarios[] = {
    {"create", "", .width = WIDTH},
    {"create_fresh", "", .fresh = true, .texts = true, .width = WIDTH},
    {"create_front", "&front=20000", .fresh = true, .width = WIDTH},
    {"append", "", .append = true, .texts = true, .width = WIDTH},
    {"append_narrow", "", .append = true, .width = 10}, /* small chunks: a tree gets the place that it had */
    {"append_behind", "&write=behind", .append = true, .width = 20},
};

static steps_file
file_of(const scenario *s)
{
    snprintf(url, sizeof url, "file://%s#mode=netcdf4%s", path, s->fragment);
    return (steps_file){.url = url, .width = s->width, .texts = s->texts};
}

static bool
go(void *arg)
{
    const scenario *s = arg;
    steps_file      f = file_of(s);

    return (s->append ? steps_append(&f, progress) : steps_create(&f, 2, progress)) == NC_NOERR;
}

static bool
wrong(const scenario *s, long n, const char *what, const char *why)
{
    fprintf(stderr, "%s%s (%s%swidth %d) killed at call %ld after step %d: %s: %s\n", s->name, s->fragment,
            s->append ? "append, " : "", s->texts ? "texts, " : "", s->width, n, progress->done, what, why);
    return false;
}

/* As nczdump --check says. */
static bool
passes_check(char why[400])
{
    dump_opts o = DUMP_OPTS_INIT;
    FILE     *out = fopen("/dev/null", "w");
    int       ncid, rc = nc_open(path, NC_NOWRITE, &ncid);

    if (rc == NC_NOERR) {
        o.file = path;
        rc = dump_check(ncid, path, &o, out);
        (void)nc_close(ncid);
    }
    (void)fclose(out);
    if (rc != 0)
        snprintf(why, 400, "nczdump --check returns %d", rc);
    return rc == 0;
}

/* After a death, or at the end of the calls. */
static bool
check_file(const scenario *s, long n, bool through)
{
    steps_file f = file_of(s);
    char       why[400];
    int        version = 0, step = -1, last = s->append ? STEPS_ALL : STEPS_CREATED;

    if (!scratch_exists(path))
        return (s->fresh && !through && progress->done < 0) || wrong(s, n, "there is no file", "");
    if (!steps_look(&f, path, &version, &step, why))
        return wrong(s, n, "it does not open, or has other values", why);
    if (!steps_sound(path, why) || (n % 8 == 0 && !passes_check(why)))
        return wrong(s, n, "it is not sound", why);
    if (through)
        return (version == (s->append ? 1 : 2) && step == last - 1) || wrong(s, n, "it is not what was made", "");
    if (!s->append && version == 1)
        return (!s->fresh && progress->done < 0 && step == STEPS_CREATED - 1) || wrong(s, n, "it is the old one", "");
    return (step >= progress->done && step <= progress->begun) || wrong(s, n, "it has another commit", "");
}

static bool
make_older(const scenario *s, int i)
{
    steps_file f = file_of(s);

    free(older[i]);
    snprintf(url, sizeof url, "file://%s#mode=netcdf4", path);
    if (steps_create(&f, 1, progress) != NC_NOERR)
        return wrong(s, 0, "the older file cannot be made", nczarr_errmsg());
    older[i] = scratch_read(path, &nolder[i]);
    return older[i] != NULL;
}

/* One death, and what comes after it. */
static bool
survives_call(const scenario *s, int i, long n, bool *through)
{
    scratch_empty(top);
    if (!s->fresh)
        scratch_write(path, older[i], nolder[i]);
    *progress = s->append ? (steps_log){STEPS_CREATED - 1, STEPS_CREATED - 1, "", ""} : (steps_log){-1, -1, "", ""};
    *through = kill_at_call(n, KILL_SECTORS, s->name, go, (void *)(uintptr_t)s);
    if (!check_file(s, n, *through))
        return false;
    if (!go((void *)(uintptr_t)s))
        return wrong(s, n, "the same calls do not succeed afterwards", nczarr_errmsg());
    if (!check_file(s, n, true))
        return false;
    if (scratch_count(top) != 1)
        return wrong(s, n, "a file that nothing leads to is left", "");
    return true;
}

static bool
survives(const scenario *s, long *points)
{
    bool through = false;

    if (!s->fresh && !make_older(s, 0))
        return false;
    for (long n = kill_first(); !through; n += kill_step()) {
        if (!survives_call(s, 0, n, &through))
            return false;
        *points = n;
    }
    return true;
}

/* ---- random programs --------------------------------------------------------------------------------------------- */

static unsigned long state;

static unsigned long
draw(unsigned long n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

static bool
survive_random(int runs)
{
    static const char *const fragments[] = {"",          "&write=behind",   "&reuse=never", "&front=9000",
                                            "&commit=1", "&durability=none"};

    state = test_seed() + 1;
    for (int i = 0; i < runs; i++) {
        scenario s = {"random", fragments[draw(6)], .append = draw(2) != 0, .texts = draw(2) != 0,
                      .width = 1 + (int)draw(600)};
        bool     through;
        long     most = 300;

        s.fresh = !s.append && draw(2) != 0;
        (void)setenv("NCZARR_THREADS", (const char *const[]){"1", "2", "4"}[draw(3)], 1);
        if (!s.fresh && !make_older(&s, 1))
            return false;
        for (int k = 0; k < 4; k++) {
            long n = 1 + (long)draw((unsigned long)most);

            if (!survives_call(&s, 1, n, &through))
                return false;
            most = through ? n : most;
        }
    }
    return true;
}

int
main(void)
{
    bool all = getenv("NCZARR_TEST_ALL") != NULL, failed = false, good;

    snprintf(top, sizeof top, "%s/nczarr-netcdf4-kill-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mkdtemp(top) == NULL || progress == MAP_FAILED)
        return 2;
    snprintf(path, sizeof path, "%s/f.nc", top);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        long points = 0;

        good = survives(&scenarios[i], &points);
        printf("[%s] netcdf4_kill_%s at %ld system calls\n", good ? "       OK " : "  FAILED  ", scenarios[i].name,
               points);
        fflush(stdout);
        failed = failed || !good;
    }
    if (all) {
        good = survive_random(RANDOM / 4);
        printf("[%s] netcdf4_kill_random\n", good ? "       OK " : "  FAILED  ");
        failed = failed || !good;
    }
    scratch_remove(top);
    free(older[0]);
    free(older[1]);
    return failed;
}
