/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this room share: fragments and the words that they may hold.
 */
#ifndef NCZ_URI_INT_H
#define NCZ_URI_INT_H

#include "uri/uri.h"

/* Adds the pairs of `key=value&key=value`, decoded. */
int ncz_uri_frag_add(ncz_uri *u, const char *s, size_t len);

/* Has a key of this name a meaning, here or in netCDF-C? And which key is meant by one that has none; NULL: no guess. */
bool        ncz_uri_key_known(const char *s, size_t len);
const char *ncz_uri_key_nearest(const char *key);

/* Is it nothing but pairs whose keys are ours, or nearly ours, or modes without their `mode=`? */
bool ncz_uri_frag_known(const char *s, size_t len);

typedef enum uri_mode {
    MODE_UNKNOWN,
    MODE_NCZARR,
    MODE_ZARR,
    MODE_XARRAY,
    MODE_NOXARRAY,
    MODE_CONSOLIDATED,
    MODE_FILE,
    MODE_ZIP,
    MODE_S3,
    MODE_OTHER_FORMAT, /* of netCDF, but none of ours */
} uri_mode;

uri_mode ncz_uri_mode(const char *word, size_t len); /* whatever the case of the letters */

#endif /* NCZ_URI_INT_H */
