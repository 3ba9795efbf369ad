/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_cdl_types.c: the types section of a group, as ncdump prints it.
 */
#include "dump_int.h"

#include <string.h>

/* The last constant and the end of the statement are one piece, and the column starts over: ncdump wraps it so. */
static void
print_enum(dump_context *d, int grp, const dump_type *t)
{
    dump_text line = DUMP_TEXT_INIT;

    dump_text_add_type_ref(&line, grp, t->base, true);
    dump_text_add(&line, " enum ");
    dump_text_add_name(&line, t->name);
    dump_text_add(&line, " {");
    dump_cdl_indent(d);
    fputs(line.s, d->out);
    d->col = line.len;
    for (size_t i = 0; i < t->nmembers; i++) {
        dump_text_reset(&line);
        dump_text_add_name(&line, t->members[i].name);
        if (t->base->id == NC_UINT64)
            dump_text_addf(&line, " = %llu", (unsigned long long)t->members[i].value);
        else
            dump_text_addf(&line, " = %lld", t->members[i].value);
        dump_text_add(&line, i + 1 < t->nmembers ? ", " : "} ;\n");
        dump_cdl_piece(d, line.s, line.len);
    }
    if (t->nmembers == 0)
        fputs("} ;\n", d->out);
    d->col = d->indent;
    dump_text_clear(&line);
}

static void
print_compound(dump_context *d, int grp, const dump_type *t)
{
    dump_text line = DUMP_TEXT_INIT, name = DUMP_TEXT_INIT;

    dump_text_add_name(&name, t->name);
    dump_cdl_indent(d);
    fprintf(d->out, "compound %s {\n", name.s);
    for (size_t i = 0; i < t->nmembers; i++) {
        const dump_member *m = &t->members[i];

        dump_text_reset(&line);
        dump_text_add_type_ref(&line, grp, m->type, true);
        dump_text_addc(&line, ' ');
        dump_text_add_name(&line, m->name);
        for (int k = 0; k < m->ndims; k++)
            dump_text_addf(&line, "%s%d", k == 0 ? "(" : ", ", m->dims[k]);
        dump_text_add(&line, m->ndims > 0 ? ") ;\n" : " ;\n");
        dump_cdl_indent(d);
        fprintf(d->out, "  %s", line.s);
    }
    dump_cdl_indent(d);
    fprintf(d->out, "}; // %s\n", name.s);
    dump_text_clear(&line);
    dump_text_clear(&name);
}

/* opaque(N) name, or base(*) name. */
static void
print_sized(dump_context *d, int grp, const dump_type *t)
{
    dump_text line = DUMP_TEXT_INIT;

    if (t->class == NC_OPAQUE) {
        dump_text_addf(&line, "opaque(%zu) ", t->size);
    } else {
        dump_text_add_type_ref(&line, grp, t->base, true);
        dump_text_add(&line, "(*) ");
    }
    dump_text_add_name(&line, t->name);
    dump_cdl_indent(d);
    fprintf(d->out, "%s ;\n", line.s);
    dump_text_clear(&line);
}

static void
print_type(dump_context *d, int grp, const dump_type *t)
{
    if (t->class == NC_ENUM)
        print_enum(d, grp, t);
    else if (t->class == NC_COMPOUND)
        print_compound(d, grp, t);
    else
        print_sized(d, grp, t);
}

void
dump_cdl_types(dump_context *d, int grp)
{
    dump_ids   types;
    dump_type *t = NULL;
    int        rc = dump_ids_types(grp, &types);

    if (rc == NC_NOERR && types.n > 0) {
        dump_cdl_indent(d);
        fputs("types:\n", d->out);
    }
    d->indent += 2;
    for (int i = 0; rc == NC_NOERR && i < types.n; i++) {
        if ((rc = dump_type_load(grp, types.id[i], &t)) != NC_NOERR)
            break;
        print_type(d, grp, t);
        dump_type_free(t);
    }
    d->indent -= 2;
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "types");
    dump_ids_clear(&types);
}
