/* SPDX-License-Identifier: BSD-3-Clause */
/* The key of a chunk from a dialect's parts of it. Any thread. */
#include "format/format_int.h"

static int
append_number(ncz_buf *key, uint64_t n)
{
    char  digits[24];
    char *p = digits + sizeof digits;

    for (;; n /= 10) {
        *--p = (char)('0' + n % 10);
        if (n < 10)
            break;
    }
    return ncz_buf_append(key, p, (size_t)(digits + sizeof digits - p));
}

int
ncz_format_locate(const ncz_spec *spec, const char *path, const char *first, char separator, const uint64_t *index,
                  ncz_buf *key, ncz_chunk_addr *where)
{
    const char *begin = spec->rank == 0 && first[0] == '\0' ? "0" : first;
    int         rc;

    ncz_buf_reset(key);
    if ((path[0] != '\0' &&
         ((rc = ncz_buf_puts(key, path)) != NC_NOERR || (rc = ncz_buf_putc(key, '/')) != NC_NOERR)) ||
        (rc = ncz_buf_puts(key, begin)) != NC_NOERR)
        return rc;
    for (size_t d = 0; d < spec->rank; d++) {
        uint64_t n = spec->object != NULL ? index[d] / spec->object[d] : index[d];

        if (((d > 0 || begin[0] != '\0') && (rc = ncz_buf_putc(key, separator)) != NC_NOERR) ||
            (rc = append_number(key, n)) != NC_NOERR)
            return rc;
    }
    *where = (ncz_chunk_addr){.key = key->data, .length = UINT64_MAX, .slot = ncz_spec_slot(spec, index)};
    return NC_NOERR;
}
