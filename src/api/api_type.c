/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_type: all types, atomic and user-defined, by id and by name; what all user-defined types have in common.
 */
#include "api/api_int.h"

#include <string.h>

/* Atomic types are the same in all datasets, so that any ncid will do for them. */
int
nc_inq_type(int ncid, nc_type xtype, char *name, size_t *sizep)
{
    ncz_call        c;
    const ncz_type *t = ncz_type_of(xtype);
    int             rc;

    if (!ncz_api_atomic(xtype)) {
        if ((rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c)) != NC_NOERR)
            return rc == NC_EBADID ? ncz_fail(NC_EBADTYPE, "there is no type %d, nor a dataset %d", xtype, ncid) : rc;
        if ((rc = ncz_call_type(&c, xtype, &t)) == NC_NOERR && (rc = ncz_api_give_name(t->name, name)) == NC_NOERR &&
            sizep != NULL)
            *sizep = t->size;
        return ncz_call_leave(&c, rc);
    }
    ncz_err_clear();
    if (name != NULL)
        memcpy(name, t->name, strlen(t->name) + 1);
    if (sizep != NULL)
        *sizep = t->size;
    return NC_NOERR;
}

/* NC_NAT: no type matches. */
static nc_type
find_type(const ncz_call *c, const char *name)
{
    const ncz_user_type *t;

    for (nc_type id = NC_BYTE; id <= NC_MAX_ATOMIC_TYPE; id++)
        if (strcmp(ncz_type_of(id)->name, name) == 0)
            return id;
    t = ncz_model_find_type(c->m, c->g, name);
    return t != NULL ? t->node.id : NC_NAT;
}

int
nc_inq_typeid(int ncid, const char *name, nc_type *typeidp)
{
    ncz_call c;
    char    *own = NULL;
    nc_type  id = NC_NAT;
    int      rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if (name != NULL && name[0] != '/' && strchr(name, '/') != NULL)
        rc = ncz_fail(NC_EINVAL, "type '%s': a path must begin with '/'", name);
    else if (name != NULL && (rc = ncz_api_lookup_name(name, &own)) == NC_NOERR)
        id = find_type(&c, own);
    if (rc == NC_NOERR && id == NC_NAT)
        rc = ncz_fail(ncz_dataset_cdf(c.ds) != 0 ? NC_ENOTNC4 : NC_EBADTYPE, "there is no type '%s'",
                      name != NULL ? name : "");
    else if (rc == NC_NOERR && typeidp != NULL)
        *typeidp = id;
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

/* ---- equality ---- */

#define DESCRIPTION_MOST ((size_t)16 << 20)

static int describe_type(const ncz_type *t, ncz_buf *out);

static int
describe_fields(const ncz_type *t, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < t->nfields; i++) {
        const ncz_type_field *f = &t->fields[i];

        rc = ncz_buf_printf(out, "%zu:%s@%zu", strlen(f->name), f->name, f->offset);
        for (size_t r = 0; rc == NC_NOERR && r < f->rank; r++)
            rc = ncz_buf_printf(out, "[%zu]", f->shape[r]);
        if (rc == NC_NOERR)
            rc = describe_type(f->type, out);
    }
    return rc;
}

static int
describe_members(const ncz_type *t, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < t->nmembers; i++) {
        const ncz_type_member *n = &t->members[i];

        if ((rc = ncz_buf_printf(out, "%zu:%s=", strlen(n->name), n->name)) == NC_NOERR)
            rc = ncz_buf_append(out, n->value, t->size);
    }
    return rc;
}

/* Appends all of a type but its name, so that types of the same structure give the same bytes. */
static int
describe_type(const ncz_type *t, ncz_buf *out)
{
    int rc = ncz_buf_printf(out, "{%d,%zu,%zu,%zu ", (int)t->class, t->size, t->nfields, t->nmembers);

    if (rc == NC_NOERR && t->base != NULL)
        rc = describe_type(t->base, out);
    if (rc == NC_NOERR && (rc = describe_fields(t, out)) == NC_NOERR && (rc = describe_members(t, out)) == NC_NOERR)
        rc = ncz_buf_putc(out, '}');
    return rc;
}

static int
describe_id(int ncid, nc_type id, ncz_buf *out)
{
    ncz_call        c;
    const ncz_type *t;
    int             rc;

    if (ncz_api_atomic(id))
        return ncz_call_done(describe_type(ncz_type_of(id), out));
    if ((rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c)) != NC_NOERR)
        return rc;
    if ((rc = ncz_call_type(&c, id, &t)) == NC_NOERR)
        rc = describe_type(t, out);
    return ncz_call_leave(&c, rc);
}

/* Describes each type before it looks at the other, so that the two datasets are never locked at once. */
int
nc_inq_type_equal(int ncid1, nc_type typeid1, int ncid2, nc_type typeid2, int *equalp)
{
    ncz_buf one = NCZ_BUF_LIMIT(DESCRIPTION_MOST), two = NCZ_BUF_LIMIT(DESCRIPTION_MOST);
    int     rc;

    ncz_err_clear();
    if ((rc = describe_id(ncid1, typeid1, &one)) == NC_NOERR &&
        (rc = describe_id(ncid2, typeid2, &two)) == NC_NOERR && equalp != NULL)
        *equalp = one.len == two.len && memcmp(one.data, two.data, one.len) == 0;
    ncz_buf_clear(&one);
    ncz_buf_clear(&two);
    return rc;
}

