/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_cdl_types.c: the types section of a group, as ncdump prints it.
 */
#include "dump_int.h"

#include <stdlib.h>
#include <string.h>

/* The last constant and the end of the statement are one piece, and the column starts over: ncdump wraps it so. */
static void
print_enum(dump_context *d, int grp, const user_type *t)
{
    text_buf line = TEXT_BUF_INIT;

    dump_add_type_ref(&line, grp, t->base, true);
    text_add(&line, " enum ");
    dump_cdl_indent(d);
    dump_cdl_colored(d, DUMP_GREEN, line.s);
    dump_cdl_colored_name(d, DUMP_BOLD, t->name);
    fputs(" {", d->out);
    text_add_name(&line, t->name);
    d->col = line.len + 2;
    for (size_t i = 0; i < t->nmembers; i++) {
        text_reset(&line);
        text_add_name(&line, t->members[i].name);
        if (t->base->id == NC_UINT64)
            text_addf(&line, " = %llu", (unsigned long long)t->members[i].value);
        else
            text_addf(&line, " = %lld", t->members[i].value);
        text_add(&line, i + 1 < t->nmembers ? ", " : "} ;\n");
        dump_cdl_piece(d, line.s, line.len);
    }
    if (t->nmembers == 0)
        fputs("} ;\n", d->out);
    d->col = d->indent;
    text_clear(&line);
}

static void
print_compound(dump_context *d, int grp, const user_type *t)
{
    text_buf line = TEXT_BUF_INIT, name = TEXT_BUF_INIT;

    text_add_name(&name, t->name);
    dump_cdl_indent(d);
    dump_cdl_colored(d, DUMP_GREEN, "compound ");
    dump_cdl_colored(d, DUMP_BOLD, name.s);
    fputs(" {\n", d->out);
    for (size_t i = 0; i < t->nmembers; i++) {
        const user_member *m = &t->members[i];

        text_reset(&line);
        dump_add_type_ref(&line, grp, m->type, true);
        dump_cdl_indent(d);
        fputs("  ", d->out);
        dump_cdl_colored(d, DUMP_GREEN, line.s);
        fputc(' ', d->out);
        dump_cdl_colored_name(d, DUMP_BOLD, m->name);
        text_reset(&line);
        for (int k = 0; k < m->ndims; k++)
            text_addf(&line, "%s%d", k == 0 ? "(" : ", ", m->dims[k]);
        text_add(&line, m->ndims > 0 ? ") ;\n" : " ;\n");
        fputs(line.s, d->out);
    }
    dump_cdl_indent(d);
    fputs("}; ", d->out);
    dump_color(d, DUMP_FAINT);
    fprintf(d->out, "// %s", name.s);
    dump_color_end(d);
    fputc('\n', d->out);
    text_clear(&line);
    text_clear(&name);
}

/* opaque(N) name, or base(*) name. */
static void
print_sized(dump_context *d, int grp, const user_type *t)
{
    text_buf line = TEXT_BUF_INIT;

    if (t->class == NC_OPAQUE) {
        text_addf(&line, "opaque(%zu) ", t->size);
    } else {
        dump_add_type_ref(&line, grp, t->base, true);
        text_add(&line, "(*) ");
    }
    dump_cdl_indent(d);
    dump_cdl_colored(d, DUMP_GREEN, line.s);
    dump_cdl_colored_name(d, DUMP_BOLD, t->name);
    fputs(" ;\n", d->out);
    text_clear(&line);
}

static void
print_type(dump_context *d, int grp, const user_type *t)
{
    if (t->class == NC_ENUM)
        print_enum(d, grp, t);
    else if (t->class == NC_COMPOUND)
        print_compound(d, grp, t);
    else
        print_sized(d, grp, t);
}

/* The types of one group, and which of them are printed. */
typedef struct type_list {
    id_list     ids;
    user_type **type;
    bool       *printed;
} type_list;

/* Prints a type after those of the group inside it: CDL declares before it uses, other writers may not. */
static void
print_with_inner(dump_context *d, int grp, type_list *l, int at)
{
    if (l->printed[at])
        return;
    l->printed[at] = true;
    for (const user_type *inner = l->type[at]->next; inner != NULL; inner = inner->next)
        for (int i = 0; i < l->ids.n; i++)
            if (l->ids.id[i] == inner->id)
                print_with_inner(d, grp, l, i);
    print_type(d, grp, l->type[at]);
}

void
dump_cdl_types(dump_context *d, int grp)
{
    type_list l = {.type = NULL};
    int       rc = id_list_types(grp, &l.ids);

    l.type = memory_alloc((size_t)l.ids.n, sizeof *l.type);
    l.printed = memory_alloc((size_t)l.ids.n, sizeof *l.printed);
    for (int i = 0; rc == NC_NOERR && i < l.ids.n; i++)
        rc = dump_type_load(grp, l.ids.id[i], &l.type[i]);
    if (rc == NC_NOERR && l.ids.n > 0) {
        dump_cdl_indent(d);
        fputs("types:\n", d->out);
        d->indent += 2;
        for (int i = 0; i < l.ids.n; i++)
            print_with_inner(d, grp, &l, i);
        d->indent -= 2;
    }
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "types");
    for (int i = 0; i < l.ids.n; i++)
        user_type_free(l.type[i]);
    free(l.type);
    free(l.printed);
    id_list_clear(&l.ids);
}
