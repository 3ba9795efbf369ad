/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files that write netCDF-4's view of a model. */
#ifndef NCZ_FORMAT_NETCDF4_WRITE_INT_H
#define NCZ_FORMAT_NETCDF4_WRITE_INT_H

#include "dialects/netcdf4/netcdf4.h"
#include "dialects/netcdf4/netcdf4_write.h"

/* ---- types (netcdf4_write_types.c) ------------------------------------------------------------------------------ */

/* How new elements of a type are stored. Its parts are in the arena. */
int ncz_netcdf4_type_for(ncz_arena *arena, const ncz_type *type, bool big, ncz_netcdf4_type *out);
/* HDF5's type of elements that are stored so; names in it are those of the netCDF type. */
int                  ncz_netcdf4_stored_type(ncz_arena *arena, const ncz_netcdf4_type *t, const ncz_hdf5_type **out);
const ncz_hdf5_type *ncz_netcdf4_number(nc_type id, bool big);
extern const ncz_hdf5_type ncz_netcdf4_char; /* a text of one byte */

/* ---- values (netcdf4_write_values.c) ---------------------------------------------------------------------------- */

/* Writes n elements, which are zeros before. */
int ncz_netcdf4_write_values(const ncz_netcdf4_type *t, const void *in, size_t n, const ncz_netcdf4_heap *heap,
                             unsigned char *out);
int ncz_netcdf4_write_text(const ncz_netcdf4_heap *heap, const char *s, size_t n, unsigned char *out);

/* ---- the objects of a file that is changed (netcdf4_keep.c) -------------------------------------------------------
 */

/* The values of an attribute when it was read, in the model's arena. `type` NULL: they are not compared. */
typedef struct ncz_netcdf4_was {
    const ncz_type *type;
    size_t          len;
    const void     *values;
} ncz_netcdf4_was;

/* An object as it was. What of it is not changed is written again so. */
typedef struct ncz_netcdf4_kept {
    struct ncz_netcdf4_kept *next;
    ncz_hdf5_object          o;
    ncz_netcdf4_was         *was;       /* of each attribute */
    const char              *name;      /* that its variable had */
    bool                     no_scales; /* a dataset that names no scales and is none */
} ncz_netcdf4_kept;

typedef struct ncz_netcdf4_keeping {
    ncz_netcdf4_kept        *all;
    const ncz_netcdf4_kept **groups, **types,
        **scales; /* by the model's ids; NULL: it is new. Scales: of dimensions that
                                                         * have no variable */
    size_t ngroups, ntypes, nscales;
} ncz_netcdf4_keeping;

/* Of an id; NULL: it is new. */
static inline const ncz_netcdf4_kept *
ncz_netcdf4_kept_at(const ncz_netcdf4_kept *const *v, size_t n, size_t id)
{
    return id < n ? v[id] : NULL;
}

/* ---- the model, while it is described (netcdf4_write.c) ---------------------------------------------------------- */

/* A variable that uses a dimension, at one place. */
typedef struct ncz_netcdf4_use {
    size_t   number; /* the variable's, in the image */
    uint32_t at;
} ncz_netcdf4_use;

typedef struct ncz_netcdf4_writer {
    const ncz_model              *m;
    const ncz_netcdf4_describing *d;
    const ncz_netcdf4_keeping    *keeping; /* of a file that is changed; never NULL */
    bool                          classic;
    ncz_netcdf4_heap              heap;   /* the image's */
    ncz_arena                     own;    /* of what only describing needs */
    size_t                       *groups; /* numbers in the image: by id, */
    size_t                       *types;  /* by id, */
    size_t                       *scales; /* of dimensions, by id; 0: it has none */
    size_t                      **vars;   /* by the group's id, and theirs */
    const ncz_var               **coords; /* the variables that dimensions have, by id; NULL: none */
    ncz_netcdf4_use              *uses;   /* of all dimensions, */
    size_t                       *first;  /* by id: where those of a dimension begin, ndims + 1 of them */
} ncz_netcdf4_writer;

