/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_cdl_print.c: the pieces of CDL lines that several files print: indentation, names, the head of an attribute.
 */
#include "dump_int.h"

#include <string.h>

void
dump_cdl_indent(dump_context *d)
{
    for (size_t i = 0; i < d->indent; i++)
        fputc(' ', d->out);
}

void
dump_cdl_name(dump_context *d, const char *name)
{
    text_buf t = TEXT_BUF_INIT;

    text_addn(&t, "", 0);
    text_add_name(&t, name);
    fwrite(t.s, 1, t.len, d->out);
    text_clear(&t);
}

void
dump_cdl_colored(dump_context *d, const char *color, const char *s)
{
    dump_color(d, color);
    fputs(s, d->out);
    dump_color_end(d);
}

void
dump_cdl_colored_name(dump_context *d, const char *color, const char *name)
{
    dump_color(d, color);
    dump_cdl_name(d, name);
    dump_color_end(d);
}

void
dump_cdl_piece(dump_context *d, const char *s, size_t n)
{
    if (n > 2 && d->col + n > d->o->line_len - 2) {
        fputc('\n', d->out);
        dump_cdl_indent(d);
        fputs(DUMP_CDL_CONTINUATION, d->out);
        d->col = sizeof DUMP_CDL_CONTINUATION - 1 + d->indent;
    }
    fwrite(s, 1, n, d->out);
    d->col += n;
}

/* "data:x" would begin the data section: a blank keeps such a name from being taken for a keyword. */
static bool
is_section_word(const char *name)
{
    static const char *const word[] = {"types", "dimensions", "variables", "data", "group"};

    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcmp(name, word[i]) == 0)
            return true;
    return false;
}

void
dump_cdl_typed_att_head(dump_context *d, const char *type, const char *owner, const char *name)
{
    dump_cdl_indent(d);
    fputs("\t\t", d->out);
    if (type != NULL) {
        dump_cdl_colored(d, DUMP_GREEN, type);
        fputc(' ', d->out);
    }
    dump_cdl_name(d, owner);
    fputs(is_section_word(owner) ? " :" : ":", d->out);
    dump_cdl_colored_name(d, DUMP_CYAN, name);
    fputs(" = ", d->out);
}

void
dump_cdl_att_head(dump_context *d, const char *owner, const char *name)
{
    dump_cdl_typed_att_head(d, NULL, owner, name);
}
