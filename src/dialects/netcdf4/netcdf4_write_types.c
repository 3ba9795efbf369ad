/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types of the model as a netCDF-4 file stores them, in the forms that netCDF-C gives them: numbers little-endian
 * unless the program asks for another order, characters as texts of one byte, strings and sequences as elements of 16
 * bytes in the global heap, compounds with the offsets of the program's structure.
 */
#include "dialects/netcdf4/netcdf4.h"
#include "dialects/netcdf4/netcdf4_write_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- the mapping: what is stored of what is in memory ---- */

static int
take_room(ncz_arena *arena, size_t n, size_t item, void *out)
{
    void *room = ncz_arena_get_n(arena, n == 0 ? 1 : n, item);

    if (room == NULL)
        return ncz_fail_nomem(n * item);
    memset(room, 0, (n == 0 ? 1 : n) * item);
    memcpy(out, &room, sizeof room);
    return NC_NOERR;
}

/* A field with its place in memory, for a sort by place. */
typedef struct placed {
    size_t i, offset;
} placed;

static int
compare_placed(const void *a, const void *b)
{
    size_t x = ((const placed *)a)->offset, y = ((const placed *)b)->offset;

    return x < y ? -1 : x > y;
}

/* Strings take more bytes in the file than in memory: what lies behind one moves by that, as in HDF5. */
static int
place_fields(ncz_arena *arena, const ncz_type *type, ncz_netcdf4_type *out, size_t *offsets)
{
    placed *order;
    size_t  grown = 0;
    int     rc = take_room(arena, type->nfields, sizeof *order, &order);

    if (rc != NC_NOERR)
        return rc;
    for (size_t i = 0; i < type->nfields; i++)
        order[i] = (placed){i, type->fields[i].offset};
    qsort(order, type->nfields, sizeof *order, compare_placed);
    for (size_t k = 0; k < type->nfields; k++) {
        const ncz_type_field   *f = &type->fields[order[k].i];
        const ncz_netcdf4_type *t = &out->fields[order[k].i];

        offsets[order[k].i] = f->offset + grown;
        grown += (t->size - f->type->size) * f->nelems; /* an element has at most NCZ_TYPE_BYTES, a string 8 more */
    }
    out->size = type->size + grown;
    return NC_NOERR;
}

