/* SPDX-License-Identifier: BSD-3-Clause */
/* api_structure: the check of an HDF5 file's structure, which needs no dataset that opens. */
#include "api/api_int.h"
#include "dialects/netcdf4/netcdf4_check.h"
#include "open/open.h"
#include "zmap/zmap.h"

typedef struct call {
    nczarr_structure_each each;
    void                 *arg;
    uint64_t              base; /* from which addresses count */
} call;

static int
tell_fault(void *arg, const ncz_hdf5_fault *f)
{
    static const int      kinds[] = {[NCZ_HDF5_DAMAGE] = NCZARR_STRUCTURE_FAULT,
                                     [NCZ_HDF5_COUNT] = NCZARR_STRUCTURE_FAULT,
                                     [NCZ_HDF5_UNKNOWN] = NCZARR_STRUCTURE_UNKNOWN,
                                     [NCZ_HDF5_DANGLING] = NCZARR_STRUCTURE_DANGLING};
    const call           *c = arg;
    nczarr_structure_item item = {
        .size = sizeof item, .kind = kinds[f->kind], .what = f->text, .path = f->path, .address = c->base + f->addr};

    return c->each(&item, c->arg);
}

static int
tell_extent(void *arg, const ncz_hdf5_extent *e)
{
    const call           *c = arg;
    nczarr_structure_item item = {.size = sizeof item,
                                  .kind = NCZARR_STRUCTURE_USED,
                                  .what = e->name,
                                  .path = e->path,
                                  .address = c->base + e->addr,
                                  .length = e->len};

    return c->each(&item, c->arg);
}

static int
read_ranges(void *arg, const ncz_read_range *ranges, size_t n)
{
    return zmap_get_ranges(arg, "", ranges, n);
}

static int
check_file(zmap *map, const char *path, call *c)
{
    ncz_read_source  source = {.read = read_ranges, .arg = map, .far = (zmap_caps_of(map) & ZMAP_FROM_WORKERS) == 0};
    ncz_hdf5_checker checker = {.fault = tell_fault, .extent = tell_extent, .arg = c};
    nczarr_structure_item end = {.size = sizeof end, .kind = NCZARR_STRUCTURE_END, .what = "", .path = ""};
    int                   rc = zmap_len(map, "", &source.size);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_netcdf4_check(&source, &checker, &c->base)) == NC_ENOTNC)
        return ncz_fail(NC_ENOTNC, "%s: no HDF5 file, as netCDF-4 files are; others have no such structure", path);
    end.address = source.size;
    end.length = c->base;
    return rc == NC_NOERR ? c->each(&end, c->arg) : rc;
}

int
nczarr_check_structure(const char *path, nczarr_structure_each each, void *arg)
{
    call  c = {.each = each, .arg = arg};
    zmap *map = NULL;
    int   rc;

    ncz_err_clear();
    if (path == NULL || each == NULL)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nczarr_check_structure: no %s", path == NULL ? "path" : "function to call"));
    if ((rc = ncz_dataset_file(path, &map)) != NC_NOERR)
        return ncz_call_done(rc);
    rc = check_file(map, path, &c);
    (void)zmap_close(map, ZMAP_KEEP);
    return ncz_call_done(rc);
}
