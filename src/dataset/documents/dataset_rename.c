/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_rename: names are part of keys, so a variable's or group's data move with its name. The order leaves one
 * complete dataset after a crash at any point, and at most objects that no document names:
 *
 *   1 flush, so that everything of the node is stored under its old key
 *   2 delete what an earlier session may have left under the new key; copy chunks there, then documents (4 writes
 *     most of them again, but the documents of a variable that could not be parsed can only be copied)
 *   3 rename in the model
 *   4 flush: documents under the new key, then those that list it, the root last
 *   5 delete the objects under the old key
 *
 * A failure of 1, 2 or 3 changes nothing. If 4 fails, the name is changed in memory, both copies exist, and the next
 * flush continues with 4 and 5. A node that was never stored has no documents: 1 stores its chunks, and 4 is omitted.
 * For a new, uncommitted dataset 1 stores only chunks, and 4 only documents, so that an abort still removes all of
 * it.
 */
#include "dataset/dataset_int.h"

#include <string.h>

/* The move of a node from one key to another: the objects to copy, and the copies. */
typedef struct move {
    ncz_buf      from, to; /* keys of the node */
    ncz_key_list chunks;   /* below `from` */
    ncz_key_list docs;     /* below `from` */
    ncz_key_list made;     /* copies below `to` */
} move;

static void
move_clear(move *mv)
{
    ncz_buf_clear(&mv->from);
    ncz_buf_clear(&mv->to);
    ncz_key_list_clear(&mv->chunks);
    ncz_key_list_clear(&mv->docs);
    ncz_key_list_clear(&mv->made);
}

static int
set_keys(move *mv, const ncz_group *parent, const char *oldname, const char *newname)
{
    int rc;

    if ((rc = ncz_group_key(parent, &mv->from)) != NC_NOERR || (rc = ncz_group_key(parent, &mv->to)) != NC_NOERR)
        return rc;
    if (mv->from.len > 0 &&
        ((rc = ncz_buf_putc(&mv->from, '/')) != NC_NOERR || (rc = ncz_buf_putc(&mv->to, '/')) != NC_NOERR))
        return rc;
    if ((rc = ncz_buf_puts(&mv->from, oldname)) == NC_NOERR)
        rc = ncz_buf_puts(&mv->to, newname);
    return rc;
}

static int
add_chunks(ncz_dataset *ds, const ncz_var *v, ncz_key_list *out)
{
    ncz_buf key = NCZ_BUF_INIT;
    int     rc = ncz_var_key(v, &key);

    if (rc == NC_NOERR)
        rc = ncz_owner_chunks_below(ds->map, ds->model->dialect, ncz_buf_str(&key), out);
    ncz_buf_clear(&key);
    return rc;
}

static bool
is_below(const ncz_group *g, const ncz_group *top)
{
    while (g != NULL && g != top)
        g = g->parent;
    return g == top;
}

/* Collects the objects below the node's old key: the chunks of the variable, or of all variables below the group;
 * documents. */
static int
gather_keys(ncz_dataset *ds, const ncz_group *top, const ncz_var *only, move *mv)
{
    ncz_key_list all = NCZ_KEY_LIST_INIT;
    int          rc = NC_NOERR;

    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); rc == NC_NOERR && v != NULL;
         v = ncz_model_next_var(ds->model, v))
        if (only != NULL ? v == only : is_below(v->group, top))
            rc = add_chunks(ds, v, &mv->chunks);
    if (rc == NC_NOERR)
        rc = ncz_key_list_walk(ds->map, ncz_buf_str(&mv->from), &all);
    for (size_t i = 0; rc == NC_NOERR && i < all.n; i++)
        if (ncz_owner_is_document(all.v[i]))
            rc = ncz_key_list_add(&mv->docs, "", all.v[i]);
    ncz_key_list_clear(&all);
    return rc;
}

static int
copy_object(ncz_dataset *ds, const char *from, const char *to)
{
    ncz_buf body = NCZ_BUF_LIMIT(ds->limits.object_bytes);
    int     rc = zmap_get(ds->map, from, &body);

    if (rc == NC_NOERR)
        rc = zmap_put(ds->map, to, ncz_buf_str(&body), body.len);
    ncz_buf_clear(&body);
    return rc;
}

static int
copy_each(ncz_dataset *ds, move *mv, const ncz_key_list *keys)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < keys->n; i++) {
        rc = ncz_key_list_add(&mv->made, ncz_buf_str(&mv->to), keys->v[i] + mv->from.len + 1);
        if (rc == NC_NOERR)
            rc = copy_object(ds, keys->v[i], mv->made.v[mv->made.n - 1]);
    }
    return rc;
}

