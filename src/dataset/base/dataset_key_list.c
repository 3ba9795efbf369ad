/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_key_list: lists of keys, collected from a store, and what an object is by its key. A list owns its strings.
 * Not for several threads at once.
 */
#include "dataset/dataset_int.h"

#include <stdlib.h>
#include <string.h>

int
ncz_key_list_add(ncz_key_list *k, const char *prefix, const char *name)
{
    char *key = prefix[0] == '\0' ? ncz_strdup(name) : ncz_sprintf("%s/%s", prefix, name);
    int   rc;

    if (key == NULL)
        return ncz_fail_nomem(strlen(prefix) + strlen(name) + 2);
    if ((rc = ncz_make_room(&k->v, k->n, &k->cap, sizeof *k->v)) != NC_NOERR) {
        ncz_free(key);
        return rc;
    }
    k->v[k->n++] = key;
    return NC_NOERR;
}

void
ncz_key_list_clear(ncz_key_list *k)
{
    for (size_t i = 0; i < k->n; i++)
        ncz_free(k->v[i]);
    ncz_free(k->v);
    *k = NCZ_KEY_LIST_INIT;
}

static int
by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool
ncz_key_list_has(const ncz_key_list *k, const char *key)
{
    return k->n != 0 && bsearch(&key, k->v, k->n, sizeof *k->v, by_bytes) != NULL;
}

typedef struct gathering {
    ncz_key_list *out, *prefixes;
    int           rc; /* of the callback, which a store may not return unchanged */
} gathering;

static int
on_key(const char *key, uint64_t size, void *arg)
{
    gathering *g = arg;

    (void)size;
    g->rc = ncz_key_list_add(g->out, "", key);
    return g->rc;
}

static int
on_prefix(const char *key, uint64_t size, void *arg)
{
    gathering *g = arg;

    (void)size;
    g->rc = ncz_key_list_add(g->prefixes, "", key);
    return g->rc;
}

int
ncz_key_list_walk(zmap *map, const char *prefix, ncz_key_list *out)
{
    return ncz_key_list_walk_prefixes(map, prefix, out, NULL);
}

int
ncz_key_list_walk_prefixes(zmap *map, const char *prefix, ncz_key_list *out, ncz_key_list *prefixes)
{
    gathering g = {.out = out, .prefixes = prefixes};
    int       rc = zmap_walk_prefixes(map, prefix, on_key, prefixes != NULL ? on_prefix : NULL, &g);

    if (g.rc != NC_NOERR)
        return g.rc;
    if (rc == NC_NOERR && out->n > 1)
        qsort(out->v, out->n, sizeof *out->v, by_bytes);
    return rc;
}

int
ncz_key_list_del(zmap *map, const ncz_key_list *k)
{
    return k->n == 0 ? NC_NOERR : zmap_del(map, (const char *const *)k->v, k->n);
}

/* ---- what an object is by its key ---- */

bool
ncz_owner_is_document(const char *key)
{
    const char *slash = strrchr(key, '/');
    const char *name = slash != NULL ? slash + 1 : key;

    return ncz_dialects_is_document(name);
}

bool
ncz_probe_is_key(const char *key)
{
    size_t n = strlen(NCZ_PROBE);

    return strncmp(key, NCZ_PROBE, n) == 0 && strlen(key + n) == NCZ_PROBE_DIGITS &&
           strspn(key + n, "0123456789abcdef") == NCZ_PROBE_DIGITS;
}

int
ncz_owner_chunks_below(zmap *map, const ncz_dialect_ops *d, const char *prefix, ncz_key_list *out)
{
    ncz_key_list all = NCZ_KEY_LIST_INIT;
    size_t       skip = strlen(prefix) + 1;
    int          rc = ncz_key_list_walk(map, prefix, &all);

    for (size_t i = 0; rc == NC_NOERR && i < all.n; i++)
        if (ncz_dialects_parse_key(d, all.v[i] + skip, NCZ_RANK_ANY, NULL) == NCZ_KEY_CHUNK)
            rc = ncz_key_list_add(out, "", all.v[i]);
    ncz_key_list_clear(&all);
    return rc;
}

size_t
ncz_key_depth(const char *key)
{
    size_t n = 0;

    for (; (key = strchr(key, '/')) != NULL; key++)
        n++;
    return n;
}
