/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The most memory that reading and writing a large array takes. An array of 4 GiB is written and read in ways that
 * programs do it, each in a process of its own, which looks at its highest resident set (VmHWM). What that is above
 * the start, less the caller's own buffers, must stay within
 *
 *      the cache's setting  +  3 chunks for each thread that may work  +  CONSTANT
 *
 * A thread works on a chunk's bytes as they are stored, the decoded chunk and one more between two codecs.
 *
 * In an archive all of it is noise, so that what is written is as much as there is: none of it may stay in memory
 * until it is closed.
 *
 * usage: test_peak [SIZE]              an array of SIZE MiB (4096)
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory_check.h"
#include "nczarr.h"
#include "support/peak.h"
#include "support/scratch.h"

enum {
    SIDE = 1024,  /* elements of a plane, each way */
    DEPTH = 32,   /* planes of a chunk */
    ACROSS = 256, /* its other sides: 32 x 256 x 256 floats are 8 MiB */
    PLANE = SIDE * SIDE,
    LARGE = 128, /* planes of a large request: 512 MiB */
    NOISY = 512, /* planes that hold noise, and cannot be compressed: one in so many */
};

#define CHUNK_BYTES ((size_t)DEPTH * ACROSS * ACROSS * sizeof(float))
#define CACHE_BYTES (24 * MIB)
#define CONSTANT    (16 * MIB) /* the allocator, threads' stacks, tables, what the C library keeps */

typedef struct way {
    const char *name;
    void (*fn)(int ncid, int var, size_t first, size_t planes, float *buf);
    size_t slab; /* planes of the caller's buffer */
    size_t part; /* only the first 1 / part of the array */
    bool   writes;
    bool   archive;
    bool   behind; /* puts do not wait for the store: what waits is in the cache, and within its setting */
} way;

static size_t noisy = NOISY; /* in an archive 1 */

/* ---- in the child ---------------------------------------------------------------------------------------------- */

/* A few planes are noise, a quarter is fill, the rest one number each: so it is small on disk and quick to check. */
static float
noise(size_t i)
{
    uint32_t x = (uint32_t)i * 2654435761u;

    x ^= x >> 15;
    x *= 2246822519u;
    return (float)(x ^ x >> 13);
}

static float
value(size_t plane, size_t i)
{
    if (plane % noisy == noisy - 1)
        return noise(i);
    return plane / DEPTH % 4 == 3 ? NC_FILL_FLOAT : (float)plane;
}

static void
put_plane(float *to, size_t plane)
{
    for (size_t i = 0; i < PLANE; i++)
        to[i] = value(plane, i);
}

static void
check_plane(const float *from, size_t plane)
{
    size_t step = plane % noisy == noisy - 1 && noisy != 1 ? 1 : 61;

    for (size_t i = 0; i < PLANE; i += step)
        if (from[i] != value(plane, i)) {
            fprintf(stderr, "plane %zu, element %zu is %g, not %g\n", plane, i, (double)from[i],
                    (double)value(plane, i));
            exit(1);
        }
}

static void
write_slab(int ncid, int var, size_t first, size_t planes, float *buf)
{
    const size_t start[3] = {first, 0, 0}, count[3] = {planes, SIDE, SIDE};

    for (size_t p = 0; p < planes; p++)
        put_plane(buf + p * PLANE, first + p);
    OK(nc_put_vara_float(ncid, var, start, count, buf));
}

static void
read_slab(int ncid, int var, size_t first, size_t planes, float *buf)
{
    const size_t start[3] = {first, 0, 0}, count[3] = {planes, SIDE, SIDE};

    OK(nc_get_vara_float(ncid, var, start, count, buf));
    for (size_t p = 0; p < planes; p++)
        check_plane(buf + p * PLANE, first + p);
}

/* Converted, in the caller's memory and here: the same floats in a buffer of doubles of half the planes. */
static void
read_doubles(int ncid, int var, size_t first, size_t planes, float *buf)
{
    double *as = (double *)(void *)buf;

    for (size_t half = 0; half < 2; half++) {
        const size_t n = planes / 2, start[3] = {first + half * n, 0, 0}, count[3] = {n, SIDE, SIDE};

        OK(nc_get_vara_double(ncid, var, start, count, as));
        for (size_t p = 0; p < n; p++)
            if (as[p * PLANE + 77] != (double)value(start[0] + p, 77))
                memory_check(NC_EINTERNAL, "a converted plane");
    }
}

