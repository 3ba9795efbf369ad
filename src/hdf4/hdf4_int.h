/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this module share: descriptors, elements that are read whole, Vgroups and Vdatas. */
#ifndef NCZ_HDF4_INT_H
#define NCZ_HDF4_INT_H

#include "hdf4/hdf4.h"

#include <inttypes.h>

/* Tags (6, Tag Specifications; A, Tags). */
enum {
    NCZ_HDF4_TAG_NULL = 1,
    NCZ_HDF4_TAG_LINKED = 20,
    NCZ_HDF4_TAG_COMPRESSED = 40,
    NCZ_HDF4_TAG_CHUNK = 61,
    NCZ_HDF4_TAG_LABEL = 104,
    NCZ_HDF4_TAG_DESCRIPTION = 105,
    NCZ_HDF4_TAG_TYPE = 106,
    NCZ_HDF4_TAG_SDG = 700,
    NCZ_HDF4_TAG_SDD = 701,
    NCZ_HDF4_TAG_SD = 702,
    NCZ_HDF4_TAG_SCALES = 703,
    NCZ_HDF4_TAG_LABELS = 704,
    NCZ_HDF4_TAG_UNITS = 705,
    NCZ_HDF4_TAG_FORMATS = 706,
    NCZ_HDF4_TAG_RANGE = 707,
    NCZ_HDF4_TAG_COORDSYS = 708,
    NCZ_HDF4_TAG_LINK = 710,
    NCZ_HDF4_TAG_NDG = 720,
    NCZ_HDF4_TAG_CALIBRATION = 731,
    NCZ_HDF4_TAG_VDATA = 1962,
    NCZ_HDF4_TAG_RECORDS = 1963,
    NCZ_HDF4_TAG_VGROUP = 1965,
    NCZ_HDF4_SPECIAL = 0x4000, /* a bit of a tag: an extended one */
};

enum { NCZ_HDF4_REFS = 65536 };

/* A data descriptor (1, Data Objects). */
typedef struct ncz_hdf4_dd {
    uint16_t tag, ref;
    uint32_t order; /* in the file */
    uint64_t at;    /* NCZ_HDF4_NONE: it has no data yet */
    uint64_t len;
} ncz_hdf4_dd;

struct ncz_hdf4 {
    ncz_read_source  source;
    ncz_limits       limits;
    ncz_range_cache *cache;
    ncz_hdf4_dd     *dds; /* sorted by tag, reference and order */
    size_t           ndds, cap;
    uint64_t         work; /* bytes of structures that the call under way has read */
};

/* A call begins: it may read a few times the file's size. */
void ncz_hdf4_begin(ncz_hdf4 *f);
/* n bytes at a place, in place of what the buffer held. */
int ncz_hdf4_load(ncz_hdf4 *f, uint64_t at, uint64_t n, const char *what, ncz_buf *into);
/* The first descriptor of a tag and reference: the plain tag, or else the extended one; NULL. */
const ncz_hdf4_dd *ncz_hdf4_find(const ncz_hdf4 *f, unsigned tag, unsigned ref);
/* The first of a tag; behind it those of the same tag follow, by reference. Up to `*end`, which is not one. */
const ncz_hdf4_dd *ncz_hdf4_first(const ncz_hdf4 *f, unsigned tag, const ncz_hdf4_dd **end);
static inline bool
ncz_hdf4_is_special(const ncz_hdf4_dd *dd)
{
    return (dd->tag & NCZ_HDF4_SPECIAL) != 0;
}

/* The bytes of an element, plain or in blocks. NC_EHDFERR: there is none. */
int ncz_hdf4_load_element(ncz_hdf4 *f, unsigned tag, unsigned ref, ncz_buf *into);
/* ncz_hdf4_find_pieces() as a part of another call. */
int ncz_hdf4_pieces_of(ncz_hdf4 *f, const ncz_hdf4_data *data, ncz_hdf4_pieces *out);
/* What an element is. Without a descriptor: nothing. */
int ncz_hdf4_data_read(ncz_hdf4 *f, unsigned tag, unsigned ref, ncz_arena *arena, ncz_hdf4_data *out);
int ncz_hdf4_cut_short(const char *what, unsigned tag, unsigned ref); /* records that it ends early */

/* A part of the file failed. Damage, and what is not read here, becomes a text in the arena, and no failure. */
int ncz_hdf4_lose(int rc, ncz_arena *arena, const char **text);
/* The same, of what is then not shown. */
int ncz_hdf4_sd_lose(ncz_hdf4_sd *sd, size_t *cap, int rc, const char *what, const char *name);

bool ncz_hdf4_type_make(unsigned code, bool little, ncz_hdf4_type *out); /* false: no such type */
int  ncz_hdf4_type_read(ncz_hdf4 *f, unsigned ref, ncz_hdf4_type *out);

/* ---- Vgroups and Vdatas (hdf4_vset.c) ---- */

typedef struct ncz_hdf4_member {
    uint16_t tag, ref;
} ncz_hdf4_member;

typedef struct ncz_hdf4_vgroup {
    const char            *name, *class_name;
    const ncz_hdf4_member *members;
    size_t                 n;
} ncz_hdf4_vgroup;

int ncz_hdf4_vgroup_read(ncz_hdf4 *f, unsigned ref, ncz_arena *arena, ncz_hdf4_vgroup *out);

/* A Vdata of one field, as attributes are; `nfields` says whether it is. */
typedef struct ncz_hdf4_vdata {
    const char *name, *class_name;
    uint64_t    nrecords;
    size_t      nfields, record;
    unsigned    type, order; /* of the first field */
} ncz_hdf4_vdata;

int ncz_hdf4_vdata_read(ncz_hdf4 *f, unsigned ref, ncz_arena *arena, ncz_hdf4_vdata *out);
int ncz_hdf4_attribute_read(ncz_hdf4 *f, unsigned ref, const ncz_hdf4_vdata *of, ncz_arena *arena,
                            ncz_hdf4_attribute *out);

/* ---- lists of datasets ---- */

/* What is being read, with the room that its arrays have. */
typedef struct ncz_hdf4_reading {
    ncz_hdf4    *f;
    ncz_hdf4_sd *sd;
    size_t       dims_cap, vars_cap, losses_cap;
    ncz_names    dim_index; /* of dimensions, by name */
} ncz_hdf4_reading;

int ncz_hdf4_groups_read(ncz_hdf4_reading *r, bool *any); /* those of Vgroups; *any: the file has such a group */
int ncz_hdf4_dfsd_read(ncz_hdf4_reading *r);              /* those of files without */
int ncz_hdf4_add_dim(ncz_hdf4_reading *r, const char *name, uint64_t len, bool unlimited, size_t *number);
int ncz_hdf4_add_var(ncz_hdf4_reading *r, const ncz_hdf4_var *v);
/* Notes why the data of a variable cannot be read, if this failure says so. */
int ncz_hdf4_note_lost(ncz_hdf4_reading *r, ncz_hdf4_var *v, int rc);

#endif /* NCZ_HDF4_INT_H */