/* Step 2. Nothing in the model has the new name, so no document names any object under it. */
static int
copy_all(ncz_dataset *ds, move *mv)
{
    ncz_key_list stale = NCZ_KEY_LIST_INIT;
    int          rc =
        ds->created ? NC_NOERR : ncz_owner_chunks_below(ds->map, ds->model->dialect, ncz_buf_str(&mv->to), &stale);

    if (rc == NC_NOERR)
        rc = ncz_key_list_del(ds->map, &stale);
    if (rc == NC_NOERR && (rc = copy_each(ds, mv, &mv->chunks)) == NC_NOERR)
        rc = copy_each(ds, mv, &mv->docs);
    ncz_key_list_clear(&stale);
    return rc;
}

/* After a failure before step 4: deletes the copies; the first failure stays the reported one. */
static int
take_back(ncz_dataset *ds, move *mv, int rc)
{
    ncz_err first;

    ncz_err_save(&first, rc);
    if (ncz_key_list_del(ds->map, &mv->made) != NC_NOERR)
        ncz_log(NCZ_LOG_WARN, "%s: copies below %s could not be removed", ncz_buf_str(&mv->from),
                ncz_buf_str(&mv->to));
    return ncz_err_adopt(&first);
}

/*
 * Steps 4 and 5. `all`: documents of other nodes may contain the old name, as a group's is in the full names of its
 * dimensions. The flush deletes the old objects once the new documents are stored: old documents first, so that no
 * reader finds the old name without its chunks.
 */
static int
settle_rename(ncz_dataset *ds, move *mv, bool stored, bool all)
{
    int rc = NC_NOERR;

    ncz_key_list_clear(&ds->leftover);
    for (size_t i = 0; i < mv->docs.n; i++)
        ncz_doc_cache_forget(&ds->stored, mv->docs.v[i]);
    for (size_t i = 0; rc == NC_NOERR && i < mv->docs.n; i++)
        rc = ncz_key_list_add(&ds->leftover, "", mv->docs.v[i]);
    for (size_t i = 0; rc == NC_NOERR && i < mv->chunks.n; i++)
        rc = ncz_key_list_add(&ds->leftover, "", mv->chunks.v[i]);
    if (rc != NC_NOERR)
        return rc;
    if (stored)
        return ncz_dataset_flush(ds, all);
    if (ds->state == NCZ_DATASET_DOCUMENTED && (rc = ncz_dataset_put_documents(ds, all)) != NC_NOERR)
        return rc;
    return ncz_dataset_drop_leftover(ds);
}

int
ncz_documents_rename_var(ncz_dataset *ds, ncz_var *v, const char *name)
{
    move mv = {.from = NCZ_BUF_INIT};
    bool stored = v->document != NCZ_DOCUMENT_NEW && !ncz_dataset_is_new(ds);
    int  rc;

    if ((rc = set_keys(&mv, v->group, v->name, name)) != NC_NOERR ||
        (rc = ncz_dataset_check_key(ds, ncz_buf_str(&mv.to))) != NC_NOERR)
        goto done;
    if ((rc = stored ? ncz_dataset_flush(ds, false) : ncz_dataset_flush_chunks(ds, v->uid)) != NC_NOERR ||
        (rc = gather_keys(ds, NULL, v, &mv)) != NC_NOERR)
        goto done;
    if ((rc = copy_all(ds, &mv)) != NC_NOERR || (rc = ncz_model_rename_var(ds->model, v, name)) != NC_NOERR) {
        rc = take_back(ds, &mv, rc);
        goto done;
    }
    ncz_engine_forget(ds->engine, v->uid);
    rc = settle_rename(ds, &mv, stored, false);
done:
    move_clear(&mv);
    return rc;
}

int
ncz_documents_rename_group(ncz_dataset *ds, ncz_group *g, const char *name)
{
    move mv = {.from = NCZ_BUF_INIT};
    bool stored = g->document != NCZ_DOCUMENT_NEW && !ncz_dataset_is_new(ds);
    int  rc;

    if ((rc = set_keys(&mv, g->parent, g->name, name)) != NC_NOERR ||
        (rc = ncz_dataset_check_key(ds, ncz_buf_str(&mv.to))) != NC_NOERR)
        goto done;
    if ((rc = stored ? ncz_dataset_flush(ds, false) : ncz_dataset_flush_chunks(ds, 0)) != NC_NOERR ||
        (rc = gather_keys(ds, g, NULL, &mv)) != NC_NOERR)
        goto done;
    if ((rc = copy_all(ds, &mv)) != NC_NOERR || (rc = ncz_model_rename_group(ds->model, g, name)) != NC_NOERR) {
        rc = take_back(ds, &mv, rc);
        goto done;
    }
    ncz_engine_forget(ds->engine, 0);
    rc = settle_rename(ds, &mv, stored, true);
done:
    move_clear(&mv);
    return rc;
}

int
ncz_documents_check_name(const ncz_dataset *ds, const ncz_group *g, const char *from, const char *name)
{
    move mv = {.from = NCZ_BUF_INIT};
    int  rc = set_keys(&mv, g, from, name);

    if (rc == NC_NOERR)
        rc = ncz_dataset_check_key(ds, ncz_buf_str(&mv.to));
    move_clear(&mv);
    return rc;
}
