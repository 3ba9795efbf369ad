/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_single: a read-only store of one object, whose key is "": a file or a URL that is a dataset by itself. Ranges
 * are read as the inner store reads them. It cannot be listed.
 */
#ifndef NCZ_ZMAP_SINGLE_H
#define NCZ_ZMAP_SINGLE_H

#include "zmap/zmap.h"

/* The object `key` of another store, whose reference it takes on success. The object may be absent. */
int zmap_single_open(zmap *inner, const char *key, zmap **out);

/* A file. NC_ENOOBJECT: there is no such directory; NC_EINVAL: its name is not a key. */
int zmap_single_file(const char *path, zmap **out);

#endif /* NCZ_ZMAP_SINGLE_H */
