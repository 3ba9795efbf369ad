/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types of elements (IV.A.2.d), versions 1 to 5: numbers, texts, and what is made of other types.
 *
 * Each nested type takes bytes of the message, so a message bounds what is made of it; how deep they are is bounded by
 * NCZ_HDF5_TYPE_DEPTH.
 */
#include "hdf5/hdf5_int.h"

#include <string.h>

#define WHAT "the type in the object"

typedef struct parser {
    const ncz_hdf5 *f;
    ncz_cursor      at;
    uint64_t        addr; /* of the object, for texts */
    ncz_arena      *arena;
} parser;

/* The first eight bytes of a type: class and version in one, 24 bits that the class gives a meaning, the size. */
typedef struct head {
    unsigned version;
    uint32_t bits;
} head;

static int parse_type(parser *p, unsigned depth, ncz_hdf5_type **out);

static int
refuse_type(const parser *p, const char *why)
{
    return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " is damaged: %s", p->addr, why);
}

/* A text that ends with a NUL, in old versions padded to a multiple of 8 bytes with it. */
static int
take_name(parser *p, bool padded, const char **out)
{
    const unsigned char *s = p->at.good ? p->at.data + p->at.pos : NULL;
    const unsigned char *end = s != NULL ? memchr(s, 0, p->at.len - p->at.pos) : NULL;
    size_t               len;

    if (end == NULL)
        return refuse_type(p, "a name does not end");
    len = (size_t)(end - s);
    (void)ncz_cursor_bytes(&p->at, padded ? (len + 8) / 8 * 8 : len + 1);
    return ncz_hdf5_text(p->f, p->arena, s, len, "a name in the type", p->addr, out);
}

/* Bit 0 is the order of bytes; then come the first bit of the number, and how many it has. */
static void
take_bit_range(parser *p, uint32_t bits, ncz_hdf5_type *t)
{
    t->order = (bits & 1) != 0 ? NCZ_HDF5_BIG : NCZ_HDF5_LITTLE;
    t->bit_offset = ncz_cursor_u16le(&p->at);
    t->precision = ncz_cursor_u16le(&p->at);
}

static int
check_bit_range(const parser *p, const ncz_hdf5_type *t)
{
    if (p->at.good && (t->precision == 0 || (uint64_t)t->bit_offset + t->precision > (uint64_t)t->size * 8))
        return refuse_type(p, "its bits are none, or more than its bytes have");
    return NC_NOERR;
}

/* Bits 0 and 6 are the order, 4 and 5 say what the mantissa's first bit is, 8 to 15 where the sign is. */
static int
parse_float(parser *p, uint32_t bits, ncz_hdf5_type *t)
{
    take_bit_range(p, bits, t);
    if ((bits & 0x40) != 0)
        t->order = NCZ_HDF5_VAX;
    t->exponent_at = ncz_cursor_u8(&p->at);
    t->exponent_bits = ncz_cursor_u8(&p->at);
    t->mantissa_at = ncz_cursor_u8(&p->at);
    t->mantissa_bits = ncz_cursor_u8(&p->at);
    t->exponent_bias = ncz_cursor_u32le(&p->at);
    t->sign_at = bits >> 8 & 0xff;
    t->implied_bit = bits >> 4 & 3;
    return check_bit_range(p, t);
}

/* Bits 0 to 7 are the length of the tag, which is padded to 8 bytes. */
static int
parse_opaque(parser *p, uint32_t bits, ncz_hdf5_type *t)
{
    size_t               len = bits & 0xff, n = 0;
    const unsigned char *s = ncz_cursor_bytes(&p->at, (len + 7) / 8 * 8);

    while (s != NULL && n < len && s[n] != 0)
        n++;
    return s != NULL ? ncz_hdf5_text(p->f, p->arena, s, n, "a tag in the type", p->addr, &t->tag) : NC_NOERR;
}

