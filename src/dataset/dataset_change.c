/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_change: changes of what is stored by a name or a type, as far as they are the same for every kind of dataset
 * (dataset_session.h).
 */
#include "dataset/dataset_int.h"

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
    int rc = check_name(v->group, name);

    return rc == NC_NOERR ? ds->kind->change->rename_var(ds, v, name) : rc;
}

int
ncz_dataset_rename_group(ncz_dataset *ds, ncz_group *g, const char *name)
{
    int rc = check_name(g->parent, name);

    return rc == NC_NOERR ? ds->kind->change->rename_group(ds, g, name) : rc;
}

int
ncz_dataset_begin_fill(ncz_dataset *ds, ncz_var *v, ncz_fill_mode mode, const void *fill)
{
    return v->stage == NCZ_VAR_WRITTEN ? ds->kind->change->begin_fill(ds, v, mode, fill) : NC_NOERR;
}

int
ncz_dataset_end_fill(ncz_dataset *ds, ncz_var *v)
{
    return v->stage == NCZ_VAR_WRITTEN ? ds->kind->change->end_fill(ds, v) : NC_NOERR;
}

int
ncz_dataset_widen(ncz_dataset *ds, ncz_var *v, size_t need)
{
    return ds->kind->change->widen(ds, v, need);
}
