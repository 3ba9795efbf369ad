/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache of credentials: fetched at first use, kept, and fetched again before they expire.
 *
 * One list per process, so that all stores of a profile share an entry; entries are equal if profile, variables and
 * file names are. One thread fetches at a time, without the lock; others wait only if the present credentials cannot be
 * used any longer.
 */
#include "s3/credentials/creds_int.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum {
    ADVISORY_S = 15 * 60,  /* before expiry: one thread fetches new ones while the others use the old ones */
    MANDATORY_S = 10 * 60, /* before expiry: all wait for new ones */
    FRESH_S = 5,           /* credentials this new are not fetched again */
};

struct ncz_creds {
    ncz_creds *next;
    size_t     refs;
    char       of[NCZ_S3_SHA256_HEX];
    /* the options */
    char             *profile;
    bool              profile_first, amazon;
    ncz_s3_access_key given;
    char             *region, *ca_file, *ca_dir, *service, *proxy;
    ncz_login        *login; /* of the thread that fetches */
    /* the result */
    pthread_mutex_t   lock;
    pthread_cond_t    changed;
    pid_t             busy;        /* the process whose thread is fetching; 0: none */
    bool              asked, keep; /* asked: every source */
    bool              machine; /* EC2's metadata service, the last source, has the keys or has not been asked yet */
    uint64_t          flight;  /* number of finished fetches */
    ncz_err           failed;  /* of the last one */
    int64_t           fetched; /* monotonic seconds */
    ncz_s3_access_key keys;
    char             *source;
    ncz_buf           why;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static ncz_creds      *list;

/* ---- life ---- */

static void
creds_free(ncz_creds *c)
{
    if (c == NULL)
        return;
    ncz_s3_access_key_clear(&c->given);
    ncz_s3_access_key_clear(&c->keys);
    ncz_free(c->profile);
    ncz_free(c->region);
    ncz_free(c->ca_file);
    ncz_free(c->ca_dir);
    ncz_free_secret(c->service); /* its query may be one */
    ncz_free_secret(c->proxy);
    ncz_login_unref(c->login);
    ncz_free(c->source);
    ncz_buf_clear(&c->why);
    (void)pthread_cond_destroy(&c->changed);
    (void)pthread_mutex_destroy(&c->lock);
    ncz_free(c);
}

void
ncz_creds_unref(ncz_creds *c)
{
    ncz_creds **at = &list;
    bool        last;

    if (c == NULL)
        return;
    (void)pthread_mutex_lock(&list_lock);
    last = --c->refs == 0;
    while (last && *at != c)
        at = &(*at)->next;
    if (last)
        *at = c->next;
    (void)pthread_mutex_unlock(&list_lock);
    if (last)
        creds_free(c);
}

static int
copy_text(char **to, const char *from)
{
    if (from != NULL && (*to = ncz_strdup(from)) == NULL)
        return ncz_fail_nomem(strlen(from) + 1);
    return NC_NOERR;
}

static int
creds_new(const ncz_creds_opts *o, const ncz_s3_access_key *given, ncz_creds **out)
{
    ncz_creds *c = ncz_zalloc(sizeof *c);
    int        rc;

    if (c == NULL)
        return ncz_fail_nomem(sizeof *c);
    *c = (ncz_creds){.refs = 1, .profile_first = o->profile_first, .amazon = o->amazon};
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->changed, NULL);
    if ((rc = copy_text(&c->profile, o->lookup->profile)) != NC_NOERR ||
        (rc = copy_text(&c->region, o->region)) != NC_NOERR)
        goto done;
    if ((rc = copy_text(&c->ca_file, o->ca_file)) != NC_NOERR || (rc = copy_text(&c->ca_dir, o->ca_dir)) != NC_NOERR)
        goto done;
    if ((rc = copy_text(&c->service, o->service)) != NC_NOERR || (rc = copy_text(&c->proxy, o->proxy)) != NC_NOERR)
        goto done;
    if ((rc = ncz_s3_access_key_copy(&c->given, given)) != NC_NOERR)
        goto done;
    *out = c;
    c = NULL; /* now the caller's */
done:
    creds_free(c);
    return rc;
}

/* ---- equal entries ---- */

/* Every variable that a source reads. */
static const char *const variables[] = {
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_EC2_METADATA_DISABLED",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
    "AWS_EC2_METADATA_V1_DISABLED",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_STS",
    "AWS_ENDPOINT_URL_SSO",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "NCZARR_CREDENTIAL_PROCESS",
    "NETRC",
    "EARTHDATA_TOKEN",
};

static int
append_field(ncz_buf *b, const char *value)
{
    return ncz_buf_printf(b, "%c%s\n", value != NULL ? '=' : '-', value != NULL ? value : "");
}

