/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_consolidated: the consolidated metadata, copies of all documents in one: a document of its own, or the
 * root's. Reading it only finds the copies; each is parsed on request, as a document of its own.
 */
#include "dataset/meta/meta_source_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_MOST 1024 /* bytes of the longest key that a store accepts */

/* ---- reading ---- */

/* Parses a document as far as the keys of its copies. */
static int
read_shallow(ncz_meta_source *s, const char *key, size_t depth, const ncz_json **doc)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT,
                                .depth = s->limits->json_depth,
                                .nbytes = s->limits->document_bytes,
                                .name = key,
                                .shallow = depth};
    size_t              tail = 0;
    int                 rc;

    if ((rc = ncz_json_reader_new(&s->reader)) != NC_NOERR ||
        (rc = ncz_json_read(s->reader, ncz_buf_str(&s->body), s->body.len, &opts, doc, &tail)) != NC_NOERR)
        return rc;
    return tail > 0 ? ncz_doc_check_tail(key, tail) : NC_NOERR;
}

/* ---- in a document of their own ---- */

/* Writers that know no consolidated metadata leave such a document stale, and nobody chose to have it. */
static bool
is_unasked(const ncz_json *doc)
{
    bool yes = false;

    return ncz_json_bool(ncz_json_get(doc, ncz_dialects_copies()->unasked), &yes) && yes;
}

int
ncz_consolidated_find_mark(ncz_meta_source *s, zmap_get_req *req)
{
    const ncz_json *doc = NULL;
    int             rc;

    s->body = req->body;
    req->body = NCZ_BUF_INIT;
    rc = read_shallow(s, req->key, 1, &doc);
    s->unasked = rc == NC_NOERR && is_unasked(doc);
    ncz_consolidated_clear(s);
    if (rc == NC_ENOMEM)
        return rc;
    ncz_err_clear();
    return NC_NOERR;
}

/*
 * The end of the document is read first, where that costs little, and says whether it has the mark: all of it is
 * megabytes, which would be thrown away. Most documents are no longer than that.
 */
#define END_BYTES ((size_t)16 << 10)

static bool
reads_end_first(const ncz_meta_source *s)
{
    const unsigned need = ZMAP_FROM_WORKERS | ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END;

    return s->wish != NCZ_CONSOLIDATED_MUST && (zmap_caps_of(s->map) & need) == need;
}

/* The mark as this library writes it. Such an end is the root's last member: the quote behind the space is no part of a
 * string. */
static bool
ends_unasked(const ncz_buf *end)
{
    char   mark[64];
    size_t len = (size_t)snprintf(mark, sizeof mark, ", \"%s\": true}", ncz_dialects_copies()->unasked);

    return end->len >= len && memcmp(end->data + end->len - len, mark, len) == 0;
}

static int
split_document(ncz_meta_source *s)
{
    const ncz_dialect_copies *copies = ncz_dialects_copies();
    const ncz_json           *doc = NULL;
    int                       rc = read_shallow(s, copies->key, 2, &doc);

    if (rc != NC_NOERR)
        return rc;
    if (s->wish != NCZ_CONSOLIDATED_MUST && is_unasked(doc)) {
        ncz_consolidated_clear(s);
        return NC_NOERR;
    }
    if (ncz_json_get(doc, copies->elsewhere) != NULL)
        return ncz_fail(
            NC_ENOTBUILT,
            "%s: this is a set of references in Parquet form, which is not read: write it as JSON, or as an "
            "Icechunk repository",
            copies->key);
    if (!ncz_json_is(ncz_json_get(doc, copies->member), NCZ_JSON_OBJECT))
        return ncz_fail(NC_EZARRMETA, "%s: no object \"%s\"", copies->key, copies->member);
    s->metadata = ncz_json_get(doc, copies->member);
    return NC_NOERR;
}

/* A damaged document is not needed: the documents that it copies exist, too. If the store fails to return it the load
 * fails: the store may hold a valid one and return nothing else, which would look like an empty dataset. */
