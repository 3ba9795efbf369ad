/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open: opens and creates datasets, from a path or a store of the caller's (open_on_store.c). A failed
 * creation leaves nothing in the store.
 */
#include "dataset/file/dataset_file.h"
#include "open/open_int.h"
#include "zip/zip.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_s3.h"

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
            (*out)->file.shown_early =
                (*out)->file.shown_early || ((default_format & NCZ_FORMAT_FILES) != 0 && (cmode & NC_DISKLESS) == 0);
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
    if (map != NULL)
        rc = ncz_opening_give_up(map, rc);
    ncz_free(claim);
    ncz_target_free(t);
    return rc;
}

int
ncz_dataset_store(const char *path, zmap_open_how how, zmap **out)
{
    ncz_target *t = NULL;
    zmap       *map = NULL;
    int         rc = ncz_target_parse(path, how == ZMAP_CREATE_NEW, &t);

    if (rc == NC_NOERR && t->join)
        rc = ncz_fail(NC_EINVAL, "%s: several files as one have no store of their own: name one of them", t->shown);
    if (rc == NC_NOERR && how == ZMAP_CREATE_NEW)
        rc = ncz_choose_zarr(t, NC_NOCLOBBER);
    if (rc == NC_NOERR && how == ZMAP_OPEN_READ && ncz_reference_set_must(t))
        rc = ncz_reference_set_open(t, &map);
    else if (rc == NC_NOERR)
        rc = how == ZMAP_CREATE_NEW ? ncz_store_create(t, NC_NOCLOBBER, &map)
                                    : ncz_store_open(t, how == ZMAP_OPEN_WRITE, &map);
    if (rc == NC_NOERR && t->icechunk && (rc = ncz_elsewhere_open(t, false, &map)) != NC_NOERR)
        rc = ncz_opening_give_up(map, rc);
    if (rc == NC_NOERR)
        *out = map;
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
        return ncz_fail(NC_EEXIST, "the store is not empty, and NC_NOCLOBBER was given");
    if ((rc = ncz_owner_all_keys(map, "the store", NC_EEXIST, ncz_owner_scope_of(t), &keys)) == NC_NOERR)
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
        return ncz_fail(NC_EPERM, "the %s store is open for reading only", zmap_name(map));
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
        (rc = ncz_choose_zarr(t, cmode)) != NC_NOERR)
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

/* A session that continues an unpublished dataset becomes its only writer. After a failure there is no dataset, and the
 * store is the caller's again. */
static int
take_over(ncz_opening *o)
{
    zmap *map = o->ds->map;
    bool  died;
    int   rc;

    if (!o->ds->root_deferred || !o->ds->writable ||
        (rc = ncz_claim_take(map, o->path, &o->ds->claim, &died)) == NC_NOERR)
        return NC_NOERR;
    ncz_dataset_release(o->ds);
    ncz_dataset_free(o->ds);
    o->ds = NULL;
    o->map = map;
    return rc;
}

static int
open_store(ncz_opening *o)
{
    return ncz_store_open(o->target, ncz_opening_writes(o), &o->map);
}

/* What else can be at that place: at a URL there are objects below it or one object; in an archive there are a
 * dataset's objects, or an entry that is one. */
static int
open_other(ncz_opening *o)
{
    if (!ncz_remote(o->target))
        return ncz_store_open_entry(o->target, &o->map);
    o->target->one_object = ncz_store_is_one(o->target) ? NCZ_NO : NCZ_YES;
    return open_store(o);
}

