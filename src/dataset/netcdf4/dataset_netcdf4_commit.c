/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset_netcdf4_commit: definitions that become final, and commits, of a netCDF-4 file. */
#include "dataset/netcdf4/dataset_netcdf4.h"
#include "container/container.h"
#include "dataset/file/dataset_file.h"
#include "hdf5/hdf5_write.h"
#include "zmap/zmap_single.h"

enum {
    READERS_MS = 60000, /* for so long room is kept for readers where there are no locks to see them by */
    MANY_VARS = 300, /* in such a file scales do not list their users before the last commit; it is not shown early */
    SLACK_PERCENT = 5,     /* of the file may be unused at the close, */
    SLACK_LEAST = 1 << 16, /* or so many bytes */
    RECORDS_K = 8,         /* half the children of a node of chunk trees where records are added */
    FRONT_MOST = 1 << 30,  /* no more room is left in front, as of an array of which few chunks will be there */
    FRONT_SPARE = 16,      /* this part of the metadata more, */
    FRONT_LEAST = 1024,    /* and so many bytes */
};

/* ---- a new file ------------------------------------------------------------------------------------------------ */

int
ncz_nc4_create(ncz_dataset *ds)
{
    zmap *made = NULL;
    int   rc;

    if ((rc = zmap_single_guard(ds->map, &ds->nc4.locks)) != NC_NOERR ||
        (rc = ncz_container_create(ds->map, NCZ_NC4_K, 0, &made)) != NC_NOERR)
        return rc;
    ds->map = made;
    ncz_engine_set_map(ds->engine, made);
    return NC_NOERR;
}

static unsigned
choose_k(const ncz_model *m)
{
    for (size_t i = 0; i < m->ndims; i++)
        if (m->dims[i] != NULL && m->dims[i]->unlimited)
            return RECORDS_K;
    return NCZ_NC4_K;
}

/* Nothing is written yet: the container is made again, for what is known now. */
static int
choose_form(ncz_dataset *ds, const ncz_file_room *room)
{
    zmap    *file = ncz_container_file(ds->map), *made = NULL;
    unsigned k = choose_k(ds->model);
    int      rc;

    if (ds->nc4.front == 0 && room != NULL)
        ds->nc4.front = room->header_free;
    if (k == NCZ_NC4_K && ds->nc4.front == 0)
        return NC_NOERR;
    (void)zmap_ref(file);
    if ((rc = ncz_container_create(file, k, ds->nc4.front, &made)) != NC_NOERR) {
        (void)zmap_close(file, ZMAP_KEEP); /* a reference less */
        return rc;
    }
    (void)zmap_close(ds->map, ZMAP_KEEP);
    ds->map = made;
    ncz_engine_set_map(ds->engine, made);
    return NC_NOERR;
}

static int
find_layout(void *arg, const ncz_var *v, ncz_hdf5_layout *out)
{
    return ncz_container_layout(arg, v->uid, out);
}

static int
find_extent(void *arg, const ncz_var *v, uint64_t *nchunks)
{
    uint64_t stored;

    return ncz_container_extent(arg, v->uid, nchunks, &stored);
}

static bool
is_kept(void *arg, const ncz_var *v)
{
    return ncz_container_is_kept(arg, v->uid);
}

static int
describe(ncz_dataset *ds, bool last, ncz_arena *arena, ncz_hdf5_image *image)
{
    const ncz_netcdf4_describing how = {.image = image,
                                        .arena = arena,
                                        .layout = find_layout,
                                        .is_kept = is_kept,
                                        .extent = find_extent,
                                        .arg = ds->map,
                                        .references = last || ds->model->nvars < MANY_VARS};

    return ncz_netcdf4_describe(ds->model, ds->classic ? NCZ_NETCDF4_CLASSIC_FORM : NCZ_NETCDF4_FORM, &how);
}

/* ---- front=auto ------------------------------------------------------------------------------------------------- */

