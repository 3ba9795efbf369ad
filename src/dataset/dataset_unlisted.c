/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_unlisted: copies a dataset whose store cannot list its keys, such as a web server. The dataset's own
 * metadata determine the requests: each document that its groups and variables may have, and the chunks that exist.
 */
#include "dataset/open/dataset_opening.h"

#include <string.h>

enum { AT_ONCE = 256 }; /* objects per batch, held in memory twice during it */

/* ---- the keys to request ---- */

static int
add_documents(const ncz_dataset *ds, ncz_key_list *keys, const char *path)
{
    int rc = NC_NOERR;

    for (const char *const *doc = ds->model->dialect->docs.all; rc == NC_NOERR && *doc != NULL; doc++)
        rc = ncz_key_list_add(keys, path, *doc);
    return rc;
}

/* Chunks of an unusable variable need no copy: the variable's documents report the same error in both places. */
static int
add_var(ncz_dataset *ds, const ncz_var *v, ncz_key_list *keys)
{
    size_t         n = 0, width = v->rank == 0 ? 1 : v->rank;
    uint64_t      *index = NULL;
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;
    int            rc;

    if ((rc = add_documents(ds, keys, v->spec->path)) != NC_NOERR || v->spec->unusable->code != NC_NOERR)
        return rc;
    rc = ncz_dataset_list_objects(ds, v, &index, &n);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        if ((rc = ncz_spec_locate(v->spec, index + i * width, &key, &where)) == NC_NOERR)
            rc = ncz_key_list_add(keys, "", where.key);
    ncz_buf_clear(&key);
    ncz_free(index);
    return rc;
}

static int
add_group(ncz_dataset *ds, const ncz_group *g, const char *path, ncz_key_list *keys)
{
    int rc = add_documents(ds, keys, path);

    for (size_t i = 0; rc == NC_NOERR && i < g->nvars; i++)
        rc = add_var(ds, g->vars[i], keys);
    for (size_t i = 0; rc == NC_NOERR && i < g->ngroups; i++) {
        char *below = ncz_sprintf("%s%s%s", path, path[0] != '\0' ? "/" : "", g->groups[i]->name);

        rc = below != NULL ? add_group(ds, g->groups[i], below, keys) : ncz_fail_nomem(strlen(path));
        ncz_free(below);
    }
    return rc;
}

static int
find_keys(zmap *map, ncz_target *t, const ncz_limits *limits, ncz_key_list *keys)
{
    ncz_opening  o = {.target = t, .path = t->shown, .mode = NC_NOWRITE, .limits = limits, .map = map};
    ncz_dataset *ds;
    ncz_err      err;
    int          rc;

    if ((rc = ncz_opening_load(&o)) != NC_NOERR)
        return rc;
    ds = o.ds;
    (void)zmap_ref(map); /* that reference is the dataset's */
    if ((rc = ncz_dataset_begin(ds, NCZ_USE_LOOK)) == NC_NOERR) {
        const char *copies = ds->model->dialect->copies.key;

        if (copies == NULL || (rc = ncz_key_list_add(keys, "", copies)) == NC_NOERR)
            rc = add_group(ds, ncz_dataset_model(ds)->root, "", keys);
        rc = ncz_dataset_end(ds, NCZ_USE_LOOK, rc);
    }
    ncz_err_save(&err, rc);
    ncz_dataset_release(ds); /* only read: nothing to store */
    (void)zmap_close(map, ZMAP_KEEP);
    ncz_dataset_free(ds);
    return rc == NC_NOERR ? rc : ncz_err_adopt(&err);
}

/* ---- the copy ---- */

/* Absent objects are skipped: the list contains documents that may not exist. */
static int
copy_some(zmap *from, zmap *to, char *const *keys, size_t n, zmap_get_req *reqs)
{
    int rc;

    for (size_t i = 0; i < n; i++)
        reqs[i] =
            (zmap_get_req){.key = keys[i], .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes)};
    rc = zmap_get_batch(from, reqs, n, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        if (rc == NC_NOERR && reqs[i].err.code == NC_NOERR)
            rc = zmap_put(to, keys[i], reqs[i].body.data, reqs[i].body.len);
        ncz_buf_clear(&reqs[i].body);
    }
    return rc;
}

int
ncz_unlisted_copy(zmap *from, ncz_target *t, const ncz_limits *limits, zmap *to)
{
    ncz_key_list  keys = NCZ_KEY_LIST_INIT;
    zmap_get_req *reqs = ncz_alloc_n(AT_ONCE, sizeof *reqs);
    int           rc = reqs != NULL ? find_keys(from, t, limits, &keys) : ncz_fail_nomem(AT_ONCE * sizeof *reqs);

    for (size_t i = 0; rc == NC_NOERR && i < keys.n; i += AT_ONCE)
        rc = copy_some(from, to, keys.v + i, keys.n - i < AT_ONCE ? keys.n - i : AT_ONCE, reqs);
    ncz_free(reqs);
    ncz_key_list_clear(&keys);
    return rc;
}
