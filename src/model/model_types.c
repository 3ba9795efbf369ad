/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User-defined types. A type belongs to a group and never changes its place in the dataset's list, so its id and its
 * node stay valid as long as the model.
 *
 * Invariant: what a node says of its elements (size, owns, packed_least, fields) is true at any moment. A failed
 * call changes nothing.
 */
#include "model/model_int.h"

#include <stddef.h>
#include <string.h>

/* The default fill value of all types that are not larger. */
static const union {
    char   bytes[1024];
    double aligned;
} zeros;
static const char *const small_fill = zeros.bytes;

/* ---- release ---- */

static void
free_type(ncz_user_type *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->node.nfields; i++) {
        ncz_free((char *)t->fields[i].name);
        ncz_free((size_t *)t->fields[i].shape);
    }
    for (size_t i = 0; i < t->node.nmembers; i++) {
        ncz_free((char *)t->members[i].name);
        ncz_free((void *)t->members[i].value);
    }
    ncz_free(t->fields);
    ncz_free(t->members);
    if (t->node.fill != small_fill && t->node.class != NCZ_TYPE_ENUM)
        ncz_free((void *)t->node.fill);
    ncz_free((void *)t->node.record);
    ncz_free((char *)t->node.name);
    ncz_free(t);
}

void
ncz_model_free_types(ncz_model *m)
{
    for (size_t i = 0; i < m->ntypes; i++)
        free_type(m->types[i]);
    ncz_free(m->types);
}

/* ---- lookup by id ---- */

ncz_user_type *
ncz_model_user_type(const ncz_model *m, nc_type id)
{
    return id < NC_FIRSTUSERTYPEID || (size_t)(id - NC_FIRSTUSERTYPEID) >= m->ntypes
               ? NULL
               : m->types[id - NC_FIRSTUSERTYPEID];
}

const ncz_type *
ncz_model_type(const ncz_model *m, nc_type id)
{
    ncz_user_type *t = ncz_model_user_type(m, id);

    if (t != NULL)
        return &t->node;
    return id > NC_NAT && id <= NC_MAX_ATOMIC_TYPE ? ncz_type_of(id) : NULL;
}

static unsigned
depth_of(const ncz_type *type)
{
    const ncz_user_type *t = ncz_user_type_of(type);

    return t == NULL ? 0 : t->depth;
}

/* ---- the layout that a C compiler gives a structure ---- */

#define ALIGNMENT(type)                                                                                              \
    offsetof(                                                                                                        \
        struct {                                                                                                     \
            char c;                                                                                                  \
            type v;                                                                                                  \
        },                                                                                                           \
        v)

static size_t
alignment_of(const ncz_type *t)
{
    const ncz_user_type *user = ncz_user_type_of(t);

    if (user != NULL)
        return user->align;
    switch (t->class) {
    case NCZ_TYPE_INT:
    case NCZ_TYPE_UINT:
        return t->size == 8   ? ALIGNMENT(int64_t)
               : t->size == 4 ? ALIGNMENT(int32_t)
               : t->size == 2 ? ALIGNMENT(int16_t)
                              : 1;
    case NCZ_TYPE_FLOAT: return t->size == 8 ? ALIGNMENT(double) : ALIGNMENT(float);
    case NCZ_TYPE_STRING: return ALIGNMENT(char *);
    default: return 1;
    }
}

/* ---- definition ---- */

/* Checks the parts of a new type, and completes the size of those that have one of their own. */
static int
check_parts(const char *name, ncz_type_class class, const ncz_type *base, size_t *size)
{
    switch (class) {
    case NCZ_TYPE_ENUM:
        if (base == NULL || (base->class != NCZ_TYPE_INT && base->class != NCZ_TYPE_UINT))
            return ncz_fail(NC_EBADTYPE, "%s: an enumeration needs an integer type", name);
        *size = base->size;
        break;
    case NCZ_TYPE_VLEN:
        if (base == NULL || base->class == NCZ_TYPE_NONE)
            return ncz_fail(NC_EBADTYPE, "%s: there is no such type for its values", name);
        if (depth_of(base) >= NCZ_TYPE_DEPTH)
            return ncz_fail(NC_EBADTYPE, "%s: types nested deeper than %d", name, NCZ_TYPE_DEPTH);
        *size = sizeof(nc_vlen_t);
        break;
    default:
        if (*size == 0 || *size > NCZ_TYPE_BYTES)
            return ncz_fail(NC_EINVAL, "%s: elements of %zu bytes; they can have 1 to %zu", name, *size,
                            NCZ_TYPE_BYTES);
    }
    return NC_NOERR;
}

