/* SPDX-License-Identifier: BSD-3-Clause */
/* Low levels use the same encoder as the others. */
#include "codecs/codecs.h"
#include "codecs/stream_int.h"

bool
ncz_codec_deflate_low(bool gzip, int level, const void *in, size_t n, void *out, size_t cap, size_t *used)
{
    (void)gzip;
    (void)level;
    (void)in;
    (void)n;
    (void)out;
    (void)cap;
    (void)used;
    return false;
}

bool
ncz_codec_has_isal(void)
{
    return false;
}
