/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset: one open dataset: its construction and release, its lock, and the begin and end of each call.
 *
 * The lock guards the model, the dirty marks and the table of stored documents. Reading and ordinary puts share it;
 * everything else takes it exclusively. The engine has its own locks below it.
 */
#include "dataset/dataset_int.h"

#include <string.h>

/* ---- begin and end of a call ---- */

static bool
is_shared(ncz_use use)
{
    return use == NCZ_USE_LOOK || use == NCZ_USE_PUT;
}

/* Its dialect is known before the rest of it is loaded. NULL: its format is of no file. */
static const ncz_file_ops *
find_file_ops(const ncz_dataset *ds)
{
    return ds->model->dialect != NULL ? ds->model->dialect->file : NULL;
}

static bool
is_classic_file(const ncz_dataset *ds)
{
    const ncz_file_ops *file = find_file_ops(ds);

    return (zmap_caps_of(ds->map) & ZMAP_SINGLE) != 0 && file != NULL && file->lay_out != NULL;
}

static int
check_use(const ncz_dataset *ds, ncz_use use)
{
    bool defines = use == NCZ_USE_DEFINE || use == NCZ_USE_DELETE;

    if (ds->state == NCZ_DATASET_CLOSED)
        return ncz_fail(NC_EBADID, "the dataset is closed");
    if (use == NCZ_USE_LOOK || use == NCZ_USE_TUNE)
        return NC_NOERR;
    if (!ds->writable && !(defines && is_classic_file(ds)))
        return ncz_fail(NC_EPERM, "%s was opened read-only", ds->path);
    if (!ds->classic || use == NCZ_USE_CHANGE)
        return NC_NOERR;
    if (defines && !ds->defining)
        return ncz_fail(NC_ENOTINDEFINE, "%s is not in define mode (classic model)", ds->path);
    if (!defines && ds->defining)
        return ncz_fail(NC_EINDEFINE, "%s is in define mode (classic model)", ds->path);
    return NC_NOERR;
}

void
ncz_dataset_leave_define(ncz_dataset *ds)
{
    ncz_dataset_log_defined(ds);
    ds->defining = false;
    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); v != NULL; v = ncz_model_next_var(ds->model, v))
        if (v->stage == NCZ_VAR_IN_DEFINITION)
            v->stage = NCZ_VAR_DEFINED;
}

static void
lock_dataset(ncz_dataset *ds, ncz_use use)
{
    if (is_shared(use))
        ncz_rwlock_share(ds->lock);
    else
        ncz_rwlock_take(ds->lock);
}

static void
unlock_dataset(ncz_dataset *ds, ncz_use use)
{
    if (is_shared(use))
        ncz_rwlock_unshare(ds->lock);
    else
        ncz_rwlock_give(ds->lock);
}

/* Under the lock: whether nothing but the call itself is to be done, as in most gets and puts. */
static inline bool
may_go_on(const ncz_dataset *ds, ncz_use use)
{
    if (ds->load != NULL || ds->defining || ds->state == NCZ_DATASET_CLOSED || ds->unloaded.code != NC_NOERR)
        return false;
    return use == NCZ_USE_LOOK || (ds->writable && (use == NCZ_USE_PUT || use == NCZ_USE_PUT_ALONE));
}

static bool
changes_definitions(ncz_use use)
{
    return use == NCZ_USE_DEFINE || use == NCZ_USE_CHANGE || use == NCZ_USE_DELETE;
}

/* The rest of ncz_dataset_begin(), with the lock. The first call that needs the model loads it, while others wait. */
static int
begin_slowly(ncz_dataset *ds, ncz_use use)
{
    int rc;

    while ((rc = check_use(ds, use)) == NC_NOERR && ds->load != NULL) {
        /* Loading needs the lock alone, so all checks are repeated afterwards. */
        unlock_dataset(ds, use);
        ncz_rwlock_take(ds->lock);
        rc = ds->state == NCZ_DATASET_CLOSED ? NC_NOERR : ncz_load_rest(ds);
        ncz_rwlock_give(ds->lock);
        if (rc != NC_NOERR)
            return rc;
        lock_dataset(ds, use);
    }
    if (rc == NC_NOERR && ds->unloaded.code != NC_NOERR)
        rc = ncz_err_adopt(&ds->unloaded);
    else if (rc == NC_NOERR && use == NCZ_USE_PUT_ALONE && ds->defining && ds->kind->begin_data != NULL)
        rc = ds->kind->begin_data(ds);
    if (rc != NC_NOERR)
        unlock_dataset(ds, use);
    else if (changes_definitions(use)) /* others share the lock, and look at nothing of it */
        ds->file.stale = true;
    return rc;
}

void
ncz_dataset_lock_with(ncz_dataset *ds, ncz_rwlock *lock)
{
    ds->lock = lock != NULL ? lock : &ds->own_lock;
}

bool
ncz_dataset_is_ready(const ncz_dataset *ds)
{
    return may_go_on(ds, NCZ_USE_LOOK);
}

