/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file store: a directory tree in which each object is a plain file and each prefix a directory. This file opens
 * and closes it; zmap_file_int.h lists the others.
 *
 * The store keeps a descriptor of its root and resolves every path from it, so that neither a change of the working
 * directory nor a new name of the root redirects it. Any thread may use it at any time.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Releases everything; a descriptor or pointer that was not set is -1 or NULL. */
static void
file_free(file_map *f)
{
    if (f->root >= 0)
        zmap_sys()->file.close(f->root);
    if (f->parent >= 0)
        zmap_sys()->file.close(f->parent);
    if (f->watch >= 0)
        zmap_sys()->file.close(f->watch);
    if (f->held_own >= 0)
        zmap_sys()->file.close(f->held_own);
    zmap_file_drop_joined(f);
    ncz_free(f->held[0]);
    ncz_free(f->held[1]);
    zmap_index_clear(&f->made);
    zmap_index_clear(&f->unsynced.files);
    zmap_index_clear(&f->unsynced.dirs);
    (void)pthread_mutex_destroy(&f->syncing);
    (void)pthread_mutex_destroy(&f->lock);
    ncz_free(f->name);
    ncz_free(f->dir);
    ncz_free(f);
}

static int
file_close(zmap *m, zmap_end how)
{
    file_map *f = (file_map *)m;
    int       rc = NC_NOERR;

    if (how == ZMAP_DISCARD && f->new_map)
        rc = zmap_file_discard(f);
    file_free(f);
    return rc;
}

static const zmap_ops file_ops = {
    .name = "file",
    .get = zmap_file_get,
    .put = zmap_file_put,
    .del = zmap_file_del,
    .del_match = zmap_file_del_match,
    .list = zmap_file_list,
    .sync = zmap_file_sync,
    .close = file_close,
    .len = zmap_file_len,
    .put_range = zmap_file_put_range,
    .resize = zmap_file_resize,
    .rename = zmap_file_rename,
    .writer.begin = zmap_file_begin,
    .writer.append = zmap_file_append,
    .writer.commit = zmap_file_commit,
    .writer.abandon = zmap_file_abandon,
    .drafts = &zmap_file_drafts,
};

static int
file_new(const char *dir, zmap_open_how how, file_map **out)
{
    unsigned  caps = ZMAP_CAN_RANGE | ZMAP_CAN_FROM_END | ZMAP_CAN_LIST | ZMAP_FROM_WORKERS;
    file_map *f = ncz_zalloc(sizeof *f);
    int       err;

    if (f == NULL)
        return ncz_fail_nomem(sizeof *f);
    if (how != ZMAP_OPEN_READ)
        caps |= ZMAP_CAN_WRITE | ZMAP_CAN_REPLACE | ZMAP_CAN_IF_ABSENT | ZMAP_CAN_IF_MATCH | ZMAP_CAN_DEL_MATCH |
                ZMAP_CAN_SYNC | ZMAP_KEEPS_LEAVES | ZMAP_CAN_PARTS | ZMAP_CAN_PUT_RANGE | ZMAP_CAN_APPEND |
                ZMAP_CAN_DRAFT | ZMAP_CAN_COPY;
    *f = (file_map){.base = {.ops = &file_ops, .caps = caps, .refs = 1},
                    .root = -1,
                    .parent = -1,
                    .watch = -1,
                    .held_own = -1,
                    .held_fd = -1,
                    .new_map = how == ZMAP_CREATE_NEW};
    if ((err = pthread_mutex_init(&f->lock, NULL)) != 0)
        goto no_lock;
    if ((err = pthread_mutex_init(&f->syncing, NULL)) != 0) {
        (void)pthread_mutex_destroy(&f->lock);
        goto no_lock;
    }
    if ((f->dir = ncz_strdup(dir)) == NULL) {
        file_free(f);
        return ncz_fail_nomem(strlen(dir) + 1);
    }
    *out = f;
    return NC_NOERR;
no_lock:
    ncz_free(f);
    return ncz_fail_lock(err);
}

int
zmap_file_hold(zmap *m, const char *key, const char *later)
{
    return m->ops == &file_ops ? zmap_file_open_held((file_map *)m, key, later) : NC_NOERR;
}

