/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a dataset like the one that climate.cdl describes: lists what is in it, and prints the mean of the lowest
 * level of `temperature`, month by month.
 *
 *     nczgen -o climate.zarr climate.cdl
 *     cc read_climate.c $(pkg-config --cflags --libs nczarr) -o read_climate
 *     ./read_climate climate.zarr
 */
#include <nczarr.h>
#include <stdio.h>
#include <stdlib.h>

/* Every nc_ call gives a code; nczarr_errmsg() says what exactly went wrong, and where. */
static int
failed(int rc, const char *what)
{
    if (rc != NC_NOERR)
        fprintf(stderr, "%s: %s: %s\n", what, nc_strerror(rc), nczarr_errmsg());
    return rc != NC_NOERR;
}

static int
list_dimensions(int ncid)
{
    int    ndims, unlimited, rc;
    char   name[NC_MAX_NAME + 1];
    size_t len;

    if ((rc = nc_inq_ndims(ncid, &ndims)) != NC_NOERR || (rc = nc_inq_unlimdim(ncid, &unlimited)) != NC_NOERR)
        return rc;
    printf("dimensions:\n");
    for (int dim = 0; dim < ndims; dim++) {
        if ((rc = nc_inq_dim(ncid, dim, name, &len)) != NC_NOERR)
            return rc;
        printf("    %s = %zu%s\n", name, len, dim == unlimited ? " (unlimited)" : "");
    }
    return NC_NOERR;
}

static int
list_variables(int ncid)
{
    int     nvars, ndims, natts, rc;
    int     dimids[NC_MAX_VAR_DIMS];
    char    name[NC_MAX_NAME + 1];
    nc_type type;

    if ((rc = nc_inq_nvars(ncid, &nvars)) != NC_NOERR)
        return rc;
    printf("variables:\n");
    for (int var = 0; var < nvars; var++) {
        if ((rc = nc_inq_var(ncid, var, name, &type, &ndims, dimids, &natts)) != NC_NOERR)
            return rc;
        printf("    %s(", name);
        for (int i = 0; i < ndims; i++) {
            if ((rc = nc_inq_dimname(ncid, dimids[i], name)) != NC_NOERR)
                return rc;
            printf("%s%s", i > 0 ? ", " : "", name);
        }
        printf("), %d attributes\n", natts);
    }
    return NC_NOERR;
}

/* The mean of one month: a hyperslab of one time, one level, all latitudes and longitudes. Missing values are left
 * out. */
static int
month_mean(int ncid, int var, size_t month, const size_t len[4], float missing)
{
    size_t start[4] = {month, 0, 0, 0};
    size_t count[4] = {1, 1, len[2], len[3]};
    size_t n = len[2] * len[3], used = 0;
    double sum = 0;
    float *values = malloc(n * sizeof *values);
    int    rc;

    if (values == NULL)
        return NC_ENOMEM;
    if ((rc = nc_get_vara_float(ncid, var, start, count, values)) == NC_NOERR) {
        for (size_t i = 0; i < n; i++)
            if (values[i] != missing) {
                sum += values[i];
                used++;
            }
        printf("month %zu: mean %.2f K of %zu values\n", month + 1, used > 0 ? sum / (double)used : 0.0, used);
    }
    free(values);
    return rc;
}

static int
print_means(int ncid)
{
    int    var, ndims, rc;
    int    dimids[NC_MAX_VAR_DIMS];
    size_t len[4];
    float  missing;

    if ((rc = nc_inq_varid(ncid, "temperature", &var)) != NC_NOERR ||
        (rc = nc_inq_var(ncid, var, NULL, NULL, &ndims, dimids, NULL)) != NC_NOERR)
        return rc;
    if (ndims != 4)
        return NC_EINVAL;
    for (int i = 0; i < 4; i++)
        if ((rc = nc_inq_dimlen(ncid, dimids[i], &len[i])) != NC_NOERR)
            return rc;
    if ((rc = nc_get_att_float(ncid, var, "_FillValue", &missing)) != NC_NOERR)
        return rc;
    for (size_t month = 0; month < len[0]; month++)
        if ((rc = month_mean(ncid, var, month, len, missing)) != NC_NOERR)
            return rc;
    return NC_NOERR;
}

int
main(int argc, char **argv)
{
    int ncid, bad;

    if (argc != 2) {
        fprintf(stderr, "usage: read_climate DATASET\n");
        return 2;
    }
    if (failed(nc_open(argv[1], NC_NOWRITE, &ncid), argv[1]))
        return 1;
    bad = failed(list_dimensions(ncid), "dimensions") || failed(list_variables(ncid), "variables") ||
          failed(print_means(ncid), "temperature");
    bad = failed(nc_close(ncid), argv[1]) || bad;
    return bad;
}