static int
take_document(ncz_meta_source *s, zmap_get_req *req)
{
    bool must = s->wish == NCZ_CONSOLIDATED_MUST;
    int  rc;

    if (req->err.code == NC_EEMPTY && must)
        return ncz_fail(NC_EZARRMETA, "consolidated metadata were requested, but there is no %s", req->key);
    if (req->err.code == NC_EEMPTY)
        return NC_NOERR;
    if (req->err.code != NC_NOERR)
        return ncz_err_adopt(&req->err);
    s->body = req->body;
    req->body = NCZ_BUF_INIT;
    if ((rc = split_document(s)) == NC_NOERR || rc == NC_ENOMEM || rc == NC_ENOTBUILT || must)
        return rc;
    return ncz_meta_pass_over(s->warnings, "the documents themselves are read");
}

/* Takes a document whose end was read first. Unless that end says enough, the whole document is read. */
static int
take_end(ncz_meta_source *s, zmap_get_req *req)
{
    if (req->err.code == NC_NOERR && ends_unasked(&req->body))
        return NC_NOERR;
    if (req->err.code == NC_NOERR && req->size != req->body.len) {
        ncz_buf_clear(&req->body);
        *req = ncz_meta_request(s, req->key);
        (void)zmap_get_batch(s->map, req, 1, NULL, NULL);
        ncz_err_clear();
    }
    return take_document(s, req);
}

/* ---- inside the root's document ---- */

/* Keeps the root's document without the copies, so that it is not parsed with them. */
static int
keep_root(ncz_meta_source *s, const ncz_json *copies)
{
    size_t      len = 0;
    const char *begin = ncz_buf_str(&s->body), *cut = ncz_json_slice(copies, &len);
    size_t      before = cut != NULL ? (size_t)(cut - begin) : s->body.len;
    int         rc;

    if ((rc = ncz_buf_append(&s->root, begin, before)) != NC_NOERR || cut == NULL)
        return rc;
    if ((rc = ncz_buf_puts(&s->root, "null")) != NC_NOERR)
        return rc;
    return ncz_buf_append(&s->root, cut + len, s->body.len - before - len);
}

/* The root's document of the dialect that may hold the copies there. *found: it identifies the dataset. A document
 * that does not is reported by the loader, which reads it again. */
static int
take_root(ncz_meta_source *s, const ncz_dialect_ops *d, zmap_get_req *req, bool *found)
{
    const ncz_json *doc = NULL, *all = NULL;
    int             rc;

    if (req->err.code != NC_NOERR && req->err.code != NC_EEMPTY)
        return ncz_err_adopt(&req->err);
    s->root_known = true;
    if (req->err.code == NC_EEMPTY)
        return NC_NOERR;
    s->body = req->body;
    req->body = NCZ_BUF_INIT;
    if ((rc = read_shallow(s, req->key, d->copies.inside_depth, &doc)) == NC_ENOMEM)
        return rc;
    *found = rc == NC_NOERR && d->docs.enough(doc);
    s->metadata = *found ? d->copies.inside(doc, &all) : NULL;
    if ((rc = keep_root(s, s->metadata != NULL ? all : NULL)) != NC_NOERR)
        return rc;
    ncz_err_clear();
    if (s->metadata != NULL)
        s->inside = d;
    else
        ncz_consolidated_clear(s);
    if (*found && s->metadata == NULL && s->wish == NCZ_CONSOLIDATED_MUST)
        return ncz_fail(NC_EZARRMETA, "consolidated metadata were requested, but there are none in %s", req->key);
    return NC_NOERR;
}

/* ---- both ---- */

/*
 * Looks for copies in both places at once, so that a dataset of either kind opens after one round trip. `zarr_format`:
 * of the dialects to look for; 0: all.
 */