/* Of version 1: a field may be an array by itself, of four dimensions at most. */
static int
wrap_field(parser *p, unsigned rank, const uint64_t *shape, const ncz_hdf5_type *base, const ncz_hdf5_type **out)
{
    uint64_t      *kept = ncz_arena_get_n(p->arena, rank, sizeof *kept);
    ncz_hdf5_type *t = ncz_arena_get(p->arena, sizeof *t);
    uint64_t       size = base->size;

    if (kept == NULL || t == NULL)
        return ncz_fail_nomem(sizeof *t);
    for (unsigned d = 0; d < rank; d++) {
        kept[d] = shape[d];
        if (!ncz_mul64(size, shape[d], &size) || size == 0 || size > UINT32_MAX)
            return refuse_type(p, "a field that is an array has no size");
    }
    *t = (ncz_hdf5_type){.class = NCZ_HDF5_ARRAY, .size = (size_t)size, .committed = NCZ_HDF5_NONE};
    t->base = base;
    t->rank = rank;
    t->shape = kept;
    *out = t;
    return NC_NOERR;
}

/* A name, an offset, in version 1 dimensions, a type. From version 3 on the offset has as many bytes as the compound's
 * size needs. */
static int
parse_field(parser *p, const head *h, const ncz_hdf5_type *whole, unsigned depth, ncz_hdf5_member *out)
{
    uint64_t       shape[4];
    unsigned       rank = 0;
    ncz_hdf5_type *type;
    int            rc;

    *out = (ncz_hdf5_member){.name = NULL};
    if ((rc = take_name(p, h->version < 3, &out->name)) != NC_NOERR)
        return rc;
    out->offset = (size_t)ncz_hdf5_uint(&p->at, h->version < 3 ? 4 : ncz_hdf5_bytes(whole->size));
    if (h->version == 1) {
        rank = ncz_cursor_u8(&p->at);
        (void)ncz_cursor_bytes(&p->at, 3 + 4 + 4); /* reserved, a permutation of dimensions, reserved */
        for (unsigned d = 0; d < 4; d++)
            shape[d] = ncz_cursor_u32le(&p->at);
        if (rank > 4)
            return refuse_type(p, "a field has more than four dimensions");
    }
    if ((rc = parse_type(p, depth + 1, &type)) != NC_NOERR)
        return rc;
    out->type = type;
    if (rank > 0 && (rc = wrap_field(p, rank, shape, type, &out->type)) != NC_NOERR)
        return rc;
    if (out->offset > whole->size || out->type->size > whole->size - out->offset)
        return refuse_type(p, "a field does not lie within its compound");
    return NC_NOERR;
}

/* Bits 0 to 15 are the number of fields. */
static int
parse_compound(parser *p, const head *h, unsigned depth, ncz_hdf5_type *t)
{
    size_t           n = h->bits & 0xffff;
    ncz_hdf5_member *v;
    int              rc;

    if (n == 0 || n > p->at.len - p->at.pos)
        return refuse_type(p, "a compound has no fields, or more than bytes");
    if ((v = ncz_arena_get_n(p->arena, n, sizeof *v)) == NULL)
        return ncz_fail_nomem(n * sizeof *v);
    t->members = v;
    for (; t->nmembers < n; t->nmembers++)
        if ((rc = parse_field(p, h, t, depth, &v[t->nmembers])) != NC_NOERR)
            return rc;
    return NC_NOERR;
}

static int
parse_base(parser *p, unsigned depth, ncz_hdf5_type *t)
{
    ncz_hdf5_type *base;
    int            rc = parse_type(p, depth + 1, &base);

    if (rc == NC_NOERR)
        t->base = base;
    return rc;
}

