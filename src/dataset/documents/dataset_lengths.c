/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_lengths: the lengths of unlimited dimensions, which other processes may have extended since they were
 * loaded, and the widths of strings, which may have grown as well. The store's and ours are merged: the larger one
 * counts, and no document is replaced by one with a smaller length. Runs under the dataset's exclusive lock.
 *
 * With NC_SHARE nc_sync() looks at them again, also in a reader. Definitions stay as they were loaded: their ids may be
 * in use.
 */
#include "dataset/dataset_int.h"

#include <string.h>

bool
ncz_lengths_are_shared(const ncz_dataset *ds)
{
    unsigned caps = zmap_caps_of(ds->map);
    bool     grows = false;

    for (size_t i = 0; !grows && i < ds->model->ndims; i++)
        grows = ds->model->dims[i] != NULL && ds->model->dims[i]->unlimited;
    return ds->model->dialect->traits.marks_writers &&
           ((grows && ds->home == NCZ_HOME_PATH) || ncz_dataset_has_followed(ds)) && ds->state != NCZ_DATASET_NEW &&
           !ds->root_deferred && (caps & ZMAP_CAN_IF_MATCH) != 0 && (caps & ZMAP_COMMITS) == 0;
}

/* Gives the dimensions of `g`, and of the groups below, the lengths that `other` has if they are larger. A group or
 * dimension that only one of them has stays as it is. */
static int
merge_groups(ncz_dataset *ds, const ncz_group *g, const ncz_group *other)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < g->ndims; i++) {
        const ncz_dim *theirs = ncz_group_find_dim(other, g->dims[i]->name);

        if (theirs != NULL && g->dims[i]->unlimited && theirs->len > g->dims[i]->len)
            ncz_model_grow_dim(ds->model, g->dims[i], theirs->len);
    }
    for (size_t i = 0; rc == NC_NOERR && i < g->nvars; i++) {
        const ncz_var *theirs = ncz_group_find_var(other, g->vars[i]->name);

        if (theirs != NULL && ncz_dataset_has_width(ds, theirs) && ncz_dataset_has_width(ds, g->vars[i]))
            rc = ncz_dataset_take_width(ds, g->vars[i],
                                        &(ncz_string_width){theirs->dtype.size, theirs->earlier, theirs->widening});
    }
    for (size_t i = 0; rc == NC_NOERR && i < g->ngroups; i++) {
        const ncz_group *theirs = ncz_group_find_group(other, g->groups[i]->name);

        if (theirs != NULL)
            rc = merge_groups(ds, g->groups[i], theirs);
    }
    return rc;
}

/* Reads documents, and records their bytes in `stored`, or not if that is NULL. *unsound: a consolidated copy could not
 * be parsed. */
static int
merge_stored(ncz_dataset *ds, ncz_consolidated copies, ncz_doc_cache *stored, bool *unsound)
{
    const ncz_load_opts wish = {.zarr_format = ncz_dataset_zarr_format(ds),
                                .pure = ncz_format_is_plain(&ds->style),
                                .xarray = ds->style.xarray,
                                .look = true};
    ncz_meta_source     source = {.map = NULL};
    ncz_format_opts     style;
    ncz_model          *m = NULL;
    ncz_docs            docs;
    int                 rc;

    if ((rc = ncz_model_new(&ds->limits, &m)) != NC_NOERR ||
        (rc = ncz_meta_source_init(&source, ds->map, &ds->limits, copies, wish.zarr_format, stored, NULL)) !=
            NC_NOERR)
        goto done;
    docs = ncz_meta_source_docs(&source);
    if ((rc = ncz_dialects_load(&docs, &wish, m, &style)) == NC_NOERR)
        rc = merge_groups(ds, ds->model->root, m->root);
    *unsound = atomic_load(&source.unsound);
done:
    ncz_meta_source_clear(&source);
    ncz_model_free(m);
    return rc;
}

int
ncz_lengths_merge(ncz_dataset *ds)
{
    bool unsound = false;

    return merge_stored(ds, NCZ_CONSOLIDATED_IGNORE, &ds->stored, &unsound);
}

bool
ncz_lengths_are_watched(const ncz_dataset *ds)
{
    return (ds->mode & NC_SHARE) != 0 && (ds->home == NCZ_HOME_PATH || ds->home == NCZ_HOME_CALLER) &&
           ds->state == NCZ_DATASET_STORED && (zmap_caps_of(ds->map) & ZMAP_COMMITS) == 0;
}

int
ncz_lengths_refresh(ncz_dataset *ds)
{
    ncz_consolidated copies =
        ds->style.consolidated && !ds->writable ? NCZ_CONSOLIDATED_USE : NCZ_CONSOLIDATED_IGNORE;
    ncz_doc_cache *stored = ds->writable ? &ds->stored : NULL;
    bool           unsound = false;
    int            rc = merge_stored(ds, copies, stored, &unsound);

    if (rc == NC_EZARRMETA && unsound)
        rc = merge_stored(ds, NCZ_CONSOLIDATED_IGNORE, stored, &unsound);
    return rc;
}