/* A store without a dataset. Where one was begun, the place has objects below it. */
static int
explain_store(ncz_opening *o, int rc)
{
    bool begun;

    if (o->map == NULL)
        return rc;
    rc = ncz_claim_explain(o->map, o->path, ncz_store_missing(o->target, o->map, rc), &begun);
    if (begun)
        o->target->one_object = NCZ_NO;
    return rc;
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

/* The attempts, in their order; the second one follows where the first found a store and nothing in it. */
static int (*const attempts[])(ncz_opening *o) = {open_store, open_other};

/* The first attempt failed with `rc`. Whether there is another one. */
static bool
may_be_other(ncz_opening *o, int rc)
{
    if (rc != NC_ENOTNC || o->map == NULL || o->target->one_object != NCZ_UNSET ||
        (!ncz_remote(o->target) && ncz_zip_prefix(o->map) == NULL) || zmap_s3_is_bucket(o->map))
        return false;
    (void)zmap_close(o->map, ZMAP_KEEP);
    o->map = NULL;
    return true;
}

/* Both failed. The first failure is the one reported, unless there is a file that is no dataset. */
static int
choose_failure(ncz_opening *o, bool named, const ncz_err *first, int rc)
{
    if (ncz_remote(o->target))
        rc = explain_store(o, rc);
    if (rc == NC_ENOTNC && ncz_remote(o->target) && o->map != NULL)
        return fail_neither(named, o->map, first, rc);
    return rc == NC_ENOTNC && ncz_err_text()[0] == '\0' ? ncz_err_adopt(first) : rc;
}

/* Ends an opening, and gives the dataset, if there is one, the name that the caller wrote. Returns `rc`. */
static int
end_opening(ncz_opening *o, int rc, ncz_dataset **out)
{
    ncz_err err;

    ncz_err_save(&err, rc);
    if (rc == NC_NOERR) {
        take_name(o->ds, o->target);
        *out = o->ds;
    }
    (void)zmap_close(o->map, ZMAP_KEEP);
    ncz_target_free(o->target);
    return ncz_err_adopt(&err);
}

/* Modes and name, before anything is looked at. */
static int
check_path(ncz_opening *o, const char *path)
{
    int rc;

    if ((rc = ncz_dataset_check_mode(o->mode)) != NC_NOERR ||
        (rc = ncz_target_parse(path, false, &o->target)) != NC_NOERR)
        return rc;
    o->path = o->target->shown;
    if (o->target->join)
        return ncz_fail(NC_EINVAL, "%s: mode join is for nc_open()", o->path);
    if ((o->mode & NC_INMEMORY) != 0)
        return ncz_fail(NC_EINVAL, "NC_INMEMORY: nc_open_mem() and nc_open_memio() take the block of memory");
    return NC_NOERR;
}

static int open_fragment(const char *path, unsigned depth, const ncz_limits *limits, ncz_dataset **out);

/* One frame with those below, of which debuggers show many. */
__attribute__((always_inline)) static inline int
open_path(const char *path, int omode, const ncz_limits *limits, unsigned depth, ncz_dataset **out)
{
    ncz_opening o = {.mode = omode, .limits = limits, .open_fragment = open_fragment, .depth = depth};
    ncz_err     first = {.code = NC_NOERR};
    bool        named = false, none = true;
    int         rc = check_path(&o, path);

    if (rc != NC_NOERR)
        return end_opening(&o, rc, out);
    if ((omode & NC_DISKLESS) != 0)
        return end_opening(&o, ncz_diskless_open(&o), out);
    if (ncz_reference_set_asked(o.target))
        rc = ncz_reference_set_load(&o, &none);
    if (!none)
        return end_opening(&o, rc, out);
    for (size_t i = 0; i < NCZ_LEN(attempts); i++) {
        if ((rc = attempts[i](&o)) == NC_NOERR && (rc = ncz_opening_load_any(&o, false)) == NC_NOERR)
            break;
        if (i > 0) {
            if ((rc = ncz_reference_set_load_object(&o, rc)) != NC_NOERR)
                rc = choose_failure(&o, named, &first, rc);
            break;
        }
        rc = explain_store(&o, rc);
        named = ncz_store_is_one(o.target);
        ncz_err_save(&first, rc);
        if (!may_be_other(&o, rc))
            break;
    }
    if (rc == NC_NOERR && (rc = take_over(&o)) == NC_NOERR)
        o.ds->home = NCZ_HOME_PATH;
    return end_opening(&o, rc, out);
}

static int
open_fragment(const char *path, unsigned depth, const ncz_limits *limits, ncz_dataset **out)
{
    return open_path(path, NC_NOWRITE, limits, depth, out);
}

int
ncz_dataset_open(const char *path, int omode, const ncz_limits *limits, ncz_dataset **out)
{
    return open_path(path, omode, limits, 0, out);
}

int
ncz_dataset_open_placed(const char *path, void *block, size_t len, const ncz_placed *with, const ncz_limits *limits,
                        ncz_dataset **out)
{
    ncz_opening o = {.mode = NC_NOWRITE,
                     .limits = limits,
                     .open_fragment = open_fragment,
                     .files = with->files,
                     .nfiles = with->nfiles,
                     .opened = with->opened,
                     .nopened = with->nopened};
    void       *back;
    size_t      back_len;
    ncz_err     err;
    int         rc = ncz_target_parse(path, false, &o.target);

    if (rc == NC_NOERR && (rc = ncz_store_open_block(o.target, block, len, false, &o.map)) == NC_NOERR) {
        zmap *map = o.map;

        o.path = o.target->shown;
        rc = ncz_opening_load(&o);
        ncz_err_save(&err, rc);
        if (rc == NC_NOERR) {
            *out = o.ds;
            o.ds->home = NCZ_HOME_BLOCK;
        } else {
            (void)ncz_store_take_block(map, &back, &back_len); /* unchanged: still the caller's */
            (void)zmap_close(map, ZMAP_KEEP);
        }
        rc = ncz_err_adopt(&err);
    }
    ncz_target_free(o.target);
    return rc;
}

int
ncz_dataset_file(const char *path, zmap **out)
{
    ncz_opening o = {.mode = NC_NOWRITE};
    int         rc = check_path(&o, path);

    for (size_t i = 0; i < NCZ_LEN(attempts) && rc == NC_NOERR && *out == NULL; i++) {
        uint64_t len;

        o.map = NULL;
        if ((rc = attempts[i](&o)) == NC_NOERR && zmap_len(o.map, "", &len) == NC_NOERR) {
            *out = o.map;
            o.map = NULL;
        }
        (void)zmap_close(o.map, ZMAP_KEEP);
    }
    if ((rc == NC_NOERR && *out == NULL) || (rc == NC_ENOTNC && ncz_err_text()[0] == '\0'))
        rc = ncz_fail(NC_ENOTNC, "%s: a store of objects, not a file", o.path);
    ncz_target_free(o.target);
    return rc;
}

int
ncz_dataset_open_map(zmap *map, const char *mode, int omode, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_opening o = {.path = zmap_name(map), .mode = omode, .limits = limits, .map = map};
    int         rc;

    if ((rc = ncz_dataset_check_mode(omode)) != NC_NOERR || (rc = map_target(mode, false, &o.target)) != NC_NOERR ||
        ((omode & NC_WRITE) != 0 && (rc = check_map_writes(map)) != NC_NOERR))
        goto done;
    if ((rc = ncz_opening_load(&o)) != NC_NOERR || (rc = take_over(&o)) != NC_NOERR)
        goto done;
    (void)zmap_ref(map);
    *out = o.ds;
done:
    ncz_target_free(o.target);
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
