/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill values: the old message (IV.A.2.e) has the value alone, the other (IV.A.2.f) says whether there is one. */
#include "hdf5/hdf5_int.h"

#define WHAT "the fill value of the object"

enum { FLAG_UNDEFINED = 16, FLAG_DEFINED = 32, WHEN_WRITTEN = 2 /* the bits from there on */ }; /* of version 3 */
enum { NEVER_WRITTEN = 1 };

static int
take_value(ncz_cursor *c, uint64_t addr, ncz_hdf5_fill *out)
{
    ncz_hdf5_fill fill = {.state = NCZ_HDF5_FILL_USER, .len = ncz_cursor_u32le(c)};

    if (c->good && fill.len == UINT32_MAX) /* a negative size: undefined */
        fill = (ncz_hdf5_fill){.state = NCZ_HDF5_FILL_UNDEFINED};
    else if (c->good && fill.len == 0)
        fill.state = NCZ_HDF5_FILL_DEFAULT;
    else
        fill.value = ncz_cursor_bytes(c, fill.len);
    if (!c->good)
        return ncz_hdf5_truncated(WHAT, addr);
    *out = fill;
    return NC_NOERR;
}

int
ncz_hdf5_fill_parse(const ncz_hdf5_message *m, ncz_hdf5_fill *out)
{
    ncz_cursor c = ncz_cursor_at(m->data, m->len);
    unsigned   version, flags, when;
    bool       defined;
    int        rc;

    if (m->type == NCZ_HDF5_MSG_OLD_FILL)
        return take_value(&c, m->addr, out);
    version = ncz_cursor_u8(&c);
    if (version == 3) {
        flags = ncz_cursor_u8(&c);
        defined = (flags & FLAG_DEFINED) != 0;
        when = flags >> WHEN_WRITTEN & 3;
        *out =
            (ncz_hdf5_fill){.state = (flags & FLAG_UNDEFINED) != 0 ? NCZ_HDF5_FILL_UNDEFINED : NCZ_HDF5_FILL_DEFAULT};
    } else {
        (void)ncz_cursor_u8(&c); /* when space is taken */
        when = ncz_cursor_u8(&c);
        defined = ncz_cursor_u8(&c) != 0;
        *out = (ncz_hdf5_fill){.state = defined ? NCZ_HDF5_FILL_DEFAULT : NCZ_HDF5_FILL_UNDEFINED};
        defined = defined || version == 1; /* version 1 has the size in any case */
    }
    if (!c.good)
        return ncz_hdf5_truncated(WHAT, m->addr);
    if (version < 1 || version > 3)
        return ncz_fail(NC_ENOTBUILT, WHAT " at address %" PRIu64 " has version %u; 1 to 3 are known", m->addr,
                        version);
    if ((rc = defined ? take_value(&c, m->addr, out) : NC_NOERR) == NC_NOERR)
        out->never = when == NEVER_WRITTEN;
    return rc;
}
