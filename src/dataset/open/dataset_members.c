/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_members: which documents below a dataset's root are its own. Names of objects do not tell: somebody may have
 * copied another dataset into its directory. A dataset with NCZarr's lists, or with consolidated metadata, names its
 * groups and variables, so documents of others are not part of it. Without either, all that a list of the store finds
 * is part of the hierarchy.
 *
 * A writer that died may have stored documents before the list that names them. Those have NCZarr's keys, and none of
 * a root's.
 */
#include "dataset/dataset_int.h"

#include <string.h>

typedef struct members {
    zmap              *map;
    const ncz_dataset *ds;
    const char        *what; /* for error texts */
} members;

/* Whether the model has a group or variable at the first `len` bytes of a key. */
static bool
has_node(const ncz_model *m, const char *key, size_t len)
{
    const ncz_group *g = m->root;
    char            *path = ncz_strndup(key, len), *name = path, *slash;
    bool             has = path != NULL;

    while (has && (slash = strchr(name, '/')) != NULL) {
        *slash = '\0';
        has = (g = ncz_group_find_group(g, name)) != NULL;
        name = slash + 1;
    }
    has = has && (ncz_group_find_group(g, name) != NULL || ncz_group_find_var(g, name) != NULL);
    ncz_free(path);
    return has;
}

/* *is: the document says that it is one of a larger dataset. One that cannot be read or parsed does not. */
static int
is_left_member(const members *s, const char *key, bool *is)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT,
                                .depth = s->ds->limits.json_depth,
                                .nbytes = s->ds->limits.document_bytes,
                                .name = key};
    ncz_buf             body = NCZ_BUF_LIMIT(s->ds->limits.document_bytes);
    ncz_json           *doc = NULL;
    size_t              tail;
    int                 rc = zmap_get(s->map, key, &body);

    *is = false;
    if (rc == NC_NOERR && (rc = ncz_json_parse(body.data, body.len, &opts, &doc, &tail)) == NC_NOERR)
        *is = ncz_format_is_member(doc);
    ncz_json_free(doc);
    ncz_buf_clear(&body);
    if (rc == NC_ENOMEM)
        return rc;
    ncz_err_clear();
    return NC_NOERR;
}

/* The documents of one node, keys[from .. to), of which none is named: one of them must be a member's. */
static int
check_unnamed(const members *s, char *const *keys, size_t from, size_t to)
{
    bool is = false;
    int  rc = NC_NOERR;

    for (size_t i = from; rc == NC_NOERR && !is && i < to && ncz_dataset_is_nczarr(s->ds); i++)
        rc = is_left_member(s, keys[i], &is);
    if (rc == NC_NOERR && !is)
        rc = ncz_fail(NC_EEXIST,
                      "%s holds %s, which is not part of the dataset, whose metadata do not name it: "
                      "nothing is removed",
                      s->what, keys[from]);
    return rc;
}

/* Where the node of a document ends in its key; 0: the root, or no document. */
static size_t
node_of(const char *key)
{
    const char *slash = strrchr(key, '/');

    return slash != NULL && ncz_owner_is_document(key) ? (size_t)(slash - key) : 0;
}

/* Documents of a node are neighbours in the sorted list, but for those of its children between them. */
static int
check_nodes(const members *s, const ncz_key_list *keys)
{
    int rc = NC_NOERR;

    for (size_t i = 0, end; rc == NC_NOERR && i < keys->n; i = end) {
        size_t len = node_of(keys->v[i]);

        end = i + 1;
        if (len == 0 || has_node(s->ds->model, keys->v[i], len))
            continue;
        while (end < keys->n && node_of(keys->v[end]) == len && strncmp(keys->v[end], keys->v[i], len) == 0)
            end++;
        rc = check_unnamed(s, keys->v, i, end);
    }
    return rc;
}

static bool
has_nodes(const ncz_key_list *keys)
{
    for (size_t i = 0; i < keys->n; i++)
        if (node_of(keys->v[i]) > 0)
            return true;
    return false;
}

/* Loads the dataset as a reader does; *ds NULL: it cannot be. */
static int
load_dataset(zmap *map, const char *what, ncz_dataset **ds)
{
    const ncz_load_opts wish = {.xarray = true, .look = true};
    int                 rc = ncz_dataset_new(map, &ncz_limits_default, ds);

    if (rc != NC_NOERR)
        return rc;
    if (((*ds)->path = ncz_strdup(what)) == NULL)
        rc = ncz_fail_nomem(strlen(what) + 1);
    else if ((rc = ncz_load_root(*ds, &wish, NCZ_CONSOLIDATED_USE)) == NC_NOERR)
        rc = ncz_load_rest(*ds);
    if (rc == NC_NOERR)
        return rc;
    ncz_dataset_release(*ds);
    ncz_dataset_free(*ds);
    *ds = NULL;
    return rc;
}

int
ncz_members_check(zmap *map, const char *what, const ncz_key_list *keys)
{
    members      s = {.map = map, .what = what};
    ncz_dataset *ds = NULL;
    int          rc;

    if (!has_nodes(keys))
        return NC_NOERR;
    rc = load_dataset(map, what, &ds);
    if (ds == NULL) { /* damaged, or not complete: nothing says what it has */
        if (rc == NC_ENOMEM)
            return rc;
        ncz_err_clear();
        return NC_NOERR;
    }
    s.ds = ds;
    if (ncz_dataset_is_nczarr(ds) || ds->style.consolidated)
        rc = check_nodes(&s, keys);
    ncz_dataset_release(ds);
    ncz_dataset_free(ds);
    return rc;
}
