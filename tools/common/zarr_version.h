/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zarr_version: the versions of Zarr, which people name in --zarr-format and in paths. The only file of the commands
 * that compares their numbers; what a version's documents are called says nczarr_document().
 */
#ifndef ZARR_VERSION_H
#define ZARR_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#define ZARR_VERSION_DEFAULT 2 /* of new datasets */

int         zarr_version_at(size_t i);       /* each version; 0 after the last */
int         zarr_version_other(int version); /* the one of which --in-place makes this one */
bool        zarr_version_parse(const char *text, int *out);
bool        zarr_version_is_said(int version); /* false: the default, or 0, another format */
bool        zarr_version_has_shards(int version);
bool        zarr_version_has_characters(int version);   /* other readers have text of them, not numbers */
bool        zarr_version_fill_is_optional(int version); /* an array may be without fill value */
const char *zarr_version_mode(int version);             /* "mode=v2", a key of a path; "" for 0 */

#endif /* ZARR_VERSION_H */
