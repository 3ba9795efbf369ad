/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_flush: stores all changes, in an order that leaves a readable dataset after a crash at any point:
 *
 *   1 store the dirty chunks (no document names new ones yet; a replaced one is complete, old or new)
 *   2 sync, so that no document becomes durable before the chunks that it describes; for a new dataset, check that
 *     the claim is still ours
 *   3 plan the changed documents; leave out those whose stored bytes are equal
 *     or, where other processes may have extended a dimension, read what is stored and keep the larger lengths
 *   4 put array documents, then groups, deepest first: a document follows all that it names, and the document that
 *     makes an array or group visible follows the node's others; for a new dataset, which is invisible before step 5,
 *     all in one batch
 *   5 put what readers look at first: the consolidated document, then the root's: the commit point
 *   6 sync again; clear the dirty marks
 *   7 delete the objects that a rename left under an old name, and the claim of a new dataset
 *
 * A store that commits all at once (ZMAP_COMMITS) needs no order; ncz_dataset_commit() replaces steps 2 and 6 there.
 *
 * With several ranks, all do steps 1 and 2, and when all have, rank 0 does the others (par.c).
 *
 * The documents of a new dataset are put before that, when define mode ends (ncz_dataset_documents_first()).
 *
 * After a failure the dirty marks and the table of stored documents still match the store, so the next flush
 * continues. A failed sync is final. Runs under the dataset's exclusive lock.
 */
#include "dataset/dataset_int.h"

#include <stdlib.h>
#include <string.h>

/* A document to store. */
typedef struct pending {
    ncz_stage stage;
    size_t    depth, seq;
    bool      visible; /* makes its node visible: put after the node's others */
    char     *key, *text;
    size_t    len;
    zmap_when when;
    char      version[ZMAP_VERSION]; /* with ZMAP_IF_MATCH */
} pending;

typedef struct plan {
    const ncz_doc_cache *stored;
    bool                 copies_first; /* ncz_dataset.copies_first */
    bool                 unseen;       /* a new dataset, invisible until its root's document is stored */
    pending             *v;
    size_t               n, cap;
} plan;

static int
add_document(void *arg, const ncz_doc_out *doc)
{
    plan   *p = arg;
    pending one = {
        .stage = doc->stage, .depth = ncz_key_depth(doc->key), .seq = p->n, .visible = doc->visible, .len = doc->len};
    int rc;

    if (ncz_doc_cache_same(p->stored, doc->key, doc->text, doc->len))
        return NC_NOERR;
    /* No reader sees these before the root's document, so their order is free: one batch. */
    if (p->unseen && doc->stage < NCZ_STAGE_CONSOLIDATED) {
        one.stage = NCZ_STAGE_ARRAY;
        one.depth = 0;
        one.visible = false;
    }
    if (p->copies_first && doc->stage == NCZ_STAGE_CONSOLIDATED) {
        one.stage = NCZ_STAGE_ARRAY;
        one.depth = SIZE_MAX;
    }
    if ((rc = ncz_make_room(&p->v, p->n, &p->cap, sizeof *p->v)) != NC_NOERR)
        return rc;
    one.key = ncz_strdup(doc->key);
    one.text = ncz_strndup(doc->text, doc->len);
    if (one.key == NULL || one.text == NULL) {
        ncz_free(one.key);
        ncz_free(one.text);
        return ncz_fail_nomem(doc->len);
    }
    p->v[p->n++] = one;
    return NC_NOERR;
}

static void
plan_clear(plan *p)
{
    for (size_t i = 0; i < p->n; i++) {
        ncz_free(p->v[i].key);
        ncz_free(p->v[i].text);
    }
    ncz_free(p->v);
}

/* Documents of equal rank are independent of each other, and are put in one batch. */
static int
by_rank(const pending *a, const pending *b)
{
    if (a->stage != b->stage)
        return a->stage < b->stage ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth > b->depth ? -1 : 1; /* deepest first */
    return (int)a->visible - (int)b->visible;
}

static int
by_rank_and_place(const void *x, const void *y)
{
    const pending *a = x, *b = y;
    int            d = by_rank(a, b);

    return d != 0 ? d : (a->seq > b->seq) - (a->seq < b->seq);
}

