/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_session: what a session does with a dataset that several ranks share (dataset_session.h): documents, or
 * one file. What is this process's alone, it does as the kind that is shared.
 */
#include "dataset/file/dataset_file.h"
#include "par/par_int.h"
#include "zmap/zmap_single.h"

/* ---- definitions ----------------------------------------------------------------------------------------------- */

static int
begin_define_file(ncz_dataset *ds)
{
    return ncz_par_file_flush(ds, NCZ_COMM_REDEF, NC_NOERR);
}

static int
end_define(ncz_dataset *ds, const ncz_file_room *room, int rc)
{
    (void)room;
    if ((rc = ncz_par_enddef(ds, rc)) == NC_NOERR)
        ncz_dataset_leave_define(ds);
    return rc;
}

static int
end_define_file(ncz_dataset *ds, const ncz_file_room *room, int rc)
{
    if (rc != NC_NOERR)
        return ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_ENDDEF, 0, rc);
    if ((rc = ncz_par_file_enddef(ds, room)) == NC_NOERR)
        ncz_dataset_leave_define(ds);
    return rc;
}

/* All ranks end define mode together. */
static int
begin_data(ncz_dataset *ds)
{
    return end_define(ds, NULL, NC_NOERR);
}

/* ---- puts ------------------------------------------------------------------------------------------------------ */

static int
put_collective(ncz_dataset *ds, const ncz_put *p, int (*extend)(ncz_dataset *ds, const ncz_var *v, uint64_t *shape))
{
    int rc = ncz_par_begin_put(ds, p->v, p->rc);

    if (rc != NC_NOERR || (rc = extend(ds, p->v, p->shape)) != NC_NOERR)
        return rc;
    if (ncz_par_exchanges(ds, p->v))
        return ncz_par_put(ds, p);
    if (!ncz_select_is_empty(p->sel))
        rc = ncz_dataset_put_chunks(ds, p);
    return ncz_par_follow_widths(ds, p->v, ncz_par_end_put(ds, p->v, rc));
}

/* A put by one rank extends nothing. */
static int
put(ncz_dataset *ds, const ncz_put *p)
{
    const ncz_var *v = p->v;

    if (ncz_par_is_collective(ds, v))
        return put_collective(ds, p, ncz_par_grow);
    if (p->rc != NC_NOERR)
        return p->rc;
    atomic_store(&p->v->independent, true);
    for (size_t d = 0; d < v->rank; d++)
        if (p->shape[d] > v->dims[d]->len)
            return ncz_fail(NC_ECANTEXTEND,
                            "%s: an independent put cannot extend dimension %s beyond %llu; use collective access "
                            "(nc_var_par_access)",
                            v->name, v->dims[d]->name, (unsigned long long)v->dims[d]->len);
    return ncz_dataset_put_chunks(ds, p);
}

/* A put by one rank extends nothing but the records. */
static int
put_in_file(ncz_dataset *ds, const ncz_put *p)
{
    int rc;

    if (ncz_par_is_collective(ds, p->v))
        return put_collective(ds, p, ncz_par_file_grow);
    if (p->rc != NC_NOERR)
        return p->rc;
    atomic_store(&p->v->independent, true);
    rc = ncz_par_file_grow_alone(ds, p->v, p->shape);
    return rc == NC_NOERR ? ncz_dataset_put_chunks(ds, p) : rc;
}

/* A put has made room before, on all ranks. */
static int
grow(ncz_dataset *ds, ncz_dim *d, uint64_t len, const ncz_put *p)
{
    (void)ds;
    (void)len;
    if (p != NULL)
        return NC_NOERR;
    return ncz_fail(NC_ECANTEXTEND, "%s: with several ranks only a collective put of data extends a dimension",
                    d->name);
}

/* ---- storing --------------------------------------------------------------------------------------------------- */

static int
store_data(ncz_dataset *ds)
{
    return ncz_par_ranks_of(ds)->shared->store_data(ds);
}

/* Others than rank 0 make their data durable even where the file has no name yet. */
static int
store_data_file(ncz_dataset *ds)
{
    int rc;

    if (ds->failed.code != NC_NOERR)
        return ncz_err_adopt(&ds->failed);
    if ((rc = ncz_engine_flush(ds->engine, 0)) != NC_NOERR)
        return rc;
    if (zmap_single_unfinished(ds->map) != NULL && ncz_comm_first(ncz_par_comm(ds)))
        return NC_NOERR;
    return ncz_file_sync(ds);
}

