/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_feature: what this build has, for programs that say so and for reports of faults.
 */
#include "api/api_int.h"

#include "filter/filter.h"
#include "uri/uri.h"
#include "zip/zip.h"

#include <string.h>

static bool
always(void)
{
    return true;
}

/* Libraries by which codecs of their names are done are not listed again. */
static const struct {
    const char *kind, *name;
    bool (*has)(void);
} features[] = {
    {"store", "directory", always},
    {"store", "zip", always},
    {"store", "memory", always},
    {"store", "s3", zmap_has_network},
    {"store", "http", zmap_has_network},
    {"library", "libcurl", zmap_has_network},
    {"library", "openssl", zmap_has_network},
    {"library", "libzip", ncz_zip_has_libzip},
    {"library", "libdeflate", ncz_codec_has_libdeflate},
    {"library", "isa-l", ncz_codec_has_isal},
    {"library", "utf8proc", ncz_has_nfc},
};

/* Codecs of the two versions of Zarr may have one name: whether this one is the second. */
static bool
is_repeated(size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(ncz_codec_name(ncz_codec_at(i)), ncz_codec_name(ncz_codec_at(at))) == 0)
            return true;
    return false;
}

const char *
nczarr_feature(size_t i, const char **kindp)
{
    const char *kind;

    if (kindp == NULL)
        kindp = &kind;
    *kindp = "codec";
    for (size_t k = 0; ncz_codec_at(k) != NULL; k++)
        if (!is_repeated(k) && i-- == 0)
            return ncz_codec_name(ncz_codec_at(k));
    for (size_t k = 0; k < NCZ_LEN(features); k++)
        if (features[k].has() && i-- == 0) {
            *kindp = features[k].kind;
            return features[k].name;
        }
    *kindp = "mode";
    for (size_t k = 0; ncz_uri_mode_at(k) != NULL; k++)
        if (i-- == 0)
            return ncz_uri_mode_at(k);
    return NULL;
}
