/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczarr_zmap.h: datasets over a key-value map that the program holds itself. A map keeps a dataset's objects (its
 * documents and chunks) under their keys; a map in memory outlives the datasets made in it, so that they can be
 * opened again without touching a disk.
 *
 * Source: the zmap abstraction of the NCZarr specification. Results, errors and threads are those of nczarr.h.
 */
#ifndef NCZARR_ZMAP_H
#define NCZARR_ZMAP_H

#include "nczarr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open map. Shared: each dataset opened over it holds its own reference beside the program's. */
typedef struct zmap nczarr_map;

/* A fresh, empty map in memory. NC_ENOMEM. */
NCZARR_API int nczarr_map_memory(nczarr_map **mapp);

/* The directory `dir` as a map. With `create` not 0 it must not exist or be empty (NC_EOBJECT) and its parent must
 * (NC_ENOOBJECT); else it must exist (NC_ENOOBJECT) and can be written to. */
NCZARR_API int nczarr_map_file(const char *dir, int create, nczarr_map **mapp);

/* Drops the program's reference. The map ends with the last dataset that uses it. NULL is fine. */
NCZARR_API int nczarr_map_close(nczarr_map *map);

/*
 * nc_create() and nc_open() on a map. `mode` says what a URL's fragment would, as "mode=zarr,noxarray&compat=4.9.2";
 * NULL is the default (NCZarr when creating, whatever is there when opening). nc_create with NC_CLOBBER empties the
 * map when it holds a dataset; NC_NOCLOBBER is NC_EEXIST then. nc_inq_path() gives the kind of map: "memory", "file".
 */
NCZARR_API int nczarr_create_map(nczarr_map *map, const char *mode, int cmode, int *ncidp);
NCZARR_API int nczarr_open_map(nczarr_map *map, const char *mode, int omode, int *ncidp);

#ifdef __cplusplus
}
#endif

#endif /* NCZARR_ZMAP_H */
