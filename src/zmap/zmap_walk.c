/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_walk(): every object below a prefix, with one call if the store can do that, otherwise prefix by prefix. No
 * state; any thread.
 */
#include "zmap/zmap_int.h"

#include <stdio.h>
#include <string.h>

typedef struct walk {
    const char   *prefix; /* the one being listed */
    zmap_children todo;   /* prefixes found so far, in the order of listing */
    ncz_buf       key;
    zmap_walk_fn  each, each_prefix; /* the second may be NULL */
    void         *arg;
} walk;

static int
on_child(const char *name, bool leaf, void *arg)
{
    walk *w = arg;
    int   rc;

    ncz_buf_reset(&w->key);
    if ((rc = ncz_buf_printf(&w->key, "%s%s%s", w->prefix, w->prefix[0] != '\0' ? "/" : "", name)) != NC_NOERR)
        return rc;
    if (leaf)
        return w->each(w->key.data, ZMAP_NO_SIZE, w->arg);
    if (w->each_prefix != NULL && (rc = w->each_prefix(w->key.data, ZMAP_NO_SIZE, w->arg)) != NC_NOERR)
        return rc;
    return zmap_children_add(&w->todo, w->key.data, w->key.len, false);
}

static int
by_prefixes(zmap *m, const char *prefix, zmap_walk_fn each, zmap_walk_fn each_prefix, void *arg)
{
    walk   w = {.each = each, .each_prefix = each_prefix, .arg = arg};
    size_t at = 0;
    int    rc = zmap_children_add(&w.todo, prefix, strlen(prefix), false);

    for (; rc == NC_NOERR && at < w.todo.n; at++) {
        w.prefix = w.todo.items[at].name; /* stays valid while more are added */
        rc = zmap_list(m, w.prefix, on_child, &w);
    }
    zmap_children_clear(&w.todo);
    ncz_buf_clear(&w.key);
    return rc;
}

int
zmap_walk(zmap *m, const char *prefix, zmap_walk_fn each, void *arg)
{
    return zmap_walk_prefixes(m, prefix, each, NULL, arg);
}

int
zmap_walk_prefixes(zmap *m, const char *prefix, zmap_walk_fn each, zmap_walk_fn each_prefix, void *arg)
{
    zmap_log_batch log;
    bool           logged = zmap_is_logged(m);
    int            rc;

    if (m->ops->walk == NULL)
        return by_prefixes(m, prefix, each, each_prefix, arg);
    if ((rc = zmap_check_list(m, prefix)) != NC_NOERR)
        return rc;
    atomic_fetch_add_explicit(&m->done.lists, 1, memory_order_relaxed);
    if (logged)
        zmap_log_begin(&log, m, NULL, NULL);
    rc = m->ops->walk(m, prefix, each, arg);
    if (logged)
        zmap_log_other(&log, "list all below", prefix, 1, NC_NOERR);
    return rc;
}