static int
store_head(ncz_dataset *ds, bool all)
{
    return ncz_par_ranks_of(ds)->shared->store_head(ds, all);
}

static int
store_head_file(ncz_dataset *ds, bool all)
{
    (void)all; /* it is whole */
    return ncz_file_store(ds);
}

/* Variables whose definition is not final yet have no data; the flush relies on it. */
static int
sync_documents(ncz_dataset *ds, int rc)
{
    if ((rc = ncz_par_flush(ds, NCZ_COMM_SYNC, rc)) == NC_NOERR && ds->defining)
        ncz_dataset_leave_define(ds);
    return rc;
}

static int
sync_file(ncz_dataset *ds, int rc)
{
    return ncz_par_file_flush(ds, NCZ_COMM_SYNC, rc);
}

static int
refresh(ncz_dataset *ds)
{
    return ncz_par_ranks_of(ds)->shared->refresh(ds);
}

/* ---- close and abort ------------------------------------------------------------------------------------------- */

static int
close_documents(ncz_dataset *ds)
{
    return ncz_par_flush(ds, NCZ_COMM_CLOSE, NC_NOERR);
}

static int
close_file(ncz_dataset *ds)
{
    const ncz_file_room none = {.align = 0};
    int                 rc = ds->defining ? ncz_par_file_enddef(ds, &none) : NC_NOERR;

    return rc == NC_NOERR ? ncz_par_file_flush(ds, NCZ_COMM_CLOSE, NC_NOERR) : rc;
}

/* Rank 0 removes what they all put, as long as it is ours. */
static int
remove_for_all(ncz_dataset *ds)
{
    int rc;

    if (!ncz_dataset_is_new(ds))
        return ncz_dataset_drop_unnamed(ds);
    rc = ncz_claim_check(ds->map, ds->path, ds->claim);
    return rc == NC_NOERR ? ncz_dataset_drop_everything(ds) : rc;
}

static int
abort_documents(ncz_dataset *ds, zmap_end *how)
{
    bool discard = ncz_dataset_is_new(ds);
    int  rc;

    ncz_engine_forget(ds->engine, 0);
    if ((rc = ncz_par_abort(ds, remove_for_all)) != NC_NOERR)
        ncz_dataset_leave_claim(ds, rc);
    *how = rc == NC_NOERR && discard ? ZMAP_DISCARD : ZMAP_KEEP;
    return rc;
}

static int
abort_file(ncz_dataset *ds, zmap_end *how)
{
    *how = ds->defining && ds->state == NCZ_DATASET_NEW ? ZMAP_DISCARD : ZMAP_KEEP;
    return ds->defining ? ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_ABORT, 0, NC_NOERR)
                        : ncz_par_file_flush(ds, NCZ_COMM_ABORT, NC_NOERR);
}

/* Memory belongs to one process. */
static int
take_block(ncz_dataset *ds, void **block, size_t *len)
{
    return ncz_par_ranks_of(ds)->shared->take(ds, block, len);
}

/* ---- changes: objects are not moved ---------------------------------------------------------------------------- */

static int
fail_stored(const char *name, const char *when)
{
    return ncz_fail(NC_ENOTBUILT, "%s: with several ranks a name can be changed only %s; rename it with nc_open()",
                    name, when);
}

static int
rename_var(ncz_dataset *ds, ncz_var *v, const char *name)
{
    int rc = ncz_documents_check_name(ds, v->group, v->name, name);

    if (rc == NC_NOERR && v->stage != NCZ_VAR_IN_DEFINITION)
        rc = fail_stored(v->name, "in the define mode that defined the variable");
    return rc == NC_NOERR ? ncz_model_rename_var(ds->model, v, name) : rc;
}

static int
rename_group(ncz_dataset *ds, ncz_group *g, const char *name)
{
    int rc = ncz_documents_check_name(ds, g->parent, g->name, name);

    if (rc == NC_NOERR && ds->state != NCZ_DATASET_NEW)
        rc = fail_stored(g->name, "before the first nc_enddef() of a new dataset");
    return rc == NC_NOERR ? ncz_model_rename_group(ds->model, g, name) : rc;
}

