/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_names.c: lists of names in options: of variables, of groups.
 */
#include "copy_int.h"

#include "common/path_match.h"

#include <stdlib.h>
#include <string.h>

static void
add_name(copy_names *list, char *name)
{
    list->name = copy_need(realloc(list->name, (list->n + 1) * sizeof *list->name));
    list->name[list->n++] = name;
}

void
copy_split_names(copy_names *list, const char *text, size_t len, char at)
{
    char  *name = copy_alloc(len + 1, 1);
    size_t n = 0;

    for (size_t i = 0; i <= len; i++) {
        if (i == len || text[i] == at) {
            name[n] = '\0';
            if (n > 0)
                add_name(list, copy_need(strdup(name)));
            n = 0;
            continue;
        }
        if (text[i] == '\\' && i + 1 < len)
            i++;
        name[n++] = text[i];
    }
    free(name);
}

void
copy_parse_names(copy_names *list, const char *commas)
{
    copy_split_names(list, commas, strlen(commas), ',');
}

void
copy_names_clear(copy_names *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->name[i]);
    free(list->name);
    *list = (copy_names){.n = 0};
}

bool
copy_names_match(const copy_names *list, const char *path)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->name[i], "*") == 0 || path_match(path, list->name[i]))
            return true;
    return false;
}
