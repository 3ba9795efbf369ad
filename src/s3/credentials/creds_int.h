/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the sources of credentials share. Each source is a function that looks whether it has keys: it sets *found,
 * and says in f->why what it lacked. A source that is meant to have keys and has none that work is an error.
 */
#ifndef NCZ_CREDS_INT_H
#define NCZ_CREDS_INT_H

#include "json/json.h"
#include "s3/config/s3_host_name.h"
#include "s3/config/s3_secret_file.h"
#include "s3/credentials/creds.h"
#include "s3/http/http.h"
#include "s3/protocol/s3_hash.h"

/* One walk along the sources. */
typedef struct ncz_creds_fetch {
    const ncz_s3_files *files;
    const char         *profile;       /* or NULL */
    bool                profile_first; /* it was named with the URL: keys in the environment do not come before it */
    const ncz_s3_access_key *given;    /* with the URL */
    const char              *region, *ca_file, *ca_dir;
    bool                     amazon;  /* the endpoint is Amazon's: the machine itself may have keys for it */
    bool                     at_hand; /* leave out EC2's metadata service, which may take a second to say nothing */
    /* out */
    ncz_s3_access_key keys;
    char             *source;     /* where they are from, for people */
    bool              keep;       /* use them beyond their end when others cannot be had */
    bool              postponed;  /* `at_hand` left out EC2's metadata service, which may have keys */
    bool              of_machine; /* the keys are that service's */
    ncz_buf           why;        /* what each source lacked */
} ncz_creds_fetch;

/* ---- what every source needs (creds_common.c) ---- */

int64_t ncz_creds_now(void); /* seconds since 1970 */

/* Takes the keys as the result of this walk, with the text of their source. NC_EAUTH: keys that cannot be any. */
int ncz_creds_found(ncz_creds_fetch *f, ncz_s3_access_key *keys, bool *found, const char *source, ...)
    NCZ_PRINTF(4, 5);
int ncz_creds_note_missing(ncz_creds_fetch *f, const char *fmt, ...) NCZ_PRINTF(2, 3); /* one more reason in f->why */

/* One exchange, with time-outs and certificates where `call` has none; NC_EAUTH without an answer. */
int ncz_creds_call_service(const ncz_creds_fetch *f, ncz_http_once *call, const char *what);
/* The endpoint that somebody configured for a service: `variable`, AWS_ENDPOINT_URL, the profile's. */
ncz_s3_setting ncz_creds_service_endpoint(const ncz_creds_fetch *f, const char *profile, const char *variable,
                                          const char *service);

/* ---- answers (creds_json.c): NC_EAUTH says what is wrong with them, and nothing of what stands in them ---- */

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
int  ncz_creds_sts_add(ncz_creds_sts *s, const char *name, const char *value); /* NULL: not at all */
int  ncz_creds_sts_add_session(ncz_creds_sts *s, const char *name);            /* NULL: a name of our own */
int  ncz_creds_sts_send(ncz_creds_fetch *f, ncz_creds_sts *s, const ncz_s3_access_key *keys,
                        bool *found); /* signed with `keys`, or NULL */
void ncz_creds_sts_clear(ncz_creds_sts *s);

/* ---- sources, in files of their own ---- */

int ncz_creds_from_url(ncz_creds_fetch *f, bool *found);
int ncz_creds_from_env(ncz_creds_fetch *f, bool *found);
/* Keys that stand in a profile of one of the two files. */
int ncz_creds_from_file(ncz_creds_fetch *f, const char *profile, const ncz_s3_ini *file, bool *found);

int ncz_creds_from_process(ncz_creds_fetch *f, const char *profile, bool *found); /* credential_process */
int ncz_creds_from_sso(ncz_creds_fetch *f, const char *profile, bool *found);
int ncz_creds_from_container(ncz_creds_fetch *f, bool *found);
int ncz_creds_from_ec2(ncz_creds_fetch *f, bool *found); /* EC2's metadata service; postponed where f says so */
/* Roles: of the profile with the keys of another; of a token that says who we are, by variables or by a profile. */
int ncz_creds_from_role(ncz_creds_fetch *f, const char *profile, bool *found);
int ncz_creds_from_web_identity(ncz_creds_fetch *f, bool *found);

/* ---- the chain (creds_chain.c): all of them in turn ---- */

/* *found false: there is nothing, and that is no error here. */
int ncz_creds_search(ncz_creds_fetch *f, bool *found);

#endif /* NCZ_CREDS_INT_H */
