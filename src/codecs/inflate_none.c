/* SPDX-License-Identifier: BSD-3-Clause */
/* zlib decodes, because this build has no libdeflate. */
#include "codecs/codecs.h"
#include "codecs/stream_int.h"

bool
ncz_codec_inflate_fast(bool gzip, const void *in, size_t n, void *out, size_t most, size_t *nread, size_t *nwritten)
{
    (void)gzip;
    (void)in;
    (void)n;
    (void)out;
    (void)most;
    (void)nread;
    (void)nwritten;
    return false;
}

bool
ncz_codec_has_libdeflate(void)
{
    return false;
}