/* Bytes of a variable's chunk tree, if all its chunks are there and dimension `d` has this length. */
static int
bound_tree(const ncz_dataset *ds, const ncz_var *v, const ncz_dim *d, uint64_t len, uint64_t *nbytes)
{
    uint64_t n = 1;

    for (size_t i = 0; i < v->rank; i++)
        if (!ncz_mul64(n, ncz_spec_count_chunks(v->spec, i, v->dims[i] == d ? len : v->dims[i]->len), &n))
            n = UINT64_MAX;
    *nbytes = 0;
    if (v->rank > 0 && v->storage == NC_CHUNKED &&
        !ncz_hdf5_tree_bound((unsigned)v->rank, choose_k(ds->model), n, nbytes))
        *nbytes = UINT64_MAX;
    return *nbytes <= FRONT_MOST ? NC_NOERR : NC_ERANGE;
}

static int
bound_metadata(ncz_dataset *ds, const ncz_dim *d, uint64_t len, uint64_t *nbytes)
{
    ncz_hdf5_image *image = NULL;
    ncz_arena       arena = NCZ_ARENA_INIT;
    uint64_t        more;
    int             rc = ncz_hdf5_image_new(&image);

    if (rc == NC_NOERR && (rc = describe(ds, true, &arena, image)) == NC_NOERR)
        rc = ncz_hdf5_image_measure(image, nbytes);
    ncz_hdf5_image_free(image);
    ncz_arena_clear(&arena);
    if (rc != NC_NOERR)
        return rc;
    *nbytes += *nbytes / FRONT_SPARE + FRONT_LEAST; /* attributes may be added */
    for (const ncz_var *v = ncz_model_next_var(ds->model, NULL); v != NULL; v = ncz_model_next_var(ds->model, v)) {
        if (bound_tree(ds, v, d, len, &more) != NC_NOERR || *nbytes + more > FRONT_MOST) {
            *nbytes = 0;
            return NC_NOERR;
        }
        *nbytes += more;
    }
    return rc;
}

int
ncz_nc4_fit_front(ncz_dataset *ds, const ncz_dim *d, uint64_t len)
{
    uint64_t nbytes = 0;
    int      rc;

    if (!ds->nc4.fits)
        return NC_NOERR;
    if (!ncz_dataset_is_new(ds) || ncz_container_changed(ds->map)) {
        ds->nc4.fits = false;
        return NC_NOERR;
    }
    if ((rc = bound_metadata(ds, d, len, &nbytes)) == NC_NOERR &&
        (rc = ncz_container_set_front(ds->map, nbytes)) == NC_NOERR)
        ds->nc4.front = nbytes;
    return rc;
}

int
ncz_nc4_define(ncz_dataset *ds, const ncz_file_room *room)
{
    int rc = NC_NOERR;

    if (ds->failed.code != NC_NOERR)
        return ncz_err_adopt(&ds->failed);
    /* A sync in define mode may have committed it. */
    if (ds->created && !ds->nc4.defined && !ds->nc4.committed && (rc = choose_form(ds, room)) == NC_NOERR)
        ds->nc4.defined = true;
    if (rc == NC_NOERR && (rc = ncz_nc4_set_arrays(ds)) == NC_NOERR)
        rc = ncz_nc4_fit_front(ds, NULL, 0);
    return rc;
}

/* ---- commits ---------------------------------------------------------------------------------------------------- */

static bool
is_changed(const ncz_dataset *ds)
{
    const ncz_model *m = ds->model;

    if (ncz_dataset_is_new(ds) || ncz_container_changed(ds->map))
        return true;
    for (size_t i = 0; i < m->ngroups; i++)
        if (m->groups[i]->document != NCZ_DOCUMENT_STORED || m->groups[i]->atts.dirty)
            return true;
    for (const ncz_var *v = ncz_model_next_var(m, NULL); v != NULL; v = ncz_model_next_var(m, v))
        if (v->document != NCZ_DOCUMENT_STORED || v->atts.dirty)
            return true;
    return false;
}

/* What earlier commits of the session have left to its last one: metadata in front, and what uses each scale. */
static bool
owes_last(const ncz_dataset *ds)
{
    return ds->nc4.committed && (ds->nc4.front > 0 || ds->model->nvars >= MANY_VARS);
}

/* A put that failed may have stored elements beyond the length of a dimension. */
static int
clear_beyond(ncz_dataset *ds)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < ds->model->ndims; i++)
        if (ds->model->dims[i] != NULL && ds->model->dims[i]->uncleared)
            rc = ncz_dataset_clear_beyond(ds, ds->model->dims[i]);
    return rc;
}

