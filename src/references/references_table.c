/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of references, as a finder: the keys, their lists, opening and closing.
 *
 * Invariant: no key is below another one. The keys of objects in other stores are held once each, since a set of
 * references has a few objects and many ranges of each.
 */
#include "references/references_int.h"

#include <inttypes.h>
#include <string.h>

/* Where an object's bytes are. */
typedef struct reference {
    const char *data;   /* the bytes, or NULL */
    const char *object; /* the key in the other store; the same pointer in all references to it */
    uint64_t    off, len;
    size_t      store;
} reference;

/* Nothing changes once it is open, so any thread may read. */
typedef struct reference_table {
    zmap      **stores;
    size_t      nstores;
    zmap_index  keys;    /* the value is a reference */
    zmap_index *objects; /* of each store: the keys that references have */
    reference  *refs;
    ncz_arena   bytes; /* that the store itself holds */
} reference_table;

/* ---- finding and lists ----------------------------------------------------------------------------------------- */

static int
check_no_prefix(const reference_table *s, const char *key)
{
    size_t           len = strlen(key);
    const zmap_node *below = zmap_index_seek(&s->keys, key, len);

    if (below != NULL && zmap_key_below(below->key, key, len))
        return ncz_fail(NC_EACCESS, "%s: is the prefix of other objects", key);
    for (size_t i = 0; i < len; i++)
        if (key[i] == '/' && zmap_index_find(&s->keys, key, i) != NULL)
            return ncz_fail(NC_EACCESS, "%s: %.*s is an object, not a prefix", key, (int)i, key);
    return NC_EEMPTY;
}

static int
find_reference(void *arg, const char *key, ncz_arena *room, ncz_found *out)
{
    const reference_table *s = arg;
    const zmap_node       *node = zmap_index_find(&s->keys, key, strlen(key));
    const reference       *ref;

    (void)room;
    if (node == NULL)
        return check_no_prefix(s, key);
    ref = node->value;
    *out = (ncz_found){.data = ref->data, .object = ref->object, .off = ref->off, .len = ref->len};
    if (ref->data == NULL)
        out->store = s->stores[ref->store];
    return NC_NOERR;
}

static int
list_children(void *arg, const char *prefix, zmap_each_fn each, void *each_arg)
{
    zmap_children children = {NULL, 0, 0};
    int           rc = zmap_index_children(&((reference_table *)arg)->keys, prefix, &children);

    if (rc == NC_NOERR)
        rc = zmap_children_each(&children, each, each_arg);
    zmap_children_clear(&children);
    return rc;
}

static int
walk_keys(void *arg, const char *prefix, zmap_walk_fn each, void *each_arg)
{
    const reference_table *s = arg;
    size_t                 len = strlen(prefix);
    const zmap_node       *node = zmap_index_seek(&s->keys, prefix, len);
    int                    rc = 0;

    _Static_assert(ZMAP_WHOLE == ZMAP_NO_SIZE, "a whole object has no size that is known");
    if (node != NULL && strcmp(node->key, prefix) == 0)
        node = node->next[0];
    for (; rc == 0 && node != NULL && zmap_key_below(node->key, prefix, len); node = node->next[0])
        rc = each(node->key, ((const reference *)node->value)->len, each_arg);
    return rc;
}

/* ---- opening and closing --------------------------------------------------------------------------------------- */

/* Adds what the other stores sent. */
static void
add_stats(void *arg, zmap_stats *out)
{
    const reference_table *s = arg;

    for (size_t i = 0; i < s->nstores; i++)
        zmap_stats_add_network(s->stores[i], out);
}

static void
free_references(reference_table *s)
{
    zmap_index_clear(&s->keys);
    for (size_t i = 0; s->objects != NULL && i < s->nstores; i++)
        zmap_index_clear(&s->objects[i]);
    ncz_arena_clear(&s->bytes);
    ncz_free(s->objects);
    ncz_free(s->stores);
    ncz_free(s->refs);
    ncz_free(s);
}

/* The first failure counts. */
static int
close_references(void *arg)
{
    reference_table *s = arg;
    ncz_err          first = {.code = NC_NOERR};

    for (size_t i = 0; i < s->nstores; i++) {
        int rc = zmap_close(s->stores[i], ZMAP_KEEP);

        if (rc != NC_NOERR && first.code == NC_NOERR)
            ncz_err_save(&first, rc);
    }
    free_references(s);
    return first.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&first);
}

static const ncz_finder table_finder = {
    .name = "references",
    .find = find_reference,
    .list = list_children,
    .walk = walk_keys,
    .stats = add_stats,
    .close = close_references,
};

/* ---- the references -------------------------------------------------------------------------------------------- */

