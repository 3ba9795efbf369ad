/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of object headers (IV.A.2) but types: what they cannot say is refused, what they can is put. */
#include "hdf5/hdf5_write_int.h"

#include <string.h>

enum {
    SPACE_HAS_MOST = 1,
    /* of a fill message: when room is taken, whether the value is written then, and whether there is one */
    TAKEN_EARLY = 1,
    TAKEN_LATE = 2,
    TAKEN_BY_CHUNK = 3,
    WRITTEN_NEVER = 1 << 2,
    WRITTEN_IF_SET = 2 << 2,
    FILL_UNDEFINED = 16,
    FILL_DEFINED = 32,
    FILTER_OPTIONAL = 1,
    FIRST_FOREIGN = 256, /* the first number of a filter that has a name */
    LAYOUT_HEAD = 4,     /* of compact data: version, class, length 2 */
    /* of a link message; two bits n: the length of the name has 2^n bytes */
    LINK_ORDER = 4,
    LINK_KIND = 8,
    LINK_CHARSET = 16,
    LINK_SOFT = 1,
    CHARSET_UTF8 = 1,
};

/* Type, length, flags, and the order of creation where the header tracks it (IV.A.1.b). */
void
ncz_hdf5_message_head(unsigned type, size_t len, unsigned flags, bool tracked, unsigned order, ncz_hdf5_out *o)
{
    ncz_hdf5_out_uint(o, type, 1);
    ncz_hdf5_out_uint(o, len, 2);
    ncz_hdf5_out_uint(o, flags, 1);
    if (tracked)
        ncz_hdf5_out_uint(o, order, 2);
}

/* ---- dataspaces (IV.A.2.b), version 2 ---- */

void
ncz_hdf5_space_put(const ncz_hdf5_shape *s, ncz_hdf5_out *o)
{
    unsigned kind = s->kind == NCZ_HDF5_SCALAR ? 0 : s->kind == NCZ_HDF5_SIMPLE ? 1 : 2;

    ncz_hdf5_out_uint(o, 2, 1);
    ncz_hdf5_out_uint(o, s->rank, 1);
    ncz_hdf5_out_uint(o, s->rank > 0 ? SPACE_HAS_MOST : 0, 1);
    ncz_hdf5_out_uint(o, kind, 1);
    for (unsigned d = 0; d < s->rank; d++)
        ncz_hdf5_out_uint(o, s->shape[d], 8);
    for (unsigned d = 0; d < s->rank; d++)
        ncz_hdf5_out_uint(o, s->most[d], 8);
}

/* ---- fill values (IV.A.2.f), version 3 ---- */

void
ncz_hdf5_fill_put(const ncz_hdf5_fill *f, ncz_hdf5_layout_kind kind, ncz_hdf5_out *o)
{
    unsigned flags = kind == NCZ_HDF5_COMPACT      ? TAKEN_EARLY
                     : kind == NCZ_HDF5_CONTIGUOUS ? TAKEN_LATE
                                                   : TAKEN_BY_CHUNK;

    flags |= f->never ? WRITTEN_NEVER : WRITTEN_IF_SET;
    if (f->state == NCZ_HDF5_FILL_UNDEFINED)
        flags |= FILL_UNDEFINED;
    if (f->state == NCZ_HDF5_FILL_USER)
        flags |= FILL_DEFINED;
    ncz_hdf5_out_uint(o, 3, 1);
    ncz_hdf5_out_uint(o, flags, 1);
    if (f->state == NCZ_HDF5_FILL_USER)
        ncz_hdf5_out_uint(o, f->len, 4);
}

/* ---- filters (IV.A.2.l), version 2 ---- */

static size_t
filter_name_bytes(const ncz_hdf5_filter *f)
{
    return f->name == NULL || f->name[0] == 0 ? 0 : (strlen(f->name) + 8) / 8 * 8;
}

int
ncz_hdf5_filters_check(const ncz_hdf5_filter *v, size_t n)
{
    if (n > NCZ_HDF5_FILTERS)
        return ncz_fail(NC_EFILTER, "%zu filters; HDF5 has at most %d for a dataset", n, NCZ_HDF5_FILTERS);
    for (size_t i = 0; i < n; i++)
        if (v[i].id > UINT16_MAX || v[i].nvalues > UINT16_MAX || filter_name_bytes(&v[i]) > UINT16_MAX)
            return ncz_fail(NC_EFILTER, "filter %u with %zu parameters cannot be said in an HDF5 file", v[i].id,
                            v[i].nvalues);
    return NC_NOERR;
}

