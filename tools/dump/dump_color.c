/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_color.c: colors on a terminal, for those who want them, and what is said of objects in color: paths, comments.
 */
#include "dump_int.h"

void
dump_color(const dump_context *d, const char *color)
{
    if (d->o->color)
        fputs(color, d->out);
}

void
dump_color_end(const dump_context *d)
{
    dump_color(d, DUMP_PLAIN);
}

void
dump_add_path(const dump_context *d, text_buf *t, const char *path)
{
    text_add(t, d->o->color ? DUMP_BOLD : "");
    text_add_safe(t, path);
    text_add(t, d->o->color ? DUMP_PLAIN "  " : "  ");
}

/* The sign between the lengths of a shape. */
const char *
dump_times(const dump_context *d)
{
    return d->utf8 ? "\xc3\x97" : "x";
}

void
dump_add_shape(const dump_context *d, text_buf *t, const size_t *n, int ndims)
{
    for (int i = 0; i < ndims; i++)
        text_addf(t, "%s%zu", i > 0 ? dump_times(d) : "", n[i]);
}

void
dump_add_json_sizes(text_buf *t, const char *name, const size_t *n, int ndims)
{
    text_addf(t, "\"%s\": [", name);
    for (int i = 0; i < ndims; i++)
        text_addf(t, "%s%zu", i > 0 ? ", " : "", n[i]);
    text_addc(t, ']');
}
