/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names with a meaning: reserved attributes, segments of keys. Tables only; any thread.
 */
#include "format/format_int.h"

#include <string.h>

/* Names that netCDF reserves, beside those that hold metadata. */
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
    NULL,
};

static bool
is_among(const char *name, const char *const *list)
{
    while (*list != NULL && strcmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

bool
ncz_format_hidden_att(const ncz_dialect_ops *dialect, const char *name, size_t len)
{
    const ncz_word *w = dialect->traits.hidden_atts;

    if (name[0] != '_' || w == NULL)
        return false;
    while (w->text != NULL && (w->len != len || !ncz_same_bytes(w->text, name, len)))
        w++;
    return w->text != NULL;
}

bool
ncz_format_reserved_att(const ncz_dialect_ops *dialect, const char *name)
{
    return dialect->traits.hidden_atts != NULL &&
           (ncz_format_hidden_att(dialect, name, strlen(name)) || is_among(name, reserved));
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
