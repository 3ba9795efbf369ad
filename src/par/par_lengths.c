/* SPDX-License-Identifier: BSD-3-Clause */
/* par_lengths: the lengths of unlimited dimensions, which all ranks agree on, and the tag of a variable. */
#include "par/par_int.h"

uint64_t
ncz_par_tag(const ncz_var *v)
{
    return (uint64_t)v->group->id << 24 | (uint64_t)v->id;
}

/* Rank 0 may have found that other processes made dimensions longer. In blocks on the stack: a rank that ran out of
 * memory here would keep the others waiting. */
int
ncz_par_agree_lengths(ncz_dataset *ds)
{
    ncz_dim *dims[32];
    uint64_t len[32];
    int      rc = NC_NOERR;

    for (size_t at = 0; rc == NC_NOERR && at < ds->model->ndims;) {
        size_t n = 0;

        for (; at < ds->model->ndims && n < NCZ_LEN(dims); at++) {
            ncz_dim *d = ds->model->dims[at];

            if (d != NULL && d->unlimited) {
                dims[n] = d;
                len[n++] = d->len;
            }
        }
        if (n != 0)
            rc = ncz_comm_max(ncz_par_comm(ds), len, n);
        for (size_t i = 0; rc == NC_NOERR && i < n; i++)
            ncz_model_grow_dim(ds->model, dims[i], len[i]);
    }
    return rc;
}
