/* SPDX-License-Identifier: BSD-3-Clause */
/* aggregation_fill: one value at each place of a part: missing data, and the value that a whole fragment has. */
#include "aggregation/aggregation_int.h"

#include <string.h>

int
ncz_fragment_fill(const ncz_var *v, const ncz_fragment_part *part, const void *value, const ncz_type *mem, void *out)
{
    ncz_dtype    dtype = ncz_dtype_of(v->type, false, 1);
    ncz_transfer t = {.dtype = &dtype, .mem = mem, .chunk = part->count};
    ncz_piece    p = {
           .rank = part->rank, .n = part->count, .stride = part->stride, .imap = part->imap, .mem = part->mem};
    ncz_buf     stored = NCZ_BUF_INIT;
    const char *text = v->type->class == NCZ_TYPE_STRING && value != NULL ? *(char *const *)value : NULL;
    ncz_dims    off;
    int         rc;

    if (v->type->class == NCZ_TYPE_STRING)
        dtype.size = text != NULL && text[0] != '\0' ? strlen(text) : 1;
    if ((rc = ncz_transfer_check(&dtype, mem)) != NC_NOERR || (rc = ncz_dims_init(&off, part->rank)) != NC_NOERR)
        return rc;
    p.off = p.index = off.v;
    p.nelems = 1;
    for (size_t d = 0; d < part->rank; d++)
        p.nelems *= part->count[d];
    if ((rc = ncz_buf_reserve(&stored, dtype.size)) == NC_NOERR) {
        memset(stored.data, 0, dtype.size);
        if (text != NULL)
            memcpy(stored.data, text, text[0] != '\0' ? dtype.size : 0);
        else if (value != NULL && v->type->class != NCZ_TYPE_STRING)
            rc = ncz_convert_in(v->type, value, &dtype, stored.data, 1, false);
        if (rc == NC_NOERR)
            rc = ncz_transfer_fill_out(&t, &p, stored.data, out);
    }
    ncz_buf_clear(&stored);
    ncz_dims_clear(&off);
    return rc;
}