/* A hash of all that matters: comparing it needs no copy of a secret. */
static int
hash_options(const ncz_creds_opts *o, const ncz_s3_access_key *given, char out[NCZ_S3_SHA256_HEX])
{
    const ncz_s3_lookup *l = o->lookup;
    const char          *fields[] = {l->profile,
                            o->profile_first ? "first" : NULL,
                            o->amazon ? "amazon" : NULL,
                                     o->region,
                                     o->ca_file,
                                     o->ca_dir,
                                     l->files->config_path,
                                     l->files->credentials_path,
                                     given->id,
                                     given->secret,
                                     given->token,
                                     o->service,
                                     o->proxy};
    ncz_buf              b = NCZ_BUF_INIT;
    size_t               n = 0;
    int                  rc;

    for (size_t i = 0; i < NCZ_LEN(fields); i++)
        n += 2 + (fields[i] != NULL ? strlen(fields[i]) : 0);
    for (size_t i = 0; i < NCZ_LEN(variables); i++)
        n += 2 + (ncz_env(variables[i]) != NULL ? strlen(ncz_env(variables[i])) : 0);
    rc = ncz_buf_reserve(&b, n); /* at once: growing would leave copies of secrets */
    for (size_t i = 0; i < NCZ_LEN(fields) && rc == NC_NOERR; i++)
        rc = append_field(&b, fields[i]);
    for (size_t i = 0; i < NCZ_LEN(variables) && rc == NC_NOERR; i++)
        rc = append_field(&b, ncz_env(variables[i]));
    if (rc == NC_NOERR)
        rc = ncz_s3_sha256_hex(b.data, b.len, out);
    ncz_wipe(b.data, b.cap);
    ncz_buf_clear(&b);
    return rc;
}

int
ncz_creds_open(const ncz_creds_opts *opts, ncz_creds **out)
{
    const ncz_s3_access_key given = {.id = (char *)ncz_s3_setting_url(opts->lookup, "access_key_id").value,
                                     .secret = (char *)ncz_s3_setting_url(opts->lookup, "secret_access_key").value,
                                     .token = (char *)ncz_s3_setting_url(opts->lookup, "session_token").value};
    ncz_creds              *c = NULL, *made = NULL;
    char                    of[NCZ_S3_SHA256_HEX];
    int                     rc;

    if ((rc = hash_options(opts, &given, of)) != NC_NOERR)
        return rc;
    if ((rc = creds_new(opts, &given, &made)) != NC_NOERR)
        return rc;
    memcpy(made->of, of, sizeof of);
    (void)pthread_mutex_lock(&list_lock);
    for (c = list; c != NULL && strcmp(c->of, of) != 0;)
        c = c->next;
    if (c != NULL) {
        c->refs++;
    } else {
        made->next = list;
        list = c = made;
        made = NULL; /* now the list's */
    }
    (void)pthread_mutex_unlock(&list_lock);
    creds_free(made);
    *out = c;
    return NC_NOERR;
}

/* ---- fetching ---- */

static void
fetch_clear(ncz_creds_fetch *f)
{
    ncz_s3_access_key_clear(&f->keys);
    ncz_free(f->source);
    ncz_buf_clear(&f->why);
}

/* Reads the files again: tools that renew keys write them there. */
static int
search_sources(ncz_creds_fetch *f, bool *found)
{
    ncz_s3_files files = {.home = NULL};
    int          rc;

    if ((rc = ncz_s3_files_load(&files)) != NC_NOERR)
        return rc;
    f->files = &files;
    rc = ncz_creds_search(f, found);
    f->files = NULL;
    ncz_s3_files_clear(&files);
    return rc;
}

/* Where they come from, never what they are. */
static void
log_source(const ncz_creds *c)
{
    if (c->keys.id != NULL)
        ncz_log(NCZ_LOG_INFO, "credentials from %s", c->source);
    else if (c->asked)
        ncz_log(NCZ_LOG_INFO, "no credentials: %s", ncz_buf_str(&c->why));
}

/* Moves the result of a search into the entry. `c->lock` is held. */
static void
publish_result(ncz_creds *c, ncz_creds_fetch *f)
{
    ncz_s3_access_key_clear(&c->keys);
    ncz_free(c->source);
    ncz_buf_clear(&c->why);
    c->keys = f->keys;
    c->source = f->source;
    c->why = f->why;
    c->keep = f->keep;
    c->machine = f->postponed || f->of_machine;
    c->asked = !f->postponed;
    c->fetched = ncz_now_ms() / 1000;
    log_source(c);
    f->keys = (ncz_s3_access_key){.id = NULL};
    f->source = NULL;
    f->why = NCZ_BUF_INIT;
}

/* If EC2's service fails, its old keys may still work: extends them for a while. */
static void
extend_expiry(ncz_creds *c)
{
    int64_t now = ncz_creds_now();

    ncz_log(NCZ_LOG_WARN, "credentials of %s cannot be renewed and stay in use: %s", c->source, ncz_err_text());
    if (c->keys.expires < now + ADVISORY_S)
        c->keys.expires = now + ADVISORY_S + (int64_t)(ncz_hash(&now, sizeof now) % 300);
}

