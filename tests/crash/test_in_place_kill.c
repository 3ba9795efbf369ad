/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kill test of nczcopy --in-place: a child process that gives a dataset another version of Zarr, and removes the
 * old one, dies at its n-th system call on the store, for every n until it gets through. After each death the dataset
 * opens, as one version or the other, with the same values; and the same command completes what was begun.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copy/copy.h"
#include "nczarr.h"
#include "support/kill.h"
#include "support/scratch.h"

#define RECS  3
#define WIDTH 7

static char top[64], path[100];

#define OK(call)                                                                                                     \
    do {                                                                                                             \
        if ((call) != NC_NOERR) {                                                                                    \
            fprintf(stderr, "[  FAILED  ] in_place_kill: %s: %s\n", #call, nczarr_errmsg());                         \
            exit(1);                                                                                                 \
        }                                                                                                            \
    } while (0)

typedef struct scenario {
    const char *name, *file, *modes;
    int         to; /* version of Zarr */
} scenario;

static const scenario scenarios[] = {
    {"to_v3", "d.zarr", "mode=nczarr", 3},
    {"to_v3_consolidated", "d.zarr", "mode=nczarr,consolidated", 3},
    {"plain_to_v3", "d.zarr", "mode=zarr", 3},
    {"to_v2", "d.zarr", "mode=nczarr,v3&chunk_keys=v2", 2},
    {"to_v2_consolidated", "d.zarr", "mode=zarr,v3,consolidated&chunk_keys=v2", 2},
    {"archive_to_v3", "d.zip", "mode=nczarr", 3},
};

static void
make(const scenario *s)
{
    int    ncid, grp, dims[2], v, w, values[RECS * WIDTH];
    size_t chunk[] = {2, 3};
    char   url[200];

    for (int i = 0; i < RECS * WIDTH; i++)
        values[i] = i;
    snprintf(path, sizeof path, "%s/%s", top, s->file);
    snprintf(url, sizeof url, "%s#%s", path, s->modes);
    scratch_remove(path);
    OK(nc_create(url, NC_CLOBBER, &ncid));
    OK(nc_put_att_text(ncid, NC_GLOBAL, "title", 5, "hello"));
    OK(nc_def_dim(ncid, "t", RECS, &dims[0]));
    OK(nc_def_dim(ncid, "x", WIDTH, &dims[1]));
    OK(nc_def_var(ncid, "v", NC_INT, 2, dims, &v));
    OK(nc_def_var_chunking(ncid, v, NC_CHUNKED, chunk));
    OK(nc_def_grp(ncid, "g", &grp));
    OK(nc_def_var(grp, "w", NC_INT, 2, dims, &w));
    OK(nc_def_var_deflate(grp, w, 1, 1, 4));
    OK(nc_put_var_int(ncid, v, values));
    OK(nc_put_var_int(grp, w, values));
    OK(nc_close(ncid));
}

static bool
has_values(int ncid, const char *name)
{
    int varid, got[RECS * WIDTH] = {0};

    if (nc_inq_varid(ncid, name, &varid) != NC_NOERR || nc_get_var_int(ncid, varid, got) != NC_NOERR)
        return false;
    for (int i = 0; i < RECS * WIDTH; i++)
        if (got[i] != i)
            return false;
    return true;
}

/* The version that a path opens as; 0: it does not open, or has lost something. */
static int
version_of(const char *url)
{
    int  ncid, grp, version = 0;
    char title[6] = "";
    bool good;

    if (nc_open(url, NC_NOWRITE, &ncid) != NC_NOERR)
        return 0;
    good = nc_get_att_text(ncid, NC_GLOBAL, "title", title) == NC_NOERR && strcmp(title, "hello") == 0 &&
           has_values(ncid, "v") && nc_inq_grp_ncid(ncid, "g", &grp) == NC_NOERR && has_values(grp, "w") &&
           nczarr_inq_zarr_format(ncid, &version, NULL) == NC_NOERR;
    (void)nc_close(ncid);
    return good ? version : 0;
}

static bool
convert(void *arg)
{
    const scenario *s = arg;
    copy_opts       o = COPY_OPTS_INIT;

    o.in = path;
    o.in_place = o.remove_old = true;
    o.zarr_format = s->to;
    o.progress = COPY_NO;
    return copy_run(&o) == NC_NOERR;
}

static bool
wrong(long n, const char *what)
{
    fprintf(stderr, "killed at call %ld: %s\n", n, what);
    return false;
}

/* seen[v]: deaths that left version v. */
static bool
survives(const scenario *s, long *points, long seen[4])
{
    char other[200];
    bool through = false;

    for (long n = 1; !through; n++) {
        int version;

        make(s);
        through = kill_at_call(n, KILL_AT_CHANGES, s->name, convert, &(scenario){.name = s->name, .to = s->to});
        *points = n;
        if ((version = version_of(path)) == 0)
            return wrong(n, "the dataset does not open, or has other values");
        if (!through)
            seen[version]++;
        if (!convert(&(scenario){.to = s->to}))
            return wrong(n, "the same command does not complete it");
        if (version_of(path) != s->to)
            return wrong(n, "in the end it is not of the new version");
        snprintf(other, sizeof other, "%s#mode=v%d", path, 5 - s->to);
        if (version_of(other) != 0)
            return wrong(n, "in the end it still is of the old version");
        if (nc_delete(path) != NC_NOERR || access(path, F_OK) == 0)
            return wrong(n, "it cannot be deleted");
    }
    return true;
}

int
main(void)
{
    bool failed = false;
    long points = 0;

    snprintf(top, sizeof top, "%s/nczarr-in-place-kill-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(top) == NULL)
        return 2;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        long seen[4] = {0};
        bool good = survives(&scenarios[i], &points, seen) && seen[2] > 0 && seen[3] > 0;

        printf("[%s] in_place_kill_%s at each of %ld system calls: %ld deaths left Zarr v2, %ld v3\n",
               good ? "       OK " : "  FAILED  ", scenarios[i].name, points, seen[2], seen[3]);
        fflush(stdout);
        failed = failed || !good;
    }
    scratch_remove(top);
    return failed;
}
