/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Credentials in use: fetched at first need, kept, fetched again before they end.
 *
 * One list for the process, so that all stores of a profile share one; what two share was made of the same profile,
 * variables and files' names. One thread fetches at a time, without the lock; others wait only when the keys at hand
 * cannot be used any more.
 */
#include "s3/credentials/creds_int.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum {
    ADVISORY_S = 15 * 60,  /* before their end one thread fetches others, while all still use these */
    MANDATORY_S = 10 * 60, /* and from here all wait for others */
    FRESH_S = 5,           /* keys that came so recently are not asked for again: there are hardly better ones */
};

struct ncz_creds {
    ncz_creds *next;
    size_t     refs;
    char       of[NCZ_S3_SHA256_HEX];
    /* what to ask with */
    char             *profile;
    bool              profile_first, amazon;
    ncz_s3_access_key given;
    char             *region, *ca_file, *ca_dir;
    /* what there is */
    pthread_mutex_t   lock;
    pthread_cond_t    changed;
    pid_t             busy;        /* the process of which a thread fetches; 0: none does */
    bool              asked, keep; /* asked: every source */
    bool              machine; /* EC2's metadata service, the last of them, has the keys, or has not been asked yet */
    uint64_t          flight;  /* counts the fetches that ended */
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
    ncz_free(c->source);
    ncz_buf_clear(&c->why);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    ncz_free(c);
}

void
ncz_creds_unref(ncz_creds *c)
{
    ncz_creds **at = &list;
    bool        last;

    if (c == NULL)
        return;
    pthread_mutex_lock(&list_lock);
    last = --c->refs == 0;
    while (last && *at != c)
        at = &(*at)->next;
    if (last)
        *at = c->next;
    pthread_mutex_unlock(&list_lock);
    if (last)
        creds_free(c);
}

static int
copy(char **to, const char *from)
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
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    if ((rc = copy(&c->profile, o->lookup->profile)) != NC_NOERR || (rc = copy(&c->region, o->region)) != NC_NOERR)
        goto done;
    if ((rc = copy(&c->ca_file, o->ca_file)) != NC_NOERR || (rc = copy(&c->ca_dir, o->ca_dir)) != NC_NOERR)
        goto done;
    if ((rc = ncz_s3_access_key_copy(&c->given, given)) != NC_NOERR)
        goto done;
    *out = c;
    c = NULL; /* now the caller's */
done:
    creds_free(c);
    return rc;
}

/* ---- which are the same ---- */

/* Every variable that a source looks at. */
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
};

static int
put_field(ncz_buf *b, const char *value)
{
    return ncz_buf_printf(b, "%c%s\n", value != NULL ? '=' : '-', value != NULL ? value : "");
}

/* A hash of all that decides, so that no secret is kept to compare with. */
static int
identity(const ncz_creds_opts *o, const ncz_s3_access_key *given, char out[NCZ_S3_SHA256_HEX])
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
                                     given->token};
    ncz_buf              b = NCZ_BUF_INIT;
    size_t               n = 0;
    int                  rc;

    for (size_t i = 0; i < NCZ_LEN(fields); i++)
        n += 2 + (fields[i] != NULL ? strlen(fields[i]) : 0);
    for (size_t i = 0; i < NCZ_LEN(variables); i++)
        n += 2 + (ncz_env(variables[i]) != NULL ? strlen(ncz_env(variables[i])) : 0);
    rc = ncz_buf_reserve(&b, n); /* at once: no copy stays behind */
    for (size_t i = 0; i < NCZ_LEN(fields) && rc == NC_NOERR; i++)
        rc = put_field(&b, fields[i]);
    for (size_t i = 0; i < NCZ_LEN(variables) && rc == NC_NOERR; i++)
        rc = put_field(&b, ncz_env(variables[i]));
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

    if ((rc = identity(opts, &given, of)) != NC_NOERR)
        return rc;
    if ((rc = creds_new(opts, &given, &made)) != NC_NOERR)
        return rc;
    memcpy(made->of, of, sizeof of);
    pthread_mutex_lock(&list_lock);
    for (c = list; c != NULL && strcmp(c->of, of) != 0;)
        c = c->next;
    if (c != NULL) {
        c->refs++;
    } else {
        made->next = list;
        list = c = made;
        made = NULL; /* now the list's */
    }
    pthread_mutex_unlock(&list_lock);
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

