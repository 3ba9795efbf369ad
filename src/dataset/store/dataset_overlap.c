/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_overlap: whether two paths of the file system are one place, or one is inside the other. No state; any
 * thread.
 *
 * Names show it once links are resolved, except where one directory has several names (a bind mount, a file system that
 * ignores case); so the folders around each are also compared by device and inode.
 */
#include "dataset/dataset_int.h"
#include "platform/platform.h"
#include "zip/zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Cuts the last name and the slashes around it off; false: nothing is left to cut. "a" becomes "". */
static bool
cut_name(char *path)
{
    size_t n = strlen(path), all = n;

    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n > 0 && path[n - 1] != '/')
        n--;
    while (n > 1 && path[n - 1] == '/')
        n--;
    path[n] = '\0';
    return n < all;
}

/* "/a/b" becomes "/a". */
static void
drop_last(ncz_buf *path)
{
    while (path->len > 0 && path->data[path->len - 1] != '/')
        path->len--;
    if (path->len > 0)
        path->data[--path->len] = '\0';
}

/* Appends the names of `rest` to the absolute path in `out`; those that do not exist have no links to follow. */
static int
append_names(ncz_buf *out, const char *rest)
{
    int rc = NC_NOERR;

    while (rc == NC_NOERR && *(rest += strspn(rest, "/")) != '\0') {
        size_t len = strcspn(rest, "/");

        if (len == 2 && strncmp(rest, "..", 2) == 0) {
            drop_last(out);
        } else if (!(len == 1 && rest[0] == '.') && (rc = ncz_buf_putc(out, '/')) == NC_NOERR) {
            rc = ncz_buf_append(out, rest, len);
        }
        rest += len;
    }
    return rc;
}

/* The absolute path without links of what exists of `path`, and the names that do not exist yet. */
static int
resolve_path(const char *path, ncz_buf *out)
{
    char *parent = ncz_strdup(path), *real = NULL;
    int   rc = NC_NOERR;

    if (parent == NULL)
        return ncz_fail_nomem(strlen(path) + 1);
    while ((real = ncz_sys_realpath(parent[0] != '\0' ? parent : ".")) == NULL) {
        if (errno != ENOENT && errno != ENOTDIR) {
            rc = ncz_fail_errno(errno, "%s", path);
            goto done;
        }
        if (!cut_name(parent)) {
            rc = ncz_fail_errno(ENOENT, "%s", path); /* there is no working directory */
            goto done;
        }
    }
    if ((rc = ncz_buf_puts(out, strcmp(real, "/") != 0 ? real : "")) == NC_NOERR)
        rc = append_names(out, path + strlen(parent));
done:
    free(real);
    ncz_free(parent);
    return rc;
}

static bool
identify(const char *path, ncz_stat *st)
{
    return ncz_system.name.fstatat(AT_FDCWD, path, st, 0) == 0 && st->st_ino != 0;
}

/* True if `path` is the folder, or below it. */
static bool
is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return strncmp(path, folder, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* True if what `path` leads to is the folder, or in it. */
static int
is_inside(const char *path, const char *folder, bool *yes)
{
    ncz_stat want, st;
    char    *parent;

    *yes = false;
    if (!identify(folder, &want) || !S_ISDIR(want.st_mode))
        return NC_NOERR;
    if ((parent = ncz_strdup(path)) == NULL)
        return ncz_fail_nomem(strlen(path) + 1);
    do
        *yes = identify(parent, &st) && st.st_ino == want.st_ino && st.st_dev == want.st_dev;
    while (!*yes && cut_name(parent) && parent[0] != '\0');
    ncz_free(parent);
    return NC_NOERR;
}

int
ncz_path_overlap(const char *a, const char *b, bool *overlap)
{
    ncz_buf one = NCZ_BUF_INIT, two = NCZ_BUF_INIT;
    int     rc;

    if ((rc = resolve_path(a, &one)) != NC_NOERR || (rc = resolve_path(b, &two)) != NC_NOERR)
        goto done;
    *overlap = is_below(ncz_buf_str(&one), ncz_buf_str(&two)) || is_below(ncz_buf_str(&two), ncz_buf_str(&one));
    if (!*overlap && (rc = is_inside(ncz_buf_str(&one), ncz_buf_str(&two), overlap)) == NC_NOERR && !*overlap)
        rc = is_inside(ncz_buf_str(&two), ncz_buf_str(&one), overlap);
done:
    ncz_buf_clear(&one);
    ncz_buf_clear(&two);
    return rc;
}

int
ncz_archive_overlap(const char *path, const char *archive, bool *overlap)
{
    int   rc = ncz_path_overlap(path, archive, overlap);
    char *temporary;

    for (size_t i = 0; rc == NC_NOERR && !*overlap && (temporary = ncz_zip_temporary(archive, i)) != NULL; i++) {
        rc = ncz_path_overlap(path, temporary, overlap);
        ncz_free(temporary);
    }
    return rc;
}
