/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs of many threads over the nc_* API. What each call got is kept with the moments when it began and
 * ended, and the whole history must be one that could have come about one call at a time (see history.c):
 *
 *  - each block of elements, and each attribute, is a register: linearizable
 *  - of one chunk a get sees all of a put or nothing; a put to several chunks is several
 *  - a put to an ncid that is closed meanwhile is done, and stored, or NC_EBADID and never seen
 *  - a reader that opens the dataset beside the writer sees at least what was stored when it did
 *
 * Made to be run under ThreadSanitizer. The calls of a thread depend on the seed, how they meet does not.
 *
 * usage: test_threads_random [SEED [CALLS [memory|file|zip[,v3|,classic|,netcdf4] [THREADS]]]]     without arguments:
 * the regular run v3: datasets of Zarr v3, with all variables in shards; file,classic: classic files; file,netcdf4:
 * netCDF-4 files
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/peak.h"
#include "world.h"

enum {
    CALLS = 700,
    THREADS = 8,
    STUCK = 240,            /* seconds: nobody waits so long for a lock */
    ELEMS_MOST = 64 * 1024, /* of a variable */
    BLOCKS_MOST = 1000,
};

typedef struct deed {
    const char *name;
    void (*fn)(actor *);
    int weight[4]; /* for each kind of thread: who reads, puts, defines, keeps */
} deed;

static const deed deeds[] = {
    {"get", do_get, {60, 20, 15, 10}},      {"put", do_put, {5, 45, 20, 10}},
    {"append", do_append, {3, 15, 5, 5}},   {"attribute", do_attribute, {12, 10, 15, 10}},
    {"define", do_define, {0, 0, 30, 3}},   {"inquire", do_inquire, {15, 5, 10, 10}},
    {"error", do_error, {2, 2, 2, 2}},      {"sync", do_sync, {1, 2, 2, 15}},
    {"reopen", do_reopen, {0, 0, 0, 10}},   {"look", do_look, {2, 1, 1, 15}},
    {"private", do_private, {0, 0, 0, 10}}, {"storm", do_storm, {20, 20, 10, 5}},
    {"threads", do_threads, {0, 0, 0, 2}},
};

enum { DEEDS = sizeof deeds / sizeof deeds[0] };

/* A classic file is in define mode, or has data put and got; and one that is changed shows a second reader changes that
 * are half done. */
static bool
is_done(const actor *a, const deed *d)
{
    return !a->w->classic || (d->fn != do_define && d->fn != do_look);
}

static const deed *
pick_deed(actor *a)
{
    int kind = a->number % 4, total = 0, at;

    for (int i = 0; i < DEEDS; i++)
        total += is_done(a, &deeds[i]) ? deeds[i].weight[kind] : 0;
    at = pick(a, total);
    for (int i = 0; i < DEEDS; i++)
        if (is_done(a, &deeds[i]) && (at -= deeds[i].weight[kind]) < 0)
            return &deeds[i];
    return &deeds[0];
}

static void *
act(void *arg)
{
    actor *a = arg;

    for (; a->ncalls < a->w->nops; a->ncalls++) {
        const deed *d = pick_deed(a);

        atomic_store_explicit(&a->what, d->name, memory_order_relaxed);
        d->fn(a);
    }
    atomic_store_explicit(&a->what, "done", memory_order_relaxed);
    return NULL;
}

/* ---- a run that does not end ----------------------------------------------------------------------------------- */

static world *watched;

static void
say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(1);
}