int
zmap_file_make(zmap *m, const char *key, const char *like)
{
    zmap_put_req r = {.key = key, .when = ZMAP_IF_ABSENT};

    return m->ops == &file_ops ? zmap_file_make_like((file_map *)m, key, like) : zmap_put_batch(m, &r, 1);
}

int
zmap_file_names(zmap *m, const char *dir, size_t most, zmap_file_name_fn each, void *arg)
{
    return m->ops == &file_ops ? zmap_file_each_name((file_map *)m, dir, most, each, arg) : NC_NOERR;
}

bool
zmap_is_file(const zmap *m)
{
    return m->ops == &file_ops;
}

int
zmap_file_own(zmap *m, bool shared)
{
    return m->ops == &file_ops ? zmap_file_own_held((file_map *)m, shared) : NC_NOERR;
}

int
zmap_file_alone(zmap *m)
{
    return m->ops == &file_ops ? zmap_file_alone_held((file_map *)m) : NC_NOERR;
}

void
zmap_file_disown(zmap *m)
{
    if (m->ops == &file_ops)
        zmap_file_disown_held((file_map *)m);
}

int
zmap_file_guard(zmap *m, bool *held)
{
    *held = false;
    return m->ops == &file_ops ? zmap_file_guard_held((file_map *)m, held) : NC_NOERR;
}

int
zmap_file_guard_shared(zmap *m, bool *shared)
{
    *shared = false;
    return m->ops == &file_ops ? zmap_file_guard_shared_held((file_map *)m, shared) : NC_NOERR;
}

int
zmap_file_find_held(zmap *m, const char *key, zmap_held_name *out)
{
    *out = ZMAP_HELD_NAMED;
    return m->ops == &file_ops ? zmap_file_find_name((file_map *)m, key, out) : NC_NOERR;
}

int
zmap_file_lock(zmap *m)
{
    return m->ops == &file_ops ? zmap_file_lock_held((file_map *)m)
                               : ncz_fail(NC_ENOTBUILT, "the %s store has no locks", m->ops->name);
}

int
zmap_file_unlock(zmap *m)
{
    return m->ops == &file_ops ? zmap_file_unlock_held((file_map *)m) : NC_NOERR;
}

/* Randomness only makes collisions of temporary names rare. O_EXCL makes them harmless. */
static void
draw_tag(file_map *f)
{
    if (zmap_sys()->getrandom(&f->tag, sizeof f->tag, 0) != (ssize_t)sizeof f->tag)
        f->tag = (uint64_t)(uintptr_t)f ^ ((uint64_t)ncz_sys_pid() << 32);
}

static int
open_root(file_map *f, int dir, const char *path)
{
    if ((f->root = zmap_sys()->name.openat(dir, path, FILE_DIR_FLAGS, 0)) >= 0)
        return NC_NOERR;
    if (errno == ENOENT)
        return ncz_fail(NC_ENOOBJECT, "%s: no such directory", f->dir);
    if (errno == ENOTDIR)
        return ncz_fail(f->new_map ? NC_EOBJECT : NC_ENOOBJECT, "%s: is not a directory", f->dir);
    return ncz_fail_errno(errno, "%s: cannot be opened", f->dir);
}

/* ---- a new store ----------------------------------------------------------------------------------------------- */

/* Opens the parent directory of `dir` and copies the name that `dir` has there: "b" in "a" for "a/b//". */
static int
open_parent(file_map *f, const char *dir, int *parent, char **name)
{
    size_t len = strlen(dir), start;
    char  *path = NULL;
    int    rc = NC_NOERR;

    while (len > 1 && dir[len - 1] == '/')
        len--;
    for (start = len; start > 0 && dir[start - 1] != '/'; start--)
        ;
    *name = start == len ? ncz_strdup(".") : ncz_strndup(dir + start, len - start); /* "/" has no other name */
    path = start == 0 ? ncz_strdup(".") : ncz_strndup(dir, start);
    if (*name == NULL || path == NULL)
        rc = ncz_fail_nomem(len + 1);
    else if ((*parent = zmap_sys()->name.openat(AT_FDCWD, path, FILE_DIR_FLAGS, 0)) < 0)
        rc = errno == ENOENT || errno == ENOTDIR
                 ? ncz_fail(NC_ENOOBJECT, "%s: its parent directory does not exist", f->dir)
                 : ncz_fail_errno(errno, "%s: its parent directory cannot be opened", f->dir);
    ncz_free(path);
    return rc;
}

