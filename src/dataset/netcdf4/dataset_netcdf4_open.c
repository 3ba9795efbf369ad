/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset_netcdf4_open: a netCDF-4 file that is there, and was loaded to be changed, becomes a container. */
#include "dataset/netcdf4/dataset_netcdf4.h"
#include "container/container.h"
#include "zmap/zmap_single.h"

#define FREE_AT_ONCE (UINT64_C(1) << 30) /* bytes of a file whose free room is found when it is opened */

static void
use_map(ncz_dataset *ds, zmap *map)
{
    ds->map = map;
    ncz_engine_set_map(ds->engine, map);
}

static int
load_chunks(void *arg, ncz_hdf5_tree *tree)
{
    const ncz_nc4_var      *w = arg;
    const ncz_layout_source source = {.read = ncz_nc4_read_file, .arg = ncz_container_file(w->ds->map)};

    return ncz_netcdf4_load_chunks(w->ds->model, w->v, &source, tree);
}

/* Nobody else writes it, whichever library he has. */
static int
claim_file(ncz_dataset *ds)
{
    int rc = (ds->mode & NC_SHARE) != 0 ? zmap_single_alone(ds->map) : NC_NOERR;

    return rc == NC_NOERR ? zmap_single_guard(ds->map, &ds->nc4.locks) : rc;
}

/* What lies behind the superblock's end was given up, or that end is wrong: it is not overwritten as long as it is not
 * known to be free. */
static int
open_container(ncz_dataset *ds, zmap *file, uint64_t *end, zmap **out)
{
    const ncz_layout_source source = {.read = ncz_nc4_read_file, .arg = file};
    ncz_netcdf4_superblock  superblock;
    int                     rc;

    if ((rc = claim_file(ds)) != NC_NOERR || (rc = ncz_netcdf4_begin_writing(ds->model, &source)) != NC_NOERR ||
        (rc = zmap_len(file, "", end)) != NC_NOERR)
        return rc;
    ncz_netcdf4_superblock_of(ds->model, &superblock);
    if (superblock.end != NCZ_HDF5_NONE && superblock.end > *end)
        *end = superblock.end;
    return ncz_container_open(file, *end, superblock.chunk_k, superblock.extension, out);
}

/* After a failure the dataset's map is the file again. */
int
ncz_nc4_begin(ncz_dataset *ds)
{
    zmap    *file = ds->map, *made = NULL;
    uint64_t end = 0;
    ncz_err  err;
    int      rc = open_container(ds, file, &end, &made);

    if (rc != NC_NOERR)
        return rc;
    (void)zmap_ref(file);
    use_map(ds, made);
    for (size_t i = 0; i < ds->model->ndims; i++)
        if (ds->model->dims[i] != NULL)
            ds->model->dims[i]->uncleared = false; /* commits are whole */
    if ((rc = ncz_nc4_set_loaded(ds, load_chunks)) == NC_NOERR && end <= FREE_AT_ONCE)
        rc = ncz_nc4_find_free(ds);
    if (rc == NC_NOERR) {
        (void)zmap_close(file, ZMAP_KEEP); /* a reference less */
        return rc;
    }
    ncz_err_save(&err, rc);
    use_map(ds, file);
    (void)zmap_close(made, ZMAP_KEEP); /* nothing is written */
    return ncz_err_adopt(&err);
}
