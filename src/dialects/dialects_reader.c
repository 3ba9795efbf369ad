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

ncz_read_source
ncz_dialects_source(const ncz_loader *l, uint64_t size, ncz_dialects_reader *now)
{
    *now = (ncz_dialects_reader){.read = l->docs->read, .arg = l->docs->arg, .loads = true};
    return (ncz_read_source){.read = ncz_dialects_read_ranges,
                             .arg = now,
                             .size = size,
                             .head = l->first.data,
                             .nhead = l->first.len,
                             .far = l->docs->far};
}
