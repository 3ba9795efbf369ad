/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_source.c: looks up once what will be copied: groups, dimensions and variables that the options choose,
 * parents before children, each in the order of its definition.
 */
#include "copy_int.h"

#include "common/error_text.h"
#include "common/path_match.h"
#include "nczarr_zmap.h"

#include <stdlib.h>
#include <string.h>

static void *
grow_list(void *list, size_t n, size_t item)
{
    return copy_need(realloc(list, (n + 1) * item));
}

/* ---- groups ---- */

static char *
read_group_path(int grp)
{
    size_t len = 0;
    char  *path;

    if (nc_inq_grpname_full(grp, &len, NULL) != NC_NOERR)
        return copy_need(strdup("/"));
    path = copy_alloc(len + 1, 1);
    if (nc_inq_grpname_full(grp, NULL, path) != NC_NOERR)
        strcpy(path, "/");
    return path;
}

/* With -g and -G: the groups named and all below them. */
static bool
is_group_wanted(const copy_opts *o, const char *path)
{
    char *own = copy_need(strdup(path));
    bool  wanted = o->groups.n == 0;

    for (char *end; !wanted; *end = '\0') {
        wanted = copy_names_match(&o->groups, *own != '\0' ? own : "/");
        if ((end = strrchr(own, '/')) == NULL)
            break;
    }
    free(own);
    return wanted;
}

static bool
leads_to_wanted_group(const copy_opts *o, int grp, const char *path)
{
    int  n = 0, *ids;
    bool wanted = is_group_wanted(o, path);

    if (wanted || nc_inq_grps(grp, &n, NULL) != NC_NOERR)
        return wanted;
    ids = copy_alloc((size_t)n, sizeof *ids);
    if (nc_inq_grps(grp, NULL, ids) == NC_NOERR)
        for (int i = 0; i < n && !wanted; i++) {
            char *child = read_group_path(ids[i]);

            wanted = leads_to_wanted_group(o, ids[i], child);
            free(child);
        }
    free(ids);
    return wanted;
}

static int
add_groups(const copy_opts *o, copy_source *s, int grp)
{
    char *path = read_group_path(grp);
    int   n = 0, *ids, rc;

    if (o->groups_only && strcmp(path, "/") != 0 && !leads_to_wanted_group(o, grp, path)) {
        free(path);
        return NC_NOERR;
    }
    s->groups = grow_list(s->groups, s->ngroups, sizeof *s->groups);
    s->groups[s->ngroups++] = (copy_group){.in = grp, .out = -1, .path = path};
    if ((rc = nc_inq_grps(grp, &n, NULL)) != NC_NOERR)
        return copy_fail(rc, path);
    ids = copy_alloc((size_t)n, sizeof *ids);
    rc = nc_inq_grps(grp, NULL, ids);
    for (int i = 0; rc == NC_NOERR && i < n; i++)
        rc = add_groups(o, s, ids[i]);
    free(ids);
    return rc;
}

/* ---- dimensions and types ---- */

static bool
is_dim_unlimited(int grp, int dimid)
{
    int  n = 0, *ids;
    bool found = false;

    if (nc_inq_unlimdims(grp, &n, NULL) != NC_NOERR)
        return false;
    ids = copy_alloc((size_t)n, sizeof *ids);
    if (nc_inq_unlimdims(grp, NULL, ids) == NC_NOERR)
        for (int i = 0; i < n; i++)
            found = found || ids[i] == dimid;
    free(ids);
    return found;
}

static int
add_dims(const copy_opts *o, copy_source *s, size_t g)
{
    int  n = 0, *ids, rc;
    char name[NC_MAX_NAME + 1];

    if ((rc = nc_inq_dimids(s->groups[g].in, &n, NULL, 0)) != NC_NOERR)
        return copy_fail(rc, s->groups[g].path);
    ids = copy_alloc((size_t)n, sizeof *ids);
    rc = nc_inq_dimids(s->groups[g].in, NULL, ids, 0);
    for (int i = 0; rc == NC_NOERR && i < n; i++) {
        copy_dim             d = {.in = ids[i], .out = -1, .group = g};
        const hyperslab_dim *part;

        if ((rc = nc_inq_dim(s->groups[g].in, ids[i], name, &d.len_in)) != NC_NOERR)
            break;
        part = hyperslab_find(&s->part, ids[i]);
        d.len = part != NULL ? part->len : d.len_in;
        d.name = copy_need(strdup(name));
        d.unlimited = is_dim_unlimited(s->groups[g].in, ids[i]) && (!o->fixed || d.len == 0);
        s->dims = grow_list(s->dims, s->ndims, sizeof *s->dims);
        s->dims[s->ndims++] = d;
    }
    free(ids);
    return rc == NC_NOERR ? rc : copy_fail(rc, s->groups[g].path);
}