static const way ways[] = {
    {"write slabs of whole chunks", write_slab, DEPTH, 1, true, false, false},
    {"write slabs of parts of chunks", write_slab, DEPTH / 2 + 8, 16, true, false, false},
    {"read slabs of whole chunks", read_slab, DEPTH, 1, false, false, false},
    {"read slabs of parts of chunks", read_slab, DEPTH / 2 + 8, 8, false, false, false},
    {"read large requests", read_slab, LARGE, 1, false, false, false},
    {"read large requests, converted", read_doubles, LARGE, 4, false, false, false},
    {"write slabs of whole chunks, behind", write_slab, DEPTH, 8, true, false, true},
    {"write slabs of parts of chunks, behind", write_slab, DEPTH / 2 + 8, 16, true, false, true},
    {"write an archive", write_slab, DEPTH, 2, true, true, false},
    {"read an archive", read_slab, DEPTH, 2, false, true, false},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

static int
make(const char *path, size_t planes)
{
    const size_t chunk[3] = {DEPTH, ACROSS, ACROSS};
    int          ncid, dims[3], var;

    OK(nc_create(path, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "z", planes, &dims[0]));
    OK(nc_def_dim(ncid, "y", SIDE, &dims[1]));
    OK(nc_def_dim(ncid, "x", SIDE, &dims[2]));
    OK(nc_def_var(ncid, "v", NC_FLOAT, 3, dims, &var));
    OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, chunk));
    if (nc_inq_filter_avail(ncid, H5Z_FILTER_BLOSC) == NC_NOERR)
        OK(nc_def_var_blosc(ncid, var, 1 /* lz4 */, 5, 0, 1));
    else
        OK(nc_def_var_deflate(ncid, var, 1, 1, 1));
    OK(nc_enddef(ncid));
    return ncid;
}

/* Does it, and prints bytes: of the buffer, and of all at the highest above the start. */
static int
child(const way *w, const char *path, size_t planes)
{
    size_t buf_bytes = w->slab * PLANE * sizeof(float), before = peak_resident(), peak;
    float *buf = mmap(NULL, buf_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int    ncid, var = 0;

    if (buf == MAP_FAILED)
        return 1;
    noisy = w->archive ? 1 : NOISY;
    OK(nc_set_chunk_cache(CACHE_BYTES, 1000, 0.75f));
    if (w->writes)
        ncid = make(path, planes);
    else
        OK(nc_open(path, NC_NOWRITE, &ncid));
    for (size_t at = 0; at < planes / w->part; at += w->slab)
        w->fn(ncid, var, at, at + w->slab < planes ? w->slab : planes - at, buf);
    OK(nc_close(ncid));
    peak = peak_highest();
    printf("%zu %zu\n", buf_bytes, peak - before);
    return 0;
}

/* ---- in the parent --------------------------------------------------------------------------------------------- */

static bool
check_way(int i, const char *dir, const char *size, int threads)
{
    char path[400], args[500];
    /* Behind the back of a program that has one thread another one works. */
    size_t found[2] = {0, 0}, buf, peak, work = ways[i].behind && threads == 1 ? 2 : (size_t)threads;
    size_t most = CACHE_BYTES + 3 * CHUNK_BYTES * work + CONSTANT;
    bool   fine;

    snprintf(path, sizeof path, "file://%s/%s#mode=nczarr&durability=none%s", dir,
             ways[i].archive                      ? "all.zip"
             : ways[i].part > 1 && ways[i].writes ? "part.zarr"
                                                  : "all.zarr",
             ways[i].behind ? "&write=behind" : "");
    snprintf(args, sizeof args, "%s %d '%s'", size, i, path);
    if (!peak_run(threads, args, found, 2)) {
        printf("[  FAILED  ] peak: %s, %d threads: it failed\n", ways[i].name, threads);
        return false;
    }
    buf = found[0];
    peak = found[1];
    fine = peak <= buf + most;
    printf("[%s] peak: %s, %d threads: %zu MiB beside the caller's %zu; may be %zu\n",
           fine ? "       OK " : "  FAILED  ", ways[i].name, threads, peak > buf ? (peak - buf) / MIB : 0, buf / MIB,
           most / MIB);
    fflush(stdout);
    return fine;
}

static int
run(const char *size)
{
    char *dir = peak_dir("peak");
    bool  fine = true;

    if (dir == NULL)
        return 1;
    for (int i = 0; i < WAYS; i++)
        for (int threads = (ways[i].part == 1 && i == 0) || ways[i].archive ? 4 : 1; threads <= 4; threads *= 4)
            if (ways[i].writes || test_drawn((size_t)(i + threads / 4), 3))
                fine = check_way(i, dir, size, threads) && fine;
    return peak_dir_end(dir) && fine ? 0 : 1;
}

int
main(int argc, char **argv)
{
    const char *size = argc > 1 ? argv[1] : "4096";

    if (argc == 4)
        return child(&ways[atoi(argv[2])], argv[3], strtoull(size, NULL, 10) * MIB / (PLANE * sizeof(float)));
    if (PEAK_SANITIZED) {
        printf("skipped: a sanitizer's own memory cannot be told from ours\n");
        return 77;
    }
    return run(size);
}
