/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_open: opens and creates datasets, from a path or a store of the caller's (dataset_create_open.c). A failed
 * creation leaves nothing in the store.
 */
#include "dataset/file/dataset_file.h"
#include "dataset/open/dataset_settings.h"
#include "zmap/zip/zmap_zip.h"
#include "zmap/zmap_mem.h"

/* The dataset gets the name as the caller wrote it. */
static void
take_name(ncz_dataset *ds, ncz_target *t)
{
    ds->given = t->canonical;
    t->canonical = NULL;
}

/* ---- create ---- */

int
ncz_dataset_create(const char *path, int cmode, int default_format, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_target *t = NULL;
    zmap       *map = NULL;
    char       *claim = NULL;
    int         version = 0, rc;

    if ((cmode & NC_INMEMORY) != 0)
        return ncz_dataset_create_mem(path, cmode, default_format, 0, limits, out);
    if ((rc = ncz_dataset_check_mode(cmode)) != NC_NOERR || (rc = ncz_target_parse(path, true, &t)) != NC_NOERR ||
        (rc = ncz_settings_check(t)) != NC_NOERR ||
        (rc = ncz_choose_format(t, cmode, default_format, &version)) != NC_NOERR ||
        (rc = ncz_store_follow(t)) != NC_NOERR)
        goto done;
    if (version != 0) {
        if ((rc = ncz_file_create(t, cmode, (unsigned)version, limits, out)) == NC_NOERR) {
            /* A program of netCDF-C's knows no other file under that name from now on. */
            (*out)->shown_early = (*out)->shown_early || default_format == NCZ_FORMAT_CLASSIC_UNSAID;
            take_name(*out, t);
        }
        goto done;
    }
    /* A dataset that close will store at the path fails now if the path is occupied, not at close. */
    if ((cmode & NC_DISKLESS) == 0)
        rc = ncz_store_create_claimed(t, cmode, &map, &claim);
    else if ((cmode & NC_PERSIST) == 0 || (rc = ncz_store_check_vacant(t, cmode)) == NC_NOERR)
        rc = zmap_mem_open(&map);
    if (rc != NC_NOERR || (rc = ncz_dataset_create_on(map, t, t->shown, cmode, limits, out)) != NC_NOERR)
        goto done;
    (*out)->home = (cmode & NC_DISKLESS) != 0 && (cmode & NC_PERSIST) != 0 ? NCZ_HOME_PERSIST : NCZ_HOME_PATH;
    (*out)->claim = claim;
    take_name(*out, t);
    map = NULL;   /* owned by the dataset now, */
    claim = NULL; /* as is this */
done:
    if (map != NULL) {
        ncz_err err;

        ncz_err_save(&err, rc);
        (void)zmap_close(map, ZMAP_DISCARD);
        (void)ncz_err_adopt(&err);
    }
    ncz_free(claim);
    ncz_target_free(t);
    return rc;
}

/* What is created holds many objects, whatever its name. */
static int
check_zarr(const ncz_target *t, int cmode)
{
    int version = 0, rc = ncz_choose_format(t, cmode, NC_FORMAT_NETCDF4, &version);

    if (rc == NC_NOERR && version != 0)
        rc = ncz_fail(NC_EINVAL, "%s: a classic file (CDF-%d) is no store of objects", t->shown, version);
    return rc;
}

int
ncz_dataset_store(const char *path, zmap_open_how how, zmap **out)
{
    ncz_target *t = NULL;
    int         rc = ncz_target_parse(path, how == ZMAP_CREATE_NEW, &t);

    if (rc == NC_NOERR && how == ZMAP_CREATE_NEW)
        rc = check_zarr(t, NC_NOCLOBBER);
    if (rc == NC_NOERR)
        rc = how == ZMAP_CREATE_NEW ? ncz_store_create(t, NC_NOCLOBBER, out)
                                    : ncz_store_open(t, how == ZMAP_OPEN_WRITE, out);
    ncz_target_free(t);
    return rc;
}

/* A store that cannot list cannot be emptied, so it must hold no dataset. */
static int
check_free(zmap *map)
{
    bool is = false;
    int  rc = ncz_owner_is_dataset(map, &is);

    if (rc == NC_NOERR && is)
        rc = ncz_fail(NC_EEXIST, "the store holds a dataset and cannot list it, so it cannot be replaced");
    return rc;
}

