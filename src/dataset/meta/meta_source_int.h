/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the files of the source of documents.
 *
 *   dataset_meta_source.c      the source
 *   dataset_meta_from_store.c  documents from the store
 *   dataset_consolidated.c     documents from the consolidated document
 *   dataset_doc_parse.c        parses the documents of one node
 */
#ifndef NCZ_DOCS_INT_H
#define NCZ_DOCS_INT_H

#include "dataset/dataset_int.h"

/* One fetch, shared by all its tasks. */
typedef struct ncz_meta_fetch {
    ncz_meta_source    *s;
    const ncz_docs_req *reqs;
    size_t              n;
    ncz_docs_fn         each;
    void               *arg;
    size_t              run; /* requests per task */
} ncz_meta_fetch;

/* ---- dataset_doc_parse.c ---- */

/* The documents of one node while they are passed to the format. */
typedef struct ncz_doc_set {
    ncz_json_reader *reader;
    ncz_docs_got     got[NCZ_DOCS_MOST];
    ncz_err          errs[NCZ_DOCS_MOST];
} ncz_doc_set;

int  ncz_doc_set_init(ncz_doc_set *h);
void ncz_doc_set_reset(ncz_doc_set *h);
void ncz_doc_set_clear(ncz_doc_set *h);
/* Parses the bytes of document k, or records the failure. */
int ncz_doc_set_parse(ncz_doc_set *h, const ncz_meta_source *s, size_t k, const char *key, const char *text,
                      size_t len);
/* What follows a document: ignored with a line in the log, or an error. */
int  ncz_doc_check_tail(const char *key, size_t tail);
void ncz_meta_fail(const ncz_meta_fetch *f, size_t i); /* reports NC_ENOMEM for request i */

/* ---- dataset_meta_from_store.c ---- */

/* The store's request for a whole document. */
static inline zmap_get_req
ncz_meta_request(const ncz_meta_source *s, const char *key)
{
    return (zmap_get_req){.key = key, .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(s->limits->document_bytes)};
}

/* The gets of request i, into `bodies`, which are kept for the next one. How many. */
size_t ncz_meta_ask(const ncz_meta_fetch *f, size_t i, ncz_buf *bodies, zmap_get_req *gets);
/* Takes their results, and the bodies back. */
void ncz_meta_take(const ncz_meta_fetch *f, size_t i, ncz_doc_set *h, const zmap_get_req *gets, ncz_buf *bodies);
/* Reads all requests in one batch, and passes each on when it is complete. */
int ncz_meta_get_all(const ncz_meta_fetch *f);
/* Reads the root's documents, with which a load begins. */
int ncz_meta_get_root(const ncz_meta_fetch *f);

/* ---- dataset_consolidated.c ---- */

int  ncz_consolidated_init(ncz_meta_source *s, int zarr_format);
void ncz_consolidated_clear(ncz_meta_source *s);
/* For a writer: sets s->unasked. Takes the body; one that is no JSON has no mark. */
int  ncz_consolidated_find_mark(ncz_meta_source *s, zmap_get_req *req);
void ncz_consolidated_answer(const ncz_meta_fetch *f, ncz_doc_set *h, size_t i);
/* As zmap_list(), from the keys of the copies. */
int ncz_consolidated_list(void *arg, const char *prefix, int (*each)(const char *name, bool leaf, void *arg),
                          void *each_arg);

#endif /* NCZ_DOCS_INT_H */
