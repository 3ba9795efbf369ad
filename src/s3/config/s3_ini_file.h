/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ini: the config and credentials files of AWS's tools, read as their SDKs do. Within this module only.
 */
#ifndef NCZ_S3_INI_FILE_H
#define NCZ_S3_INI_FILE_H

#include "util/util.h"

#define NCZ_S3_INI_MOST ((size_t)1 << 20) /* bytes of one file */

typedef enum ncz_s3_ini_kind {
    NCZ_S3_INI_PROFILE,     /* config: [profile x], [default]; credentials: [x] */
    NCZ_S3_INI_SSO_SESSION, /* config: [sso-session x] */
    NCZ_S3_INI_SERVICES,    /* config: [services x] */
    NCZ_S3_INI_OTHER,
} ncz_s3_ini_kind;

typedef struct ncz_s3_ini_item {
    ncz_s3_ini_kind kind;
    char           *section; /* its name, without kind and quotes */
    char           *block;   /* the key above, if this one is indented under it, or NULL */
    char           *key;     /* lower case; NULL: the section itself begins */
    char           *value;
    unsigned        line;
    bool            weak; /* in config's [default], which [profile default] hides */
} ncz_s3_ini_item;

typedef struct ncz_s3_ini {
    char            *file; /* name in error texts */
    ncz_s3_ini_item *v;
    size_t           n;
} ncz_s3_ini;

#define NCZ_S3_INI_INIT ((ncz_s3_ini){NULL, NULL, 0})

/* NC_EAUTH with file and line: neither section nor `key = value`; a line before any section; too large a file. */
int  ncz_s3_ini_parse(const char *text, size_t len, const char *file, bool credentials, ncz_s3_ini *out);
void ncz_s3_ini_clear(ncz_s3_ini *ini); /* wipes the values */

bool ncz_s3_ini_has(const ncz_s3_ini *ini, ncz_s3_ini_kind kind, const char *section);
/* The last one of equal keys, or NULL. `block` NULL: of the section itself. */
const char *ncz_s3_ini_get(const ncz_s3_ini *ini, ncz_s3_ini_kind kind, const char *section, const char *block,
                           const char *key);

#endif /* NCZ_S3_INI_FILE_H */