static int
begin_fill(ncz_dataset *ds, ncz_var *v, ncz_fill_mode mode, const void *fill)
{
    (void)ds;
    (void)mode;
    (void)fill;
    if (v->unusable->code != NC_NOERR)
        return ncz_err_adopt(v->unusable);
    return ncz_fail(NC_ELATEFILL, "%s: data were put already; with several ranks its fill value stays", v->name);
}

static int
widen(ncz_dataset *ds, ncz_var *v, size_t need)
{
    int rc = ncz_documents_follow_width(ds, v);

    if (rc == NC_NOERR && need > v->dtype.size)
        rc =
            ncz_fail(NC_ENOTBUILT,
                     "%s: a string of %zu bytes needs a wider array, which several ranks cannot make; define it with "
                     "nczarr_def_var_strlen()",
                     v->name, need);
    return rc == NC_NOERR ? ncz_dialects_check_rewritable(v) : rc;
}

static const ncz_change_ops change = {
    .rename_var = rename_var,
    .rename_group = rename_group,
    .begin_fill = begin_fill,
    .end_fill = ncz_documents_end_fill,
    .widen = widen,
};

/* ---- the tables ------------------------------------------------------------------------------------------------ */

static const ncz_session_ops par_documents = {
    .ranks = true,
    .end_define = end_define,
    .begin_data = begin_data,
    .puts_alone = ncz_par_is_collective,
    .put = put,
    .grow = grow,
    .store_data = store_data,
    .store_head = store_head,
    .sync = sync_documents,
    .refresh = refresh,
    .close = close_documents,
    .abort = abort_documents,
    .take = take_block,
    .change = &change,
};

static const ncz_session_ops par_file = {
    .ranks = true,
    .follows = true,
    .begin_define = begin_define_file,
    .end_define = end_define_file,
    .begin_data = begin_data,
    .puts_alone = ncz_par_is_collective,
    .put = put_in_file,
    .grow = grow,
    .store_data = store_data_file,
    .store_head = store_head_file,
    .sync = sync_file,
    .refresh = refresh,
    .close = close_file,
    .abort = abort_file,
    .take = take_block,
    .change = &ncz_file_change,
};

/* ---- the ranks of a dataset ------------------------------------------------------------------------------------ */

static void
free_ranks(ncz_ranks *r)
{
    ncz_par_ranks *ranks = (ncz_par_ranks *)r;

    ncz_comm_free(ranks->comm);
    ncz_par_owners_free(ranks->owners);
    ncz_free(ranks);
}

int
ncz_par_ranks_new(ncz_par_ranks **out)
{
    if ((*out = ncz_zalloc(sizeof **out)) == NULL)
        return ncz_fail_nomem(sizeof **out);
    (*out)->base.free = free_ranks;
    return NC_NOERR;
}

void
ncz_par_share(ncz_dataset *ds, ncz_par_ranks *ranks)
{
    bool file = ncz_file_ops_of(ds) != NULL;

    ranks->file = file;
    ranks->shared = file ? &ncz_file_session : &ncz_documents_session;
    ds->ranks = &ranks->base;
    ds->kind = file ? &par_file : &par_documents;
    if (file && ds->writable)
        ncz_engine_share_ranges(ds->engine);
}

bool
ncz_par_is_shared(const ncz_dataset *ds)
{
    return ds->kind->ranks;
}

bool
ncz_par_is_collective(const ncz_dataset *ds, const ncz_var *v)
{
    if (!ds->kind->ranks)
        return false;
    return v->access == NCZ_ACCESS_DEFAULT ? ncz_par_ranks_of(ds)->collective : v->access == NCZ_ACCESS_COLLECTIVE;
}

int
ncz_par_set_collective(ncz_dataset *ds, ncz_var *v, bool yes)
{
    if (!ds->kind->ranks)
        return ncz_fail(NC_ENOPAR, "%s was not opened by nczarr_create_par() or nczarr_open_par()", ds->path);
    if (v != NULL) {
        v->access = yes ? NCZ_ACCESS_COLLECTIVE : NCZ_ACCESS_INDEPENDENT;
        return NC_NOERR;
    }
    ncz_par_ranks_of(ds)->collective = yes;
    for (ncz_var *each = ncz_model_next_var(ds->model, NULL); each != NULL;
         each = ncz_model_next_var(ds->model, each))
        each->access = NCZ_ACCESS_DEFAULT;
    return NC_NOERR;
}
