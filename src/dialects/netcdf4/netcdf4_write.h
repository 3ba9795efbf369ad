/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netcdf4_write: the model as a netCDF-4 file has it: groups, dimension scales, variables and attributes as HDF5's
 * objects, made again at each commit; and what the container needs to know of a variable's data.
 *
 * How netCDF's dimensions, names and types stand in HDF5 is what netCDF-C writes (NetCDF-4 format in netCDF's File
 * Format Specifications), so that it and all that read its files read these.
 */
#ifndef NCZ_FORMAT_NETCDF4_WRITE_H
#define NCZ_FORMAT_NETCDF4_WRITE_H

#include "hdf5/hdf5_tree.h"
#include "model/model.h"

struct ncz_hdf5_image;

enum { NCZ_NETCDF4_FORM = 1, NCZ_NETCDF4_CLASSIC_FORM = 2 }; /* ncz_format_opts.gen: netCDF-4; its classic model */

/* ---- elements that live in the global heap ---------------------------------------------------------------------- */

enum { NCZ_NETCDF4_IN_HEAP = 16 }; /* bytes of such an element: number of items 4, address 8, index 4 (IV.B) */

/* Puts bytes into the heap: `element` names them from then on, also where they are none. */
typedef struct ncz_netcdf4_heap {
    int (*add)(void *arg, const void *bytes, size_t len, uint32_t nelems, unsigned char *element);
    /* The same of bytes that are filled in afterwards, at *copy, which are zeros before. For a heap whose elements are
     * told their place later, so that those in `bytes` must not move. NULL: elements are complete at once. */
    int (*reserve)(void *arg, size_t len, uint32_t nelems, unsigned char *element, unsigned char **copy);
    void *arg;
} ncz_netcdf4_heap;

/* The bytes of an element, until the next call; *data NULL: there are none. */
typedef struct ncz_netcdf4_heap_reader {
    int (*get)(void *arg, const unsigned char *element, const unsigned char **data, size_t *len, uint32_t *nelems);
    void *arg;
} ncz_netcdf4_heap_reader;

/* ---- what the container needs of a variable ---------------------------------------------------------------------- */

/* Converts chunks of elements that live in the heap: the engine's are texts or bytes of any length, one after the
 * other, the file's go through its filters. Immutable; any thread. */
typedef struct ncz_netcdf4_convert ncz_netcdf4_convert;

void ncz_netcdf4_convert_free(ncz_netcdf4_convert *c); /* NULL is fine */
/* A chunk as the engine stores it -> as the file has it, and back. Both append to `out`. `mask`: of the filters that
 * the chunk skips. */
int ncz_netcdf4_convert_out(const ncz_netcdf4_convert *c, const void *in, size_t n, const ncz_netcdf4_heap *heap,
                            ncz_buf *out);
int ncz_netcdf4_convert_in(const ncz_netcdf4_convert *c, const void *in, size_t n, uint32_t mask,
                           const ncz_netcdf4_heap_reader *heap, ncz_buf *out);

/* How the data of a variable are stored: ncz_container_array has the same. */
typedef struct ncz_netcdf4_facts {
    uint64_t             uid;
    ncz_hdf5_layout_kind kind;
    unsigned             rank;
    uint32_t             element; /* bytes of an element in the file */
    uint64_t             shape[NCZ_HDF5_MAX_RANK];
    uint64_t             chunk[NCZ_HDF5_MAX_RANK]; /* of what is not chunked: whole rows */
    const void          *fill;                     /* an element as the file has it, in the arena; NULL: zeros */
    ncz_netcdf4_convert *convert;                  /* NULL: the engine's chunks are the file's. The caller's */
    bool                 is_there;                 /* the file has it already: */
    ncz_hdf5_layout      kept;                     /* as it stands there */
} ncz_netcdf4_facts;

int ncz_netcdf4_array_of(const ncz_model *m, const ncz_var *v, ncz_arena *arena, ncz_netcdf4_facts *out);

/* ---- the metadata of a file ---------------------------------------------------------------------------------------
 */

typedef struct ncz_netcdf4_describing {
    struct ncz_hdf5_image *image; /* new: its object 0 becomes the root */
    ncz_arena             *arena; /* gets what the image points to: lives as long */
    int (*layout)(void *arg, const ncz_var *v, ncz_hdf5_layout *out); /* where the data are */
    /* How many chunks lead to the last one that is stored, along each dimension. NULL: all are */
    int (*extent)(void *arg, const ncz_var *v, uint64_t *nchunks);
    bool (*is_kept)(void          *arg,
                    const ncz_var *v); /* nothing was put to one of an opened file. NULL: its address says it */
    void *arg;
    /* Scales list what uses them (REFERENCE_LIST). Without, fewer headers change with an append; only a rename of a
     * dimension by netCDF-C needs the lists. */
    bool references;
} ncz_netcdf4_describing;

/* Describes all objects of the model to the image. `form`: NCZ_NETCDF4_FORM or the classic one. */
int ncz_netcdf4_describe(const ncz_model *m, int form, const ncz_netcdf4_describing *d);

/* ---- files that are there -----------------------------------------------------------------------------------------
 */

/*
 * After the model was loaded to be changed: walks all objects of the file, and refuses what would not be written
 * again as it is. NC_EPERM, NC_ENOTBUILT: the text has the object's path and what it has. On success the variables
 * get the layout of a file that is written: chunks are objects "UID/i.j.k" of a container.
 */
int ncz_netcdf4_begin_writing(ncz_model *m, const ncz_layout_source *source);
/* Enters the chunks of a variable that was in the file. */
int ncz_netcdf4_load_chunks(const ncz_model *m, const ncz_var *v, const ncz_layout_source *source,
                            ncz_hdf5_tree *tree);
/* What the file's superblock says: its end and the address of its extension (NCZ_HDF5_NONE: none), and half the
 * children of a node of its chunk trees. */
typedef struct ncz_netcdf4_superblock {
    uint64_t end, extension;
    unsigned chunk_k;
} ncz_netcdf4_superblock;

void ncz_netcdf4_superblock_of(const ncz_model *m, ncz_netcdf4_superblock *out);

#endif /* NCZ_FORMAT_NETCDF4_WRITE_H */
