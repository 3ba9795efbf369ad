/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * New dimensions and groups of the tree, for the parser and for the scan that declares ahead.
 */
#include "gen_int.h"

/* A length of 0, which dumps of HDF5 files have, makes an unlimited dimension: netCDF defines no other one so short. */
int
gen_dim_size(gen_parser *p, gen_dim *d)
{
    gen_const c;
    gen_pos   pos = p->tok.pos;
    int       rc;

    if (gen_at_word(p, "unlimited") || gen_at_word(p, "UNLIMITED")) {
        d->unlimited = true;
        return gen_next(p);
    }
    if (p->tok.tok != GEN_T_CONST)
        return gen_unexpected(p, "a size or UNLIMITED");
    if ((rc = gen_take_const(p, &c)) != NC_NOERR)
        return rc;
    if ((c.kind != GEN_INT && c.kind != GEN_HEX) || (c.kind == GEN_HEX && c.type == NC_NAT) ||
        gen_convert(&c, NC_UINT64, &d->size) != GEN_FITS || d->size > SIZE_MAX)
        return gen_error(p, pos, "the size of dimension %s must be an integer of at least 0", d->name);
    d->unlimited = d->size == 0;
    return NC_NOERR;
}

gen_dim *
gen_add_dim(gen_parser *p, const char *name, gen_pos pos)
{
    gen_group *g = p->group;
    gen_dim   *d = gen_alloc(&p->cdl->arena, sizeof *d);

    gen_names_put(&p->names, &p->cdl->arena, g, GEN_DIM, name, d);
    *d = (gen_dim){.name = name, .pos = pos, .index = p->cdl->ndims++};
    *g->dims_end = d;
    g->dims_end = &d->next;
    return d;
}

gen_group *
gen_new_group(gen_parser *p, const char *name, gen_pos pos)
{
    gen_group *g = gen_alloc(&p->cdl->arena, sizeof *g);

    *g = (gen_group){.name = name, .pos = pos, .parent = p->group};
    g->dims_end = &g->dims;
    g->vars_end = &g->vars;
    g->atts_end = &g->atts;
    g->types_end = &g->types;
    g->groups_end = &g->groups;
    return g;
}

gen_group *
gen_add_group(gen_parser *p, const char *name, gen_pos pos)
{
    gen_group *outer = p->group, *g = gen_new_group(p, name, pos);

    gen_names_put(&p->names, &p->cdl->arena, outer, GEN_GROUP, name, g);
    *outer->groups_end = g;
    outer->groups_end = &g->next;
    return g;
}
