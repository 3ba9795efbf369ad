/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hdf4sd: the scientific datasets of HDF4 files as netCDF shows them: all in one group, with the dimensions that they
 * name. Only read. src/hdf4 reads the structure.
 */
#ifndef NCZ_DIALECTS_HDF4SD_H
#define NCZ_DIALECTS_HDF4SD_H

#include "dialects/dialects_reader.h"
#include "format/dialect.h"
#include "format/format_int.h"
#include "hdf4/hdf4.h"

#include <pthread.h>

extern const ncz_dialect_ops ncz_hdf4sd;

/* ---- the file, as long as the model lives (hdf4sd_file.c) ------------------------------------------------------- */

/* What the model's format_free() gets begins so. */
typedef enum ncz_hdf4sd_part { NCZ_HDF4SD_FILE, NCZ_HDF4SD_PLACE } ncz_hdf4sd_part;

typedef struct ncz_hdf4sd_file {
    ncz_hdf4sd_part     part;
    pthread_mutex_t     lock; /* guards what follows: the structure is read by one thread at a time */
    ncz_dialects_reader now;  /* of the call under way */
    ncz_hdf4           *f;
    uint64_t            size;
    bool                far;
    ncz_limits          limits;
} ncz_hdf4sd_file;

int  ncz_hdf4sd_file_open(ncz_loader *l, uint64_t size, ncz_hdf4sd_file **out);
void ncz_hdf4sd_free(void *part);

/* ---- variables (hdf4sd_vars.c) ---------------------------------------------------------------------------------- */

/* Whether a failure is one of a single object, which the file can do without. */
bool ncz_hdf4sd_costs_object(int rc);
int  ncz_hdf4sd_add(ncz_loader *l, ncz_hdf4sd_file *file, const ncz_hdf4_sd *sd); /* all of them to the model */

/* ---- where data are (hdf4sd_place.c, hdf4sd_stored.c, hdf4sd_layout.c) ------------------------------------------ */

enum { NCZ_HDF4SD_ELEMENT = 8 }; /* bytes of the largest one */

/* What a layout is made from; ncz_var.place. */
typedef struct ncz_hdf4sd_place {
    ncz_hdf4sd_part  part;
    ncz_hdf4sd_file *file;
    const char      *name; /* of the variable; in the model's arena, as all that `data` points to */
    ncz_hdf4_data    data;
    size_t           rank, element;            /* element: bytes */
    unsigned char    fill[NCZ_HDF4SD_ELEMENT]; /* what was never written, as an element is stored */
    bool             like_array;               /* it and chunks that are absent are as the array's fill value */
    size_t           nfilters;
    ncz_filter_spec  filter; /* as programs are told of it */
    unsigned         words[NCZ_HDF4_CODER_WORDS];
    uint64_t         n[]; /* lengths, of its own records; then those of a chunk */
} ncz_hdf4sd_place;

/* Chooses the chunks and makes the place of a variable's data. It has its type, dimensions and attributes. */
int ncz_hdf4sd_place_set(ncz_loader *l, ncz_hdf4sd_file *file, const ncz_hdf4_sd *sd, const ncz_hdf4_var *from,
                         ncz_var *v);
const ncz_filter_spec *ncz_hdf4sd_filters(const ncz_var *v, size_t *n);

/* A chunk whose place was looked up. */
typedef struct ncz_hdf4sd_stored {
    uint64_t number;         /* in the grid, in C order */
    uint64_t offset, length; /* in the file; offset NCZ_HDF4_NONE: zeros */
    char    *bytes;          /* where they were in several places: `length` of them; NULL: in the file */
    char    *lost;           /* why it cannot be read; NULL: it can */
} ncz_hdf4sd_stored;

typedef struct ncz_hdf4sd_layout {
    ncz_layout         common;
    atomic_bool        found;
    ncz_hdf4sd_place  *place;         /* its own copy */
    size_t             nelems, bytes; /* of a chunk */
    uint64_t          *count;         /* chunks in each dimension; then as many zeros */
    ncz_dim *const    *dims;          /* the variable's, which may be longer */
    unsigned char     *absent;        /* a chunk that is absent; NULL: its elements are all `fill` */
    ncz_hdf4sd_stored *v;             /* sorted by number */
    size_t             n, cap;
    char              *lost; /* why chunks that are not in `v` cannot be read; NULL: they are absent */
} ncz_hdf4sd_layout;

/* Finds the chunks of data that do not lie in one place as they are. */
int  ncz_hdf4sd_find_stored(ncz_hdf4sd_layout *l, const ncz_layout_source *source);
void ncz_hdf4sd_forget_stored(ncz_hdf4sd_layout *l);
int  ncz_hdf4sd_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out);

#endif /* NCZ_DIALECTS_HDF4SD_H */
