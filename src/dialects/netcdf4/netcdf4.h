/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netcdf4: netCDF-4 files, which are HDF5 files, and HDF5 files as netCDF shows them. Only read. src/hdf5 reads the
 * structure; here it gets netCDF's view: dimensions from scales, variables from datasets, types, attributes without
 * those that hold the view itself.
 */
#ifndef NCZ_FORMAT_NETCDF4_H
#define NCZ_FORMAT_NETCDF4_H

#include "dialects/dialects_reader.h"
#include "format/dialect.h"
#include "format/format_int.h"
#include "hdf5/hdf5.h"

#include <pthread.h>

extern const ncz_dialect_ops ncz_netcdf4;

/* ---- the file, as long as the model lives (netcdf4_file.c) ----------------------------------------------------- */

/* What the model's format_free() gets begins so. */
typedef enum ncz_netcdf4_part { NCZ_NETCDF4_FILE, NCZ_NETCDF4_PLACE } ncz_netcdf4_part;

typedef struct ncz_netcdf4_file {
    ncz_netcdf4_part               part;
    pthread_mutex_t                lock; /* guards the members below: the structure is read by one thread at a time */
    ncz_dialects_reader            now;  /* of the call under way */
    ncz_hdf5                      *f;
    const struct ncz_netcdf4_path *paths; /* of objects, by address, for what refers to them; with mode=hdf5 */
    size_t                         npaths;
    uint64_t   taken; /* bytes of strings and sequences that the call under way has put into memory */
    uint64_t   size;
    size_t     nreserved; /* attributes of datasets with names that netCDF reserves */
    bool       strict;    /* it says that it keeps to the classic model */
    ncz_limits limits;
    struct ncz_netcdf4_keeping           *keeping; /* what its objects were, once it is changed; else NULL */
    const struct ncz_netcdf4_heap_reader *heap; /* has the global heap in place of `f`, which is NULL then; or NULL */
} ncz_netcdf4_file;

int  ncz_netcdf4_file_open(ncz_loader *l, uint64_t size, ncz_netcdf4_file **out);
void ncz_netcdf4_free(void *part);
/* What the strings and sequences of a file of this size may need in memory, in one call. */
uint64_t ncz_netcdf4_most_bytes(const ncz_netcdf4_file *file);

/* ---- paths (netcdf4_paths.c) ------------------------------------------------------------------------------------- */

typedef struct ncz_netcdf4_path {
    uint64_t    addr;
    const char *path; /* in the model's arena, as that array is */
} ncz_netcdf4_path;

/* Finds the shortest path of each object of the file. What is damaged has none. */
int         ncz_netcdf4_paths_read(ncz_loader *l, ncz_netcdf4_file *file);
const char *ncz_netcdf4_path_of(const ncz_netcdf4_file *file, uint64_t addr); /* "": there is none */

/* ---- types (netcdf4_type.c) ------------------------------------------------------------------------------------ */

typedef struct ncz_netcdf4_type ncz_netcdf4_type;

/* Floating-point numbers of another form than IEEE's: where the bits lie. */
typedef struct ncz_netcdf4_float {
    unsigned exponent_at, exponent_bits, mantissa_at, mantissa_bits, sign_at;
    uint32_t bias;
    bool     implied; /* the first bit of the mantissa is not stored */
} ncz_netcdf4_float;

/* A stored type, and what netCDF has for it. All of it lies in an arena. */
struct ncz_netcdf4_type {
    const ncz_type         *type;   /* in memory; NC_NAT's: netCDF has none, and `why` says so */
    ncz_dtype               dtype;  /* of the elements, where they have no bytes elsewhere; else NCZ_KIND_OBJECT */
    int                     endian; /* as declared */
    size_t                  size;   /* stored bytes of an item: an element, or one of the array that it is */
    bool                    heap;   /* it has bytes in the global heap, or elsewhere */
    bool                    refers; /* to an object, whose path is the value; `region`: to a part of it */
    bool                    region;
    unsigned                shift, bits; /* integers of fewer bits than their bytes: where these are; 0: all */
    bool                    is_signed;
    bool                    odd_float; /* floating-point numbers of this form, of `bits` bits: */
    ncz_netcdf4_float       form;
    size_t                  rank, nelems; /* of the array in each element; 0, 1: there is none */
    const uint64_t         *shape;
    const ncz_netcdf4_type *base;    /* of sequences */
    const ncz_netcdf4_type *fields;  /* of a compound, as many as `type` has, */
    const size_t           *offsets; /* and where they are stored */
    const char             *why;
};

