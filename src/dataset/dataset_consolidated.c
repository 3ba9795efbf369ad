/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_consolidated: the consolidated document, which holds copies of all others. Reading it only finds the
 * copies; each is parsed on request, as a document of its own.
 */
#include "dataset/meta_source_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading it ---- */

static int
get_document(ncz_meta_source *s)
{
    zmap_get_req req = {
        .key = ncz_format_copies()->key, .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(s->limits->document_bytes)};

    (void)zmap_get_batch(s->map, &req, 1, NULL, NULL); /* the request has its own status */
    s->body = req.body;
    return req.err.code == NC_EEMPTY ? NC_EEMPTY : ncz_err_adopt(&req.err);
}

/* Finds the members of "metadata" without parsing them. */
static int
split_document(ncz_meta_source *s)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT,
                                .depth = s->limits->json_depth,
                                .nbytes = s->limits->document_bytes,
                                .name = ncz_format_copies()->key,
                                .shallow = 2};
    const ncz_json     *doc = NULL;
    size_t              tail = 0;
    int                 rc;

    if ((rc = ncz_json_reader_new(&s->reader)) != NC_NOERR ||
        (rc = ncz_json_read(s->reader, ncz_buf_str(&s->body), s->body.len, &opts, &doc, &tail)) != NC_NOERR)
        return rc;
    if (tail > 0)
        ncz_log(NCZ_LOG_WARN, "%s: %zu bytes after the document are ignored", ncz_format_copies()->key, tail);
    if (!ncz_json_is(ncz_json_get(doc, ncz_format_copies()->member), NCZ_JSON_OBJECT))
        return ncz_fail(NC_EZARRMETA, "%s: no object \"%s\"", ncz_format_copies()->key, ncz_format_copies()->member);
    s->metadata = ncz_json_get(doc, ncz_format_copies()->member);
    return NC_NOERR;
}

/* A damaged document is not needed: the documents that it copies exist, too. If the store fails to return it the load
 * fails: the store may hold a valid one and return nothing else, which would look like an empty dataset. */
int
ncz_consolidated_init(ncz_meta_source *s)
{
    bool must = s->wish == NCZ_CONSOLIDATED_MUST;
    int  rc = get_document(s);

    if (rc == NC_EEMPTY && must)
        return ncz_fail(NC_EZARRMETA, "consolidated metadata were requested, but there is no %s",
                        ncz_format_copies()->key);
    if (rc == NC_EEMPTY) {
        ncz_err_clear();
        return NC_NOERR;
    }
    if (rc != NC_NOERR || (rc = split_document(s)) == NC_NOERR || rc == NC_ENOMEM || must)
        return rc;
    ncz_log(NCZ_LOG_WARN, "%s; the documents themselves are read", ncz_err_text());
    ncz_err_clear();
    return NC_NOERR;
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

void
ncz_consolidated_answer(const ncz_meta_fetch *f, ncz_doc_set *h, size_t i)
{
    ncz_meta_source *s = f->s;

    for (size_t k = 0; k < f->reqs[i].n; k++) {
        const char     *key = f->reqs[i].keys[k];
        const ncz_json *v = ncz_json_get(s->metadata, key);
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

/* The next segment of `key` below `prefix`; false if `key` is not below it. */
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
        n += child_of(ncz_json_key(s->metadata, i), prefix, &c[n]);
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