void
ncz_hdf5_filters_put(const ncz_hdf5_filter *v, size_t n, ncz_hdf5_out *o)
{
    ncz_hdf5_out_uint(o, 2, 1);
    ncz_hdf5_out_uint(o, n, 1);
    for (size_t i = 0; i < n; i++) {
        size_t name = v[i].id >= FIRST_FOREIGN ? filter_name_bytes(&v[i]) : 0, len = name > 0 ? strlen(v[i].name) : 0;

        ncz_hdf5_out_uint(o, v[i].id, 2);
        if (v[i].id >= FIRST_FOREIGN)
            ncz_hdf5_out_uint(o, name, 2);
        ncz_hdf5_out_uint(o, v[i].optional ? FILTER_OPTIONAL : 0, 2);
        ncz_hdf5_out_uint(o, v[i].nvalues, 2);
        ncz_hdf5_out_bytes(o, v[i].name, len);
        ncz_hdf5_out_zeros(o, name - len);
        for (size_t k = 0; k < v[i].nvalues; k++)
            ncz_hdf5_out_uint(o, v[i].values[k], 4);
    }
}

/* ---- layouts (IV.A.2.i), version 3; later ones are taken over ---- */

static bool
is_taken_over(const ncz_hdf5_layout *l)
{
    return l->version > 3 && l->kind != NCZ_HDF5_COMPACT && l->kind != NCZ_HDF5_CONTIGUOUS;
}

static int
check_chunk(const ncz_hdf5_object *o)
{
    const ncz_hdf5_layout *l = &o->layout;
    uint64_t               nbytes = o->type->size;

    if (l->rank == 0 || l->rank >= NCZ_HDF5_MAX_RANK + 1 || l->rank != o->space.rank || l->element != o->type->size)
        return ncz_fail(NC_EBADCHUNK, "chunks of %u dimensions and elements of %zu bytes, of an array of %u and %zu",
                        l->rank, l->element, o->space.rank, o->type->size);
    for (unsigned d = 0; d < l->rank; d++)
        if (l->chunk[d] == 0 || l->chunk[d] > UINT32_MAX || !ncz_mul64(nbytes, l->chunk[d], &nbytes) ||
            nbytes > UINT32_MAX)
            return ncz_fail(NC_EBADCHUNK,
                            "a chunk of more than 4 GiB, or of none: its length is %" PRIu64
                            " in dimension %u; HDF5's have 1 byte to 4 GiB",
                            l->chunk[d], d);
    return NC_NOERR;
}

int
ncz_hdf5_layout_check(const ncz_hdf5_object *o)
{
    const ncz_hdf5_layout  *l = &o->layout;
    const ncz_hdf5_message *raw;

    if (is_taken_over(l) || l->kind == NCZ_HDF5_VIRTUAL) {
        raw = ncz_hdf5_message_find(o->messages, o->nmessages, NCZ_HDF5_MSG_LAYOUT);
        if (raw == NULL || raw->shared)
            return ncz_fail(NC_ENOTBUILT, "layouts of version %u are not written", l->version);
        return NC_NOERR;
    }
    if (o->external)
        return ncz_fail(NC_ENOTBUILT, "datasets whose data are in other files are not written");
    if (l->kind == NCZ_HDF5_COMPACT && l->size > NCZ_HDF5_MESSAGE_MOST - LAYOUT_HEAD)
        return ncz_fail(NC_EBADCHUNK,
                        "%" PRIu64 " bytes are too many for compact storage, which has at most %d; "
                        "make it contiguous or chunked",
                        l->size, NCZ_HDF5_MESSAGE_MOST - LAYOUT_HEAD);
    return l->kind == NCZ_HDF5_CHUNKED ? check_chunk(o) : NC_NOERR;
}

/* The class, and what it makes of the rest. Behind the lengths of a chunk is that of an element. */
void
ncz_hdf5_layout_put(const ncz_hdf5_object *dataset, ncz_hdf5_out *o)
{
    const ncz_hdf5_layout *l = &dataset->layout;

    if (is_taken_over(l) || l->kind == NCZ_HDF5_VIRTUAL) {
        const ncz_hdf5_message *raw =
            ncz_hdf5_message_find(dataset->messages, dataset->nmessages, NCZ_HDF5_MSG_LAYOUT);

        ncz_hdf5_out_bytes(o, raw->data, raw->len);
        return;
    }
    ncz_hdf5_out_uint(o, 3, 1);
    switch (l->kind) {
    case NCZ_HDF5_COMPACT:
        ncz_hdf5_out_uint(o, 0, 1);
        ncz_hdf5_out_uint(o, l->size, 2);
        ncz_hdf5_out_bytes(o, l->data, (size_t)l->size);
        break;
    case NCZ_HDF5_CONTIGUOUS:
        ncz_hdf5_out_uint(o, 1, 1);
        ncz_hdf5_out_uint(o, l->addr, 8);
        ncz_hdf5_out_uint(o, l->size, 8);
        break;
    default:
        ncz_hdf5_out_uint(o, 2, 1);
        ncz_hdf5_out_uint(o, l->rank + 1, 1);
        ncz_hdf5_out_uint(o, l->addr, 8);
        for (unsigned d = 0; d < l->rank; d++)
            ncz_hdf5_out_uint(o, l->chunk[d], 4);
        ncz_hdf5_out_uint(o, l->element, 4);
    }
}