int
ncz_dataset_begin(ncz_dataset *ds, ncz_use use)
{
    lock_dataset(ds, use);
    return may_go_on(ds, use) ? NC_NOERR : begin_slowly(ds, use);
}

static bool
is_due(const ncz_dataset *ds)
{
    return ncz_now_ms() - atomic_load_explicit(&ds->clock.last, memory_order_relaxed) >= ds->clock.interval;
}

/* A commit that is due. The put is done whatever becomes of that: what fails for good, the next call finds. */
static void
commit_if_due(ncz_dataset *ds)
{
    ncz_err text;

    ncz_rwlock_take(ds->lock);
    if (is_due(ds) && ds->state != NCZ_DATASET_CLOSED && ds->failed.code == NC_NOERR && !ds->defining &&
        !ds->kind->ranks) {
        ds->clock.last = ncz_now_ms();
        ncz_err_save(&text, NC_NOERR);
        if (ds->kind->sync(ds, NC_NOERR) != NC_NOERR)
            ncz_log(NCZ_LOG_WARN, "%s: commit=: %s", ds->path, ncz_err_text());
        (void)ncz_err_adopt(&text);
    }
    ncz_rwlock_give(ds->lock);
}

int
ncz_dataset_end(ncz_dataset *ds, ncz_use use, int rc)
{
    /* After NC_ERANGE all data are stored, too. */
    bool done = rc == NC_NOERR || rc == NC_ERANGE, put = use == NCZ_USE_PUT || use == NCZ_USE_PUT_ALONE;

    if (use == NCZ_USE_LOOK) { /* as most calls */
        ncz_rwlock_unshare(ds->lock);
        return rc;
    }
    if (use == NCZ_USE_DEFINE && done)
        ncz_dataset_define(ds);
    if (use == NCZ_USE_PUT_ALONE && done && ds->defining)
        ncz_dataset_leave_define(ds);
    unlock_dataset(ds, use);
    if (put && ds->clock.interval != 0 && is_due(ds))
        commit_if_due(ds);
    return rc;
}

ncz_model *
ncz_dataset_model(const ncz_dataset *ds)
{
    return ds->model;
}

void
ncz_dataset_define(ncz_dataset *ds)
{
    ds->defining = true;
    atomic_store_explicit(&ds->appends, 0, memory_order_relaxed); /* the next put may fail, and define nothing */
}

bool
ncz_dataset_defining(const ncz_dataset *ds)
{
    return ds->defining;
}

bool
ncz_dataset_writable(const ncz_dataset *ds)
{
    return ds->writable;
}

const char *
ncz_dataset_path(const ncz_dataset *ds)
{
    return ds->given != NULL ? ds->given : ds->path;
}

