/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_s3: stores over the network: buckets and web servers. NC_ENOTBUILT in a library built without S3.
 */
#ifndef NCZ_ZMAP_S3_H
#define NCZ_ZMAP_S3_H

#include "uri/uri.h"
#include "zmap/zmap.h"

/*
 * A bucket, or the keys below a prefix of it; s3/settings/s3_settings.h lists what the URL and the environment may
 * set. Many requests are sent at once, and each is retried where that helps. Opening makes no request and so does not
 * check that anything exists; only ZMAP_CREATE_NEW lists one key. Large objects, too, appear whole. A key with its
 * prefix has at most 1024 bytes.
 */
int zmap_s3_open(const ncz_uri *uri, zmap_open_how how, zmap **out);

/* What a writable map puts from now on is new: ZMAP_DISCARD deletes it, as after ZMAP_CREATE_NEW. No effect on other
 * stores. */
void zmap_s3_note_created(zmap *m);

/* Makes the map that of one object, the one at the URL itself, whose key is "". It can only be read. */
void zmap_s3_single(zmap *m);

/* A bucket itself, where no object can be. */
bool zmap_s3_is_bucket(const zmap *m);

/* The objects below an http or https URL, which can be read but not listed. 404 and 410 are absent objects, and 403
 * with forbidden=absent in the URL. NC_EPERM for any other `how` than ZMAP_OPEN_READ. */
int zmap_http_open(const ncz_uri *uri, zmap_open_how how, zmap **out);

/* Of a web server, before others use it: redirects are followed to URLs only for which `may` returns NC_NOERR; what it
 * returns else is the failure of the get, with its text. No effect on other stores. */
void zmap_http_follow(zmap *m, int (*may)(const char *url, void *arg), void *arg);

/* Of a web server, before others use it: another server chose its URL, so that it is refused (NC_ECURL) at a link-local
 * address, where clouds have metadata services. No effect on other stores. */
int zmap_http_distrust(zmap *m);

/* Of a web server: appends the URL of another scheme ("s3://...") to which its own URL redirects, if it does. Nothing
 * of other stores. */
int zmap_http_find_redirect(zmap *m, ncz_buf *out);

#endif /* NCZ_ZMAP_S3_H */
