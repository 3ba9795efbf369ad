/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open_diskless: datasets in memory: in one block, which is a zip archive (nc_open_memio() and its like), or in a
 * memory store, filled from another store at open and, on request, stored there at close (NC_DISKLESS;
 * dataset_persist.c).
 */
#include "open/open_int.h"
#include "zmap/zmap_block.h"
#include "zmap/zmap_mem.h"
#include "zip/zip.h"

#include <stdlib.h>
#include <string.h>

/* ---- one block ------------------------------------------------------------------------------------------------- */

int
ncz_dataset_create_mem(const char *path, int cmode, int default_format, size_t room, const ncz_limits *limits,
                       ncz_dataset **out)
{
    ncz_target *t = NULL;
    zmap       *map = NULL;
    int         version = 0, rc;

    cmode |= NC_INMEMORY;
    if ((rc = ncz_dataset_check_mode(cmode)) != NC_NOERR || (rc = ncz_target_parse(path, true, &t)) != NC_NOERR)
        return rc;
    rc = ncz_choose_format(t, cmode, default_format, &version);
    if (rc == NC_NOERR && version != 0)
        rc = ncz_file_create(t, cmode, (unsigned)version, limits, out);
    else if (rc == NC_NOERR && (rc = ncz_store_create_block(t, room, &map)) == NC_NOERR) {
        rc = ncz_dataset_create_on(map, t, t->canonical, cmode, limits, out);
        if (rc == NC_NOERR)
            (*out)->home = NCZ_HOME_BLOCK;
        else
            rc = ncz_opening_give_up(map, rc);
    }
    ncz_target_free(t);
    return rc;
}

/* A set of references in a block: its text is copied, and the block given back or freed. */
static int
open_set(const ncz_target *t, int omode, void *block, size_t len, bool locked, const ncz_limits *limits,
         ncz_dataset **out)
{
    ncz_opening o = {.target = (ncz_target *)(uintptr_t)t, .path = t->canonical, .mode = omode, .limits = limits};
    int         rc = (omode & NC_WRITE) != 0 ? ncz_reference_set_fail_writing(t)
                                             : ncz_reference_set_open_memory(t, block, len, &o.map);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_opening_load(&o)) != NC_NOERR)
        return ncz_opening_give_up(o.map, rc);
    o.ds->home = NCZ_HOME_PATH;
    if (!locked)
        free(block);
    *out = o.ds;
    return NC_NOERR;
}

/* A block that is not locked is the store's, read-only or not: closing the store frees it. */
int
ncz_dataset_open_mem(const char *path, int omode, void *block, size_t len, bool locked, const ncz_limits *limits,
                     ncz_dataset **out)
{
    ncz_target *t = NULL;
    ncz_opening o;
    zmap       *map = NULL;
    void       *back;
    size_t      back_len;
    bool        copied = (omode & NC_WRITE) != 0 && !locked && ncz_dialects_is_file(block, len);
    int         rc;

    omode |= NC_INMEMORY;
    if ((rc = ncz_dataset_check_mode(omode)) != NC_NOERR || (rc = ncz_target_parse(path, false, &t)) != NC_NOERR)
        return rc;
    if (ncz_reference_set_in(t, block, len)) {
        rc = open_set(t, omode, block, len, locked, limits, out);
        goto done;
    }
    rc = copied ? ncz_store_open_copy(block, len, &map) : ncz_store_open_block(t, block, len, locked, &map);
    if (rc != NC_NOERR)
        goto done;
    o = (ncz_opening){.target = t, .path = t->canonical, .mode = omode, .limits = limits, .map = map};
    if ((rc = ncz_opening_load_any(&o, true)) == NC_NOERR) {
        *out = o.ds;
        o.ds->home = o.ds->map == map ? NCZ_HOME_BLOCK : NCZ_HOME_PATH;
        if (copied)
            free(block);
    } else {
        ncz_err err;

        ncz_err_save(&err, rc);
        if (!copied)
            (void)ncz_store_take_block(map, &back, &back_len); /* unchanged: still the caller's */
        (void)zmap_close(o.map, ZMAP_KEEP);
        rc = ncz_err_adopt(&err);
    }
done:
    ncz_target_free(t);
    return rc;
}

enum { AT_ONCE = 256 }; /* objects per batch, held in memory twice during it */