/* Called when no thread is fetching. The lock is held before and after, and released in between. */
static int
fetch_credentials(ncz_creds *c, ncz_creds_need need)
{
    ncz_creds_fetch f = {.profile = c->profile,
                         .profile_first = c->profile_first,
                         .given = &c->given,
                         .region = c->region,
                         .ca_file = c->ca_file,
                         .ca_dir = c->ca_dir,
                         .amazon = c->amazon,
                         .service = c->service,
                         .proxy = c->proxy,
                         .login = &c->login,
                         .at_hand = need == NCZ_CREDS_AT_HAND};
    bool            found = false;
    int             rc;

    c->busy = getpid();
    (void)pthread_mutex_unlock(&c->lock);
    rc = search_sources(&f, &found);
    (void)pthread_mutex_lock(&c->lock);
    c->busy = 0;
    c->flight++;
    if (rc == NC_NOERR && (found || c->keys.id == NULL || !c->keep)) {
        publish_result(c, &f);
    } else if (c->keep && c->keys.id != NULL) {
        extend_expiry(c);
        rc = NC_NOERR;
    }
    ncz_err_save(&c->failed, rc);
    (void)pthread_cond_broadcast(&c->changed);
    fetch_clear(&f);
    return rc;
}

/* ---- use ---- */

typedef enum freshness { GOOD, OLD, USELESS } freshness;

static freshness
check_freshness(const ncz_creds *c, bool refresh, ncz_creds_need need)
{
    int64_t left = c->keys.expires != 0 ? c->keys.expires - ncz_creds_now() : INT64_MAX;
    bool    fresh = ncz_now_ms() / 1000 - c->fetched < FRESH_S;

    if (need == NCZ_CREDS_AT_HAND && c->machine)
        return GOOD;
    if (!c->asked || (refresh && !fresh))
        return USELESS;
    if (c->keys.id == NULL || left > ADVISORY_S || (fresh && left > 0))
        return GOOD;
    return left > MANDATORY_S ? OLD : USELESS;
}

/* After a fork the fetching thread and those that wait for it exist only in the parent. */
static void
leave_to_parent(ncz_creds *c)
{
    if (c->busy == 0 || c->busy == getpid())
        return;
    c->busy = 0;
    (void)pthread_cond_init(&c->changed, NULL);
}

/* Waits until there are usable keys, or none are found. */
static int
wait_for_credentials(ncz_creds *c, bool refresh, ncz_creds_need need)
{
    for (;;) {
        freshness f = check_freshness(c, refresh, need);
        uint64_t  flight = c->flight;
        int       rc;

        if (f == GOOD || (f == OLD && c->busy != 0))
            return NC_NOERR;
        if (c->busy == 0) {
            rc = fetch_credentials(c, need);
            /* Keys that are still valid may be used if fetching fails. */
            return f == OLD ? NC_NOERR : rc;
        }
        while (c->flight == flight)
            (void)pthread_cond_wait(&c->changed, &c->lock);
        if (c->failed.code != NC_NOERR)
            return ncz_err_adopt(&c->failed);
        if (need == NCZ_CREDS_AT_HAND || c->asked)
            return NC_NOERR;
    }
}

static int
report_none(const ncz_creds *c, ncz_creds_need need, ncz_buf *why)
{
    if (need == NCZ_CREDS_REQUIRED)
        return ncz_fail(NC_EAUTH, "no AWS credentials to write with: %s", ncz_buf_str(&c->why));
    return why != NULL ? ncz_buf_puts(why, ncz_buf_str(&c->why)) : NC_NOERR;
}

int
ncz_creds_get(ncz_creds *c, bool refresh, ncz_creds_need need, ncz_s3_access_key *out, ncz_buf *why)
{
    int rc;

    *out = (ncz_s3_access_key){.id = NULL};
    if (c == NULL)
        return NC_NOERR; /* unsigned requests are wanted */
    (void)pthread_mutex_lock(&c->lock);
    leave_to_parent(c);
    if ((rc = wait_for_credentials(c, refresh, need)) == NC_NOERR) {
        bool has = c->keys.id != NULL && !(need == NCZ_CREDS_AT_HAND && c->machine);

        rc = has ? ncz_s3_access_key_copy(out, &c->keys) : report_none(c, need, why);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return rc;
}

int
ncz_creds_source(ncz_creds *c, char **out)
{
    if (c != NULL)
        (void)pthread_mutex_lock(&c->lock);
    *out = ncz_strdup(c != NULL && c->source != NULL ? c->source : "none");
    if (c != NULL)
        (void)pthread_mutex_unlock(&c->lock);
    return *out != NULL ? NC_NOERR : ncz_fail_nomem(64);
}