static int
store_fields(ncz_arena *arena, const ncz_type *type, ncz_netcdf4_type *out)
{
    ncz_netcdf4_type *fields;
    size_t           *offsets;
    int               rc;

    if ((rc = take_room(arena, type->nfields, sizeof *fields, &fields)) != NC_NOERR ||
        (rc = take_room(arena, type->nfields, sizeof *offsets, &offsets)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < type->nfields; i++) {
        const ncz_type_field *f = &type->fields[i];
        uint64_t             *shape;

        if ((rc = ncz_netcdf4_type_for(arena, f->type, false, &fields[i])) != NC_NOERR ||
            (rc = take_room(arena, f->rank, sizeof *shape, &shape)) != NC_NOERR)
            return rc;
        for (size_t d = 0; d < f->rank; d++)
            shape[d] = f->shape[d];
        fields[i].rank = f->rank;
        fields[i].nelems = f->nelems;
        fields[i].shape = shape;
        out->heap = out->heap || fields[i].heap;
    }
    out->fields = fields;
    out->offsets = offsets;
    return place_fields(arena, type, out, offsets);
}

int
ncz_netcdf4_type_for(ncz_arena *arena, const ncz_type *type, bool big, ncz_netcdf4_type *out)
{
    const ncz_type   *value = ncz_type_value(type);
    ncz_netcdf4_type *base;
    int               rc = NC_NOERR;

    *out = (ncz_netcdf4_type){.type = type, .size = type->size, .nelems = 1};
    switch (type->class) {
    case NCZ_TYPE_NONE: return ncz_fail(NC_EBADTYPE, "netCDF-4 files have no such type");
    case NCZ_TYPE_STRING:
        out->heap = true;
        out->size = NCZ_NETCDF4_IN_HEAP;
        break;
    case NCZ_TYPE_VLEN:
        out->heap = true;
        out->size = NCZ_NETCDF4_IN_HEAP;
        if ((rc = take_room(arena, 1, sizeof *base, &base)) == NC_NOERR)
            rc = ncz_netcdf4_type_for(arena, type->base, false, base);
        out->base = base;
        break;
    case NCZ_TYPE_COMPOUND: rc = store_fields(arena, type, out); break;
    default: break;
    }
    out->dtype = ncz_dtype_of(type, big, 1);
    out->endian = ncz_type_is_number(value) ? (big ? NC_ENDIAN_BIG : NC_ENDIAN_LITTLE) : NC_ENDIAN_NATIVE;
    return rc;
}

/* ---- HDF5's types ---- */

#define INTEGER(bytes, sign, end)                                                                                    \
    {                                                                                                                \
        .class = NCZ_HDF5_INTEGER, .size = (bytes), .committed = NCZ_HDF5_NONE, .order = (end), .is_signed = (sign), \
        .precision = 8 * (bytes)                                                                                     \
    }
#define REAL(bytes, exponent, mantissa, bias, end)                                                                   \
    {                                                                                                                \
        .class = NCZ_HDF5_FLOAT, .size = (bytes), .committed = NCZ_HDF5_NONE, .order = (end),                        \
        .precision = 8 * (bytes), .exponent_at = (mantissa), .exponent_bits = (exponent),                            \
        .mantissa_bits = (mantissa), .sign_at = 8 * (bytes)-1, .implied_bit = 2, .exponent_bias = (bias)             \
    }
#define NUMBERS(end)                                                                                                 \
    {                                                                                                                \
        [NC_BYTE] = INTEGER(1, true, end), [NC_SHORT] = INTEGER(2, true, end), [NC_INT] = INTEGER(4, true, end),     \
        [NC_INT64] = INTEGER(8, true, end), [NC_UBYTE] = INTEGER(1, false, end),                                     \
        [NC_USHORT] = INTEGER(2, false, end), [NC_UINT] = INTEGER(4, false, end),                                    \
        [NC_UINT64] = INTEGER(8, false, end), [NC_FLOAT] = REAL(4, 8, 23, 127, end),                                 \
        [NC_DOUBLE] = REAL(8, 11, 52, 1023, end)                                                                     \
    }

static const ncz_hdf5_type numbers[2][NC_MAX_ATOMIC_TYPE + 1] = {NUMBERS(NCZ_HDF5_LITTLE), NUMBERS(NCZ_HDF5_BIG)};

const ncz_hdf5_type ncz_netcdf4_char = {
    .class = NCZ_HDF5_STRING, .size = 1, .committed = NCZ_HDF5_NONE, .padding = NCZ_HDF5_NULTERM};

static const ncz_hdf5_type string = {.class = NCZ_HDF5_VLEN,
                                     .size = NCZ_NETCDF4_IN_HEAP,
                                     .committed = NCZ_HDF5_NONE,
                                     .padding = NCZ_HDF5_NULTERM,
                                     .utf8 = true,
                                     .is_string = true,
                                     .base = &numbers[0][NC_UBYTE]};

const ncz_hdf5_type *
ncz_netcdf4_number(nc_type id, bool big)
{
    return &numbers[big][id];
}

static int
make_enum(ncz_arena *arena, const ncz_netcdf4_type *t, ncz_hdf5_type *to)
{
    ncz_hdf5_member *members;
    unsigned char   *values;
    int              rc;

    to->class = NCZ_HDF5_ENUM;
    to->base = &numbers[t->dtype.big][t->type->base->id];
    to->nmembers = t->type->nmembers;
    if ((rc = take_room(arena, to->nmembers, sizeof *members, &members)) != NC_NOERR ||
        (rc = take_room(arena, to->nmembers, to->size, &values)) != NC_NOERR)
        return rc;
    to->members = members;
    for (size_t i = 0; i < to->nmembers && rc == NC_NOERR; i++, values += to->size) {
        members[i] = (ncz_hdf5_member){.name = t->type->members[i].name, .value = values};
        rc = ncz_convert_in(t->type->base, t->type->members[i].value, &t->dtype, values, 1, false);
    }
    return rc;
}

static int
make_compound(ncz_arena *arena, const ncz_netcdf4_type *t, ncz_hdf5_type *to)
{
    ncz_hdf5_member *members;
    int              rc;

    to->class = NCZ_HDF5_COMPOUND;
    to->nmembers = t->type->nfields;
    if ((rc = take_room(arena, to->nmembers, sizeof *members, &members)) != NC_NOERR)
        return rc;
    to->members = members;
    for (size_t i = 0; i < to->nmembers && rc == NC_NOERR; i++) {
        members[i] = (ncz_hdf5_member){.name = t->type->fields[i].name, .offset = t->offsets[i]};
        rc = ncz_netcdf4_stored_type(arena, &t->fields[i], &members[i].type);
    }
    return rc;
}

/* Of one item: without the array that the element may be. */
static int
make_item(ncz_arena *arena, const ncz_netcdf4_type *t, const ncz_hdf5_type **out)
{
    ncz_hdf5_type *to;
    int            rc;

    if (ncz_type_is_number(t->type))
        *out = &numbers[t->dtype.big][t->type->id];
    if (t->type->class == NCZ_TYPE_CHAR)
        *out = &ncz_netcdf4_char;
    if (t->type->class == NCZ_TYPE_STRING)
        *out = &string;
    if (t->type->id <= NC_MAX_ATOMIC_TYPE)
        return NC_NOERR;
    if ((rc = take_room(arena, 1, sizeof *to, &to)) != NC_NOERR)
        return rc;
    *to = (ncz_hdf5_type){.size = t->size, .committed = NCZ_HDF5_NONE};
    *out = to;
    switch (t->type->class) {
    case NCZ_TYPE_ENUM: return make_enum(arena, t, to);
    case NCZ_TYPE_COMPOUND: return make_compound(arena, t, to);
    case NCZ_TYPE_VLEN: to->class = NCZ_HDF5_VLEN; return ncz_netcdf4_stored_type(arena, t->base, &to->base);
    default: *to = (ncz_hdf5_type){.class = NCZ_HDF5_OPAQUE, .size = t->size, .committed = NCZ_HDF5_NONE, .tag = ""};
    }
    return NC_NOERR;
}

int
ncz_netcdf4_stored_type(ncz_arena *arena, const ncz_netcdf4_type *t, const ncz_hdf5_type **out)
{
    const ncz_hdf5_type *item = NULL;
    ncz_hdf5_type       *to;
    int                  rc = make_item(arena, t, &item);

    *out = item;
    if (rc != NC_NOERR || t->rank == 0)
        return rc;
    if ((rc = take_room(arena, 1, sizeof *to, &to)) != NC_NOERR)
        return rc;
    *to = (ncz_hdf5_type){.class = NCZ_HDF5_ARRAY,
                          .size = t->size * t->nelems,
                          .committed = NCZ_HDF5_NONE,
                          .base = item,
                          .rank = (unsigned)t->rank,
                          .shape = t->shape};
    *out = to;
    return NC_NOERR;
}