/* Bits 0 to 15 are the number of names. The base type, all names, all values. */
static int
parse_enum(parser *p, const head *h, unsigned depth, ncz_hdf5_type *t)
{
    size_t               n = h->bits & 0xffff;
    const unsigned char *values;
    unsigned char       *kept;
    ncz_hdf5_member     *v;
    int                  rc = parse_base(p, depth, t);

    if (rc != NC_NOERR)
        return rc;
    if (t->base->class != NCZ_HDF5_INTEGER || t->base->size != t->size || n > p->at.len - p->at.pos)
        return refuse_type(p, "an enum is not of an integer of its size, or has more names than bytes");
    if ((v = ncz_arena_get_n(p->arena, n, sizeof *v)) == NULL)
        return ncz_fail_nomem(n * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        v[i] = (ncz_hdf5_member){.name = NULL};
        if ((rc = take_name(p, h->version < 3, &v[i].name)) != NC_NOERR)
            return rc;
    }
    if (t->size > SIZE_MAX / (n + 1) || (values = ncz_cursor_bytes(&p->at, n * t->size)) == NULL)
        return refuse_type(p, "an enum has fewer values than names");
    if ((kept = ncz_arena_get(p->arena, n * t->size)) == NULL)
        return ncz_fail_nomem(n * t->size);
    memcpy(kept, values, n * t->size);
    for (size_t i = 0; i < n; i++)
        v[i].value = kept + i * t->size;
    t->members = v;
    t->nmembers = n;
    return NC_NOERR;
}

/* The rank, the lengths, before version 3 a permutation of the dimensions; then the base type. */
static int
parse_array(parser *p, const head *h, unsigned depth, ncz_hdf5_type *t)
{
    unsigned rank = ncz_cursor_u8(&p->at);
    uint64_t size = 1, *shape;
    int      rc;

    if (h->version < 3)
        (void)ncz_cursor_bytes(&p->at, 3);
    if (!p->at.good || rank == 0 || rank > NCZ_HDF5_MAX_RANK)
        return refuse_type(p, "an array has no dimensions, or too many");
    if ((shape = ncz_arena_get_n(p->arena, rank, sizeof *shape)) == NULL)
        return ncz_fail_nomem(rank * sizeof *shape);
    for (unsigned d = 0; d < rank; d++)
        shape[d] = ncz_cursor_u32le(&p->at);
    if (h->version < 3)
        (void)ncz_cursor_bytes(&p->at, (size_t)4 * rank);
    if ((rc = parse_base(p, depth, t)) != NC_NOERR)
        return rc;
    for (unsigned d = 0; d < rank; d++)
        if (!ncz_mul64(size, shape[d], &size))
            return refuse_type(p, "an array has too many elements");
    if (!ncz_mul64(size, t->base->size, &size) || size != t->size)
        return refuse_type(p, "an array has another size than its elements");
    t->rank = rank;
    t->shape = shape;
    return NC_NOERR;
}

/* What the 24 bits mean for the other classes: of integers 3 is the sign; of strings 0 to 3 are the padding, 4 to 7 the
 * character set; of references 0 to 3 are the kind; of elements of variable length 0 to 3 say whether they are strings,
 * and padding and character set follow. */
static int
parse_properties(parser *p, const head *h, unsigned depth, ncz_hdf5_type *t)
{
    switch (t->class) {
    case NCZ_HDF5_INTEGER:
    case NCZ_HDF5_BITFIELD:
        take_bit_range(p, h->bits, t);
        t->is_signed = (h->bits & 8) != 0;
        return check_bit_range(p, t);
    case NCZ_HDF5_FLOAT: return parse_float(p, h->bits, t);
    case NCZ_HDF5_TIME:
        t->order = (h->bits & 1) != 0 ? NCZ_HDF5_BIG : NCZ_HDF5_LITTLE;
        t->precision = ncz_cursor_u16le(&p->at);
        return NC_NOERR;
    case NCZ_HDF5_STRING:
        t->padding = (h->bits & 15) <= 2 ? (ncz_hdf5_padding)(h->bits & 15) : NCZ_HDF5_NULPAD;
        t->utf8 = (h->bits >> 4 & 15) == 1;
        return NC_NOERR;
    case NCZ_HDF5_OPAQUE: return parse_opaque(p, h->bits, t);
    case NCZ_HDF5_COMPOUND: return parse_compound(p, h, depth, t);
    case NCZ_HDF5_REFERENCE: t->reference = h->bits & 15; return NC_NOERR;
    case NCZ_HDF5_ENUM: return parse_enum(p, h, depth, t);
    case NCZ_HDF5_VLEN:
        t->is_string = (h->bits & 15) == 1;
        t->padding = (h->bits >> 4 & 15) <= 2 ? (ncz_hdf5_padding)(h->bits >> 4 & 15) : NCZ_HDF5_NULPAD;
        t->utf8 = (h->bits >> 8 & 15) == 1;
        if (t->size != (size_t)8 + p->f->offset_size)
            return refuse_type(p, "an element of variable length has another size than the place of its bytes");
        if ((h->bits & 15) > 1)
            return refuse_type(p, "an element of variable length is neither a sequence nor a string");
        return parse_base(p, depth, t);
    case NCZ_HDF5_ARRAY: return parse_array(p, h, depth, t);
    default: return parse_base(p, depth, t); /* complex: two of them */
    }
}

