/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The most memory that nczcopy takes. An array twenty times larger than its --memory is copied in the ways that
 * differ, each in a process of its own, which looks at its highest resident set (VmHWM). What that is above the start
 * must stay within the budget and CONSTANT. The copies are compared with what was written.
 *
 * usage: test_copy_peak
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copy/copy.h"
#include "nczarr.h"
#include "support/peak.h"
#include "support/scratch.h"

enum { SIDE = 256, PLANE = SIDE * SIDE, PLANES = 324 }; /* a plane is one chunk of 256 KiB */

#define MEMORY   (4 * MIB)
#define CONSTANT (16 * MIB) /* the allocator, threads' stacks, tables, what the C library keeps */

static const struct {
    const char *name, *chunks, *filters;
} ways[] = {
    {"chunks as they are", NULL, NULL},
    {"compressed again", NULL, "*,none"},
    {"cubes out of planes", "z/32,y/64,x/64", NULL},
    {"pencils out of planes", "z/324,y/16,x/32", NULL},
};

enum { WAYS = sizeof ways / sizeof ways[0] };

#define OK(call)                                                                                                     \
    do {                                                                                                             \
        if ((call) != NC_NOERR) {                                                                                    \
            fprintf(stderr, "%s: %s\n", #call, nczarr_errmsg());                                                     \
            exit(1);                                                                                                 \
        }                                                                                                            \
    } while (0)

/* Smooth enough to be compressed, different everywhere. */
static float
value(size_t plane, size_t i)
{
    return (float)plane * 3 + (float)(i % SIDE) * 0.5F + (float)(i * 7919 % 13);
}

static void
make(const char *path)
{
    const size_t chunk[3] = {1, SIDE, SIDE};
    float       *plane = malloc(PLANE * sizeof *plane);
    int          ncid, dims[3], var;

    OK(nc_create(path, NC_CLOBBER, &ncid));
    OK(nc_def_dim(ncid, "z", PLANES, &dims[0]));
    OK(nc_def_dim(ncid, "y", SIDE, &dims[1]));
    OK(nc_def_dim(ncid, "x", SIDE, &dims[2]));
    OK(nc_def_var(ncid, "v", NC_FLOAT, 3, dims, &var));
    OK(nc_def_var_chunking(ncid, var, NC_CHUNKED, chunk));
    OK(nc_def_var_deflate(ncid, var, 1, 1, 1));
    OK(nc_enddef(ncid));
    for (size_t z = 0; plane != NULL && z < PLANES; z++) {
        for (size_t i = 0; i < PLANE; i++)
            plane[i] = value(z, i);
        OK(nc_put_vara_float(ncid, var, (size_t[]){z, 0, 0}, chunk, plane));
    }
    free(plane);
    OK(nc_close(ncid));
}

/* Every element of some planes, through all chunks of every way. */
static void
check(const char *path)
{
    static const size_t planes[] = {0, 31, 32, 200, PLANES - 1};
    float              *plane = malloc(PLANE * sizeof *plane);
    int                 ncid;

    OK(nc_open(path, NC_NOWRITE, &ncid));
    for (size_t p = 0; plane != NULL && p < sizeof planes / sizeof *planes; p++) {
        OK(nc_get_vara_float(ncid, 0, (size_t[]){planes[p], 0, 0}, (size_t[]){1, SIDE, SIDE}, plane));
        for (size_t i = 0; i < PLANE; i++)
            if (plane[i] != value(planes[p], i)) {
                fprintf(stderr, "%s: plane %zu, element %zu is %g\n", path, planes[p], i, (double)plane[i]);
                exit(1);
            }
    }
    free(plane);
    OK(nc_close(ncid));
}

/* In the child: copies, and prints the bytes at the highest above the start. */
static int
child(int way, const char *from, const char *to)
{
    size_t    before = peak_resident();
    copy_opts o = COPY_OPTS_INIT;

    o.in = from;
    o.out = to;
    o.memory = MEMORY;
    o.mode = "nczarr&durability=none";
    if ((ways[way].chunks != NULL && !copy_parse_chunks(&o, ways[way].chunks)) ||
        (ways[way].filters != NULL && !copy_parse_filters(&o, ways[way].filters)) || copy_run(&o) != NC_NOERR)
        return 1;
    printf("%zu\n", peak_highest() - before);
    copy_opts_clear(&o);
    return 0;
}

static bool
check_way(int way, const char *dir, int threads)
{
    char   args[1000], to[400];
    size_t peak = 0;
    bool   fine;

    snprintf(to, sizeof to, "%s/to.zarr", dir);
    snprintf(args, sizeof args, "%d '%s/from.zarr' '%s'", way, dir, to);
    fine = peak_run(threads, args, &peak, 1) && peak <= MEMORY + CONSTANT;
    printf("[%s] copy_peak: %s, %d threads: %zu MiB for %zu; may be %zu\n", fine ? "       OK " : "  FAILED  ",
           ways[way].name, threads, peak / MIB, (size_t)PLANES / 4, (MEMORY + CONSTANT) / MIB);
    fflush(stdout);
    if (fine)
        check(to);
    return fine;
}

static int
run(void)
{
    char *dir = peak_dir("copy_peak"), path[400];
    bool  fine = true;

    if (dir == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/from.zarr", dir);
    make(path);
    for (int way = 0; way < WAYS; way++)
        for (int threads = 1; threads <= 4; threads *= 4)
            if (test_drawn((size_t)(way + threads / 4), 3))
                fine = check_way(way, dir, threads) && fine;
    return peak_dir_end(dir) && fine ? 0 : 1;
}

int
main(int argc, char **argv)
{
    if (argc == 4)
        return child(atoi(argv[1]), argv[2], argv[3]);
    if (PEAK_SANITIZED) {
        printf("skipped: a sanitizer's own memory cannot be told from ours\n");
        return 77;
    }
    return run();
}
