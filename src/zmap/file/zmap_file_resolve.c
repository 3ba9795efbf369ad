/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resolves a path below the root where the system has no openat2(): name by name, following the links that stay below
 * the root.
 *
 * Every descriptor on the way is opened from the one before it, by a single name, with O_NOFOLLOW. So the walk begins
 * at the root and only goes down, whatever other processes rename meanwhile. A "..", which occurs only in the targets
 * of links, is resolved by walking down again from the root. A link with an absolute target leaves the root, as with
 * openat2().
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define LINKS_MOST 40   /* as in the kernel */
#define TEXT_MOST  4096 /* bytes of a path with its links resolved: the kernel's PATH_MAX */
#define AGAIN_MOST 64   /* retries: a link or directory was replaced during the walk */

int
zmap_file_open_retry(int dir, const char *name, int flags)
{
    int fd;

    do
        fd = zmap_sys()->name.openat(dir, name, flags, 0);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static void
close_keeping_errno(int fd)
{
    int err = errno;

    zmap_sys()->file.close(fd);
    errno = err;
}

/* Opens a name that must not be a link; ELOOP if it is. With O_DIRECTORY the system reports ENOTDIR for a link as for
 * a plain file, and with O_PATH alone it opens the link itself: both become ELOOP here. */
static int
open_no_link(int dir, const char *name, int flags)
{
    ncz_stat st;
    int      fd = zmap_file_open_retry(dir, name, flags | O_NOFOLLOW);

    if (fd < 0 && errno == ENOTDIR) {
        bool link = zmap_sys()->name.fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);

        errno = link ? ELOOP : ENOTDIR;
    } else if (fd >= 0 && (flags & (O_PATH | O_DIRECTORY)) == O_PATH && zmap_sys()->file.fstat(fd, &st) == 0 &&
               S_ISLNK(st.st_mode)) {
        zmap_sys()->file.close(fd);
        errno = ELOOP;
        fd = -1;
    }
    return fd;
}

/* Copies the first name of a path and returns what follows it; NULL if the name is too long. */
static const char *
cut_name(const char *path, char name[NAME_MAX + 1])
{
    size_t len = strcspn(path, "/");

    if (len > NAME_MAX) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    memcpy(name, path, len);
    name[len] = '\0';
    return path + len;
}

/* Opens a path without links; "" is the root itself. ELOOP: one of its names is a link. */
static int
walk_path(int root, const char *path, int flags)
{
    char name[NAME_MAX + 1];
    int  dir = root;

    if (path[0] == '\0')
        return zmap_file_open_retry(root, ".", flags);
    for (;;) {
        int fd = -1;

        if ((path = cut_name(path, name)) != NULL)
            fd = open_no_link(dir, name, path[0] != '\0' ? FILE_DIR_FLAGS : flags);
        if (dir != root)
            close_keeping_errno(dir);
        if (fd < 0 || path[0] == '\0')
            return fd;
        dir = fd;
        path++;
    }
}

/* ---- with links ---------------------------------------------------------------------------------------------- */

typedef struct trail {
    int    root;
    int    dir;    /* the directory `done`: the root, or a descriptor of the trail's own */
    int    nlinks; /* followed so far */
    size_t ndone, rest_at;
    char   done[TEXT_MOST + 1]; /* plain names below the root, joined by '/' */
    char   rest[TEXT_MOST + 1]; /* from rest_at: the part not yet resolved */
    char   name[NAME_MAX + 1];  /* the name being resolved */
} trail;

static void
move_to(trail *t, int dir)
{
    if (t->dir != t->root)
        close_keeping_errno(t->dir);
    t->dir = dir;
}

static bool
step_down(trail *t, int dir)
{
    size_t len = strlen(t->name), slash = t->ndone != 0;

    move_to(t, dir);
    if (t->ndone + slash + len > TEXT_MOST) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (slash != 0)
        t->done[t->ndone] = '/';
    memcpy(t->done + t->ndone + slash, t->name, len + 1);
    t->ndone += slash + len;
    return true;
}

