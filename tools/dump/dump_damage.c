/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_damage.c: damaged chunks (--damaged): which variables are left out for them, the list at the end, and what is
 * said where reading ends with one.
 */
#include "dump_int.h"

#include <stdio.h>
#include <stdlib.h>

int
dump_var_check(int grp, int varid)
{
    nc_type type = NC_NAT;
    int     rc = nczarr_inq_var_encoding(grp, varid, NULL, NULL);

    if (rc != NC_NOERR || (rc = nc_inq_vartype(grp, varid, &type)) != NC_NOERR)
        return rc;
    return type > NC_MAX_ATOMIC_TYPE || dump_type_size(type) != 0 ? NC_NOERR : NC_EBADTYPE;
}

/* ---- --damaged=skip ---- */

static void
find_in_var(dump_context *d, int grp, int varid)
{
    size_t        before = d->damage.n;
    dump_var      v;
    hyperslab_var all;
    int           rc = dump_var_load_part(d, grp, varid, &v);

    if (rc == NC_NOERR && v.size != 0 && !v.empty && dump_var_check(grp, varid) == NC_NOERR) {
        all = (hyperslab_var){.ncid = grp,
                              .varid = varid,
                              .rank = v.ndims,
                              .type = v.type,
                              .size = v.size,
                              .dims = v.part,
                              .damage = &d->damage};
        (void)damage_scan(&all, NULL, NULL); /* another failure is reported when the data are printed */
    }
    if (d->damage.n > before) {
        d->skipped = memory_grow(d->skipped, d->nskipped, sizeof *d->skipped);
        d->skipped[d->nskipped++] = (dump_var_id){.ncid = grp, .varid = varid};
    }
    dump_var_clear(&v);
}

void
dump_damage_find(dump_context *d)
{
    tree_list vars = {.n = 0};

    if (d->o->part != DUMP_HEADER && (d->o->form == DUMP_CDL || d->o->form == DUMP_JSON))
        (void)tree_list_load(d->root, TREE_VARS, &vars);
    for (size_t i = 0; i < vars.n; i++)
        if (dump_wants_group(d, vars.v[i].grp) && dump_wants_var(d, vars.v[i].grp, vars.v[i].id))
            find_in_var(d, vars.v[i].grp, vars.v[i].id);
    tree_list_clear(&vars);
}

bool
dump_damage_skips(const dump_context *d, int grp, int varid)
{
    for (size_t i = 0; i < d->nskipped; i++)
        if (d->skipped[i].ncid == grp && d->skipped[i].varid == varid)
            return true;
    return false;
}

/* ---- messages ---- */

bool
dump_damage_report(dump_context *d)
{
    const damage_log *l = &d->damage;

    if (l->n == 0)
        return false;
    (void)dump_fail_text(&d->report, NC_NOERR, "%s: %zu damaged chunk%s: %s", d->report.file, l->n,
                         l->n == 1 ? "" : "s",
                         d->o->damaged == DAMAGE_SKIP   ? "what has such chunks is left out"
                         : d->o->damaged == DAMAGE_FILL ? "the fill value is printed instead"
                                                        : "what they have is missing");
    damage_log_print(l, "nczdump:   ", stderr);
    return true;
}

void
dump_damage_fail(dump_context *d, int rc, const dump_var *v, const char *why)
{
    char *path = group_var_path(v->grp, v->name);

    (void)dump_fail_text(&d->report, rc, "%s: %s: %s%s", d->report.file, path, why,
                         damage_is_cause(v->grp, v->id, rc)
                             ? "; --damaged=fill prints the rest, with the fill value in place of damaged chunks"
                             : "");
    free(path);
}
