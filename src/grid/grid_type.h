/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_type: the types of elements in memory, as immutable nodes. The atomic ones are static and shared. User-defined
 * ones are made by higher modules and must outlive all references to them. All other code points to nodes; nc_type
 * numbers occur only where programs name a type (api) and where documents do (format).
 *
 * Elements of some types own memory (strings, sequences, compounds of these), allocated with ncz_alloc(). The
 * functions below copy, free and compare elements of any type; only they know where the pointers are. They recurse as
 * deep as the types nest.
 */
#ifndef NCZ_GRID_TYPE_H
#define NCZ_GRID_TYPE_H

#include "util/util.h"

typedef enum ncz_type_class {
    NCZ_TYPE_NONE,     /* no netCDF meaning: NC_NAT */
    NCZ_TYPE_INT,      /* signed, 1, 2, 4 or 8 bytes */
    NCZ_TYPE_UINT,     /* unsigned, 1, 2, 4 or 8 bytes */
    NCZ_TYPE_FLOAT,    /* 4 or 8 bytes */
    NCZ_TYPE_CHAR,     /* NC_CHAR */
    NCZ_TYPE_STRING,   /* a char *, NULL for none */
    NCZ_TYPE_ENUM,     /* values of `base`, some of which have names */
    NCZ_TYPE_OPAQUE,   /* uninterpreted bytes */
    NCZ_TYPE_VLEN,     /* an nc_vlen_t: a sequence of `base` */
    NCZ_TYPE_COMPOUND, /* fields */
} ncz_type_class;

typedef struct ncz_type ncz_type;
struct ncz_record;

/* One field of a compound: an array of elements at an offset, in C order. */
typedef struct ncz_type_field {
    const char     *name;
    size_t          offset; /* bytes from the start of the compound; need not be aligned */
    const ncz_type *type;
    size_t          rank; /* 0: one element */
    const size_t   *shape;
    size_t          nelems; /* the product of `shape`; 1 when rank is 0 */
} ncz_type_field;

/* One named value of an enumeration. */
typedef struct ncz_type_member {
    const char *name;
    const void *value; /* one element of the base type */
} ncz_type_member;

struct ncz_type {
    nc_type id;                  /* NC_NAT, an atomic type's number, or NC_FIRSTUSERTYPEID and up */
    ncz_type_class class;        /* the kind of element */
    size_t                 size; /* bytes of one element in memory; 0 for NCZ_TYPE_NONE only */
    const char            *name; /* as in CDL: "int" */
    bool                   owns; /* its elements own memory */
    const void            *fill; /* netCDF's default fill value, one element; NULL: none */
    const ncz_type        *base; /* NCZ_TYPE_ENUM, NCZ_TYPE_VLEN: of the values; NULL otherwise */
    const ncz_type_field  *fields;
    size_t                 nfields;
    const ncz_type_member *members;
    size_t                 nmembers;
    /* User-defined types: the fewest bytes of one packed element (grid_pack.c), set by ncz_type_packed_least(); 0: it
     * has no packed form. */
    size_t packed_least;
    const struct ncz_record
        *record; /* NCZ_TYPE_COMPOUND: how new arrays store it (grid.h); NULL: not known, or not at all */
};

/* ---- the atomic types ------------------------------------------------------------------------------------------ */

extern const ncz_type ncz_type_atomic[NC_MAX_ATOMIC_TYPE + 1]; /* by nc_type */

/* Strings with their lengths, whose bytes may be NULs, too: an nc_vlen_t of characters. No variable and no attribute
 * has this type; the elements of string variables convert to and from it. Followed by a NUL that is not counted. */
extern const ncz_type ncz_type_counted;

/* The node of an atomic type. Any other number gives the node of NC_NAT. Never NULL. */
static inline const ncz_type *
ncz_type_of(nc_type id)
{
    return &ncz_type_atomic[id > NC_NAT && id <= NC_MAX_ATOMIC_TYPE ? id : NC_NAT];
}

/* One of the ten numeric atomic types: not text, not an enumeration. */
static inline bool
ncz_type_is_number(const ncz_type *t)
{
    return t->class == NCZ_TYPE_INT || t->class == NCZ_TYPE_UINT || t->class == NCZ_TYPE_FLOAT;
}

/* The type as which values are converted: that of an enumeration is its base. */
static inline const ncz_type *
ncz_type_value(const ncz_type *t)
{
    return t->class == NCZ_TYPE_ENUM ? t->base : t;
}

/* Elements that are strings, in either form. */
static inline bool
ncz_type_is_text(const ncz_type *t)
{
    return t->class == NCZ_TYPE_STRING || t == &ncz_type_counted;
}

/* A sequence of numbers, characters or enumerations, which is stored as these are in memory. */
static inline bool
ncz_type_is_sequence(const ncz_type *t)
{
    return t->class == NCZ_TYPE_VLEN &&
           (ncz_type_is_number(ncz_type_value(t->base)) || t->base->class == NCZ_TYPE_CHAR);
}

/* ---- runs of elements ------------------------------------------------------------------------------------------ */

/* Copies n elements with all the memory that they own. `to` must own nothing before; a failure leaves it zeroed. */
int ncz_type_copy_elems(const ncz_type *t, const void *from, size_t n, void *to);

/* Frees the memory that n elements own and zeroes the pointers. Does not free `elems`, which may be NULL. */
void ncz_type_free_elems(const ncz_type *t, void *elems, size_t n);

/*
 * True when n elements have the same values. Numbers are compared bit for bit (a NaN equals itself, zeros of
 * different sign differ), strings and sequences by their contents, compounds field by field without their padding. A
 * NULL string differs from an empty one.
 */
bool ncz_type_equal_elems(const ncz_type *t, const void *a, const void *b, size_t n);

/* Makes "" of the strings in n elements, however deep, that are NULL. NC_ENOMEM: some may be left. */
int ncz_type_fill_strings(const ncz_type *t, void *elems, size_t n);

/* Copies n elements to new memory, released with ncz_type_drop_elems(). */
int  ncz_type_dup_elems(const ncz_type *t, const void *from, size_t n, void **out);
void ncz_type_drop_elems(const ncz_type *t, void *elems, size_t n); /* NULL is fine */

#endif /* NCZ_GRID_TYPE_H */
