/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_json_print.c: the pieces of JSON that several files print: lines, strings, keys, the names of types.
 */
#include "dump_int.h"

#include <string.h>

void
dump_json_line(dump_context *d, int level, bool first)
{
    fputs(first ? "\n" : ",\n", d->out);
    for (int i = 0; i < level; i++)
        fputs("  ", d->out);
}

void
dump_json_string(dump_context *d, const char *s)
{
    text_buf t = TEXT_BUF_INIT;

    text_add_json(&t, s, strlen(s));
    fwrite(t.s, 1, t.len, d->out);
    text_clear(&t);
}

void
dump_json_key(dump_context *d, int level, bool first, const char *key)
{
    dump_json_line(d, level, first);
    dump_json_string(d, key);
    fputs(": ", d->out);
}

void
dump_json_end(dump_context *d, int level, bool empty)
{
    if (!empty)
        dump_json_line(d, level, true);
    fputc('}', d->out);
}

void
dump_json_type_path(dump_context *d, int grp, const user_type *t)
{
    text_buf path = TEXT_BUF_INIT;

    dump_add_type_path(&path, grp, t);
    dump_json_string(d, path.s);
    text_clear(&path);
}
