/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_documents.c: the documents that a dataset with given definitions has, as the library writes them into a map in
 * memory, and the order in which they make a dataset elsewhere: those of the root last, and of these last the one that
 * makes the place a dataset. That of the others does not matter: nobody looks for them before the root's are there.
 */
#include "copy_int.h"

#include <stdlib.h>
#include <string.h>

static void
add_key(copy_documents *docs, const char *key)
{
    docs->key = memory_grow(docs->key, docs->n, sizeof *docs->key);
    docs->key[docs->n++] = memory_need(strdup(key));
}

static bool
is_root_document(int version, const char *key)
{
    const char *name;

    for (size_t i = 0; (name = nczarr_document(version, i, NULL)) != NULL; i++)
        if (strcmp(name, key) == 0)
            return true;
    return false;
}

static int
add_inner_key(const char *key, unsigned long long length, void *arg)
{
    copy_documents *docs = arg;

    (void)length;
    if (!is_root_document(docs->version, key))
        add_key(docs, key);
    return 0;
}

/* What makes a place a dataset is first among the names, and the last one here. */
static void
add_root_keys(copy_documents *docs)
{
    const char *name;
    size_t      n = 0;

    while (nczarr_document(docs->version, n, NULL) != NULL)
        n++;
    while (n-- > 0)
        if (nczarr_map_exists(docs->map, name = nczarr_document(docs->version, n, NULL)) == NC_NOERR)
            add_key(docs, name);
}

int
copy_documents_make(const copy_opts *o, copy_source *s, const char *modes, copy_documents *docs)
{
    int out = -1, rc;

    if ((rc = nczarr_map_memory(&docs->map)) != NC_NOERR ||
        (rc = nczarr_create_map(docs->map, modes, NC_CLOBBER | NCZARR_VERBATIM | (o->classic ? NC_CLASSIC_MODEL : 0),
                                &out)) != NC_NOERR)
        return message_fail(rc, o->in);
    if ((rc = copy_define_all(o, s, out)) != NC_NOERR) {
        (void)nc_abort(out);
        return rc;
    }
    if ((rc = nczarr_inq_zarr_format(out, &docs->version, NULL)) != NC_NOERR || (rc = nc_close(out)) != NC_NOERR ||
        (rc = nczarr_map_walk(docs->map, "", add_inner_key, docs)) != NC_NOERR)
        return message_fail(rc, o->in);
    add_root_keys(docs);
    return NC_NOERR;
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
