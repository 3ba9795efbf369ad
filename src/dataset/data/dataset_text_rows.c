/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_text_rows: whether each row of a new variable of characters is stored as one text, as Zarr v3 does it by
 * default.
 * It needs chunks with whole rows of a fixed dimension, and codecs that take bytes. The choice is made anew by each
 * call that changes one of these, so that inquiries have it at any time.
 */
#include "dataset/dataset_int.h"

#define ROW_MOST                                                                                                     \
    ((uint64_t)1 << 20) /* longer ones are no texts: a fill value has as many characters, in the document */

bool
ncz_dataset_takes_text_rows(const ncz_dataset *ds, const ncz_var *v)
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
    if (ncz_dataset_takes_text_rows(ds, v) && has_whole_rows(v) && !v->plain_chars)
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

    if (!ncz_dataset_takes_text_rows(ds, v))
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
