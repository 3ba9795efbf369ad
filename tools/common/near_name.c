/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/near_name.h"
#include "common/group_tree.h"
#include "util/nearest.h"

#include <nczarr.h>
#include <stdio.h>
#include <string.h>

const char *
near_name_better(const char *word, const char *best, const char *name)
{
    const char *pair[] = {best != NULL ? best : name, name};

    return ncz_nearest(word, pair, 2);
}

/* A word with a slash is compared with paths. */
const char *
near_name_hint(int root, near_kind kind, const char *word, char text[NEAR_NAME_SIZE])
{
    static const int kinds[] = {
        [NEAR_VARIABLE] = TREE_VARS, [NEAR_DIMENSION] = TREE_DIMS, [NEAR_GROUP] = TREE_GROUPS};
    tree_list   all;
    const char *best = NULL;

    (void)tree_list_load(root, kinds[kind], &all);
    for (size_t i = 0; i < all.n; i++) {
        const char *path = all.v[i].path;
        const char *name = strchr(word, '/') == NULL ? strrchr(path, '/') + 1 : word[0] == '/' ? path : path + 1;

        if (*name != '\0' && strcmp(path, "/") != 0 && strcmp(name, word) != 0 &&
            near_name_better(word, best, name) == name)
            best = name;
    }
    text[0] = '\0';
    if (best != NULL)
        (void)snprintf(text, NEAR_NAME_SIZE, "; did you mean %s?", best);
    tree_list_clear(&all);
    return text;
}
