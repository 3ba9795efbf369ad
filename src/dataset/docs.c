/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * docs: where a format gets its documents from: the map, or the one consolidated document that holds copies of all.
 * Each is asked for once, parsed where it arrives (on the workers, some nodes at a time, or as a batch map hands it
 * over), given to the format, and let go of. Of the consolidated document the parts are found first and parsed when
 * they are asked for, as documents of their own.
 *
 * Old writers left stale bytes behind complete documents: the first value counts, the log says so.
 */
#include "dataset/dataset_int.h"

#include <stdlib.h>
#include <string.h>

#define CONSOLIDATED ".zmetadata"
#define RUN 8 /* nodes that one task fetches, so that what a reader of JSON needs is made once for them */

/* ---- one node's documents ---- */

/* The documents of one node on their way to the format. */
typedef struct hand {
    ncz_json_reader *reader;
    ncz_docs_got     got[NCZ_DOCS_MOST];
    ncz_err          errs[NCZ_DOCS_MOST];
} hand;

static void
hand_reset(hand *h)
{
    for (size_t k = 0; k < NCZ_DOCS_MOST; k++)
        h->got[k] = (ncz_docs_got){.doc = NULL, .err = NULL};
    ncz_json_reader_reset(h->reader);
}

static void
hand_fail(hand *h, size_t k, int rc)
{
    ncz_err_save(&h->errs[k], rc);
    ncz_err_clear();
    h->got[k].err = &h->errs[k];
}

static int
parse(const ncz_source *s, hand *h, size_t k, const char *key, const char *text, size_t len)
{
    const ncz_json_opts opts = {
        .mode = NCZ_JSON_LENIENT, .depth = s->limits->json_depth, .nbytes = s->limits->document_bytes, .name = key};
    size_t tail = 0;
    int    rc = ncz_json_read(h->reader, text, len, &opts, &h->got[k].doc, &tail);

    if (rc != NC_NOERR)
        hand_fail(h, k, rc);
    else if (tail > 0)
        ncz_log(NCZ_LOG_WARN, "%s: %zu bytes behind the document are ignored", key, tail);
    return rc;
}

/* What one request brought: nothing there is no error. */
static void
take(ncz_source *s, hand *h, size_t k, const zmap_get_req *req)
{
    if (req->err.code == NC_EEMPTY)
        return;
    if (req->err.code != NC_NOERR) {
        h->errs[k] = req->err;
        h->got[k].err = &h->errs[k];
        return;
    }
    if (parse(s, h, k, req->key, ncz_buf_str(&req->body), req->body.len) == NC_NOERR && s->stored != NULL) {
        (void)pthread_mutex_lock(&s->lock);
        ncz_stored_set(s->stored, req->key, ncz_buf_str(&req->body), req->body.len);
        (void)pthread_mutex_unlock(&s->lock);
    }
}

/* One fetch: what all its tasks share. */
typedef struct fetching {
    ncz_source         *s;
    const ncz_docs_req *reqs;
    size_t              n;
    ncz_docs_fn         each;
    void               *arg;
    zmap_get_req       *gets;  /* of a batch map: all of them */
    size_t             *first; /* of each request's gets */
    size_t             *left;  /* gets that are under way */
    size_t             *ready; /* requests in the order in which they were complete */
    size_t              nready;
    ncz_pool_batch      pool;
} fetching;

/* No reader, no documents: every one of the request failed for want of memory. */
static void
fail_all(const fetching *f, size_t i)
{
    ncz_docs_got got[NCZ_DOCS_MOST];
    ncz_err      err;

    ncz_err_save(&err, NC_ENOMEM);
    for (size_t k = 0; k < NCZ_DOCS_MOST; k++)
        got[k] = (ncz_docs_got){.doc = NULL, .err = &err};
    f->each(f->arg, i, got);
}

static void
early_clear(ncz_source *s)
{
    for (size_t k = 0; s->early != NULL && k < NCZ_ROOT_KEYS; k++)
        ncz_buf_clear(&s->early[k].body);
    ncz_free(s->early);
    s->early = NULL;
}

/* ---- from the consolidated document ---- */

static void
answer(const fetching *f, hand *h, size_t i)
{
    ncz_source *s = f->s;

    for (size_t k = 0; k < f->reqs[i].n; k++) {
        const char     *key = f->reqs[i].keys[k];
        const ncz_json *v = ncz_json_get(s->metadata, key);
        size_t          len = 0;
        const char     *text = ncz_json_slice(v, &len);

        if (!ncz_json_is(v, NCZ_JSON_RAW))
            h->got[k].doc = v;
        else if (parse(s, h, k, key, text, len) != NC_NOERR)
            atomic_store(&s->unsound, true);
    }
}

