/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_list.c: --list: names of variables, dimensions or groups, a line each, as -v, -d and -g take them; for the
 * completion of shells. Only metadata is read.
 */
#include "dump_int.h"

#include "common/terminal_text.h"

#include <stdlib.h>
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

static int
print_names(dump_context *d, int grp)
{
    bool    dims = d->o->form == DUMP_LIST_DIMS;
    id_list list;
    int     rc = dims ? id_list_dims(grp, &list) : id_list_vars(grp, &list);

    for (int i = 0; rc == NC_NOERR && i < list.n; i++) {
        char  name[NC_MAX_NAME + 1];
        char *path;

        rc = dims ? nc_inq_dimname(grp, list.id[i], name) : nc_inq_varname(grp, list.id[i], name);
        if (rc != NC_NOERR)
            break;
        path = group_var_path(grp, name);
        print_path(d, path);
        free(path);
    }
    id_list_clear(&list);
    return rc;
}

static int
list_group(dump_context *d, int grp)
{
    id_list grps = {.n = 0};
    int     rc = NC_NOERR;

    if (d->o->form == DUMP_LIST_GROUPS) {
        char *path = group_path(grp);

        print_path(d, path);
        free(path);
    } else {
        rc = print_names(d, grp);
    }
    if (rc == NC_NOERR)
        rc = id_list_groups(grp, &grps);
    for (int i = 0; rc == NC_NOERR && i < grps.n; i++)
        rc = list_group(d, grps.id[i]);
    id_list_clear(&grps);
    return rc;
}

void
dump_list(dump_context *d)
{
    int rc = list_group(d, d->root);

    if (rc != NC_NOERR)
        (void)dump_fail(&d->report, rc, "list");
}