/* ---- links (IV.A.2.g), version 1 ---- */

int
ncz_hdf5_link_check(const ncz_hdf5_link *l)
{
    size_t path = l->kind == NCZ_HDF5_SOFT ? strlen(l->path) : 0, all = strlen(l->name) + path;

    if (l->kind != NCZ_HDF5_HARD && l->kind != NCZ_HDF5_SOFT)
        return ncz_fail(NC_ENOTBUILT, "%s: links that lead to another file, or are an application's, are not written",
                        l->name);
    if (l->name[0] == 0 || all > NCZ_HDF5_ATTRIBUTE_MOST)
        return ncz_fail(NC_EBADNAME, "%.80s: a link with %zu bytes of name and path; HDF5's have at most %d", l->name,
                        all, NCZ_HDF5_ATTRIBUTE_MOST);
    return NC_NOERR;
}

void
ncz_hdf5_link_put(const ncz_hdf5_link *l, uint64_t addr, ncz_hdf5_out *o)
{
    size_t   len = strlen(l->name);
    unsigned width = len > UINT8_MAX ? 1 : 0, flags = width;
    bool     ascii = ncz_is_ascii(l->name, len);

    flags |=
        (l->order >= 0 ? LINK_ORDER : 0) | (l->kind == NCZ_HDF5_SOFT ? LINK_KIND : 0) | (ascii ? 0 : LINK_CHARSET);
    ncz_hdf5_out_uint(o, 1, 1);
    ncz_hdf5_out_uint(o, flags, 1);
    if (l->kind == NCZ_HDF5_SOFT)
        ncz_hdf5_out_uint(o, LINK_SOFT, 1);
    if (l->order >= 0)
        ncz_hdf5_out_uint(o, (uint64_t)l->order, 8);
    if (!ascii)
        ncz_hdf5_out_uint(o, CHARSET_UTF8, 1);
    ncz_hdf5_out_uint(o, len, 1u << width);
    ncz_hdf5_out_bytes(o, l->name, len);
    if (l->kind == NCZ_HDF5_SOFT) {
        ncz_hdf5_out_uint(o, strlen(l->path), 2);
        ncz_hdf5_out_bytes(o, l->path, strlen(l->path));
    } else {
        ncz_hdf5_out_uint(o, addr, 8);
    }
}

/* ---- attributes (IV.A.2.m), version 3 ---- */

int
ncz_hdf5_attribute_check(const ncz_hdf5_attribute *a)
{
    ncz_hdf5_out type = {.bytes = NULL};
    uint64_t     nbytes;
    int          rc;

    if (a->lost != NULL)
        return ncz_fail(NC_EHDFERR, "attribute %s cannot be read, so it cannot be written: %s", a->name, a->lost);
    if (strlen(a->name) >= UINT16_MAX)
        return ncz_fail(NC_EMAXNAME, "%.80s: the name of an attribute has %zu bytes", a->name, strlen(a->name));
    if ((rc = ncz_hdf5_type_check(a->type, a->name)) != NC_NOERR)
        return rc;
    ncz_hdf5_type_put(a->type, &type);
    if (type.n > UINT16_MAX)
        return ncz_fail(NC_EBADTYPE,
                        "attribute %s: HDF5 cannot say its type, whose description has %" PRIu64 " bytes", a->name,
                        type.n);
    /* Without a dataspace libhdf5 writes one element, too. */
    if (!ncz_hdf5_count_elements(&a->space, &nbytes) || !ncz_mul64(nbytes, a->type->size, &nbytes) ||
        (nbytes != a->len && (a->space.kind != NCZ_HDF5_NULL || a->len != a->type->size)) || a->len > UINT32_MAX)
        return ncz_fail(NC_EINVAL, "attribute %s: %zu bytes are not those of its elements, or too many", a->name,
                        a->len);
    return NC_NOERR;
}

/* Flags, the lengths of name, type and dataspace, a character set, which netCDF-C leaves 0; then these, and the
 * values. */
void
ncz_hdf5_attribute_put(const ncz_hdf5_attribute *a, ncz_hdf5_out *o)
{
    size_t   name = strlen(a->name) + 1;
    uint64_t at, from;

    ncz_hdf5_out_uint(o, 3, 1);
    ncz_hdf5_out_uint(o, 0, 1);
    ncz_hdf5_out_uint(o, name, 2);
    at = o->n;
    ncz_hdf5_out_zeros(o, 2 + 2 + 1);
    ncz_hdf5_out_bytes(o, a->name, name);
    from = o->n;
    ncz_hdf5_type_put(a->type, o);
    ncz_hdf5_out_set(o, at, o->n - from, 2);
    from = o->n;
    ncz_hdf5_space_put(&a->space, o);
    ncz_hdf5_out_set(o, at + 2, o->n - from, 2);
    ncz_hdf5_out_bytes(o, a->data, a->len);
}
