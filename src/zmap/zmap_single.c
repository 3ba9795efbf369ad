/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A store of one object, which is an object of another store. zmap.c admits no key but "".
 *
 * Threads as the inner store; nothing changes once the store is open.
 */
#include "zmap/zmap_single.h"

#include "zmap/file/zmap_file.h"
#include "zmap/zmap_int.h"

#include <string.h>

typedef struct single_map {
    zmap  base;
    zmap *inner;
    char *key; /* of the object, in `inner` */
} single_map;

/* The caller's callback of a batch under way. */
typedef struct waiting {
    zmap_done_fn done;
    void        *arg;
} waiting;

/* Restores the caller's key, "", before the caller sees the request. */
static void
finish_request(zmap_get_req *r, void *arg)
{
    const waiting *w = arg;

    r->key = "";
    if (w->done != NULL)
        w->done(r, w->arg);
}

static int
get_ranges(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    single_map *s = (single_map *)m;
    waiting     w = {done, arg};

    for (size_t i = 0; i < n; i++)
        reqs[i].key = s->key;
    return zmap_get_batch(s->inner, reqs, n, finish_request, &w);
}

static int
find_len(zmap *m, const char *key, uint64_t *len)
{
    single_map *s = (single_map *)m;

    (void)key;
    return zmap_len(s->inner, s->key, len);
}

static int
close_single(zmap *m, zmap_end how)
{
    single_map *s = (single_map *)m;
    int         rc = zmap_close(s->inner, how);

    ncz_free(s->key);
    ncz_free(s);
    return rc;
}

static const zmap_ops single_ops = {
    .name = "single",
    .get = get_ranges,
    .len = find_len,
    .close = close_single,
};

int
zmap_single_open(zmap *inner, const char *key, zmap **out)
{
    const unsigned kept = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_FROM_WORKERS;
    single_map    *s;

    if (!zmap_key_valid(key))
        return ncz_fail(NC_EINVAL, "the name of the object is not a key");
    if ((s = ncz_alloc(sizeof *s)) == NULL)
        return ncz_fail_nomem(sizeof *s);
    *s = (single_map){
        .base = {.ops = &single_ops, .caps = (zmap_caps_of(inner) & kept) | ZMAP_SINGLE | ZMAP_LOGS, .refs = 1},
        .inner = inner,
        .key = ncz_strdup(key)};
    if (s->key == NULL) {
        ncz_free(s);
        return ncz_fail_nomem(strlen(key) + 1);
    }
    *out = &s->base;
    return NC_NOERR;
}

int
zmap_single_file(const char *path, zmap **out)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    char       *dir = slash == NULL ? ncz_strdup(".") : ncz_strndup(path, slash == path ? 1 : (size_t)(slash - path));
    zmap *inner = NULL;
    int         rc;

    if (dir == NULL)
        return ncz_fail_nomem(strlen(path) + 1);
    if ((rc = zmap_file_open(dir, ZMAP_OPEN_READ, &inner)) == NC_NOERR &&
        (rc = zmap_single_open(inner, name, out)) != NC_NOERR)
        (void)zmap_close(inner, ZMAP_KEEP); /* keeps the text: closing a read-only store records none */
    ncz_free(dir);
    return rc;
}