static int
parse_type(parser *p, unsigned depth, ncz_hdf5_type **out)
{
    unsigned       first = ncz_cursor_u8(&p->at), class = first & 15;
    head           h = {.version = first >> 4, .bits = (uint32_t)ncz_hdf5_uint(&p->at, 3)};
    size_t         size = ncz_cursor_u32le(&p->at);
    ncz_hdf5_type *t;
    int            rc;

    if (!p->at.good)
        return ncz_hdf5_truncated(WHAT, p->addr);
    if (depth > NCZ_HDF5_TYPE_DEPTH)
        return refuse_type(p, "it is nested too deep");
    if (h.version < 1 || h.version > 5 || class >= NCZ_HDF5_CLASSES)
        return ncz_fail(NC_ENOTBUILT, WHAT " at address %" PRIu64 " has version %u and class %u, which are not known",
                        p->addr, h.version, class);
    if (size == 0)
        return refuse_type(p, "it has no size");
    if ((t = ncz_arena_get(p->arena, sizeof *t)) == NULL)
        return ncz_fail_nomem(sizeof *t);
    *t = (ncz_hdf5_type){.class = (ncz_hdf5_class) class, .size = size, .committed = NCZ_HDF5_NONE};
    if ((rc = parse_properties(p, &h, depth, t)) != NC_NOERR)
        return rc;
    if (!p->at.good)
        return ncz_hdf5_truncated(WHAT, p->addr);
    *out = t;
    return NC_NOERR;
}

int
ncz_hdf5_type_parse(const ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_type **out)
{
    parser p = {.f = f, .at = ncz_cursor_at(m->data, m->len), .addr = m->addr, .arena = arena};

    return parse_type(&p, 0, out);
}

/* A type of another object, which is read once. */
static int
read_committed(ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_types *known, ncz_hdf5_type **out)
{
    ncz_hdf5_message own = *m;
    ncz_arena        header = NCZ_ARENA_INIT;
    uint64_t         home = NCZ_HDF5_NONE;
    int              rc;

    if ((rc = ncz_hdf5_message_home(f, m, &home)) != NC_NOERR)
        return rc;
    for (size_t i = 0; known != NULL && i < known->n && i < NCZ_HDF5_TYPES; i++)
        if (known->v[i]->committed == home) {
            *out = known->v[i];
            return NC_NOERR;
        }
    if ((rc = ncz_hdf5_message_resolve(f, &header, &own)) == NC_NOERR)
        rc = ncz_hdf5_type_parse(f, &own, arena, out);
    ncz_arena_clear(&header);
    if (rc != NC_NOERR)
        return rc;
    (*out)->committed = home;
    if (known != NULL)
        known->v[known->n++ % NCZ_HDF5_TYPES] = *out;
    return NC_NOERR;
}

int
ncz_hdf5_type_read(ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_types *known,
                   ncz_hdf5_type **out)
{
    return m->shared ? read_committed(f, m, arena, known, out) : ncz_hdf5_type_parse(f, m, arena, out);
}