static void
stuck(int signal)
{
    (void)signal;
    say("[  FAILED  ] threads: stuck. They are in:");
    for (int i = 0; i < watched->nactors; i++) {
        say(" ");
        say(atomic_load_explicit(&watched->actors[i].what, memory_order_relaxed));
    }
    say("\n");
    abort();
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

static void
actor_init(actor *a, world *w, int number)
{
    *a = (actor){.w = w, .number = number, .what = "beginning"};
    a->state = (w->seed + 1) * 0x9E3779B97F4A7C15ULL + (uint64_t)number * 0xD1B54A32D192ED03ULL;
    a->buf = malloc(ELEMS_MOST * sizeof(double));
    a->seen = malloc(BLOCKS_MOST * sizeof *a->seen);
    if (a->buf == NULL || a->seen == NULL)
        abort();
    for (int i = 0; i < 10; i++)
        (void)rnd(a);
}

static void
actor_clear(actor *a)
{
    hist_clear(&a->h);
    free(a->buf);
    free(a->seen);
}

/* The puts of half of the programs do not wait for the store; of some of these hardly anything may wait. */
static void
choose_write(uint64_t seed)
{
    static const char *const bytes[] = {"60000000", "20000", "1"};

    (void)setenv("NCZARR_WRITE", (seed + 1) / 2 % 2 == 0 ? "behind" : "through", 1);
    (void)setenv("NCZARR_BEHIND_BYTES", bytes[seed % 3], 1);
}

static void
run(uint64_t seed, int nops, const char *store, int nactors)
{
    static actor actors[ACTORS + 1]; /* the last one is this thread */
    world        w = {.seed = seed,
                      .memory = strncmp(store, "memory", 6) == 0,
                      .archive = strncmp(store, "zip", 3) == 0,
                      .shards = strstr(store, ",v3") != NULL,
                      .classic = strstr(store, ",classic") != NULL,
                      .netcdf4 = strstr(store, ",netcdf4") != NULL,
                      .contiguous = strstr(store, ",netcdf4") != NULL && seed % 4 == 3,
                      .lookers = seed % 2 == 0,
                      .renames = seed % 2 != 0,
                      .clears = seed % 4 >= 2,
                      .nactors = nactors,
                      .nops = nops,
                      .actors = actors,
                      .stamp = 1};
    size_t       nevents = 0;

    for (int i = 0; i <= ACTORS; i++)
        actor_init(&actors[i], &w, i);
    watched = &w;
    choose_write(seed);
    (void)alarm(STUCK);
    world_make(&w, &actors[ACTORS]);
    for (int i = 0; i < nactors; i++)
        if (pthread_create(&actors[i].thread, NULL, act, &actors[i]) != 0)
            fail(&actors[i], "a thread cannot be made");
    for (int i = 0; i < nactors; i++)
        (void)pthread_join(actors[i].thread, NULL);
    world_check(&w, &actors[ACTORS]);
    (void)alarm(0);
    for (int i = 0; i <= ACTORS; i++) {
        nevents += actors[i].h.nevents;
        actor_clear(&actors[i]);
    }
    world_drop(&w);
    printf("[       OK ] threads seed %" PRIu64 " %s: %d threads of %d calls, %zu values put and got\n", seed, store,
           nactors, nops, nevents);
    fflush(stdout);
}

/* In the short run every second pair of programs, of which one has readers and one renames; under a sanitizer every
 * fifth. */
static bool
is_drawn(uint64_t seed, uint64_t drawn)
{
    return getenv("NCZARR_TEST_SHORT") == NULL || ((seed + 1) / 2 + drawn) % (PEAK_SANITIZED ? 5 : 2) == 0;
}

int
main(int argc, char **argv)
{
    const char *drawn = getenv("NCZARR_TEST_SEED"); /* other calls than those of the same numbers without it */
    uint64_t    more = drawn != NULL ? 1000 * strtoull(drawn, NULL, 10) : 0;
    int         nops = argc > 2 ? atoi(argv[2]) : CALLS, nactors = argc > 4 ? atoi(argv[4]) : THREADS;

    (void)signal(SIGALRM, stuck);
    if (nops < 1 || nactors < 1 || nactors > ACTORS) {
        fprintf(stderr, "usage: %s [SEED [CALLS [memory|file|zip[,v3|,classic|,netcdf4] [THREADS, at most %d]]]]\n",
                argv[0], ACTORS);
        return 2;
    }
    for (uint64_t seed = 1; argc == 1 && seed <= 6; seed++)
        if (is_drawn(seed, more / 1000))
            run(more + seed, nops, seed <= 2 ? "memory" : seed <= 4 ? "file" : "zip", nactors);
    for (uint64_t seed = 7; argc == 1 && seed <= 10; seed++)
        if (is_drawn(seed, more / 1000))
            run(more + seed, nops / 2, seed == 7 ? "memory,v3" : seed == 8 ? "zip,v3" : "file,v3", nactors);
    for (uint64_t seed = 11; argc == 1 && seed <= 16; seed++)
        if (is_drawn(seed, more / 1000))
            run(more + seed, nops, "file,classic", nactors);
    for (uint64_t seed = 17; argc == 1 && seed <= 20; seed++)
        if (is_drawn(seed, more / 1000))
            run(more + seed, nops, "file,netcdf4", nactors);
    if (argc > 1)
        run(strtoull(argv[1], NULL, 10), nops, argc > 3 ? argv[3] : "memory", nactors);
    return 0;
}