static int
add_types(copy_source *s, size_t g)
{
    int n = 0, *ids, rc;

    if ((rc = nc_inq_typeids(s->groups[g].in, &n, NULL)) != NC_NOERR)
        return copy_fail(rc, s->groups[g].path);
    ids = copy_alloc((size_t)n, sizeof *ids);
    if ((rc = nc_inq_typeids(s->groups[g].in, NULL, ids)) != NC_NOERR)
        (void)copy_fail(rc, s->groups[g].path);
    for (int i = 0; rc == NC_NOERR && i < n; i++) {
        s->types = grow_list(s->types, s->ntypes, sizeof *s->types);
        s->types[s->ntypes++] = (copy_type){.in = ids[i], .out = NC_NAT, .group = g};
    }
    free(ids);
    return rc;
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
    copy_say("%s: one of its dimensions is of a group that is not copied", v->path);
    return NC_EBADDIM;
}

/* Bytes of an element in memory; of a string the pointer, what it points to, and what malloc adds. */
static int
load_sizes(int grp, copy_var *v)
{
    enum { MALLOC_BYTES = 16, ANY_LENGTH = 256 }; /* strings without a width: an estimate */
    int rc;

    if ((rc = copy_type_size(grp, v->type, &v->value)) != NC_NOERR)
        return copy_fail(rc, v->path);
    v->item = v->value;
    if (v->type != NC_STRING)
        return NC_NOERR;
    if ((rc = nczarr_inq_var_strlen(grp, v->in, &v->width)) != NC_NOERR)
        return copy_fail(rc, v->path);
    v->item += (v->width > 0 ? v->width : ANY_LENGTH) + MALLOC_BYTES;
    return NC_NOERR;
}

