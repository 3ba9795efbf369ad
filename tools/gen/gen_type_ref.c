/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a type name means: size and alignment in memory, name, default fill value.
 */
#include "gen_int.h"

#include "common/standard_fill.h"

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

void
gen_default_fill(const gen_typeref *t, void *out)
{
    if (t->user == NULL) {
        memcpy(out, standard_fill(t->type), gen_type_size(t->type));
        return;
    }
    memset(out, 0, t->user->size);
    if (t->user->class != NC_COMPOUND)
        return;
    for (const gen_member *m = t->user->members; m != NULL; m = m->next)
        for (size_t i = 0; i < m->count; i++)
            gen_default_fill(&m->type, (char *)out + m->offset + i * gen_ref_size(&m->type));
}