int
ncz_model_add_type(ncz_model *m, ncz_group *g, const char *name, ncz_type_class class, size_t size,
                   const ncz_type *base, ncz_user_type **out)
{
    ncz_user_type *t = NULL;
    int            rc;

    if ((rc = check_parts(name, class, base, &size)) != NC_NOERR ||
        (rc = ncz_model_check_name(g, name)) != NC_NOERR || (rc = ncz_model_check_count(m, NC_EBADTYPE)) != NC_NOERR)
        return rc;
    if (base != NULL && (rc = ncz_model_use_type(m, base)) != NC_NOERR)
        return rc;
    if ((rc = ncz_model_room(&g->types, g->ntypes, sizeof(ncz_user_type *))) != NC_NOERR ||
        (rc = ncz_model_room(&m->types, m->ntypes, sizeof(ncz_user_type *))) != NC_NOERR)
        return rc;
    if ((t = ncz_zalloc(sizeof *t)) == NULL)
        return ncz_fail_nomem(sizeof *t);
    t->group = g;
    t->align = class == NCZ_TYPE_VLEN ? ALIGNMENT(nc_vlen_t) : base != NULL ? alignment_of(base) : 1;
    t->depth = base == NULL ? 1 : 1 + depth_of(base);
    t->node = (ncz_type){.id = NC_FIRSTUSERTYPEID + (int)m->ntypes,
                         .class = class,
                         .size = size,
                         .name = ncz_strdup(name),
                         .owns = class == NCZ_TYPE_VLEN,
                         .base = base};
    if (t->node.name == NULL) {
        rc = ncz_fail_nomem(strlen(name));
        goto done;
    }
    t->node.packed_least = ncz_type_packed_least(&t->node);
    if ((rc = ncz_names_refer(&g->type_index, t->node.name, g->ntypes)) != NC_NOERR)
        goto done;
    g->types[g->ntypes++] = t;
    m->types[m->ntypes++] = t;
    ncz_document_change(&g->document);
    *out = t;
    t = NULL;
done:
    free_type(t);
    return rc;
}

static int
check_open(const ncz_user_type *t, ncz_type_class class)
{
    if (t->node.class != class)
        return ncz_fail(NC_EBADTYPE, "%s: not %s", t->node.name,
                        class == NCZ_TYPE_ENUM ? "an enumeration" : "a compound");
    if (t->used)
        return ncz_fail(NC_ETYPDEFINED, "%s: in use, so its definition is final", t->node.name);
    return NC_NOERR;
}

/* Checks that a new field lies within the compound and apart from the others. *nelems: its elements. */
static int
check_field(const ncz_user_type *t, const char *name, size_t offset, const ncz_type *type, size_t rank,
            const size_t *shape, size_t *nelems)
{
    size_t nbytes, end;

    *nelems = 1;
    for (size_t r = 0; r < rank; r++)
        if (shape[r] == 0)
            return ncz_fail(NC_EINVAL, "%s.%s: dimension %zu of the field has length 0", t->node.name, name, r);
        else if (!ncz_mul(*nelems, shape[r], nelems))
            return ncz_fail(NC_EINVAL, "%s.%s: the field has more elements than memory holds", t->node.name, name);
    if (!ncz_mul(*nelems, type->size, &nbytes) || !ncz_add(offset, nbytes, &end) || end > t->node.size)
        return ncz_fail(NC_EINVAL, "%s.%s: the field ends beyond the compound's %zu bytes", t->node.name, name,
                        t->node.size);
    for (size_t i = 0; i < t->node.nfields; i++) {
        const ncz_type_field *f = &t->node.fields[i];

        if (strcmp(f->name, name) == 0)
            return ncz_fail(NC_ENAMEINUSE, "%s: it has a field '%s'", t->node.name, name);
        if (offset < f->offset + f->nelems * f->type->size && f->offset < end)
            return ncz_fail(NC_EINVAL, "%s.%s: the field overlaps %s", t->node.name, name, f->name);
    }
    return NC_NOERR;
}

int
ncz_model_insert_field(ncz_model *m, ncz_user_type *t, const char *name, size_t offset, const ncz_type *type,
                       size_t rank, const size_t *shape)
{
    ncz_type_field f = {.offset = offset, .type = type, .rank = rank};
    unsigned       depth = 1 + depth_of(type);
    int            rc;

    if ((rc = check_open(t, NCZ_TYPE_COMPOUND)) != NC_NOERR)
        return rc;
    if (type->class == NCZ_TYPE_NONE || type == &t->node || depth > NCZ_TYPE_DEPTH)
        return ncz_fail(NC_EBADTYPE, "%s.%s: the field's type is unknown, or nests too deep", t->node.name, name);
    if (t->node.nfields >= NCZ_TYPE_PARTS)
        return ncz_fail(NC_EINVAL, "%s: more than %d fields", t->node.name, NCZ_TYPE_PARTS);
    if ((rc = check_field(t, name, offset, type, rank, shape, &f.nelems)) != NC_NOERR ||
        (rc = ncz_model_use_type(m, type)) != NC_NOERR ||
        (rc = ncz_model_room(&t->fields, t->node.nfields, sizeof f)) != NC_NOERR)
        return rc;
    t->node.fields = t->fields;
    if ((f.name = ncz_strdup(name)) == NULL ||
        (rank > 0 && (f.shape = ncz_dup(shape, rank * sizeof *shape)) == NULL)) {
        ncz_free((char *)f.name);
        return ncz_fail_nomem(strlen(name));
    }
    t->fields[t->node.nfields++] = f;
    t->node.owns = t->node.owns || type->owns;
    t->node.packed_least = ncz_type_packed_least(&t->node);
    t->depth = depth > t->depth ? depth : t->depth;
    t->align = alignment_of(type) > t->align ? alignment_of(type) : t->align;
    ncz_document_change(&t->group->document);
    return NC_NOERR;
}