/* Reads the files anew: who renews keys writes them there. */
static int
walk(ncz_creds_fetch *f, bool *found)
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

/* What the walk brought becomes what there is. `c->lock` is held. */
static void
publish(ncz_creds *c, ncz_creds_fetch *f)
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
    f->keys = (ncz_s3_access_key){.id = NULL};
    f->source = NULL;
    f->why = NCZ_BUF_INIT;
}

/* The machine's own keys are better than none when its service does not answer: they are used on for a while. */
static void
extend(ncz_creds *c)
{
    int64_t now = ncz_creds_now();

    ncz_log(NCZ_LOG_WARN, "credentials of %s cannot be renewed and are used on: %s", c->source, ncz_err_text());
    if (c->keys.expires < now + ADVISORY_S)
        c->keys.expires = now + ADVISORY_S + (int64_t)(ncz_hash(&now, sizeof now) % 300);
}

/* Called with the lock and without anybody busy; returns with the lock. */
static int
fetch(ncz_creds *c, ncz_creds_need need)
{
    ncz_creds_fetch f = {.profile = c->profile,
                         .profile_first = c->profile_first,
                         .given = &c->given,
                         .region = c->region,
                         .ca_file = c->ca_file,
                         .ca_dir = c->ca_dir,
                         .amazon = c->amazon,
                         .at_hand = need == NCZ_CREDS_AT_HAND};
    bool            found = false;
    int             rc;

    c->busy = getpid();
    pthread_mutex_unlock(&c->lock);
    rc = walk(&f, &found);
    pthread_mutex_lock(&c->lock);
    c->busy = 0;
    c->flight++;
    if (rc == NC_NOERR && (found || c->keys.id == NULL || !c->keep)) {
        publish(c, &f);
    } else if (c->keep && c->keys.id != NULL) {
        extend(c);
        rc = NC_NOERR;
    }
    ncz_err_save(&c->failed, rc);
    pthread_cond_broadcast(&c->changed);
    fetch_clear(&f);
    return rc;
}

/* ---- what others ask ---- */

typedef enum freshness { GOOD, OLD, USELESS } freshness;

static freshness
look_at(const ncz_creds *c, bool refresh, ncz_creds_need need)
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

/* After a fork: who fetches, and who waits for that, is in the parent. */
static void
leave_to_parent(ncz_creds *c)
{
    if (c->busy == 0 || c->busy == getpid())
        return;
    c->busy = 0;
    pthread_cond_init(&c->changed, NULL);
}

/* Until there are keys that can be used, or it is known that there are none. */
static int
have(ncz_creds *c, bool refresh, ncz_creds_need need)
{
    for (;;) {
        freshness f = look_at(c, refresh, need);
        uint64_t  flight = c->flight;
        int       rc;

        if (f == GOOD || (f == OLD && c->busy != 0))
            return NC_NOERR;
        if (c->busy == 0) {
            rc = fetch(c, need);
            /* Short-lived keys are as good as they get when they have just come. */
            return f == OLD ? NC_NOERR : rc;
        }
        while (c->flight == flight)
            pthread_cond_wait(&c->changed, &c->lock);
        if (c->failed.code != NC_NOERR)
            return ncz_err_adopt(&c->failed);
        if (need == NCZ_CREDS_AT_HAND || c->asked)
            return NC_NOERR;
    }
}

static int
none(const ncz_creds *c, ncz_creds_need need, ncz_buf *why)
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
        return NC_NOERR; /* unsigned on purpose */
    pthread_mutex_lock(&c->lock);
    leave_to_parent(c);
    if ((rc = have(c, refresh, need)) == NC_NOERR) {
        bool has = c->keys.id != NULL && !(need == NCZ_CREDS_AT_HAND && c->machine);

        rc = has ? ncz_s3_access_key_copy(out, &c->keys) : none(c, need, why);
    }
    pthread_mutex_unlock(&c->lock);
    return rc;
}

int
ncz_creds_source(ncz_creds *c, char **out)
{
    if (c != NULL)
        pthread_mutex_lock(&c->lock);
    *out = ncz_strdup(c != NULL && c->source != NULL ? c->source : "none");
    if (c != NULL)
        pthread_mutex_unlock(&c->lock);
    return *out != NULL ? NC_NOERR : ncz_fail_nomem(64);
}
