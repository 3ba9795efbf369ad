/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a path beneath the root to a descriptor, without ever leaving the root. Links inside the tree may be followed
 * as long as they stay there; where the system cannot promise that (no openat2), no link is followed at all.
 */
#include "zmap/zmap_file_int.h"

#include <errno.h>
#include <string.h>

#define AGAIN_MOST 64 /* EAGAIN: a rename raced with resolving a ".." of a link */

static int
open_retry(int dir, const char *path, int flags)
{
    int fd;

    do
        fd = zmap_sys()->openat(dir, path, flags, 0);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* A link on the way says ENOTDIR, as a plain file there does: tell them apart, for the one is an error and the other
 * absence. */
static void
explain_notdir(int dir, const char *name)
{
    struct stat st;

    if (errno != ENOTDIR)
        return;
    if (zmap_sys()->fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
        errno = ELOOP;
    else
        errno = ENOTDIR;
}

/* Segment by segment, following no link. `path` is cut up. */
static int
walk(int root, char *path, int flags)
{
    int dir = root;

    for (char *name = path, *slash;; name = slash + 1) {
        int fd, err;

        if ((slash = strchr(name, '/')) != NULL)
            *slash = '\0';
        fd = open_retry(dir, name, slash != NULL ? FILE_DIR_FLAGS | O_NOFOLLOW : flags | O_NOFOLLOW);
        if (fd < 0)
            explain_notdir(dir, name);
        err = errno;
        if (dir != root)
            zmap_sys()->close(dir);
        errno = err;
        if (fd < 0 || slash == NULL)
            return fd;
        dir = fd;
    }
}

static int
walk_copy(file_map *f, const char *path, int flags)
{
    char *copy = ncz_strdup(path);
    int   fd, err;

    if (copy == NULL) {
        errno = ENOMEM;
        return -1;
    }
    fd = walk(f->root, copy, flags);
    err = errno;
    ncz_free(copy);
    errno = err;
    return fd;
}

/* Whether the system just said that it has no such call; some sandboxes say EPERM. */
static bool
not_there(int err)
{
    return err == ENOSYS || err == EPERM;
}

int
zmap_file_beneath(file_map *f, const char *path, int flags)
{
    int fd, tries = 0;

    if (path[0] == '\0')
        return open_retry(f->root, ".", flags);
    if (!__atomic_load_n(&f->no_beneath, __ATOMIC_RELAXED)) {
        do
            fd = zmap_sys()->open_beneath(f->root, path, flags);
        while (fd < 0 && (errno == EINTR || (errno == EAGAIN && ++tries < AGAIN_MOST)));
        if (fd >= 0 || !not_there(errno))
            return fd;
        __atomic_store_n(&f->no_beneath, 1, __ATOMIC_RELAXED);
    }
    return walk_copy(f, path, flags);
}

int
zmap_file_beneath_part(file_map *f, const char *path, size_t len, int flags)
{
    char *part = ncz_strndup(path, len);
    int   fd, err;

    if (part == NULL) {
        errno = ENOMEM;
        return -1;
    }
    fd = zmap_file_beneath(f, part, flags);
    err = errno;
    ncz_free(part);
    errno = err;
    return fd;
}

bool
zmap_file_means_absent(int err)
{
    return err == ENOENT || err == ENOTDIR || err == ENAMETOOLONG;
}

int
zmap_file_fail(const file_map *f, int err, const char *path, const char *what)
{
    const char *slash = path[0] != '\0' ? "/" : "";

    if (err == EXDEV || err == ELOOP)
        return ncz_fail(NC_EACCESS, "%s%s%s: a link leads out of the dataset", f->dir, slash, path);
    return ncz_fail_errno(err, "%s%s%s: %s", f->dir, slash, path, what);
}

bool
zmap_file_reserved(const char *name)
{
    static const char theirs[] = ".partial"; /* zarr-python's */
    size_t            len = strlen(name);

    return strncmp(name, ZMAP_FILE_TEMP, strlen(ZMAP_FILE_TEMP)) == 0 ||
           (len >= strlen(theirs) && strcmp(name + len - strlen(theirs), theirs) == 0);
}

const char *
zmap_file_leaf(const char *key, size_t *parent_len)
{
    const char *slash = strrchr(key, '/');

    *parent_len = slash != NULL ? (size_t)(slash - key) : 0;
    return slash != NULL ? slash + 1 : key;
}
