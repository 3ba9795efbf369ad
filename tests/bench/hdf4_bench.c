/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hdf4_bench: reads all of the first variable of an HDF4 file, once, for `tests/bench/hdf5`, which compiles it twice:
 * with this library, and -DBENCH_LIBHDF4 with libhdf4.
 *
 *     hdf4_bench PATH FLOATS
 *
 * FLOATS: the elements that the variable has. Prints {"seconds", "cpu", "sum"}: from before open until after close, and
 * a checksum of what was read, in which order matters; it takes no part in the time.
 */
#ifdef BENCH_LIBHDF4
#include <hdf.h>
#include <mfhdf.h>
#else
#include "nczarr.h"
#endif

#include "stopwatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_LIBHDF4
static int
read_first(const char *path, float *f)
{
    int32 start[H4_MAX_VAR_DIMS] = {0}, shape[H4_MAX_VAR_DIMS], rank, type, natts;
    int32 sd = SDstart(path, DFACC_READ), sds = SDselect(sd, 0);
    char  name[H4_MAX_NC_NAME + 1];
    int   failed =
        SDgetinfo(sds, name, &rank, shape, &type, &natts) == FAIL || SDreaddata(sds, start, NULL, shape, f) == FAIL;

    return SDendaccess(sds) == FAIL || SDend(sd) == FAIL || failed;
}
#else
static int
read_first(const char *path, float *f)
{
    int ncid, rc = nc_open(path, NC_NOWRITE, &ncid);

    if (rc == NC_NOERR)
        rc = nc_get_var_float(ncid, 0, f);
    if (rc != NC_NOERR || (rc = nc_close(ncid)) != NC_NOERR)
        fprintf(stderr, "hdf4_bench: %s\n", nczarr_errmsg());
    return rc;
}
#endif

int
main(int argc, char **argv)
{
    stopwatch watch;
    double    sum = 0;
    float    *f;
    size_t    n;

    if (argc != 3)
        return 2;
    n = strtoul(argv[2], NULL, 10);
    if ((f = malloc(n * sizeof *f + 1)) == NULL)
        return 1;
    memset(f, 1, n * sizeof *f); /* memory that has been touched */
    stopwatch_start(&watch);
    if (read_first(argv[1], f) != 0)
        return 1;
    stopwatch_stop(&watch);
    for (size_t i = 0; i < n; i++)
        sum += (double)f[i] * (double)(1 + i % 31);
    stopwatch_print(&watch, sum);
    free(f);
    return 0;
}
