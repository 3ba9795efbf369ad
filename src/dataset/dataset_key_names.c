/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_key_names: what an object of a store is by its key alone. No state; any thread.
 */
#include "dataset/dataset_int.h"

#include <string.h>

bool
ncz_owner_is_document(const char *key)
{
    const char *slash = strrchr(key, '/');
    const char *name = slash != NULL ? slash + 1 : key;

    return ncz_format_is_document(name);
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
        if (ncz_format_parse_key(d, all.v[i] + skip, NCZ_RANK_ANY, NULL) == NCZ_KEY_CHUNK)
            rc = ncz_key_list_add(out, "", all.v[i]);
    ncz_key_list_clear(&all);
    return rc;
}