int
ncz_consolidated_init(ncz_meta_source *s, int zarr_format)
{
    const ncz_dialect_ops *d = ncz_dialects_copies_inside();
    bool                   only = d != NULL && zarr_format == ncz_format_zarr_version(d);
    bool         inside = d != NULL && (zarr_format == 0 || only), alone = d == NULL || !only, found = false;
    bool         end = reads_end_first(s);
    zmap_get_req reqs[2];
    size_t       n = 0;
    int          rc = NC_NOERR;

    if (inside)
        reqs[n++] = ncz_meta_request(s, d->docs.root[0]);
    if (alone)
        reqs[n++] = ncz_meta_request(s, ncz_dialects_copies()->key);
    if (alone && end) {
        reqs[n - 1].len = END_BYTES;
        reqs[n - 1].from_end = reqs[n - 1].ask_size = true;
    }
    (void)zmap_get_batch(s->map, reqs, n, NULL, NULL); /* each request has its own status */
    ncz_err_clear();
    if (inside)
        rc = take_root(s, d, &reqs[0], &found);
    if (rc == NC_NOERR && alone && !found)
        rc = end ? take_end(s, &reqs[n - 1]) : take_document(s, &reqs[n - 1]);
    for (size_t i = 0; i < n; i++)
        ncz_buf_clear(&reqs[i].body);
    return rc;
}

void
ncz_consolidated_clear(ncz_meta_source *s)
{
    ncz_json_reader_free(s->reader);
    ncz_buf_clear(&s->body);
    s->reader = NULL;
    s->metadata = NULL;
}

/* ---- answering from it ---- */

/* The copy of a document. Inside the root's document its key is the path of the node. */
static const ncz_json *
find_copy(const ncz_meta_source *s, const char *key)
{
    char        path[KEY_MOST + 1];
    const char *slash = s->inside != NULL ? strrchr(key, '/') : NULL;
    size_t      len = slash != NULL ? (size_t)(slash - key) : 0;

    if (s->inside == NULL)
        return ncz_json_get(s->metadata, key);
    if (len == 0 || len > KEY_MOST || strcmp(slash + 1, s->inside->docs.array) != 0)
        return NULL;
    memcpy(path, key, len);
    path[len] = '\0';
    return ncz_json_get(s->metadata, path);
}

void
ncz_consolidated_answer(const ncz_meta_fetch *f, ncz_doc_set *h, size_t i)
{
    ncz_meta_source *s = f->s;

    for (size_t k = 0; k < f->reqs[i].n; k++) {
        const char     *key = f->reqs[i].keys[k];
        const ncz_json *v = find_copy(s, key);
        size_t          len = 0;
        const char     *text = ncz_json_slice(v, &len);

        if (!ncz_json_is(v, NCZ_JSON_RAW))
            h->got[k].doc = v;
        else if (ncz_doc_set_parse(h, s, k, key, text, len) != NC_NOERR)
            atomic_store(&s->unsound, true);
    }
}

/* ---- listing ---- */

/* A child of a prefix, found in the keys of the copies. */
typedef struct child {
    const char *name; /* points into the document, `len` bytes */
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

/* The next segment of `key` below `prefix`; false if `key` is not below it. With `nodes` keys are those of nodes, not
 * of documents. */
static bool
child_of(const char *key, const char *prefix, bool nodes, child *out)
{
    size_t      n = strlen(prefix);
    const char *slash;

    if (n > 0) {
        if (strncmp(key, prefix, n) != 0 || key[n] != '/')
            return false;
        key += n + 1;
    }
    slash = strchr(key, '/');
    *out = (child){
        .name = key, .len = slash != NULL ? (size_t)(slash - key) : strlen(key), .leaf = slash == NULL && !nodes};
    return out->len > 0;
}

int
ncz_consolidated_list(void *arg, const char *prefix, int (*each)(const char *name, bool leaf, void *arg),
                      void *each_arg)
{
    ncz_meta_source *s = arg;
    size_t           all = ncz_json_len(s->metadata), n = 0;
    child           *c = ncz_alloc_n(all, sizeof *c);
    int              rc = NC_NOERR;

    if (c == NULL)
        return ncz_fail_nomem(all * sizeof *c);
    for (size_t i = 0; i < all; i++)
        n += ncz_json_key_whole(s->metadata, i) &&
             child_of(ncz_json_key(s->metadata, i), prefix, s->inside != NULL, &c[n]);
    /* Sorting makes equal names adjacent: each child is reported once, though several keys name it. */
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
