/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_claim: the claim of a session that creates a new dataset. nc_create() puts the object CLAIM_KEY first, on
 * condition that it does not exist. The first commit deletes it, after the root's documents are stored. In a bucket a
 * session that replaces or deletes a dataset puts it, too, before it deletes the first object. Hence
 *   - of two sessions that start at one place at the same time only one succeeds, and only that one deletes;
 *   - the remains of a writer that died are recognised as a dataset's, and may be replaced or deleted;
 *   - a session whose claim was replaced notices it before it reports success, and deletes nothing there.
 *
 * The claim names the session and its process. The claim of a running process on this machine is respected. Any other
 * may be replaced: its writer is presumed dead.
 *
 * A server without conditional puts gets the claim unconditionally, and is asked afterwards whose claim it has. The
 * last of two sessions succeeds there; the other one notices it when it asks next, at the latest when it stores its
 * documents.
 *
 * Archives appear as a whole, so they need no claim. Stores that cannot list need none either: nothing is ever
 * removed from them. Nor does a dialect that does not mark its writers (ncz_dialect_ops).
 */
#include "dataset/dataset_int.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define CLAIM_KEY  ".nczarr-writer"
#define UNFINISHED "nczarr began a dataset here, and did not complete it\n"
#define WRITER     "\nprocess "
#define MOST_BYTES 4096

bool
ncz_claim_is_key(const char *key)
{
    return strcmp(key, CLAIM_KEY) == 0;
}

static bool
is_needed(const zmap *map)
{
    unsigned caps = zmap_caps_of(map);

    return (caps & ZMAP_CAN_LIST) != 0 && (caps & ZMAP_COMMITS) == 0;
}

/* Makes the claim's text, which is unique to the session. */
static int
make_text(ncz_buf *out)
{
    static atomic_uint sessions;
    struct timespec    now = {0};
    int                rc;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if ((rc = ncz_buf_puts(out, "nczarr is making a dataset here" WRITER)) != NC_NOERR ||
        (rc = ncz_process_id(out)) != NC_NOERR)
        return rc;
    return ncz_buf_printf(out, "\nsession %lld.%09ld %u\n", (long long)now.tv_sec, now.tv_nsec,
                          atomic_fetch_add(&sessions, 1));
}

static int
put_claim(zmap *map, const char *text)
{
    zmap_put_req req = {.key = CLAIM_KEY, .data = text, .len = strlen(text), .when = ZMAP_ALWAYS};

    return zmap_put_batch(map, &req, 1);
}

/* Puts a claim: where none is (`version` NULL), or in place of that version, as far as the store can tell. NC_EEXIST:
 * another writer's is there. */
static int
put_claim_if(zmap *map, const char *path, const char *version, const char *text)
{
    bool         can = (zmap_caps_of(map) & (version == NULL ? ZMAP_CAN_IF_ABSENT : ZMAP_CAN_IF_MATCH)) != 0;
    zmap_put_req req = {.key = CLAIM_KEY,
                        .data = text,
                        .len = strlen(text),
                        .when = version == NULL ? ZMAP_IF_ABSENT : ZMAP_IF_MATCH,
                        .version = version};
    int          rc;

    if (!can || (version != NULL && version[0] == '\0'))
        rc = put_claim(map, text);
    else if ((rc = zmap_put_batch(map, &req, 1)) == NC_ENOTBUILT && /* a server without conditional puts */
             (rc = put_claim(map, text)) == NC_NOERR)
        rc = ncz_claim_check(map, path, text);
    if (rc == NC_EOBJECT || rc == NC_ENOOBJECT)
        rc = ncz_fail(NC_EEXIST, "%s: another writer began a dataset there at this moment; nothing is changed", path);
    return rc;
}

/* A put failed, and may have taken effect nevertheless. `rc` stays the failure. */
static int
undo_put(zmap *map, const char *path, const char *text, int rc)
{
    const char *key = CLAIM_KEY;
    ncz_err     err;

    ncz_err_save(&err, rc);
    if (ncz_claim_check(map, path, text) == NC_NOERR)
        (void)zmap_del(map, &key, 1);
    return ncz_err_adopt(&err);
}

/* Makes a claim, and puts it. */
static int
put_own_claim(zmap *map, const char *path, const char *version, char **claim)
{
    ncz_buf text = NCZ_BUF_INIT;
    char   *own = NULL;
    int     rc;

    if ((rc = make_text(&text)) != NC_NOERR)
        goto done;
    if ((own = ncz_strdup(text.data)) == NULL) {
        rc = ncz_fail_nomem(text.len + 1);
        goto done;
    }
    if ((rc = put_claim_if(map, path, version, own)) == NC_NOERR) {
        *claim = own;
        own = NULL;
    } else if (rc != NC_EEXIST) {
        rc = undo_put(map, path, own, rc);
    }
done:
    ncz_free(own);
    ncz_buf_clear(&text);
    return rc;
}