/* ---- from a store that cannot list: the keys to request ---- */

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
add_var(ncz_dataset *ds, ncz_var *v, ncz_key_list *keys)
{
    size_t         n = 0, width = v->rank == 0 ? 1 : v->rank;
    uint64_t      *index = NULL;
    ncz_buf        key = NCZ_BUF_INIT;
    ncz_chunk_addr where;
    int            rc;

    if ((rc = ncz_dataset_use_var(ds, v)) != NC_NOERR || (rc = add_documents(ds, keys, v->spec->path)) != NC_NOERR ||
        v->spec->unusable->code != NC_NOERR)
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

/* ---- from a store to memory ------------------------------------------------------------------------------------- */

/* Reads the one object of a store into memory, which is a store. */
static int
load_object(zmap *from, bool writable, zmap **out)
{
    ncz_buf body = NCZ_BUF_INIT;
    int     rc = zmap_get(from, "", &body);

    if (rc == NC_NOERR)
        rc = writable ? ncz_store_open_copy(body.data, body.len, out)
                      : zmap_block_open(body.data, body.len, true, out);
    if (rc != NC_NOERR || writable)
        ncz_buf_clear(&body);
    return rc;
}

/* The store at a place, or what it refers to: all of that is copied, too. */
static int
open_source(const ncz_target *t, bool writable, zmap **from)
{
    int rc;

    if (ncz_reference_set_must(t))
        return writable ? ncz_reference_set_fail_writing(t) : ncz_reference_set_open(t, from);
    if ((rc = ncz_store_open(t, false, from)) != NC_NOERR || (zmap_caps_of(*from) & ZMAP_SINGLE) != 0)
        return rc;
    if (t->icechunk || (!ncz_remote(t) && t->zarr_format == 0)) { /* by what is there, where that costs nothing */
        rc = ncz_elsewhere_open(t, false, from);
        if (rc == NC_NOERR && writable)
            rc = ncz_elsewhere_fail_writing(t);
        return rc == NC_EEMPTY ? NC_NOERR : rc;
    }
    return rc;
}

/* Copies a store into a memory store, and lists the keys it held: none for a store that cannot list, which cannot be
 * written to either. */
static int
load_store(ncz_target *t, bool writable, const ncz_limits *limits, zmap **out, ncz_key_list *keys)
{
    zmap *from = NULL, *map = NULL;
    int   rc;

    if ((rc = open_source(t, writable, &from)) != NC_NOERR)
        goto done;
    if ((zmap_caps_of(from) & ZMAP_SINGLE) != 0) {
        rc = load_object(from, writable, out);
        goto done;
    }
    if ((rc = zmap_mem_open(&map)) != NC_NOERR)
        goto done;
    rc = (zmap_caps_of(from) & ZMAP_CAN_LIST) != 0 ? ncz_store_copy(from, map, false, keys)
                                                   : ncz_unlisted_copy(from, t, limits, map);
    if (rc != NC_NOERR)
        rc = ncz_opening_give_up(map, rc);
    else
        *out = map;
done:
    if (from != NULL)
        (void)zmap_close(from, ZMAP_KEEP); /* it was only read */
    return rc;
}

/* One file at a URL is not stored from memory. */
static int
check_persists(const ncz_opening *o)
{
    if ((o->mode & NC_PERSIST) == 0 || !ncz_opening_writes(o) || !ncz_remote(o->target) ||
        (zmap_caps_of(o->map) & ZMAP_SINGLE) == 0)
        return NC_NOERR;
    return ncz_fail(
        NC_EDISKLESS,
        "%s: one file at a URL: open it without NC_DISKLESS; a netCDF-4 file in a bucket is then put as a "
        "whole when it is closed",
        o->path);
}

int
ncz_diskless_open(ncz_opening *o)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    int          rc;

    if ((rc = load_store(o->target, ncz_opening_writes(o), o->limits, &o->map, &keys)) != NC_NOERR ||
        (rc = check_persists(o)) != NC_NOERR)
        goto done;
    if ((rc = ncz_opening_load(o)) != NC_NOERR) {
        rc = ncz_opening_give_up(o->map, rc);
        o->map = NULL;
        goto done;
    }
    o->ds->home = NCZ_HOME_PATH;
    if ((o->mode & NC_PERSIST) != 0 && o->ds->writable) {
        o->ds->home = NCZ_HOME_PERSIST;
        o->ds->loaded = keys;
        keys = NCZ_KEY_LIST_INIT;
    }
done:
    ncz_key_list_clear(&keys);
    return rc;
}
