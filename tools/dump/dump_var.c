/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_var.c: loads the properties of one variable, one attribute.
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

int
dump_var_load(int grp, int varid, dump_var *v)
{
    return dump_var_load_part(grp, varid, NULL, v);
}

int
dump_var_load_part(int grp, int varid, const hyperslab *part, dump_var *v)
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
        v->unlimited[i] = group_dim_is_unlimited(grp, v->dims[i]);
        v->empty = v->empty || v->shape[i] == 0;
    }
    if (rc == NC_NOERR)
        rc = var_shards(v->grp, v->id, &v->shard);
    if (rc != NC_NOERR)
        dump_var_clear(v);
    return rc;
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

int
dump_att_load_named(int grp, int varid, const char *name, dump_att *a)
{
    size_t size;
    int    rc;

    *a = (dump_att){.grp = grp};
    if ((rc = nc_inq_att(grp, varid, name, &a->type, &a->len)) != NC_NOERR)
        return rc;
    (void)snprintf(a->name, sizeof a->name, "%s", name);
    if (a->type > NC_MAX_ATOMIC_TYPE && (rc = dump_type_load(grp, a->type, &a->user)) != NC_NOERR)
        return rc;
    if ((size = a->user != NULL ? a->user->size : dump_type_size(a->type)) == 0)
        return NC_NOERR; /* val stays NULL: a type this program cannot read */
    a->val = memory_alloc(a->len + 1, size);
    if (a->len > 0 && (rc = nc_get_att(grp, varid, name, a->val)) != NC_NOERR) {
        free(a->val);
        a->val = NULL;
    }
    return rc;
}

int
dump_att_load(int grp, int varid, int index, dump_att *a)
{
    char name[NC_MAX_NAME + 1];
    int  rc;

    *a = (dump_att){.val = NULL};
    if ((rc = nc_inq_attname(grp, varid, index, name)) != NC_NOERR)
        return rc;
    return dump_att_load_named(grp, varid, name, a);
}

void
dump_att_clear(dump_att *a)
{
    if (a->type == NC_STRING && a->val != NULL)
        (void)nc_free_string(a->len, a->val);
    else if (a->user != NULL && a->val != NULL && a->len > 0)
        (void)nc_reclaim_data(a->grp, a->type, a->val, a->len);
    free(a->val);
    user_type_free(a->user);
    *a = (dump_att){.val = NULL};
}
