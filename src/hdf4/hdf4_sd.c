/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of scientific datasets: that of the Vgroups, or of files without them the older sets.
 */
#include "hdf4/hdf4_int.h"

int
ncz_hdf4_sd_read(ncz_hdf4 *f, ncz_hdf4_sd *out)
{
    ncz_hdf4_reading r = {.f = f, .sd = out, .dim_index = NCZ_NAMES_INIT};
    bool             any = false;
    int              rc;

    *out = (ncz_hdf4_sd){.arena = NCZ_ARENA_INIT};
    ncz_hdf4_begin(f);
    rc = ncz_hdf4_groups_read(&r, &any);
    if (rc == NC_NOERR && !any)
        rc = ncz_hdf4_dfsd_read(&r);
    ncz_names_clear(&r.dim_index);
    return rc;
}

void
ncz_hdf4_sd_clear(ncz_hdf4_sd *sd)
{
    for (size_t i = 0; i < sd->nvars; i++)
        ncz_free(sd->vars[i].atts);
    ncz_free(sd->vars);
    ncz_free(sd->dims);
    ncz_free(sd->atts);
    ncz_free((void *)sd->losses);
    ncz_arena_clear(&sd->arena);
    *sd = (ncz_hdf4_sd){.arena = NCZ_ARENA_INIT};
}
