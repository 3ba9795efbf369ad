/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/name_list.h"
#include "common/memory.h"
#include "common/path_match.h"

#include <stdlib.h>
#include <string.h>

void
name_list_add(name_list *list, const char *name)
{
    list->name = memory_grow(list->name, list->n, sizeof *list->name);
    list->name[list->n++] = memory_need(strdup(name));
}

bool
name_list_split(name_list *list, const char *text, size_t len, char at)
{
    char  *name = memory_alloc(len + 1, 1);
    size_t n = 0;
    bool   named = true;

    for (size_t i = 0; i <= len; i++) {
        if (i == len || text[i] == at) {
            name[n] = '\0';
            if (n > 0)
                name_list_add(list, name);
            named = named && n > 0;
            n = 0;
            continue;
        }
        if (text[i] == '\\' && i + 1 < len)
            i++;
        name[n++] = text[i];
    }
    free(name);
    return named;
}

bool
name_list_add_all(name_list *list, const char *commas)
{
    return name_list_split(list, commas, strlen(commas), ',');
}

void
name_list_clear(name_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->name[i]);
    free(list->name);
    *list = (name_list){.n = 0};
}

bool
name_list_match(const name_list *list, const char *path)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->name[i], "*") == 0 || path_match(path, list->name[i]))
            return true;
    return false;
}
