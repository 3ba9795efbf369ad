/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_att_typed: the typed families of attributes: nc_put_att_<type>, nc_get_att_<type>.
 */
#include "api/api_int.h"

#define PUT_ATT(name, in, out, tag)                                                                                  \
    int nc_put_att_##name(int ncid, int varid, const char *att, nc_type xtype, size_t len, in *op)                   \
    {                                                                                                                \
        return ncz_api_put_att(ncid, varid, att, xtype, len, tag, op);                                               \
    }

#define GET_ATT(name, in, out, tag)                                                                                  \
    int nc_get_att_##name(int ncid, int varid, const char *att, out *ip)                                             \
    {                                                                                                                \
        return ncz_api_get_att(ncid, varid, att, tag, ip);                                                           \
    }

NCZ_MEM_NUMBERS(PUT_ATT)
NCZ_MEM_TYPES(GET_ATT)

int
nc_put_att_text(int ncid, int varid, const char *name, size_t len, const char *op)
{
    return ncz_api_put_att(ncid, varid, name, NC_CHAR, len, NC_CHAR, op);
}

int
nc_put_att_string(int ncid, int varid, const char *name, size_t len, const char **op)
{
    return ncz_api_put_att(ncid, varid, name, NC_STRING, len, NC_STRING, op);
}
