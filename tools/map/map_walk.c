/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map_walk.c: every object of a store, in the order of the keys' segments: list, find, dump, stat.
 */
#include "map_int.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk walk;

struct walk {
    nczarr_map        *map;
    const map_opts    *o;
    const char        *prefix, *pattern; /* pattern NULL: all */
    bool               dump;
    int                rc; /* first failure of an object; the walk goes on */
    unsigned long long objects, bytes;
};

static void
visit_object(walk *w, const char *key)
{
    unsigned long long len = 0;
    int                rc;

    if (w->pattern != NULL && fnmatch(w->pattern, key, 0) != 0)
        return;
    if (!w->o->keys && (rc = nczarr_map_len(w->map, key, &len)) != NC_NOERR) {
        (void)map_fail(w->o, rc, key);
        w->rc = w->rc != NC_NOERR ? w->rc : rc;
        return;
    }
    w->objects++;
    w->bytes += len;
    if (w->o->keys)
        fprintf(w->o->out, "%s\n", key);
    else
        fprintf(w->o->out, "%12llu  %s\n", len, key);
    if (w->dump && (rc = map_print(w->map, w->o, key)) != NC_NOERR)
        w->rc = w->rc != NC_NOERR ? w->rc : rc;
}

static int
visit_child(const char *name, int leaf, void *arg)
{
    walk       *w = arg;
    const char *prefix = w->prefix;
    char       *key = memory_textf("%s%s%s", prefix, prefix[0] != '\0' ? "/" : "", name);
    int         rc = 0;

    if (leaf) {
        visit_object(w, key);
    } else {
        w->prefix = key;
        rc = nczarr_map_search(w->map, key, visit_child, w);
        w->prefix = prefix;
    }
    free(key);
    return rc;
}

/* Visits the object at `prefix`, and all below it: in buckets and archives there may be both. */
static int
walk_objects(nczarr_map *map, const map_opts *o, const char *prefix, const char *pattern, bool dump)
{
    walk w = {.map = map, .o = o, .prefix = prefix, .pattern = pattern, .dump = dump};
    int  rc = NC_NOERR;

    if (prefix[0] != '\0' && nczarr_map_exists(map, prefix) == NC_NOERR)
        visit_object(&w, prefix);
    rc = nczarr_map_search(map, prefix, visit_child, &w);
    if (rc != NC_NOERR && w.objects == 0)
        return map_fail(o, rc, prefix);
    if (w.objects == 0 && w.rc == NC_NOERR && (prefix[0] != '\0' || pattern != NULL))
        return message_error(NC_EEMPTY, "%s: %s: no such object", o->path, pattern != NULL ? pattern : prefix);
    if (!o->keys)
        fprintf(o->out, "%12llu  bytes in %llu object%s\n", w.bytes, w.objects, w.objects == 1 ? "" : "s");
    return w.rc;
}

int
map_list(nczarr_map *map, const map_opts *o, const char *prefix)
{
    return walk_objects(map, o, prefix, NULL, false);
}

int
map_find(nczarr_map *map, const map_opts *o, const char *pattern)
{
    return walk_objects(map, o, "", pattern, false);
}

int
map_dump(nczarr_map *map, const map_opts *o, const char *prefix)
{
    return walk_objects(map, o, prefix, NULL, true);
}

static int
count_child(const char *name, int leaf, void *arg)
{
    (void)name;
    (void)leaf;
    ++*(unsigned long long *)arg;
    return 0;
}

int
map_stat(nczarr_map *map, const map_opts *o, const char *key)
{
    unsigned long long len = 0, children = 0;
    int                rc = nczarr_map_len(map, key, &len);

    if (rc == NC_NOERR) {
        fprintf(o->out, "%s: object of %llu bytes\n", key, len);
        return NC_NOERR;
    }
    if (rc != NC_EEMPTY)
        return map_fail(o, rc, key);
    if ((rc = nczarr_map_search(map, key, count_child, &children)) != NC_NOERR)
        return map_fail(o, rc, key);
    if (children > 0)
        fprintf(o->out, "%s: prefix of %llu\n", key, children);
    else
        fprintf(o->out, "%s: nothing\n", key);
    return children > 0 ? NC_NOERR : NC_EEMPTY;
}
