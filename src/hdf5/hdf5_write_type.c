/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types of elements (IV.A.2.d): in the oldest version that can say them, which is 1, and 3 for compounds, enums and
 * arrays, since the earlier forms of these have paddings and permutations.
 */
#include "hdf5/hdf5_write_int.h"

#include <string.h>

enum {
    MEMBERS_MOST = 65535, /* their number has 16 bits */
    TAG_MOST = 248,       /* its padded length has 8 bits */
    STRING_OF_CHARACTERS = 1,
};

/* ---- what cannot be written ---- */

static int
check_members(const ncz_hdf5_type *t, const char *what)
{
    if (t->nmembers > MEMBERS_MOST || (t->class == NCZ_HDF5_COMPOUND && t->nmembers == 0))
        return ncz_fail(NC_EBADTYPE, "%s: HDF5 has no type of %zu members; it can have 1 to %d", what, t->nmembers,
                        MEMBERS_MOST);
    return NC_NOERR;
}

static int
check_array(const ncz_hdf5_type *t, const char *what)
{
    if (t->rank == 0 || t->rank > NCZ_HDF5_MAX_RANK)
        return ncz_fail(NC_EMAXDIMS, "%s: an array in its type has %u dimensions; HDF5 has 1 to %d", what, t->rank,
                        NCZ_HDF5_MAX_RANK);
    for (unsigned d = 0; d < t->rank; d++)
        if (t->shape[d] == 0 || t->shape[d] > UINT32_MAX)
            return ncz_fail(NC_EDIMSIZE, "%s: an array in its type has the length %" PRIu64 " in dimension %u", what,
                            t->shape[d], d);
    return NC_NOERR;
}

/* The type itself, without those that it is made of. */
static int
check_one(const ncz_hdf5_type *t, const char *what)
{
    if (t->size == 0 || t->size > UINT32_MAX)
        return ncz_fail(NC_EBADTYPE, "%s: HDF5 has no elements of %zu bytes", what, t->size);
    switch (t->class) {
    case NCZ_HDF5_OPAQUE:
        if (t->tag != NULL && strlen(t->tag) > TAG_MOST)
            return ncz_fail(NC_EBADTYPE, "%s: the tag of its type has more than %d bytes", what, TAG_MOST);
        return NC_NOERR;
    case NCZ_HDF5_COMPOUND:
    case NCZ_HDF5_ENUM: return check_members(t, what);
    case NCZ_HDF5_ARRAY: return check_array(t, what);
    case NCZ_HDF5_REFERENCE:
        if (t->reference > 1)
            return ncz_fail(NC_ENOTBUILT, "%s: references of HDF5 1.12 are not written", what);
        return NC_NOERR;
    case NCZ_HDF5_COMPLEX:
    case NCZ_HDF5_CLASSES: return ncz_fail(NC_ENOTBUILT, "%s: types of class %d are not written", what, t->class);
    default: return NC_NOERR;
    }
}

static int
check_type(const ncz_hdf5_type *t, const char *what, unsigned depth)
{
    int rc;

    if (depth > NCZ_HDF5_TYPE_DEPTH)
        return ncz_fail(NC_EBADTYPE, "%s: its type is nested more than %d deep", what, NCZ_HDF5_TYPE_DEPTH);
    if ((rc = check_one(t, what)) != NC_NOERR)
        return rc;
    for (size_t i = 0; t->class == NCZ_HDF5_COMPOUND && i < t->nmembers; i++)
        if ((rc = check_type(t->members[i].type, what, depth + 1)) != NC_NOERR)
            return rc;
    return t->base != NULL ? check_type(t->base, what, depth + 1) : NC_NOERR;
}

int
ncz_hdf5_type_check(const ncz_hdf5_type *t, const char *what)
{
    return check_type(t, what, 0);
}

/* ---- bytes ---- */

/* Elements of variable length have the version of their base: with one of version 3 they are of version 3, too. */
static unsigned
choose_version(const ncz_hdf5_type *t)
{
    while (t->class == NCZ_HDF5_VLEN)
        t = t->base;
    return t->class == NCZ_HDF5_COMPOUND || t->class == NCZ_HDF5_ENUM || t->class == NCZ_HDF5_ARRAY ||
                   t->order == NCZ_HDF5_VAX
               ? 3
               : 1;
}

/* Class and version in one, 24 bits that the class gives a meaning, the size. */
static void
put_head(const ncz_hdf5_type *t, uint32_t bits, ncz_hdf5_out *o)
{
    ncz_hdf5_out_uint(o, choose_version(t) << 4 | (unsigned)t->class, 1);
    ncz_hdf5_out_uint(o, bits, 3);
    ncz_hdf5_out_uint(o, t->size, 4);
}