/* The path of a type, and its name at the end. */
static int
read_path(int ncid, nc_type id, ncz_buf *path)
{
    ncz_call       c;
    ncz_user_type *t;
    int            rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, id, NCZ_TYPE_NONE, &t)) == NC_NOERR)
        rc = ncz_type_fqn(t, path);
    return ncz_call_leave(&c, rc);
}

/* How much a type of that structure is the one of the path: 3 it has the path, 2 the name, 1 neither. */
static int
rate_type(const ncz_user_type *t, const ncz_buf *path, int *rate)
{
    ncz_buf     own = NCZ_BUF_INIT;
    const char *text = ncz_buf_str((ncz_buf *)path), *slash = strrchr(text, '/');
    int         rc = ncz_type_fqn(t, &own);

    if (rc == NC_NOERR)
        *rate = strcmp(ncz_buf_str(&own), text) == 0                          ? 3
                : strcmp(t->node.name, slash != NULL ? slash + 1 : text) == 0 ? 2
                                                                              : 1;
    ncz_buf_clear(&own);
    return rc;
}

/* The type of the dataset with that description; of several the one of that path. */
static int
find_described(int ncid, const ncz_buf *text, const ncz_buf *path, nc_type *out)
{
    ncz_buf  own = NCZ_BUF_LIMIT(DESCRIPTION_MOST);
    ncz_call c;
    int      best = 0, rate = 0, rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    *out = NC_NAT;
    for (size_t i = 0; rc == NC_NOERR && i < c.m->ntypes && best < 3; i++) {
        ncz_buf_reset(&own);
        rc = describe_type(&c.m->types[i]->node, &own);
        if (rc != NC_NOERR || own.len != text->len || memcmp(own.data, text->data, own.len) != 0 ||
            (rc = rate_type(c.m->types[i], path, &rate)) != NC_NOERR || rate <= best)
            continue;
        best = rate;
        *out = c.m->types[i]->node.id;
    }
    ncz_buf_clear(&own);
    if (rc == NC_NOERR && *out == NC_NAT)
        rc = ncz_fail(NC_EBADTYPE, "the other dataset has no such type: define it there first");
    return ncz_call_leave(&c, rc);
}

int
ncz_api_equal_type(int ncid, nc_type id, int ncid_out, nc_type *out)
{
    ncz_buf text = NCZ_BUF_LIMIT(DESCRIPTION_MOST), path = NCZ_BUF_INIT;
    int     rc;

    *out = id;
    if (ncz_api_atomic(id) || (ncid & ~(NCZ_ID_GROUPS - 1)) == (ncid_out & ~(NCZ_ID_GROUPS - 1)))
        return NC_NOERR;
    if ((rc = describe_id(ncid, id, &text)) == NC_NOERR && (rc = read_path(ncid, id, &path)) == NC_NOERR)
        rc = find_described(ncid_out, &text, &path, out);
    ncz_buf_clear(&path);
    ncz_buf_clear(&text);
    return rc;
}

/* ---- what user-defined types have in common ---- */

/* NC_COMPOUND, NC_VLEN ...; an atomic type's own id. */
static int
class_of_type(const ncz_type *t)
{
    switch (t->class) {
    case NCZ_TYPE_ENUM: return NC_ENUM;
    case NCZ_TYPE_OPAQUE: return NC_OPAQUE;
    case NCZ_TYPE_VLEN: return NC_VLEN;
    case NCZ_TYPE_COMPOUND: return NC_COMPOUND;
    default: return t->id;
    }
}

int
ncz_api_define_type(int ncid, const char *name, ncz_type_class class, size_t size, nc_type base, nc_type *idp)
{
    ncz_call        c;
    const ncz_type *of = NULL;
    ncz_user_type  *t = NULL;
    char           *own = NULL;
    int             rc = ncz_call_enter_extended(ncid, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_api_new_name(&c, name, &own)) != NC_NOERR ||
        (base != NC_NAT && (rc = ncz_call_type(&c, base, &of)) != NC_NOERR) ||
        (rc = ncz_model_add_type(c.m, c.g, own, class, size, of, &t)) != NC_NOERR)
        goto done;
    if (idp != NULL)
        *idp = t->node.id;
done:
    ncz_free(own);
    return ncz_call_leave(&c, rc);
}

int
nc_inq_user_type(int ncid, nc_type xtype, char *name, size_t *sizep, nc_type *base_nc_typep, size_t *nfieldsp,
                 int *classp)
{
    ncz_call       c;
    ncz_user_type *t;
    int            rc = ncz_call_enter_netcdf4(ncid, NCZ_USE_LOOK, "user-defined types", &c);

    if (rc != NC_NOERR)
        return rc;
    if ((rc = ncz_call_user_type(&c, xtype, NCZ_TYPE_NONE, &t)) != NC_NOERR ||
        (rc = ncz_api_give_name(t->node.name, name)) != NC_NOERR)
        return ncz_call_leave(&c, rc);
    if (sizep != NULL)
        *sizep = t->node.size;
    if (base_nc_typep != NULL)
        *base_nc_typep = t->node.base != NULL ? t->node.base->id : NC_NAT;
    if (nfieldsp != NULL)
        *nfieldsp = t->node.class == NCZ_TYPE_ENUM ? t->node.nmembers : t->node.nfields;
    if (classp != NULL)
        *classp = class_of_type(&t->node);
    return ncz_call_leave(&c, rc);
}

int
nctypelen(nc_type datatype)
{
    ncz_err_clear();
    return ncz_api_atomic(datatype) ? (int)ncz_type_of(datatype)->size : -1;
}
