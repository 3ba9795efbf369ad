/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that open one netCDF-4 file: each reads it by itself, and none can write. */
#include "support/test.h"

#include "ranks.h"
#include "support/scratch.h"

#include <stdio.h>

static int
read_file(const nczarr_comm *comm, void *arg)
{
    int ncid, varid, values[12];

    (void)arg;
    RANK_CHECK(nczarr_open_par(NCZ_TEST_DATA "/netcdf4/model.nc", NC_WRITE, comm, &ncid) == NC_ENOTBUILT);
    RANK_CHECK(nczarr_open_par(NCZ_TEST_DATA "/netcdf4/model.nc", NC_NOWRITE, comm, &ncid) == NC_NOERR);
    RANK_CHECK(nc_inq_varid(ncid, "packed", &varid) == NC_NOERR);
    RANK_CHECK(nc_var_par_access(ncid, varid, NC_COLLECTIVE) == NC_NOERR);
    RANK_CHECK(nc_get_vara_int(ncid, varid, (size_t[]){(size_t)comm->rank % 3, 0}, (size_t[]){1, 4}, values) ==
               NC_NOERR);
    for (int i = 0; i < 4; i++)
        RANK_CHECK(values[i] == (comm->rank % 3 * 4 + i) * 7 % 251);
    RANK_CHECK(nc_var_par_access(ncid, varid, NC_INDEPENDENT) == NC_NOERR);
    if (comm->rank == 0) {
        RANK_CHECK(nc_get_var_int(ncid, varid, values) == NC_NOERR);
        RANK_CHECK(values[11] == 77);
    }
    RANK_CHECK(nc_redef(ncid) == NC_EPERM);
    RANK_CHECK(nc_close(ncid) == NC_NOERR);
    RANK_CHECK(nczarr_open_par("no such file.nc4", NC_NOWRITE, comm, &ncid) != NC_NOERR);
    return 0;
}

TEST(ranks_read_a_netcdf4_file)
{
    ranks_of_both_kinds(scratch_dir, 4, read_file, NULL);
}

int
main(void)
{
    return run_file_tests(scratch_set_up, scratch_tear_down);
}