/* Bit 0 is the order of bytes, bit 3 the sign. */
static void
put_integer(const ncz_hdf5_type *t, ncz_hdf5_out *o)
{
    put_head(t, (t->order == NCZ_HDF5_BIG ? 1u : 0) | (t->is_signed && t->class == NCZ_HDF5_INTEGER ? 8u : 0), o);
    ncz_hdf5_out_uint(o, t->bit_offset, 2);
    ncz_hdf5_out_uint(o, t->precision, 2);
}

/* Bits 0 and 6 are the order, 4 and 5 say what the mantissa's first bit is, 8 to 15 where the sign is. */
static void
put_float(const ncz_hdf5_type *t, ncz_hdf5_out *o)
{
    unsigned order = t->order == NCZ_HDF5_VAX ? 0x41 : t->order == NCZ_HDF5_BIG ? 1 : 0;

    put_head(t, order | (t->implied_bit & 3) << 4 | (t->sign_at & 0xff) << 8, o);
    ncz_hdf5_out_uint(o, t->bit_offset, 2);
    ncz_hdf5_out_uint(o, t->precision, 2);
    ncz_hdf5_out_uint(o, t->exponent_at, 1);
    ncz_hdf5_out_uint(o, t->exponent_bits, 1);
    ncz_hdf5_out_uint(o, t->mantissa_at, 1);
    ncz_hdf5_out_uint(o, t->mantissa_bits, 1);
    ncz_hdf5_out_uint(o, t->exponent_bias, 4);
}

/* Bits 0 to 7 are the length of the tag, padded to 8 bytes. */
static void
put_opaque(const ncz_hdf5_type *t, ncz_hdf5_out *o)
{
    size_t len = t->tag != NULL ? strlen(t->tag) : 0, padded = (len + 7) / 8 * 8;

    put_head(t, (uint32_t)padded, o);
    ncz_hdf5_out_bytes(o, t->tag, len);
    ncz_hdf5_out_zeros(o, padded - len);
}

/* Names end with a NUL; offsets have as many bytes as the compound's size needs. */
static void
put_compound(const ncz_hdf5_type *t, ncz_hdf5_out *o)
{
    put_head(t, (uint32_t)t->nmembers, o);
    for (size_t i = 0; i < t->nmembers; i++) {
        const ncz_hdf5_member *m = &t->members[i];

        ncz_hdf5_out_bytes(o, m->name, strlen(m->name) + 1);
        ncz_hdf5_out_uint(o, m->offset, ncz_hdf5_bytes(t->size));
        ncz_hdf5_type_put(m->type, o);
    }
}

/* The base type, all names, all values. */
static void
put_enum(const ncz_hdf5_type *t, ncz_hdf5_out *o)
{
    put_head(t, (uint32_t)t->nmembers, o);
    ncz_hdf5_type_put(t->base, o);
    for (size_t i = 0; i < t->nmembers; i++)
        ncz_hdf5_out_bytes(o, t->members[i].name, strlen(t->members[i].name) + 1);
    for (size_t i = 0; i < t->nmembers; i++)
        ncz_hdf5_out_bytes(o, t->members[i].value, t->size);
}

/* Bits 0 to 3 say whether it is a string, 4 to 7 are the padding, 8 to 11 the character set. */
static void
put_vlen(const ncz_hdf5_type *t, ncz_hdf5_out *o)
{
    put_head(t, !t->is_string ? 0 : STRING_OF_CHARACTERS | (unsigned)t->padding << 4 | (t->utf8 ? 1u : 0) << 8, o);
    ncz_hdf5_type_put(t->base, o);
}

static void
put_array(const ncz_hdf5_type *t, ncz_hdf5_out *o)
{
    put_head(t, 0, o);
    ncz_hdf5_out_uint(o, t->rank, 1);
    for (unsigned d = 0; d < t->rank; d++)
        ncz_hdf5_out_uint(o, t->shape[d], 4);
    ncz_hdf5_type_put(t->base, o);
}

void
ncz_hdf5_type_put(const ncz_hdf5_type *t, ncz_hdf5_out *o)
{
    switch (t->class) {
    case NCZ_HDF5_INTEGER:
    case NCZ_HDF5_BITFIELD: put_integer(t, o); break;
    case NCZ_HDF5_FLOAT: put_float(t, o); break;
    case NCZ_HDF5_TIME:
        put_head(t, t->order == NCZ_HDF5_BIG, o);
        ncz_hdf5_out_uint(o, t->precision, 2);
        break;
    case NCZ_HDF5_STRING: put_head(t, (unsigned)t->padding | (t->utf8 ? 1u : 0) << 4, o); break;
    case NCZ_HDF5_OPAQUE: put_opaque(t, o); break;
    case NCZ_HDF5_COMPOUND: put_compound(t, o); break;
    case NCZ_HDF5_REFERENCE: put_head(t, t->reference, o); break;
    case NCZ_HDF5_ENUM: put_enum(t, o); break;
    case NCZ_HDF5_VLEN: put_vlen(t, o); break;
    case NCZ_HDF5_ARRAY: put_array(t, o); break;
    default: break; /* ncz_hdf5_type_check() refuses the others */
    }
}
