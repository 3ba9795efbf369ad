/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_types.c: user-defined types of the target, and what values of any type need.
 *
 * All types of the groups that are copied are defined, each after those inside it. Attributes need no more: the
 * library finds the equal type of the target. A type's name in the target is the source's.
 */
#include "copy_int.h"

#include "common/error_text.h"

#include <stdlib.h>
#include <string.h>

static copy_type *
find_type(const copy_source *s, nc_type in)
{
    for (size_t i = 0; i < s->ntypes; i++)
        if (s->types[i].in == in)
            return &s->types[i];
    return NULL;
}

int
copy_map_type(const copy_source *s, nc_type in, nc_type *out)
{
    const copy_type *t = in <= NC_MAX_ATOMIC_TYPE ? NULL : find_type(s, in);

    if (in > NC_MAX_ATOMIC_TYPE && (t == NULL || t->out == NC_NAT))
        return NC_EBADTYPE;
    *out = t != NULL ? t->out : in;
    return NC_NOERR;
}

static int
insert_members(const copy_source *s, int grp, const user_type *t, nc_type id)
{
    nc_type field;
    int     rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < t->nmembers; i++) {
        const user_member *m = &t->members[i];

        if ((rc = copy_map_type(s, m->type->id, &field)) != NC_NOERR)
            return rc;
        rc = m->ndims > 0 ? nc_insert_array_compound(grp, id, m->name, m->offset, field, m->ndims, m->dims)
                          : nc_insert_compound(grp, id, m->name, m->offset, field);
    }
    return rc;
}

static int
insert_constants(int in, int grp, const user_type *t, nc_type id)
{
    long long value; /* as wide as the widest base */
    char      name[NC_MAX_NAME + 1];
    int       rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < t->nmembers; i++)
        if ((rc = nc_inq_enum_member(in, t->id, (int)i, name, &value)) == NC_NOERR)
            rc = nc_insert_enum(grp, id, name, &value);
    return rc;
}

/* Defines one type, whose inner types are defined already. */
static int
define_one(const copy_source *s, const user_type *t, copy_type *c)
{
    int     in = s->groups[c->group].in, grp = s->groups[c->group].out, rc;
    nc_type base = NC_NAT, id = NC_NAT;

    if (t->base != NULL && (rc = copy_map_type(s, t->base->id, &base)) != NC_NOERR)
        return rc;
    switch (t->class) {
    case NC_OPAQUE: rc = nc_def_opaque(grp, t->size, t->name, &id); break;
    case NC_VLEN: rc = nc_def_vlen(grp, t->name, base, &id); break;
    case NC_ENUM:
        if ((rc = nc_def_enum(grp, base, t->name, &id)) == NC_NOERR)
            rc = insert_constants(in, grp, t, id);
        break;
    default:
        if ((rc = nc_def_compound(grp, t->size, t->name, &id)) == NC_NOERR)
            rc = insert_members(s, grp, t, id);
        break;
    }
    c->out = id;
    return rc;
}

static void
lose_type(copy_source *s, const copy_type *c, const user_type *t, int rc)
{
    char *path = group_var_path(s->groups[c->group].in, t->name);
    char  text[ERROR_TEXT_SIZE];

    error_text(rc, t->name, text);
    copy_lose(&s->losses, path, NULL, rc == NC_EBADTYPE ? "a type inside it is not copied" : text);
    free(path);
}

static int
define_with_inner(copy_source *s, copy_type *c)
{
    user_type *t = NULL;
    int        rc;

    if (c->out != NC_NAT || c->group == COPY_NOWHERE)
        return NC_NOERR;
    if ((rc = user_type_load(s->ncid, c->in, &t)) != NC_NOERR)
        return message_fail(rc, s->groups[c->group].path);
    for (const user_type *inner = t->next; rc == NC_NOERR && inner != NULL; inner = inner->next) {
        copy_type *other = find_type(s, inner->id);

        if (other != NULL)
            rc = define_with_inner(s, other);
    }
    if (rc == NC_NOERR && (rc = define_one(s, t, c)) != NC_NOERR) {
        lose_type(s, c, t, rc);
        c->out = NC_NAT; /* what is of this type says so */
        c->group = COPY_NOWHERE;
        rc = NC_NOERR;
    }
    user_type_free(t);
    return rc;
}

int
copy_define_types(copy_source *s)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < s->ntypes; i++)
        s->types[i].out = NC_NAT; /* a dry run defines them twice */
    for (size_t i = 0; rc == NC_NOERR && i < s->ntypes; i++)
        rc = define_with_inner(s, &s->types[i]);
    return rc;
}

/* ---- values ---- */

int
copy_type_size(int ncid, nc_type type, size_t *size)
{
    if (type > NC_MAX_ATOMIC_TYPE)
        return nc_inq_type(ncid, type, NULL, size);
    *size = (size_t)nctypelen(type);
    return NC_NOERR;
}

void
copy_free_values(int ncid, nc_type type, void *values, size_t n)
{
    if (type == NC_STRING)
        (void)nc_free_string(n, values);
    else if (type > NC_MAX_ATOMIC_TYPE && n > 0)
        (void)nc_reclaim_data(ncid, type, values, n);
}

bool
copy_compare_user_values(const copy_values *a, const copy_values *b, size_t n)
{
    user_type *t = NULL, *u = NULL;
    bool same = user_type_load(a->ncid, a->type, &t) == NC_NOERR && user_type_load(b->ncid, b->type, &u) == NC_NOERR;

    for (size_t i = 0; same && i < n; i++)
        same = user_type_is_equal(t, (const char *)a->values + i * t->size, u, (const char *)b->values + i * u->size);
    user_type_free(t);
    user_type_free(u);
    return same;
}
