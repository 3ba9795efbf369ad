/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_map: the functions of nczarr_zmap.h: stores as sets of objects, and datasets over a store that the program
 * opened. Each such dataset keeps its own reference to the store.
 */
#include "nczarr_zmap.h"

#include "api/api_int.h"
#include "open/open.h"
#include "zmap/zmap.h"
#include "references/references.h"
#include "zmap/zmap_mem.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_user.h"

#include <stdarg.h>
#include <string.h>

int
nczarr_map_memory(nczarr_map **mapp)
{
    ncz_err_clear();
    if (mapp == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "nczarr_map_memory: no pointer for the store"));
    return ncz_call_done(zmap_mem_open(mapp));
}

int
nczarr_map_file(const char *dir, int create, nczarr_map **mapp)
{
    ncz_err_clear();
    if (dir == NULL || mapp == NULL)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nczarr_map_file: no %s", dir == NULL ? "directory" : "pointer for the store"));
    return ncz_call_done(zmap_file_open(dir, create ? ZMAP_CREATE_NEW : ZMAP_OPEN_WRITE, mapp));
}

int
nczarr_map_open(const char *path, int how, nczarr_map **mapp)
{
    static const zmap_open_how hows[] = {
        [NCZARR_MAP_READ] = ZMAP_OPEN_READ,
        [NCZARR_MAP_WRITE] = ZMAP_OPEN_WRITE,
        [NCZARR_MAP_CREATE] = ZMAP_CREATE_NEW,
    };

    ncz_err_clear();
    if (path == NULL || mapp == NULL)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nczarr_map_open: no %s", path == NULL ? "path" : "pointer for the store"));
    if (how < NCZARR_MAP_READ || how > NCZARR_MAP_CREATE)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nczarr_map_open: %d is not NCZARR_MAP_READ, _WRITE or _CREATE", how));
    return ncz_call_done(ncz_dataset_store(path, hows[how], mapp));
}

int
nczarr_map_own(const nczarr_map_ops *ops, void *user, nczarr_map **mapp)
{
    ncz_err_clear();
    if (ops == NULL || mapp == NULL)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nczarr_map_own: no %s", ops == NULL ? "functions" : "pointer for the store"));
    return ncz_call_done(zmap_user_open(ops, user, mapp));
}

/* Stores call this in the middle of another call, so a success does not touch the error record. */
int
nczarr_map_fail(int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)ncz_fail_args(code, format, args);
    va_end(args);
    return code;
}

int
nczarr_map_close(nczarr_map *map)
{
    ncz_err_clear();
    return map == NULL ? NC_NOERR : ncz_call_done(zmap_close(map, ZMAP_KEEP));
}

const char *
nczarr_map_name(const nczarr_map *map)
{
    return map != NULL ? zmap_name(map) : "";
}

unsigned
nczarr_map_can(const nczarr_map *map)
{
    static const struct {
        unsigned cap, can;
    } same[] = {{ZMAP_CAN_WRITE, NCZARR_MAP_CAN_WRITE},
                {ZMAP_CAN_LIST, NCZARR_MAP_CAN_LIST},
                {ZMAP_CAN_RANGE, NCZARR_MAP_CAN_RANGE},
                {ZMAP_CAN_SYNC, NCZARR_MAP_CAN_SYNC}};
    unsigned can = 0;

    for (size_t i = 0; map != NULL && i < NCZ_LEN(same); i++)
        if ((zmap_caps_of(map) & same[i].cap) != 0)
            can |= same[i].can;
    return can;
}

/* ---- objects ---- */

/* Begins each call: checks that the store and the other required arguments are given. */
static int
check_map_call(const nczarr_map *map, const char *call, bool given)
{
    ncz_err_clear();
    if (map == NULL || !given)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "%s: no %s", call, map == NULL ? "store" : "pointer for the result"));
    return NC_NOERR;
}

int
nczarr_map_exists(nczarr_map *map, const char *key)
{
    int rc = check_map_call(map, "nczarr_map_exists", true);

    return rc != NC_NOERR ? rc : ncz_call_done(zmap_len(map, key, NULL));
}

int
nczarr_map_len(nczarr_map *map, const char *key, unsigned long long *lenp)
{
    uint64_t len = 0;
    int      rc;

    if ((rc = check_map_call(map, "nczarr_map_len", lenp != NULL)) != NC_NOERR)
        return rc;
    if ((rc = zmap_len(map, key, &len)) == NC_NOERR)
        *lenp = len;
    return ncz_call_done(rc);
}

int
nczarr_map_read(nczarr_map *map, const char *key, unsigned long long start, size_t count, void *data)
{
    char         none; /* never written: `into` NULL would mean "allocate" */
    zmap_get_req r = {.key = key, .off = start, .len = count, .into = count != 0 ? data : &none, .into_cap = count};
    int          rc;

    if ((rc = check_map_call(map, "nczarr_map_read", data != NULL || count == 0)) != NC_NOERR)
        return rc;
    if ((rc = zmap_get_batch(map, &r, 1, NULL, NULL)) == NC_NOERR && r.err.code == NC_EEMPTY)
        rc = ncz_fail(NC_EEMPTY, "%s: no such object", key);
    return ncz_call_done(rc);
}

