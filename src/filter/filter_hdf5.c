/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The filters of HDF5 and HDF4 files by number: the codecs that Zarr has no name for, which are only decoded, and the
 * names of all. filter_chain_hdf5.c makes chains of them.
 */
#include "codecs/codec_hdf5_int.h"
#include "filter/chain_int.h"

static const ncz_codec_ops *const own[] = {
    &ncz_codec_hdf5_nbit,       &ncz_codec_hdf5_scaleoffset, &ncz_codec_hdf5_lzf,
    &ncz_codec_hdf5_bitshuffle, &ncz_codec_hdf5_bitgroom,    &ncz_codec_hdf5_granularbr,
    &ncz_codec_hdf4_rle,        &ncz_codec_hdf4_nbit,        &ncz_codec_hdf4_huffman,
#ifdef NCZ_WITH_SZIP
    &ncz_codec_hdf5_szip,       &ncz_codec_hdf4_szip,
#endif
#ifdef NCZ_WITH_LZ4
    &ncz_codec_hdf5_lz4,
#endif
};

/* Numbers that The HDF Group registered, as far as files with them are met. */
static const struct {
    unsigned    id;
    const char *name;
} names[] = {
    {1, "deflate"},      {2, "shuffle"},        {3, "fletcher32"},       {4, "szip"},           {5, "nbit"},
    {6, "scaleoffset"},  {305, "lzo"},          {307, "bzip2"},          {32000, "lzf"},        {32001, "blosc"},
    {32002, "mafisc"},   {32003, "snappy"},     {32004, "lz4"},          {32005, "apax"},       {32006, "cbf"},
    {32007, "jpeg-xr"},  {32008, "bitshuffle"}, {32009, "spdp"},         {32010, "lpc-rice"},   {32011, "ccsds-123"},
    {32012, "jpeg-ls"},  {32013, "zfp"},        {32014, "fpzip"},        {32015, "zstd"},       {32016, "b3d"},
    {32017, "sz"},       {32018, "fcidecomp"},  {32019, "jpeg"},         {32020, "vbz"},        {32021, "fapec"},
    {32022, "bitgroom"}, {32023, "granularbr"}, {32024, "sz3"},          {32025, "delta-rice"}, {32026, "blosc2"},
    {32027, "flac"},     {32028, "sperr"},      {32029, "terse/prolix"}, {32030, "ffmpeg"},     {32033, "htj2k"},
};

const char *
ncz_filter_name(unsigned id)
{
    for (size_t i = 0; i < NCZ_LEN(names); i++)
        if (names[i].id == id)
            return names[i].name;
    return NULL;
}

const ncz_codec_ops *
ncz_filter_find(unsigned hdf5_id)
{
    for (size_t i = 0; i < NCZ_LEN(own); i++)
        if (own[i]->hdf5_id == hdf5_id)
            return own[i];
    return NULL;
}
