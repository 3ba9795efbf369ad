/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_deferred_root: datasets that are seen when they are closed, not before (`commit=close`). Until then the documents of the root
 * are kept under other names beside their own, so that nobody opens what is not complete; whoever names
 * `commit=close`, too, opens and continues it. A close puts them under their own names, .zgroup last, and then removes
 * the others. A map that shows everything at once anyway (ZMAP_COMMITS) needs none of this.
 */
#include "dataset/dataset_int.h"

#include <string.h>

/* In the order in which they are put: a reader may be content with the first. */
static const struct {
    const char *key, *held;
} rows[] = {
    {".zattrs", ".zattrs.unfinished"},
    {".zmetadata", ".zmetadata.unfinished"},
    {".zgroup", ".zgroup.unfinished"},
};

const char *
ncz_deferred_key(const char *key)
{
    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (strcmp(key, rows[i].key) == 0)
            return rows[i].held;
    return key;
}

const char *
ncz_deferred_final_key(const char *held)
{
    for (size_t i = 0; i < NCZ_LEN(rows); i++)
        if (strcmp(held, rows[i].held) == 0)
            return rows[i].key;
    return held;
}

bool
ncz_deferred_is_key(const char *key)
{
    return ncz_deferred_final_key(key) != key;
}

static int
publish_one(zmap *map, size_t i)
{
    ncz_buf body = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes);
    int     rc = zmap_get(map, rows[i].held, &body);

    if (rc == NC_NOERR)
        rc = zmap_put(map, rows[i].key, ncz_buf_str(&body), body.len);
    ncz_buf_clear(&body);
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

int
ncz_deferred_publish(zmap *map, bool durable)
{
    const char *held[NCZ_LEN(rows)];
    int         rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < NCZ_LEN(rows); i++) {
        held[i] = rows[i].held;
        rc = publish_one(map, i);
    }
    if (rc == NC_NOERR && durable)
        rc = zmap_sync(map);
    return rc == NC_NOERR ? zmap_del(map, held, NCZ_LEN(rows)) : rc;
}
