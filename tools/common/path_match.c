/* SPDX-License-Identifier: BSD-3-Clause */
/* path_match.c: matches names that users give with paths. */
#include "common/path_match.h"

#include <string.h>

bool
path_match(const char *path, const char *wanted)
{
    size_t np = strlen(path), nw = strlen(wanted);

    while (nw > 1 && wanted[nw - 1] == '/')
        nw--;
    if (*wanted == '/')
        return np == nw && memcmp(path, wanted, nw) == 0;
    return np > nw && path[np - nw - 1] == '/' && memcmp(path + np - nw, wanted, nw) == 0;
}
