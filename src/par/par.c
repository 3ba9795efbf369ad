/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par: the collective calls of a dataset that several ranks share.
 *
 * Every rank has the whole model and an engine of its own, and puts its own chunks. Rank 0 alone stores and removes
 * documents. What is only on rank 0: the claim, the mark of growth, the table of stored documents. What is equal on all
 * ranks between collective calls, because all make the same definitions and agree on the rest: the model, its lengths
 * and dirty marks, the dataset's state, whether it is in define mode.
 */
#include "par/par_int.h"

int
ncz_par_run_on_first(ncz_dataset *ds, ncz_comm_call call, int (*task)(ncz_dataset *ds))
{
    return ncz_comm_agree(ncz_par_comm(ds), call, 0, ncz_comm_first(ncz_par_comm(ds)) ? task(ds) : NC_NOERR);
}

/* ---- definitions ----------------------------------------------------------------------------------------------- */

/* Deletes chunks that an earlier session left under the names of variables that are being defined. Nobody has put
 * data of them: all ranks leave define mode together. */
static int
sweep_new_variables(ncz_dataset *ds)
{
    int rc = NC_NOERR;

    if (ds->created)
        return NC_NOERR;
    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); rc == NC_NOERR && v != NULL;
         v = ncz_model_next_var(ds->model, v))
        if (v->document == NCZ_DOCUMENT_NEW && v->stage == NCZ_VAR_IN_DEFINITION)
            rc = ncz_dataset_sweep_chunks(ds, v);
    return rc;
}

static int
store_definitions(ncz_dataset *ds)
{
    int rc = sweep_new_variables(ds);

    return rc == NC_NOERR ? ncz_dataset_documents_first(ds, true) : rc;
}

int
ncz_par_enddef(ncz_dataset *ds, int rc)
{
    if ((rc = ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_ENDDEF, 0, rc)) != NC_NOERR ||
        (rc = ncz_par_compare(ds, NCZ_COMM_ENDDEF)) != NC_NOERR ||
        (rc = ncz_par_run_on_first(ds, NCZ_COMM_ENDDEF, store_definitions)) != NC_NOERR)
        return rc;
    if (!ncz_comm_first(ncz_par_comm(ds)) && ncz_dataset_is_new(ds)) {
        ncz_dialects_mark_stored(ds->model);
        ds->state = NCZ_DATASET_DOCUMENTED;
    }
    return NC_NOERR;
}

/* ---- flush and abort ------------------------------------------------------------------------------------------- */

static int
store_documents(ncz_dataset *ds)
{
    int rc = sweep_new_variables(ds);

    if (rc == NC_NOERR)
        rc = ncz_dataset_store_documents(ds, false);
    return rc == NC_NOERR && ncz_lengths_are_watched(ds) ? ncz_lengths_refresh(ds) : rc;
}

/* Gives strings the largest width that a rank has, each in widths[2 * i]. */
static int
take_widths(ncz_dataset *ds, ncz_var *const *vars, const uint64_t *widths, size_t n)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = ncz_dataset_take_width(ds, vars[i], &(ncz_string_width){.nbytes = (size_t)widths[2 * i]});
    return rc;
}

/* A rank that stored strings may have found that another process has widened them. Two numbers for each variable: the
 * largest width, and what tells the smallest. All ranks know then whether one of them has anything to take over. */
static int
agree_some_widths(ncz_dataset *ds, ncz_comm_call call, ncz_var *const *vars, uint64_t *widths, size_t n)
{
    bool differ = false;
    int  rc = n != 0 ? ncz_comm_max(ncz_par_comm(ds), widths, 2 * n) : NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        differ = differ || widths[2 * i] != UINT64_MAX - widths[2 * i + 1];
    return differ ? ncz_comm_agree(ncz_par_comm(ds), call, 0, take_widths(ds, vars, widths, n)) : rc;
}

static int
agree_widths(ncz_dataset *ds, ncz_comm_call call)
{
    ncz_var *vars[16];
    uint64_t widths[32];
    size_t   n = 0;
    int      rc = NC_NOERR;

    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); rc == NC_NOERR && v != NULL;
         v = ncz_model_next_var(ds->model, v)) {
        if (v->stage == NCZ_VAR_IN_DEFINITION || !ncz_dataset_has_width(ds, v))
            continue;
        vars[n] = v;
        widths[2 * n] = v->dtype.size;
        widths[2 * n + 1] = UINT64_MAX - v->dtype.size;
        if (++n == NCZ_LEN(vars)) {
            rc = agree_some_widths(ds, call, vars, widths, n);
            n = 0;
        }
    }
    return rc == NC_NOERR ? agree_some_widths(ds, call, vars, widths, n) : rc;
}

/* All ranks have failed with one error. One of them may have met strings that another process has widened: all take
 * the width over then, and say so. */
int
ncz_par_follow_widths(ncz_dataset *ds, const ncz_var *v, int rc)
{
    uint64_t old;
    ncz_err  first;
    int      agreed;

    if ((rc != NC_ETRUNC && rc != NC_EFILTER) || !ncz_dataset_has_width(ds, v))
        return rc;
    ncz_err_save(&first, rc);
    old = ncz_dataset_widths_are_old(ds, rc) && ncz_dataset_follow_widths(ds) == NC_NOERR;
    if ((agreed = ncz_comm_max(ncz_par_comm(ds), &old, 1)) != NC_NOERR)
        return agreed;
    if (old == 0)
        return ncz_err_adopt(&first);
    return ncz_fail(NC_EZARRMETA, "%s: another process has changed the width of its strings: put again", v->name);
}

