/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The directories that puts work in: opened, created where they are missing, and shared.
 *
 * All puts that are in a directory at the same time, on any thread, share one descriptor, and the last of them closes
 * it; so many puts into one directory open it once. If the directory is removed meanwhile, nothing can be created in
 * it, and the put that notices opens it again.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <string.h>

/* ---- making ---- */

/* Creates the directory path[0..len) in `parent`, which is path[0..parent_len), and opens it; *fd is -1, with errno,
 * if that fails. A directory that exists may be a link, so it is resolved from the root. */
static int
make_dir(file_map *f, int parent, char *path, size_t parent_len, size_t len, int *fd)
{
    size_t      skip = parent_len != 0 ? parent_len + 1 : 0;
    zmap_node  *node = NULL;
    char        end = path[len];
    const char *name = path + skip;
    int         rc, err;

    *fd = -1;
    /* Allocate the record first: once the directory exists, recording it must not fail. */
    node = zmap_file_made_new(f, path, len, true, &rc);
    if (rc != NC_NOERR)
        return rc;
    path[len] = '\0';
    if (zmap_sys()->name.mkdirat(parent, name, 0777) == 0) {
        zmap_file_made_link(f, node);
        node = NULL;
        zmap_file_touch_dir(f, path, parent_len);
        *fd = zmap_file_open_retry(parent, name, FILE_DIR_FLAGS | O_NOFOLLOW);
    } else if (errno == EEXIST) {
        *fd = zmap_file_beneath(f, path, FILE_DIR_FLAGS);
    } else if (errno != ENOENT) { /* ENOENT: a del removed the parent; the caller retries */
        rc = zmap_file_fail(f, errno, path, "its directory cannot be made");
    }
    err = errno;
    path[len] = end;
    zmap_node_free(node);
    errno = err;
    return rc;
}

/* Opens the nearest existing directory above path[0..*len) and cuts *len to it. The root always exists. Returns -1
 * with errno if something in the way is not a directory. */
static int
open_above(file_map *f, const char *path, size_t *len)
{
    for (;;) {
        int fd;

        while (*len > 0 && path[--*len] != '/')
            ;
        if (*len == 0)
            return f->root;
        if (zmap_file_made_not(f, path, *len))
            continue;
        fd = zmap_file_beneath_part(f, path, *len, FILE_DIR_FLAGS);
        if (fd >= 0 || errno != ENOENT)
            return fd;
    }
}

/* Creates the missing directories of `path` from the top down and opens the last one. *fd is -1, with errno, if
 * something else is in the way or a del removes what was just created. */
static int
make_dirs(file_map *f, char *path, int *fd)
{
    size_t at = strlen(path), end = at, next;
    int    rc = NC_NOERR, dir = open_above(f, path, &at), child;

    while (rc == NC_NOERR && dir >= 0 && at < end) {
        next = at + (at > 0);
        next += strcspn(path + next, "/");
        rc = make_dir(f, dir, path, at, next, &child);
        if (dir != f->root) {
            /* The caller reads errno, which close() may change. */
            int err = errno;

            zmap_sys()->file.close(dir);
            errno = err;
        }
        dir = child;
        at = next;
    }
    *fd = dir;
    return rc;
}

/* ---- sharing ---- */

/* Returns a directory that is in use already, with one more reference, or NULL. Call with the lock held. */
static file_dir *
find_open(file_map *f, const char *path, size_t len)
{
    for (file_dir *d = f->dirs; d != NULL; d = d->next)
        if (d->len == len && memcmp(d->path, path, len) == 0) {
            d->refs++;
            return d;
        }
    return NULL;
}

static file_dir *
find_open_locked(file_map *f, const char *path, size_t len)
{
    file_dir *d;

    (void)pthread_mutex_lock(&f->lock);
    d = find_open(f, path, len);
    (void)pthread_mutex_unlock(&f->lock);
    return d;
}

/* Call with the lock held. */
static void
unlink_dir(file_map *f, file_dir *d)
{
    for (file_dir **at = &f->dirs; *at != NULL; at = &(*at)->next)
        if (*at == d) {
            *at = d->next;
            break;
        }
}

/* Opens the directory of `d`, creating it and those above it where they are missing. */
static int
open_dir(file_map *f, const char *key, file_dir *d, bool *gone)
{
    bool missing = zmap_file_made_not(f, d->path, d->len);
    int  rc;

    if (!missing && (d->fd = zmap_file_beneath(f, d->path, FILE_DIR_FLAGS)) < 0)
        missing = errno == ENOENT;
    if (missing && (rc = make_dirs(f, d->path, &d->fd)) != NC_NOERR)
        return rc;
    if (d->fd >= 0)
        return NC_NOERR;
    *gone = errno == ENOENT;
    if (errno == ENOTDIR)
        return ncz_fail(NC_EOBJECT, "%s/%s: an object has the name of one of its prefixes", f->dir, key);
    return zmap_file_fail(f, errno, d->path, "its directory cannot be opened");
}

int
zmap_file_dir_open(file_map *f, const char *key, size_t len, file_dir **out, bool *gone)
{
    file_dir *d, *other;
    int       rc;

    *gone = false;
    if ((*out = find_open_locked(f, key, len)) != NULL)
        return NC_NOERR;
    if ((d = ncz_zalloc(sizeof *d + len + 1)) == NULL)
        return ncz_fail_nomem(sizeof *d + len + 1);
    d->refs = 1;
    d->len = len;
    memcpy(d->path, key, len);
    if (len == 0) {
        d->fd = f->root;
    } else if ((rc = open_dir(f, key, d, gone)) != NC_NOERR) {
        ncz_free(d);
        return rc;
    }
    (void)pthread_mutex_lock(&f->lock);
    /* Another put may have opened the directory meanwhile: share its descriptor and close ours. */
    if ((other = find_open(f, key, len)) == NULL) {
        d->next = f->dirs;
        f->dirs = d;
    }
    (void)pthread_mutex_unlock(&f->lock);
    *out = other != NULL ? other : d;
    if (other != NULL)
        zmap_file_dir_close(f, d);
    return NC_NOERR;
}

void
zmap_file_dir_close(file_map *f, file_dir *d)
{
    bool last;

    if (d == NULL)
        return;
    (void)pthread_mutex_lock(&f->lock);
    /* Unlinked under the lock, so that no put gets a descriptor that is about to be closed. */
    if ((last = --d->refs == 0))
        unlink_dir(f, d);
    (void)pthread_mutex_unlock(&f->lock);
    if (!last)
        return;
    if (d->fd != f->root)
        zmap_sys()->file.close(d->fd);
    ncz_free(d);
}

void
zmap_file_dir_drop(file_map *f, file_dir *d)
{
    if (d == NULL)
        return;
    (void)pthread_mutex_lock(&f->lock);
    unlink_dir(f, d);
    (void)pthread_mutex_unlock(&f->lock);
    zmap_file_dir_close(f, d);
}
