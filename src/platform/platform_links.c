/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * platform_links: what a path and a symbolic link lead to. The same on all systems.
 */
#include "platform/platform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS_MOST = 40, TEXT_MOST = 4096 }; /* links in a row, as Linux has it; bytes of one link's text */

/* The path without the slashes at its end. */
static char *
trim_path(const char *path)
{
    size_t n = strlen(path);

    while (n > 1 && ncz_sys_is_slash(path[n - 1]))
        n--;
    return strndup(path, n);
}

/* `text`, which is relative to the directory of `link`. */
static char *
join_path(const char *link, const char *text)
{
    size_t n = strlen(link), len = strlen(text);
    char  *path;

    while (n > 0 && !ncz_sys_is_slash(link[n - 1]))
        n--;
    if (ncz_sys_is_slash(text[0]))
        n = 0;
    if ((path = malloc(n + len + 1)) == NULL)
        return NULL;
    memcpy(path, link, n);
    memcpy(path + n, text, len + 1);
    return path;
}

char *
ncz_sys_follow(const char *path)
{
    char *at = trim_path(path), *text = malloc(TEXT_MOST), *next;

    for (int links = 0; at != NULL && text != NULL; links++) {
        ssize_t n = ncz_system.name.readlinkat(AT_FDCWD, at, text, TEXT_MOST - 1);

        if (n < 0) { /* no link, or nothing at all */
            free(text);
            return at;
        }
        if (links == LINKS_MOST) {
            errno = ELOOP;
            break;
        }
        text[n] = '\0';
        next = join_path(at, text);
        free(at);
        at = next;
    }
    free(at);
    free(text);
    return NULL;
}

bool
ncz_sys_is_folder(const char *path)
{
    ncz_stat st;

    return ncz_system.name.fstatat(AT_FDCWD, path, &st, 0) == 0 && S_ISDIR(st.st_mode);
}