int
nczarr_map_get(nczarr_map *map, const char *key, void **datap, size_t *lenp)
{
    ncz_buf body = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes);
    size_t  len;
    char   *data;
    int     rc;

    if ((rc = check_map_call(map, "nczarr_map_get", datap != NULL && lenp != NULL)) != NC_NOERR)
        return rc;
    if ((rc = zmap_get(map, key, &body)) == NC_NOERR) {
        len = body.len;
        if ((data = ncz_buf_take(&body)) == NULL) {
            rc = ncz_fail_nomem(len + 1);
        } else {
            *datap = data;
            *lenp = len;
        }
    }
    ncz_buf_clear(&body);
    return ncz_call_done(rc);
}

int
nczarr_map_place(nczarr_map *map, const char *key, char **placep, unsigned long long *startp,
                 unsigned long long *lengthp)
{
    ncz_buf  place = NCZ_BUF_INIT;
    uint64_t off, len;
    int      rc;

    if ((rc = check_map_call(map, "nczarr_map_place",
                             key != NULL && placep != NULL && startp != NULL && lengthp != NULL)) != NC_NOERR)
        return rc;
    if ((rc = ncz_references_where(map, key, &place, &off, &len)) == NC_NOERR) {
        char *own = place.len > 0 ? ncz_buf_take(&place) : NULL;

        if (place.len > 0 && own == NULL)
            rc = ncz_fail_nomem(place.len);
        else
            *placep = own;
        *startp = off;
        *lengthp = len;
    }
    ncz_buf_clear(&place);
    return ncz_call_done(rc);
}

int
nczarr_map_write(nczarr_map *map, const char *key, size_t count, const void *data)
{
    int rc = check_map_call(map, "nczarr_map_write", true);

    return rc != NC_NOERR ? rc : ncz_call_done(zmap_put(map, key, data, count));
}

int
nczarr_map_copy(nczarr_map *map, const char *key, nczarr_map *from, const char *from_key, unsigned long long start,
                size_t count)
{
    zmap_source source = {.m = from, .key = from_key, .off = start};
    int         rc = check_map_call(map, "nczarr_map_copy", true);

    if (rc == NC_NOERR && from == NULL)
        rc = ncz_call_done(ncz_fail(NC_EINVAL, "nczarr_map_copy: no map to copy from"));
    return rc != NC_NOERR ? rc : ncz_call_done(zmap_copy(map, key, &source, count));
}

int
nczarr_map_delete(nczarr_map *map, const char *key)
{
    int rc = check_map_call(map, "nczarr_map_delete", true);

    return rc != NC_NOERR ? rc : ncz_call_done(zmap_del(map, &key, 1));
}

typedef struct searcher {
    nczarr_map_each each;
    void           *arg;
    int             rc;
} searcher;

static int
on_child(const char *name, bool leaf, void *arg)
{
    searcher *s = arg;

    return s->rc = s->each(name, leaf ? 1 : 0, s->arg);
}

int
nczarr_map_search(nczarr_map *map, const char *prefix, nczarr_map_each each, void *arg)
{
    searcher s = {.each = each, .arg = arg, .rc = 0};
    int      rc;

    if ((rc = check_map_call(map, "nczarr_map_search", each != NULL)) != NC_NOERR)
        return rc;
    rc = zmap_list(map, prefix, on_child, &s);
    return s.rc != 0 ? s.rc : ncz_call_done(rc);
}

typedef struct walker {
    nczarr_map_walk_each each;
    void                *arg;
    int                  rc;
} walker;

static int
on_object(const char *key, uint64_t size, void *arg)
{
    walker *w = arg;

    return w->rc = w->each(key, size == ZMAP_NO_SIZE ? NCZARR_MAP_WHOLE : size, w->arg);
}

int
nczarr_map_walk(nczarr_map *map, const char *prefix, nczarr_map_walk_each each, void *arg)
{
    walker w = {.each = each, .arg = arg, .rc = 0};
    int    rc;

    if ((rc = check_map_call(map, "nczarr_map_walk", each != NULL)) != NC_NOERR)
        return rc;
    rc = zmap_walk(map, prefix, on_object, &w);
    return w.rc != 0 ? w.rc : ncz_call_done(rc);
}

int
nczarr_map_sync(nczarr_map *map)
{
    int rc = check_map_call(map, "nczarr_map_sync", true);

    return rc != NC_NOERR ? rc : ncz_call_done(zmap_sync(map));
}

/* ---- datasets ---- */

int
nczarr_create_map(nczarr_map *map, const char *mode, int cmode, int *ncidp)
{
    ncz_limits   limits = ncz_limits_default;
    ncz_dataset *ds = NULL;
    int          rc;

    ncz_err_clear();
    if (map == NULL || ncidp == NULL)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nczarr_create_map: no %s", map == NULL ? "store" : "pointer for the ncid"));
    ncz_api_cache_limits(&limits);
    if ((rc = ncz_dataset_create_map(map, mode, cmode, &limits, &ds)) == NC_NOERR)
        rc = ncz_api_publish(ds, ncidp);
    return ncz_call_done(rc);
}

int
nczarr_open_map(nczarr_map *map, const char *mode, int omode, int *ncidp)
{
    ncz_limits   limits = ncz_limits_default;
    ncz_dataset *ds = NULL;
    int          rc;

    ncz_err_clear();
    if (map == NULL || ncidp == NULL)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nczarr_open_map: no %s", map == NULL ? "store" : "pointer for the ncid"));
    ncz_api_cache_limits(&limits);
    if ((rc = ncz_dataset_open_map(map, mode, omode, &limits, &ds)) == NC_NOERR)
        rc = ncz_api_publish(ds, ncidp);
    return ncz_call_done(rc);
}
