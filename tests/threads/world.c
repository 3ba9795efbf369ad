/* SPDX-License-Identifier: BSD-3-Clause */
/* world: see world.h. The variables stand in one table: raw and with codecs, small chunks and large, ragged edges. */
#include "world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const wvar table[VARS] = {
    {.name = "raw", .type = NC_INT, .shape = {24, 20}, .chunk = {8, 8}, .block = {4, 4}},
    {.name = "zlib",
     .type = NC_INT64,
     .shape = {24, 20},
     .chunk = {8, 10},
     .block = {4, 5},
     .filter = H5Z_FILTER_DEFLATE,
     .big_endian = true},
    {.name = "points",
     .type = NC_DOUBLE,
     .shape = {12, 10},
     .chunk = {5, 4},
     .block = {1, 1},
     .filter = H5Z_FILTER_BLOSC},
    {.name = "fills",
     .type = NC_INT,
     .shape = {12, 12},
     .chunk = {4, 6},
     .block = {2, 3},
     .filter = H5Z_FILTER_DEFLATE,
     .fills = true},
    {.name = "owned",
     .type = NC_DOUBLE,
     .shape = {ACTORS / 2 * 5, 20},
     .chunk = {5, 10},
     .block = {5, 5},
     .owned = true},
    {.name = "wide", .type = NC_INT64, .shape = {64, 1024}, .chunk = {64, 512}, .block = {16, 128}},
    {.name = "rows", .type = NC_INT, .shape = {ROWS, 10}, .chunk = {3, 10}, .block = {1, 10}},
    {.name = "records",
     .type = NC_DOUBLE,
     .shape = {ROWS, 4},
     .chunk = {4, 3},
     .block = {1, 3},
     .filter = H5Z_FILTER_DEFLATE},
};

/* ---- chance and failing ---------------------------------------------------------------------------------------- */

uint64_t
rnd(actor *a)
{
    a->state ^= a->state << 13;
    a->state ^= a->state >> 7;
    a->state ^= a->state << 17;
    return a->state * 0x2545F4914F6CDD1DULL >> 11;
}

int
pick(actor *a, int n)
{
    return n <= 0 ? 0 : (int)(rnd(a) % (uint64_t)n);
}

bool
one_in(actor *a, int n)
{
    return pick(a, n) == 0;
}

int
turn(const actor *a)
{
    return (int)a->w->seed + a->ncalls / 20;
}

wset *
pick_set(actor *a)
{
    return &a->w->sets[one_in(a, 3) ? pick(a, SETS) : turn(a) / VARS % SETS];
}

wvar *
pick_var(actor *a, wset *s)
{
    return &s->vars[one_in(a, 3) ? pick(a, VARS) : turn(a) % VARS];
}

void
fail(const actor *a, const char *fmt, ...)
{
    const world *w = a->w;
    va_list      args;

    fprintf(stderr, "[  FAILED  ] threads seed %" PRIu64 " %s%s, %d threads of %d calls, thread %d (%s): ", w->seed,
            w->memory    ? "memory"
            : w->archive ? "zip"
                         : "file",
            w->shards    ? ",v3"
            : w->classic ? ",classic"
            : w->netcdf4 ? ",netcdf4"
                         : "",
            w->nactors, w->nops, a->number, atomic_load_explicit(&a->what, memory_order_relaxed));
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    _exit(1);
}

void
ok(const actor *a, int rc, const char *call)
{
    if (rc != NC_NOERR)
        fail(a, "%s: %d %s: %s", call, rc, nc_strerror(rc), nczarr_errmsg());
}

/* ---- datasets -------------------------------------------------------------------------------------------------- */

int
now_open(const wset *s)
{
    return atomic_load_explicit(&s->ncid, memory_order_relaxed);
}

bool
gone(const wset *s, int rc)
{
    return rc == NC_EBADID && s->number == CLOSING;
}

void
raise_to(_Atomic uint64_t *most, uint64_t n)
{
    uint64_t there = atomic_load_explicit(most, memory_order_relaxed);

    while (there < n &&
           !atomic_compare_exchange_weak_explicit(most, &there, n, memory_order_relaxed, memory_order_relaxed))
        ;
}

bool
has_filter(int ncid, int filter)
{
    return filter != 0 && nc_inq_filter_avail(ncid, (unsigned)filter) == NC_NOERR;
}

static int
open_or_create(const wset *s, bool create, int mode, int *ncid)
{
    char url[400];

    if (s->map != NULL)
        return create ? nczarr_create_map(s->map, s->mode, mode, ncid) : nczarr_open_map(s->map, s->mode, mode, ncid);
    snprintf(url, sizeof url, "file://%s#%s", s->path, s->mode);
    return create ? nc_create(url, mode, ncid) : nc_open(url, mode, ncid);
}

