/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * behind_bench: what output costs a program that computes, once. Prints the seconds as JSON.
 *
 * usage: behind_bench model HOW URL LEVEL STEPS WORK THREADS
 *          a model: in each step THREADS threads compute WORK rounds, then one puts 5 fields of 1 MiB, which deflate
 *          about 2:1. HOW: none, copy (into memory of its own), or write
 *        behind_bench step URL MIB         one put of so much, then a close
 *        behind_bench make URL BOXES       an array for the next
 *        behind_bench train HOW URL BOXES WORK
 *          a loop over random boxes: read one, compute WORK rounds. HOW: none (computes only), read, prefetch
 */
#include "nczarr.h"

#include "clock.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 512, FIELDS = 5, CELLS = SIDE * SIDE, BOX = 128 };

static void
check(int rc, const char *call)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "behind_bench: %s: %s: %s\n", call, nc_strerror(rc), nczarr_errmsg());
    exit(1);
}

#define CALL(f, ...) check(f(__VA_ARGS__), #f)

static double
now(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

static double
spent(void)
{
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- computing ---- */

static volatile double sink;

static void *
compute(void *arg)
{
    long   rounds = *(long *)arg;
    double x = 1.0;

    for (long i = 0; i < rounds * 1000; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
    return NULL;
}

static void
compute_on(long rounds, int threads)
{
    pthread_t t[16];

    for (int i = 1; i < threads; i++)
        if (pthread_create(&t[i], NULL, compute, &rounds) != 0)
            exit(1);
    (void)compute(&rounds);
    for (int i = 1; i < threads; i++)
        (void)pthread_join(t[i], NULL);
}

/* Smooth, with noise in the lower bits. */
static void
set_field(float *field, unsigned step)
{
    uint32_t x = step * 2654435761u + 1;

    for (int i = 0; i < CELLS; i++) {
        x = x * 1664525u + 1013904223u;
        field[i] = 280.0f + (float)(i % SIDE) / SIDE + (float)(x >> 22) / 65536.0f;
    }
}

/* ---- a model ---- */

static void
define_model(const char *url, int level, int *ncid, int *varid)
{
    const size_t chunks[3] = {1, SIDE, SIDE};
    int          dims[3];

    CALL(nc_create, url, NC_NETCDF4 | NC_CLOBBER, ncid);
    CALL(nc_def_dim, *ncid, "time", NC_UNLIMITED, &dims[0]);
    CALL(nc_def_dim, *ncid, "y", SIDE, &dims[1]);
    CALL(nc_def_dim, *ncid, "x", SIDE, &dims[2]);
    for (int f = 0; f < FIELDS; f++) {
        CALL(nc_def_var, *ncid, (char[]){'a' + (char)f, 0}, NC_FLOAT, 3, dims, &varid[f]);
        CALL(nc_def_var_chunking, *ncid, varid[f], NC_CHUNKED, chunks);
        if (level > 0)
            CALL(nc_def_var_deflate, *ncid, varid[f], 1, 1, level);
    }
    CALL(nc_enddef, *ncid);
}

static int
run_model(char **argv)
{
    static float field[CELLS], own[FIELDS][CELLS];
    const char  *how = argv[2];
    int          level = atoi(argv[4]), steps = atoi(argv[5]), threads = atoi(argv[7]), ncid = -1, varid[FIELDS];
    long         work = atol(argv[6]);
    double       begun, put_wall = 0, put_cpu = 0, closing;

    memset(own, 1, sizeof own);
    if (strcmp(how, "write") == 0)
        define_model(argv[3], level, &ncid, varid);
    begun = now();
    for (int step = 0; step < steps; step++) {
        double wall, cpu;

        compute_on(work, threads);
        set_field(field, (unsigned)step); /* a part of computing */
        wall = now();
        cpu = spent();
        for (int f = 0; f < FIELDS; f++) {
            const size_t start[3] = {(size_t)step, 0, 0}, count[3] = {1, SIDE, SIDE};

            if (ncid >= 0)
                CALL(nc_put_vara_float, ncid, varid[f], start, count, field);
            else if (strcmp(how, "copy") == 0)
                memcpy(own[f], field, sizeof field);
            sink = own[f][step];
        }
        put_wall += now() - wall;
        put_cpu += spent() - cpu;
    }
    closing = now();
    if (ncid >= 0)
        CALL(nc_close, ncid);
    printf("{\"total\": %.6f, \"puts\": %.6f, \"puts_cpu\": %.6f, \"close\": %.6f, \"cpu\": %.6f}\n", now() - begun,
           put_wall, put_cpu, now() - closing, clock_seconds(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}

/* ---- one large step ---- */

static int
run_step(char **argv)
{
    size_t       mib = (size_t)atol(argv[3]), n = mib * (1 << 18);
    const size_t chunk = 1 << 18;
    float       *data = malloc(n * sizeof *data);
    int          ncid, dim, varid;
    double       put, closing;

    if (data == NULL)
        return 1;
    for (size_t i = 0; i + CELLS <= n; i += CELLS)
        set_field(data + i, (unsigned)i);
    CALL(nc_create, argv[2], NC_NETCDF4 | NC_CLOBBER, &ncid);
    CALL(nc_def_dim, ncid, "x", n, &dim);
    CALL(nc_def_var, ncid, "v", NC_FLOAT, 1, &dim, &varid);
    CALL(nc_def_var_chunking, ncid, varid, NC_CHUNKED, &chunk);
    put = now();
    CALL(nc_put_var_float, ncid, varid, data);
    closing = now();
    CALL(nc_close, ncid);
    printf("{\"puts\": %.6f, \"close\": %.6f, \"total\": %.6f}\n", closing - put, now() - closing, now() - put);
    free(data);
    return 0;
}

/* ---- a training loop ---- */

static int
make_boxes(char **argv)
{
    size_t       n = (size_t)atol(argv[3]);
    const size_t chunks[3] = {1, BOX, BOX};
    static float box[BOX * BOX];
    int          ncid, dims[3], varid;

    CALL(nc_create, argv[2], NC_NETCDF4 | NC_CLOBBER, &ncid);
    CALL(nc_def_dim, ncid, "sample", n, &dims[0]);
    CALL(nc_def_dim, ncid, "y", 2 * BOX, &dims[1]);
    CALL(nc_def_dim, ncid, "x", 2 * BOX, &dims[2]);
    CALL(nc_def_var, ncid, "v", NC_FLOAT, 3, dims, &varid);
    CALL(nc_def_var_chunking, ncid, varid, NC_CHUNKED, chunks);
    CALL(nc_def_var_deflate, ncid, varid, 1, 1, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 4; k++) {
            for (size_t c = 0; c < BOX * BOX; c++)
                box[c] = (float)(i * 4 + k + c % 97);
            CALL(nc_put_vara_float, ncid, varid, (size_t[]){i, k / 2 * BOX, k % 2 * BOX}, chunks, box);
        }
    CALL(nc_close, ncid);
    return 0;
}

/* A box that lies over four chunks of a sample; each sample once, so that no chunk is in the cache. */
static void
box_at(size_t i, size_t n, size_t *start)
{
    uint32_t x = (uint32_t)i * 2654435761u;

    start[0] = i * 7919 % n;
    start[1] = (x >> 8) % BOX;
    start[2] = (x >> 16) % BOX;
}

static int
run_training(char **argv)
{
    static float box[BOX * BOX];
    const char  *how = argv[2];
    size_t       n = (size_t)atol(argv[4]), start[3], next[3];
    const size_t count[3] = {1, BOX, BOX};
    long         work = atol(argv[5]);
    int          ncid, varid;
    double       begun, gets = 0, sum = 0;

    CALL(nc_open, argv[3], NC_NOWRITE, &ncid);
    CALL(nc_inq_varid, ncid, "v", &varid);
    box_at(0, n, start);
    CALL(nc_get_vara_float, ncid, varid, start, count, box);
    begun = now();
    for (size_t i = 1; i <= n; i++) {
        double at;

        box_at(i, n, next);
        if (strcmp(how, "prefetch") == 0)
            CALL(nczarr_prefetch_vara, ncid, varid, next, count);
        compute_on(work, 1);
        at = now();
        if (strcmp(how, "none") != 0)
            CALL(nc_get_vara_float, ncid, varid, next, count, box);
        gets += now() - at;
        sum += (double)box[7];
    }
    printf("{\"total\": %.6f, \"gets\": %.6f, \"sum\": %.1f}\n", now() - begun, gets, sum);
    CALL(nc_close, ncid);
    return 0;
}

int
main(int argc, char **argv)
{
    if (argc == 8 && strcmp(argv[1], "model") == 0)
        return run_model(argv);
    if (argc == 4 && strcmp(argv[1], "step") == 0)
        return run_step(argv);
    if (argc == 4 && strcmp(argv[1], "make") == 0)
        return make_boxes(argv);
    if (argc == 6 && strcmp(argv[1], "train") == 0)
        return run_training(argv);
    fprintf(stderr, "usage: see behind_bench.c\n");
    return 2;
}
