/* SPDX-License-Identifier: BSD-3-Clause */
/* libdeflate decodes complete, valid zlib and gzip streams, with one decoder per thread. */
#include "codecs/thread_cache_int.h"
#include "codecs/codecs.h"
#include "codecs/stream_int.h"

#include <libdeflate.h>

static void *
make(void)
{
    return libdeflate_alloc_decompressor();
}

static void
drop(void *d)
{
    libdeflate_free_decompressor(d);
}

bool
ncz_codec_inflate_fast(bool gzip, const void *in, size_t n, void *out, size_t most, size_t *nread, size_t *nwritten)
{
    struct libdeflate_decompressor *d = ncz_codec_thread_get(NCZ_SLOT_INFLATER, make, drop);
    enum libdeflate_result          result;

    if (d == NULL)
        return false;
    if (gzip)
        result = libdeflate_gzip_decompress_ex(d, in, n, out, most, nread, nwritten);
    else
        result = libdeflate_zlib_decompress_ex(d, in, n, out, most, nread, nwritten);
    return result == LIBDEFLATE_SUCCESS;
}

bool
ncz_codec_has_libdeflate(void)
{
    return true;
}
