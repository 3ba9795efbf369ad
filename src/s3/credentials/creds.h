/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * creds: the credentials that sign requests: fetched at first use from the first source that has some, cached for the
 * process, and fetched again before they expire. Within this module only.
 *
 * Threads: any number may use one ncz_creds. One of them fetches, the others wait.
 */
#ifndef NCZ_CREDS_H
#define NCZ_CREDS_H

#include "s3/config/s3_setting_lookup.h"
#include "s3/protocol/s3_sign.h"

typedef struct ncz_creds ncz_creds;

/* What decides which credentials are found; copied. */
typedef struct ncz_creds_opts {
    const ncz_s3_lookup *lookup;        /* URL, files, profile */
    bool                 profile_first; /* the user named the profile: it precedes the environment */
    bool                 amazon;        /* the endpoint is Amazon's: the machine itself may have keys for it */
    const char          *region, *ca_file, *ca_dir; /* or NULL */
    const char          *service; /* the URL of a server that gives keys to those who log in there, alone; or NULL */
    const char          *proxy;   /* to that one; or NULL */
} ncz_creds_opts;

/* Makes no request. Stores with equal options share one ncz_creds. */
int  ncz_creds_open(const ncz_creds_opts *opts, ncz_creds **out);
void ncz_creds_unref(ncz_creds *c); /* NULL is fine */

typedef enum ncz_creds_need {
    NCZ_CREDS_AT_HAND,  /* for a read's first try, as data may be public: all sources but EC2's metadata service */
    NCZ_CREDS_ANY,      /* all sources; finding none is no error */
    NCZ_CREDS_REQUIRED, /* all sources; NC_EAUTH if none has credentials */
} ncz_creds_need;

/*
 * The credentials for the next request. `refresh`: the server said that the last ones had expired. out->id is NULL when
 * none were found and that is no error; then `why` (may be NULL) says where they were looked for, for the text of a
 * later 403. The caller clears *out.
 */
int ncz_creds_get(ncz_creds *c, bool refresh, ncz_creds_need need, ncz_s3_access_key *out, ncz_buf *why);
/* Where the last credentials came from: "the environment", "profile x in FILE", "none". In fresh memory. */
int ncz_creds_source(ncz_creds *c, char **out);

#endif /* NCZ_CREDS_H */
