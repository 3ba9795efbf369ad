/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_doc_parse: parses the documents of one node for the format.
 *
 * Old writers left stale bytes after complete documents: the first value counts, the rest is logged. Dialects that no
 * such writer wrote have no such documents: there the rest is an error.
 */
#include "dataset/meta/meta_source_int.h"

int
ncz_doc_set_init(ncz_doc_set *h)
{
    h->reader = NULL;
    return ncz_json_reader_new(&h->reader);
}

void
ncz_doc_set_reset(ncz_doc_set *h)
{
    for (size_t k = 0; k < NCZ_DOCS_MOST; k++)
        h->got[k] = (ncz_docs_got){.doc = NULL, .err = NULL};
    ncz_json_reader_reset(h->reader);
}

void
ncz_doc_set_clear(ncz_doc_set *h)
{
    ncz_json_reader_free(h->reader);
    h->reader = NULL;
}

int
ncz_doc_set_parse(ncz_doc_set *h, const ncz_meta_source *s, size_t k, const char *key, const char *text, size_t len)
{
    const ncz_json_opts opts = {
        .mode = NCZ_JSON_LENIENT, .depth = s->limits->json_depth, .nbytes = s->limits->document_bytes, .name = key};
    size_t tail = 0;
    int    rc = ncz_json_read(h->reader, text, len, &opts, &h->got[k].doc, &tail);

    if (rc == NC_NOERR && tail > 0)
        rc = ncz_doc_check_tail(key, tail);
    if (rc != NC_NOERR) {
        ncz_err_save(&h->errs[k], rc);
        ncz_err_clear();
        h->got[k] = (ncz_docs_got){.err = &h->errs[k]};
    }
    return rc;
}

int
ncz_doc_check_tail(const char *key, size_t tail)
{
    if (!ncz_dialects_may_have_tail(key))
        return ncz_fail(NC_EZARRMETA, "%s: %zu bytes follow the document's end", key, tail);
    ncz_log(NCZ_LOG_WARN, "%s: %zu bytes after the document are ignored", key, tail);
    return NC_NOERR;
}

void
ncz_meta_fail(const ncz_meta_fetch *f, size_t i)
{
    ncz_docs_got got[NCZ_DOCS_MOST];
    ncz_err      err;

    ncz_err_save(&err, NC_ENOMEM);
    for (size_t k = 0; k < NCZ_DOCS_MOST; k++)
        got[k] = (ncz_docs_got){.doc = NULL, .err = &err};
    f->each(f->arg, i, got);
}
