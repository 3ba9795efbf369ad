/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_dtype: the element types, stored and in memory, and netCDF's default fill values.
 *
 * Tables only; no state.
 */
#include "grid/grid.h"

static const int8_t      fill_byte = NC_FILL_BYTE;
static const char        fill_char = NC_FILL_CHAR;
static const int16_t     fill_short = NC_FILL_SHORT;
static const int32_t     fill_int = NC_FILL_INT;
static const float       fill_float = NC_FILL_FLOAT;
static const double      fill_double = NC_FILL_DOUBLE;
static const uint8_t     fill_ubyte = NC_FILL_UBYTE;
static const uint16_t    fill_ushort = NC_FILL_USHORT;
static const uint32_t    fill_uint = NC_FILL_UINT;
static const int64_t     fill_int64 = NC_FILL_INT64;
static const uint64_t    fill_uint64 = NC_FILL_UINT64;
static const char *const fill_string = "";

typedef struct type_row {
    ncz_kind    kind;
    size_t      size;
    const void *fill;
} type_row;

/* By nc_type. */
static const type_row rows[] = {
    [NC_NAT] = {NCZ_KIND_OTHER, 0, NULL},
    [NC_BYTE] = {NCZ_KIND_INT, 1, &fill_byte},
    [NC_CHAR] = {NCZ_KIND_CHAR, 1, &fill_char},
    [NC_SHORT] = {NCZ_KIND_INT, 2, &fill_short},
    [NC_INT] = {NCZ_KIND_INT, 4, &fill_int},
    [NC_FLOAT] = {NCZ_KIND_FLOAT, 4, &fill_float},
    [NC_DOUBLE] = {NCZ_KIND_FLOAT, 8, &fill_double},
    [NC_UBYTE] = {NCZ_KIND_UINT, 1, &fill_ubyte},
    [NC_USHORT] = {NCZ_KIND_UINT, 2, &fill_ushort},
    [NC_UINT] = {NCZ_KIND_UINT, 4, &fill_uint},
    [NC_INT64] = {NCZ_KIND_INT, 8, &fill_int64},
    [NC_UINT64] = {NCZ_KIND_UINT, 8, &fill_uint64},
    [NC_STRING] = {NCZ_KIND_BYTES, sizeof(char *), &fill_string},
};

static const type_row *
row_of(nc_type type)
{
    return &rows[type > NC_NAT && type <= NC_STRING ? type : NC_NAT];
}

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

nc_type
ncz_dtype_nc(const ncz_dtype *t)
{
    switch (t->kind) {
    case NCZ_KIND_INT:
    case NCZ_KIND_UINT: return int_of(t->size, t->kind == NCZ_KIND_INT);
    case NCZ_KIND_FLOAT: return t->size == 8 ? NC_DOUBLE : t->size == 4 || t->size == 2 ? NC_FLOAT : NC_NAT;
    case NCZ_KIND_BOOL: return t->size == 1 ? NC_UBYTE : NC_NAT;
    case NCZ_KIND_CHAR: return t->size == 1 ? NC_CHAR : NC_NAT;
    case NCZ_KIND_BYTES:
    case NCZ_KIND_UCS4:
    case NCZ_KIND_OBJECT: return NC_STRING;
    case NCZ_KIND_OTHER: break;
    }
    return NC_NAT;
}

ncz_dtype
ncz_dtype_of(nc_type type, bool big, size_t strlen_max)
{
    const type_row *r = row_of(type);

    return (ncz_dtype){.kind = r->kind, .big = big, .size = type == NC_STRING ? strlen_max : r->size};
}

size_t
ncz_type_size(nc_type type)
{
    return row_of(type)->size;
}

bool
ncz_type_numeric(nc_type type)
{
    ncz_kind kind = row_of(type)->kind;

    return kind == NCZ_KIND_INT || kind == NCZ_KIND_UINT || kind == NCZ_KIND_FLOAT;
}

const void *
ncz_type_fill(nc_type type)
{
    return row_of(type)->fill;
}
