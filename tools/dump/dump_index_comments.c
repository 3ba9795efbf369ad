/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_index_comments.c: the index comments of -b and -f, counted as in C, or as in Fortran (from 1, the fastest
 * index first).
 */
#include "dump_int.h"

/* The whole row: "// v(2, 0-3)" or "// v(1-4 ,3)". */
void
dump_comment_row(dump_context *d, const dump_var *v, const size_t *index)
{
    size_t last = v->shape[v->ndims - 1];

    dump_color(d, DUMP_FAINT);
    fputs("// ", d->out);
    dump_cdl_name(d, v->name);
    fputc('(', d->out);
    if (d->o->comments_fortran) {
        if (last == 1)
            fputc('1', d->out);
        else
            fprintf(d->out, "1-%zu ", last);
        for (int dim = v->ndims - 2; dim >= 0; dim--)
            fprintf(d->out, ",%zu", index[dim] + 1);
    } else {
        for (int dim = 0; dim < v->ndims - 1; dim++)
            fprintf(d->out, "%zu,", index[dim]);
        if (last == 1)
            fputc('0', d->out);
        else
            fprintf(d->out, " 0-%zu", last - 1);
    }
    fputc(')', d->out);
    dump_color_end(d);
    fputc('\n', d->out);
}

/* One value: "// v(2,3)". */
void
dump_comment_value(dump_context *d, const dump_var *v, const size_t *index)
{
    dump_color(d, DUMP_FAINT);
    fputs("// ", d->out);
    dump_cdl_name(d, v->name);
    for (int dim = 0; dim < v->ndims; dim++) {
        size_t i = d->o->comments_fortran ? index[v->ndims - 1 - dim] + 1 : index[dim];

        fprintf(d->out, "%s%zu", dim == 0 ? "(" : ",", i);
    }
    if (v->ndims > 0)
        fputc(')', d->out);
    dump_color_end(d);
}
