/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What comes before every addition to a model: its limits, names in use, and memory for one more entry.
 */
#include "model/model_int.h"

int
ncz_model_check_count(const ncz_model *m, int code)
{
    if (m->ngroups + m->ndims + m->nvars + m->ntypes >= m->limits.objects)
        return ncz_fail(code, "more than %zu groups, dimensions, variables and types (limit `objects`)",
                        m->limits.objects);
    return NC_NOERR;
}

int
ncz_model_check_name(const ncz_group *g, const char *name)
{
    if (ncz_group_find_var(g, name) != NULL || ncz_group_find_group(g, name) != NULL ||
        ncz_group_find_type(g, name) != NULL)
        return ncz_fail(NC_ENAMEINUSE, "'%s' is already the name of a variable, group or type", name);
    return NC_NOERR;
}

int
ncz_model_room(void *array, size_t n, size_t item)
{
    void **slot = array, *grown;

    if (n != 0 && (n & (n - 1)) != 0)
        return NC_NOERR;
    if ((grown = ncz_grow(*slot, n == 0 ? 1 : n * 2, item)) == NULL)
        return ncz_fail_nomem(n * 2 * item);
    *slot = grown;
    return NC_NOERR;
}
