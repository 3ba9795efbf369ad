/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The most memory that nczcopy takes. An array twenty times larger than its --memory is copied in the ways that
 * differ, each in a process of its own, which looks at its highest resident set (VmHWM). What that is above the start
 * must stay within the budget and CONSTANT. The copies are compared with what was written.
 *
 * usage: test_copy_peak
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copy/copy.h"
#include "nczarr.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

#define MIB ((size_t)1 << 20)

enum { SIDE = 512, PLANE = SIDE * SIDE, PLANES = 324 }; /* a plane is one chunk of 1 MiB */

#define MEMORY   (16 * MIB)
#define CONSTANT (16 * MIB) /* the allocator, threads' stacks, tables, what the C library keeps */

static const struct {
    const char *name, *chunks, *filters;
} ways[] = {
    {"chunks as they are", NULL, NULL},
    {"compressed anew", NULL, "*,none"},
    {"cubes out of planes", "z/64,y/64,x/64", NULL},
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
    static const size_t planes[] = {0, 63, 64, 200, PLANES - 1};
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

/* KiB of a line of /proc/self/status. */
static size_t
status_kib(const char *name)
{
    FILE  *f = fopen("/proc/self/status", "r");
    char   line[200];
    size_t kib = 0;

    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtoull(line + strlen(name) + 1, NULL, 10);
    if (f != NULL)
        fclose(f);
    return kib;
}

/* In the child: copies, and prints the bytes at the highest above the start. */
static int
child(int way, const char *from, const char *to)
{
    size_t    before = status_kib("VmRSS");
    copy_opts o = COPY_OPTS_INIT;

    o.in = from;
    o.out = to;
    o.memory = MEMORY;
    o.mode = "nczarr&durability=none";
    if ((ways[way].chunks != NULL && !copy_parse_chunks(&o, ways[way].chunks)) ||
        (ways[way].filters != NULL && !copy_parse_filters(&o, ways[way].filters)) || copy_run(&o) != NC_NOERR)
        return 1;
    printf("%zu\n", (status_kib("VmHWM") - before) * 1024);
    copy_opts_clear(&o);
    return 0;
}

static bool
check_way(const char *self, int way, const char *dir, int threads)
{
    char   command[1200], to[400];
    size_t peak = 0;
    FILE  *f;
    bool   fine;

    snprintf(to, sizeof to, "%s/to.zarr", dir);
    snprintf(command, sizeof command, "NCZARR_THREADS=%d '%s' %d '%s/from.zarr' '%s'", threads, self, way, dir, to);
    fine = (f = popen(command, "r")) != NULL && fscanf(f, "%zu", &peak) == 1;
    fine = f != NULL && pclose(f) == 0 && fine && peak <= MEMORY + CONSTANT;
    printf("[%s] copy_peak: %s, %d threads: %zu MiB for %zu; may be %zu\n", fine ? "       OK " : "  FAILED  ",
           ways[way].name, threads, peak / MIB, (size_t)PLANES, (MEMORY + CONSTANT) / MIB);
    fflush(stdout);
    if (fine)
        check(to);
    return fine;
}

static int
run(void)
{
    const char *tmp = getenv("TMPDIR");
    char        self[400], dir[300], path[400], command[330];
    ssize_t     len = readlink("/proc/self/exe", self, sizeof self - 1);
    bool        fine = true;

    snprintf(dir, sizeof dir, "%s/nczarr-copy-XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (len < 0 || mkdtemp(dir) == NULL) {
        printf("[  FAILED  ] copy_peak: %s\n", strerror(errno));
        return 1;
    }
    self[len] = '\0';
    snprintf(path, sizeof path, "%s/from.zarr", dir);
    make(path);
    for (int way = 0; way < WAYS; way++)
        for (int threads = 1; threads <= 4; threads *= 4)
            fine = check_way(self, way, dir, threads) && fine;
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command) == 0 && fine ? 0 : 1;
}

int
main(int argc, char **argv)
{
    if (argc == 4)
        return child(atoi(argv[1]), argv[2], argv[3]);
    if (SANITIZED) {
        printf("skipped: a sanitizer's own memory cannot be told from ours\n");
        return 77;
    }
    return run();
}
