/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_var.c: loads the properties of one variable.
 */
#include "dump_int.h"

#include <stdlib.h>
#include <string.h>

void
dump_add_type(text_buf *t, const dump_var *v, bool cdl)
{
    char *name;

    if (v->user != NULL) {
        dump_add_type_ref(t, v->grp, v->user, cdl);
        return;
    }
    if (dump_type_name(v->type) != NULL) {
        text_add(t, dump_type_name(v->type));
        return;
    }
    name = var_text(nczarr_inq_var_typename, v->grp, v->id);
    text_add(t, name != NULL && name[0] != '\0' ? name : "unknown");
    free(name);
}

static int
load_var(dump_context *d, int grp, int varid, const hyperslab *part, dump_var *v)
{
    int rc;

    *v = (dump_var){.grp = grp, .id = varid};
    if ((rc = nc_inq_var(grp, varid, v->name, &v->type, &v->ndims, NULL, &v->natts)) != NC_NOERR)
        return rc;
    v->size = dump_type_size(v->type);
    if (v->type > NC_MAX_ATOMIC_TYPE) {
        if ((rc = dump_type_load(grp, v->type, &v->user)) != NC_NOERR)
            return rc;
        v->size = v->user->size;
    }
    v->dims = memory_alloc((size_t)v->ndims, sizeof *v->dims);
    v->shape = memory_alloc((size_t)v->ndims, sizeof *v->shape);
    v->unlimited = memory_alloc((size_t)v->ndims, sizeof *v->unlimited);
    v->part = memory_alloc((size_t)v->ndims, sizeof *v->part);
    rc = nc_inq_vardimid(grp, varid, v->dims);
    for (int i = 0; i < v->ndims && rc == NC_NOERR; i++) {
        rc = nc_inq_dimlen(grp, v->dims[i], &v->shape[i]);
        if (part != NULL && (v->part[i] = hyperslab_find(part, v->dims[i])) != NULL)
            v->shape[i] = v->part[i]->len;
        v->unlimited[i] = dim_table_is_unlimited(&d->dims, grp, v->dims[i]);
        v->empty = v->empty || v->shape[i] == 0;
    }
    if (rc == NC_NOERR)
        rc = var_shards(v->grp, v->id, &v->shard);
    if (rc != NC_NOERR)
        dump_var_clear(v);
    return rc;
}

int
dump_var_load(dump_context *d, int grp, int varid, dump_var *v)
{
    return load_var(d, grp, varid, NULL, v);
}

int
dump_var_load_part(dump_context *d, int grp, int varid, dump_var *v)
{
    return load_var(d, grp, varid, &d->part, v);
}

void
dump_var_clear(dump_var *v)
{
    free(v->dims);
    free(v->shape);
    free(v->shard);
    free(v->unlimited);
    free(v->part);
    user_type_free(v->user);
    v->user = NULL;
    v->shard = NULL;
    v->dims = NULL;
    v->shape = NULL;
    v->unlimited = NULL;
    v->part = NULL;
}
