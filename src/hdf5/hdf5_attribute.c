/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes (IV.A.2.m): one message has the name, the type, the dataspace and the values of one. */
#include "hdf5/hdf5_int.h"

#include <string.h>

#define WHAT "an attribute of the object"

enum { FLAG_TYPE_SHARED = 1, FLAG_SPACE_SHARED = 2 };

/* The parts of a message, in the order in which they follow each other; in version 1 each is padded to 8 bytes. */
typedef struct parts {
    size_t               name_len, type_len, space_len;
    const unsigned char *name, *type, *space;
    unsigned             flags;
} parts;

/* One part, with its padding. */
static const unsigned char *
take_part(ncz_cursor *c, unsigned version, size_t len)
{
    return ncz_cursor_bytes(c, version == 1 ? (len + 7) / 8 * 8 : len);
}

/* Version, flags (reserved in version 1), the lengths of the parts, in version 3 a character set; then the parts. */
static int
take_parts(ncz_cursor *c, uint64_t addr, parts *p)
{
    unsigned version = ncz_cursor_u8(c);

    p->flags = ncz_cursor_u8(c);
    p->name_len = ncz_cursor_u16le(c);
    p->type_len = ncz_cursor_u16le(c);
    p->space_len = ncz_cursor_u16le(c);
    if (version == 3)
        (void)ncz_cursor_u8(c); /* the character set: what is no UTF-8 is noticed */
    if (version == 1)
        p->flags = 0;
    p->name = take_part(c, version, p->name_len);
    p->type = take_part(c, version, p->type_len);
    p->space = take_part(c, version, p->space_len);
    if (!c->good)
        return ncz_hdf5_truncated(WHAT, addr);
    if (version < 1 || version > 3)
        return ncz_fail(NC_ENOTBUILT, WHAT " at address %" PRIu64 " has version %u; 1 to 3 are known", addr, version);
    return NC_NOERR;
}

static int
keep_shape(const ncz_hdf5_space *s, ncz_arena *arena, ncz_hdf5_shape *out)
{
    size_t    n = s->rank * sizeof(uint64_t);
    uint64_t *lengths = n > 0 ? ncz_arena_get(arena, 2 * n) : NULL;

    *out = (ncz_hdf5_shape){.kind = s->kind, .rank = s->rank};
    if (n == 0)
        return NC_NOERR;
    if (lengths == NULL)
        return ncz_fail_nomem(2 * n);
    out->shape = memcpy(lengths, s->shape, n);
    out->most = memcpy(lengths + s->rank, s->most, n);
    return NC_NOERR;
}

static int
read_space(ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_shape *out)
{
    ncz_hdf5_message own = *m;
    ncz_arena        header = NCZ_ARENA_INIT;
    ncz_hdf5_space   space;
    int              rc = m->shared ? ncz_hdf5_message_resolve(f, &header, &own) : NC_NOERR;

    if (rc == NC_NOERR && (rc = ncz_hdf5_space_parse(f, &own, &space)) == NC_NOERR)
        rc = keep_shape(&space, arena, out);
    ncz_arena_clear(&header);
    return rc;
}

/* The rest of the message: as many bytes as the dataspace has elements of the type. */
static int
take_values(ncz_cursor *c, ncz_arena *arena, uint64_t addr, ncz_hdf5_attribute *a)
{
    const unsigned char *bytes;
    unsigned char       *kept;
    uint64_t             nbytes;

    if (!ncz_hdf5_count_elements(&a->space, &nbytes) || !ncz_mul64(nbytes, a->type->size, &nbytes) ||
        nbytes > c->len - c->pos)
        return ncz_fail(NC_EHDFERR, "attribute %s of the object at address %" PRIu64 " has values beyond its end",
                        a->name, addr);
    a->len = (size_t)nbytes;
    bytes = ncz_cursor_bytes(c, a->len);
    if ((kept = ncz_arena_get(arena, a->len)) == NULL)
        return ncz_fail_nomem(a->len);
    memcpy(kept, bytes, a->len);
    a->data = kept;
    return NC_NOERR;
}

int
ncz_hdf5_attribute_parse(ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_types *known,
                         ncz_hdf5_attribute *out)
{
    ncz_cursor         c = ncz_cursor_at(m->data, m->len);
    ncz_hdf5_attribute a = {.order = m->order};
    ncz_hdf5_message   type = {.type = NCZ_HDF5_MSG_TYPE, .addr = m->addr}, space = type;
    ncz_hdf5_type     *t;
    parts              p;
    size_t             len = 0;
    int                rc;

    if ((rc = take_parts(&c, m->addr, &p)) != NC_NOERR)
        return rc;
    /* Type and dataspace are laid out as messages of a header, or say in which header they are. */
    type.data = p.type;
    type.len = p.type_len;
    type.shared = (p.flags & FLAG_TYPE_SHARED) != 0;
    space.type = NCZ_HDF5_MSG_SPACE;
    space.data = p.space;
    space.len = p.space_len;
    space.shared = (p.flags & FLAG_SPACE_SHARED) != 0;
    while (len < p.name_len && p.name[len] != 0)
        len++;
    if ((rc = ncz_hdf5_text(f, arena, p.name, len, "the name of an attribute", m->addr, &a.name)) != NC_NOERR)
        return rc;
    out->name = a.name; /* also where the rest fails */
    if ((rc = ncz_hdf5_type_read(f, &type, arena, known, &t)) != NC_NOERR ||
        (rc = read_space(f, &space, arena, &a.space)) != NC_NOERR)
        return rc;
    a.type = t;
    if ((rc = take_values(&c, arena, m->addr, &a)) == NC_NOERR)
        *out = a;
    return rc;
}
