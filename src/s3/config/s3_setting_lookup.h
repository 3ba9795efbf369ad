/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * setting_lookup: looks a setting up in the URL, the environment and the files, and records its origin. Within this
 * module only.
 */
#ifndef NCZ_S3_SETTING_LOOKUP_H
#define NCZ_S3_SETTING_LOOKUP_H

#include "s3/config/s3_ini_file.h"
#include "uri/uri_rc_file.h"

/* The AWS files of this user. A missing file counts as empty. */
typedef struct ncz_s3_files {
    char      *home;                           /* or NULL */
    char      *config_path, *credentials_path; /* NULL: neither the home directory nor a variable is set */
    ncz_s3_ini config, credentials;
} ncz_s3_files;

int   ncz_s3_files_load(ncz_s3_files *out); /* NC_EAUTH: not readable, or malformed, with file and line */
void  ncz_s3_files_clear(ncz_s3_files *f);
char *ncz_s3_expand_home(const char *path, const char *home); /* "~/x" in fresh memory; NULL: out of memory */

typedef enum ncz_s3_source {
    NCZ_S3_FROM_NOWHERE,
    NCZ_S3_FROM_URL,  /* in the fragment */
    NCZ_S3_FROM_HOST, /* part of the URL's host */
    NCZ_S3_FROM_ENV,
    NCZ_S3_FROM_PROFILE,
    NCZ_S3_FROM_RC,
    NCZ_S3_FROM_DEFAULT,
} ncz_s3_source;

/* A setting and its origin; borrowed. */
typedef struct ncz_s3_setting {
    ncz_s3_source source;
    const char   *value; /* NULL: not set */
    const char   *name;  /* key or variable */
    const char   *section, *file;
} ncz_s3_setting;

/* Where settings are looked up. `profile` NULL: the user named no profile, and the files have no "default". */
typedef struct ncz_s3_lookup {
    const ncz_uri      *uri;
    const ncz_s3_files *files;
    const ncz_rc       *rc;
    const char         *profile;
    bool                profile_in_url; /* the URL names it */
} ncz_s3_lookup;

/* Each returns a `value` of NULL when the setting is not set. An empty value counts as not set. */
ncz_s3_setting ncz_s3_setting_url(const ncz_s3_lookup *l, const char *key); /* also with "aws." before it */
ncz_s3_setting ncz_s3_setting_url_switch(const ncz_s3_lookup *l,
                                         const char          *key); /* the same; a key alone (`#anon`) means yes */
ncz_s3_setting ncz_s3_setting_env(const char *name);
ncz_s3_setting ncz_s3_setting_rc(const ncz_s3_lookup *l, const char *key);
ncz_s3_setting ncz_s3_setting_default(const char *value);
/* Of the profile; the credentials file wins, key by key. `block`: NULL, or the key above an indented one. */
ncz_s3_setting ncz_s3_setting_profile(const ncz_s3_files *f, const char *profile, const char *block, const char *key);
/* Of the section [services x] that the profile names. */
ncz_s3_setting ncz_s3_setting_service(const ncz_s3_files *f, const char *profile, const char *service,
                                      const char *key);
ncz_s3_setting ncz_s3_setting_first(const ncz_s3_setting *all, size_t n);

int ncz_s3_setting_origin(const ncz_s3_setting *s, char **out); /* for people, in fresh memory */
int ncz_s3_setting_bool(const ncz_s3_setting *s,
                        bool                 *out); /* true, yes, on, 1 ...; NC_EINVAL. Nothing said: untouched */
int ncz_s3_setting_number(const ncz_s3_setting *s, int64_t least, int64_t most, int64_t *out); /* the same */
int ncz_s3_setting_seconds(const ncz_s3_setting *s, int64_t most, int64_t *ms); /* the same, with a fraction: "0.5" */
bool ncz_s3_profile_exists(const ncz_s3_files *f, const char *profile);

#endif /* NCZ_S3_SETTING_LOOKUP_H */
