/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The directories that puts work in: opened, made where they are missing, and shared.
 *
 * A directory is shared by all puts that are in it at the same time, on any thread, and closed by the last of them, so
 * that many puts into one directory open it once. It may be removed meanwhile: then nothing can be made in it, and the
 * put that finds out opens it again.
 */
#include "zmap/zmap_file_int.h"

#include <errno.h>
#include <string.h>

/* ---- making ---- */

/*
 * Makes the directory path[0..len) in `parent`, which is path[0..parent_len), and opens it: -1 and errno where that
 * fails. Being there already is fine, but then links are followed as far as they may be.
 */
static int
make_dir(file_map *f, int parent, char *path, size_t parent_len, size_t len, int *fd)
{
    size_t      skip = parent_len != 0 ? parent_len + 1 : 0;
    zmap_node  *node = NULL;
    char        end = path[len];
    const char *name = path + skip;
    int         rc, err;

    *fd = -1;
    node = zmap_file_made_new(f, path, len, true, &rc);
    if (rc != NC_NOERR)
        return rc;
    path[len] = '\0';
    if (zmap_sys()->mkdirat(parent, name, 0777) == 0) {
        zmap_file_made_link(f, node);
        node = NULL;
        zmap_file_touch_dir(f, path, parent_len);
        *fd = zmap_file_open_retry(parent, name, FILE_DIR_FLAGS | O_NOFOLLOW);
    } else if (errno == EEXIST) {
        *fd = zmap_file_beneath(f, path, FILE_DIR_FLAGS);
    } else if (errno != ENOENT) { /* ENOENT: a del took the parent; the caller finds out */
        rc = zmap_file_fail(f, errno, path, "its directory cannot be made");
    }
    err = errno;
    path[len] = end;
    zmap_node_free(node);
    errno = err;
    return rc;
}

/*
 * Opens the nearest directory above path[0..*len) that is there, and cuts *len down to it. The root is always there.
 * -1 and errno: what is in the way is no directory.
 */
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

/* Makes what is missing of the directories on `path`, from the top, and opens the last one. *fd is -1, with errno, when
 * something else is in the way or a del takes away again what is made here. */
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
            int err = errno;

            zmap_sys()->close(dir);
            errno = err;
        }
        dir = child;
        at = next;
    }
    *fd = dir;
    return rc;
}

/* ---- sharing ---- */

/* Under the lock: one that is in use already, with a reference more. */
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

/* Under the lock. */
static void
unlink_dir(file_map *f, file_dir *d)
{
    for (file_dir **at = &f->dirs; *at != NULL; at = &(*at)->next)
        if (*at == d) {
            *at = d->next;
            break;
        }
}

/* Opens the directory; with what is missing made, where it is not there. */
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
        return ncz_fail(NC_EOBJECT, "%s/%s: an object stands above it", f->dir, key);
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
    if ((last = --d->refs == 0))
        unlink_dir(f, d);
    (void)pthread_mutex_unlock(&f->lock);
    if (!last)
        return;
    if (d->fd != f->root)
        zmap_sys()->close(d->fd);
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