int
world_open(const wset *s, int mode, int *ncid)
{
    return open_or_create(s, false, mode, ncid);
}

/* What only Zarr has. */
static void
define_storage(actor *a, int ncid, const wvar *v)
{
    OK(nc_def_var_chunking(ncid, v->id, v->contiguous ? NC_CONTIGUOUS : NC_CHUNKED, v->chunk));
    if (a->w->shards) {
        size_t shard[2] = {2 * v->chunk[0], (v->id % 2 + 1) * v->chunk[1]};

        OK(nczarr_def_var_shards(ncid, v->id, shard));
    }
    if (v->big_endian)
        OK(nc_def_var_endian(ncid, v->id, NC_ENDIAN_BIG));
    if (has_filter(ncid, v->filter)) {
        if (v->filter == H5Z_FILTER_DEFLATE)
            OK(nc_def_var_deflate(ncid, v->id, 1, 1, 1));
        else
            OK(nc_def_var_blosc(ncid, v->id, 0, 1, 0, 1));
    }
}

static void
define_var(actor *a, int ncid, wvar *v, int time)
{
    const int       fill = FILL;
    const long long fill64 = FILL;
    const double    filld = FILL;
    char            name[40];
    int             dims[2] = {time, 0};

    if (!v->unlimited) {
        snprintf(name, sizeof name, "%s_y", v->name);
        OK(nc_def_dim(ncid, name, v->shape[0], &dims[0]));
    }
    snprintf(name, sizeof name, "%s_x", v->name);
    OK(nc_def_dim(ncid, name, v->shape[1], &dims[1]));
    OK(nc_def_var(ncid, v->name, v->type, 2, dims, &v->id));
    OK(nc_def_var_fill(ncid, v->id, 0,
                       v->type == NC_INT     ? (const void *)&fill
                       : v->type == NC_INT64 ? (const void *)&fill64
                                             : (const void *)&filld));
    if (!a->w->classic)
        define_storage(a, ncid, v);
}

/* Registers for the blocks of a variable, with the chunks that they lie in; blocks divide chunks. */
static void
number_blocks(world *w, wvar *v, uint32_t *chunk)
{
    size_t across = (v->shape[1] + v->chunk[1] - 1) / v->chunk[1];

    v->nelems = v->shape[0] * v->shape[1];
    for (int d = 0; d < 2; d++)
        v->nblocks[d] = (v->shape[d] + v->block[d] - 1) / v->block[d];
    v->reg = (uint32_t)w->nregs;
    w->nregs += v->nblocks[0] * v->nblocks[1];
    if ((w->chunk_of = realloc(w->chunk_of, w->nregs * sizeof *w->chunk_of)) == NULL)
        abort();
    for (size_t y = 0; y < v->nblocks[0]; y++)
        for (size_t x = 0; x < v->nblocks[1]; x++)
            w->chunk_of[v->reg + y * v->nblocks[1] + x] =
                *chunk + (uint32_t)(y * v->block[0] / v->chunk[0] * across + x * v->block[1] / v->chunk[1]);
    *chunk += (uint32_t)(((v->shape[0] + v->chunk[0] - 1) / v->chunk[0]) * across);
}

static void
number_registers(world *w)
{
    uint32_t chunk = 0;

    for (int i = 0; i < SETS; i++) {
        wset *s = &w->sets[i];

        for (int k = 0; k < VARS; k++) {
            s->vars[k] = table[k];
            s->vars[k].unlimited = table[k].shape[0] == ROWS;
            s->vars[k].contiguous = w->classic || (w->contiguous && k == WIDE);
            number_blocks(w, &s->vars[k], &chunk);
        }
        s->atts = (uint32_t)w->nregs;
        w->nregs += ATTS;
        if ((w->chunk_of = realloc(w->chunk_of, w->nregs * sizeof *w->chunk_of)) == NULL)
            abort();
        for (uint32_t k = 0; k < ATTS; k++)
            w->chunk_of[s->atts + k] = chunk++;
    }
}

