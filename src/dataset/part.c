/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * part: what of a map's objects belongs to a dataset. Whatever removes a dataset asks here first, and removes nothing
 * when a single object is none of a dataset's: an arbitrary directory is never emptied.
 */
#include "dataset/dataset_int.h"

#include <string.h>

static const char *const root_documents[] = {".zgroup", ".zarray", ".zmetadata", ".nczarr", "zarr.json"};

int
ncz_part_is_dataset(zmap *map, bool *out)
{
    char         none[NCZ_LEN(root_documents)];
    zmap_get_req reqs[NCZ_LEN(root_documents)];
    int          rc;

    for (size_t i = 0; i < NCZ_LEN(root_documents); i++) /* nothing of each tells whether it is there */
        reqs[i] = (zmap_get_req){.key = root_documents[i], .into = &none[i]};
    if ((rc = zmap_get_batch(map, reqs, NCZ_LEN(root_documents), NULL, NULL)) != NC_NOERR)
        return rc;
    *out = false;
    for (size_t i = 0; i < NCZ_LEN(root_documents); i++)
        *out = *out || reqs[i].err.code == NC_NOERR;
    return NC_NOERR;
}

static int
on_any(const char *name, bool leaf, void *arg)
{
    (void)name;
    (void)leaf;
    *(bool *)arg = false;
    return 1; /* one is enough */
}

int
ncz_part_empty(zmap *map, bool *out)
{
    bool empty = true;
    int  rc = zmap_list(map, "", on_any, &empty);

    if (rc != NC_NOERR && empty)
        return rc;
    *out = empty;
    return NC_NOERR;
}

bool
ncz_part_document(const char *key)
{
    const char *slash = strrchr(key, '/');
    const char *name = slash != NULL ? slash + 1 : key;

    return (name[0] == '.' && ncz_format_is_document(name)) || strcmp(name, "zarr.json") == 0;
}

/* Numbers joined by '.' or '/'. */
bool
ncz_part_chunk(const char *rest)
{
    bool digit = false;

    for (const char *c = rest; *c != '\0'; c++) {
        if (*c >= '0' && *c <= '9')
            digit = true;
        else if ((*c == '.' || *c == '/') && digit)
            digit = false;
        else
            return false;
    }
    return digit;
}

bool
ncz_part_chunk_index(const char *rest, size_t rank, uint64_t *out)
{
    size_t   n = rank == 0 ? 1 : rank;
    for (size_t d = 0; d < n; d++) {
        const char *digits = rest;

        out[d] = 0;
        for (; *rest >= '0' && *rest <= '9'; rest++) {
            if (out[d] > (UINT64_MAX - 9) / 10)
                return false;
            out[d] = out[d] * 10 + (uint64_t)(*rest - '0');
        }
        if (rest == digits || (d + 1 < n && *rest != '.' && *rest != '/') || (d + 1 == n && *rest != '\0'))
            return false;
        rest++;
    }
    return true;
}

/* Is `key` a chunk below a variable whose document is among `keys`? Zarr v3's lie below "c". */
static int
is_chunk(const ncz_keys *keys, const char *key, bool *out)
{
    char *copy = ncz_strdup(key);
    int   rc = NC_NOERR;

    *out = false;
    if (copy == NULL)
        return ncz_fail_nomem(strlen(key) + 1);
    for (size_t at = strlen(key) + 1; !*out && at-- > 0;) {
        const char *rest = key + at;
        char       *doc = NULL;

        if (at > 0 && key[at - 1] != '/')
            continue;
        copy[at > 0 ? at - 1 : 0] = '\0';
        if (ncz_part_chunk(rest))
            doc = ncz_sprintf("%s%s.zarray", copy, at > 0 ? "/" : "");
        else if (strcmp(rest, "c") == 0 || (strncmp(rest, "c/", 2) == 0 && ncz_part_chunk(rest + 2)))
            doc = ncz_sprintf("%s%szarr.json", copy, at > 0 ? "/" : "");
        else
            continue;
        if (doc == NULL) {
            rc = ncz_fail_nomem(strlen(key) + 16);
            break;
        }
        *out = ncz_keys_has(keys, doc);
        ncz_free(doc);
    }
    ncz_free(copy);
    return rc;
}

int
ncz_part_all(zmap *map, const char *what, ncz_keys *keys)
{
    int rc = ncz_keys_walk(map, "", keys);

    for (size_t i = 0; rc == NC_NOERR && i < keys->n; i++) {
        bool chunk = true;

        if (ncz_part_document(keys->v[i]))
            continue;
        if ((rc = is_chunk(keys, keys->v[i], &chunk)) == NC_NOERR && !chunk)
            rc = ncz_fail(NC_EEXIST, "%s holds %s, which is no part of a dataset: nothing is removed", what,
                          keys->v[i]);
    }
    return rc;
}

int
ncz_part_chunks(zmap *map, const char *prefix, ncz_keys *out)
{
    ncz_keys all = NCZ_KEYS_INIT;
    size_t   skip = strlen(prefix) + 1;
    int      rc = ncz_keys_walk(map, prefix, &all);

    for (size_t i = 0; rc == NC_NOERR && i < all.n; i++)
        if (ncz_part_chunk(all.v[i] + skip))
            rc = ncz_keys_add(out, "", all.v[i]);
    ncz_keys_clear(&all);
    return rc;
}
