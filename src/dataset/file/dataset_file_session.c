/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_file_session: what a session does with a dataset that is one file whose head is changed in place
 * (dataset_session.h). Data are stored first, the head last.
 */
#include "dataset/file/dataset_file.h"
#include "zmap/zmap_single.h"

/* Its head, which is whole in any case. Then the file that has the name must still be this one. */
static int
store_head(ncz_dataset *ds, bool all)
{
    int rc = ncz_file_store(ds);

    (void)all;
    return rc == NC_NOERR ? ncz_file_check_name(ds, ds->map) : rc;
}

/* ---- definitions ----------------------------------------------------------------------------------------------- */

/* What nc_abort() goes back to is stored. */
static int
begin_define(ncz_dataset *ds)
{
    return ncz_file_publish(ds);
}

static int
end_define(ncz_dataset *ds, const ncz_file_room *room, int rc)
{
    if (rc != NC_NOERR || (rc = ncz_file_enddef(ds, room)) != NC_NOERR)
        return rc;
    ncz_dataset_leave_define(ds);
    return ds->file.shown_early ? zmap_single_show(ds->map) : NC_NOERR;
}

/* Others see the definitions now, and what is put then. */
static int
end_define_shared(ncz_dataset *ds, const ncz_file_room *room, int rc)
{
    if (rc != NC_NOERR || (rc = ncz_file_enddef(ds, room)) != NC_NOERR)
        return rc;
    ncz_dataset_leave_define(ds);
    return store_head(ds, false);
}

/* ---- puts ------------------------------------------------------------------------------------------------------ */

static bool
puts_shared_alone(const ncz_dataset *ds, const ncz_var *v)
{
    (void)ds;
    (void)v;
    return true;
}

/* What is put is there for others at once. */
static int
put_shared(ncz_dataset *ds, const ncz_put *p)
{
    bool grew;
    int  rc, shown;

    if (p->rc != NC_NOERR || ncz_select_is_empty(p->sel))
        return p->rc;
    rc = ncz_dataset_put_chunks(ds, p);
    if (rc != NC_NOERR && rc != NC_ERANGE)
        return rc;
    grew = p->v->rank > 0 && p->shape[0] > p->v->dims[0]->len;
    ncz_dataset_record_lengths(ds, p, true);
    shown = grew ? ncz_file_publish(ds) : ncz_dataset_flush_chunks(ds, p->v->uid);
    return shown != NC_NOERR ? shown : rc;
}

static int
grow(ncz_dataset *ds, ncz_dim *d, uint64_t len, const ncz_put *p)
{
    int rc;

    if (p == NULL)
        return ncz_file_grow_dim(ds, d, len);
    rc = ncz_engine_store_filled(ds->engine, d->len);
    return rc == NC_NOERR ? ncz_file_grow(ds, p->v, p->sel, len) : rc;
}

/* ---- storing --------------------------------------------------------------------------------------------------- */

/* The first sync of a new file shows it, with its head. */
static int
sync_data(ncz_dataset *ds)
{
    return zmap_single_unfinished(ds->map) != NULL ? NC_NOERR : ncz_file_sync(ds);
}

static int
store_data(ncz_dataset *ds)
{
    int rc;

    if ((rc = ncz_file_check(ds)) != NC_NOERR || (rc = ncz_engine_flush(ds->engine, 0)) != NC_NOERR)
        return rc;
    return sync_data(ds);
}

/* ---- close and abort ------------------------------------------------------------------------------------------- */

static int
close_file(ncz_dataset *ds)
{
    const ncz_file_room none = {.align = 0};
    int                 rc = ds->defining ? ncz_file_enddef(ds, &none) : NC_NOERR;

    if (rc != NC_NOERR || (rc = store_data(ds)) != NC_NOERR || (rc = store_head(ds, false)) != NC_NOERR)
        return rc;
    return ds->home == NCZ_HOME_PERSIST ? ncz_file_persist(ds, ds->map) : NC_NOERR;
}

/* Outside define mode, as in netCDF, it is closed. */
static int
abort_file(ncz_dataset *ds, zmap_end *how)
{
    *how = ds->defining && ds->state == NCZ_DATASET_NEW ? ZMAP_DISCARD : ZMAP_KEEP;
    return ds->defining ? NC_NOERR : close_file(ds);
}

static int
take_block(ncz_dataset *ds, void **block, size_t *len)
{
    return ds->writable ? ncz_file_take(ds->map, block, len) : ncz_store_take_block(ds->map, block, len);
}

/* ---- changes: nothing in a file has the name of a node, and each element has its place, and is written ---------- */

/* Its characters have no width of their own. */
static int
widen(ncz_dataset *ds, ncz_var *v, size_t need)
{
    (void)ds;
    return ncz_fail(NC_EINVAL, "%s: a string of %zu bytes in a file without strings", v->name, need);
}

const ncz_change_ops ncz_file_change = {
    .widen = widen,
};

const ncz_session_ops ncz_file_session = {
    .follows = true,
    .adds_records = true,
    .begin_define = begin_define,
    .end_define = end_define,
    .put = ncz_dataset_put_chunks,
    .grow = grow,
    .store_data = store_data,
    .store_head = store_head,
    .sync = ncz_dataset_sync_alone,
    .refresh = ncz_file_refresh,
    .close = close_file,
    .abort = abort_file,
    .take = take_block,
    .change = &ncz_file_change,
};

const ncz_session_ops ncz_file_shared_session = {
    .follows = true,
    .begin_define = begin_define,
    .end_define = end_define_shared,
    .puts_alone = puts_shared_alone,
    .put = put_shared,
    .grow = grow,
    .store_data = store_data,
    .store_head = store_head,
    .sync = ncz_dataset_sync_alone,
    .refresh = ncz_file_refresh,
    .close = close_file,
    .abort = abort_file,
    .take = take_block,
    .change = &ncz_file_change,
};
