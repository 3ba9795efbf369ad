/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netrc: the user's names and passwords for machines, in the file that NETRC names or in ~/.netrc.
 */
#ifndef NCZ_S3_NETRC_H
#define NCZ_S3_NETRC_H

#include "util/util.h"

typedef struct ncz_s3_netrc {
    char *login, *password; /* secret; NULL: no line for the machine */
    char *file;             /* that was looked into; NULL: neither NETRC nor a home is known */
} ncz_s3_netrc;

/*
 * What the file says of a machine; the first entry that has both counts. `default` is passed over: no server gets a
 * password that was not written for it. A file that is not there has no entries. NC_EAUTH: it cannot be read, or a word
 * in it does not end.
 */
int  ncz_s3_netrc_find(const char *home, const char *machine, ncz_s3_netrc *out);
int  ncz_s3_netrc_parse(const char *text, size_t len, const char *machine, ncz_s3_netrc *out); /* without `file` */
void ncz_s3_netrc_clear(ncz_s3_netrc *n); /* may be called twice */

#endif /* NCZ_S3_NETRC_H */
