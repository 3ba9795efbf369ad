/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map: datasets over a map that the program holds (nczarr_zmap.h). Each keeps its own reference to the map.
 */
#include "nczarr_zmap.h"

#include "api/api_int.h"
#include "zmap/zmap.h"

int
nczarr_map_memory(nczarr_map **mapp)
{
    ncz_err_clear();
    if (mapp == NULL)
        return ncz_fail(NC_EINVAL, "nczarr_map_memory: no place for the map");
    return ncz_call_done(zmap_mem_open(mapp));
}

int
nczarr_map_file(const char *dir, int create, nczarr_map **mapp)
{
    ncz_err_clear();
    if (dir == NULL || mapp == NULL)
        return ncz_fail(NC_EINVAL, "nczarr_map_file: no %s", dir == NULL ? "directory" : "place for the map");
    return ncz_call_done(zmap_file_open(dir, create ? ZMAP_CREATE_NEW : ZMAP_OPEN_WRITE, mapp));
}

int
nczarr_map_close(nczarr_map *map)
{
    ncz_err_clear();
    return map == NULL ? NC_NOERR : ncz_call_done(zmap_close(map, ZMAP_KEEP));
}

int
nczarr_create_map(nczarr_map *map, const char *mode, int cmode, int *ncidp)
{
    ncz_limits   limits = ncz_limits_default;
    ncz_dataset *ds = NULL;
    int          rc;

    ncz_err_clear();
    if (map == NULL || ncidp == NULL)
        return ncz_fail(NC_EINVAL, "nczarr_create_map: no %s", map == NULL ? "map" : "place for the ncid");
    ncz_api_cache_limits(&limits);
    if ((rc = ncz_dataset_create_map(map, mode, cmode, &limits, &ds)) == NC_NOERR)
        rc = ncz_api_publish(ds, ncidp);
    return ncz_call_done(rc);
}

int
nczarr_open_map(nczarr_map *map, const char *mode, int omode, int *ncidp)
{
    ncz_limits   limits = ncz_limits_default;
    ncz_dataset *ds = NULL;
    int          rc;

    ncz_err_clear();
    if (map == NULL || ncidp == NULL)
        return ncz_fail(NC_EINVAL, "nczarr_open_map: no %s", map == NULL ? "map" : "place for the ncid");
    ncz_api_cache_limits(&limits);
    if ((rc = ncz_dataset_open_map(map, mode, omode, &limits, &ds)) == NC_NOERR)
        rc = ncz_api_publish(ds, ncidp);
    return ncz_call_done(rc);
}
