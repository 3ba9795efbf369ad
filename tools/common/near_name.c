/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/near_name.h"
#include "common/group_tree.h"
#include "common/memory.h"
#include "util/nearest.h"

#include <nczarr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    near_kind   kind;
    const char *word;
    char       *best; /* NULL: none yet */
} search;

const char *
near_name_better(const char *word, const char *best, const char *name)
{
    const char *pair[] = {best != NULL ? best : name, name};

    return ncz_nearest(word, pair, 2);
}

/* A word with a slash is compared with paths. */
static void
consider(search *s, int grp, const char *name)
{
    char       *path = s->kind == NEAR_GROUP ? group_path(grp) : group_var_path(grp, name);
    const char *mine = strchr(s->word, '/') == NULL ? name : s->word[0] == '/' ? path : path + 1;

    if (strcmp(mine, s->word) != 0 && near_name_better(s->word, s->best, mine) == mine) {
        free(s->best);
        s->best = memory_need(strdup(mine));
    }
    free(path);
}

static void
look_in_group(search *s, int grp)
{
    id_list list;
    char    name[NC_MAX_NAME + 1];

    if (s->kind == NEAR_GROUP && nc_inq_grpname(grp, name) == NC_NOERR && strcmp(name, "/") != 0)
        consider(s, grp, name);
    if (s->kind == NEAR_VARIABLE && id_list_vars(grp, &list) == NC_NOERR) {
        for (int i = 0; i < list.n; i++)
            if (nc_inq_varname(grp, list.id[i], name) == NC_NOERR)
                consider(s, grp, name);
        id_list_clear(&list);
    }
    if (s->kind == NEAR_DIMENSION && id_list_dims(grp, &list) == NC_NOERR) {
        for (int i = 0; i < list.n; i++)
            if (nc_inq_dimname(grp, list.id[i], name) == NC_NOERR)
                consider(s, grp, name);
        id_list_clear(&list);
    }
    if (id_list_groups(grp, &list) != NC_NOERR)
        return;
    for (int i = 0; i < list.n; i++)
        look_in_group(s, list.id[i]);
    id_list_clear(&list);
}

const char *
near_name_hint(int root, near_kind kind, const char *word, char text[NEAR_NAME_SIZE])
{
    search s = {.kind = kind, .word = word};

    text[0] = '\0';
    look_in_group(&s, root);
    if (s.best != NULL)
        (void)snprintf(text, NEAR_NAME_SIZE, "; did you mean %s?", s.best);
    free(s.best);
    return text;
}
