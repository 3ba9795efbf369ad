/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Without lz4, c-blosc makes all blosc frames.
 */
#include "codecs/blosc_int.h"

bool
ncz_blosc_makes(int64_t cname, int64_t clevel, int64_t shuffle, size_t typesize, size_t n)
{
    (void)cname;
    (void)clevel;
    (void)shuffle;
    (void)typesize;
    (void)n;
    return false;
}

int
ncz_blosc_make(const void *in, size_t n, size_t typesize, int64_t clevel, void *out, size_t *used)
{
    (void)in;
    (void)n;
    (void)typesize;
    (void)clevel;
    (void)out;
    (void)used;
    return NC_ENOTBUILT;
}
