/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the documents' source share.
 *
 *   dataset_meta_source.c      the source
 *   dataset_meta_from_store.c  from the map
 *   dataset_consolidated.c    from the consolidated document
 *   dataset_doc_parse.c      the documents of a node on their way to the format
 */
#ifndef NCZ_DOCS_INT_H
#define NCZ_DOCS_INT_H

#include "dataset/dataset_int.h"

/* One fetch: what all its tasks share. */
typedef struct ncz_meta_fetch {
    ncz_meta_source    *s;
    const ncz_docs_req *reqs;
    size_t              n;
    ncz_docs_fn         each;
    void               *arg;
    size_t              run; /* requests of one task */
} ncz_meta_fetch;

/* ---- dataset_doc_parse.c ---- */

/* The documents of one node on their way to the format. */
typedef struct ncz_doc_set {
    ncz_json_reader *reader;
    ncz_docs_got     got[NCZ_DOCS_MOST];
    ncz_err          errs[NCZ_DOCS_MOST];
} ncz_doc_set;

int  ncz_doc_set_init(ncz_doc_set *h);
void ncz_doc_set_reset(ncz_doc_set *h);
void ncz_doc_set_clear(ncz_doc_set *h);
/* Document k, from its bytes: parsed, or the failure that it gives. */
int  ncz_doc_set_parse(ncz_doc_set *h, const ncz_meta_source *s, size_t k, const char *key, const char *text,
                       size_t len);
void ncz_meta_fail(const ncz_meta_fetch *f, size_t i); /* request i gets nothing, for want of memory */

/* ---- dataset_meta_from_store.c ---- */

/* Request i, read into `bodies`, which are kept for the next. */
void ncz_meta_get(const ncz_meta_fetch *f, ncz_doc_set *h, ncz_buf *bodies, size_t i);
/* All of them in one batch, each given on as it is complete. */
int ncz_meta_get_all(const ncz_meta_fetch *f);
/* The root's, with which a load begins. */
int ncz_meta_get_root(const ncz_meta_fetch *f);

/* ---- dataset_consolidated.c ---- */

int  ncz_consolidated_init(ncz_meta_source *s);
void ncz_consolidated_clear(ncz_meta_source *s);
void ncz_consolidated_answer(const ncz_meta_fetch *f, ncz_doc_set *h, size_t i);
/* As zmap_list(), out of the keys of the copies. */
int ncz_consolidated_list(void *arg, const char *prefix, int (*each)(const char *name, bool leaf, void *arg),
                          void *each_arg);

#endif /* NCZ_DOCS_INT_H */
