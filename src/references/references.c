/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store of references over a finder: sizes, lists, opening and closing.
 */
#include "references/references_int.h"

static int
find_len(zmap *m, const char *key, uint64_t *len)
{
    const references_map *s = (const references_map *)m;
    ncz_arena             room = NCZ_ARENA_INIT;
    ncz_found             ref;
    ncz_err               err;
    int                   rc = s->finder->find(s->arg, key, &room, &ref);

    if (rc == NC_EACCESS)
        rc = NC_EEMPTY;
    if (rc == NC_NOERR)
        *len = ref.len;
    if (rc == NC_NOERR && ref.data == NULL && ref.len == ZMAP_WHOLE &&
        (rc = zmap_len(ref.store, ref.object, len)) != NC_NOERR) {
        ncz_err_save(&err, rc);
        rc = ncz_references_fail(key, &ref, &err);
    }
    ncz_arena_clear(&room);
    return rc;
}

static int
list_children(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    const references_map *s = (const references_map *)m;

    return s->finder->list(s->arg, prefix, each, arg);
}

static int
walk_keys(zmap *m, const char *prefix, zmap_walk_fn each, void *arg)
{
    const references_map *s = (const references_map *)m;

    return s->finder->walk(s->arg, prefix, each, arg);
}

static void
add_stats(const zmap *m, zmap_stats *out)
{
    const references_map *s = (const references_map *)m;

    if (s->finder->stats != NULL)
        s->finder->stats(s->arg, out);
}

static int
close_references(zmap *m, zmap_end how)
{
    references_map *s = (references_map *)m;
    int             rc = s->finder->close(s->arg);

    (void)how; /* nothing was put */
    ncz_free(s);
    return rc;
}

static const zmap_ops references_ops = {
    .get = ncz_references_get,
    .list = list_children,
    .walk = walk_keys,
    .len = find_len,
    .stats = add_stats,
    .close = close_references,
};

int
ncz_references_where(zmap *m, const char *key, ncz_buf *place, uint64_t *off, uint64_t *len)
{
    const references_map *s = (const references_map *)m;

    *off = 0;
    *len = ZMAP_WHOLE;
    if (!zmap_is_key_of(m, key))
        return ncz_fail(NC_EINVAL, "the name of an object is not a key");
    if (m->ops->get != ncz_references_get || s->finder->where == NULL)
        return NC_NOERR;
    return s->finder->where(s->arg, key, place, off, len);
}

int
ncz_references_find(const ncz_finder *finder, void *arg, bool from_workers, zmap **out)
{
    references_map *s = ncz_zalloc(sizeof *s);

    if (s == NULL)
        return ncz_fail_nomem(sizeof *s);
    s->ops = references_ops;
    s->ops.name = finder->name;
    s->base = (zmap){.ops = &s->ops,
                     .caps = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_CAN_LIST | ZMAP_LOGS |
                             (from_workers ? ZMAP_FROM_WORKERS : 0),
                     .refs = 1};
    s->finder = finder;
    s->arg = arg;
    *out = &s->base;
    return NC_NOERR;
}