int
ncz_claim_put(zmap *map, const ncz_dialect_ops *d, const char *path, char **claim)
{
    return is_needed(map) && (d == NULL || d->traits.marks_writers) ? put_own_claim(map, path, NULL, claim)
                                                                    : NC_NOERR;
}

static int
get_claim(zmap *map, ncz_buf *text)
{
    *text = NCZ_BUF_LIMIT(MOST_BYTES);
    return zmap_get(map, CLAIM_KEY, text);
}

/* NC_EEXIST: the process named in a claim is running. */
static int
check_writer(const char *text, const char *path)
{
    const char *writer = strstr(text, WRITER);
    long        pid = writer != NULL ? ncz_process_running(writer + strlen(WRITER)) : 0;

    if (pid != 0)
        return ncz_fail(NC_EEXIST, "%s: process %ld is creating or deleting a dataset there; nothing is changed",
                        path, pid);
    return NC_NOERR;
}

int
ncz_claim_check(zmap *map, const char *path, const char *claim)
{
    ncz_buf text;
    int     rc;

    if (claim == NULL)
        return NC_NOERR;
    rc = get_claim(map, &text);
    if (rc == NC_EEMPTY || (rc == NC_NOERR && strcmp(ncz_buf_str(&text), claim) != 0))
        rc = ncz_fail(NC_EEXIST,
                      "%s: another writer has begun a dataset there meanwhile; this one is abandoned, and the "
                      "other one is unchanged",
                      path);
    ncz_buf_clear(&text);
    return rc;
}

int
ncz_claim_take(zmap *map, const char *path, char **claim, bool *died)
{
    zmap_get_req there = {
        .key = CLAIM_KEY, .len = ZMAP_WHOLE, .ask_version = true, .body = NCZ_BUF_LIMIT(MOST_BYTES)};
    int rc;

    *died = false;
    (void)zmap_get_batch(map, &there, 1, NULL, NULL); /* the request has its own status */
    if (there.err.code == NC_EEMPTY) {
        rc = ncz_claim_put(map, NULL, path, claim);
        goto done;
    }
    if ((rc = there.err.code) != NC_NOERR) {
        (void)ncz_err_adopt(&there.err);
        goto done;
    }
    if ((rc = check_writer(ncz_buf_str(&there.body), path)) != NC_NOERR)
        goto done;
    *died = strstr(ncz_buf_str(&there.body), WRITER) != NULL;
    /* On condition that the claim is still the one just read: of two sessions that take over only one succeeds. */
    rc = put_own_claim(map, path, there.version, claim);
done:
    ncz_buf_clear(&there.body);
    return rc;
}

int
ncz_claim_drop(zmap *map, char **claim)
{
    const char *key = CLAIM_KEY;
    int         rc;

    if (*claim == NULL)
        return NC_NOERR;
    if ((rc = zmap_del(map, &key, 1)) == NC_NOERR) {
        ncz_free(*claim);
        *claim = NULL;
    }
    return rc;
}

void
ncz_claim_abandon(zmap *map, char **claim)
{
    if (*claim == NULL)
        return;
    if (put_claim(map, UNFINISHED) != NC_NOERR)
        ncz_err_clear(); /* harmless: the claim is void once this process ends */
    ncz_free(*claim);
    *claim = NULL;
}

int
ncz_claim_check_free(zmap *map, const char *path)
{
    ncz_buf text;
    int     rc = get_claim(map, &text);

    if (rc == NC_NOERR)
        rc = check_writer(ncz_buf_str(&text), path);
    ncz_buf_clear(&text);
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

int
ncz_claim_is_open(zmap *map, bool *open)
{
    const char *writer;
    ncz_buf     text;
    int         rc = get_claim(map, &text);

    *open = false;
    if (rc == NC_NOERR && (writer = strstr(ncz_buf_str(&text), WRITER)) != NULL)
        *open = !ncz_process_ended(writer + strlen(WRITER));
    ncz_buf_clear(&text);
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

int
ncz_claim_explain(zmap *map, const char *path, int rc, bool *begun)
{
    bool    deferred = false, here = false;
    ncz_err err;

    if (rc == NC_ENOTNC && is_needed(map)) {
        ncz_err_save(&err, rc);
        deferred = ncz_deferred_is_there(map);
        here = deferred || zmap_len(map, CLAIM_KEY, NULL) == NC_NOERR;
        rc = ncz_err_adopt(&err);
    }
    if (begun != NULL)
        *begun = here;
    if (!here)
        return rc;
    return ncz_fail(rc,
                    deferred ? "%s: a dataset that is not complete: its writer is still running, or died. nczcopy "
                               "--resume continues a copy; to create it again replaces it"
                             : "%s: a dataset of which nothing is defined yet: its writer is still running, or died. "
                               "To create it again replaces it",
                    path);
}
