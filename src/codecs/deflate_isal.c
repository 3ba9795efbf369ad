/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ISA-L encodes levels 1 to 3 instead of zlib: about eight times as fast, nearly as small, but with other bytes.
 * Higher levels ask for a small size, where other libraries are better.
 */
#include "codecs/thread_cache_int.h"
#include "codecs/codecs.h"
#include "codecs/stream_int.h"

#include <isa-l/igzip_lib.h>

static const size_t level_bytes[] = {0, ISAL_DEF_LVL1_DEFAULT, ISAL_DEF_LVL2_DEFAULT, ISAL_DEF_LVL3_DEFAULT};

bool
ncz_codec_deflate_low(bool gzip, int level, const void *in, size_t n, void *out, size_t cap, size_t *used)
{
    struct isal_zstream z;
    void               *buf;

    if (level < 1 || level > 3 || n > UINT32_MAX)
        return false;
    if ((buf = ncz_codec_scratch(NCZ_SLOT_DEFLATER_LOW, level_bytes[level])) == NULL)
        return false;
    isal_deflate_stateless_init(&z);
    z.level = (uint32_t)level;
    z.level_buf = buf;
    z.level_buf_size = (uint32_t)level_bytes[level];
    z.gzip_flag = gzip ? IGZIP_GZIP : IGZIP_ZLIB;
    z.end_of_stream = 1;
    z.flush = NO_FLUSH;
    z.next_in = (uint8_t *)(uintptr_t)in;
    z.avail_in = (uint32_t)n;
    z.next_out = out;
    z.avail_out = cap < UINT32_MAX ? (uint32_t)cap : UINT32_MAX;
    if (isal_deflate_stateless(&z) != COMP_OK)
        return false;
    *used = z.total_out;
    return true;
}

bool
ncz_codec_has_isal(void)
{
    return true;
}
