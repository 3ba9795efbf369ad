/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a type name means: size and alignment in memory, name, default fill value.
 */
#include "gen_int.h"

#include <string.h>

size_t
gen_ref_size(const gen_typeref *t)
{
    return t->user != NULL ? t->user->size : gen_type_size(t->type);
}

size_t
gen_ref_align(const gen_typeref *t)
{
    return t->user != NULL ? t->user->align : gen_type_size(t->type);
}

const char *
gen_ref_name(const gen_typeref *t)
{
    return t->user != NULL ? t->user->name : gen_type_name(t->type);
}

/* netCDF's default fill value of a primitive type, in memory form. */
static void
copy_default_fill(nc_type type, void *out)
{
    static const signed char        b = NC_FILL_BYTE;
    static const char               c = NC_FILL_CHAR;
    static const short              s = NC_FILL_SHORT;
    static const int                i = NC_FILL_INT;
    static const float              f = NC_FILL_FLOAT;
    static const double             d = NC_FILL_DOUBLE;
    static const unsigned char      ub = NC_FILL_UBYTE;
    static const unsigned short     us = NC_FILL_USHORT;
    static const unsigned           ui = NC_FILL_UINT;
    static const long long          ll = NC_FILL_INT64;
    static const unsigned long long ull = NC_FILL_UINT64;
    static const char *const        str = "";
    static const void *const        all[] = {&b, &c, &s, &i, &f, &d, &ub, &us, &ui, &ll, &ull, &str};

    memcpy(out, all[type - NC_BYTE], gen_type_size(type));
}

void
gen_default_fill(const gen_typeref *t, void *out)
{
    if (t->user == NULL) {
        copy_default_fill(t->type, out);
        return;
    }
    memset(out, 0, t->user->size);
    if (t->user->class != NC_COMPOUND)
        return;
    for (const gen_member *m = t->user->members; m != NULL; m = m->next)
        for (size_t i = 0; i < m->count; i++)
            gen_default_fill(&m->type, (char *)out + m->offset + i * gen_ref_size(&m->type));
}
