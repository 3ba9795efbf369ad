/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab_get.c: a variable's own values, not those of a part; strings with their lengths where that is asked for.
 */
#include "common/hyperslab.h"

int
hyperslab_get(const hyperslab_var *v, const size_t *start, const size_t *count, const ptrdiff_t *step, void *data)
{
    if (v->counted)
        return nczarr_get_vars_counted(v->ncid, v->varid, start, count, step, data);
    return step != NULL ? nc_get_vars(v->ncid, v->varid, start, count, step, data)
                        : nc_get_vara(v->ncid, v->varid, start, count, data);
}

void
hyperslab_free(const hyperslab_var *v, void *data, size_t n)
{
    if (n == 0)
        return;
    if (v->counted)
        (void)nc_free_vlens(n, data);
    else if (v->type == NC_STRING || v->type > NC_MAX_ATOMIC_TYPE)
        (void)nc_reclaim_data(v->ncid, v->type, data, n);
}
