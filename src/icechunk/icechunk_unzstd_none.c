/* SPDX-License-Identifier: BSD-3-Clause */
/* icechunk_unzstd.c of a build without zstd. */
#include "icechunk/icechunk_int.h"

int
ncz_ice_unzstd(const void *in, size_t n, size_t most, const char *what, ncz_buf *out)
{
    (void)in, (void)n, (void)most, (void)out;
    return ncz_fail(NC_ENOTBUILT, "%s: is compressed by zstd, which this library was built without", what);
}

int
ncz_ice_dictionary_new(const void *bytes, size_t n, ncz_ice_dictionary **out)
{
    (void)bytes, (void)n, (void)out;
    return ncz_fail(NC_ENOTBUILT, "locations of chunks are compressed by zstd, which this library was built without");
}

int
ncz_ice_dictionary_use(ncz_ice_dictionary *d, const void *in, size_t n, size_t most, ncz_buf *out)
{
    (void)d, (void)in, (void)n, (void)most, (void)out;
    return NC_ENOTBUILT;
}

void
ncz_ice_dictionary_free(ncz_ice_dictionary *d)
{
    (void)d;
}
