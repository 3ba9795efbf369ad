/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For the format's tests: a map of documents in memory, filled by hand, from a directory, or by a plan; and a model's
 * header as CDL text, so that it can be compared with what ncdump says of the same dataset.
 */
#ifndef NCZ_TEST_FORMAT_DOCS_H
#define NCZ_TEST_FORMAT_DOCS_H

#include "dialects/dialects.h"

typedef struct doc {
    char     *key, *text;
    size_t    len;
    ncz_json *parsed;
    int       rc; /* of parsing */
} doc;

typedef struct docmap {
    doc   *v;
    size_t n, cap;
    size_t nfetched, nbatches, nlists; /* what was asked for */
    bool   no_list;
} docmap;

void        docmap_put(docmap *d, const char *key, const char *text, size_t len);
void        docmap_puts(docmap *d, const char *key, const char *text);
doc        *docmap_find(const docmap *d, const char *key);
const char *docmap_text(const docmap *d, const char *key); /* NULL when absent */
void        docmap_dir(docmap *d, const char *path);       /* all documents below a directory */
void        docmap_copy(docmap *to, const docmap *from);
void        docmap_forget(docmap *d); /* the parsed forms */
void        docmap_clear(docmap *d);
ncz_docs    docmap_docs(docmap *d);
int         docmap_emit(void *arg, const ncz_doc_out *doc); /* ncz_emit_fn */

/* The header of a dataset as ncdump -h prints it, from the first line after "netcdf name {". malloc. */
char *cdl_header(const ncz_model *m);

/* That header with storage: everything of the model that a format must carry over. malloc. */
char *model_text(const ncz_model *m);

#endif /* NCZ_TEST_FORMAT_DOCS_H */
