/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Built without utf8proc: names are not normalised, so that two encodings of one character are two names.
 */
#include "util/util.h"

#include <string.h>

int
ncz_nfc(const char *s, char **out)
{
    size_t len = strlen(s);
    char  *copy;

    if (!ncz_utf8_valid(s, len))
        return ncz_fail(NC_EBADNAME, "name is not UTF-8");
    if ((copy = ncz_strndup(s, len)) == NULL)
        return ncz_fail_nomem(len + 1);
    *out = copy;
    return NC_NOERR;
}

bool
ncz_has_nfc(void)
{
    return false;
}
