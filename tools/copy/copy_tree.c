/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_tree.c: removes what is in a directory. Follows no link and does not leave the file system. Whether it may be
 * removed the caller knows.
 */
#include "copy_int.h"

#include <errno.h>
#include <string.h>
#include <time.h>

enum { DEPTH_MOST = 512 }; /* directories that are open at a time */

typedef struct cleaner {
    const char *prefix; /* NULL: everything; else files whose names begin so */
    uint64_t    dev;
    time_t      before;         /* ... and that were written last before this; 0: whenever */
    bool        documents_stay; /* those of the dataset's root */
} cleaner;

static bool clean_directory(const cleaner *c, int dir, int depth);

/* By these a dataset is known, also one of which a part is removed. */
static bool
is_root_document(const char *name)
{
    const char *document;

    for (size_t v = 0; zarr_version_at(v) != 0; v++)
        for (size_t i = 0; (document = nczarr_document(zarr_version_at(v), i, NULL)) != NULL; i++)
            if (strncmp(name, document, strlen(document)) == 0)
                return true;
    return strncmp(name, ".nczarr-", 8) == 0;
}

static bool
clean_entry(const cleaner *c, int dir, const char *name, int depth)
{
    ncz_stat st;
    int      fd;
    bool     ok;

    if (c->documents_stay && depth == 0 && is_root_document(name))
        return true;
    if (ncz_system.name.fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT;
    if (!S_ISDIR(st.st_mode))
        return (c->prefix != NULL && strncmp(name, c->prefix, strlen(c->prefix)) != 0) ||
               (c->before != 0 && (time_t)st.st_mtime >= c->before) || ncz_system.name.unlinkat(dir, name, 0) == 0;
    if ((uint64_t)st.st_dev != c->dev || depth == DEPTH_MOST)
        return c->prefix != NULL;
    if ((fd = ncz_system.name.openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)) < 0)
        return false;
    ok = clean_directory(c, fd, depth + 1);
    return ok && (c->prefix != NULL || ncz_system.name.unlinkat(dir, name, AT_REMOVEDIR) == 0);
}

/* Closes `dir`. Goes on after a failure, whose errno it keeps. */
static bool
clean_directory(const cleaner *c, int dir, int depth)
{
    ncz_dir          *d = ncz_system.dir.fdopendir(dir);
    const ncz_dirent *e;
    int               err = 0;

    if (d == NULL) {
        err = errno;
        (void)ncz_system.file.close(dir);
        errno = err;
        return false;
    }
    for (errno = 0; (e = ncz_system.dir.readdir(d)) != NULL; errno = 0)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && !clean_entry(c, dir, e->d_name, depth))
            err = errno;
    err = errno != 0 ? errno : err;
    (void)ncz_system.dir.closedir(d);
    errno = err;
    return err == 0;
}

static bool
remove_below(const char *path, cleaner c)
{
    ncz_stat st;
    int      dir = ncz_system.name.openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);

    if (dir < 0)
        return false;
    if (ncz_system.file.fstat(dir, &st) != 0) {
        (void)ncz_system.file.close(dir);
        return false;
    }
    c.dev = (uint64_t)st.st_dev;
    return clean_directory(&c, dir, 0);
}

bool
copy_remove_all(const char *path)
{
    return remove_below(path, (cleaner){.documents_stay = true}) && remove_below(path, (cleaner){.prefix = NULL});
}

bool
copy_remove_temporaries(const char *path, const char *prefix)
{
    return remove_below(path, (cleaner){.prefix = prefix});
}

bool
copy_remove_stale(const char *path, const char *prefix, int seconds)
{
    return remove_below(path, (cleaner){.prefix = prefix, .before = time(NULL) - seconds});
}
