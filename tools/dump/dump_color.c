/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_color.c: colors on a terminal, for those who want them.
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
