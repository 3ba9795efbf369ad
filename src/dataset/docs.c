/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * docs: where a format gets its documents from: the map, or the one consolidated document that holds copies of all.
 * Each document is fetched and parsed once and stays valid until the source is cleared. Used by one thread.
 *
 * Old writers left stale bytes behind complete documents: the first value counts, the log says so.
 */
#include "dataset/dataset_int.h"

#include <stdlib.h>
#include <string.h>

#define CONSOLIDATED ".zmetadata"

static int
parse(ncz_source *s, const char *key, const ncz_buf *body, const ncz_json **out)
{
    const ncz_json_opts opts = {
        .mode = NCZ_JSON_LENIENT, .depth = s->limits->json_depth, .nbytes = s->limits->document_bytes, .name = key};
    ncz_json *doc = NULL;
    size_t    tail = 0;
    int       rc;

    if (s->nparsed == s->cap) {
        size_t     cap = s->cap == 0 ? 64 : s->cap * 2;
        ncz_json **v = ncz_grow(s->parsed, cap, sizeof *v);

        if (v == NULL)
            return ncz_fail_nomem(cap * sizeof *v);
        s->parsed = v;
        s->cap = cap;
    }
    if ((rc = ncz_json_parse(ncz_buf_str(body), body->len, &opts, &doc, &tail)) != NC_NOERR)
        return rc;
    if (tail > 0)
        ncz_log(NCZ_LOG_WARN, "%s: %zu bytes behind the document are ignored", key, tail);
    s->parsed[s->nparsed++] = doc;
    *out = doc;
    return NC_NOERR;
}

/* What one request brought: nothing there is no error. */
static int
take(ncz_source *s, zmap_get_req *req, const ncz_json **out)
{
    int rc;

    *out = NULL;
    if (req->err.code == NC_EEMPTY)
        return NC_NOERR;
    if (req->err.code != NC_NOERR)
        return ncz_err_adopt(&req->err);
    if ((rc = parse(s, req->key, &req->body, out)) == NC_NOERR && s->stored != NULL)
        ncz_stored_set(s->stored, req->key, ncz_buf_str(&req->body), req->body.len);
    return rc;
}

static int
fetch(void *arg, const char *const *keys, size_t n, const ncz_json **out)
{
    ncz_source   *s = arg;
    zmap_get_req *reqs;
    int           rc = NC_NOERR;

    if (s->metadata != NULL) {
        for (size_t i = 0; i < n; i++)
            out[i] = ncz_json_get(s->metadata, keys[i]);
        return NC_NOERR;
    }
    if ((reqs = ncz_zalloc_n(n, sizeof *reqs)) == NULL)
        return ncz_fail_nomem(n * sizeof *reqs);
    for (size_t i = 0; i < n; i++)
        reqs[i] = (zmap_get_req){.key = keys[i], .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(s->limits->document_bytes)};

    (void)zmap_get_batch(s->map, reqs, n, NULL, NULL); /* each request has its own status */
    for (size_t i = 0; i < n; i++) {
        if (rc == NC_NOERR)
            rc = take(s, &reqs[i], &out[i]);
        ncz_buf_clear(&reqs[i].body);
    }
    ncz_free(reqs);
    return rc;
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

static int
load_consolidated(ncz_source *s)
{
    ncz_buf         body = NCZ_BUF_LIMIT(s->limits->document_bytes);
    const ncz_json *doc = NULL;
    int             rc = zmap_get(s->map, CONSOLIDATED, &body);

    if (rc == NC_NOERR && (rc = parse(s, CONSOLIDATED, &body, &doc)) == NC_NOERR) {
        s->metadata = ncz_json_get(doc, "metadata");
        if (!ncz_json_is(s->metadata, NCZ_JSON_OBJECT)) {
            s->metadata = NULL;
            rc = ncz_fail(NC_EZARRMETA, "%s: no object \"metadata\"", CONSOLIDATED);
        }
    }
    ncz_buf_clear(&body);
    return rc;
}

int
ncz_source_init(ncz_source *s, zmap *map, const ncz_limits *limits, ncz_tri consolidated, ncz_stored *stored)
{
    int rc;

    *s = (ncz_source){.map = map, .limits = limits, .stored = stored};
    if (consolidated == NCZ_NO)
        return NC_NOERR;
    if ((rc = load_consolidated(s)) == NC_NOERR || consolidated == NCZ_YES) {
        if (rc == NC_EEMPTY)
            return ncz_fail(NC_EZARRMETA, "consolidated metadata were asked for, but there is no %s", CONSOLIDATED);
        return rc;
    }
    if (rc == NC_ENOMEM)
        return rc;
    if (rc != NC_EEMPTY)
        ncz_log(NCZ_LOG_WARN, "%s; the documents themselves are read", ncz_err_text());
    ncz_err_clear();
    return NC_NOERR;
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
    for (size_t i = 0; i < s->nparsed; i++)
        ncz_json_free(s->parsed[i]);
    ncz_free(s->parsed);
    *s = (ncz_source){.map = NULL};
}
