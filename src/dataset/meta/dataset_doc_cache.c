/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_doc_cache: the documents as stored, so that a flush puts only those whose bytes changed. The bytes are kept
 * rather than a digest: documents are small, and the comparison is exact. Guarded by the dataset's exclusive lock.
 */
#include "dataset/dataset_int.h"

#include <string.h>

bool
ncz_doc_cache_same(const ncz_doc_cache *s, const char *key, const char *text, size_t len)
{
    size_t i;

    return ncz_names_get(&s->index, key, &i) && s->v[i].len == len && memcmp(s->v[i].text, text, len) == 0;
}

void
ncz_doc_cache_forget(ncz_doc_cache *s, const char *key)
{
    size_t i;

    if (!ncz_names_get(&s->index, key, &i))
        return;
    ncz_names_del(&s->index, key); /* its slot stays empty: renames are rare */
    ncz_free(s->v[i].key);
    ncz_free(s->v[i].text);
    s->v[i] = (ncz_cached_doc){NULL, NULL, 0};
}

/* The next free slot, growing the array if needed. */
static bool
find_place(ncz_doc_cache *s, size_t *out)
{
    *out = s->n;
    return ncz_make_room(&s->v, s->n, &s->cap, sizeof *s->v) == NC_NOERR;
}

void
ncz_doc_cache_set(ncz_doc_cache *s, const char *key, const char *text, size_t len)
{
    char  *k = NULL, *t = ncz_strndup(text, len);
    size_t i;

    if (t != NULL && ncz_names_get(&s->index, key, &i)) {
        ncz_free(s->v[i].text);
        s->v[i].text = t;
        s->v[i].len = len;
        return;
    }
    if (t != NULL && (k = ncz_strdup(key)) != NULL && find_place(s, &i) &&
        ncz_names_put(&s->index, key, i) == NC_NOERR) {
        s->v[i] = (ncz_cached_doc){k, t, len};
        s->n++;
        return;
    }
    ncz_free(k);
    ncz_free(t);
    ncz_doc_cache_forget(s, key);
}

void
ncz_doc_cache_clear(ncz_doc_cache *s)
{
    for (size_t i = 0; i < s->n; i++) {
        ncz_free(s->v[i].key);
        ncz_free(s->v[i].text);
    }
    ncz_free(s->v);
    ncz_names_clear(&s->index);
    *s = NCZ_DOC_CACHE_INIT;
}
