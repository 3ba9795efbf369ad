/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names with a meaning: reserved and hidden attributes, segments of keys. Tables only; any thread.
 */
#include "format/format_int.h"

#include <string.h>

/* Attributes that hold metadata, and are never shown. */
static const char *const hidden[] = {
    NCZ_XARRAY,      "_nczarr_superblock",        "_nczarr_group",      "_nczarr_array", "_nczarr_attr",
    "_nczarr_attrs", "_nczarr_default_separator", "_NCZARR_SUPERBLOCK", "_NCZARR_GROUP", "_NCZARR_ARRAY",
    "_NCZARR_ATTR",
};

/* More names that netCDF reserves. */
static const char *const reserved[] = {
    "CLASS",
    "DIMENSION_LIST",
    "NAME",
    "REFERENCE_LIST",
    "_Codecs",
    "_Format",
    "_IsNetcdf4",
    "_NCProperties",
    "_Netcdf4Coordinates",
    "_Netcdf4Dimid",
    "_SuperblockVersion",
    "_nc3_strict",
};

static bool
is_among(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

bool
ncz_format_hidden_att(const char *name)
{
    return name[0] == '_' && is_among(name, hidden, NCZ_LEN(hidden));
}

bool
ncz_format_reserved_att(const char *name)
{
    return is_among(name, hidden, NCZ_LEN(hidden)) || is_among(name, reserved, NCZ_LEN(reserved));
}

bool
ncz_format_segment_ok(const char *name, size_t len, size_t most)
{
    if (len == 0 || len > most || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)name[i];

        if (c < 0x20 || c == 0x7f || c == '/' || c == '\\')
            return false;
    }
    return ncz_utf8_valid(name, len);
}