/* Walks down from the root to the parent. Opening ".." could leave the root if a directory was moved meanwhile. */
static bool
step_up(trail *t)
{
    const char *slash = strrchr(t->done, '/');
    int         dir;

    if (t->ndone == 0) {
        errno = EXDEV;
        return false;
    }
    t->ndone = slash != NULL ? (size_t)(slash - t->done) : 0;
    t->done[t->ndone] = '\0';
    if (t->ndone == 0) {
        move_to(t, t->root);
        return true;
    }
    if ((dir = walk_path(t->root, t->done, FILE_DIR_FLAGS)) < 0) {
        /* These names were directories a moment ago: the tree has changed, so start over. */
        errno = errno == ELOOP || errno == ENOENT || errno == ENOTDIR ? EAGAIN : errno;
        return false;
    }
    move_to(t, dir);
    return true;
}

/* Inserts the target of the link `name` before the rest. The target is read into the free bytes before the rest. */
static bool
follow_link(trail *t)
{
    ssize_t len = zmap_sys()->name.readlinkat(t->dir, t->name, t->rest, t->rest_at);

    if (len < 0) {
        /* It was a link a moment ago: start over. */
        errno = errno == EINVAL || errno == ENOENT ? EAGAIN : errno;
        return false;
    }
    if (++t->nlinks > LINKS_MOST)
        errno = ELOOP;
    else if ((size_t)len == t->rest_at)
        errno = ENAMETOOLONG;
    else if (len == 0)
        errno = ENOENT;
    else if (t->rest[0] == '/')
        errno = EXDEV;
    else {
        t->rest_at -= (size_t)len;
        memmove(t->rest + t->rest_at, t->rest, (size_t)len);
        return true;
    }
    return false;
}

/* Takes the next name of the rest; false at its end. *last: nothing follows it, not even a slash. */
static bool
next_name(trail *t, bool *last, bool *fits)
{
    const char *end;

    *fits = true;
    while (t->rest[t->rest_at] == '/')
        t->rest_at++;
    if (t->rest[t->rest_at] == '\0')
        return false;
    if ((end = cut_name(t->rest + t->rest_at, t->name)) == NULL) {
        *fits = false;
        return false;
    }
    t->rest_at = (size_t)(end - t->rest);
    *last = *end == '\0';
    return true;
}

static void
start_trail(trail *t, int root, const char *path, size_t len)
{
    t->root = t->dir = root;
    t->nlinks = 0;
    t->ndone = 0;
    t->done[0] = '\0';
    t->rest_at = TEXT_MOST - len;
    memcpy(t->rest + t->rest_at, path, len + 1);
}

static int
resolve_trail(trail *t, int flags)
{
    bool last = false, fits;

    while (next_name(t, &last, &fits)) {
        int fd;

        if (strcmp(t->name, ".") == 0)
            continue;
        if (strcmp(t->name, "..") == 0) {
            if (!step_up(t))
                return -1;
            continue;
        }
        fd = open_no_link(t->dir, t->name, last ? flags : FILE_DIR_FLAGS);
        if (fd < 0 && errno == ELOOP) {
            if (!follow_link(t))
                return -1;
            continue;
        }
        if (fd < 0 || last)
            return fd;
        if (!step_down(t, fd))
            return -1;
    }
    return fits ? zmap_file_open_retry(t->dir, ".", flags) : -1;
}

static int
resolve_links(int root, const char *path, int flags)
{
    size_t len = strlen(path);
    trail *t;
    int    err, fd = -1;

    if (len > TEXT_MOST) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if ((t = ncz_alloc(sizeof *t)) == NULL) {
        errno = ENOMEM;
        return -1;
    }
    for (int tries = 0; tries < AGAIN_MOST; tries++) {
        start_trail(t, root, path, len);
        fd = resolve_trail(t, flags);
        move_to(t, root);
        if (fd >= 0 || errno != EAGAIN)
            break;
    }
    err = errno;
    ncz_free(t);
    errno = err;
    return fd;
}

int
zmap_file_resolve(int root, const char *path, int flags)
{
    int fd = walk_path(root, path, flags);

    return fd < 0 && errno == ELOOP ? resolve_links(root, path, flags) : fd;
}