/* Empties a store of the caller's, which may hold a dataset and nothing else, unless the modes say more. */
static int
clear_map(zmap *map, const ncz_target *t, int cmode)
{
    ncz_key_list keys = NCZ_KEY_LIST_INIT;
    bool         empty = false;
    int          rc;

    if ((zmap_caps_of(map) & ZMAP_CAN_LIST) == 0)
        return check_free(map);
    if ((rc = ncz_owner_store_empty(map, &empty)) != NC_NOERR || empty)
        return rc;
    if ((cmode & NC_NOCLOBBER) != 0)
        return ncz_fail(NC_EEXIST, "the map holds objects");
    if ((rc = ncz_owner_all_keys(map, "the map", NC_EEXIST, ncz_owner_scope_of(t), &keys)) == NC_NOERR)
        rc = ncz_owner_del_all(map, &keys, true);
    ncz_key_list_clear(&keys);
    return rc;
}

/* Makes a target from a fragment's text, for an existing store. Parsed as a URL, whose fragment is never taken as
 * part of a name. */
static int
map_target(const char *mode, bool for_create, ncz_target **out)
{
    char *text = ncz_sprintf("file:///map%s%s", mode != NULL && mode[0] != '\0' ? "#" : "", mode != NULL ? mode : "");
    int   rc = text != NULL ? ncz_target_parse(text, for_create, out) : ncz_fail_nomem(0);

    ncz_free(text);
    return rc;
}

/* A map that cannot be written to is refused at once, not by the first put. */
static int
check_map_writes(zmap *map)
{
    if ((zmap_caps_of(map) & ZMAP_CAN_WRITE) == 0)
        return ncz_fail(NC_EPERM, "the %s map is open for reading only", zmap_name(map));
    return NC_NOERR;
}

int
ncz_dataset_create_map(zmap *map, const char *mode, int cmode, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_target *t = NULL;
    char       *claim = NULL;
    int         rc;

    if ((rc = ncz_dataset_check_mode(cmode)) != NC_NOERR || (rc = check_map_writes(map)) != NC_NOERR ||
        (rc = map_target(mode, true, &t)) != NC_NOERR || (rc = ncz_settings_check(t)) != NC_NOERR ||
        (rc = check_zarr(t, cmode)) != NC_NOERR)
        goto done;
    if ((rc = clear_map(map, t, cmode)) != NC_NOERR ||
        (rc = ncz_claim_put(map, ncz_dataset_choose_dialect(t), zmap_name(map), &claim)) != NC_NOERR)
        goto done;
    if ((rc = ncz_dataset_create_on(map, t, zmap_name(map), cmode, limits, out)) == NC_NOERR) {
        (void)zmap_ref(map);
        (*out)->claim = claim;
        claim = NULL;
    }
done:
    ncz_free(claim);
    ncz_target_free(t);
    return rc;
}

/* ---- open ---- */

/* A session that continues an unpublished dataset becomes its only writer. After a failure `ds` is freed, the store
 * is not. */
static int
take_over(ncz_dataset *ds, zmap *map, const char *path)
{
    bool died;
    int  rc;

    if (!ds->root_deferred || !ds->writable || (rc = ncz_claim_take(map, path, &ds->claim, &died)) == NC_NOERR)
        return NC_NOERR;
    ncz_dataset_release(ds);
    ncz_dataset_free(ds);
    return rc;
}

/* Opens the store of the target and the dataset on it. After a failure *map may be set, too; where a dataset was begun
 * there, the place has objects below it. */
static int
open_target(ncz_target *t, int omode, const ncz_limits *limits, zmap **map, ncz_dataset **ds)
{
    int  rc = ncz_store_open(t, (omode & NC_WRITE) != 0, map);
    bool begun;

    if (rc != NC_NOERR || (rc = ncz_dataset_open_on(*map, t, t->shown, omode, limits, ds)) == NC_NOERR)
        return rc;
    rc = ncz_claim_explain(*map, t->shown, ncz_store_missing(t, *map, rc), &begun);
    if (begun)
        t->one_object = NCZ_NO;
    return rc;
}

/* Opens what else can be at that place: at a URL there are objects below it or one object; in an archive there are a
 * dataset's objects, or an entry that is one. */
static int
open_other(ncz_target *t, int omode, const ncz_limits *limits, zmap **map, ncz_dataset **ds)
{
    int rc;

    if (ncz_remote(t)) {
        t->one_object = ncz_store_is_one(t) ? NCZ_NO : NCZ_YES;
        return open_target(t, omode, limits, map, ds);
    }
    if ((rc = ncz_store_open_entry(t, map)) != NC_NOERR)
        return rc;
    return ncz_dataset_open_on(*map, t, t->shown, omode, limits, ds);
}

/* At a place of a web server or bucket there is neither a dataset nor a file that is one. A name like file.nc, or a
 * file that is there, is what was meant; else the place of a dataset is: `first` is what failed of that. */
