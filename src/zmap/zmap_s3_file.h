/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_s3_file: an object of a bucket as a file that is changed in place: a store of one object, whose key is "", with
 * zmap_put_range() and zmap_resize(). Its bytes are in a temporary file, in TMPDIR, until zmap_s3_file_put() puts all
 * of them: then the object is there, or is another one, as a whole. Closing the store puts nothing. NC_ENOTBUILT in a
 * library built without S3.
 */
#ifndef NCZ_ZMAP_S3_FILE_H
#define NCZ_ZMAP_S3_FILE_H

#include "uri/uri.h"
#include "zmap/zmap.h"

/* The object at the URL. Makes no request: the file is empty, whatever is there. */
int  zmap_s3_file_open(const ncz_uri *uri, zmap **out);
bool zmap_s3_file_is(const zmap *m);

/* Reads the first bytes of the object, at most `cap`. NC_EEMPTY: there is none. From now on only this object, or that
 * there is none, is replaced. */
int zmap_s3_file_look(zmap *m, void *head, size_t cap, size_t *n);
/* All bytes of the object that was looked at become the file's. NC_EIO: it was replaced meanwhile. */
int zmap_s3_file_fetch(zmap *m);

/* Removes the object, whatever the file is. An absent one is no error. */
int zmap_s3_file_remove(zmap *m);

/* Puts the file, if it was changed since it was fetched or put. NC_EEXIST, NC_EIO: another writer has made, replaced or
 * removed the object, and nothing is put, now or later. After other failures it can be tried again. *final: which. */
int zmap_s3_file_put(zmap *m, bool *final);

#endif /* NCZ_ZMAP_S3_FILE_H */
