/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The codecs that this build has. One table, fixed at build time; the build says which optional libraries there are.
 */
#include "filter/filter_int.h"

#include <string.h>

static const ncz_codec_ops *const codecs[] = {
    &ncz_codec_zlib,
    &ncz_codec_shuffle,
    &ncz_codec_fletcher32,
    &ncz_codec_gzip,
    &ncz_codec_delta,
    &ncz_codec_fixedscaleoffset,
    &ncz_codec_quantize,
    &ncz_codec_bitround,
    &ncz_codec_packbits,
    &ncz_codec_astype,
    &ncz_codec_crc32,
    &ncz_codec_crc32c,
    &ncz_codec_adler32,
    &ncz_codec_lookup3,
    &ncz_codec_base64,
#ifdef NCZ_WITH_BLOSC
    &ncz_codec_blosc,
#endif
#ifdef NCZ_WITH_ZSTD
    &ncz_codec_zstd,
#endif
#ifdef NCZ_WITH_LZ4
    &ncz_codec_lz4,
#endif
#ifdef NCZ_WITH_LZMA
    &ncz_codec_lzma,
#endif
#ifdef NCZ_WITH_BZIP2
    &ncz_codec_bz2,
#endif
#ifdef NCZ_WITH_SZIP
    &ncz_codec_szip,
#endif
};

const ncz_codec_ops *
ncz_codec_by_id(const char *id)
{
    for (size_t i = 0; i < NCZ_LEN(codecs); i++)
        if (strcmp(codecs[i]->id, id) == 0)
            return codecs[i];
    return NULL;
}

const ncz_codec_ops *
ncz_codec_by_hdf5(unsigned hdf5_id)
{
    for (size_t i = 0; i < NCZ_LEN(codecs); i++)
        if (hdf5_id != 0 && codecs[i]->hdf5_id == hdf5_id)
            return codecs[i];
    return NULL;
}

const ncz_codec_ops *
ncz_codec_at(size_t i)
{
    return i < NCZ_LEN(codecs) ? codecs[i] : NULL;
}
