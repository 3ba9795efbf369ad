/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_netcdf4_session: what a session does with a netCDF-4 file (dataset_session.h). Chunks go to free room as they
 * come; nc_sync(), nc_close() and an nc_enddef() after nc_redef() commit. In a bucket, nc_sync() and nc_close() then
 * put the file.
 */
#include "dataset/netcdf4/dataset_netcdf4.h"
#include "container/container.h"
#include "dataset/file/dataset_file.h"
#include "zmap/zmap_s3_file.h"

/* ---- definitions ----------------------------------------------------------------------------------------------- */

/* With commit=close nothing is shown before. */
static bool
waits_for_close(const ncz_dataset *ds)
{
    return ds->root_deferred;
}

/* HDF5 has no compound and no enum without members. */
static int
check_types(const ncz_dataset *ds)
{
    const ncz_model *m = ds->model;

    for (size_t i = 0; i < m->ntypes; i++) {
        const ncz_type *t = &m->types[i]->node;

        if ((t->class == NCZ_TYPE_COMPOUND && t->nfields == 0) || (t->class == NCZ_TYPE_ENUM && t->nmembers == 0))
            return ncz_fail(NC_EINVAL, "type %s has no members: a netCDF-4 file cannot have it", t->name);
    }
    return NC_NOERR;
}

/* A new file is shown now, and any other change committed. */
static int
end_define(ncz_dataset *ds, const ncz_file_room *room, int rc)
{
    if (rc != NC_NOERR || (rc = check_types(ds)) != NC_NOERR || (rc = ncz_nc4_define(ds, room)) != NC_NOERR)
        return rc;
    ncz_dataset_leave_define(ds);
    if (waits_for_close(ds))
        return NC_NOERR;
    return ncz_dataset_is_new(ds) ? ncz_nc4_show(ds) : ncz_nc4_commit(ds, true, false);
}

/* The first put of a new file, in define mode. */
static int
begin_data(ncz_dataset *ds)
{
    int rc = check_types(ds);

    if (rc != NC_NOERR || (rc = ncz_nc4_define(ds, NULL)) != NC_NOERR)
        return rc;
    return ncz_dataset_is_new(ds) && !waits_for_close(ds) ? ncz_nc4_show(ds) : NC_NOERR;
}

/* ---- puts ------------------------------------------------------------------------------------------------------ */

/* A variable of another writer may have filters that are only read. */
static int
put(ncz_dataset *ds, const ncz_put *p)
{
    int rc = ncz_chain_check_encodes(p->v->chain);

    return rc == NC_NOERR ? ncz_dataset_put_chunks(ds, p) : rc;
}

/* Chunks that are absent read as fill. */
static int
grow(ncz_dataset *ds, ncz_dim *d, uint64_t len, const ncz_put *p)
{
    int rc = p == NULL ? ncz_nc4_fit_front(ds, d, len) : NC_NOERR;

    return rc == NC_NOERR && d->uncleared ? ncz_dataset_clear_beyond(ds, d) : rc;
}

/* ---- storing --------------------------------------------------------------------------------------------------- */

static int
store_data(ncz_dataset *ds)
{
    return ds->failed.code != NC_NOERR ? ncz_err_adopt(&ds->failed) : ncz_engine_flush(ds->engine, 0);
}

/* The object of a bucket is put as a whole, after a commit of the temporary file that has its bytes. */
static int
put_object(ncz_dataset *ds)
{
    zmap *file = ncz_container_is(ds->map) ? ncz_container_file(ds->map) : ds->map;
    bool  final = false;
    int   rc = zmap_s3_file_is(file) ? zmap_s3_file_put(file, &final) : NC_NOERR;

    if (final)
        ncz_err_save(&ds->failed, rc);
    return rc;
}

static int
store_head(ncz_dataset *ds, bool all)
{
    int rc = waits_for_close(ds) ? NC_NOERR : ncz_nc4_commit(ds, true, false);

    (void)all;
    return rc != NC_NOERR || waits_for_close(ds) ? rc : put_object(ds);
}

/* ---- close and abort ------------------------------------------------------------------------------------------- */

/* What can be stored is stored before a type is refused: nobody can call for this dataset again. */
static int
close_file(ncz_dataset *ds)
{
    int rc = ds->defining ? ncz_nc4_define(ds, NULL) : NC_NOERR;

    if (rc == NC_NOERR)
        rc = ncz_nc4_commit(ds, true, true);
    if (rc == NC_NOERR)
        rc = put_object(ds);
    if (rc == NC_NOERR && ds->home == NCZ_HOME_PERSIST)
        rc = ncz_file_persist(ds, ncz_container_file(ds->map));
    return rc == NC_NOERR ? check_types(ds) : rc;
}

/* A file that was never committed goes. */
static int
abort_file(ncz_dataset *ds, zmap_end *how)
{
    *how = ncz_dataset_is_new(ds) ? ZMAP_DISCARD : ZMAP_KEEP;
    ncz_engine_forget(ds->engine, 0);
    return NC_NOERR;
}

static int
take_block(ncz_dataset *ds, void **block, size_t *len)
{
    return ncz_container_is(ds->map) ? ncz_file_take(ncz_container_file(ds->map), block, len)
                                     : ncz_store_take_block(ds->map, block, len);
}

/* ---- changes: no object has the name of a node ----------------------------------------------------------------- */

/* Texts have any length, and characters one byte. */
static int
widen(ncz_dataset *ds, ncz_var *v, size_t need)
{
    (void)ds;
    return ncz_fail(NC_EINVAL, "%s: its strings have no width, and one of %zu bytes needs none", v->name, need);
}

static const ncz_change_ops change = {
    .begin_fill = ncz_documents_begin_fill,
    .end_fill = ncz_documents_end_fill,
    .widen = widen,
};

const ncz_session_ops ncz_nc4_session = {
    .end_define = end_define,
    .begin_data = begin_data,
    .put = put,
    .grow = grow,
    .store_data = store_data,
    .store_head = store_head,
    .sync = ncz_dataset_sync_alone,
    .close = close_file,
    .abort = abort_file,
    .take = take_block,
    .release = ncz_nc4_free_arrays,
    .change = &change,
};
