/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_documents.c: the documents that a dataset with given definitions has in another version of Zarr. The library
 * writes them into a map in memory, and a map around it notes in which order.
 *
 * The dataset is created with commit=close, so that the root's documents are put last, in the order in which they
 * publish a dataset. That of the others does not matter: nobody looks for them before the root's are there.
 */
#include "copy_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- a map that notes the order of puts ---- */

static void
forget_key(copy_documents *docs, const char *key)
{
    for (size_t i = 0; i < docs->n; i++)
        if (strcmp(docs->key[i], key) == 0) {
            free(docs->key[i]);
            memmove(docs->key + i, docs->key + i + 1, (docs->n - i - 1) * sizeof *docs->key);
            docs->n--;
            return;
        }
}

static int
get_object(void *user, const char *key, unsigned long long start, unsigned long long count, nczarr_map_reply *reply)
{
    const copy_documents *docs = user;
    void                 *data = NULL;
    size_t                len = 0;
    int                   rc = nczarr_map_get(docs->map, key, &data, &len);

    (void)start, (void)count; /* always the whole object */
    if (rc == NC_NOERR)
        rc = nczarr_map_answer(reply, data, len);
    free(data);
    return rc;
}

static int
put_object(void *user, const char *key, const void *data, size_t count)
{
    copy_documents *docs = user;

    forget_key(docs, key);
    docs->key = memory_grow(docs->key, docs->n, sizeof *docs->key);
    docs->key[docs->n++] = memory_need(strdup(key));
    return nczarr_map_write(docs->map, key, count, data);
}

static int
delete_object(void *user, const char *key)
{
    copy_documents *docs = user;

    forget_key(docs, key);
    return nczarr_map_delete(docs->map, key);
}

static int
list_objects(void *user, const char *prefix, nczarr_map_each each, void *arg)
{
    const copy_documents *docs = user;

    return nczarr_map_search(docs->map, prefix, each, arg);
}

/* ---- the documents ---- */

static int
define_all(const copy_opts *o, copy_source *s, int out)
{
    int rc;

    if ((rc = copy_define(o, s, out)) != NC_NOERR)
        return rc;
    if ((rc = nc_enddef(out)) != NC_NOERR)
        return message_fail(rc, o->in);
    if ((rc = copy_grow_dims(o, s, out)) != NC_NOERR)
        return rc;
    return copy_late_atts(s);
}

int
copy_documents_make(const copy_opts *o, copy_source *s, const char *modes, copy_documents *docs)
{
    const nczarr_map_ops ops = {.size = sizeof ops,
                                .name = "documents",
                                .get = get_object,
                                .put = put_object,
                                .del = delete_object,
                                .list = list_objects};
    nczarr_map          *map = NULL;
    int                  out = -1, rc;

    if ((rc = nczarr_map_memory(&docs->map)) != NC_NOERR || (rc = nczarr_map_own(&ops, docs, &map)) != NC_NOERR ||
        (rc = nczarr_create_map(map, modes, NC_CLOBBER | NCZARR_VERBATIM | (o->classic ? NC_CLASSIC_MODEL : 0),
                                &out)) != NC_NOERR)
        (void)message_fail(rc, o->in);
    else if ((rc = define_all(o, s, out)) != NC_NOERR)
        (void)nc_abort(out);
    else if ((rc = nc_close(out)) != NC_NOERR)
        (void)message_fail(rc, o->in);
    (void)nczarr_map_close(map);
    return rc;
}

void
copy_documents_clear(copy_documents *docs)
{
    for (size_t i = 0; i < docs->n; i++)
        free(docs->key[i]);
    free(docs->key);
    (void)nczarr_map_close(docs->map);
    *docs = (copy_documents){.map = NULL};
}
