/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_meta_from_store: documents from the store. A store that is read by workers (ZMAP_FROM_WORKERS) gets the
 * requests of one node at a time. Any other gets all in one batch, and a node's documents are parsed on a worker when
 * the last of them has arrived.
 */
#include "dataset/meta/meta_source_int.h"

#include <string.h>

#define ROOM ((size_t)4095) /* initial bytes of each buffer; most documents need no more */

/* The store's request for one document, read into `body`. */
static zmap_get_req
wanted(const ncz_docs_req *r, const char *key, ncz_buf body)
{
    bool range = r->as == NCZ_DOCS_BYTES && r->len != 0;

    return (zmap_get_req){.key = key,
                          .off = range ? r->off : 0,
                          .len = range ? r->len : ZMAP_WHOLE,
                          .cut = range,
                          .ask_size = range,
                          .body = body};
}

static void
keep_bytes(ncz_meta_source *s, const zmap_get_req *req)
{
    if (s->stored == NULL)
        return;
    (void)pthread_mutex_lock(&s->lock);
    ncz_doc_cache_set(s->stored, s->root_deferred ? ncz_deferred_final_key(req->key) : req->key,
                      ncz_buf_str(&req->body), req->body.len);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Takes the result of one request. An absent document is not an error. */
static void
take_document(ncz_meta_source *s, ncz_doc_set *h, size_t k, const ncz_docs_req *r, const zmap_get_req *req)
{
    if (req->err.code == NC_EEMPTY)
        return;
    if (req->err.code != NC_NOERR) {
        h->errs[k] = req->err;
        h->got[k].err = &h->errs[k];
        return;
    }
    if (r->as == NCZ_DOCS_BYTES) {
        h->got[k].bytes = ncz_buf_str(&req->body);
        h->got[k].len = req->body.len;
        h->got[k].size = req->size;
    } else if (ncz_doc_set_parse(h, s, k, req->key, ncz_buf_str(&req->body), req->body.len) == NC_NOERR)
        keep_bytes(s, req);
}

/* ---- from a store that is read by workers ---- */

/* Empties a buffer, and reserves a document's usual size. Without memory the store grows the buffer later. */
static ncz_buf
empty_buffer(ncz_buf body)
{
    ncz_buf_reset(&body);
    if (body.cap == 0)
        (void)ncz_buf_reserve(&body, body.limit != 0 && body.limit < ROOM ? body.limit : ROOM);
    return body;
}

size_t
ncz_meta_ask(const ncz_meta_fetch *f, size_t i, ncz_buf *bodies, zmap_get_req *gets)
{
    size_t n = f->reqs[i].n;

    for (size_t k = 0; k < n; k++) {
        bodies[k] = empty_buffer(bodies[k]);
        gets[k] = wanted(&f->reqs[i], f->reqs[i].keys[k], bodies[k]);
    }
    return n;
}

void
ncz_meta_take(const ncz_meta_fetch *f, size_t i, ncz_doc_set *h, const zmap_get_req *gets, ncz_buf *bodies)
{
    ncz_err_clear();
    for (size_t k = 0; k < f->reqs[i].n; k++) {
        bodies[k] = gets[k].body;
        take_document(f->s, h, k, &f->reqs[i], &gets[k]);
    }
}

/* ---- from a store that takes all requests at once ---- */

typedef struct batch {
    const ncz_meta_fetch *f;
    zmap_get_req         *gets;
    size_t                ngets;
    size_t               *index; /* numbers of the requests, for tags */
    size_t               *first; /* of each request, its first get */
    size_t               *left;  /* of each request, its unfinished gets */
    size_t               *ready; /* requests in the order of completion */
    size_t                nready;
    ncz_pool_batch        pool;
} batch;

/* Parses and delivers a request whose objects have all arrived. */
static void
batch_ready(void *arg, size_t place, ncz_scratch *scratch)
{
    const batch          *b = arg;
    const ncz_meta_fetch *f = b->f;
    size_t                i = b->ready[place];
    ncz_doc_set           h;

    (void)scratch;
    if (ncz_doc_set_init(&h) != NC_NOERR) {
        ncz_meta_fail(f, i);
        return;
    }
    ncz_doc_set_reset(&h);
    for (size_t k = 0; k < f->reqs[i].n; k++)
        take_document(f->s, &h, k, &f->reqs[i], &b->gets[b->first[i] + k]);
    f->each(f->arg, i, h.got);
    for (size_t k = 0; k < f->reqs[i].n; k++)
        ncz_buf_clear(&b->gets[b->first[i] + k].body);
    ncz_doc_set_clear(&h);
}

static void
document_arrived(zmap_get_req *req, void *arg)
{
    batch *b = arg;
    size_t i = *(const size_t *)req->tag;

    if (--b->left[i] > 0)
        return;
    b->ready[b->nready++] = i;
    ncz_pool_add(&b->pool);
}

static void
batch_clear(batch *b)
{
    for (size_t k = 0; b->gets != NULL && k < b->ngets; k++)
        ncz_buf_clear(&b->gets[k].body);
    ncz_free(b->gets);
    ncz_free(b->index);
    ncz_free(b->first);
    ncz_free(b->left);
    ncz_free(b->ready);
}

static int
batch_init(batch *b, const ncz_meta_fetch *f)
{
    *b = (batch){.f = f};
    for (size_t i = 0; i < f->n; i++)
        b->ngets += f->reqs[i].n;
    b->gets = ncz_zalloc_n(b->ngets, sizeof *b->gets);
    b->index = ncz_alloc_n(f->n, sizeof *b->index);
    b->first = ncz_alloc_n(f->n, sizeof *b->first);
    b->left = ncz_alloc_n(f->n, sizeof *b->left);
    b->ready = ncz_alloc_n(f->n, sizeof *b->ready);
    if (b->gets == NULL || b->index == NULL || b->first == NULL || b->left == NULL || b->ready == NULL) {
        batch_clear(b);
        return ncz_fail_nomem(b->ngets * sizeof *b->gets);
    }
    for (size_t i = 0, at = 0; i < f->n; i++) {
        b->index[i] = i;
        b->first[i] = at;
        b->left[i] = f->reqs[i].n;
        for (size_t k = 0; k < f->reqs[i].n; k++, at++) {
            b->gets[at] = wanted(&f->reqs[i], f->reqs[i].keys[k], NCZ_BUF_LIMIT(f->s->limits->document_bytes));
            b->gets[at].tag = &b->index[i];
        }
    }
    return NC_NOERR;
}

int
ncz_meta_get_all(const ncz_meta_fetch *f)
{
    batch b;
    int   rc;

    if ((rc = batch_init(&b, f)) != NC_NOERR)
        return rc;
    ncz_pool_begin(&b.pool, batch_ready, &b);
    (void)zmap_get_batch(f->s->map, b.gets, b.ngets, document_arrived, &b); /* each request has its own status */
    ncz_pool_end(&b.pool);
    ncz_err_clear();
    batch_clear(&b);
    return NC_NOERR;
}

/* ---- the root's ---- */

/* Determines whether a consolidated document exists, and whether it has the mark of one written unasked. A writer
 * updates an existing one, so an invalid one will do: it is overwritten. */
static int
know_copies(ncz_meta_source *s, zmap_get_req *req)
{
    if (req->err.code == NC_EEMPTY)
        return NC_NOERR;
    if (req->err.code != NC_NOERR)
        return ncz_err_adopt(&req->err);
    s->copies = true;
    keep_bytes(s, req);
    return ncz_consolidated_find_mark(s, req);
}

/* Takes the root's first document if it is known from the search for copies. Returns the number of documents taken. */
static size_t
take_known(const ncz_meta_fetch *f, ncz_doc_set *h)
{
    const ncz_meta_source *s = f->s;

    if (!s->root_known || strcmp(f->reqs[0].keys[0], ncz_dialects_copies_inside()->docs.root[0]) != 0)
        return 0;
    if (s->root.len > 0)
        (void)ncz_doc_set_parse(h, s, 0, f->reqs[0].keys[0], ncz_buf_str(&s->root), s->root.len);
    return 1;
}

/* The requests for the root's documents, and last that for the consolidated document. */
static void
ask_root(const ncz_meta_fetch *f, zmap_get_req *gets)
{
    const ncz_docs_req *r = &f->reqs[0];

    for (size_t k = 0; k <= r->n; k++) {
        const char *key = k < r->n ? r->keys[k] : ncz_dialects_copies()->key;

        key = f->s->root_deferred ? ncz_deferred_key(key) : key;
        gets[k] =
            k < r->n ? wanted(r, key, NCZ_BUF_LIMIT(f->s->limits->document_bytes)) : ncz_meta_request(f->s, key);
    }
}

/* Takes the documents that came first. *enough: they suffice. */
static int
take_first(const ncz_meta_fetch *f, size_t n, const zmap_get_req *gets, ncz_doc_set *h, bool *enough)
{
    const ncz_docs_req *r = &f->reqs[0];

    for (size_t k = n; k < r->first; k++)
        take_document(f->s, h, k, r, &gets[k]);
    for (size_t k = n; k < r->first; k++)
        if (gets[k].err.code != NC_NOERR && gets[k].err.code != NC_EEMPTY)
            return ncz_err_adopt(&gets[k].err);
    *enough = r->enough(h->got, r->arg);
    return NC_NOERR;
}

static int
take_others(const ncz_meta_fetch *f, size_t n, zmap_get_req *gets, ncz_doc_set *h)
{
    const ncz_docs_req *r = &f->reqs[0];

    for (; n < r->n; n++)
        take_document(f->s, h, n, r, &gets[n]);
    return f->s->wish == NCZ_CONSOLIDATED_KNOW ? know_copies(f->s, &gets[n]) : NC_NOERR;
}

/* Fetches the first documents if they may suffice, then the others in one batch. A writer that must know whether
 * consolidated metadata exist has that request in the same batch, after the documents. After a failure of the first
 * requests no other is made. Each request has its own status. */
int
ncz_meta_get_root(const ncz_meta_fetch *f)
{
    const ncz_docs_req *r = &f->reqs[0];
    zmap_get_req        gets[NCZ_DOCS_MOST + 1];
    ncz_doc_set         h;
    size_t              n;
    bool                enough;
    int                 rc;

    if ((rc = ncz_doc_set_init(&h)) != NC_NOERR)
        return rc;
    ncz_doc_set_reset(&h);
    ask_root(f, gets);
    n = take_known(f, &h);
    enough = r->enough != NULL && r->enough(h.got, r->arg);
    if (!enough && r->enough != NULL && n < r->first) {
        (void)zmap_get_batch(f->s->map, gets + n, r->first - n, NULL, NULL);
        rc = take_first(f, n, gets, &h, &enough);
        n = r->first;
    }
    f->s->enough = rc == NC_NOERR && enough;
    if (rc == NC_NOERR && !enough) {
        (void)zmap_get_batch(f->s->map, gets + n, r->n - n + (f->s->wish == NCZ_CONSOLIDATED_KNOW), NULL, NULL);
        rc = take_others(f, n, gets, &h);
    }
    if (rc == NC_NOERR) {
        ncz_err_clear();
        f->each(f->arg, 0, h.got);
    }
    for (size_t k = 0; k <= r->n; k++)
        ncz_buf_clear(&gets[k].body);
    ncz_doc_set_clear(&h);
    return rc;
}

/* A document of the root that was not needed. */
static int
check_document(ncz_meta_source *s, ncz_doc_set *h, const char *key)
{
    zmap_get_req get = ncz_meta_request(s, s->root_deferred ? ncz_deferred_key(key) : key);
    int          rc;

    (void)zmap_get_batch(s->map, &get, 1, NULL, NULL);
    if ((rc = get.err.code) == NC_NOERR)
        rc = ncz_doc_set_parse(h, s, 0, key, ncz_buf_str(&get.body), get.body.len);
    if (rc == NC_NOERR && !ncz_json_is(h->got[0].doc, NCZ_JSON_OBJECT))
        rc = ncz_fail(NC_EZARRMETA, "%s: not a JSON object", key);
    else if (rc != NC_NOERR && rc != NC_EEMPTY)
        (void)ncz_err_adopt(get.err.code != NC_NOERR ? &get.err : &h->errs[0]);
    ncz_buf_clear(&get.body);
    return rc == NC_NOERR || rc == NC_EEMPTY ? NC_NOERR
                                             : ncz_meta_pass_over(s->warnings, "the dataset opens without it");
}

int
ncz_meta_check_unneeded(ncz_meta_source *s, const ncz_dialect_ops *dialect)
{
    ncz_doc_set h;
    int         rc;

    if (!s->enough || s->warnings == NULL || (zmap_caps_of(s->map) & ZMAP_FROM_WORKERS) == 0)
        return NC_NOERR;
    if ((rc = ncz_doc_set_init(&h)) != NC_NOERR)
        return rc;
    for (const ncz_root_doc *doc = dialect->docs.published; rc == NC_NOERR && doc->key != NULL; doc++) {
        if (strcmp(doc->key, dialect->docs.root[0]) == 0 ||
            (dialect->copies.key != NULL && strcmp(doc->key, dialect->copies.key) == 0))
            continue;
        ncz_doc_set_reset(&h);
        rc = check_document(s, &h, doc->key);
    }
    ncz_doc_set_clear(&h);
    return rc;
}
