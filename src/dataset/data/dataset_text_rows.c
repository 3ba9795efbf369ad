/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_text_rows: decides whether each row of a new variable of characters is stored as one text, the default in
 * Zarr v3. That takes a fixed dimension that is of text only, chunks with whole rows, and codecs that take bytes.
 *
 * Each call that changes one of these decides again, so that inquiries are right at any time. Other variables, too, can
 * make a dimension one of text only, or end that. ncz_dim.shared keeps the last answer for a dimension, so that
 * variables are looked at only when it changes.
 */
#include "dataset/dataset_int.h"

/* Longer rows stay bytes: the document has a fill value of as many characters. */
#define ROW_MOST ((uint64_t)1 << 20)

/* Whether rows of these characters are texts where their dimension is of text only, and chunks have them whole. */
static bool
takes_rows(const ncz_dataset *ds, const ncz_var *v)
{
    return v->type->class == NCZ_TYPE_CHAR && v->rank > 0 && !v->dims[v->rank - 1]->unlimited &&
           ds->model->dialect->traits.text_rows;
}

static bool
has_whole_rows(const ncz_var *v)
{
    uint64_t len = v->dims[v->rank - 1]->len;

    return len > 0 && len <= ROW_MOST && v->chunk[v->rank - 1] == len && v->order == NULL &&
           (v->shard == NULL || v->shard[v->rank - 1] == len);
}

/* With the codec for rows, unless another codec excludes it. */
static int
set_rows(ncz_dataset *ds, ncz_var *v, ncz_chain *chain)
{
    ncz_array_type in = ncz_spec_array_type(v->spec);
    ncz_chain     *own = NULL;
    int            rc = ncz_chain_with_text_rows(chain, &in, &own);

    if (rc == NC_EFILTER) {
        ncz_err_clear();
        return ncz_var_set_chain(ds->model, v, chain);
    }
    if (rc == NC_NOERR)
        rc = ncz_var_set_chain(ds->model, v, own);
    ncz_chain_unref(own);
    return rc;
}

int
ncz_dataset_rows_set_chain(ncz_dataset *ds, ncz_var *v, ncz_chain *chain)
{
    int rc = ncz_chain_check_spelling(chain, ds->model->dialect->traits.spelling);

    if (rc != NC_NOERR)
        return rc;
    if (takes_rows(ds, v) && ncz_dim_is_of_text(v->dims[v->rank - 1]) && has_whole_rows(v) && !v->plain_chars)
        return set_rows(ds, v, chain);
    return ncz_var_set_chain(ds->model, v, chain);
}

int
ncz_dataset_rows_drop(ncz_dataset *ds, ncz_var *v)
{
    ncz_chain *bare = NULL;
    int        rc;

    if (!ncz_var_has_text_rows(v))
        return NC_NOERR;
    if ((rc = ncz_chain_without_text_rows(v->chain, &bare)) == NC_NOERR)
        rc = ncz_var_set_chain(ds->model, v, bare);
    ncz_chain_unref(bare);
    return rc;
}

int
ncz_dataset_rows_fit(ncz_dataset *ds, ncz_var *v)
{
    ncz_chain *bare = NULL;
    int        rc;

    if (!takes_rows(ds, v))
        return NC_NOERR;
    if ((rc = ncz_chain_without_text_rows(v->chain, &bare)) == NC_NOERR)
        rc = ncz_dataset_rows_set_chain(ds, v, bare);
    ncz_chain_unref(bare);
    return rc;
}

int
ncz_dataset_set_chunks(ncz_dataset *ds, ncz_var *v, int storage, const uint64_t *chunk, bool beyond)
{
    int rc = ncz_dataset_rows_drop(ds, v), fit;

    if (rc != NC_NOERR)
        return rc;
    rc = beyond ? ncz_var_set_long_chunks(ds->model, v, chunk) : ncz_var_set_chunks(ds->model, v, storage, chunk);
    fit = ncz_dataset_rows_fit(ds, v); /* after a failure, too: it is stored as before */
    return rc != NC_NOERR ? rc : fit;
}

/* ---- the dimensions -------------------------------------------------------------------------------------------- */

/* Stored ones stay as they are, as do those that the document of another array has defined. */
static bool
may_change(const ncz_var *v)
{
    return v->stage == NCZ_VAR_IN_DEFINITION && v->document == NCZ_DOCUMENT_NEW && !v->by_document;
}

/* Decides again for the characters whose last dimension it is, if it is of text only now and was not, or the
 * reverse. */
static int
decide_along(ncz_dataset *ds, ncz_dim *d)
{
    size_t left = d->nchars;
    bool   shared = !ncz_dim_is_of_text(d);
    int    rc = NC_NOERR;

    if (d->shared == shared)
        return NC_NOERR;
    d->shared = shared; /* first: what undoes a definition that fails here decides again */
    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); left > 0 && v != NULL && rc == NC_NOERR;
         v = ncz_model_next_var(ds->model, v)) {
        if (v->type->class != NCZ_TYPE_CHAR || v->rank == 0 || v->dims[v->rank - 1] != d)
            continue;
        left--;
        if (may_change(v))
            rc = ncz_dataset_rows_fit(ds, v);
    }
    return rc;
}

int
ncz_dataset_rows_added(ncz_dataset *ds, const ncz_var *v)
{
    ncz_dim *namesake;
    int      rc = NC_NOERR;

    if (!ds->model->dialect->traits.text_rows)
        return NC_NOERR;
    if ((namesake = ncz_group_find_dim(v->group, v->name)) != NULL)
        rc = decide_along(ds, namesake);
    for (size_t r = 0; rc == NC_NOERR && r < v->rank; r++)
        rc = decide_along(ds, v->dims[r]);
    return rc;
}

int
ncz_dataset_rows_changed(ncz_dataset *ds)
{
    int rc = NC_NOERR;

    for (size_t i = 0; ds->model->dialect->traits.text_rows && rc == NC_NOERR && i < ds->model->ndims; i++)
        rc = decide_along(ds, ds->model->dims[i]);
    return rc;
}
