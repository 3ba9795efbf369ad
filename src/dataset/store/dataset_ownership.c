/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_ownership: which objects of a store belong to a dataset. All deletion checks this first: one foreign object
 * and nothing is deleted, so that an arbitrary directory is never emptied. Only a caller that says replace=all gets
 * all of a place without a check.
 */
#include "dataset/dataset_int.h"

#include <string.h>

enum { MARKS_MOST = 32 };

/* Requests an empty range of each mark: only its existence matters. */
int
ncz_owner_is_dataset(zmap *map, bool *out)
{
    static char  none[1];
    zmap_get_req reqs[MARKS_MOST];
    size_t       n = 0;
    int          rc;

    for (size_t i = 0; ncz_dialects[i] != NULL; i++)
        for (const char *const *mark = ncz_dialects[i]->docs.marks; *mark != NULL && n < MARKS_MOST; mark++)
            reqs[n++] = (zmap_get_req){.key = *mark, .into = none};
    if ((rc = zmap_get_batch(map, reqs, n, NULL, NULL)) != NC_NOERR)
        return rc;
    *out = false;
    for (size_t i = 0; i < n; i++)
        *out = *out || reqs[i].err.code == NC_NOERR;
    return NC_NOERR;
}

static int
on_any(const char *key, uint64_t size, void *arg)
{
    (void)key;
    (void)size;
    *(bool *)arg = false;
    return 1; /* one object suffices: stop */
}

/* Looks for objects, not for children: MinIO lists the prefixes of deleted objects for a moment longer. */
int
ncz_owner_store_empty(zmap *map, bool *out)
{
    bool empty = true;
    int  rc = zmap_walk(map, "", on_any, &empty);

    if (rc != NC_NOERR && empty)
        return rc;
    *out = empty;
    return NC_NOERR;
}

bool
ncz_owner_is_root_key(const char *key)
{
    return ncz_owner_is_document(key) || ncz_claim_is_key(key) || ncz_deferred_is_key(key) ||
           ncz_growth_is_key(key) || ncz_probe_is_key(key);
}

/* True if the key is a chunk, after its first `below` bytes, of an array of this dialect whose document is among
 * `keys`. */
static int
is_chunk_of(const ncz_dialect_ops *d, const ncz_key_list *keys, const char *key, size_t below, bool *out)
{
    char *doc;

    *out = false;
    if (ncz_dialects_parse_key(d, key + below, NCZ_RANK_ANY, NULL) != NCZ_KEY_CHUNK)
        return NC_NOERR;
    if ((doc = ncz_sprintf("%.*s%s", (int)below, key, d->docs.array)) == NULL)
        return ncz_fail_nomem(below + strlen(d->docs.array) + 1);
    *out = ncz_key_list_has(keys, doc);
    ncz_free(doc);
    return NC_NOERR;
}

/* True if `key` is a chunk of any variable whose document is among `keys`. A chunk's key may have several segments,
 * so each prefix is tried. */
static int
is_chunk(const ncz_key_list *keys, const char *key, bool *out)
{
    int rc = NC_NOERR;

    *out = false;
    for (size_t below = strlen(key) + 1; rc == NC_NOERR && !*out && below-- > 0;) {
        if (below > 0 && key[below - 1] != '/')
            continue;
        for (size_t i = 0; rc == NC_NOERR && !*out && ncz_dialects[i] != NULL; i++)
            rc = is_chunk_of(ncz_dialects[i], keys, key, below, out);
    }
    return rc;
}

/* ---- chunks without a document --------------------------------------------------------------------------------- */

/* The state of a scan over chunks that no document names: those of a variable whose writer died. */
typedef struct orphans {
    const char *key;    /* the previous one */
    size_t      folder; /* bytes of its variable's key */
    size_t      rank;
    bool        first; /* one of them is the first chunk of a variable */
} orphans;

/* True if `key` may be a chunk whose variable has no document. All chunks of one variable have the same count of
 * numbers. */