/* Stops at the first entry of any kind, also one that could never be an object. */
static int
check_empty(file_map *f)
{
    const ncz_dirent *e;
    ncz_dir          *d;
    int               fd, rc = NC_NOERR;

    if ((fd = zmap_file_beneath(f, "", FILE_READ_DIR)) < 0)
        return zmap_file_fail(f, errno, "", "cannot be listed");
    if ((d = zmap_sys()->dir.fdopendir(fd)) == NULL) {
        rc = zmap_file_fail(f, errno, "", "cannot be listed");
        zmap_sys()->file.close(fd);
        return rc;
    }
    do {
        errno = 0;
        e = zmap_sys()->dir.readdir(d);
    } while (e != NULL && (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0));
    if (e != NULL)
        rc = ncz_fail(NC_EOBJECT, "%s: exists and is not empty", f->dir);
    else if (errno != 0)
        rc = zmap_file_fail(f, errno, "", "cannot be listed");
    zmap_sys()->dir.closedir(d);
    return rc;
}

/* Creates the root, or accepts an empty directory that exists. For the latter `parent` stays -1, so that discard does
 * not remove it. */
static int
create_root(file_map *f, const char *dir)
{
    char *name = NULL;
    int   rc, parent = -1;

    if ((rc = open_parent(f, dir, &parent, &name)) != NC_NOERR)
        goto done;
    if (zmap_sys()->name.mkdirat(parent, name, 0777) == 0) {
        f->parent = parent; /* kept to remove the root and to sync its name */
        f->name = name;
        parent = -1;
        name = NULL;
        if ((rc = open_root(f, f->parent, f->name)) != NC_NOERR)
            zmap_sys()->name.unlinkat(f->parent, f->name, AT_REMOVEDIR);
    } else if (errno != EEXIST) {
        rc = ncz_fail_errno(errno, "%s: cannot be made", f->dir);
    } else if ((rc = open_root(f, AT_FDCWD, dir)) == NC_NOERR) {
        rc = check_empty(f);
    }
done:
    if (parent >= 0)
        zmap_sys()->file.close(parent);
    ncz_free(name);
    return rc;
}

/* Reports an unwritable directory at open. Otherwise the first put would report it, perhaps after much work. */
static int
check_writable(file_map *f)
{
    if (zmap_sys()->name.faccessat(f->root, ".", W_OK | X_OK, AT_EACCESS) != 0)
        return ncz_fail_errno(errno, "%s: cannot be written to", f->dir);
    return NC_NOERR;
}

static void
prepare_writing(file_map *f)
{
    draw_tag(f);
    zmap_file_watch(f);
}

int
zmap_file_open(const char *dir, zmap_open_how how, zmap **out)
{
    file_map *f = NULL;
    int       rc;

    if (dir == NULL || dir[0] == '\0')
        return ncz_fail(NC_EINVAL, "a directory without a name");
    if ((rc = file_new(dir, how, &f)) != NC_NOERR)
        return rc;
    rc = how == ZMAP_CREATE_NEW ? create_root(f, dir) : open_root(f, AT_FDCWD, dir);
    if (rc == NC_NOERR && how == ZMAP_OPEN_WRITE)
        rc = check_writable(f);
    if (rc != NC_NOERR) {
        file_free(f);
        return rc;
    }
    if (how != ZMAP_OPEN_READ)
        prepare_writing(f);
    *out = &f->base;
    return NC_NOERR;
}

/* ---- the directory of one file --------------------------------------------------------------------------------- */

