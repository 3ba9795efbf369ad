/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open: from a path, or a store, to an open dataset: which format a new one gets, what can be at a place, the settings
 * of a path, datasets in memory; and the removal of a dataset. What it makes is a dataset of src/dataset.
 *
 * Threads: any; each call works on what it makes.
 */
#ifndef NCZ_OPEN_H
#define NCZ_OPEN_H

#include "aggregation/aggregation.h"
#include "dataset/dataset.h"
#include "icechunk/icechunk.h"
#include "zmap/zmap_place.h"

/*
 * `path` is the argument of nc_create() and nc_open(), the modes are netCDF's flags. `limits` NULL: the defaults.
 * Errors are those of these functions; see nczarr.h. The caller frees it.
 *
 * `default_format`: what is created where neither path nor flags say it: a format that the program has set, or
 * NCZ_FORMAT_UNSAID. NCZ_FORMAT_FILES is added where the library stands in netCDF-C's place: a name that does not say
 * it is that of a file; else it is Zarr's.
 */
enum { NCZ_FORMAT_UNSAID = 0, NCZ_FORMAT_FILES = 0x100 };
int ncz_dataset_create(const char *path, int cmode, int default_format, const ncz_limits *limits, ncz_dataset **out);
int ncz_dataset_open(const char *path, int omode, const ncz_limits *limits, ncz_dataset **out);

/* Create and open over a store of the caller's, which is referenced. `mode`: a URL's fragment, or NULL. */
int ncz_dataset_create_map(zmap *map, const char *mode, int cmode, const ncz_limits *limits, ncz_dataset **out);
int ncz_dataset_open_map(zmap *map, const char *mode, int omode, const ncz_limits *limits, ncz_dataset **out);

/* Opens the store at `path`, whatever it holds; the caller gets a reference. NC_ENOOBJECT, NC_EEXIST as above. */
int ncz_dataset_store(const char *path, zmap_open_how how, zmap **out);

/* The file at `path`, or the one object at a URL, to be read: its key is "". NC_ENOTNC: it is no file that is a
 * dataset. */
int ncz_dataset_file(const char *path, zmap **out);

/* The history of the repository at `path`. NC_ENOTNC: there is none. */
int ncz_dataset_history(const char *path, ncz_icechunk_each_fn each, void *arg);

/* Whether the places are there that a dataset refers to: those of its store of references, and its fragments; of others
 * `each` is not called. Under NCZ_USE_LOOK. */
int ncz_dataset_check_places(ncz_dataset *ds, zmap_place_fn each, void *arg);

/* Create and open a dataset in one block of memory, which is a zip archive or a classic file. `room`: initial bytes. A
 * block that is not `locked` is taken on success, and must come from malloc; a locked block is only read. */
int ncz_dataset_create_mem(const char *path, int cmode, int default_format, size_t room, const ncz_limits *limits,
                           ncz_dataset **out);
int ncz_dataset_open_mem(const char *path, int omode, void *block, size_t len, bool locked, const ncz_limits *limits,
                         ncz_dataset **out);

typedef struct ncz_placed {
    char *const       *files;
    size_t             nfiles;
    ncz_open_fragment *opened;
    size_t             nopened;
} ncz_placed;

/* Opens a file in a block of memory, which it takes on success, for reading, as if it lay at `path`: places that it
 * names are relative to that folder. `files` not NULL: they are numbers of these, which the program named, and which
 * it may reach wherever they are. `opened`: fragments that are open, which it takes. */
int ncz_dataset_open_placed(const char *path, void *block, size_t len, const ncz_placed *with,
                            const ncz_limits *limits, ncz_dataset **out);

/* Removes the dataset at `path`, or the remains of a writer that died, with everything below. NC_ENOTNC: not
 * recognisably a dataset. NC_EEXIST: it holds an object that belongs to no dataset (named in the text), or a running
 * process is creating it. Nothing is changed then. */
int ncz_dataset_delete(const char *path);
/* *n: the objects that it would remove. The same errors; changes nothing. */
int ncz_dataset_removable(const char *path, size_t *n);

#endif /* NCZ_OPEN_H */
