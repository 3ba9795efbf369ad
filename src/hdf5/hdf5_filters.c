/* SPDX-License-Identifier: BSD-3-Clause */
/* The filters that a dataset's chunks go through (IV.A.2.l): their numbers and parameters. */
#include "hdf5/hdf5_int.h"

#define WHAT "the filters of the object"

enum { FLAG_OPTIONAL = 1, FIRST_FOREIGN = 256 /* smaller ones are HDF5's own, and have no name in version 2 */ };

static int
take_name(ncz_cursor *c, size_t len, bool padded, ncz_arena *arena, ncz_hdf5_filter *out)
{
    const unsigned char *name = ncz_cursor_bytes(c, padded ? (len + 7) / 8 * 8 : len);
    size_t               n = 0;

    if (name == NULL || len == 0)
        return NC_NOERR;
    while (n < len && name[n] != 0)
        n++;
    out->name = ncz_arena_text(arena, (const char *)name, n);
    return out->name != NULL ? NC_NOERR : ncz_fail_nomem(n + 1);
}

static int
take_values(ncz_cursor *c, ncz_arena *arena, ncz_hdf5_filter *out)
{
    const unsigned char *bytes = ncz_cursor_bytes(c, out->nvalues * 4);
    ncz_cursor           values = ncz_cursor_at(bytes, bytes != NULL ? out->nvalues * 4 : 0);
    uint32_t            *v = bytes != NULL ? ncz_arena_get_n(arena, out->nvalues, sizeof *v) : NULL;

    if (bytes == NULL)
        return NC_NOERR; /* the cursor says so */
    if (v == NULL)
        return ncz_fail_nomem(out->nvalues * sizeof *v);
    for (size_t i = 0; i < out->nvalues; i++)
        v[i] = ncz_cursor_u32le(&values);
    out->values = v;
    return NC_NOERR;
}

/* Version 1 has a name for each filter, padded to 8 bytes, and an even number of parameters. */
static int
take_filter(ncz_cursor *c, unsigned version, ncz_arena *arena, ncz_hdf5_filter *out)
{
    size_t   name;
    unsigned flags;
    int      rc;

    *out = (ncz_hdf5_filter){.id = ncz_cursor_u16le(c)};
    name = version == 1 || out->id >= FIRST_FOREIGN ? ncz_cursor_u16le(c) : 0;
    flags = ncz_cursor_u16le(c);
    out->optional = (flags & FLAG_OPTIONAL) != 0;
    out->nvalues = ncz_cursor_u16le(c);
    if ((rc = take_name(c, name, version == 1, arena, out)) != NC_NOERR ||
        (rc = take_values(c, arena, out)) != NC_NOERR)
        return rc;
    if (version == 1 && out->nvalues % 2 != 0)
        (void)ncz_cursor_bytes(c, 4);
    return NC_NOERR;
}

int
ncz_hdf5_filters_parse(const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_filter **out, size_t *n)
{
    ncz_cursor       c = ncz_cursor_at(m->data, m->len);
    unsigned         version = ncz_cursor_u8(&c), count = ncz_cursor_u8(&c);
    ncz_hdf5_filter *v;
    int              rc;

    if (version < 1 || version > 2)
        return ncz_fail(NC_ENOTBUILT, WHAT " at address %" PRIu64 " have version %u; 1 and 2 are known", m->addr,
                        version);
    if (version == 1)
        (void)ncz_cursor_bytes(&c, 6); /* reserved */
    if (count > NCZ_HDF5_FILTERS)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " are %u, more than %d", m->addr, count,
                        NCZ_HDF5_FILTERS);
    if ((v = ncz_arena_get_n(arena, count, sizeof *v)) == NULL)
        return ncz_fail_nomem(count * sizeof *v);
    for (unsigned i = 0; i < count && c.good; i++)
        if ((rc = take_filter(&c, version, arena, &v[i])) != NC_NOERR)
            return rc;
    if (!c.good)
        return ncz_hdf5_truncated(WHAT, m->addr);
    *out = v;
    *n = count;
    return NC_NOERR;
}
