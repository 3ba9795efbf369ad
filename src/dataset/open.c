/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open: from a path or a map to an open dataset: existing ones are loaded, new ones begin empty and in define mode.
 * A creation that fails leaves nothing behind.
 */
#include "dataset/dataset_int.h"

#include <string.h>

static const char properties[] = "version=2,nczarr=2.0.0,libnczarr=" NCZARR_VERSION;

/* What both take; `cannot`: what cannot be had. */
static int
check_mode(int mode, int cannot, const char *what)
{
    if ((mode & cannot) != 0)
        return ncz_fail(NC_EINVAL, "%s cannot be had here", what);
    if ((mode & NC_DISKLESS) != 0 && (mode & NC_INMEMORY) != 0)
        return ncz_fail(NC_EDISKLESS, "NC_DISKLESS and NC_INMEMORY exclude each other");
    return NC_NOERR;
}

int
ncz_dataset_check_create(int cmode)
{
    return check_mode(cmode, NC_MMAP | NC_MPIIO, "NC_MMAP and NC_MPIIO");
}

int
ncz_dataset_check_open(int omode)
{
    return check_mode(omode, NC_MMAP | NC_MPIIO, "NC_MMAP and NC_MPIIO");
}

static int
set_durability(ncz_dataset *ds, const ncz_target *t)
{
    const char *how = t->uri != NULL ? ncz_uri_frag(t->uri, "durability") : NULL;

    if (how == NULL || strcmp(how, "sync") == 0)
        return NC_NOERR;
    if (strcmp(how, "none") != 0)
        return ncz_fail(NC_EINVAL, "durability=%s: none or sync", how);
    ds->durable = false;
    zmap_file_sync_never(ds->map);
    zmap_zip_sync_never(ds->map);
    return NC_NOERR;
}

/* What both ways share. Takes the map on success. */
static int
start(zmap *map, const ncz_target *t, const char *path, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_dataset *ds = NULL;
    int          rc;

    if ((rc = ncz_dataset_new(map, limits, &ds)) != NC_NOERR)
        return rc;
    if ((ds->path = ncz_strdup(path)) == NULL)
        rc = ncz_fail_nomem(strlen(path) + 1);
    if (rc == NC_NOERR)
        rc = set_durability(ds, t);
    ncz_engine_write_empty(ds->engine, t->write_empty == NCZ_YES);
    if (rc != NC_NOERR) {
        ncz_dataset_release(ds);
        ncz_dataset_unref(ds);
        return rc;
    }
    *out = ds;
    return NC_NOERR;
}

/* ---- create ---- */

static ncz_style
style_for(const ncz_target *t)
{
    ncz_style s = {
        .gen = NCZ_GEN_BOTH,
        .xarray = t->xarray,
        .consolidated = t->consolidated == NCZ_YES,
    };

    if (t->dialect == NCZ_DIALECT_NCZARR_492)
        s.gen = NCZ_GEN_3;
    else if (t->dialect == NCZ_DIALECT_NCZARR_490)
        s.gen = NCZ_GEN_2;
    else if (t->dialect == NCZ_DIALECT_ZARR)
        s.gen = NCZ_GEN_PURE;
    return s;
}

int
ncz_dataset_create_on(zmap *map, const ncz_target *t, const char *path, int cmode, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_dataset *ds = NULL;
    int          rc;

    if ((rc = start(map, t, path, limits, &ds)) != NC_NOERR)
        return rc;
    ds->style = style_for(t);
    if (t->separator != 0)
        ds->model->separator = t->separator;
    if ((rc = ncz_format_create(ds->model, &ds->style, properties)) != NC_NOERR) {
        ncz_dataset_release(ds);
        ncz_dataset_unref(ds);
        return rc;
    }
    ds->writable = ds->created = ds->made = ds->defining = true;
    ds->classic = (cmode & NC_CLASSIC_MODEL) != 0;
    ds->cmode = cmode;
    ds->mode = (cmode & ~NC_NOCLOBBER) | NC_NETCDF4;
    *out = ds;
    return NC_NOERR;
}

