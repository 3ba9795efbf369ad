/* SPDX-License-Identifier: BSD-3-Clause */
#include "filter_name.h"

#include <stddef.h>

const char *
filter_name(unsigned int id)
{
    static const struct {
        unsigned int id;
        const char  *name;
    } known[] = {
        {1, "deflate"},        {2, "shuffle"},    {3, "fletcher32"}, {4, "szip"},      {5, "nbit"},
        {6, "scaleoffset"},    {307, "bzip2"},    {32000, "lzf"},    {32001, "blosc"}, {32004, "lz4"},
        {32008, "bitshuffle"}, {32013, "zfp"},    {32015, "zstd"},   {32017, "sz"},    {32022, "bitgroom"},
        {32023, "granularbr"}, {32026, "blosc2"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].id == id)
            return known[i].name;
    return NULL;
}