/* ---- attributes (netcdf4_write_atts.c) --------------------------------------------------------------------------- */

typedef struct ncz_netcdf4_att_list {
    ncz_arena          *arena; /* of the image */
    ncz_hdf5_attribute *v;     /* there */
    size_t              n;
} ncz_netcdf4_att_list;

int ncz_netcdf4_atts_begin(ncz_netcdf4_writer *w, size_t most, ncz_netcdf4_att_list *out);
/* These append one. Names, texts and data must live as long as the image. */
int ncz_netcdf4_att_text(ncz_netcdf4_writer *w, ncz_netcdf4_att_list *list, const char *name, const char *text,
                         size_t n);
int ncz_netcdf4_att_ids(ncz_netcdf4_writer *w, ncz_netcdf4_att_list *list, const char *name, const uint32_t *ids,
                        size_t n, bool array);
int ncz_netcdf4_att_array(ncz_netcdf4_att_list *list, const char *name, const ncz_hdf5_type *type, const void *data,
                          size_t n);
/* One that was in the file. */
void ncz_netcdf4_att_again(ncz_netcdf4_att_list *list, const char *name, const ncz_hdf5_attribute *from);
/* Appends those of the model. `kept`: the object as it was, or NULL. */
int ncz_netcdf4_write_atts(ncz_netcdf4_writer *w, const ncz_atts *atts, const ncz_netcdf4_kept *kept,
                           ncz_netcdf4_att_list *list);

/* ---- scales (netcdf4_write_scales.c) ----------------------------------------------------------------------------- */

/* The most attributes by which scales and what uses them are told, of one dataset. */
enum { NCZ_NETCDF4_SCALE_ATTS = 6 };

/* Whether a variable holds the coordinates of its first dimension, and so is that one's scale. */
bool ncz_netcdf4_is_coords(const ncz_var *v);
/* Finds out which variables use a dimension. Numbers are given before. */
int ncz_netcdf4_find_uses(ncz_netcdf4_writer *w);
/* Appends what tells the dimensions of a variable, and of which it is the scale. */
int ncz_netcdf4_scale_atts(ncz_netcdf4_writer *w, const ncz_var *v, ncz_netcdf4_att_list *list);
/* The scale of a dimension that has no variable. */
int ncz_netcdf4_write_scale(ncz_netcdf4_writer *w, const ncz_dim *d);

/* ---- filters (netcdf4_write_filters.c) --------------------------------------------------------------------------- */

/* The chain of a variable's chunks as the file has them, whose elements have so many bytes. */
int ncz_netcdf4_file_chain(const ncz_var *v, size_t element, ncz_chain **out);
/* Its filters, with the words that HDF5 stores. */
int ncz_netcdf4_write_filters(ncz_arena *arena, const ncz_var *v, size_t element, ncz_hdf5_filter **out, size_t *n);

/* ---- elements in the heap (netcdf4_write_convert.c) -------------------------------------------------------------- */

int ncz_netcdf4_convert_new(const ncz_model *m, const ncz_var *v, ncz_netcdf4_convert **out);

/* ---- chunks (netcdf4_write_layout.c) ------------------------------------------------------------------------------
 */

/* The bytes of all elements; false: they are more than a file can have. */
bool ncz_netcdf4_measure(const ncz_var *v, size_t element, uint64_t *nbytes);
/* As ncz_make_layout_fn, of a variable whose file is written. */
int ncz_netcdf4_make_written(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out);
/* ncz_model.choose_chunks; parse_key of the dialect. */
int          ncz_netcdf4_choose_chunks(const ncz_model *m, ncz_var *v);
ncz_key_kind ncz_netcdf4_parse_key(const char *rest, size_t rank, uint64_t *index);

#endif /* NCZ_FORMAT_NETCDF4_WRITE_INT_H */
