/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_source.c: looks up once what will be copied: groups, dimensions and variables that the options choose,
 * parents before children, each in the order of its definition.
 */
#include "copy_int.h"

#include "common/error_text.h"
#include "common/near_name.h"
#include "common/path_match.h"
#include "nczarr_zmap.h"

#include <stdlib.h>
#include <string.h>

/* ---- groups ---- */

/* With -g and -G: the groups named and all below them. */
static bool
is_group_wanted(const copy_opts *o, const char *path)
{
    char *own = memory_need(strdup(path));
    bool  wanted = o->groups.n == 0;

    for (char *end; !wanted; *end = '\0') {
        wanted = name_list_match(&o->groups, *own != '\0' ? own : "/");
        if ((end = strrchr(own, '/')) == NULL)
            break;
    }
    free(own);
    return wanted;
}

static bool
is_within(const char *path, const char *group)
{
    size_t n = strlen(group);

    return strncmp(path, group, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* Whether it or a group in it, which follow it, is wanted. */
static bool
leads_to_wanted_group(const copy_opts *o, const tree_list *all, size_t i)
{
    for (size_t k = i; k < all->n && is_within(all->v[k].path, all->v[i].path); k++)
        if (is_group_wanted(o, all->v[k].path))
            return true;
    return false;
}

static int
add_groups(const copy_opts *o, copy_source *s)
{
    tree_list all;
    int       rc = tree_list_load(s->ncid, TREE_GROUPS, &all);

    if (rc != NC_NOERR)
        (void)message_fail(rc, o->in);
    for (size_t i = 0; i < all.n; i++)
        if (i == 0 || !o->groups_only || leads_to_wanted_group(o, &all, i)) {
            s->groups = memory_grow(s->groups, s->ngroups, sizeof *s->groups);
            s->groups[s->ngroups++] =
                (copy_group){.in = all.v[i].grp, .out = -1, .path = memory_need(strdup(all.v[i].path))};
        }
    tree_list_clear(&all);
    return rc;
}

/* ---- dimensions and types ---- */

static int
add_dim(const copy_opts *o, copy_source *s, size_t g, int dimid, const id_list *unlimited)
{
    const hyperslab_dim *part = hyperslab_find(&s->part, dimid);
    copy_dim             d = {.in = dimid, .out = -1, .group = g};
    char                 name[NC_MAX_NAME + 1];
    int                  rc = nc_inq_dim(s->groups[g].in, dimid, name, &d.len_in);

    if (rc != NC_NOERR)
        return rc;
    d.len = part != NULL ? part->len : d.len_in;
    d.name = memory_need(strdup(name));
    d.name_out = memory_need(strdup(name));
    d.unlimited = id_list_has(unlimited, dimid) && (!o->fixed || d.len == 0);
    s->dims = memory_grow(s->dims, s->ndims, sizeof *s->dims);
    s->dims[s->ndims++] = d;
    return NC_NOERR;
}

static int
add_dims(const copy_opts *o, copy_source *s, size_t g)
{
    id_list dims, unlimited = {.id = NULL};
    int     rc = id_list_dims(s->groups[g].in, &dims);

    if (rc == NC_NOERR)
        rc = id_list_unlimited(s->groups[g].in, &unlimited);
    for (int i = 0; rc == NC_NOERR && i < dims.n; i++)
        rc = add_dim(o, s, g, dims.id[i], &unlimited);
    id_list_clear(&dims);
    id_list_clear(&unlimited);
    return rc == NC_NOERR ? rc : message_fail(rc, s->groups[g].path);
}

static int
add_types(copy_source *s, size_t g)
{
    id_list types;
    int     rc = id_list_types(s->groups[g].in, &types);

    for (int i = 0; i < types.n; i++) {
        s->types = memory_grow(s->types, s->ntypes, sizeof *s->types);
        s->types[s->ntypes++] = (copy_type){.in = types.id[i], .out = NC_NAT, .group = g};
    }
    id_list_clear(&types);
    return rc == NC_NOERR ? rc : message_fail(rc, s->groups[g].path);
}

/* ---- variables ---- */

static int
find_dim(const copy_source *s, const copy_var *v, int dimid, size_t *out)
{
    for (size_t i = 0; i < s->ndims; i++)
        if (s->dims[i].in == dimid) {
            *out = i;
            return NC_NOERR;
        }
    return message_error(NC_EBADDIM, "%s: one of its dimensions is of a group that is not copied", v->path);
}

/* Bytes of an element in memory; of a string its length, the pointer, what it points to, and what malloc adds. */
static int
load_sizes(int grp, copy_var *v)
{
    enum { MALLOC_BYTES = 16, ANY_LENGTH = 256 }; /* strings without a width: an estimate */
    int rc;

    v->value = v->item = 1;
    if (v->carried)
        return NC_NOERR;
    if ((rc = copy_type_size(grp, v->type, &v->value)) != NC_NOERR)
        return message_fail(rc, v->path);
    v->item = v->value;
    if (v->type != NC_STRING)
        return NC_NOERR;
    v->value = v->item = sizeof(nc_vlen_t);
    if ((rc = nczarr_inq_var_strlen(grp, v->in, &v->width)) != NC_NOERR)
        return message_fail(rc, v->path);
    v->item += (v->width > 0 ? v->width : ANY_LENGTH) + MALLOC_BYTES;
    return NC_NOERR;
}

static int
load_shape(const copy_source *s, copy_var *v)
{
    int  grp = s->groups[v->group].in, storage, rc;
    int *ids = memory_alloc((size_t)v->rank, sizeof *ids);

    v->dims = memory_alloc((size_t)v->rank, sizeof *v->dims);
    v->shape = memory_alloc((size_t)v->rank, sizeof *v->shape);
    v->part = memory_alloc((size_t)v->rank, sizeof *v->part);
    v->chunk_in = memory_alloc((size_t)v->rank, sizeof *v->chunk_in);
    v->chunk_out = memory_alloc((size_t)v->rank, sizeof *v->chunk_out);
    v->nelems = 1;
    if ((rc = nc_inq_vardimid(grp, v->in, ids)) != NC_NOERR ||
        (rc = nc_inq_var_chunking(grp, v->in, &storage, v->chunk_in)) != NC_NOERR ||
        (rc = var_shards(grp, v->in, &v->shard_in)) != NC_NOERR)
        (void)message_fail(rc, v->path);
    for (int d = 0; rc == NC_NOERR && d < v->rank; d++) {
        if ((rc = find_dim(s, v, ids[d], &v->dims[d])) != NC_NOERR)
            break;
        v->shape[d] = s->dims[v->dims[d]].len;
        v->part[d] = hyperslab_find(&s->part, ids[d]);
        v->partial = v->partial || v->part[d] != NULL;
        if (v->shape[d] != 0 && v->nelems > SIZE_MAX / v->shape[d]) {
            message_print("%s: more elements than this machine can count", v->path);
            rc = NC_EVARSIZE;
        }
        v->nelems *= v->shape[d];
        if (v->chunk_in[d] == 0)
            v->chunk_in[d] = 1;
    }
    free(ids);
    return rc;
}

void
copy_var_clear(copy_var *v)
{
    free(v->path);
    free(v->name);
    free(v->name_out);
    free(v->dims);
    free(v->shape);
    free(v->part);
    free(v->chunk_in);
    free(v->chunk_out);
    free(v->shard_in);
    free(v->shard_out);
    free(v->packed);
    free(v->why);
    copy_refer_clear(v->refer);
}

/* What one variable makes impossible, and costs that variable alone. */
static bool
is_own_failure(int rc)
{
    return rc == NC_EBADTYPE || rc == NC_ENOFILTER || rc == NC_EFILTER || rc == NC_EZARRMETA || rc == NC_ENOTBUILT ||
           rc == NC_EHDFERR;
}

/*
 * Checks that its data can be read. `*skip`: they cannot, and the options leave such variables out. Where only the type
 * of its elements or a codec is not known, its chunks may still go as they are: copy_settle_carried() decides.
 */
static int
check_readable(const copy_opts *o, copy_source *s, copy_var *v, bool *skip)
{
    int  rc = nczarr_inq_var_encoding(s->groups[v->group].in, v->in, NULL, NULL);
    char text[ERROR_TEXT_SIZE];

    *skip = false;
    if (rc == NC_NOERR)
        return rc;
    error_text(rc, v->name, text);
    if (!o->in_place && (rc == NC_EBADTYPE || rc == NC_ENOFILTER)) {
        v->carried = true;
        v->why = memory_need(strdup(text));
        return NC_NOERR;
    }
    *skip = o->skip_unreadable && is_own_failure(rc);
    if (*skip)
        copy_lose(&s->losses, v->path, NULL, text);
    else
        message_print("%s: %s%s", v->path, text, o->in_place ? "" : "; --skip-unreadable leaves out such variables");
    return *skip ? NC_NOERR : rc;
}

static int
add_var(const copy_opts *o, copy_source *s, size_t g, int varid)
{
    copy_var v = {.group = g, .in = varid, .out = -1, .late = -1};
    char     name[NC_MAX_NAME + 1];
    bool     chosen, skip;
    int      rc = nc_inq_var(s->groups[g].in, varid, name, &v.type, &v.rank, NULL, NULL);

    if (rc != NC_NOERR)
        return message_fail(rc, s->groups[g].path);
    v.name = memory_need(strdup(name));
    v.name_out = memory_need(strdup(name));
    v.path = memory_textf("%s%s%s", s->groups[g].path, strcmp(s->groups[g].path, "/") == 0 ? "" : "/", name);
    chosen = o->vars.n == 0 || name_list_match(&o->vars, v.path);
    v.data = chosen && is_group_wanted(o, s->groups[g].path);
    if ((o->vars_only && !chosen) || (o->groups_only && !is_group_wanted(o, s->groups[g].path))) {
        copy_var_clear(&v);
        return NC_NOERR;
    }
    if ((rc = check_readable(o, s, &v, &skip)) != NC_NOERR || skip ||
        (rc = load_sizes(s->groups[g].in, &v)) != NC_NOERR || (rc = load_shape(s, &v)) != NC_NOERR) {
        copy_var_clear(&v);
        return rc;
    }
    s->vars = memory_grow(s->vars, s->nvars, sizeof *s->vars);
    s->vars[s->nvars++] = v;
    return NC_NOERR;
}

static int
add_vars(const copy_opts *o, copy_source *s, size_t g)
{
    id_list vars;
    int     rc = id_list_vars(s->groups[g].in, &vars);

    if (rc != NC_NOERR)
        return message_fail(rc, s->groups[g].path);
    for (int i = 0; rc == NC_NOERR && i < vars.n; i++)
        rc = add_var(o, s, g, vars.id[i]);
    id_list_clear(&vars);
    return rc;
}

/* ---- variables that cannot be read ---- */

void
copy_drop_var(copy_source *s, size_t i)
{
    copy_var_clear(&s->vars[i]);
    memmove(&s->vars[i], &s->vars[i + 1], (s->nvars - i - 1) * sizeof *s->vars);
    s->nvars--;
}

void
copy_drop_group(copy_source *s, size_t g)
{
    char   *path = memory_need(strdup(s->groups[g].path));
    size_t *moved = memory_alloc(s->ngroups, sizeof *moved), kept = 0;

    for (size_t i = 0; i < s->ngroups; i++) {
        moved[i] = is_within(s->groups[i].path, path) ? COPY_NOWHERE : kept;
        if (moved[i] == COPY_NOWHERE)
            free(s->groups[i].path), free(s->groups[i].prefix);
        else
            s->groups[kept++] = s->groups[i];
    }
    for (size_t d = 0; d < s->ndims; d++)
        s->dims[d].group = s->dims[d].group != COPY_NOWHERE ? moved[s->dims[d].group] : COPY_NOWHERE;
    for (size_t t = 0; t < s->ntypes; t++)
        s->types[t].group = s->types[t].group != COPY_NOWHERE ? moved[s->types[t].group] : COPY_NOWHERE;
    for (size_t i = 0; i < s->nvars;) {
        s->vars[i].group = moved[s->vars[i].group];
        if (s->vars[i].group == COPY_NOWHERE)
            copy_drop_var(s, i);
        else
            i++;
    }
    s->ngroups = kept;
    free(moved);
    free(path);
}

/* The documents of the same version of Zarr can say what the source's say. */
static bool
may_carry(const copy_source *s, const copy_target *t)
{
    int version = 0;

    return !t->classic && !t->netcdf4 && nczarr_inq_zarr_format(s->ncid, &version, NULL) == NC_NOERR &&
           version == t->zarr_format;
}

int
copy_settle_carried(const copy_opts *o, copy_source *s, const copy_target *t)
{
    bool may = may_carry(s, t);

    for (size_t i = 0; i < s->nvars;) {
        copy_var *v = &s->vars[i];

        if (!v->carried || (may && !v->partial)) {
            i++;
        } else if (o->skip_unreadable) {
            copy_lose(&s->losses, v->path, NULL, v->why);
            copy_drop_var(s, i);
        } else
            return message_error(NC_EBADTYPE, "%s: %s; --skip-unreadable leaves out such variables", v->path, v->why);
    }
    return NC_NOERR;
}

/* ---- all ---- */

/* Every name in -v and -g must exist. */
static int
check_names(const copy_opts *o, const copy_source *s)
{
    char hint[NEAR_NAME_SIZE];

    for (size_t i = 0; i < o->vars.n; i++) {
        bool found = false;

        for (size_t v = 0; v < s->nvars && !found; v++)
            found = path_match(s->vars[v].path, o->vars.name[i]);
        if (!found)
            return message_error(NC_ENOTVAR, "%s: %s: no such variable%s", o->in, o->vars.name[i],
                                 near_name_hint(s->ncid, NEAR_VARIABLE, o->vars.name[i], hint));
    }
    for (size_t i = 0; i < o->groups.n; i++) {
        bool found = false;

        for (size_t g = 0; g < s->ngroups && !found; g++)
            found = path_match(s->groups[g].path, o->groups.name[i]);
        if (!found)
            return message_error(NC_ENOGRP, "%s: %s: no such group%s", o->in, o->groups.name[i],
                                 near_name_hint(s->ncid, NEAR_GROUP, o->groups.name[i], hint));
    }
    return NC_NOERR;
}

int
copy_source_load(const copy_opts *o, copy_source *s)
{
    char why[HYPERSLAB_WHY_SIZE];
    int  rc = hyperslab_resolve(&o->limits, s->ncid, &s->part, why);

    if (rc != NC_NOERR)
        return message_error(rc, "%s: %s", o->in, why);
    if ((rc = add_groups(o, s)) != NC_NOERR)
        return rc;
    for (size_t g = 0; rc == NC_NOERR && g < s->ngroups; g++)
        rc = add_dims(o, s, g);
    for (size_t g = 0; rc == NC_NOERR && g < s->ngroups; g++)
        rc = add_types(s, g);
    for (size_t g = 0; rc == NC_NOERR && g < s->ngroups; g++)
        rc = add_vars(o, s, g);
    return rc != NC_NOERR ? rc : check_names(o, s);
}

void
copy_source_clear(copy_source *s)
{
    for (size_t i = 0; i < s->ngroups; i++)
        free(s->groups[i].path), free(s->groups[i].prefix);
    for (size_t i = 0; i < s->ndims; i++)
        free(s->dims[i].name), free(s->dims[i].name_out);
    for (size_t i = 0; i < s->ntexts; i++)
        free(s->texts[i].name);
    free(s->texts);
    for (size_t i = 0; i < s->nvars; i++)
        copy_var_clear(&s->vars[i]);
    free(s->groups);
    free(s->dims);
    free(s->types);
    free(s->vars);
    hyperslab_clear(&s->part);
    copy_losses_clear(&s->losses);
    *s = (copy_source){.ncid = s->ncid};
}

double
copy_data_bytes(const copy_source *s)
{
    double total = 0;

    for (size_t i = 0; i < s->nvars; i++)
        total += s->vars[i].data ? (double)s->vars[i].nelems * (double)s->vars[i].value : 0;
    return total;
}
