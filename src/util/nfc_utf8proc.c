/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unicode NFC through utf8proc, with ncz_alloc() for its memory.
 */
#include "util/util.h"

#include <string.h>
#include <utf8proc.h>

#define NFC_OPTIONS (UTF8PROC_STABLE | UTF8PROC_COMPOSE)

/* utf8proc turns the code points into UTF-8 in place: it wants room for one more after them. */
static int
normalise_string(const char *s, size_t len, char **out)
{
    const utf8proc_uint8_t *in = (const utf8proc_uint8_t *)s;
    utf8proc_ssize_t        n = utf8proc_decompose(in, (utf8proc_ssize_t)len, NULL, 0, NFC_OPTIONS);
    utf8proc_int32_t       *points;
    char                   *text;
    int                     rc = NC_NOERR;

    if (n < 0)
        return ncz_fail(NC_EBADNAME, "name cannot be normalised: %s", utf8proc_errmsg(n));
    if ((points = ncz_alloc_n((size_t)n + 1, sizeof *points)) == NULL)
        return ncz_fail_nomem(((size_t)n + 1) * sizeof *points);

    n = utf8proc_decompose(in, (utf8proc_ssize_t)len, points, n, NFC_OPTIONS);
    if (n >= 0)
        n = utf8proc_reencode(points, n, NFC_OPTIONS);
    if (n < 0)
        rc = ncz_fail(NC_EBADNAME, "name cannot be normalised: %s", utf8proc_errmsg(n));
    else if ((text = ncz_strndup((const char *)points, (size_t)n)) == NULL)
        rc = ncz_fail_nomem((size_t)n + 1);
    else
        *out = text;
    ncz_free(points);
    return rc;
}

int
ncz_nfc(const char *s, char **out)
{
    size_t len = strlen(s);
    char  *copy;

    if (!ncz_is_ascii(s, len))
        return ncz_utf8_valid(s, len) ? normalise_string(s, len, out) : ncz_fail(NC_EBADNAME, "name is not UTF-8");
    if ((copy = ncz_strndup(s, len)) == NULL)
        return ncz_fail_nomem(len + 1);
    *out = copy;
    return NC_NOERR;
}

bool
ncz_has_nfc(void)
{
    return true;
}
