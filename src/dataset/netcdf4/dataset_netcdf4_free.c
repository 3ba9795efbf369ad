/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_netcdf4_free: the free room of a netCDF-4 file that is there. No file tells it: it is what nothing uses,
 * found by a walk over all metadata. That is done once in a session, as the file is opened; of a large one by the
 * first commit, so that only its metadata, and what is put later, go there. Where something cannot be followed, all
 * that is there counts as used.
 */
#include "dataset/netcdf4/dataset_netcdf4.h"
#include "container/container.h"
#include "hdf5/hdf5_check.h"
#include "zmap/zmap_single.h"

typedef struct ranges {
    ncz_container_range *v;
    size_t               n, cap;
} ranges;

typedef struct uses {
    ranges all, metadata; /* metadata: what a commit replaces */
} uses;

static int
note_range(ranges *r, const ncz_hdf5_extent *e)
{
    int rc = ncz_make_room(&r->v, r->n, &r->cap, sizeof *r->v);

    if (rc == NC_NOERR)
        r->v[r->n++] = (ncz_container_range){e->addr, e->len};
    return rc;
}

static int
note_extent(void *arg, const ncz_hdf5_extent *e)
{
    uses *u = arg;
    int   rc = note_range(&u->all, e);

    return rc == NC_NOERR && e->metadata && e->part != NCZ_HDF5_PART_SUPERBLOCK ? note_range(&u->metadata, e) : rc;
}

int
ncz_nc4_read_file(void *arg, const ncz_read_range *v, size_t n)
{
    return zmap_get_ranges(arg, "", v, n);
}

static int
find_uses(ncz_dataset *ds, uses *u)
{
    ncz_read_source        source = {.read = ncz_nc4_read_file, .arg = ncz_container_file(ds->map)};
    const ncz_hdf5_checker checker = {.extent = note_extent, .arg = u};
    ncz_hdf5              *f = NULL;
    int                    rc = zmap_len(source.arg, "", &source.size);

    if (rc == NC_NOERR && (rc = ncz_hdf5_open(&source, &ds->limits, &f)) == NC_NOERR)
        rc = ncz_hdf5_extents(f, &checker);
    ncz_hdf5_close(f);
    return rc;
}

int
ncz_nc4_find_free(ncz_dataset *ds)
{
    zmap *file = ncz_container_file(ds->map);
    uses  u = {.all = {NULL, 0, 0}};
    bool  read = true;
    int   rc;

    if (ds->created || ds->nc4.knows_free || ds->nc4.never_reuse)
        return NC_NOERR;
    /* The last commit may not be on the disk yet, where the one before still is. */
    if ((ds->durable && (rc = zmap_sync(file)) != NC_NOERR) ||
        (rc = zmap_single_guard_shared(file, &read)) != NC_NOERR)
        return rc;
    if ((rc = find_uses(ds, &u)) == NC_NOERR &&
        (rc = ncz_container_use(ds->map, u.all.v, u.all.n, !read)) == NC_NOERR)
        rc = ncz_container_give_up(ds->map, u.metadata.v, u.metadata.n);
    else if (rc == NC_ENOTBUILT || rc == NC_EHDFERR) {
        ncz_log(NCZ_LOG_INFO, "%s: its free room is not used: %s", ds->path, ncz_err_text());
        ncz_err_clear();
        rc = NC_NOERR;
    }
    ds->nc4.knows_free = rc == NC_NOERR;
    ncz_free(u.all.v);
    ncz_free(u.metadata.v);
    return rc;
}