/* When room that was given up may be used again. */
static int
find_reuse(ncz_dataset *ds, bool *read, int64_t *after)
{
    int rc = zmap_single_guard_shared(ncz_container_file(ds->map), read);

    /* Who has the file open may read at any time what it said then. */
    *after = ds->nc4.never_reuse || (*read && ds->nc4.locks) ? -1 : *read ? READERS_MS : 0;
    return rc;
}

/* Steps 4 and 5. */
static int
write_metadata(ncz_dataset *ds, bool durable, bool last)
{
    ncz_container_commit_opts opts = {.durable = durable && ds->durable};
    ncz_hdf5_image           *image = NULL;
    ncz_arena                 arena = NCZ_ARENA_INIT;
    bool                      read = false;
    int                       rc;

    if ((rc = ncz_nc4_find_free(ds)) != NC_NOERR || (rc = find_reuse(ds, &read, &opts.reuse_after)) != NC_NOERR ||
        (rc = ncz_hdf5_image_new(&image)) != NC_NOERR)
        return rc;
    opts.last = last && !read; /* readers may still need what lies behind */
    if (last && ds->nc4.front > 0)
        rc = ncz_container_to_front(ds->map, ds->nc4.image);
    if (rc == NC_NOERR && (rc = describe(ds, last, &arena, image)) == NC_NOERR &&
        (rc = ncz_hdf5_image_measure(image, &ds->nc4.image)) == NC_NOERR)
        rc = ncz_container_commit(ds->map, image, &opts);
    ncz_hdf5_image_free(image);
    ncz_arena_clear(&arena);
    return rc;
}

static int
commit_changes(ncz_dataset *ds, bool durable, bool last)
{
    int rc;

    if ((rc = ncz_nc4_set_missing_arrays(ds)) != NC_NOERR || (rc = ncz_nc4_put_missing(ds)) != NC_NOERR ||
        (rc = write_metadata(ds, durable, last)) != NC_NOERR)
        return rc;
    ncz_dialects_mark_stored(ds->model);
    ds->state = NCZ_DATASET_STORED;
    ds->nc4.committed = true;
    ds->nc4.unsynced = !durable;
    return NC_NOERR;
}

/* The last commit may have been made without waiting for the disk. */
static int
sync_commit(ncz_dataset *ds)
{
    int rc = NC_NOERR;

    if (ds->nc4.unsynced && ds->durable && (rc = zmap_sync(ncz_container_file(ds->map))) == NC_NOERR)
        ds->nc4.unsynced = false;
    return rc;
}

/* Whether so much room was given up that another commit, which puts the metadata there, is worth it. */
static bool
has_slack(const ncz_dataset *ds)
{
    ncz_container_sums sums;
    uint64_t           unused;

    if (!ds->nc4.committed)
        return false;
    ncz_container_count(ds->map, &sums);
    unused = sums.free + sums.given_up;
    return unused > SLACK_LEAST && unused > sums.end / 100 * SLACK_PERCENT;
}

int
ncz_nc4_commit(ncz_dataset *ds, bool durable, bool last)
{
    int rc;

    if (ds->failed.code != NC_NOERR)
        return ncz_err_adopt(&ds->failed);
    if ((rc = ncz_file_check_name(ds, ncz_container_file(ds->map))) != NC_NOERR ||
        (rc = clear_beyond(ds)) != NC_NOERR || (rc = ncz_engine_flush(ds->engine, 0)) != NC_NOERR)
        return rc;
    if (is_changed(ds) || (last && owes_last(ds)))
        rc = commit_changes(ds, durable, last);
    if (rc == NC_NOERR && last && has_slack(ds))
        rc = commit_changes(ds, durable, last);
    if (rc == NC_NOERR && durable)
        rc = sync_commit(ds);
    return rc == NC_NOERR ? ncz_file_check_name(ds, ncz_container_file(ds->map)) : rc;
}

/* What it writes is written again with the first data, and its room is lost to a file that is closed then. */
int
ncz_nc4_show(ncz_dataset *ds)
{
    bool few = ds->model->nvars + ds->model->ngroups < MANY_VARS;

    return ds->file.shown_early && !ds->nc4.fits && few ? ncz_nc4_commit(ds, false, false) : NC_NOERR;
}