/* ---- from a map that is read by workers ---- */

static void
get(const fetching *f, hand *h, ncz_buf *bodies, size_t i)
{
    zmap_get_req gets[NCZ_DOCS_MOST];
    size_t       n = f->reqs[i].n;

    for (size_t k = 0; k < n; k++) {
        gets[k] = (zmap_get_req){.key = f->reqs[i].keys[k], .len = ZMAP_WHOLE, .body = bodies[k]};
        ncz_buf_reset(&gets[k].body);
    }
    (void)zmap_get_batch(f->s->map, gets, n, NULL, NULL); /* each request has its own status */
    ncz_err_clear();
    for (size_t k = 0; k < n; k++) {
        bodies[k] = gets[k].body;
        take(f->s, h, k, &gets[k]);
    }
}

/* The requests of one task. */
static void
fetch_run(void *arg, size_t run, ncz_scratch *scratch)
{
    const fetching *f = arg;
    size_t          lo = run * RUN, hi = f->n - lo < RUN ? f->n : lo + RUN;
    ncz_buf         bodies[NCZ_DOCS_MOST];
    hand            h = {.reader = NULL};
    int             rc = ncz_json_reader_new(&h.reader);

    (void)scratch;
    for (size_t k = 0; k < NCZ_DOCS_MOST; k++)
        bodies[k] = NCZ_BUF_LIMIT(f->s->limits->document_bytes);
    for (size_t i = lo; i < hi; i++) {
        if (rc != NC_NOERR) {
            fail_all(f, i);
            continue;
        }
        hand_reset(&h);
        if (f->s->metadata != NULL)
            answer(f, &h, i);
        else
            get(f, &h, bodies, i);
        f->each(f->arg, i, h.got);
    }
    for (size_t k = 0; k < NCZ_DOCS_MOST; k++)
        ncz_buf_clear(&bodies[k]);
    ncz_json_reader_free(h.reader);
}

/* ---- from a map that likes all at once ---- */

/* A request whose objects are all here. */
static void
fetch_ready(void *arg, size_t place, ncz_scratch *scratch)
{
    fetching *f = arg;
    size_t    i = f->ready[place];
    hand      h = {.reader = NULL};

    (void)scratch;
    if (ncz_json_reader_new(&h.reader) != NC_NOERR) {
        fail_all(f, i);
        return;
    }
    hand_reset(&h);
    for (size_t k = 0; k < f->reqs[i].n; k++)
        take(f->s, &h, k, &f->gets[f->first[i] + k]);
    f->each(f->arg, i, h.got);
    for (size_t k = 0; k < f->reqs[i].n; k++)
        ncz_buf_clear(&f->gets[f->first[i] + k].body);
    ncz_json_reader_free(h.reader);
}

static void
landed(zmap_get_req *req, void *arg)
{
    fetching *f = arg;
    size_t    i = *(const size_t *)req->tag;

    if (--f->left[i] > 0)
        return;
    f->ready[f->nready++] = i;
    ncz_pool_add(&f->pool);
}

static void
batch_clear(fetching *f, size_t nkeys)
{
    for (size_t k = 0; f->gets != NULL && k < nkeys; k++)
        ncz_buf_clear(&f->gets[k].body);
    ncz_free(f->gets);
    ncz_free(f->first);
    ncz_free(f->left);
    ncz_free(f->ready);
}

static int
fetch_batch(fetching *f)
{
    size_t nkeys = 0, *index = NULL;
    int    rc = NC_NOERR;

    for (size_t i = 0; i < f->n; i++)
        nkeys += f->reqs[i].n;
    f->gets = ncz_zalloc_n(nkeys, sizeof *f->gets);
    f->first = ncz_alloc_n(f->n, sizeof *f->first);
    f->left = ncz_alloc_n(f->n, sizeof *f->left);
    f->ready = ncz_alloc_n(f->n, sizeof *f->ready);
    index = ncz_alloc_n(f->n, sizeof *index);
    if (f->gets == NULL || f->first == NULL || f->left == NULL || f->ready == NULL || index == NULL) {
        rc = ncz_fail_nomem(nkeys * sizeof *f->gets);
        goto done;
    }
    for (size_t i = 0, at = 0; i < f->n; i++) {
        f->first[i] = at;
        f->left[i] = f->reqs[i].n;
        index[i] = i;
        for (size_t k = 0; k < f->reqs[i].n; k++, at++)
            f->gets[at] = (zmap_get_req){.key = f->reqs[i].keys[k],
                                         .len = ZMAP_WHOLE,
                                         .body = NCZ_BUF_LIMIT(f->s->limits->document_bytes),
                                         .tag = &index[i]};
    }
    ncz_pool_begin(&f->pool, fetch_ready, f);
    (void)zmap_get_batch(f->s->map, f->gets, nkeys, landed, f); /* each request has its own status */
    ncz_pool_end(&f->pool);
    ncz_err_clear();
done:
    batch_clear(f, nkeys);
    ncz_free(index);
    return rc;
}

