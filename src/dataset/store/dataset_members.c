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
    zmap       *map;
    const char *what;   /* for error texts */
    bool        nczarr; /* it has NCZarr's keys */
    ncz_names   names;  /* the paths of its groups and variables */
} members;

/* Whether the dataset has a group or variable at the first `len` bytes of a key. */
static int
find_node(const members *s, const char *key, size_t len, bool *has)
{
    char  *path = ncz_strndup(key, len);
    size_t at;

    if (path == NULL)
        return ncz_fail_nomem(len + 1);
    *has = ncz_names_get(&s->names, path, &at);
    ncz_free(path);
    return NC_NOERR;
}

/* *is: the document says that it is one of a larger dataset. One that cannot be read or parsed does not. */
static int
is_left_member(const members *s, const char *key, bool *is)
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT,
                                .depth = ncz_limits_default.json_depth,
                                .nbytes = ncz_limits_default.document_bytes,
                                .name = key};
    ncz_buf             body = NCZ_BUF_LIMIT(ncz_limits_default.document_bytes);
    ncz_json           *doc = NULL;
    size_t              tail;
    int                 rc = zmap_get(s->map, key, &body);

    *is = false;
    if (rc == NC_NOERR && (rc = ncz_json_parse(body.data, body.len, &opts, &doc, &tail)) == NC_NOERR)
        *is = ncz_dialects_is_member(doc);
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

    for (size_t i = from; rc == NC_NOERR && !is && i < to && s->nczarr; i++)
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
        bool   has = true;

        end = i + 1;
        if (len == 0 || (rc = find_node(s, keys->v[i], len, &has)) != NC_NOERR || has)
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

/* Loads the names as a reader does. *listed false: nothing says what the dataset has. */
static int
load_names(members *s, bool *listed)
{
    const ncz_load_opts wish = {.xarray = true, .look = true};
    ncz_dataset        *ds = NULL;
    int                 rc = ncz_dataset_new(s->map, &ncz_limits_default, &ds);

    *listed = false;
    if (rc != NC_NOERR)
        return rc;
    if ((ds->path = ncz_strdup(s->what)) == NULL)
        rc = ncz_fail_nomem(strlen(s->what) + 1);
    else if ((rc = ncz_load_root(ds, &wish, NCZ_CONSOLIDATED_USE)) == NC_NOERR &&
             (rc = ncz_load_names(ds, &s->names, listed)) == NC_NOERR)
        s->nczarr = ncz_load_has_lists(ds);
    ncz_dataset_release(ds);
    ncz_dataset_free(ds);
    if (rc == NC_NOERR || rc == NC_ENOMEM)
        return rc;
    *listed = false; /* it is damaged, or not complete */
    ncz_err_clear();
    return NC_NOERR;
}

int
ncz_members_check(zmap *map, const char *what, const ncz_key_list *keys)
{
    members s = {.map = map, .what = what, .names = NCZ_NAMES_INIT};
    bool    listed = false;
    int     rc = NC_NOERR;

    if (has_nodes(keys) && (rc = load_names(&s, &listed)) == NC_NOERR && listed)
        rc = check_nodes(&s, keys);
    ncz_names_clear(&s.names);
    return rc;
}
