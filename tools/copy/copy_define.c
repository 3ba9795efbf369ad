/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_define.c: the target's groups, types, dimensions and variables, in the order of the source.
 */
#include "copy_int.h"

#include "common/error_text.h"

#include <stdlib.h>
#include <string.h>

/* For the reason that the library gives. */
static int
leave_out(const copy_opts *o, copy_source *s, int rc, const char *path, const char *name)
{
    char text[ERROR_TEXT_SIZE];

    error_text(rc, name, text);
    return copy_leave_out(o, s, rc, path, text);
}

static int
define_group(copy_source *s, size_t g, int root)
{
    copy_group *grp = &s->groups[g];
    char       *slash = strrchr(grp->path, '/');
    int         parent = root, rc = NC_NOERR;

    if (strcmp(grp->path, "/") == 0) {
        grp->out = root;
        return NC_NOERR;
    }
    *slash = '\0';
    if (slash > grp->path)
        rc = nc_inq_grp_full_ncid(root, grp->path, &parent);
    *slash = '/';
    if (rc == NC_NOERR)
        rc = nc_def_grp(parent, slash + 1, &grp->out);
    return rc;
}

static int
define_groups(const copy_opts *o, copy_source *s, int root)
{
    int rc;

    for (size_t g = 0; g < s->ngroups;)
        if ((rc = define_group(s, g, root)) == NC_NOERR) {
            g++;
        } else {
            if ((rc = leave_out(o, s, rc, s->groups[g].path, strrchr(s->groups[g].path, '/') + 1)) != NC_NOERR)
                return rc;
            copy_drop_group(s, g);
        }
    return NC_NOERR;
}

static int
define_dim(const copy_opts *o, copy_source *s, copy_dim *d)
{
    int   rc = nc_def_dim(s->groups[d->group].out, d->name, d->unlimited ? NC_UNLIMITED : d->len, &d->out);
    char *path;

    if (rc == NC_NOERR)
        return rc;
    path = group_var_path(s->groups[d->group].in, d->name);
    if ((rc = leave_out(o, s, rc, path, d->name)) == NC_NOERR)
        d->group = COPY_NOWHERE;
    free(path);
    return rc;
}

int
copy_define(const copy_opts *o, copy_source *s, int out)
{
    int rc = NC_NOERR;

    if (s->cdf != 0)
        return copy_define_classic(s, out);
    if ((rc = define_groups(o, s, out)) != NC_NOERR || (rc = copy_define_types(s)) != NC_NOERR)
        return rc;
    for (size_t g = 0; g < s->ngroups; g++) {
        if ((rc = copy_atts(s, g, NULL)) != NC_NOERR)
            return rc;
        for (size_t d = 0; d < s->ndims; d++)
            if (s->dims[d].group == g && (rc = define_dim(o, s, &s->dims[d])) != NC_NOERR)
                return rc;
    }
    if ((rc = copy_define_vars(o, s)) == NC_NOERR)
        copy_tell_characters(s, out);
    return rc;
}

int
copy_grow_dims(const copy_opts *o, const copy_source *s, int out)
{
    int rc;

    for (size_t d = 0; d < s->ndims; d++)
        if (s->dims[d].group != COPY_NOWHERE && s->dims[d].unlimited && s->dims[d].len > 0 &&
            (rc = nczarr_grow_dim(out, s->dims[d].out, s->dims[d].len)) != NC_NOERR)
            return message_fail(rc, o->out);
    return NC_NOERR;
}

int
copy_define_all(const copy_opts *o, copy_source *s, int out)
{
    int rc;

    if ((rc = copy_define(o, s, out)) != NC_NOERR)
        return rc;
    if ((rc = nc_enddef(out)) != NC_NOERR)
        return message_fail(rc, o->in);
    if ((rc = copy_grow_dims(o, s, out)) != NC_NOERR)
        return rc;
    return copy_late_atts(s);
}

/* ---- a target that is resumed ---- */

/* What the target lacks was left out. */
static int
find_groups(const copy_opts *o, copy_source *s, int out)
{
    int rc;

    for (size_t g = 0; g < s->ngroups;) {
        copy_group *grp = &s->groups[g];

        if ((rc = nc_inq_grp_full_ncid(out, grp->path, &grp->out)) == NC_NOERR)
            g++;
        else if ((rc = leave_out(o, s, rc, grp->path, NULL)) == NC_NOERR)
            copy_drop_group(s, g);
        else
            return rc;
    }
    return NC_NOERR;
}

static int
find_dims(const copy_opts *o, copy_source *s)
{
    int rc = NC_NOERR;

    for (size_t d = 0; rc == NC_NOERR && d < s->ndims; d++) {
        copy_dim *dim = &s->dims[d];

        if (dim->group == COPY_NOWHERE || nc_inq_dimid(s->groups[dim->group].out, dim->name, &dim->out) == NC_NOERR)
            continue;
        rc = leave_out(o, s, NC_EBADDIM, dim->name, NULL);
        dim->group = COPY_NOWHERE;
    }
    return rc;
}

static int
find_var(copy_source *s, copy_var *v)
{
    int out = s->groups[v->group].out, storage, rc;

    if ((rc = nc_inq_varid(out, v->name, &v->out)) == NC_NOERR &&
        (rc = nc_inq_var_chunking(out, v->out, &storage, v->chunk_out)) == NC_NOERR &&
        (rc = var_shards(out, v->out, &v->shard_out)) == NC_NOERR)
        v->late = copy_find_late_att(s, v);
    return rc;
}

static int
find_vars(const copy_opts *o, copy_source *s)
{
    int rc;

    for (size_t i = 0; i < s->nvars;) {
        if ((rc = find_var(s, &s->vars[i])) == NC_NOERR) {
            i++;
            continue;
        }
        if ((rc = leave_out(o, s, rc, s->vars[i].path, NULL)) != NC_NOERR)
            return rc;
        copy_drop_var(s, i);
    }
    return NC_NOERR;
}

int
copy_find_definitions(const copy_opts *o, copy_source *s, int out)
{
    int rc;

    if ((rc = find_groups(o, s, out)) != NC_NOERR || (rc = find_dims(o, s)) != NC_NOERR ||
        (rc = find_vars(o, s)) != NC_NOERR || s->cdf != 0)
        return rc;
    for (size_t g = 0; rc == NC_NOERR && g < s->ngroups; g++)
        rc = copy_find_lost_atts(s, g, NULL);
    for (size_t i = 0; rc == NC_NOERR && i < s->nvars; i++)
        rc = copy_find_lost_atts(s, s->vars[i].group, &s->vars[i]);
    return rc;
}
