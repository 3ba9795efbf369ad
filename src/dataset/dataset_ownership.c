/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_ownership: what of a map's objects belongs to a dataset. Whatever removes a dataset asks here first, and removes nothing
 * when a single object is none of a dataset's: an arbitrary directory is never emptied.
 */
#include "dataset/dataset_int.h"

#include <string.h>

static const char *const root_documents[] = {".zgroup", ".zarray", ".zmetadata", ".nczarr", "zarr.json"};

int
ncz_owner_is_dataset(zmap *map, bool *out)
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
ncz_owner_store_empty(zmap *map, bool *out)
{
    bool empty = true;
    int  rc = zmap_list(map, "", on_any, &empty);

    if (rc != NC_NOERR && empty)
        return rc;
    *out = empty;
    return NC_NOERR;
}

bool
ncz_owner_is_document(const char *key)
{
    const char *slash = strrchr(key, '/');
    const char *name = slash != NULL ? slash + 1 : key;

    return ncz_format_is_document(name);
}

bool
ncz_owner_is_root_key(const char *key)
{
    return ncz_owner_is_document(key) || ncz_claim_is_key(key) || ncz_deferred_is_key(key);
}

/* Numbers joined by '.' or '/'. */
bool
ncz_owner_is_chunk(const char *rest)
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
ncz_owner_chunk_index(const char *rest, size_t rank, uint64_t *out)
{
    size_t n = rank == 0 ? 1 : rank;

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
is_chunk(const ncz_key_list *keys, const char *key, bool *out)
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
        if (ncz_owner_is_chunk(rest))
            doc = ncz_sprintf("%s%s.zarray", copy, at > 0 ? "/" : "");
        else if (strcmp(rest, "c") == 0 || (strncmp(rest, "c/", 2) == 0 && ncz_owner_is_chunk(rest + 2)))
            doc = ncz_sprintf("%s%szarr.json", copy, at > 0 ? "/" : "");
        else
            continue;
        if (doc == NULL) {
            rc = ncz_fail_nomem(strlen(key) + 16);
            break;
        }
        *out = ncz_key_list_has(keys, doc);
        ncz_free(doc);
    }
    ncz_free(copy);
    return rc;
}

/* ---- chunks without a document --------------------------------------------------------------------------------- */

/* What is known of the chunks that no document names: those of a variable whose writer died. */
typedef struct orphans {
    const char *key;    /* the last one */
    size_t      folder; /* bytes of its variable's key */
    size_t      rank;
    bool        first; /* one of them is a variable's first chunk */
} orphans;

/* A number as we write it: without zeros in front. */
static size_t
number_at(const char *s)
{
    size_t n = strspn(s, "0123456789");

    return n == 0 || n > 19 || (n > 1 && s[0] == '0') ? 0 : n;
}

/* Where the numbers at the end of a key begin: "g/v/0.1" -> 4, "g/v/0/1" -> 4. They are never the whole key. */
static size_t
numbers_begin(const char *key)
{
    const char *slash = strrchr(key, '/');
    size_t      at = slash != NULL ? (size_t)(slash - key) + 1 : 0;

    if (at == 0 || strchr(key + at, '.') != NULL)
        return at;
    for (size_t up = at - 1; up > 0;) {
        size_t end = up;

        while (up > 0 && key[up - 1] != '/')
            up--;
        if (up == 0 || number_at(key + up) != end - up)
            break;
        at = up--;
    }
    return at;
}

/* Could `key` be a chunk whose variable has no document yet? All chunks of one variable have as many numbers. */
static bool
is_orphan(orphans *o, const char *key)
{
    size_t at = numbers_begin(key), rank = 0;
    bool   same, zero = true;

    if (at == 0)
        return false;
    for (const char *s = key + at;; s++) {
        size_t n = number_at(s);

        if (n == 0)
            return false;
        zero = zero && n == 1 && s[0] == '0';
        rank++;
        s += n;
        if (*s == '\0')
            break;
        if (*s != '.' && *s != '/')
            return false;
    }
    same = o->key != NULL && o->folder == at && strncmp(o->key, key, at) == 0;
    if (same && o->rank != rank)
        return false;
    *o = (orphans){.key = key, .folder = at, .rank = rank, .first = o->first || zero};
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

static int
refuse(const char *what, const char *key, bool root, int refusal)
{
    if (root)
        return ncz_fail(NC_EEXIST, "%s holds %s, which is no part of a dataset: nothing is removed", what, key);
    return ncz_fail(
        refusal,
        "%s is no dataset (looked for .zgroup, .zarray, .zmetadata, .nczarr, zarr.json; it holds %s): not "
        "removed",
        what, key);
}

/*
 * Without a document at the root, or the mark of a writer there, only chunks may be there: what a writer of this
 * library's first version left. Documents further down may be several datasets' in one folder. Folders of mail hold
 * files with numbers for names, too, but none is 0.
 */
int
ncz_owner_all_keys(zmap *map, const char *what, int refusal, ncz_key_list *keys)
{
    orphans     lost = {.key = NULL};
    const char *below = NULL; /* a document that is not the root's */
    bool        root = false;
    int         rc = ncz_key_list_walk(map, "", keys);

    for (size_t i = 0; rc == NC_NOERR && i < keys->n; i++) {
        const char *key = keys->v[i];

        if (ncz_owner_is_root_key(key) && strchr(key, '/') == NULL)
            root = true;
        else if (ncz_owner_is_root_key(key))
            below = key;
    }
    for (size_t i = 0; rc == NC_NOERR && i < keys->n; i++) {
        bool chunk = false;

        if (ncz_owner_is_root_key(keys->v[i]))
            continue;
        if ((rc = is_chunk(keys, keys->v[i], &chunk)) == NC_NOERR && !chunk && !is_orphan(&lost, keys->v[i]))
            rc = refuse(what, keys->v[i], root, refusal);
    }
    if (rc == NC_NOERR && !root && below != NULL)
        rc = refuse(what, below, false, refusal);
    if (rc == NC_NOERR && !root && keys->n > 0 && !lost.first)
        rc = refuse(what, keys->v[0], false, refusal);
    return rc;
}

int
ncz_owner_chunks_below(zmap *map, const char *prefix, ncz_key_list *out)
{
    ncz_key_list all = NCZ_KEY_LIST_INIT;
    size_t       skip = strlen(prefix) + 1;
    int          rc = ncz_key_list_walk(map, prefix, &all);

    for (size_t i = 0; rc == NC_NOERR && i < all.n; i++)
        if (ncz_owner_is_chunk(all.v[i] + skip))
            rc = ncz_key_list_add(out, "", all.v[i]);
    ncz_key_list_clear(&all);
    return rc;
}
