/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a dataset (objects.h): it is opened, inquired, read whole and closed. In a second round it is opened for
 * writing, a few things are changed and it is closed; what was written opens.
 */
#include <stdlib.h>

#include "fuzz/objects.h"
#include "fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
change(int ncid)
{
    int dim, var, nvars = 0;
    int value = 7;

    (void)nc_redef(ncid);
    (void)nc_put_att_text(ncid, NC_GLOBAL, "fuzz", 2, "{}");
    if (nc_def_dim(ncid, "fuzz_dim", 3, &dim) == NC_NOERR &&
        nc_def_var(ncid, "fuzz_var", NC_INT, 1, &dim, &var) == NC_NOERR)
        (void)nc_put_var1_int(ncid, var, (size_t[]){1}, &value);
    (void)nc_inq_nvars(ncid, &nvars);
    for (int v = 0; v < nvars && v < 3; v++) {
        (void)nc_put_att_int(ncid, v, "n", NC_INT, 1, &value);
        (void)nc_del_att(ncid, v, "units");
        (void)nc_put_var1_int(ncid, v, (size_t[NC_MAX_VAR_DIMS]){0}, &value);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nczarr_map *map = fuzz_map_of(data, size, NULL, NULL);
    int         ncid;

    if (fuzz_said(nczarr_open_map(map, NULL, NC_NOWRITE, &ncid)) == NC_NOERR) {
        if (fuzz_loads(ncid))
            fuzz_walk(ncid);
        if (nc_close(ncid) != NC_NOERR)
            abort(); /* closing what was only read cannot fail */
    }
    if (fuzz_said(nczarr_open_map(map, NULL, NC_WRITE, &ncid)) == NC_NOERR) {
        change(ncid);
        if (fuzz_said(nc_close(ncid)) == NC_NOERR) {
            if (nczarr_open_map(map, NULL, NC_NOWRITE, &ncid) != NC_NOERR || !fuzz_loads(ncid))
                abort(); /* what we wrote opens */
            (void)nc_close(ncid);
        }
    }
    (void)nczarr_map_close(map);
    return 0;
}