void
world_make(world *w, actor *a)
{
    static const size_t caches[] = {0, 300000, 40000, (size_t)64 << 20};
    const char         *tmp = getenv("TMPDIR");

    number_registers(w);
    snprintf(w->dir, sizeof w->dir, "%s/nczarr-threads-XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(w->dir) == NULL)
        fail(a, "%s cannot be made", w->dir);
    for (int i = 0; i < SETS; i++) {
        wset *s = &w->sets[i];
        int   ncid, time;

        s->number = i;
        snprintf(s->mode, sizeof s->mode, "mode=%s%s&durability=%s",
                 w->classic   ? "cdf5"
                 : w->netcdf4 ? "netcdf4"
                              : "nczarr",
                 w->shards ? ",v3" : "", !w->memory && w->seed % 3 == 0 && i == 0 ? "sync" : "none");
        snprintf(s->path, sizeof s->path, "%s/set%d.%s", w->dir, i,
                 w->archive                 ? "zip"
                 : w->classic || w->netcdf4 ? "nc"
                                            : "zarr");
        if (w->memory)
            OK(nczarr_map_memory(&s->map));
        OK(nc_set_chunk_cache(caches[(w->seed + (uint64_t)i) % 4], 1000, 0.75f));
        OK(open_or_create(s, true, NC_NOCLOBBER, &ncid));
        OK(nc_def_dim(ncid, "time", NC_UNLIMITED, &time));
        OK(nc_def_dim(ncid, "own", OWN_DIM, NULL));
        for (int k = 0; k < VARS; k++)
            define_var(a, ncid, &s->vars[k], time);
        if (w->classic)
            define_registers(a, s, ncid);
        OK(nc_enddef(ncid));
        OK(nc_sync(ncid)); /* so that it can be opened a second time */
        atomic_store(&s->ncid, ncid);
    }
}

/* ---- the end --------------------------------------------------------------------------------------------------- */

static void
check_counts(actor *a, const world *w, const wset *s)
{
    int ndims = 2, nvars = VARS, ngroups = 0, natts = 0, have[4];

    for (int k = 0; k < VARS; k++)
        ndims += s->vars[k].unlimited ? 1 : 2;
    for (int i = 0; i < w->nactors; i++) {
        const own *o = &w->actors[i].own[s->number];

        ndims += o->ndims;
        ngroups += o->ngroups;
        natts += o->natts;
        for (int k = 0; k < o->nvars; k++)
            nvars += o->vars[k].group < 0;
    }
    OK(nc_inq(now_open(s), &have[0], &have[1], &have[2], NULL));
    have[3] = 0;
    if (!w->classic)
        OK(nc_inq_grps(now_open(s), &have[3], NULL));
    if (have[0] != ndims || have[1] != nvars || have[3] != ngroups || have[2] < natts)
        fail(a, "set %d has %d dimensions, %d variables, %d groups, %d attributes; made were %d, %d, %d, %d",
             s->number, have[0], have[1], have[3], have[2], ndims, nvars, ngroups, natts);
}

static void
look_at_all(world *w, actor *a)
{
    for (int i = 0; i < SETS; i++) {
        uint64_t len;
        size_t   have;
        int      time;

        get_everything(a, &w->sets[i]);
        check_counts(a, w, &w->sets[i]);
        OK(nc_inq_dimid(now_open(&w->sets[i]), "time", &time));
        OK(nc_inq_dimlen(now_open(&w->sets[i]), time, &have));
        if (have != (len = atomic_load(&w->sets[i].grown)))
            fail(a, "the unlimited dimension of set %d has length %zu, not %" PRIu64, i, have, len);
        for (int k = 0; k < w->nactors; k++)
            check_own(a, &w->actors[k], i);
    }
}

void
world_check(world *w, actor *a)
{
    hist all[ACTORS + 1];
    char why[300];

    look_at_all(w, a);
    for (int i = 0; i < SETS; i++) {
        int ncid;

        OK(nc_close(now_open(&w->sets[i])));
        OK(world_open(&w->sets[i], NC_NOWRITE, &ncid));
        atomic_store(&w->sets[i].ncid, ncid);
        for (int k = 0; k < VARS; k++)
            OK(nc_inq_varid(ncid, w->sets[i].vars[k].name, &w->sets[i].vars[k].id));
    }
    look_at_all(w, a);
    for (int i = 0; i < w->nactors; i++)
        all[i] = w->actors[i].h;
    all[w->nactors] = a->h;
    if (!hist_check(all, (size_t)w->nactors + 1, w->chunk_of, w->nregs, why, sizeof why))
        fail(a, "%s", why);
    for (int i = 0; i < SETS; i++)
        OK(nc_close(now_open(&w->sets[i])));
}

void
world_drop(world *w)
{
    char cmd[300];

    for (int i = 0; i < SETS; i++)
        (void)nczarr_map_close(w->sets[i].map);
    free(w->chunk_of);
    snprintf(cmd, sizeof cmd, "rm -rf '%s'", w->dir);
    if (system(cmd) != 0)
        fprintf(stderr, "%s is left behind\n", w->dir);
}
