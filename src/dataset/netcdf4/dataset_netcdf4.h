/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_netcdf4: netCDF-4 files that are written. The dataset's map is the file as a container
 * (container/container.h), whose objects are chunks, so that gets and puts run as they do for Zarr. A commit
 * describes the whole model, and makes it and all chunks known at once; what dies before leaves the last commit.
 *
 * A file has one writer at a time (zmap_single_own()). Programs with HDF5's library read it meanwhile, and are
 * refused to write it (zmap_single_guard()). All functions run under the dataset's exclusive lock.
 */
#ifndef NCZ_DATASET_NETCDF4_H
#define NCZ_DATASET_NETCDF4_H

#include "dataset/dataset_int.h"
#include "dialects/netcdf4/netcdf4_write.h"

enum { NCZ_NC4_K = 32 }; /* half the children of a node of chunk trees, unless a file says something else */

/* ---- from the map of a file to the container ---- */

int ncz_nc4_create(ncz_dataset *ds); /* of a new file (dataset_netcdf4_commit.c) */
/* Of one that was loaded to be changed (dataset_netcdf4_open.c). NC_EACCESS: another program writes it. NC_EPERM,
 * NC_ENOTBUILT: it has something that a commit would lose; the text names it. Nothing is written. */
int ncz_nc4_begin(ncz_dataset *ds);

/* ---- the arrays of variables (dataset_netcdf4_arrays.c) ---- */

/* What the container's array of a variable refers to. */
typedef struct ncz_nc4_var {
    const ncz_dataset   *ds;
    const ncz_var       *v;
    ncz_netcdf4_convert *convert;
} ncz_nc4_var;

/* Enters the chunks that the file has of a variable; `arg`: its ncz_nc4_var. */
typedef int (*ncz_nc4_load_fn)(void *arg, ncz_hdf5_tree *tree);

/* Gives each variable that has no data yet an array in the container, as it is defined now. */
int ncz_nc4_set_arrays(ncz_dataset *ds);
int ncz_nc4_set_missing_arrays(ncz_dataset *ds); /* only where there is none */
/* The same for all variables of a file that is there. */
int  ncz_nc4_set_loaded(ncz_dataset *ds, ncz_nc4_load_fn load);
void ncz_nc4_free_arrays(ncz_dataset *ds);

/* ---- free room of a file that is there (dataset_netcdf4_free.c) ---- */

/* Before its first commit; without effect on a new file, and later. */
int ncz_nc4_find_free(ncz_dataset *ds);
int ncz_nc4_read_file(void *arg, const ncz_read_range *ranges, size_t n); /* arg: the map of the file */

/* ---- chunks that nobody put (dataset_netcdf4_missing.c) ---- */

/* Once all arrays are set and all chunks are stored. */
int ncz_nc4_put_missing(ncz_dataset *ds);

/* ---- commits (dataset_netcdf4_commit.c) ---- */

/* The definitions are final for now: chooses what only a new file can, and sets the arrays. */
int ncz_nc4_define(ncz_dataset *ds, const ncz_file_room *room);

/*
 * With front=auto: as long as a new file has no data, leaves as much room in front as its metadata will take when it is
 * closed, if nothing else is defined and all chunks are there. `d`: a dimension that will have length `len`, or NULL.
 */
int ncz_nc4_fit_front(ncz_dataset *ds, const ncz_dim *d, uint64_t len);

/*
 * Commits what has changed, if anything has:
 *
 *   1 what a put that failed left beyond the lengths reads as fill again
 *   2 the chunks are stored
 *   3 all arrays are there, and chunks that libhdf5 could not fill
 *   4 the metadata are described, from the model
 *   5 the container's commit, which has steps of its own
 *
 * `last`: of the session, which may put data and metadata where they save room, and cuts the file. `durable`: on the
 * disk, if the dataset is durable at all. After a failure the last commit is valid, and the same can be tried again;
 * but a failed fsync is final.
 */
int ncz_nc4_commit(ncz_dataset *ds, bool durable, bool last);

/* The first definitions of a new file have ended: commits them, without waiting for the disk, so that the file is
 * there under its name. Not where it replaces an older one, which stays until a sync or the close; nor where the room
 * in front is to fit what will be put, nor with so many variables and groups that it would cost much. */
int ncz_nc4_show(ncz_dataset *ds);

#endif /* NCZ_DATASET_NETCDF4_H */