/* The types of a file that are known so far. */
typedef struct ncz_netcdf4_types {
    ncz_loader     *l;
    ncz_arena      *arena;
    uint64_t       *addrs; /* of committed types, */
    ncz_user_type **types; /* and what they are */
    size_t          n, cap, types_cap;
    unsigned        nanonymous;
} ncz_netcdf4_types;

void ncz_netcdf4_types_clear(ncz_netcdf4_types *t);
/* Adds a committed type to its group. A type that netCDF lacks is left out. */
int ncz_netcdf4_type_commit(ncz_netcdf4_types *t, ncz_group *g, const char *name, uint64_t addr,
                            const ncz_hdf5_type *from);
/* What netCDF has for a type. Types without a name become types of the group. */
int ncz_netcdf4_type_of(ncz_netcdf4_types *t, ncz_group *g, const ncz_hdf5_type *from, ncz_netcdf4_type *out);

/* ---- values (netcdf4_value.c) ---------------------------------------------------------------------------------- */

/* Whether each element has a place in the global heap: `offset` is that of its first. Others of it are mostly close by,
 * since they were written together. */
bool ncz_netcdf4_is_in_heap(const ncz_netcdf4_type *t, size_t *offset);
/* n bytes more of the call under way; a failure if they are too many for the file. */
int ncz_netcdf4_count_bytes(ncz_netcdf4_file *file, size_t n);
/* Whether elements are strings and nothing else; then they can be read into a block, not one by one into memory. */
bool ncz_netcdf4_are_texts(const ncz_netcdf4_type *t);
/* What the heap has for texts is read ahead; of a file that is far, for those of the next chunks, too. */
typedef struct ncz_netcdf4_ahead {
    size_t after; /* elements that follow those of the call in memory, and are read next */
    size_t done;  /* elements from the first on for which that is done */
} ncz_netcdf4_ahead;
int ncz_netcdf4_read_texts(ncz_netcdf4_file *file, const ncz_netcdf4_type *t, const unsigned char *in, size_t n,
                           ncz_netcdf4_ahead *ahead, ncz_buf *block);
/* Reads n elements into memory that is zero. What was read before a failure can be freed with ncz_type_free_elems(). */
int ncz_netcdf4_read_values(ncz_netcdf4_file *file, const ncz_netcdf4_type *t, const unsigned char *in, size_t n,
                            void *out);

/* ---- the tree of groups and datasets, while it is loaded (netcdf4_tree.c) --------------------------------------- */

typedef struct ncz_netcdf4_group ncz_netcdf4_group;

typedef struct ncz_netcdf4_array {
    const char        *name; /* as netCDF shows it */
    const char        *path; /* in the file */
    ncz_netcdf4_group *group;
    uint64_t           addr;
    ncz_hdf5_object    o;        /* with its attributes; until the model has it */
    bool               scale;    /* it gives a dimension, */
    bool               no_array; /* and is nothing else */
    int64_t            dimid;    /* of that dimension; -1: the file does not say */
    ncz_dim           *dim;      /* once it is made */
} ncz_netcdf4_array;

struct ncz_netcdf4_group {
    ncz_group          *g;
    const char         *path; /* in the file, with a slash at its end */
    ncz_netcdf4_group  *parent;
    uint64_t            addr;
    ncz_netcdf4_group **groups;
    ncz_netcdf4_array **arrays;
    size_t              ngroups, groups_cap, narrays, arrays_cap;
};

typedef struct ncz_netcdf4_tree {
    ncz_loader         *l;
    ncz_netcdf4_file   *file;
    ncz_arena           arena; /* of what only loading needs */
    ncz_netcdf4_types   types;
    ncz_netcdf4_group  *root;
    ncz_netcdf4_array **arrays; /* of all groups, in the order in which netCDF meets them */
    size_t              narrays, cap;
    ncz_dim           **dims;   /* by the file's numbers */
    ncz_netcdf4_array **scales; /* sorted by where they are in the file, then by group */
    size_t              nscales;
    size_t              ndims;
    ncz_names           met;      /* addresses of groups, as text -> how many links they have */
    size_t              repeated; /* what is shown of groups that other links led to before */
} ncz_netcdf4_tree;

