/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_json_types.c: the user-defined types of a group, as docs/nczdump-json.md describes them.
 */
#include "dump_int.h"

static void
print_constants(dump_context *d, const user_type *t)
{
    fputs(", \"constants\": {", d->out);
    for (size_t i = 0; i < t->nmembers; i++) {
        fputs(i > 0 ? ", " : "", d->out);
        dump_json_string(d, t->members[i].name);
        if (t->base->id == NC_UINT64)
            fprintf(d->out, ": %llu", (unsigned long long)t->members[i].value);
        else
            fprintf(d->out, ": %lld", t->members[i].value);
    }
    fputc('}', d->out);
}

static void
print_fields(dump_context *d, int grp, const user_type *t, int level)
{
    fputs(", \"fields\": {", d->out);
    for (size_t i = 0; i < t->nmembers; i++) {
        const user_member *m = &t->members[i];

        dump_json_key(d, level, i == 0, m->name);
        fputs("{\"type\": ", d->out);
        dump_json_type_path(d, grp, m->type);
        for (int k = 0; k < m->ndims; k++)
            fprintf(d->out, "%s%d%s", k > 0 ? ", " : ", \"shape\": [", m->dims[k], k + 1 == m->ndims ? "]" : "");
        fputc('}', d->out);
    }
    dump_json_end(d, level - 1, t->nmembers == 0);
}

static void
print_type(dump_context *d, int grp, const user_type *t, int level)
{
    static const char *const class_names[] = {
        [NC_VLEN] = "vlen", [NC_OPAQUE] = "opaque", [NC_ENUM] = "enum", [NC_COMPOUND] = "compound"};

    fprintf(d->out, "{\"class\": \"%s\"", class_names[t->class]);
    if (t->base != NULL) {
        fputs(", \"base\": ", d->out);
        dump_json_type_path(d, grp, t->base);
    }
    if (t->class == NC_OPAQUE)
        fprintf(d->out, ", \"size\": %zu", t->size);
    else if (t->class == NC_ENUM)
        print_constants(d, t);
    else if (t->class == NC_COMPOUND)
        print_fields(d, grp, t, level + 1);
    fputc('}', d->out);
}

void
dump_json_types(dump_context *d, int grp, int level, bool *first)
{
    id_list    types;
    user_type *t = NULL;
    int        rc = id_list_types(grp, &types);

    if (rc == NC_NOERR && types.n > 0) {
        dump_json_key(d, level, *first, "types");
        *first = false;
        fputc('{', d->out);
        for (int i = 0; i < types.n && (rc = dump_type_load(grp, types.id[i], &t)) == NC_NOERR; i++) {
            dump_json_key(d, level + 1, i == 0, t->name);
            print_type(d, grp, t, level + 1);
            user_type_free(t);
        }
        dump_json_end(d, level, false);
    }
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "types");
    id_list_clear(&types);
}