/* The path with its links resolved; of a file that does not exist only a link of its name. */
static int
resolve_file(const char *path, char **out)
{
    char *real;

    if (path == NULL || path[0] == '\0' || path[strlen(path) - 1] == '/')
        return ncz_fail(NC_EINVAL, "\"%s\": is not the path of a file", path != NULL ? path : "");
    if ((real = ncz_sys_realpath(path)) == NULL && errno != ENOENT && errno != ENOTDIR)
        return ncz_fail_errno(errno, "%s: cannot be found", path);
    if (real == NULL && (real = ncz_sys_follow(path)) == NULL)
        return ncz_fail_errno(errno, "%s: cannot be found", path);
    *out = ncz_strdup(real);
    free(real); /* the system's */
    return *out != NULL ? NC_NOERR : ncz_fail_nomem(strlen(path) + 1);
}

/* Splits a path in place: `*dir` is "." or what precedes the name. */
static const char *
split_path(char *path, const char **dir)
{
    char *slash = strrchr(path, '/');

    *dir = slash == NULL ? "." : slash == path ? "/" : path;
    if (slash == NULL)
        return path;
    *slash = '\0';
    return slash + 1;
}

int
zmap_file_open_parent(const char *path, zmap_open_how how, zmap **out, char **name)
{
    file_map   *f = NULL;
    char       *real = NULL;
    const char *dir, *leaf;
    int         rc;

    if ((rc = resolve_file(path, &real)) != NC_NOERR)
        return rc;
    leaf = split_path(real, &dir);
    if (zmap_file_reserved(leaf))
        rc = ncz_fail(NC_EINVAL, "%s: such names are for temporary files", path);
    else if ((rc = file_new(dir, how == ZMAP_OPEN_READ ? how : ZMAP_OPEN_WRITE, &f)) == NC_NOERR)
        rc = open_root(f, AT_FDCWD, dir);
    if (rc == NC_NOERR && how == ZMAP_OPEN_WRITE &&
        zmap_sys()->name.faccessat(f->root, leaf, W_OK, AT_EACCESS) != 0 && errno != ENOENT)
        rc = ncz_fail_errno(errno, "%s: cannot be written to", path);
    if (rc == NC_NOERR && (*name = ncz_strdup(leaf)) == NULL)
        rc = ncz_fail_nomem(strlen(leaf) + 1);
    ncz_free(real);
    if (rc != NC_NOERR) {
        if (f != NULL)
            file_free(f);
        return rc;
    }
    if (how != ZMAP_OPEN_READ)
        prepare_writing(f);
    *out = &f->base;
    return NC_NOERR;
}

int
zmap_file_again(zmap *m, zmap_open_how how, zmap **out)
{
    const file_map *old = (const file_map *)m;
    file_map       *f = NULL;
    int             rc;

    if (m->ops != &file_ops)
        return ncz_fail(NC_ENOTBUILT, "the %s store is not a directory", m->ops->name);
    if ((rc = file_new(old->dir, how, &f)) != NC_NOERR)
        return rc;
    if ((rc = open_root(f, old->root, ".")) != NC_NOERR) {
        file_free(f);
        return rc;
    }
    atomic_store(&f->sync_each, atomic_load(&old->sync_each));
    atomic_store(&f->early, atomic_load(&old->early));
    if (how != ZMAP_OPEN_READ)
        prepare_writing(f);
    *out = &f->base;
    return NC_NOERR;
}

void
zmap_file_sync_never(zmap *m)
{
    file_map *f = (file_map *)m;

    if (m->ops != &file_ops)
        return;
    atomic_store_explicit(&f->sync_never, true, memory_order_relaxed);
    (void)pthread_mutex_lock(&f->lock);
    f->unsynced.all = true; /* records no paths; a sync that comes nevertheless covers the whole file system */
    (void)pthread_mutex_unlock(&f->lock);
}

void
zmap_file_write_early(zmap *m, bool yes)
{
    if (m->ops == &file_ops)
        atomic_store_explicit(&((file_map *)m)->early, yes, memory_order_relaxed);
}

int
zmap_file_sync_each(zmap *m)
{
    if (m->ops != &file_ops)
        return ncz_fail(NC_ENOTBUILT, "durability=each: for directories only, and this is the %s store",
                        m->ops->name);
    atomic_store_explicit(&((file_map *)m)->sync_each, true, memory_order_relaxed);
    return NC_NOERR;
}