/* The root's documents, which came with the first batch. They are asked for first, and once. */
static int
give_early(const fetching *f)
{
    ncz_source *s = f->s;
    hand        h = {.reader = NULL};
    int         rc;

    if ((rc = ncz_json_reader_new(&h.reader)) != NC_NOERR)
        return rc;
    hand_reset(&h);
    for (size_t k = 0; k < NCZ_ROOT_KEYS; k++)
        take(s, &h, k, &s->early[k]);
    f->each(f->arg, 0, h.got);
    ncz_json_reader_free(h.reader);
    early_clear(s);
    return NC_NOERR;
}

static int
fetch(void *arg, const ncz_docs_req *reqs, size_t n, ncz_docs_fn each, void *each_arg)
{
    fetching f = {.s = arg, .reqs = reqs, .n = n, .each = each, .arg = each_arg};

    if (f.s->metadata == NULL && f.s->early != NULL)
        return give_early(&f);
    if (f.s->metadata == NULL && (zmap_caps_of(f.s->map) & ZMAP_FROM_WORKERS) == 0)
        return fetch_batch(&f);
    ncz_pool_each((n + RUN - 1) / RUN, SIZE_MAX, fetch_run, &f);
    return NC_NOERR;
}

/* ---- listing ---- */

typedef int (*each_fn)(const char *name, bool leaf, void *arg);

static int
list_map(void *arg, const char *prefix, each_fn each, void *each_arg)
{
    ncz_source *s = arg;

    return zmap_list(s->map, prefix, each, each_arg);
}

/* A child of a prefix as the keys of .zmetadata name it. */
typedef struct child {
    const char *name; /* in the document, `len` bytes */
    size_t      len;
    bool        leaf;
} child;

static int
by_name(const void *a, const void *b)
{
    const child *x = a, *y = b;
    int          d = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

    return d != 0 ? d : (x->len > y->len) - (x->len < y->len);
}

/* The next segment of `key` below `prefix`; false when it does not lie there. */
static bool
child_of(const char *key, const char *prefix, child *out)
{
    size_t      n = strlen(prefix);
    const char *slash;

    if (n > 0) {
        if (strncmp(key, prefix, n) != 0 || key[n] != '/')
            return false;
        key += n + 1;
    }
    slash = strchr(key, '/');
    *out = (child){.name = key, .len = slash != NULL ? (size_t)(slash - key) : strlen(key), .leaf = slash == NULL};
    return out->len > 0;
}

static int
list_metadata(void *arg, const char *prefix, each_fn each, void *each_arg)
{
    ncz_source *s = arg;
    size_t      all = ncz_json_len(s->metadata), n = 0;
    child      *c = ncz_alloc_n(all, sizeof *c);
    int         rc = NC_NOERR;

    if (c == NULL)
        return ncz_fail_nomem(all * sizeof *c);
    for (size_t i = 0; i < all; i++)
        n += child_of(ncz_json_key(s->metadata, i), prefix, &c[n]);
    qsort(c, n, sizeof *c, by_name);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        char *name;

        if (i > 0 && by_name(&c[i - 1], &c[i]) == 0)
            continue;
        if ((name = ncz_strndup(c[i].name, c[i].len)) == NULL)
            rc = ncz_fail_nomem(c[i].len + 1);
        else
            rc = each(name, c[i].leaf, each_arg);
        ncz_free(name);
    }
    ncz_free(c);
    return rc;
}

/* ---- the source ---- */

/* Is there a consolidated document? What a batch map has no cheap way to tell comes with the root's documents, in the
 * one batch, unless it is known that they will not be needed. */
