/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the tree to a dataset: user-defined types, in the order of the text. A type refers to earlier ones only.
 */
#include "gen_int.h"

nc_type
gen_type_id(const gen_writer *w, const gen_typeref *t)
{
    return t->user != NULL ? w->typeids[t->user->index] : t->type;
}

static int
insert_members(const gen_writer *w, int ncid, const gen_type *t, nc_type id, const gen_member **m)
{
    int rc = NC_NOERR;

    for (*m = t->members; *m != NULL; *m = (*m)->next) {
        nc_type type = gen_type_id(w, &(*m)->type);

        if (t->class == NC_ENUM)
            rc = nc_insert_enum(ncid, id, (*m)->name, (*m)->value);
        else if ((*m)->ndims > 0)
            rc = nc_insert_array_compound(ncid, id, (*m)->name, (*m)->offset, type, (*m)->ndims, (*m)->dims);
        else
            rc = nc_insert_compound(ncid, id, (*m)->name, (*m)->offset, type);
        if (rc != NC_NOERR)
            break;
    }
    return rc;
}

static int
def_type(gen_writer *w, int ncid, const gen_type *t)
{
    nc_type          *id = &w->typeids[t->index];
    const gen_member *m = NULL;
    int               rc;

    switch (t->class) {
    case NC_ENUM: rc = nc_def_enum(ncid, gen_type_id(w, &t->base), t->name, id); break;
    case NC_OPAQUE: rc = nc_def_opaque(ncid, t->size, t->name, id); break;
    case NC_VLEN: rc = nc_def_vlen(ncid, t->name, gen_type_id(w, &t->base), id); break;
    default: rc = nc_def_compound(ncid, t->size, t->name, id); break;
    }
    if (rc != NC_NOERR)
        return gen_nc_error(w, rc, t->pos, "type", t->name);
    if ((rc = insert_members(w, ncid, t, *id, &m)) != NC_NOERR)
        return gen_nc_error(w, rc, m->pos, t->class == NC_ENUM ? "constant" : "field", m->name);
    return NC_NOERR;
}

int
gen_def_types(gen_writer *w, int ncid, const gen_group *g)
{
    int rc = NC_NOERR;

    for (const gen_type *t = g->types; rc == NC_NOERR && t != NULL; t = t->next)
        rc = def_type(w, ncid, t);
    return rc;
}
