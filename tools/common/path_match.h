/* SPDX-License-Identifier: BSD-3-Clause */
/* path_match.h: names of variables, groups and dimensions as users give them. */
#ifndef PATH_MATCH_H
#define PATH_MATCH_H

#include <stdbool.h>

/*
 * Does a path ("/g/v") match a name? One that begins with a slash is a path from the root, any other the end of a path:
 * "v" in any group, "g/v" in groups named g. Slashes at its end are ignored.
 */
bool path_match(const char *path, const char *wanted);

#endif /* PATH_MATCH_H */
