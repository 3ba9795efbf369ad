/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What both versions of Zarr have in common: the generations of NCZarr's keys, and how chunks lie. Only the folders of
 * the two versions and this one know it.
 */
#ifndef NCZ_FORMAT_ZARR_H
#define NCZ_FORMAT_ZARR_H

#include "format/format.h"

/* The layout of metadata in the store: values of ncz_format_opts.gen. */
typedef enum ncz_generation {
    NCZ_GEN_PURE = NCZ_FORM_PLAIN, /* Zarr without NCZarr keys, any version */
    NCZ_GEN_1,                     /* 4.8.0: NCZarr documents of their own */
    NCZ_GEN_2,                     /* 4.8.1, 4.9.0: upper-case keys in Zarr's documents */
    NCZ_GEN_3,                     /* 4.9.1, 4.9.2: lower-case keys there, as the specification says */
    NCZ_GEN_4,                     /* 4.9.3 on: all keys among the attributes */
    NCZ_GEN_BOTH,                  /* ours: the keys of G3 and those of G4 */
    NCZ_GEN_V3,                    /* Zarr v3: all keys among the attributes, with v3's names */
} ncz_generation;

/* Attributes that hold metadata, in either version: NCZarr's keys, and XArray's dimensions. Ends with NULL. */
extern const ncz_word ncz_zarr_hidden_atts[];

#define NCZ_XARRAY  "_ARRAY_DIMENSIONS"
#define NCZ_XSCALAR "_scalar_"

/* What only a version of Zarr has. */
typedef struct ncz_zarr_ops {
    int            version; /* as in its documents */
    const char    *nczarr;  /* the version of NCZarr's keys */
    ncz_generation newest;  /* of a new dataset with NCZarr's keys */
    /* The key encoding for keys whose numbers are separated by '.' or '/' (0: the usual one of the encoding). `v2`: as
     * Zarr v2 names chunks. */
    ncz_key_encoding (*encode_keys)(char separator, bool v2);
} ncz_zarr_ops;

/*
 * Makes the layout of an array of Zarr. A chunk's key is the array's key with a '/', `first`, and the numbers of the
 * object, all joined by `separator`; a scalar has "0" where `first` is "". `root`: a lone array at the root, whose keys
 * begin with `first`. `first` must last as long as the program.
 */
int ncz_zarr_layout_new(const ncz_layout_shape *shape, const char *first, char separator, bool root, size_t numbers,
                        const ncz_shard_layout *shard, ncz_layout **out);

/* ---- NCZarr's keys as text (zarr_nczarr_write.c) ---------------------------------------------------------------- */

/* How a document has the dimensions of a group. */
typedef enum ncz_zarr_dim_form {
    NCZ_ZARR_DIM_LENGTH, /* before 4.9.3: the length, of an unlimited dimension the present one */
    NCZ_ZARR_DIM_EITHER, /* the length; of an unlimited dimension an object that also says so */
    NCZ_ZARR_DIM_BOTH,   /* always an object: length, and whether it is unlimited */
} ncz_zarr_dim_form;

/* The member `key`: a group's dimensions, arrays and groups, and with `types` its types. The form before 4.9.3 names
 * the lists otherwise. */
int ncz_zarr_group_write(const ncz_group *g, const char *key, ncz_zarr_dim_form form, bool types, ncz_jsonw *w);
/* The member `key` of the root: the version of NCZarr's keys. */
void ncz_zarr_superblock_write(const char *key, const ncz_format_opts *style, ncz_jsonw *w);
/* The first members of a variable's key, which the caller has opened: its dimensions, and how it is stored. `old`: as
 * releases before 4.9.3 name them. */
int ncz_zarr_array_write(const ncz_var *v, bool old, ncz_jsonw *w);

#endif /* NCZ_FORMAT_ZARR_H */
