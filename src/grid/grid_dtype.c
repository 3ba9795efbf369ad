/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_dtype: stored element types, and the type in memory that each is read as.
 */
#include "grid/grid.h"

static nc_type
int_of(size_t size, bool sign)
{
    switch (size) {
    case 1: return sign ? NC_BYTE : NC_UBYTE;
    case 2: return sign ? NC_SHORT : NC_USHORT;
    case 4: return sign ? NC_INT : NC_UINT;
    case 8: return sign ? NC_INT64 : NC_UINT64;
    default: return NC_NAT;
    }
}

/* NC_NAT: the type has no netCDF meaning. */
static nc_type
id_of(const ncz_dtype *t)
{
    switch (t->kind) {
    case NCZ_KIND_INT:
    case NCZ_KIND_UINT: return int_of(t->size, t->kind == NCZ_KIND_INT);
    case NCZ_KIND_FLOAT: return t->size == 8 ? NC_DOUBLE : t->size == 4 || t->size == 2 ? NC_FLOAT : NC_NAT;
    case NCZ_KIND_BOOL: return t->size == 1 ? NC_UBYTE : NC_NAT;
    case NCZ_KIND_CHAR: return t->size == 1 ? NC_CHAR : NC_NAT;
    case NCZ_KIND_BYTES:
    case NCZ_KIND_UCS4: return NC_STRING;
    case NCZ_KIND_OBJECT: return t->items == NULL ? NC_STRING : NC_NAT;
    case NCZ_KIND_RAW:
    case NCZ_KIND_RECORD:
    case NCZ_KIND_OTHER: break;
    }
    return NC_NAT;
}

const ncz_type *
ncz_dtype_type(const ncz_dtype *t)
{
    return ncz_type_of(id_of(t));
}

/* The numbers of a sequence, or its characters; the type itself if its elements are packed. NULL: neither. */
static const ncz_type *
items_of(const ncz_type *t)
{
    return ncz_type_is_sequence(t) ? ncz_type_value(t->base) : ncz_type_packs(t) ? t : NULL;
}

bool
ncz_dtype_is_packed(const ncz_dtype *t)
{
    return t->items != NULL && t->items->id > NC_MAX_ATOMIC_TYPE;
}

/* The stored kind for a type in memory. */
static ncz_kind
kind_of(const ncz_type *t)
{
    switch (t->class) {
    case NCZ_TYPE_INT: return NCZ_KIND_INT;
    case NCZ_TYPE_UINT: return NCZ_KIND_UINT;
    case NCZ_TYPE_FLOAT: return NCZ_KIND_FLOAT;
    case NCZ_TYPE_CHAR: return NCZ_KIND_CHAR;
    case NCZ_TYPE_STRING: return NCZ_KIND_BYTES;
    case NCZ_TYPE_ENUM: return kind_of(t->base);
    case NCZ_TYPE_OPAQUE: return NCZ_KIND_RAW;
    case NCZ_TYPE_COMPOUND:
    case NCZ_TYPE_VLEN:
        return t->record != NULL ? NCZ_KIND_RECORD : items_of(t) != NULL ? NCZ_KIND_OBJECT : NCZ_KIND_OTHER;
    case NCZ_TYPE_NONE: break;
    }
    return NCZ_KIND_OTHER;
}

ncz_dtype
ncz_dtype_of(const ncz_type *t, bool big, size_t strlen_max)
{
    const ncz_type *items = items_of(t);

    return (ncz_dtype){.kind = kind_of(t),
                       .big = items == NULL && big,
                       .size = t->class == NCZ_TYPE_STRING ? strlen_max
                               : items != NULL             ? NCZ_OBJECT_SIZE
                               : t->record != NULL         ? t->record->size
                                                           : t->size,
                       .record = t->record,
                       .items = items};
}