static int
put_batch(ncz_dataset *ds, const pending *v, size_t n)
{
    zmap_put_req *reqs = ncz_zalloc_n(n, sizeof *reqs);
    int           rc;

    if (reqs == NULL)
        return ncz_fail_nomem(n * sizeof *reqs);
    for (size_t i = 0; i < n; i++)
        reqs[i] = (zmap_put_req){.key = ds->root_deferred ? ncz_deferred_key(v[i].key) : v[i].key,
                                 .data = v[i].text,
                                 .len = v[i].len,
                                 .when = v[i].when,
                                 .version = v[i].version};
    rc = zmap_put_batch(ds->map, reqs, n);
    for (size_t i = 0; i < n; i++) {
        if (rc == NC_NOERR || reqs[i].err.code == NC_NOERR)
            ncz_doc_cache_set(&ds->stored, v[i].key, v[i].text, v[i].len);
        else
            ncz_doc_cache_forget(&ds->stored, v[i].key); /* the stored bytes are unknown now */
    }
    ncz_free(reqs);
    return rc;
}

static int
put_all(ncz_dataset *ds, plan *p)
{
    int rc = NC_NOERR;

    if (p->n > 1)
        qsort(p->v, p->n, sizeof *p->v, by_rank_and_place);
    for (size_t i = 0, end; rc == NC_NOERR && i < p->n; i = end) {
        for (end = i + 1; end < p->n && by_rank(&p->v[i], &p->v[end]) == 0;)
            end++;
        rc = put_batch(ds, &p->v[i], end - i);
    }
    return rc;
}

/* ---- documents that other processes store, too ----------------------------------------------------------------- */

enum { TRIES = 64, NAP_MOST_MS = 128 };

/* Finds which documents in the store are not those that we know, and makes each put depend on the version found. */
static int
find_versions(ncz_dataset *ds, plan *p, bool *changed)
{
    zmap_get_req *reqs = ncz_zalloc_n(p->n, sizeof *reqs);
    int           rc = NC_NOERR;

    if (reqs == NULL)
        return ncz_fail_nomem(p->n * sizeof *reqs);
    for (size_t i = 0; i < p->n; i++)
        reqs[i] = (zmap_get_req){.key = p->v[i].key,
                                 .len = ZMAP_WHOLE,
                                 .ask_version = true,
                                 .body = NCZ_BUF_LIMIT(ds->limits.document_bytes)};
    (void)zmap_get_batch(ds->map, reqs, p->n, NULL, NULL); /* each request has its own status */
    for (size_t i = 0; i < p->n; i++) {
        if (rc == NC_NOERR && reqs[i].err.code == NC_NOERR) {
            if (!ncz_doc_cache_same(&ds->stored, p->v[i].key, ncz_buf_str(&reqs[i].body), reqs[i].body.len)) {
                *changed = true;
                ncz_doc_cache_set(&ds->stored, p->v[i].key, ncz_buf_str(&reqs[i].body), reqs[i].body.len);
            }
            if (!ds->growth.unconditional && reqs[i].version[0] != '\0') {
                p->v[i].when = ZMAP_IF_MATCH;
                memcpy(p->v[i].version, reqs[i].version, sizeof p->v[i].version);
            }
        } else if (rc == NC_NOERR && reqs[i].err.code != NC_EEMPTY) {
            rc = ncz_err_adopt(&reqs[i].err);
        }
        ncz_buf_clear(&reqs[i].body);
    }
    ncz_free(reqs);
    return rc;
}

/* Plans and puts. *again: another process has stored documents meanwhile, and the lengths in them now count, too. */
static int
try_to_put(ncz_dataset *ds, bool all, bool *again, bool *some)
{
    plan p = {.stored = &ds->stored, .copies_first = ds->copies_first};
    int  rc;

    *again = false;
    if ((rc = ncz_dialects_plan(ds->model, &ds->style, all, add_document, &p)) != NC_NOERR || p.n == 0 ||
        (rc = find_versions(ds, &p, again)) != NC_NOERR)
        goto done;
    if (*again) {
        rc = ncz_lengths_merge(ds);
        goto done;
    }
    *some = true;
    rc = put_all(ds, &p);
    *again = rc == NC_EOBJECT || rc == NC_ENOOBJECT;
    if (rc == NC_ENOTBUILT && !ds->growth.unconditional) {
        ncz_log(NCZ_LOG_WARN,
                "%s: its server has no conditional puts: processes that make a dimension longer at the same time may "
                "lose records",
                ds->path);
        ds->growth.unconditional = *again = true;
    }
done:
    plan_clear(&p);
    return rc;
}

/* Puts the documents in such a way that no length of another process's becomes smaller: each one only in place of the
 * one that was read, and with the larger lengths. */
