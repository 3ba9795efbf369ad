/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * http_url: what redirects and logins ask of URLs.
 */
#ifndef NCZ_HTTP_URL_H
#define NCZ_HTTP_URL_H

#include "util/util.h"

/* "scheme://host:port" of an http or https URL, in lower case and always with the port. NC_EURL: it is none, or has a
 * user's name; the text has nothing of it, since it may hold a secret. */
int ncz_http_origin(const char *url, char **out);
/* What a Location header means in the answer to `from`. NC_ECURL: malformed, or not http or https, or plain text after
 * TLS. */
int ncz_http_resolve(const char *from, const char *location, char **out);
/* May a password go there: over TLS, or to this machine itself? */
bool ncz_http_is_private(const char *origin);

#endif /* NCZ_HTTP_URL_H */