static int
get_copies(ncz_source *s, ncz_copies copies)
{
    zmap_get_req reqs[NCZ_ROOT_KEYS + 1];
    bool         batch = (zmap_caps_of(s->map) & ZMAP_FROM_WORKERS) == 0 && copies != NCZ_COPIES_MUST;
    size_t       n = batch ? NCZ_LEN(reqs) : 1;
    int          rc;

    if (batch && (s->early = ncz_zalloc_n(NCZ_ROOT_KEYS, sizeof *s->early)) == NULL)
        return ncz_fail_nomem(NCZ_ROOT_KEYS * sizeof *s->early);
    for (size_t i = 0; i < n; i++)
        reqs[i] = (zmap_get_req){.key = i == 0 ? CONSOLIDATED : ncz_format_root_keys[i - 1],
                                 .len = ZMAP_WHOLE,
                                 .body = NCZ_BUF_LIMIT(s->limits->document_bytes)};
    (void)zmap_get_batch(s->map, reqs, n, NULL, NULL); /* each request has its own status */
    for (size_t i = 1; i < n; i++)
        s->early[i - 1] = reqs[i];
    s->body = reqs[0].body;
    rc = reqs[0].err.code == NC_EEMPTY ? NC_EEMPTY : ncz_err_adopt(&reqs[0].err);
    s->copies = rc == NC_NOERR;
    return rc;
}

/* The members of "metadata" are found, not parsed. */
static int
split_copies(ncz_source *s)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT,
                                .depth = s->limits->json_depth,
                                .nbytes = s->limits->document_bytes,
                                .name = CONSOLIDATED,
                                .shallow = 2};
    const ncz_json *doc = NULL;
    size_t          tail = 0;
    int             rc;

    if ((rc = ncz_json_reader_new(&s->reader)) != NC_NOERR ||
        (rc = ncz_json_read(s->reader, ncz_buf_str(&s->body), s->body.len, &opts, &doc, &tail)) != NC_NOERR)
        return rc;
    if (tail > 0)
        ncz_log(NCZ_LOG_WARN, "%s: %zu bytes behind the document are ignored", CONSOLIDATED, tail);
    if (!ncz_json_is(ncz_json_get(doc, "metadata"), NCZ_JSON_OBJECT))
        return ncz_fail(NC_EZARRMETA, "%s: no object \"metadata\"", CONSOLIDATED);
    s->metadata = ncz_json_get(doc, "metadata");
    return NC_NOERR;
}

static int
init_copies(ncz_source *s, ncz_copies copies)
{
    int rc = get_copies(s, copies);

    if (copies == NCZ_COPIES_KNOW) { /* whatever it says: it will be written over */
        if (rc == NC_NOERR && s->stored != NULL)
            ncz_stored_set(s->stored, CONSOLIDATED, ncz_buf_str(&s->body), s->body.len);
        ncz_buf_clear(&s->body);
        return rc == NC_EEMPTY ? NC_NOERR : rc;
    }
    if (rc == NC_NOERR)
        rc = split_copies(s);
    if (rc == NC_NOERR)
        return rc;
    if (copies == NCZ_COPIES_MUST)
        return rc == NC_EEMPTY ? ncz_fail(NC_EZARRMETA, "consolidated metadata were asked for, but there is no %s",
                                          CONSOLIDATED)
                               : rc;
    if (rc == NC_ENOMEM)
        return rc;
    if (rc != NC_EEMPTY)
        ncz_log(NCZ_LOG_WARN, "%s; the documents themselves are read", ncz_err_text());
    ncz_err_clear();
    return NC_NOERR;
}

int
ncz_source_init(ncz_source *s, zmap *map, const ncz_limits *limits, ncz_copies copies, ncz_stored *stored)
{
    int rc;

    *s = (ncz_source){.map = map, .limits = limits, .stored = stored, .body = NCZ_BUF_INIT};
    atomic_init(&s->unsound, false);
    if ((rc = pthread_mutex_init(&s->lock, NULL)) != 0) {
        s->map = NULL;
        return ncz_fail_errno(rc, "making a lock");
    }
    return copies == NCZ_COPIES_IGNORE ? NC_NOERR : init_copies(s, copies);
}

ncz_docs
ncz_source_docs(ncz_source *s)
{
    bool can_list = s->metadata != NULL || (zmap_caps_of(s->map) & ZMAP_CAN_LIST) != 0;

    return (ncz_docs){.arg = s,
                      .fetch = fetch,
                      .list = !can_list             ? NULL
                              : s->metadata != NULL ? list_metadata
                                                    : list_map};
}

void
ncz_source_clear(ncz_source *s)
{
    if (s->map == NULL)
        return;
    early_clear(s);
    ncz_json_reader_free(s->reader);
    ncz_buf_clear(&s->body);
    (void)pthread_mutex_destroy(&s->lock);
    s->map = NULL;
}
