/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * user_type.c: loads a user-defined type with all types inside it; compares its values.
 */
#include "common/user_type.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

static int load_type(int ncid, nc_type id, user_type *head, user_type **out);

/* The order of the constants that by_value lists. */
static int
compare_constants(const void *a, const void *b)
{
    long long x = (*(const user_member *const *)a)->value, y = (*(const user_member *const *)b)->value;

    return x < y ? -1 : x > y;
}

static void
sort_constants(user_type *t)
{
    t->by_value = memory_alloc(t->nmembers, sizeof *t->by_value);
    for (size_t i = 0; i < t->nmembers; i++)
        t->by_value[i] = &t->members[i];
    qsort(t->by_value, t->nmembers, sizeof *t->by_value, compare_constants);
}

long long
user_type_read_int(nc_type type, const void *p)
{
    switch (type) {
    case NC_BYTE: return *(const signed char *)p;
    case NC_UBYTE:
    case NC_CHAR: return *(const unsigned char *)p;
    case NC_SHORT: return *(const short *)p;
    case NC_USHORT: return *(const unsigned short *)p;
    case NC_INT: return *(const int *)p;
    case NC_UINT: return *(const unsigned int *)p;
    default: return *(const long long *)p;
    }
}

static int
load_constants(int ncid, user_type *t)
{
    long long value; /* as wide as the widest base */
    char      name[NC_MAX_NAME + 1];
    int       rc;

    for (size_t i = 0; i < t->nmembers; i++) {
        if ((rc = nc_inq_enum_member(ncid, t->id, (int)i, name, &value)) != NC_NOERR)
            return rc;
        t->members[i].name = memory_need(strdup(name));
        t->members[i].value = user_type_read_int(t->base->id, &value);
    }
    sort_constants(t);
    return NC_NOERR;
}

static int
load_field(int ncid, const user_type *t, int index, user_type *head, user_member *m)
{
    char    name[NC_MAX_NAME + 1];
    nc_type id;
    int     rc;

    if ((rc = nc_inq_compound_field(ncid, t->id, index, name, &m->offset, &id, &m->ndims, NULL)) != NC_NOERR)
        return rc;
    m->name = memory_need(strdup(name));
    m->dims = memory_alloc((size_t)m->ndims, sizeof *m->dims);
    m->count = 1;
    if (m->ndims > 0 && (rc = nc_inq_compound_fielddim_sizes(ncid, t->id, index, m->dims)) != NC_NOERR)
        return rc;
    for (int d = 0; d < m->ndims; d++)
        m->count *= (size_t)m->dims[d];
    return load_type(ncid, id, head, &m->type);
}

/* Loads what a user-defined type has: base, constants, fields. */
static int
load_contents(int ncid, user_type *t, user_type *head)
{
    char    name[NC_MAX_NAME + 1];
    nc_type base = NC_NAT;
    int     rc = nc_inq_user_type(ncid, t->id, name, &t->size, &base, &t->nmembers, &t->class);

    if (rc != NC_NOERR)
        return rc;
    if (t->class == NC_VLEN)
        t->size = sizeof(nc_vlen_t);
    if (t->class != NC_ENUM && t->class != NC_COMPOUND)
        t->nmembers = 0;
    t->name = memory_need(strdup(name));
    t->members = memory_alloc(t->nmembers, sizeof *t->members);
    if ((t->class == NC_ENUM || t->class == NC_VLEN) && (rc = load_type(ncid, base, head, &t->base)) != NC_NOERR)
        return rc;
    if (t->class == NC_ENUM)
        return load_constants(ncid, t);
    for (size_t i = 0; rc == NC_NOERR && i < t->nmembers; i++)
        rc = load_field(ncid, t, (int)i, head, &t->members[i]);
    return rc;
}

/* Gives the type of the list that begins at `head`, and appends it if it is not there. */
static int
load_type(int ncid, nc_type id, user_type *head, user_type **out)
{
    user_type *last = head, *t;

    for (t = head->next; t != NULL; last = t, t = t->next)
        if (t->id == id) {
            *out = t;
            return NC_NOERR;
        }
    t = memory_alloc(1, sizeof *t);
    *t = (user_type){.id = id, .size = id <= NC_MAX_ATOMIC_TYPE ? (size_t)nctypelen(id) : 0};
    last->next = t;
    *out = t;
    return id > NC_MAX_ATOMIC_TYPE ? load_contents(ncid, t, head) : NC_NOERR;
}

int
user_type_load(int ncid, nc_type id, user_type **out)
{
    user_type head = {.next = NULL}, *t = NULL;
    int       rc = load_type(ncid, id, &head, &t); /* the first of the list */

    if (rc == NC_NOERR)
        *out = t;
    else
        user_type_free(t);
    return rc;
}

void
user_type_free(user_type *t)
{
    while (t != NULL) {
        user_type *next = t->next;

        for (size_t i = 0; i < t->nmembers && t->members != NULL; i++) {
            free(t->members[i].name);
            free(t->members[i].dims);
        }
        free(t->members);
        free(t->by_value);
        free(t->name);
        free(t);
        t = next;
    }
}

const user_member *
user_type_find_constant(const user_type *t, const void *value)
{
    user_primitive v;
    long long      wanted;
    size_t         from = 0, end = t->nmembers;

    memcpy(&v, value, t->base->size);
    wanted = user_type_read_int(t->base->id, &v);

    while (from < end) {
        size_t             mid = from + (end - from) / 2;
        const user_member *m = t->by_value[mid];

        if (m->value == wanted)
            return m;
        if (m->value < wanted)
            from = mid + 1;
        else
            end = mid;
    }
    return NULL;
}

static bool
is_equal_string(const void *p, const void *q)
{
    const char *a, *b;

    memcpy(&a, p, sizeof a);
    memcpy(&b, q, sizeof b);
    return a != NULL && b != NULL ? strcmp(a, b) == 0 : a == b;
}

static bool
is_equal_array(const user_type *t, const char *a, const user_type *u, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!user_type_is_equal(t, a + i * t->size, u, b + i * u->size))
            return false;
    return true;
}

static bool
is_equal_vlen(const user_type *t, const void *a, const user_type *u, const void *b)
{
    nc_vlen_t x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x.len == y.len && is_equal_array(t->base, x.p, u->base, y.p, x.len);
}

static bool
is_equal_compound(const user_type *t, const char *a, const user_type *u, const char *b)
{
    if (t->nmembers != u->nmembers)
        return false;
    for (size_t i = 0; i < t->nmembers; i++) {
        const user_member *m = &t->members[i], *n = &u->members[i];

        if (m->count != n->count || !is_equal_array(m->type, a + m->offset, n->type, b + n->offset, m->count))
            return false;
    }
    return true;
}

bool
user_type_is_equal(const user_type *t, const void *a, const user_type *u, const void *b)
{
    if (t->class == NC_ENUM)
        t = t->base;
    if (u->class == NC_ENUM)
        u = u->base;
    if (t->class != u->class || (t->id == NC_STRING) != (u->id == NC_STRING))
        return false;
    if (t->class == NC_VLEN)
        return is_equal_vlen(t, a, u, b);
    if (t->class == NC_COMPOUND)
        return is_equal_compound(t, a, u, b);
    if (t->id == NC_STRING)
        return is_equal_string(a, b);
    return t->size == u->size && memcmp(a, b, t->size) == 0;
}
