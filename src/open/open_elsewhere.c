/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open_elsewhere: what lies at a place may say where data are, instead of being a dataset itself: an Icechunk
 * repository. It becomes a store over the place's store, and is opened as any other.
 */
#include "open/open_int.h"

#include "icechunk/icechunk.h"

#include <string.h>

static ncz_icechunk_version
version_of(const ncz_target *t)
{
    return (ncz_icechunk_version){.branch = ncz_uri_frag(t->uri, "branch"),
                                  .tag = ncz_uri_frag(t->uri, "tag"),
                                  .snapshot = ncz_uri_frag(t->uri, "snapshot")};
}

static int
fail_writing(const ncz_target *t)
{
    return ncz_fail(NC_EPERM,
                    "%s: an Icechunk repository is read, not changed: copy it with nczcopy, and write into the copy",
                    t->shown);
}

int
ncz_elsewhere_open(const ncz_target *t, bool in_memory, zmap **map)
{
    ncz_icechunk_version version = version_of(t);
    ncz_places          *places = NULL;
    int                  rc = in_memory ? NC_NOERR : ncz_places_open(t, &places);

    if (rc == NC_NOERR)
        rc = ncz_icechunk_open(*map, t->shown, &version, places, map);
    ncz_places_unref(places); /* the store has its own reference */
    if (rc == NC_EEMPTY && t->icechunk)
        rc = ncz_fail(NC_ENOTNC, "%s: no Icechunk repository (looked for repo, refs/branch.main/ref.json)", t->shown);
    return rc;
}

int
ncz_dataset_history(const char *path, ncz_icechunk_each_fn each, void *arg)
{
    ncz_icechunk_version version;
    ncz_target          *t = NULL;
    zmap                *map = NULL;
    int                  rc = ncz_target_parse(path, false, &t);

    if (rc != NC_NOERR)
        return rc;
    if (t->one_object == NCZ_UNSET)
        t->one_object = NCZ_NO;
    if ((rc = ncz_store_open(t, false, &map)) == NC_NOERR && (zmap_caps_of(map) & ZMAP_SINGLE) != 0)
        rc = NC_EEMPTY;
    version = version_of(t);
    if (rc == NC_NOERR)
        rc = ncz_icechunk_log(map, t->shown, &version, each, arg);
    if (rc == NC_EEMPTY || rc == NC_ENOTNC) /* a file of another format, too */
        rc = ncz_fail(NC_ENOTNC, "%s: no Icechunk repository, which alone has a history", t->shown);
    if (map != NULL)
        rc = ncz_opening_give_up(map, rc);
    ncz_target_free(t);
    return rc;
}

/* Whose name says what they are are asked for that first. */
static bool
is_named(const ncz_target *t)
{
    static const char suffix[] = ".icechunk";
    size_t            len = strlen(t->path), own = sizeof suffix - 1;

    while (len > 0 && t->path[len - 1] == '/')
        len--;
    return len > own && memcmp(t->path + len - own, suffix, own) == 0;
}

bool
ncz_elsewhere_first(const ncz_target *t)
{
    return t->icechunk || (t->zarr_format == 0 && t->conventions == NCZ_CONVENTIONS_AUTO &&
                           t->one_object == NCZ_UNSET && is_named(t));
}

/* A store of many objects whose documents were not found, or were not looked for: `missing`. */
static int
load_elsewhere(ncz_opening *o, bool in_memory, int missing)
{
    ncz_err first;
    int     rc;

    ncz_err_save(&first, missing);
    if ((rc = ncz_elsewhere_open(o->target, in_memory, &o->map)) == NC_EEMPTY)
        return missing == NC_NOERR ? NC_EEMPTY : ncz_err_adopt(&first);
    if (rc == NC_NOERR && ncz_opening_writes(o))
        rc = fail_writing(o->target);
    return rc == NC_NOERR ? ncz_opening_load(o) : rc;
}

int
ncz_opening_load_any(ncz_opening *o, bool in_memory)
{
    bool single = (zmap_caps_of(o->map) & ZMAP_SINGLE) != 0, first = !single && ncz_elsewhere_first(o->target);
    int  rc = NC_EEMPTY;

    if (o->target->icechunk && ncz_opening_writes(o))
        return fail_writing(o->target);
    if (first)
        rc = load_elsewhere(o, in_memory, NC_NOERR);
    if (rc == NC_EEMPTY)
        rc = ncz_opening_load(o);
    if (rc == NC_ENOTNC && !first && !single && o->target->zarr_format == 0 && !o->target->hdf5)
        rc = load_elsewhere(o, in_memory, rc);
    return rc;
}
