/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_list.c: --list: names of variables, dimensions or groups, a line each, as -v, -d and -g take them; for the
 * completion of shells. Only metadata is read.
 */
#include "dump_int.h"

#include "common/terminal_text.h"

#include <string.h>

/* False: it has a character that a shell must not put on the terminal. */
static bool
is_safe(const char *s)
{
    for (size_t n; *s != '\0'; s += n)
        if (terminal_decode(s, &n) < 0)
            return false;
    return true;
}

/* Without the slash that a name of the root group does not need, and with a backslash before what lists mean. */
static void
print_path(dump_context *d, const char *path)
{
    if (!is_safe(path))
        return;
    for (const char *p = path[1] != '\0' ? path + 1 : path; *p != '\0'; p++)
        fprintf(d->out, strchr("\\,[]", *p) != NULL ? "\\%c" : "%c", *p);
    fputc('\n', d->out);
}

void
dump_list(dump_context *d)
{
    int kind = d->o->form == DUMP_LIST_GROUPS ? TREE_GROUPS : d->o->form == DUMP_LIST_DIMS ? TREE_DIMS : TREE_VARS;
    tree_list all;
    int       rc = tree_list_load(d->root, kind, &all);

    if (rc != NC_NOERR)
        (void)dump_fail(&d->report, rc, "list");
    for (size_t i = 0; i < all.n; i++)
        print_path(d, all.v[i].path);
    tree_list_clear(&all);
}