/* Whether a failure is one of a single object, which the file can do without. Memory and I/O are not. */
bool ncz_netcdf4_costs_object(int rc);
/* Such a failure becomes a warning; others stay failures. */
int  ncz_netcdf4_pass_over(ncz_netcdf4_tree *t, int rc, const char *where, const char *what);
int  ncz_netcdf4_tree_read(ncz_netcdf4_tree *t); /* groups, types; and what the arrays are */
void ncz_netcdf4_tree_clear(ncz_netcdf4_tree *t);
/* Attributes in which netCDF-C keeps numbers of dimensions: how many there are (0: it is another one); one of them. */
size_t                    ncz_netcdf4_count_ids(const ncz_hdf5_attribute *a);
uint32_t                  ncz_netcdf4_id_at(const ncz_hdf5_attribute *a, size_t i);
const ncz_hdf5_attribute *ncz_netcdf4_find_att(const ncz_hdf5_object *o, const char *name); /* or NULL */
int ncz_netcdf4_add_atts(ncz_netcdf4_tree *t, ncz_group *g, ncz_atts *atts, const ncz_hdf5_object *o,
                         const char *where);

/* ---- dimensions (netcdf4_dims.c) -------------------------------------------------------------------------------- */

int ncz_netcdf4_dims_add(ncz_netcdf4_tree *t); /* those of the scales */
/* The dimensions of an array, `rank` of them with those of its elements. */
int ncz_netcdf4_dims_of(ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, const uint64_t *shape, const bool *unlimited,
                        size_t rank, ncz_dim **out);

/* ---- where data are (netcdf4_place.c, netcdf4_layout.c) --------------------------------------------------------- */

/* What a layout is made from; ncz_var.place. */
typedef struct ncz_netcdf4_place {
    ncz_netcdf4_part               part;
    ncz_netcdf4_file              *file;
    const char                    *path; /* in the file; in the model's arena */
    uint64_t                       addr; /* of the dataset's header */
    uint64_t                       data; /* contiguous: where the data begin; UINT64_MAX: nowhere */
    ncz_hdf5_layout_kind           kind;
    bool                           zeros;   /* the file has no fill value */
    const ncz_netcdf4_type        *type;    /* in the model's arena */
    size_t                         rank;    /* of the dataset, without the arrays in its elements */
    const unsigned char           *compact; /* in the model's arena, `ncompact` bytes */
    size_t                         ncompact;
    const struct ncz_netcdf4_kept *kept;    /* the dataset as it was, once the file is changed; else NULL */
    const ncz_filter_spec         *filters; /* as netCDF-C tells them; in the model's arena */
    size_t                         nfilters;
    uint64_t                       n[]; /* lengths, then the chunk's, rank + the type's each */
} ncz_netcdf4_place;

/* Chooses the chunks and makes the place of an array's data, of which the spec is made then. The variable has its type
 * and dimensions. */
int ncz_netcdf4_place_set(ncz_netcdf4_tree *t, const ncz_netcdf4_array *a, const ncz_netcdf4_type *type, ncz_var *v);
/* Elements that no codec can make: they have bytes in other places of the file, or fewer bits than their bytes. */
bool ncz_netcdf4_is_converted(const ncz_netcdf4_type *t);
/* Its filters, as chains are made of them: o->nfilters, whose names and words are the object's. */
void ncz_netcdf4_list_filters(const ncz_hdf5_object *o, ncz_filter_spec *out);
/* A chain of the filters without those that the mask says were left out. */
int ncz_netcdf4_make_chain(const ncz_hdf5_object *o, uint32_t mask, const ncz_array_type *in, ncz_chain **out);
/* The codec that keeps converted elements of any length, as Zarr has them. */
int ncz_netcdf4_make_object_chain(const ncz_limits *limits, const ncz_array_type *in, ncz_chain **out);
int ncz_netcdf4_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out);
/* As netCDF-C tells them. */
const ncz_filter_spec *ncz_netcdf4_filters(const ncz_var *v, size_t *n);

#endif /* NCZ_FORMAT_NETCDF4_H */
