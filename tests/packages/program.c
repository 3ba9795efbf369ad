/* SPDX-License-Identifier: BSD-3-Clause */
/* What a newcomer writes first: the tests of packages compile it in each way that the library can be had. */
#include <nczarr.h>
#include <stdio.h>

int
main(void)
{
    int ncid, dim, var, put[3] = {1, 2, 3}, got[3] = {0, 0, 0};

    if (nc_create("program.zarr", NC_CLOBBER | NC_NETCDF4, &ncid) || nc_def_dim(ncid, "x", 3, &dim) ||
        nc_def_var(ncid, "v", NC_INT, 1, &dim, &var) || nc_enddef(ncid) || nc_put_var_int(ncid, var, put) ||
        nc_close(ncid) || nc_open("program.zarr", NC_NOWRITE, &ncid) || nc_get_var_int(ncid, var, got) ||
        nc_close(ncid)) {
        fprintf(stderr, "%s\n", nczarr_errmsg());
        return 1;
    }
    return printf("%d %d %d\n", got[0], got[1], got[2]) < 0;
}