static bool
round_up(size_t n, size_t unit, size_t *out)
{
    return ncz_add(n, (unit - n % unit) % unit, out);
}

int
ncz_model_append_field(ncz_model *m, ncz_user_type *t, const char *name, const ncz_type *type, size_t rank,
                       const size_t *shape)
{
    size_t align = alignment_of(type), own = t->align, old = t->node.size;
    size_t offset, nbytes = type->size, end, size;
    bool   fits = round_up(t->end, align, &offset);
    int    rc;

    for (size_t r = 0; fits && r < rank; r++)
        fits = ncz_mul(nbytes, shape[r], &nbytes);
    if (!fits || !ncz_add(offset, nbytes, &end) || !round_up(end, own > align ? own : align, &size) ||
        size > NCZ_TYPE_BYTES)
        return ncz_fail(NC_EINVAL, "%s.%s: the compound would be larger than %zu bytes", t->node.name, name,
                        NCZ_TYPE_BYTES);
    t->node.size = size > old ? size : old;
    if ((rc = ncz_model_insert_field(m, t, name, offset, type, rank, shape)) != NC_NOERR)
        t->node.size = old;
    else
        t->end = end;
    return rc;
}

int
ncz_model_insert_member(ncz_user_type *t, const char *name, const void *value)
{
    ncz_type_member n = {.name = NULL};
    int             rc;

    if ((rc = check_open(t, NCZ_TYPE_ENUM)) != NC_NOERR)
        return rc;
    if (t->node.nmembers >= NCZ_TYPE_PARTS)
        return ncz_fail(NC_EINVAL, "%s: more than %d members", t->node.name, NCZ_TYPE_PARTS);
    for (size_t i = 0; i < t->node.nmembers; i++) {
        if (strcmp(t->members[i].name, name) == 0)
            return ncz_fail(NC_ENAMEINUSE, "%s: it has a member '%s'", t->node.name, name);
        if (memcmp(t->members[i].value, value, t->node.size) == 0)
            return ncz_fail(NC_EINVAL, "%s: %s has the value of %s", t->node.name, name, t->members[i].name);
    }
    if ((rc = ncz_model_room(&t->members, t->node.nmembers, sizeof n)) != NC_NOERR)
        return rc;
    t->node.members = t->members;
    if ((n.name = ncz_strdup(name)) == NULL || (n.value = ncz_dup(value, t->node.size)) == NULL) {
        ncz_free((char *)n.name);
        return ncz_fail_nomem(strlen(name));
    }
    t->members[t->node.nmembers++] = n;
    ncz_document_change(&t->group->document);
    return NC_NOERR;
}

int
ncz_model_keep_gaps(ncz_model *m)
{
    ncz_record *old, *record = NULL;
    int         rc;

    m->gaps = true;
    for (size_t i = 0; i < m->ntypes; i++) {
        ncz_user_type *t = m->types[i];

        if (!t->used || t->node.record == NULL)
            continue;
        if ((rc = ncz_record_make(&t->node, true, &record)) != NC_NOERR)
            return rc;
        old = (ncz_record *)(uintptr_t)t->node.record;
        t->node.record = record;
        ncz_free(old);
    }
    return NC_NOERR;
}

int
ncz_model_use_type(ncz_model *m, const ncz_type *type)
{
    ncz_user_type *t = ncz_model_user_type(m, type->id);
    ncz_record    *record = NULL;
    int            rc;

    if (t == NULL || t->used)
        return NC_NOERR;
    if (t->node.class == NCZ_TYPE_COMPOUND && t->node.nfields == 0)
        return ncz_fail(NC_EINVAL, "%s: a compound without fields cannot be used", t->node.name);
    if (t->node.class == NCZ_TYPE_ENUM && t->node.nmembers == 0)
        return ncz_fail(NC_EINVAL, "%s: an enumeration without members cannot be used", t->node.name);
    if ((rc = ncz_record_make(&t->node, m->gaps, &record)) != NC_NOERR)
        return rc;
    /* The default fill value: of an enumeration that of its base, as in netCDF-C; of others zero bytes. */
    t->node.fill = t->node.class == NCZ_TYPE_ENUM       ? t->node.base->fill
                   : t->node.size <= sizeof zeros.bytes ? small_fill
                                                        : ncz_zalloc(t->node.size);
    if (t->node.fill == NULL) {
        ncz_free(record);
        return ncz_fail_nomem(t->node.size);
    }
    t->node.record = record;
    t->used = true;
    return NC_NOERR;
}
