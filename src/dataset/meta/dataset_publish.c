/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_publish: when what a session stored is durable, and visible to others.
 *
 * A dataset with `commit=close` becomes visible when it is closed. Until then the root's documents have hidden names
 * beside their final ones, so that no reader opens an incomplete dataset. Opening with `commit=close` finds and
 * continues it. Closing puts the documents under their final names, the one that makes the dataset visible last, and
 * then deletes the hidden ones. A store that shows all changes at once (ZMAP_COMMITS) needs none of this.
 */
#include "dataset/dataset_int.h"

/* ---- every session ---- */

int
ncz_dataset_sync_map(ncz_dataset *ds)
{
    int rc;

    if (!ds->durable || (zmap_caps_of(ds->map) & (ZMAP_CAN_SYNC | ZMAP_COMMITS)) != ZMAP_CAN_SYNC)
        return NC_NOERR;
    if ((rc = zmap_sync(ds->map)) != NC_NOERR)
        ncz_err_save(&ds->failed, rc);
    return rc;
}

int
ncz_dataset_commit(ncz_dataset *ds)
{
    return (zmap_caps_of(ds->map) & ZMAP_COMMITS) != 0 ? zmap_sync(ds->map) : NC_NOERR;
}

/* ---- `commit=close` ---- */

const char *
ncz_deferred_key(const char *key)
{
    const char *hidden = ncz_dialects_hidden_key(key);

    return hidden != NULL ? hidden : key;
}

const char *
ncz_deferred_final_key(const char *held)
{
    const char *key = ncz_dialects_shown_key(held);

    return key != NULL ? key : held;
}

bool
ncz_deferred_is_key(const char *key)
{
    return ncz_dialects_shown_key(key) != NULL;
}

/* The last document that is put, under its hidden or its final name. */
static bool
has_root(zmap *map, bool hidden)
{
    for (size_t i = 0; ncz_dialects[i] != NULL; i++) {
        const ncz_root_doc *d = ncz_dialects[i]->docs.published;

        while (d != NULL && d->key != NULL && d[1].key != NULL)
            d++;
        if (d != NULL && d->key != NULL && zmap_len(map, hidden ? d->hidden : d->key, NULL) == NC_NOERR)
            return true;
    }
    return false;
}

bool
ncz_deferred_is_there(zmap *map)
{
    return has_root(map, true);
}

bool
ncz_deferred_is_closed(zmap *map)
{
    return !has_root(map, true) && has_root(map, false);
}

static int
publish_document(zmap *map, const ncz_root_doc *d)
{
    ncz_buf body = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes);
    int     rc = zmap_get(map, d->hidden, &body);

    if (rc == NC_NOERR)
        rc = zmap_put(map, d->key, ncz_buf_str(&body), body.len);
    ncz_buf_clear(&body);
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

int
ncz_deferred_publish(zmap *map, const ncz_dialect_ops *d, bool durable)
{
    const ncz_root_doc *docs = d->docs.published;
    const char         *hidden[NCZ_DOCS_MOST];
    size_t              n = 0;
    int                 rc = NC_NOERR;

    for (; rc == NC_NOERR && n < NCZ_DOCS_MOST && docs[n].key != NULL; n++) {
        hidden[n] = docs[n].hidden;
        rc = publish_document(map, &docs[n]);
    }
    if (rc == NC_NOERR && durable)
        rc = zmap_sync(map);
    return rc == NC_NOERR ? zmap_del(map, hidden, n) : rc;
}
