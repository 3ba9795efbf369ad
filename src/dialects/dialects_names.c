/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of HDF5 and HDF4 files that netCDF or Zarr cannot have, as they are shown: each byte that must not be there is
 * % and two hexadecimal digits, and so is each % of such a name. Other names are as they are, also with a %. A shown
 * name needs no change, so a copy keeps it.
 */
#include "dialects/dialects.h"

#include <string.h>

/* How many bytes the character has that begins here, if it may be in a name; else 0. */
static size_t
allowed_bytes(const char *s, bool segment)
{
    unsigned char c = (unsigned char)*s;
    size_t        n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

    if (c < 0x80)
        return !segment || (c >= 0x20 && c != 0x7f && c != '/' && c != '\\');
    for (size_t i = 1; i < n; i++)
        if (s[i] == '\0')
            return 0;
    return ncz_utf8_valid(s, n) ? n : 0;
}

/* A key's segment that is dots alone leads elsewhere. */
static bool
is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool
needs_escapes(const char *name, bool segment)
{
    size_t n;

    if (segment && is_dots(name))
        return true;
    for (const char *s = name; *s != '\0'; s += n)
        if ((n = allowed_bytes(s, segment)) == 0)
            return true;
    return false;
}

static int
escape_name(const char *name, bool segment, ncz_arena *arena, const char **out)
{
    bool    dots = segment && is_dots(name);
    ncz_buf text = NCZ_BUF_INIT;
    int     rc = NC_NOERR;

    for (const char *s = name; *s != '\0' && rc == NC_NOERR;) {
        size_t n = *s == '%' || dots ? 0 : allowed_bytes(s, segment);

        rc = n > 0 ? ncz_buf_append(&text, s, n) : ncz_buf_printf(&text, "%%%02X", (unsigned char)*s);
        s += n > 0 ? n : 1;
    }
    if (rc == NC_NOERR && (*out = ncz_arena_text(arena, text.data, text.len)) == NULL)
        rc = ncz_fail_nomem(text.len + 1);
    ncz_buf_clear(&text);
    return rc;
}

int
ncz_dialects_show_name(const char *name, bool segment, ncz_arena *arena, const char **out)
{
    const char *shown = name;
    int         rc = NC_NOERR;

    *out = name;
    if (name[0] == '\0')
        return ncz_fail(NC_EBADNAME, "it has no name, and is not shown");
    if (needs_escapes(name, segment))
        rc = escape_name(name, segment, arena, &shown);
    if (rc == NC_NOERR && strlen(shown) > NC_MAX_NAME)
        rc = ncz_fail(NC_EMAXNAME, "it is not shown: its name has %zu bytes, more than %d (NC_MAX_NAME)",
                      strlen(shown), NC_MAX_NAME);
    if (rc == NC_NOERR)
        *out = shown;
    return rc;
}
