/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_type.c: user-defined types: loads one with all types inside it, names it, compares its values.
 *
 * Types that are loaded together share what is inside them, so that memory is in proportion to the definitions.
 */
#include "dump_int.h"

#include <stdlib.h>
#include <string.h>

static int load_type(int ncid, nc_type id, dump_type *head, dump_type **out);

/* The order of the constants that by_value lists. */
static int
compare_constants(const void *a, const void *b)
{
    long long x = (*(const dump_member *const *)a)->value, y = (*(const dump_member *const *)b)->value;

    return x < y ? -1 : x > y;
}

static void
sort_constants(dump_type *t)
{
    const dump_member **order = dump_alloc(t->nmembers, sizeof *order);

    for (size_t i = 0; i < t->nmembers; i++)
        order[i] = &t->members[i];
    qsort(order, t->nmembers, sizeof *order, compare_constants);
    t->by_value = dump_alloc(t->nmembers, sizeof *t->by_value);
    for (size_t i = 0; i < t->nmembers; i++)
        t->by_value[i] = (size_t)(order[i] - t->members);
    free(order);
}

static int
load_constants(int ncid, dump_type *t)
{
    long long value; /* as wide as the widest base */
    char      name[NC_MAX_NAME + 1];
    int       rc;

    for (size_t i = 0; i < t->nmembers; i++) {
        if ((rc = nc_inq_enum_member(ncid, t->id, (int)i, name, &value)) != NC_NOERR)
            return rc;
        t->members[i].name = dump_need(strdup(name));
        t->members[i].value = dump_value_int(t->base->id, &value);
    }
    sort_constants(t);
    return NC_NOERR;
}

static int
load_field(int ncid, const dump_type *t, int index, dump_type *head, dump_member *m)
{
    char    name[NC_MAX_NAME + 1];
    nc_type id;
    int     rc;

    if ((rc = nc_inq_compound_field(ncid, t->id, index, name, &m->offset, &id, &m->ndims, NULL)) != NC_NOERR)
        return rc;
    m->name = dump_need(strdup(name));
    m->dims = dump_alloc((size_t)m->ndims, sizeof *m->dims);
    m->count = 1;
    if (m->ndims > 0 && (rc = nc_inq_compound_fielddim_sizes(ncid, t->id, index, m->dims)) != NC_NOERR)
        return rc;
    for (int d = 0; d < m->ndims; d++)
        m->count *= (size_t)m->dims[d];
    return load_type(ncid, id, head, &m->type);
}

/* Loads what a user-defined type has: base, constants, fields. */
static int
load_contents(int ncid, dump_type *t, dump_type *head)
{
    char    name[NC_MAX_NAME + 1];
    nc_type base = NC_NAT;
    int     rc = nc_inq_user_type(ncid, t->id, name, &t->size, &base, &t->nmembers, &t->class);

    if (rc != NC_NOERR)
        return rc;
    t->name = dump_need(strdup(name));
    if (t->class == NC_VLEN)
        t->size = sizeof(nc_vlen_t);
    if (t->class != NC_ENUM && t->class != NC_COMPOUND)
        t->nmembers = 0;
    t->members = dump_alloc(t->nmembers, sizeof *t->members);
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
load_type(int ncid, nc_type id, dump_type *head, dump_type **out)
{
    dump_type *last = head, *t;

    for (t = head->next; t != NULL; last = t, t = t->next)
        if (t->id == id) {
            *out = t;
            return NC_NOERR;
        }
    t = dump_alloc(1, sizeof *t);
    *t = (dump_type){.id = id, .size = dump_type_size(id)};
    last->next = t;
    *out = t;
    return id > NC_MAX_ATOMIC_TYPE ? load_contents(ncid, t, head) : NC_NOERR;
}

int
dump_type_load(int ncid, nc_type id, dump_type **out)
{
    dump_type head = {.next = NULL}, *t = NULL;
    int       rc = load_type(ncid, id, &head, &t); /* the first of the list */

    if (rc == NC_NOERR)
        *out = t;
    else
        dump_type_free(t);
    return rc;
}

void
dump_type_free(dump_type *t)
{
    while (t != NULL) {
        dump_type *next = t->next;

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

const dump_member *
dump_type_find_constant(const dump_type *t, const void *value)
{
    dump_primitive v;
    long long      wanted;
    size_t         from = 0, end = t->nmembers;

    memcpy(&v, value, t->base->size);
    wanted = dump_value_int(t->base->id, &v);

    while (from < end) {
        size_t             mid = from + (end - from) / 2;
        const dump_member *m = &t->members[t->by_value[mid]];

        if (m->value == wanted)
            return m;
        if (m->value < wanted)
            from = mid + 1;
        else
            end = mid;
    }
    return NULL;
}

/* ---- names -------------------------------------------------------------------------------------------------- */

void
dump_text_add_type_path(dump_text *t, int grp, const dump_type *type)
{
    int   home;
    char *path;

    if (type->class == NC_NAT) {
        dump_text_add(t, dump_type_name(type->id) != NULL ? dump_type_name(type->id) : "unknown");
        return;
    }
    path = dump_var_path(dump_type_home(grp, type->id, &home) == NC_NOERR ? home : grp, type->name);
    dump_text_add(t, path);
    free(path);
}

void
dump_text_add_type_ref(dump_text *t, int grp, const dump_type *type, bool cdl)
{
    dump_text path = DUMP_TEXT_INIT;
    nc_type   nearest;

    if (type->class != NC_NAT && nc_inq_typeid(grp, type->name, &nearest) == NC_NOERR && nearest == type->id)
        dump_text_add(&path, type->name);
    else
        dump_text_add_type_path(&path, grp, type);
    if (cdl)
        dump_text_add_name(t, path.s);
    else
        dump_text_add(t, path.s);
    dump_text_clear(&path);
}

/* ---- values ------------------------------------------------------------------------------------------------- */

static bool
is_equal_string(const void *p, const void *q)
{
    const char *a, *b;

    memcpy(&a, p, sizeof a);
    memcpy(&b, q, sizeof b);
    return a != NULL && b != NULL ? strcmp(a, b) == 0 : a == b;
}

static bool
is_equal_array(const dump_type *t, const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!dump_type_is_equal_value(t, a + i * t->size, b + i * t->size))
            return false;
    return true;
}

/* Numbers are equal if their bytes are. Padding between fields does not count. */
bool
dump_type_is_equal_value(const dump_type *t, const void *a, const void *b)
{
    if (t->class == NC_VLEN) {
        nc_vlen_t x, y;

        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return x.len == y.len && is_equal_array(t->base, x.p, y.p, x.len);
    }
    if (t->class == NC_COMPOUND) {
        for (size_t i = 0; i < t->nmembers; i++) {
            const dump_member *m = &t->members[i];

            if (!is_equal_array(m->type, (const char *)a + m->offset, (const char *)b + m->offset, m->count))
                return false;
        }
        return true;
    }
    if (t->id == NC_STRING)
        return is_equal_string(a, b);
    return memcmp(a, b, t->size) == 0;
}