static int
check_target(const reference_table *s, const ncz_reference *r)
{
    uint64_t end;

    if (r->store >= s->nstores)
        return ncz_fail(NC_EINVAL, "%s: refers to store %zu of %zu", r->key, r->store, s->nstores);
    if ((zmap_caps_of(s->stores[r->store]) & ZMAP_SINGLE) != 0 ? r->object == NULL || r->object[0] != '\0'
                                                               : !zmap_key_valid(r->object))
        return ncz_fail(NC_EINVAL, "%s: refers to an object whose name is not a key of the %s store", r->key,
                        zmap_name(s->stores[r->store]));
    if (r->len == ZMAP_WHOLE ? r->off != 0 : !ncz_add64(r->off, r->len, &end) || end > INT64_MAX)
        return ncz_fail(NC_EINVAL, "%s: refers to a range from byte %" PRIu64 " that has no end", r->key, r->off);
    return NC_NOERR;
}

/* The key of an object in another store: one pointer for all references to it. */
static int
share_object(reference_table *s, const ncz_reference *r, const char **out)
{
    zmap_index *objects = &s->objects[r->store];
    size_t      len = strlen(r->object);
    zmap_node  *node = zmap_index_find(objects, r->object, len);

    if (node == NULL) {
        if ((node = zmap_node_new(objects, r->object, len, NULL)) == NULL)
            return ncz_fail_nomem(len + 1);
        zmap_index_link(objects, node);
    }
    *out = node->key;
    return NC_NOERR;
}

static int
copy_target(reference_table *s, const ncz_reference *r, reference *to)
{
    char *data;
    int   rc;

    *to = (reference){.off = r->off, .len = r->len, .store = r->store};
    if (r->data == NULL)
        return (rc = check_target(s, r)) == NC_NOERR ? share_object(s, r, &to->object) : rc;
    if (r->len > ncz_limits_default.object_bytes)
        return ncz_fail(NC_ENOMEM, "%s: %" PRIu64 " bytes are more than the limit `object_bytes`", r->key, r->len);
    if ((data = ncz_arena_get(&s->bytes, r->len != 0 ? (size_t)r->len : 1)) == NULL)
        return ncz_fail_nomem((size_t)r->len);
    if (r->len != 0)
        memcpy(data, r->data, (size_t)r->len);
    to->data = data;
    return NC_NOERR;
}

static int
add_reference(reference_table *s, const ncz_reference *r, reference *to)
{
    zmap_node *node;
    int        rc;

    if (!zmap_key_valid(r->key))
        return ncz_fail(NC_EINVAL, "the name of an object of a set of references is not a key");
    if ((rc = copy_target(s, r, to)) != NC_NOERR)
        return rc;
    if ((node = zmap_node_new(&s->keys, r->key, strlen(r->key), to)) == NULL)
        return ncz_fail_nomem(strlen(r->key) + 1);
    if (zmap_index_link(&s->keys, node))
        return NC_NOERR;
    zmap_node_free(node);
    return ncz_fail(NC_EINVAL, "%s: has two references", r->key);
}

/* A key that is above others is directly before the first of them. */
static int
check_leaves(const reference_table *s)
{
    for (const zmap_node *node = s->keys.head[0]; node != NULL && node->next[0] != NULL; node = node->next[0])
        if (zmap_key_below(node->next[0]->key, node->key, strlen(node->key)))
            return ncz_fail(NC_EINVAL, "%s: is an object, and the prefix of %s", node->key, node->next[0]->key);
    return NC_NOERR;
}

static int
new_references(zmap *const *stores, size_t nstores, size_t n, reference_table **out)
{
    reference_table *s = ncz_zalloc(sizeof *s);

    if (s == NULL)
        return ncz_fail_nomem(sizeof *s);
    s->stores = ncz_alloc_n(nstores, sizeof(zmap *));
    s->objects = ncz_zalloc_n(nstores, sizeof *s->objects);
    s->refs = ncz_alloc_n(n, sizeof *s->refs);
    if (s->stores == NULL || s->objects == NULL || s->refs == NULL) {
        free_references(s);
        return ncz_fail_nomem(n * sizeof *s->refs);
    }
    for (size_t i = 0; i < nstores; i++)
        s->stores[i] = stores[i];
    s->nstores = nstores;
    *out = s;
    return NC_NOERR;
}

int
ncz_references_open(zmap *const *stores, size_t nstores, const ncz_reference *refs, size_t n, zmap **out)
{
    reference_table *s = NULL;
    unsigned         all = ZMAP_FROM_WORKERS;
    int              rc;

    if (n > ncz_limits_default.references)
        return ncz_fail(NC_ENOMEM, "%zu references are more than the limit `references` of %zu", n,
                        ncz_limits_default.references);
    if ((rc = new_references(stores, nstores, n, &s)) != NC_NOERR)
        return rc;
    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = add_reference(s, &refs[i], &s->refs[i]);
    if (rc == NC_NOERR)
        rc = check_leaves(s);
    for (size_t i = 0; i < nstores; i++)
        all &= zmap_caps_of(stores[i]);
    if (rc == NC_NOERR)
        rc = ncz_references_find(&table_finder, s, all != 0, out);
    if (rc != NC_NOERR)
        free_references(s);
    return rc;
}
