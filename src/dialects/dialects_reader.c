/* SPDX-License-Identifier: BSD-3-Clause */
#include "dialects/dialects_reader.h"

int
ncz_dialects_read_ranges(void *reader, const ncz_read_range *ranges, size_t n)
{
    const ncz_dialects_reader *r = reader;
    ncz_err                    err;
    int                        rc = r->read(r->arg, ranges, n);

    if (rc != NC_ETRUNC || !r->loads)
        return rc;
    ncz_err_save(&err, NC_EHDFERR);
    return ncz_err_adopt(&err);
}
