/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the sources of credentials share. Each source is a function that looks whether it has keys: it sets *found,
 * and says in f->why what it lacked. A source that is meant to have keys and has none that work is an error.
 */
#ifndef NCZ_S3_CREDS_INT_H
#define NCZ_S3_CREDS_INT_H

#include "json/json.h"
#include "s3/http.h"
#include "s3/settings_int.h"

/* One walk along the sources. */
typedef struct ncz_s3_fetch {
    const ncz_s3_files *files;
    const char         *profile;       /* or NULL */
    bool                profile_first; /* it was named with the URL: keys in the environment do not come before it */
    const ncz_s3_keys  *given;         /* with the URL */
    const char         *region, *ca_file, *ca_dir;
    bool                amazon;  /* the endpoint is Amazon's: the machine itself may have keys for it */
    bool                at_hand; /* leave out EC2's metadata service, which may take a second to say nothing */
    /* out */
    ncz_s3_keys keys;
    char       *source;     /* where they are from, for people */
    bool        keep;       /* use them beyond their end when others cannot be had */
    bool        postponed;  /* `at_hand` left out EC2's metadata service, which may have keys */
    bool        of_machine; /* the keys are that service's */
    ncz_buf     why;        /* what each source lacked */
} ncz_s3_fetch;

/* ---- what every source needs (creds_source.c) ---- */

int64_t ncz_s3_now(void); /* seconds since 1970 */

/* Takes the keys as the result of this walk, with the text of their source. NC_EAUTH: keys that cannot be any. */
int ncz_s3_found(ncz_s3_fetch *f, ncz_s3_keys *keys, bool *found, const char *source, ...) NCZ_PRINTF(4, 5);
int ncz_s3_lacks(ncz_s3_fetch *f, const char *fmt, ...) NCZ_PRINTF(2, 3); /* one more reason in f->why */

/* One exchange, with time-outs and certificates where `call` has none; NC_EAUTH without an answer. */
int ncz_s3_ask(const ncz_s3_fetch *f, ncz_http_once *call, const char *what);
/* The endpoint that somebody configured for a service: `variable`, AWS_ENDPOINT_URL, the profile's. */
ncz_s3_setting ncz_s3_service_endpoint(const ncz_s3_fetch *f, const char *profile, const char *variable,
                                       const char *service);

/* ---- answers (creds_json.c): NC_EAUTH says what is wrong with them, and nothing of what stands in them ---- */

bool        ncz_s3_time_parse(const char *s, int64_t *out); /* ISO 8601 to seconds since 1970 */
int         ncz_s3_json_parse(const char *text, size_t len, const char *what, ncz_json **out);
void        ncz_s3_json_free(ncz_json *doc);                         /* wipes it first */
const char *ncz_s3_json_text(const ncz_json *doc, const char *name); /* in any case; NULL when absent or empty */
int         ncz_s3_json_keys(const ncz_json *doc, const char *what, ncz_s3_keys *out);

/* ---- STS (creds_sts.c) ---- */

typedef struct ncz_sts {
    const char *what; /* "AssumeRole", ... */
    const char *profile, *role;
    const char *region;
    char       *endpoint; /* without a slash at its end */
    ncz_buf     body;
    ncz_buf     headers;
} ncz_sts;

int  ncz_sts_begin(const ncz_s3_fetch *f, ncz_sts *s);             /* `what` and `profile` (or NULL) are set */
int  ncz_sts_put(ncz_sts *s, const char *name, const char *value); /* NULL: not at all */
int  ncz_sts_put_session(ncz_sts *s, const char *name);            /* NULL: a name of our own */
int  ncz_sts_ask(ncz_s3_fetch *f, ncz_sts *s, const ncz_s3_keys *keys, bool *found); /* signed with `keys`, or NULL */
void ncz_sts_clear(ncz_sts *s);

/* ---- sources, in files of their own ---- */

int ncz_s3_from_given(ncz_s3_fetch *f, bool *found);
int ncz_s3_from_env(ncz_s3_fetch *f, bool *found);
/* Keys that stand in a profile of one of the two files. */
int ncz_s3_from_file(ncz_s3_fetch *f, const char *profile, const ncz_ini *file, bool *found);

int ncz_s3_from_process(ncz_s3_fetch *f, const char *profile, bool *found); /* credential_process */
int ncz_s3_from_sso(ncz_s3_fetch *f, const char *profile, bool *found);
int ncz_s3_from_container(ncz_s3_fetch *f, bool *found);
int ncz_s3_from_machine(ncz_s3_fetch *f, bool *found); /* EC2's metadata service; postponed where f says so */
/* Roles: of the profile with the keys of another; of a token that says who we are, by variables or by a profile. */
int ncz_s3_from_role(ncz_s3_fetch *f, const char *profile, bool *found);
int ncz_s3_from_web_identity(ncz_s3_fetch *f, bool *found);

/* ---- the chain (creds_chain.c): all of them in turn ---- */

/* *found false: there is nothing, and that is no error here. */
int ncz_s3_walk(ncz_s3_fetch *f, bool *found);

#endif /* NCZ_S3_CREDS_INT_H */