static int
fail_neither(bool named, zmap *map, const ncz_err *first, int second)
{
    uint64_t len;
    ncz_err  err;

    ncz_err_save(&err, second);
    if (named || zmap_len(map, "", &len) != NC_NOERR)
        return ncz_err_adopt(first);
    return ncz_fail(NC_ENOTNC, "%s; nor is there a Zarr dataset below it", err.text);
}

/* The first failure is the one reported, unless there is a file that is no dataset. After one *map may be set, too. */
static int
open_either(ncz_target *t, int omode, const ncz_limits *limits, zmap **map, ncz_dataset **ds)
{
    int     rc = open_target(t, omode, limits, map, ds);
    bool    named = ncz_store_is_one(t);
    ncz_err err;

    if (rc != NC_ENOTNC || *map == NULL || t->one_object != NCZ_UNSET ||
        (!ncz_remote(t) && zmap_zip_prefix(*map) == NULL))
        return rc;
    ncz_err_save(&err, rc);
    (void)zmap_close(*map, ZMAP_KEEP);
    *map = NULL;
    rc = open_other(t, omode, limits, map, ds);
    if (rc == NC_ENOTNC && ncz_remote(t) && *map != NULL)
        return fail_neither(named, *map, &err, rc);
    return rc == NC_ENOTNC && ncz_err_text()[0] == '\0' ? ncz_err_adopt(&err) : rc;
}

int
ncz_dataset_open(const char *path, int omode, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_target  *t = NULL;
    zmap        *map = NULL;
    ncz_dataset *ds = NULL;
    int          rc;

    if ((rc = ncz_dataset_check_mode(omode)) != NC_NOERR || (rc = ncz_target_parse(path, false, &t)) != NC_NOERR)
        goto done;
    if ((omode & NC_INMEMORY) != 0) {
        rc = ncz_fail(NC_EINVAL, "NC_INMEMORY: nc_open_mem() and nc_open_memio() take the block of memory");
        goto done;
    }
    if ((omode & NC_DISKLESS) != 0) {
        if ((rc = ncz_diskless_open(t, omode, limits, out)) == NC_NOERR)
            take_name(*out, t);
        goto done;
    }
    if ((rc = open_either(t, omode, limits, &map, &ds)) != NC_NOERR ||
        (rc = take_over(ds, map, t->shown)) != NC_NOERR)
        goto done;
    *out = ds;
    ds->home = NCZ_HOME_PATH;
    take_name(ds, t);
    map = NULL; /* owned by the dataset now */
done:
    if (map != NULL) {
        ncz_err err;

        ncz_err_save(&err, rc);
        (void)zmap_close(map, ZMAP_KEEP);
        (void)ncz_err_adopt(&err);
    }
    ncz_target_free(t);
    return rc;
}

int
ncz_dataset_open_map(zmap *map, const char *mode, int omode, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_target  *t = NULL;
    ncz_dataset *ds = NULL;
    int          rc;

    if ((rc = ncz_dataset_check_mode(omode)) != NC_NOERR || (rc = map_target(mode, false, &t)) != NC_NOERR ||
        ((omode & NC_WRITE) != 0 && (rc = check_map_writes(map)) != NC_NOERR))
        goto done;
    if ((rc = ncz_dataset_open_on(map, t, zmap_name(map), omode, limits, &ds)) != NC_NOERR ||
        (rc = take_over(ds, map, zmap_name(map))) != NC_NOERR)
        goto done;
    (void)zmap_ref(map);
    *out = ds;
done:
    ncz_target_free(t);
    return rc;
}

/* As in netCDF-C a file is only deleted if it opens: what is damaged may be of somebody who wants to mend it. */
static int
check_opens(const char *path)
{
    ncz_dataset *ds = NULL;
    int          rc = ncz_dataset_open(path, NC_NOWRITE, &ncz_limits_default, &ds);

    if (rc == NC_NOERR)
        rc = ncz_dataset_close(ds);
    ncz_dataset_free(ds);
    return rc;
}

/* Does `act` for a place that nc_delete() could empty. */
static int
with_place(const char *path, int (*act)(const ncz_target *t, size_t *n), size_t *n)
{
    ncz_target *t = NULL;
    int         rc;

    if ((rc = ncz_target_parse(path, false, &t)) == NC_NOERR && !ncz_remote(t) && ncz_store_is_file(t->path))
        rc = check_opens(path);
    if (rc == NC_NOERR)
        rc = act(t, n);
    ncz_target_free(t);
    return rc;
}

static int
remove_place(const ncz_target *t, size_t *n)
{
    (void)n;
    return ncz_store_remove(t);
}

int
ncz_dataset_delete(const char *path)
{
    return with_place(path, remove_place, NULL);
}

int
ncz_dataset_removable(const char *path, size_t *n)
{
    return with_place(path, ncz_store_removable, n);
}