static int
load_shape(const copy_source *s, copy_var *v)
{
    int  grp = s->groups[v->group].in, storage, rc;
    int *ids = copy_alloc((size_t)v->rank, sizeof *ids);

    v->dims = copy_alloc((size_t)v->rank, sizeof *v->dims);
    v->shape = copy_alloc((size_t)v->rank, sizeof *v->shape);
    v->part = copy_alloc((size_t)v->rank, sizeof *v->part);
    v->chunk_in = copy_alloc((size_t)v->rank, sizeof *v->chunk_in);
    v->chunk_out = copy_alloc((size_t)v->rank, sizeof *v->chunk_out);
    v->nelems = 1;
    if ((rc = nc_inq_vardimid(grp, v->in, ids)) != NC_NOERR ||
        (rc = nc_inq_var_chunking(grp, v->in, &storage, v->chunk_in)) != NC_NOERR ||
        (rc = copy_inq_shards(grp, v->in, v->rank, &v->shard_in)) != NC_NOERR)
        (void)copy_fail(rc, v->path);
    for (int d = 0; rc == NC_NOERR && d < v->rank; d++) {
        if ((rc = find_dim(s, v, ids[d], &v->dims[d])) != NC_NOERR)
            break;
        v->shape[d] = s->dims[v->dims[d]].len;
        v->part[d] = hyperslab_find(&s->part, ids[d]);
        v->partial = v->partial || v->part[d] != NULL;
        if (v->shape[d] != 0 && v->nelems > SIZE_MAX / v->shape[d]) {
            copy_say("%s: more elements than this machine can count", v->path);
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
    free(v->dims);
    free(v->shape);
    free(v->part);
    free(v->chunk_in);
    free(v->chunk_out);
    free(v->shard_in);
    free(v->shard_out);
}

/* Checks that its data can be read. `*skip`: they cannot, and the options leave such variables out. */
static int
check_readable(const copy_opts *o, int grp, const copy_var *v, bool *skip)
{
    int  rc = nczarr_inq_var_encoding(grp, v->in, NULL, NULL);
    char text[ERROR_TEXT_SIZE];

    *skip = false;
    if (rc == NC_NOERR)
        return rc;
    error_text(rc, v->name, text);
    *skip = o->skip_unreadable && (rc == NC_EBADTYPE || rc == NC_ENOFILTER || rc == NC_EFILTER || rc == NC_EZARRMETA);
    if (*skip)
        copy_say("%s: left out: %s", v->path, text);
    else
        copy_say("%s: %s%s", v->path, text, o->in_place ? "" : "; --skip-unreadable leaves out such variables");
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
        return copy_fail(rc, s->groups[g].path);
    v.name = copy_need(strdup(name));
    v.path = copy_textf("%s%s%s", s->groups[g].path, strcmp(s->groups[g].path, "/") == 0 ? "" : "/", name);
    chosen = o->vars.n == 0 || copy_names_match(&o->vars, v.path);
    v.data = chosen && is_group_wanted(o, s->groups[g].path);
    if ((o->vars_only && !chosen) || (o->groups_only && !is_group_wanted(o, s->groups[g].path))) {
        copy_var_clear(&v);
        return NC_NOERR;
    }
    if ((rc = check_readable(o, s->groups[g].in, &v, &skip)) != NC_NOERR || skip ||
        (rc = load_sizes(s->groups[g].in, &v)) != NC_NOERR || (rc = load_shape(s, &v)) != NC_NOERR) {
        copy_var_clear(&v);
        return rc;
    }
    s->vars = grow_list(s->vars, s->nvars, sizeof *s->vars);
    s->vars[s->nvars++] = v;
    return NC_NOERR;
}

static int
add_vars(const copy_opts *o, copy_source *s, size_t g)
{
    int n = 0, *ids, rc;

    if ((rc = nc_inq_varids(s->groups[g].in, &n, NULL)) != NC_NOERR)
        return copy_fail(rc, s->groups[g].path);
    ids = copy_alloc((size_t)n, sizeof *ids);
    if ((rc = nc_inq_varids(s->groups[g].in, NULL, ids)) != NC_NOERR)
        (void)copy_fail(rc, s->groups[g].path);
    for (int i = 0; rc == NC_NOERR && i < n; i++)
        rc = add_var(o, s, g, ids[i]);
    free(ids);
    return rc;
}

/* ---- all ---- */

/* Every name in -v and -g must exist. */
static int
check_names(const copy_opts *o, const copy_source *s)
{
    for (size_t i = 0; i < o->vars.n; i++) {
        bool found = false;

        for (size_t v = 0; v < s->nvars && !found; v++)
            found = path_match(s->vars[v].path, o->vars.name[i]);
        if (!found) {
            copy_say("%s: %s: no such variable", o->in, o->vars.name[i]);
            return NC_ENOTVAR;
        }
    }
    for (size_t i = 0; i < o->groups.n; i++) {
        bool found = false;

        for (size_t g = 0; g < s->ngroups && !found; g++)
            found = path_match(s->groups[g].path, o->groups.name[i]);
        if (!found) {
            copy_say("%s: %s: no such group", o->in, o->groups.name[i]);
            return NC_ENOGRP;
        }
    }
    return NC_NOERR;
}

int
copy_source_load(const copy_opts *o, copy_source *s)
{
    char why[HYPERSLAB_WHY_SIZE];
    int  rc = hyperslab_resolve(&o->limits, s->ncid, &s->part, why);

    if (rc != NC_NOERR) {
        copy_say("%s: -d: %s", o->in, why);
        return rc;
    }
    if ((rc = add_groups(o, s, s->ncid)) != NC_NOERR)
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
        free(s->groups[i].path);
    for (size_t i = 0; i < s->ndims; i++)
        free(s->dims[i].name);
    for (size_t i = 0; i < s->nvars; i++)
        copy_var_clear(&s->vars[i]);
    free(s->groups);
    free(s->dims);
    free(s->types);
    free(s->vars);
    hyperslab_clear(&s->part);
    *s = (copy_source){.ncid = s->ncid};
}
