/* SPDX-License-Identifier: BSD-3-Clause */
/* Dataspaces (IV.A.2.b): the shape of an array, and how far it may grow. */
#include "hdf5/hdf5_int.h"

#define WHAT "the dataspace of the object"

enum { FLAG_MOST = 1, FLAG_PERMUTED = 2 };

static int
take_shape(const ncz_hdf5 *f, ncz_cursor *c, unsigned flags, uint64_t addr, ncz_hdf5_space *s)
{
    for (unsigned d = 0; d < s->rank; d++)
        s->shape[d] = ncz_hdf5_length(f, c);
    for (unsigned d = 0; d < s->rank; d++)
        s->most[d] = (flags & FLAG_MOST) != 0 ? ncz_hdf5_length(f, c) : s->shape[d];
    if (!c->good)
        return ncz_hdf5_truncated(WHAT, addr);
    for (unsigned d = 0; d < s->rank; d++)
        if (s->shape[d] > INT64_MAX || s->most[d] < s->shape[d])
            return ncz_fail(NC_EHDFERR,
                            WHAT " at address %" PRIu64 " has the length %" PRIu64 ", at most %" PRIu64
                                 ", in dimension %u",
                            addr, s->shape[d], s->most[d], d);
    return NC_NOERR;
}

int
ncz_hdf5_space_parse(const ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_hdf5_space *out)
{
    ncz_cursor c = ncz_cursor_at(m->data, m->len);
    unsigned   version = ncz_cursor_u8(&c), rank = ncz_cursor_u8(&c), flags = ncz_cursor_u8(&c), kind;

    if (version == 1) {
        (void)ncz_cursor_bytes(&c, 5); /* reserved */
        kind = rank == 0 ? 0 : 1;
    } else {
        kind = ncz_cursor_u8(&c);
    }
    if (!c.good)
        return ncz_hdf5_truncated(WHAT, m->addr);
    if (version < 1 || version > 2 || (version == 1 && (flags & FLAG_PERMUTED) != 0))
        return ncz_fail(NC_ENOTBUILT, WHAT " at address %" PRIu64 " has version %u and flags %u", m->addr, version,
                        flags);
    if (kind > 2 || rank > NCZ_HDF5_MAX_RANK || (kind != 1 && rank != 0))
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has kind %u and %u dimensions", m->addr, kind,
                        rank);
    out->kind = kind == 0 ? NCZ_HDF5_SCALAR : kind == 1 ? NCZ_HDF5_SIMPLE : NCZ_HDF5_NULL;
    out->rank = rank;
    return take_shape(f, &c, flags, m->addr, out);
}

bool
ncz_hdf5_count_elements(const ncz_hdf5_shape *s, uint64_t *nelems)
{
    uint64_t n = s->kind == NCZ_HDF5_NULL ? 0 : 1;

    for (unsigned d = 0; d < s->rank; d++)
        if (s->shape[d] == 0) {
            *nelems = 0;
            return true;
        }
    for (unsigned d = 0; d < s->rank; d++)
        if (!ncz_mul64(n, s->shape[d], &n))
            return false;
    *nelems = n;
    return true;
}
