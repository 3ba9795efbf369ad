/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the sources of credentials share. Each source is a function that searches for keys: it sets *found, or adds the
 * reason to f->why. A source that is configured but has no working keys is an error.
 */
#ifndef NCZ_CREDS_INT_H
#define NCZ_CREDS_INT_H

#include "json/json.h"
#include "s3/config/s3_host_name.h"
#include "s3/credentials/creds.h"
#include "s3/http/http.h"
#include "s3/login/login.h"
#include "s3/protocol/s3_hash.h"

/* One search of the sources. */
typedef struct ncz_creds_fetch {
    const ncz_s3_files      *files;
    const char              *profile;       /* or NULL */
    bool                     profile_first; /* the URL names it: it precedes keys in the environment */
    const ncz_s3_access_key *given;         /* in the URL */
    const char              *region, *ca_file, *ca_dir;
    const char              *service, *proxy; /* see ncz_creds_opts */
    bool                     amazon;          /* the endpoint is Amazon's: the machine itself may have keys for it */
    bool                     at_hand;         /* skip EC2's metadata service, which may take a second to fail */
    ncz_login              **login; /* at the service, kept from one search to the next; NULL in it: none yet */
    /* out */
    ncz_s3_access_key keys;
    char             *source;     /* their origin, for people */
    bool              keep;       /* use them after they expire if they cannot be renewed */
    bool              postponed;  /* `at_hand` skipped EC2's metadata service, which may have keys */
    bool              of_machine; /* the keys come from that service */
    ncz_buf           why;        /* why each source has none */
} ncz_creds_fetch;

/* ---- what every source needs (creds_common.c) ---- */

int64_t ncz_creds_now(void); /* seconds since 1970 */

/* Makes the keys the result of the search, with the name of their source. NC_EAUTH: malformed keys. */
int ncz_creds_found(ncz_creds_fetch *f, ncz_s3_access_key *keys, bool *found, const char *source, ...)
    NCZ_PRINTF(4, 5);
int ncz_creds_note_missing(ncz_creds_fetch *f, const char *fmt, ...) NCZ_PRINTF(2, 3); /* one more reason in f->why */

/* One exchange, with default time-outs and the certificates; NC_EAUTH without an answer. */
int ncz_creds_call_service(const ncz_creds_fetch *f, ncz_http_once *call, const char *what);
/* The configured endpoint of a service: `variable`, AWS_ENDPOINT_URL, the profile's. */
ncz_s3_setting ncz_creds_service_endpoint(const ncz_creds_fetch *f, const char *profile, const char *variable,
                                          const char *service);

/* ---- answers (creds_json.c): NC_EAUTH says what is wrong and quotes nothing ---- */

bool        ncz_creds_parse_time(const char *s, int64_t *out); /* ISO 8601 to seconds since 1970 */
int         ncz_creds_json_parse(const char *text, size_t len, const char *what, ncz_json **out);
void        ncz_creds_json_free(ncz_json *doc);                         /* wipes it first */
const char *ncz_creds_json_text(const ncz_json *doc, const char *name); /* in any case; NULL when absent or empty */
int         ncz_creds_json_key(const ncz_json *doc, const char *what, ncz_s3_access_key *out);

/* ---- STS (creds_sts.c) ---- */

typedef struct ncz_creds_sts {
    const char *what; /* "AssumeRole", ... */
    const char *profile, *role;
    const char *region;
    char       *endpoint; /* without a slash at its end */
    ncz_buf     body;
    ncz_buf     headers;
} ncz_creds_sts;

int  ncz_creds_sts_init(const ncz_creds_fetch *f, ncz_creds_sts *s); /* `what` and `profile` (or NULL) are set */
int  ncz_creds_sts_add(ncz_creds_sts *s, const char *name, const char *value); /* value NULL: adds nothing */
int  ncz_creds_sts_add_session(ncz_creds_sts *s, const char *name);            /* NULL: a generated name */
int  ncz_creds_sts_send(ncz_creds_fetch *f, ncz_creds_sts *s, const ncz_s3_access_key *keys,
                        bool *found); /* signed with `keys`, or NULL */
void ncz_creds_sts_clear(ncz_creds_sts *s);

/* ---- sources, in files of their own ---- */

int ncz_creds_from_url(ncz_creds_fetch *f, bool *found);
int ncz_creds_from_login(ncz_creds_fetch *f, bool *found); /* the service that the user named */
int ncz_creds_from_env(ncz_creds_fetch *f, bool *found);
/* Keys in a profile of one of the two files. */
int ncz_creds_from_file(ncz_creds_fetch *f, const char *profile, const ncz_s3_ini *file, bool *found);

int ncz_creds_from_process(ncz_creds_fetch *f, const char *profile, bool *found); /* credential_process */
int ncz_creds_from_sso(ncz_creds_fetch *f, const char *profile, bool *found);
int ncz_creds_from_container(ncz_creds_fetch *f, bool *found);
int ncz_creds_from_ec2(ncz_creds_fetch *f, bool *found); /* EC2's metadata service; postponed where f says so */
/* Roles: assumed with the keys of another profile, or with an identity token of variables or of a profile. */
int ncz_creds_from_role(ncz_creds_fetch *f, const char *profile, bool *found);
int ncz_creds_from_web_identity(ncz_creds_fetch *f, bool *found);

/* ---- the search of all sources (creds_chain.c) ---- */

/* *found false: no source has keys, which is no error here. */
int ncz_creds_search(ncz_creds_fetch *f, bool *found);

#endif /* NCZ_CREDS_INT_H */
