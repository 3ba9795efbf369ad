/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * uri_rc_file: netCDF's rc files (.ncrc, .dodsrc): `KEY=VALUE` for all datasets, and `[URL]KEY=VALUE` for those of a
 * host. What a key means is the reader's: s3 has AWS.*, HTTP.*, NCZARR.HTTP.*,
 * NCZARR.S3CREDENTIALS and NCZARR.TIMEOUT, open has NCZARR.WRITE and NCZARR.NETCDF4, places NCZARR.ALLOW.
 */
#ifndef NCZ_URI_RC_FILE_H
#define NCZ_URI_RC_FILE_H

#include "uri/uri.h"

typedef struct ncz_rc_item {
    ncz_uri *scope; /* NULL: for all URLs */
    char    *key;   /* upper case */
    char    *value;
    size_t   file;
    bool     here; /* in a file of the working directory */
} ncz_rc_item;

typedef struct ncz_rc {
    char       **files; /* the files read */
    size_t       nfiles;
    ncz_rc_item *v;
    size_t       n;
} ncz_rc;

#define NCZ_RC_INIT ((ncz_rc){NULL, 0, NULL, 0})

/*
 * NCRCENV_IGNORE: none. NCRCENV_RC: that file alone. Else $NCRCENV_HOME or `home` (may be NULL), then the working
 * directory, in each .ncrc, then .dodsrc; later ones win. Ignores lines without a meaning.
 */
int  ncz_rc_load(const char *home, ncz_rc *out);
int  ncz_rc_parse(ncz_rc *rc, const char *text, size_t len, const char *file, bool here);
void ncz_rc_clear(ncz_rc *rc);

/*
 * The value of `key` (upper case) for this URL: a line with a matching scope precedes one without, else the last wins.
 * NULL: a path, which no scope matches. A file in the working directory may have come with somebody's data: it may set
 * profile and region, but its HTTP.* keys (certificates, proxy), NCZARR.ALLOW and what concerns logins (NCZARR.HTTP.*,
 * NCZARR.S3CREDENTIALS) are ignored. *file: the file that has it.
 */
const char *ncz_rc_get(const ncz_rc *rc, const ncz_uri *uri, const char *key, const char **file);

/*
 * The lines of a key whose values are secrets, in order, from *at on, which begins with 0 and is moved behind the line;
 * NULL: no more. Of lines with a scope only those count that have the URL's own scheme and port, too. Lines without one
 * count as well: the caller says what they mean.
 */
const ncz_rc_item *ncz_rc_next_secret(const ncz_rc *rc, const ncz_uri *uri, const char *key, size_t *at);

/* How much of the URL's path the longest scope has that matches it: below that the same lines hold. 0: none has a path.
 */
size_t ncz_rc_scope(const ncz_rc *rc, const ncz_uri *uri);

/* Does a file, other than those in the working directory, have a line for URLs of this host? */
bool ncz_rc_has_host(const ncz_rc *rc, const char *host);

#endif /* NCZ_URI_RC_FILE_H */
