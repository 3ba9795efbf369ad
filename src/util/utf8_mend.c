/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * utf8_mend: text that is not UTF-8, as UTF-8.
 */
#include "util/util.h"

int
ncz_utf8_mend(const char *s, size_t len, ncz_buf *out)
{
    const unsigned char *p = (const unsigned char *)s;
    int                  rc = ncz_buf_reserve(out, out->len + len);

    for (size_t i = 0, n; i < len && rc == NC_NOERR; i += n == 0 ? 1 : n) {
        char latin[4];

        n = ncz_utf8_measure(p + i, len - i);
        rc = n == 0 ? ncz_buf_append(out, latin, ncz_utf8_put(p[i], latin)) : ncz_buf_append(out, s + i, n);
    }
    return rc;
}
