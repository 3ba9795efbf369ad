/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes every value of an archive in memory, syncs, puts the values back, and writes the archive to a file:
 * through_memory ARCHIVE OUT. The two must dump alike.
 */
#include "nczarr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL(call) check((call), #call)

static void
check(int rc, const char *call)
{
    if (rc == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s: %s\n", call, nc_strerror(rc), nczarr_errmsg());
    exit(1);
}

static _Noreturn void
stop(const char *what)
{
    perror(what);
    exit(1);
}

static NC_memio
read_file(const char *path)
{
    FILE    *f = fopen(path, "rb");
    NC_memio info = {0, NULL, 0};
    long     size = 0;

    if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) <= 0)
        stop(path);
    rewind(f);
    info.size = (size_t)size;
    if ((info.memory = malloc(info.size)) == NULL || fread(info.memory, 1, info.size, f) != info.size)
        stop(path);
    fclose(f);
    return info;
}

static void
write_file(const char *path, const NC_memio *info)
{
    FILE *f = fopen(path, "wb");

    if (f == NULL || fwrite(info->memory, 1, info->size, f) != info->size || fclose(f) != 0)
        stop(path);
}

static void
change_var(int grp, int var)
{
    int     ndims, dims[NC_MAX_VAR_DIMS];
    size_t  n = 1, len, size;
    nc_type type;
    void   *values, *zeros = NULL;

    CALL(nc_inq_var(grp, var, NULL, &type, &ndims, dims, NULL));
    CALL(nc_inq_type(grp, type, NULL, &size));
    for (int d = 0; d < ndims; d++) {
        CALL(nc_inq_dimlen(grp, dims[d], &len));
        n *= len;
    }
    if ((values = calloc(n + 1, size)) == NULL || (zeros = calloc(n + 1, size)) == NULL)
        stop("memory");
    CALL(nc_get_var(grp, var, values));
    if (type != NC_STRING) {
        CALL(nc_put_var(grp, var, zeros));
        CALL(nc_sync(grp));
    }
    CALL(nc_put_var(grp, var, values));
    if (type == NC_STRING)
        CALL(nc_free_string(n, values));
    free(values);
    free(zeros);
}

static void
change_group(int grp)
{
    int n, *ids;

    CALL(nc_inq_nvars(grp, &n));
    for (int v = 0; v < n; v++)
        change_var(grp, v);
    CALL(nc_inq_grps(grp, &n, NULL));
    if ((ids = calloc((size_t)n + 1, sizeof *ids)) == NULL)
        stop("memory");
    CALL(nc_inq_grps(grp, NULL, ids));
    for (int g = 0; g < n; g++)
        change_group(ids[g]);
    free(ids);
}

int
main(int argc, char **argv)
{
    NC_memio info, back = {0, NULL, 0};
    int      ncid;

    if (argc != 3)
        return 2;
    info = read_file(argv[1]);
    CALL(nc_open_memio(argv[1], NC_WRITE, &info, &ncid));
    change_group(ncid);
    CALL(nc_close_memio(ncid, &back));
    write_file(argv[2], &back);
    free(back.memory);
    return 0;
}