int
ncz_par_store_data(ncz_dataset *ds, ncz_comm_call call, int rc)
{
    if (rc == NC_NOERR)
        rc = ds->kind->store_data(ds);
    return ncz_comm_agree(ncz_par_comm(ds), call, 0, rc);
}

void
ncz_par_end_flush(ncz_dataset *ds)
{
    ncz_dialects_mark_stored(ds->model);
    ds->state = NCZ_DATASET_STORED;
    ncz_engine_forget(ds->engine, 0);
}

int
ncz_par_flush(ncz_dataset *ds, ncz_comm_call call, int rc)
{
    if ((rc = ncz_par_store_data(ds, call, rc)) != NC_NOERR || (rc = agree_widths(ds, call)) != NC_NOERR ||
        (rc = ncz_par_compare(ds, call)) != NC_NOERR ||
        (rc = ncz_par_run_on_first(ds, call, store_documents)) != NC_NOERR ||
        (rc = ncz_par_agree_lengths(ds)) != NC_NOERR)
        return rc;
    ncz_par_end_flush(ds);
    return NC_NOERR;
}

int
ncz_par_abort(ncz_dataset *ds, int (*remove)(ncz_dataset *ds))
{
    int rc = ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_ABORT, 0, NC_NOERR);

    return rc == NC_NOERR ? ncz_par_run_on_first(ds, NCZ_COMM_ABORT, remove) : rc;
}

/* ---- collective puts ------------------------------------------------------------------------------------------- */

/* After a failure some ranks may have stored data beyond the lengths. The same marks on all ranks, or they would not
 * agree on whether to clear. */
int
ncz_par_failed_put(const ncz_var *v, int rc)
{
    for (size_t d = 0; rc != NC_NOERR && d < v->rank; d++)
        v->dims[d]->uncleared = v->dims[d]->unlimited;
    return rc;
}

/* Rank 0 clears what a writer that died left beyond the lengths (dataset_grow.c), and announces to other processes that
 * the dataset grows, for all ranks: what a rank asks of the store must not grow with their number. */
static int
clear_on_first(ncz_dataset *ds, const ncz_var *v, const uint64_t *shape)
{
    bool grows = false, uncleared = false;
    int  rc = NC_NOERR;

    for (size_t d = 0; d < v->rank; d++)
        if (shape[d] > v->dims[d]->len) {
            grows = true;
            uncleared = uncleared || v->dims[d]->uncleared;
        }
    if (!grows || (!uncleared && (ncz_par_ranks_of(ds)->announced || ds->state != NCZ_DATASET_STORED)))
        return NC_NOERR;
    for (size_t d = 0; rc == NC_NOERR && d < v->rank && ncz_comm_first(ncz_par_comm(ds)); d++)
        if (shape[d] > v->dims[d]->len)
            rc = ncz_dataset_clear_beyond(ds, v->dims[d]);
    /* The chunks in which the length ended must be in the store before another rank reads them. */
    if (rc == NC_NOERR && uncleared && ncz_comm_first(ncz_par_comm(ds)))
        rc = ncz_dataset_flush_chunks(ds, 0);
    if ((rc = ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_PUT, ncz_par_tag(v), rc)) != NC_NOERR)
        return rc;
    ncz_par_ranks_of(ds)->announced = ds->state == NCZ_DATASET_STORED;
    for (size_t d = 0; d < v->rank; d++)
        if (shape[d] > v->dims[d]->len)
            v->dims[d]->uncleared = false;
    return NC_NOERR;
}

/* Stores what this rank has put by itself, before any rank puts: later, it would replace elements of this put. */
static int
flush_independent(ncz_dataset *ds, ncz_var *v)
{
    int rc;

    if (!atomic_exchange(&v->independent, false))
        return NC_NOERR;
    if ((rc = ncz_dataset_flush_chunks(ds, v->uid)) != NC_NOERR)
        atomic_store(&v->independent, true);
    return rc;
}

int
ncz_par_begin_put(ncz_dataset *ds, ncz_var *v, int rc)
{
    if (rc == NC_NOERR)
        rc = flush_independent(ds, v);
    return ncz_par_failed_put(v, ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_PUT, ncz_par_tag(v), rc));
}

int
ncz_par_grow(ncz_dataset *ds, const ncz_var *v, uint64_t *shape)
{
    bool grows = false;
    int  rc = NC_NOERR;

    for (size_t d = 0; d < v->rank; d++)
        grows = grows || v->dims[d]->unlimited;
    if (grows && (rc = ncz_comm_max(ncz_par_comm(ds), shape, v->rank)) == NC_NOERR)
        rc = clear_on_first(ds, v, shape);
    return ncz_par_failed_put(v, rc);
}

int
ncz_par_end_put(ncz_dataset *ds, const ncz_var *v, int rc)
{
    bool    range = rc == NC_ERANGE;
    ncz_err own;

    ncz_err_save(&own, rc);
    rc = ncz_par_failed_put(v, ncz_comm_agree(ncz_par_comm(ds), NCZ_COMM_PUT, ncz_par_tag(v), range ? NC_NOERR : rc));
    return rc == NC_NOERR && range ? ncz_err_adopt(&own) : rc;
}