static int
put_shared(ncz_dataset *ds, bool all, bool *some)
{
    bool again = true;
    int  rc = NC_NOERR;

    for (int tries = 0; again && tries < TRIES; tries++) {
        int64_t  most = tries < 7 ? (int64_t)1 << tries : NAP_MOST_MS, now = ncz_now_ns();
        uint64_t mix[2] = {(uint64_t)now, (uint64_t)(uintptr_t)ds};

        if (tries > 1) /* a random pause, so that writers that met once do not meet again */
            ncz_sleep_ms((int64_t)(ncz_hash(mix, sizeof mix) % (uint64_t)most));
        rc = try_to_put(ds, all, &again, some);
        if (rc != NC_NOERR && !again)
            return rc;
    }
    return again
               ? ncz_fail(NC_EOBJECT,
                          "%s: other processes replace its documents again and again; nothing is lost, and the next "
                          "nc_sync() or nc_close() tries again",
                          ds->path)
               : rc;
}

/* Puts the changed documents, or all. *some: there were any. */
static int
put_planned(ncz_dataset *ds, bool all, bool *some)
{
    plan p = {.stored = &ds->stored, .unseen = ds->state == NCZ_DATASET_NEW, .copies_first = ds->copies_first};
    int  rc;

    *some = false;
    if (ncz_lengths_are_shared(ds))
        return put_shared(ds, all, some);
    if ((rc = ncz_dialects_plan(ds->model, &ds->style, all, add_document, &p)) == NC_NOERR)
        rc = put_all(ds, &p);
    *some = p.n > 0;
    plan_clear(&p);
    return rc;
}

/* ---- the flush ------------------------------------------------------------------------------------------------- */

int
ncz_dataset_drop_leftover(ncz_dataset *ds)
{
    int rc = ncz_key_list_del(ds->map, &ds->leftover);

    if (rc == NC_NOERR)
        ncz_key_list_clear(&ds->leftover);
    return rc;
}

int
ncz_dataset_put_documents(ncz_dataset *ds, bool all)
{
    bool some;

    return put_planned(ds, all, &some);
}

/*
 * Nothing is synced: after power loss documents may be missing, and the dataset can be created again. In an archive
 * the dirty marks stay: an archive is invisible until it is complete, and a rename of what only it holds needs no
 * flush.
 */
int
ncz_dataset_documents_first(ncz_dataset *ds, bool again)
{
    bool commits = (zmap_caps_of(ds->map) & ZMAP_COMMITS) != 0;
    int  rc;

    if (!ncz_dataset_is_new(ds) || (ds->state == NCZ_DATASET_DOCUMENTED && !again && !commits) ||
        (ds->cmode & NC_DISKLESS) != 0)
        return NC_NOERR;
    if ((rc = ncz_dataset_put_documents(ds, false)) != NC_NOERR || commits)
        return rc;
    ncz_dialects_mark_stored(ds->model);
    ds->state = NCZ_DATASET_DOCUMENTED;
    return NC_NOERR;
}

int
ncz_dataset_check_claim(ncz_dataset *ds)
{
    int rc = ds->home != NCZ_HOME_CALLER ? ncz_claim_check(ds->map, ds->path, ds->claim) : NC_NOERR;

    if (rc == NC_EEXIST)
        ncz_err_save(&ds->failed, rc);
    return rc;
}

int
ncz_dataset_store_documents(ncz_dataset *ds, bool all)
{
    bool some;
    int  rc;

    if ((rc = ncz_dataset_check_claim(ds)) != NC_NOERR ||      /* 2 */
        (rc = put_planned(ds, all, &some)) != NC_NOERR ||      /* 3, 4, 5 */
        (some && (rc = ncz_dataset_sync_map(ds)) != NC_NOERR)) /* 6 */
        return rc;
    ncz_dialects_mark_stored(ds->model);
    ds->state = NCZ_DATASET_STORED;
    if ((rc = ncz_dataset_drop_leftover(ds)) == NC_NOERR && !ds->root_deferred) /* 7 */
        rc = ncz_claim_drop(ds->map, &ds->claim);
    return rc;
}

int
ncz_dataset_store_state(ncz_dataset *ds, const ncz_var *v)
{
    int rc;

    if (!ncz_dataset_is_new(ds))
        return ncz_dataset_flush(ds, false);
    if ((rc = ncz_dataset_flush_chunks(ds, v->uid)) != NC_NOERR || ds->state != NCZ_DATASET_DOCUMENTED)
        return rc;
    return ncz_dataset_put_documents(ds, false);
}