int
ncz_dataset_has_consolidated(const ncz_dataset *ds, bool *out)
{
    const char *key = ds->model->dialect->copies.key;
    int         rc = NC_EEMPTY;

    if (!ds->style.consolidated && key != NULL)
        rc = zmap_len(ds->map, key, NULL);
    *out = ds->style.consolidated || rc == NC_NOERR;
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

const ncz_texts *
ncz_dataset_warnings(const ncz_dataset *ds)
{
    return &ds->warnings;
}

bool
ncz_dataset_is_nczarr(const ncz_dataset *ds)
{
    return !ncz_format_is_plain(&ds->style);
}

zmap *
ncz_dataset_map(const ncz_dataset *ds)
{
    return ds->map;
}

bool
ncz_dataset_in_block(const ncz_dataset *ds)
{
    return ds->home == NCZ_HOME_BLOCK;
}

int
ncz_dataset_stats(ncz_dataset *ds, zmap_stats *out)
{
    int rc = NC_NOERR;

    ncz_rwlock_share(ds->lock);
    if (ds->state == NCZ_DATASET_CLOSED)
        rc = ncz_fail(NC_EBADID, "the dataset is closed");
    else
        zmap_stats_of(ds->map, out);
    ncz_rwlock_unshare(ds->lock);
    return rc;
}

/* ---- modes ---- */

int
ncz_dataset_redef(ncz_dataset *ds)
{
    int rc = ncz_dataset_begin(ds, NCZ_USE_CHANGE);

    if (rc != NC_NOERR)
        return rc;
    if (ds->defining)
        rc = ncz_fail(NC_EINDEFINE, "%s is in define mode already", ds->path);
    else if (ds->kind->begin_define != NULL)
        rc = ds->kind->begin_define(ds);
    if (rc == NC_NOERR)
        ncz_dataset_define(ds);
    return ncz_dataset_end(ds, NCZ_USE_CHANGE, rc);
}

int
ncz_dataset_enddef(ncz_dataset *ds, const ncz_file_room *room)
{
    const ncz_file_ops *file;
    int                 rc = ncz_dataset_begin(ds, NCZ_USE_CHANGE);

    if (rc == NC_EPERM && (file = find_file_ops(ds)) != NULL && file->refusal != 0) {
        ncz_err_clear(); /* as netCDF-C has it for formats that are only read */
        return NC_NOERR;
    }
    if (rc == NC_EPERM)
        return ncz_fail(NC_ENOTINDEFINE, "%s was opened read-only: it is never in define mode", ds->path);
    if (rc != NC_NOERR)
        return rc;
    if (!ds->defining)
        rc = ncz_fail(NC_ENOTINDEFINE, "%s is not in define mode", ds->path);
    return ncz_dataset_end(ds, NCZ_USE_CHANGE, ds->kind->end_define(ds, room, rc));
}

int
ncz_dataset_flush(ncz_dataset *ds, bool all)
{
    int rc = ds->kind->store_data(ds);

    return rc == NC_NOERR ? ds->kind->store_head(ds, all) : rc;
}

static int
refresh(ncz_dataset *ds)
{
    return ds->kind->refresh != NULL ? ds->kind->refresh(ds) : NC_NOERR;
}

int
ncz_dataset_sync_alone(ncz_dataset *ds, int rc)
{
    if (rc == NC_NOERR && ds->defining)
        ncz_dataset_leave_define(ds);
    if (rc == NC_NOERR)
        rc = ncz_dataset_flush(ds, false);
    if (rc == NC_NOERR)
        rc = ncz_dataset_commit(ds);
    return rc == NC_NOERR ? refresh(ds) : rc;
}

/* What other processes have stored can be read afterwards. */
static int
sync_reader(ncz_dataset *ds)
{
    int rc;

    if ((rc = ncz_dataset_begin(ds, NCZ_USE_TUNE)) != NC_NOERR)
        return rc;
    return ncz_dataset_end(ds, NCZ_USE_TUNE, refresh(ds));
}

int
ncz_dataset_sync(ncz_dataset *ds)
{
    int rc = ncz_dataset_begin(ds, NCZ_USE_LOOK);

    if (rc != NC_NOERR)
        return rc;
    if (!ds->writable) {
        ncz_engine_drop_ahead(ds->engine);
        (void)ncz_dataset_end(ds, NCZ_USE_LOOK, NC_NOERR);
        return (ds->mode & NC_SHARE) != 0 || ds->kind->follows ? sync_reader(ds) : NC_NOERR;
    }
    /* A shared lock cannot be upgraded: release it, and take it exclusively. */
    (void)ncz_dataset_end(ds, NCZ_USE_LOOK, NC_NOERR);

    if ((rc = ncz_dataset_begin(ds, NCZ_USE_CHANGE)) != NC_NOERR)
        return rc;
    if (ds->classic && ds->defining)
        rc = ncz_fail(NC_EINDEFINE, "%s is in define mode (classic model)", ds->path);
    return ncz_dataset_end(ds, NCZ_USE_CHANGE, ds->kind->sync(ds, rc));
}

/* ---- changes of what is stored by a name or a type ---- */

static int
check_name(const ncz_group *g, const char *name)
{
    if (ncz_group_find_var(g, name) != NULL || ncz_group_find_group(g, name) != NULL)
        return ncz_fail(NC_ENAMEINUSE, "%s: the name is in use", name);
    return NC_NOERR;
}

int
ncz_dataset_rename_var(ncz_dataset *ds, ncz_var *v, const char *name)
{
    const ncz_change_ops *change = ds->kind->change;
    int                   rc = check_name(v->group, name);

    if (rc == NC_NOERR)
        rc = change->rename_var != NULL ? change->rename_var(ds, v, name) : ncz_model_rename_var(ds->model, v, name);
    return rc == NC_NOERR ? ncz_dataset_rows_changed(ds) : rc;
}

int
ncz_dataset_rename_dim(ncz_dataset *ds, ncz_dim *d, const char *name)
{
    int rc = ncz_model_rename_dim(ds->model, d, name);

    return rc == NC_NOERR ? ncz_dataset_rows_changed(ds) : rc;
}

int
ncz_dataset_rename_group(ncz_dataset *ds, ncz_group *g, const char *name)
{
    const ncz_change_ops *change = ds->kind->change;
    int                   rc = check_name(g->parent, name);

    if (rc != NC_NOERR)
        return rc;
    return change->rename_group != NULL ? change->rename_group(ds, g, name)
                                        : ncz_model_rename_group(ds->model, g, name);
}

int
ncz_dataset_begin_fill(ncz_dataset *ds, ncz_var *v, ncz_fill_mode mode, const void *fill)
{
    const ncz_change_ops *change = ds->kind->change;

    return v->stage == NCZ_VAR_WRITTEN && change->begin_fill != NULL ? change->begin_fill(ds, v, mode, fill)
                                                                     : NC_NOERR;
}

int
ncz_dataset_end_fill(ncz_dataset *ds, ncz_var *v)
{
    const ncz_change_ops *change = ds->kind->change;

    return v->stage == NCZ_VAR_WRITTEN && change->end_fill != NULL ? change->end_fill(ds, v) : NC_NOERR;
}

int
ncz_dataset_widen(ncz_dataset *ds, ncz_var *v, size_t need)
{
    return ds->kind->change->widen(ds, v, need);
}
