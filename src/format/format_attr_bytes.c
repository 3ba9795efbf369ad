/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts of attributes that are not UTF-8. A document with such bytes is no JSON, and other readers do not open it. So
 * the value has the character of Latin-1 in the place of each byte that is part of no character (ncz_jsonw_str()),
 * which is what such texts mostly are. Beside the types a record has the true bytes, in base64; pure Zarr has no place
 * for it. A record that does not give the text that is there, since another program has changed it, does not count.
 */
#include "format/format_int.h"

#include <string.h>

static bool
is_text(const char *s)
{
    return s == NULL || ncz_utf8_valid(s, strlen(s));
}

bool
ncz_format_att_is_bytes(const ncz_att *a)
{
    if (a->raw != NULL || a->len == 0)
        return false;
    if (a->type->class == NCZ_TYPE_CHAR)
        return !ncz_utf8_valid(a->data, a->len);
    for (size_t i = 0; a->type->class == NCZ_TYPE_STRING && i < a->len; i++)
        if (!is_text(((char *const *)a->data)[i]))
            return true;
    return false;
}

static size_t
without_nuls(const char *s, size_t len)
{
    while (len > 0 && s[len - 1] == '\0')
        len--;
    return len;
}

/* The bytes of one record, in the arena, where they give `text`; else *out is NULL. NULs at the end are not in it. */
static int
decode(ncz_arena *arena, const ncz_json *record, const char *text, size_t len, char **out, size_t *nbytes)
{
    ncz_buf     shown = NCZ_BUF_INIT;
    size_t      n = 0, at;
    const char *code = ncz_json_str(record, &n);
    char       *bytes;
    int         rc;

    *out = NULL;
    if (code == NULL || n == 0 || n % 4 != 0)
        return NC_NOERR;
    *nbytes = ncz_base64_bytes(code, n);
    if ((bytes = ncz_arena_get(arena, *nbytes + 1)) == NULL)
        return ncz_fail_nomem(*nbytes);
    if (!ncz_base64_get(code, n, bytes, &at))
        return NC_NOERR;
    bytes[*nbytes] = '\0';
    rc = ncz_utf8_mend(bytes, without_nuls(bytes, *nbytes), &shown);
    if (rc == NC_NOERR && shown.len == without_nuls(text, len) && memcmp(shown.data, text, shown.len) == 0)
        *out = bytes;
    ncz_buf_clear(&shown);
    return rc;
}

int
ncz_format_take_bytes(ncz_arena *arena, const ncz_json *record, const ncz_type *type, size_t *len, void **data,
                      bool *taken)
{
    char  *bytes = NULL, **strings = *data;
    size_t nbytes = 0;
    int    rc = NC_NOERR;

    *taken = false;
    if (type->class == NCZ_TYPE_CHAR) {
        rc = decode(arena, record, *data, *len, &bytes, &nbytes);
        if (rc == NC_NOERR && bytes != NULL) {
            *data = bytes;
            *len = nbytes;
            *taken = true;
        }
        return rc;
    }
    for (size_t i = 0; type->class == NCZ_TYPE_STRING && i < *len && rc == NC_NOERR; i++) {
        const char *s = strings[i];

        rc = s != NULL ? decode(arena, ncz_json_at(record, i), s, strlen(s), &bytes, &nbytes) : NC_NOERR;
        if (rc == NC_NOERR && s != NULL && bytes != NULL) {
            strings[i] = bytes;
            *taken = true;
        }
    }
    return rc;
}