int
ncz_dataset_create(const char *path, int cmode, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_target *t = NULL;
    zmap       *map = NULL;
    int         rc;

    if ((rc = ncz_dataset_check_create(cmode)) != NC_NOERR || (rc = ncz_target_parse(path, true, &t)) != NC_NOERR)
        goto done;
    if ((cmode & NC_INMEMORY) != 0) {
        rc = ncz_dataset_create_mem(path, cmode, 0, limits, out);
        goto done;
    }
    if ((cmode & NC_DISKLESS) == 0)
        rc = ncz_store_create(t, cmode, &map);
    else if ((cmode & NC_PERSIST) == 0 || (rc = ncz_store_vacant(t, cmode)) == NC_NOERR)
        rc = zmap_mem_open(&map);
    if (rc != NC_NOERR || (rc = ncz_dataset_create_on(map, t, t->shown, cmode, limits, out)) != NC_NOERR)
        goto done;
    (*out)->own_map = true;
    (*out)->persist = (cmode & NC_DISKLESS) != 0 && (cmode & NC_PERSIST) != 0;
    (*out)->given = t->canonical;
    t->canonical = NULL; /* the dataset's, */
    map = NULL;          /* and so is this */
done:
    if (map != NULL) {
        ncz_err err;

        ncz_err_save(&err, rc);
        (void)zmap_close(map, ZMAP_DISCARD);
        (void)ncz_err_adopt(&err);
    }
    ncz_target_free(t);
    return rc;
}

int
ncz_dataset_store(const char *path, zmap_open_how how, zmap **out)
{
    ncz_target *t = NULL;
    int         rc;

    if ((rc = ncz_target_parse(path, how == ZMAP_CREATE_NEW, &t)) == NC_NOERR)
        rc = how == ZMAP_CREATE_NEW ? ncz_store_create(t, NC_NOCLOBBER, out)
                                    : ncz_store_open(t, how == ZMAP_OPEN_WRITE, out);
    ncz_target_free(t);
    return rc;
}

/* A map that cannot be searched cannot be emptied either. */
static int
check_free(zmap *map)
{
    bool is = false;
    int  rc = ncz_part_is_dataset(map, &is);

    if (rc == NC_NOERR && is)
        rc = ncz_fail(NC_EEXIST, "the map holds a dataset, and cannot list what is to be removed");
    return rc;
}

/* A map of the caller's must be empty, or hold a dataset that may go. */
static int
clear_map(zmap *map, int cmode)
{
    ncz_keys keys = NCZ_KEYS_INIT;
    bool     empty = false, is = false;
    int      rc;

    if ((zmap_caps_of(map) & ZMAP_CAN_LIST) == 0)
        return check_free(map);
    if ((rc = ncz_part_empty(map, &empty)) != NC_NOERR || empty)
        return rc;
    if ((cmode & NC_NOCLOBBER) != 0)
        return ncz_fail(NC_EEXIST, "the map holds objects");
    if ((rc = ncz_part_is_dataset(map, &is)) == NC_NOERR && !is)
        rc = ncz_fail(NC_EEXIST, "the map holds objects, but no dataset: nothing is removed");
    if (rc == NC_NOERR)
        rc = ncz_part_all(map, "the map", &keys);
    if (rc == NC_NOERR)
        rc = ncz_keys_del(map, &keys);
    ncz_keys_clear(&keys);
    return rc;
}

/* The target that a fragment's text means for a map that is there already: as a URL, whose fragment is never taken
 * for part of a name. */
static int
map_target(const char *mode, bool for_create, ncz_target **out)
{
    char *text = ncz_sprintf("file:///map%s%s", mode != NULL && mode[0] != '\0' ? "#" : "", mode != NULL ? mode : "");
    int   rc = text != NULL ? ncz_target_parse(text, for_create, out) : ncz_fail_nomem(0);

    ncz_free(text);
    return rc;
}

int
ncz_dataset_create_map(zmap *map, const char *mode, int cmode, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_target *t = NULL;
    int         rc;

    if ((rc = ncz_dataset_check_create(cmode)) != NC_NOERR || (rc = map_target(mode, true, &t)) != NC_NOERR)
        goto done;
    if ((rc = clear_map(map, cmode)) != NC_NOERR)
        goto done;
    if ((rc = ncz_dataset_create_on(map, t, zmap_name(map), cmode, limits, out)) == NC_NOERR)
        (void)zmap_ref(map);
done:
    ncz_target_free(t);
    return rc;
}

/* ---- open ---- */

/* A store that is no dataset at all is, to a netCDF program, an unknown format. */
static int
as_unknown_format(int rc, const char *path)
{
    ncz_err err;

    if (rc != NC_ENOTZARR)
        return rc;
    ncz_err_save(&err, rc);
    return ncz_fail(NC_ENOTNC, "%s: %s", path, err.text);
}