static bool
is_orphan(orphans *o, const char *key)
{
    ncz_chunk_key k;
    bool          is = false, same;

    for (size_t i = 0; !is && ncz_dialects[i] != NULL; i++)
        is = ncz_dialects[i]->keys.split_chunk_key != NULL && ncz_dialects[i]->keys.split_chunk_key(key, &k);
    if (!is)
        return false;
    same = o->key != NULL && o->folder == k.below && strncmp(o->key, key, k.below) == 0;
    if (same && o->rank != k.rank)
        return false;
    *o = (orphans){.key = key, .folder = k.below, .rank = k.rank, .first = o->first || k.first};
    return true;
}

/* ---- all keys of a dataset ------------------------------------------------------------------------------------- */

static int
refuse_key(const char *what, const char *key, bool root, int refusal)
{
    ncz_buf marks = NCZ_BUF_INIT;
    int     rc;

    if (root)
        return ncz_fail(NC_EEXIST, "%s holds %s, which is not part of a dataset: nothing is removed", what, key);
    if ((rc = ncz_dialects_marks_text(&marks)) == NC_NOERR)
        rc = ncz_fail(refusal, "%s is not a dataset (looked for %s; it holds %s): not removed", what,
                      ncz_buf_str(&marks), key);
    ncz_buf_clear(&marks);
    return rc;
}

/*
 * Without a root document or a claim only chunks may be present: the remains of a writer of this library's first
 * version. Documents further down may belong to several datasets in one directory. Mail directories contain files
 * with numbers for names, too, but none named 0; so one of the chunks must be a first one.
 */
static int
check_keys(const ncz_key_list *keys, const char *what, int refusal)
{
    orphans     lost = {.key = NULL};
    const char *below = NULL; /* a document that is not the root's */
    bool        root = false;
    int         rc = NC_NOERR;

    for (size_t i = 0; i < keys->n; i++) {
        const char *key = keys->v[i];

        if (ncz_owner_is_root_key(key) && strchr(key, '/') == NULL)
            root = true;
        else if (ncz_owner_is_root_key(key) && !ncz_growth_is_key(key))
            below = key;
    }
    for (size_t i = 0; rc == NC_NOERR && i < keys->n; i++) {
        bool chunk = false;

        if (ncz_owner_is_root_key(keys->v[i]))
            continue;
        if ((rc = is_chunk(keys, keys->v[i], &chunk)) == NC_NOERR && !chunk && !is_orphan(&lost, keys->v[i]))
            rc = refuse_key(what, keys->v[i], root, refusal);
    }
    if (rc == NC_NOERR && !root && below != NULL)
        rc = refuse_key(what, below, false, refusal);
    if (rc == NC_NOERR && !root && keys->n > 0 && !lost.first)
        rc = refuse_key(what, keys->v[0], false, refusal);
    return rc;
}

int
ncz_owner_all_keys(zmap *map, const char *what, int refusal, ncz_owner_scope scope, ncz_key_list *keys)
{
    int rc = ncz_key_list_walk(map, "", keys);

    if (rc == NC_NOERR && scope != NCZ_OWNER_ALL)
        rc = check_keys(keys, what, refusal);
    return rc == NC_NOERR && scope == NCZ_OWNER_DATASET ? ncz_members_check(map, what, keys) : rc;
}

/* The three steps of a deletion. */
static int
deletion_step(const char *key)
{
    if (ncz_claim_is_key(key))
        return 2;
    return strchr(key, '/') == NULL && ncz_owner_is_root_key(key) ? 1 : 0;
}

int
ncz_owner_del_all(zmap *map, const ncz_key_list *keys, bool claim_too)
{
    const char **some = ncz_alloc_n(keys->n, sizeof *some);
    int          rc = NC_NOERR;

    if (some == NULL && keys->n > 0)
        return ncz_fail_nomem(keys->n * sizeof *some);
    for (int step = 0; rc == NC_NOERR && step < (claim_too ? 3 : 2); step++) {
        size_t n = 0;

        for (size_t i = 0; i < keys->n; i++)
            if (deletion_step(keys->v[i]) == step)
                some[n++] = keys->v[i];
        rc = n > 0 ? zmap_del(map, some, n) : NC_NOERR;
    }
    ncz_free(some);
    return rc;
}
