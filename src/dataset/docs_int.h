/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the documents' source share.
 *
 *   docs.c      the source
 *   docs_get.c  from the map
 *   copies.c    from the consolidated document
 *   hand.c      the documents of a node on their way to the format
 */
#ifndef NCZ_DOCS_INT_H
#define NCZ_DOCS_INT_H

#include "dataset/dataset_int.h"

/* One fetch: what all its tasks share. */
typedef struct ncz_fetching {
    ncz_source         *s;
    const ncz_docs_req *reqs;
    size_t              n;
    ncz_docs_fn         each;
    void               *arg;
    size_t              run; /* requests of one task */
} ncz_fetching;

/* ---- hand.c ---- */

/* The documents of one node on their way to the format. */
typedef struct ncz_hand {
    ncz_json_reader *reader;
    ncz_docs_got     got[NCZ_DOCS_MOST];
    ncz_err          errs[NCZ_DOCS_MOST];
} ncz_hand;

int  ncz_hand_init(ncz_hand *h);
void ncz_hand_reset(ncz_hand *h);
void ncz_hand_clear(ncz_hand *h);
/* Document k, from its bytes: parsed, or the failure that it gives. */
int  ncz_hand_parse(ncz_hand *h, const ncz_source *s, size_t k, const char *key, const char *text, size_t len);
void ncz_docs_fail(const ncz_fetching *f, size_t i); /* request i gets nothing, for want of memory */

/* ---- docs_get.c ---- */

/* Request i, read into `bodies`, which are kept for the next. */
void ncz_docs_get(const ncz_fetching *f, ncz_hand *h, ncz_buf *bodies, size_t i);
/* All of them in one batch, each given on as it is complete. */
int ncz_docs_get_all(const ncz_fetching *f);
/* The root's, with which a load begins. */
int ncz_docs_get_root(const ncz_fetching *f);

/* ---- copies.c ---- */

#define NCZ_COPIES_KEY ".zmetadata"

int  ncz_copies_init(ncz_source *s);
void ncz_copies_clear(ncz_source *s);
void ncz_copies_answer(const ncz_fetching *f, ncz_hand *h, size_t i);
/* As zmap_list(), out of the keys of the copies. */
int ncz_copies_list(void *arg, const char *prefix, int (*each)(const char *name, bool leaf, void *arg),
                    void *each_arg);

#endif /* NCZ_DOCS_INT_H */
