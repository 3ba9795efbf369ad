/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_diskless: datasets in memory: in one block, which is a zip archive (nc_open_memio() and its like), or in a
 * memory store, filled from another store at open and, on request, stored there at close (NC_DISKLESS;
 * dataset_persist.c).
 */
#include "dataset/open/dataset_opening.h"
#include "zmap/zmap_block.h"
#include "zmap/zmap_mem.h"
#include "zip/zmap_zip.h"

#include <stdlib.h>
#include <string.h>

/* ---- one block ------------------------------------------------------------------------------------------------- */

/* Closes a store on which no dataset could be made; the failure stays. */
static int
give_up(zmap *map, int rc)
{
    ncz_err err;

    ncz_err_save(&err, rc);
    (void)zmap_close(map, ZMAP_DISCARD);
    return ncz_err_adopt(&err);
}

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
            rc = give_up(map, rc);
    }
    ncz_target_free(t);
    return rc;
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
    bool        copied = (omode & NC_WRITE) != 0 && !locked && ncz_format_is_file(block, len);
    int         rc;

    omode |= NC_INMEMORY;
    if ((rc = ncz_dataset_check_mode(omode)) != NC_NOERR || (rc = ncz_target_parse(path, false, &t)) != NC_NOERR)
        return rc;
    rc = copied ? ncz_store_open_copy(block, len, &map) : ncz_store_open_block(t, block, len, locked, &map);
    if (rc != NC_NOERR)
        goto done;
    o = (ncz_opening){.target = t, .path = t->canonical, .mode = omode, .limits = limits, .map = map};
    if ((rc = ncz_opening_load(&o)) == NC_NOERR) {
        *out = o.ds;
        o.ds->home = NCZ_HOME_BLOCK;
        if (copied)
            free(block);
    } else {
        ncz_err err;

        ncz_err_save(&err, rc);
        if (!copied)
            (void)ncz_store_take_block(map, &back, &back_len); /* unchanged: still the caller's */
        (void)zmap_close(map, ZMAP_KEEP);
        rc = ncz_err_adopt(&err);
    }
done:
    ncz_target_free(t);
    return rc;
}

bool
ncz_dataset_in_block(const ncz_dataset *ds)
{
    return ds->home == NCZ_HOME_BLOCK;
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

/* Copies a store into a memory store, and lists the keys it held: none for a store that cannot list, which cannot be
 * written to either. */
static int
load_store(ncz_target *t, bool writable, const ncz_limits *limits, zmap **out, ncz_key_list *keys)
{
    zmap *from = NULL, *map = NULL;
    int   rc;

    if ((rc = ncz_store_open(t, false, &from)) != NC_NOERR)
        return rc;
    if ((zmap_caps_of(from) & ZMAP_SINGLE) != 0) {
        rc = load_object(from, writable, out);
        goto done;
    }
    if ((rc = zmap_mem_open(&map)) != NC_NOERR)
        goto done;
    rc = (zmap_caps_of(from) & ZMAP_CAN_LIST) != 0 ? ncz_store_copy(from, map, false, keys)
                                                   : ncz_unlisted_copy(from, t, limits, map);
    if (rc != NC_NOERR)
        rc = give_up(map, rc);
    else
        *out = map;
done:
    (void)zmap_close(from, ZMAP_KEEP); /* it was only read */
    return rc;
}

int
ncz_diskless_open(ncz_opening *o)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    int          rc;

    if ((rc = load_store(o->target, ncz_opening_writes(o), o->limits, &o->map, &keys)) != NC_NOERR)
        goto done;
    if ((rc = ncz_opening_load(o)) != NC_NOERR) {
        rc = give_up(o->map, rc);
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