/*
 * A reader looks at the root alone; see load.c. A writer looks at the documents themselves, which it will write over;
 * it keeps the consolidated document true where there is one, and makes it where it is asked for.
 */
static int
load(ncz_dataset *ds, const ncz_target *t, bool writable)
{
    const ncz_wish wish = {.pure = t->dialect == NCZ_DIALECT_ZARR, .xarray = t->xarray, .look = !writable};
    ncz_copies     copies = writable                       ? NCZ_COPIES_KNOW
                            : t->consolidated == NCZ_YES   ? NCZ_COPIES_MUST
                            : t->consolidated == NCZ_UNSET ? NCZ_COPIES_USE
                                                           : NCZ_COPIES_IGNORE;
    bool           keep = t->consolidated == NCZ_YES;
    int            rc = ncz_load_root(ds, &wish, copies);

    if (rc != NC_NOERR || !writable)
        return rc;
    keep = keep || ncz_load_has_copies(ds);
    if ((rc = ncz_load_rest(ds)) == NC_NOERR)
        ds->style.consolidated = keep;
    return rc;
}

int
ncz_dataset_open_on(zmap *map, const ncz_target *t, const char *path, int omode, const ncz_limits *limits,
                    ncz_dataset **out)
{
    bool         writable = (omode & NC_WRITE) != 0;
    ncz_dataset *ds = NULL;
    int          rc;

    if ((rc = start(map, t, path, limits, &ds)) != NC_NOERR)
        return rc;
    if ((rc = as_unknown_format(load(ds, t, writable), path)) != NC_NOERR) {
        ncz_dataset_release(ds);
        ncz_dataset_unref(ds);
        return rc;
    }
    ds->writable = writable && !ds->style.readonly;
    if (writable && !ds->writable)
        ncz_log(NCZ_LOG_WARN, "%s: metadata of this generation are not written: opened read-only", path);
    /* Who writes, and who says that others write meanwhile, had better not see what stood there a little before. */
    ncz_engine_read_ahead(ds->engine, !ds->writable && (omode & NC_SHARE) == 0 && t->read_ahead != NCZ_NO);
    if (t->separator != 0)
        ds->model->separator = t->separator;
    ds->mode = omode | NC_NETCDF4;
    *out = ds;
    return NC_NOERR;
}

int
ncz_dataset_open(const char *path, int omode, const ncz_limits *limits, ncz_dataset **out)
{
    ncz_target *t = NULL;
    zmap       *map = NULL;
    int         rc;

    if ((rc = ncz_dataset_check_open(omode)) != NC_NOERR || (rc = ncz_target_parse(path, false, &t)) != NC_NOERR)
        goto done;
    if ((omode & NC_INMEMORY) != 0) {
        rc = ncz_fail(NC_EINVAL, "NC_INMEMORY: nc_open_mem() and nc_open_memio() take the block of memory");
        goto done;
    }
    if ((omode & NC_DISKLESS) != 0) {
        if ((rc = ncz_memory_open(t, omode, limits, out)) == NC_NOERR) {
            (*out)->given = t->canonical;
            t->canonical = NULL;
        }
        goto done;
    }
    if ((rc = ncz_store_open(t, (omode & NC_WRITE) != 0, &map)) != NC_NOERR)
        goto done;
    if ((rc = ncz_dataset_open_on(map, t, t->shown, omode, limits, out)) != NC_NOERR) {
        rc = ncz_remote_missing(t, map, rc);
        goto done;
    }
    (*out)->own_map = true;
    (*out)->given = t->canonical;
    t->canonical = NULL; /* the dataset's, */
    map = NULL;          /* and so is this */
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
    ncz_target *t = NULL;
    int         rc;

    if ((rc = ncz_dataset_check_open(omode)) != NC_NOERR || (rc = map_target(mode, false, &t)) != NC_NOERR)
        goto done;
    if ((rc = ncz_dataset_open_on(map, t, zmap_name(map), omode, limits, out)) == NC_NOERR)
        (void)zmap_ref(map);
done:
    ncz_target_free(t);
    return rc;
}

int
ncz_dataset_delete(const char *path)
{
    ncz_target *t = NULL;
    int         rc;

    if ((rc = ncz_target_parse(path, false, &t)) == NC_NOERR)
        rc = ncz_store_remove(t);
    ncz_target_free(t);
    return rc;
}
