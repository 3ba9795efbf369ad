/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file store's record of its own changes: what is not yet durable, for sync, and what this session created, for
 * discard, which removes exactly that and nothing that others put beside it.
 *
 * Both lists are guarded by the store's lock, which is never held during a system call.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <string.h>

/*
 * Limits of the paths recorded one by one. Beyond LISTED_MOST one syncfs is cheaper than the fsyncs, although it also
 * writes what other processes left unwritten. Where syncfs does not report write errors, the higher limit avoids it
 * and only bounds memory.
 */
#define LISTED_MOST        1024
#define LISTED_MOST_SILENT 65536

/* A thread that waits for fewer fsyncs is not worth its start. */
#define FLUSHES_EACH 8

/* ---- what this session created --------------------------------------------------------------------------------- */

zmap_node *
zmap_file_made_new(file_map *f, const char *path, size_t len, bool is_dir, int *rc)
{
    zmap_node *node = NULL;

    *rc = NC_NOERR;
    if (f->new_map && (node = zmap_node_new(&f->made, path, len, is_dir ? f : NULL)) == NULL)
        *rc = ncz_fail_nomem(sizeof *node + len + 1);
    return node;
}

void
zmap_file_made_link(file_map *f, zmap_node *node)
{
    bool linked;

    if (node == NULL)
        return;
    (void)pthread_mutex_lock(&f->lock);
    linked = zmap_index_link(&f->made, node);
    (void)pthread_mutex_unlock(&f->lock);
    if (!linked)
        zmap_node_free(node);
}

void
zmap_file_made_forget(file_map *f, const char *path, size_t len)
{
    zmap_node *node;

    if (!f->new_map)
        return;
    (void)pthread_mutex_lock(&f->lock);
    node = zmap_index_unlink(&f->made, path, len);
    (void)pthread_mutex_unlock(&f->lock);
    zmap_node_free(node);
}

bool
zmap_file_made_not(file_map *f, const char *path, size_t len)
{
    bool found;

    if (!f->new_map)
        return false;
    (void)pthread_mutex_lock(&f->lock);
    found = zmap_index_find(&f->made, path, len) != NULL;
    (void)pthread_mutex_unlock(&f->lock);
    return !found;
}

/* A file that no longer exists, or a directory to which others added something, is not a failure. */
static int
discard_one(file_map *f, const zmap_node *node)
{
    size_t      parent_len;
    const char *leaf = zmap_file_leaf(node->key, &parent_len);
    int         dir = zmap_file_beneath_part(f, node->key, parent_len, FILE_DIR_FLAGS);
    int         rc = NC_NOERR;

    if (dir < 0)
        return zmap_file_means_absent(errno) ? NC_NOERR : zmap_file_fail(f, errno, node->key, "cannot be removed");
    if (zmap_sys()->name.unlinkat(dir, leaf, node->value != NULL ? AT_REMOVEDIR : 0) != 0 && errno != ENOTEMPTY &&
        errno != EEXIST && errno != EISDIR && !zmap_file_means_absent(errno))
        rc = zmap_file_fail(f, errno, node->key, "cannot be removed");
    zmap_sys()->file.close(dir);
    return rc;
}

/* Removes the root only if it is empty and still the directory that this session created. */
static int
discard_root(file_map *f)
{
    ncz_stat ours, there;

    if (f->parent < 0)
        return NC_NOERR;
    if (zmap_sys()->file.fstat(f->root, &ours) != 0)
        return zmap_file_fail(f, errno, "", "cannot be inspected");
    if (zmap_sys()->name.fstatat(f->parent, f->name, &there, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? NC_NOERR : zmap_file_fail(f, errno, "", "cannot be inspected");
    if (ours.st_dev != there.st_dev || ours.st_ino != there.st_ino)
        return NC_NOERR;
    if (zmap_sys()->name.unlinkat(f->parent, f->name, AT_REMOVEDIR) != 0 && errno != ENOTEMPTY && errno != EEXIST)
        return zmap_file_fail(f, errno, "", "cannot be removed");
    return NC_NOERR;
}

int
zmap_file_discard(file_map *f)
{
    ncz_err first = {.code = NC_NOERR};
    int     rc;

    for (zmap_node *node = zmap_index_drain(&f->made), *next; node != NULL;
         node = next) { /* children before parents */
        next = node->next[0];
        rc = discard_one(f, node);
        if (rc != NC_NOERR && first.code == NC_NOERR)
            ncz_err_save(&first, rc);
        zmap_node_free(node);
    }
    rc = discard_root(f);
    return first.code == NC_NOERR ? rc : ncz_err_adopt(&first);
}

/* ---- what is not yet durable ----------------------------------------------------------------------------------- */

/* Gives the lists up: the next sync covers the whole file system. Call with the lock held. */
static void
unsynced_all(file_unsynced *u)
{
    u->all = true;
    zmap_index_clear(&u->files);
    zmap_index_clear(&u->dirs);
}

static void
touch_path(file_map *f, zmap_index *paths, const char *path, size_t len)
{
    file_unsynced *u = &f->unsynced;
    zmap_node     *node;

    (void)pthread_mutex_lock(&f->lock);
    if (!u->all && zmap_index_find(paths, path, len) == NULL) {
        /* The change has been made, so recording it must not fail: without a node the next sync uses syncfs. */
        node = u->files.n + u->dirs.n < f->listed ? zmap_node_new(paths, path, len, NULL) : NULL;
        if (node != NULL)
            zmap_index_link(paths, node);
        else
            unsynced_all(u);
    }
    (void)pthread_mutex_unlock(&f->lock);
}

void
zmap_file_touch_file(file_map *f, const char *key)
{
    touch_path(f, &f->unsynced.files, key, strlen(key));
}

void
zmap_file_touch_dir(file_map *f, const char *path, size_t len)
{
    touch_path(f, &f->unsynced.dirs, path, len);
}

/* syncfs() reports only errors that occur after the descriptor was opened. */
void
zmap_file_watch(file_map *f)
{
    f->listed = zmap_sys()->dir.syncfs_tells() ? LISTED_MOST : LISTED_MOST_SILENT;
    f->watch = zmap_file_beneath(f, "", FILE_READ_DIR);
}

int
zmap_file_check_failed(file_map *f)
{
    int rc = NC_NOERR;

    (void)pthread_mutex_lock(&f->lock);
    if (f->failure.code != NC_NOERR)
        rc = ncz_err_adopt(&f->failure);
    (void)pthread_mutex_unlock(&f->lock);
    return rc;
}

/* Makes a failure permanent. */
static int
set_failed(file_map *f, int rc)
{
    (void)pthread_mutex_lock(&f->lock);
    if (f->failure.code == NC_NOERR)
        ncz_err_save(&f->failure, rc);
    (void)pthread_mutex_unlock(&f->lock);
    return rc;
}

/* Repeats an interrupted fsync, which has done nothing and reported nothing. Any other failure is permanent. */
int
zmap_file_flush(file_map *f, int fd, const char *path, int (*flush)(int))
{
    while (flush(fd) != 0) {
        if (errno != EINTR)
            return set_failed(f, zmap_file_fail(f, errno, path, "could not be made durable"));
    }
    return NC_NOERR;
}

/* A path that was removed meanwhile needs no fsync: the directory that it was removed from gets one. */
static int
flush_path(file_map *f, const char *path, int flags, int (*flush)(int))
{
    int rc, fd = zmap_file_beneath(f, path, flags);

    if (fd < 0)
        return zmap_file_means_absent(errno) ? NC_NOERR
                                             : zmap_file_fail(f, errno, path, "cannot be opened to sync it");
    rc = zmap_file_flush(f, fd, path, flush);
    zmap_sys()->file.close(fd);
    return rc;
}

/* ---- many at once ---- */

/* Paths that several threads flush, and the result. */
typedef struct flushing {
    file_map         *f;
    const zmap_node **nodes;
    size_t            n;
    int               flags;
    int (*flush)(int fd);
    atomic_bool     stop; /* something failed; no further flush begins */
    pthread_mutex_t lock; /* guards err */
    ncz_err         err;  /* the first */
} flushing;

static void
flushing_failed(flushing *w, int rc)
{
    (void)pthread_mutex_lock(&w->lock);
    if (w->err.code == NC_NOERR)
        ncz_err_save(&w->err, rc);
    (void)pthread_mutex_unlock(&w->lock);
    atomic_store_explicit(&w->stop, true, memory_order_relaxed);
    ncz_err_clear();
}

static void
flush_one(void *arg, size_t i, ncz_scratch *scratch)
{
    flushing *w = arg;
    int       rc;

    (void)scratch;
    if (atomic_load_explicit(&w->stop, memory_order_relaxed))
        return;
    if ((rc = flush_path(w->f, w->nodes[i]->key, w->flags, w->flush)) != NC_NOERR)
        flushing_failed(w, rc);
}

/* Starts write-back of a file. A write error may be reported here and nowhere else, so it counts as a failed fsync. A
 * missing call, or a file that it does not apply to, is not a failure. */
static int
start_fd(int fd)
{
    if (zmap_sys()->file.start_write(fd) == 0 || errno == ENOSYS || errno == EINVAL || errno == ESPIPE ||
        errno == EBADF || errno == EOPNOTSUPP)
        return 0;
    return -1;
}

/* start: begins write-back of all files before it waits for the first. The file system can then allocate and write them
 * side by side, and mostly one commit of its journal serves them all. */
static int
flush_each(file_map *f, const zmap_index *paths, int flags, bool start)
{
    flushing w = {.f = f, .flags = flags, .flush = start_fd};
    int      rc;

    if (paths->n == 0)
        return NC_NOERR;
    if ((rc = pthread_mutex_init(&w.lock, NULL)) != 0)
        return ncz_fail_lock(rc);
    if ((w.nodes = ncz_alloc_n(paths->n, sizeof *w.nodes)) == NULL) {
        rc = ncz_fail_nomem(paths->n * sizeof *w.nodes);
        goto done;
    }
    for (const zmap_node *node = paths->head[0]; node != NULL; node = node->next[0])
        w.nodes[w.n++] = node;
    /* A single file gains nothing from an early start. */
    if (start && w.n > 1)
        ncz_pool_each(w.n, SIZE_MAX, flush_one, &w);
    w.flush = zmap_sys()->file.fsync;
    ncz_pool_each_waiting(w.n, w.n / FLUSHES_EACH + 1, flush_one, &w);
    rc = ncz_err_adopt(&w.err);
done:
    ncz_free(w.nodes);
    (void)pthread_mutex_destroy(&w.lock);
    return rc;
}

/* ---- files of other processes ---- */

static int
flush_joined(file_map *f)
{
    int    fds[FILE_JOINED_MOST], rc = NC_NOERR;
    size_t n;

    (void)pthread_mutex_lock(&f->lock);
    n = f->njoined;
    memcpy(fds, f->joined, n * sizeof *fds);
    f->njoined = 0;
    (void)pthread_mutex_unlock(&f->lock);
    for (size_t i = 0; i < n; i++) {
        if (rc == NC_NOERR)
            rc = zmap_file_flush(f, fds[i], "", zmap_sys()->file.fsync);
        zmap_sys()->file.close(fds[i]);
    }
    return rc;
}

void
zmap_file_joined(file_map *f, int fd)
{
    bool kept = false, never = atomic_load_explicit(&f->sync_never, memory_order_relaxed);

    if (!never && !atomic_load_explicit(&f->sync_each, memory_order_relaxed)) {
        (void)pthread_mutex_lock(&f->lock);
        if ((kept = f->njoined < FILE_JOINED_MOST))
            f->joined[f->njoined++] = fd;
        (void)pthread_mutex_unlock(&f->lock);
    }
    if (kept)
        return;
    if (!never)
        (void)zmap_file_flush(f, fd, "",
                              zmap_sys()->file.fsync); /* a failure is permanent, and the next call tells it */
    zmap_sys()->file.close(fd);
}

void
zmap_file_drop_joined(file_map *f)
{
    while (f->njoined > 0)
        zmap_sys()->file.close(f->joined[--f->njoined]);
}

/* Syncs the whole file system. */
static int
flush_all(file_map *f)
{
    return f->watch >= 0 ? zmap_file_flush(f, f->watch, "", zmap_sys()->dir.syncfs)
                         : flush_path(f, "", FILE_READ_DIR, zmap_sys()->dir.syncfs);
}

/* Syncs the parent directory of a root that this session created, because it contains the root's name. */
static int
flush_parent(file_map *f)
{
    int rc, fd;

    if (f->parent < 0)
        return NC_NOERR;
    if ((fd = zmap_sys()->name.openat(f->parent, ".", FILE_READ_DIR, 0)) < 0)
        return errno == EACCES ? flush_path(f, "", FILE_READ_DIR,
                                            zmap_sys()->dir.syncfs) /* unreadable: sync the whole file system */
                               : zmap_file_fail(f, errno, "", "its directory cannot be opened to sync it");
    rc = zmap_file_flush(f, fd, "", zmap_sys()->file.fsync);
    zmap_sys()->file.close(fd);
    return rc;
}

static int
flush_unsynced(file_map *f, const file_unsynced *u)
{
    int rc;

    if (u->all)
        return flush_all(f);
    if ((rc = flush_each(f, &u->files, NCZ_O_FSYNC | O_NONBLOCK | O_CLOEXEC,
                         !atomic_load_explicit(&f->early, memory_order_relaxed))) != NC_NOERR)
        return rc;
    return flush_each(f, &u->dirs, FILE_READ_DIR, false);
}

/*
 * Makes durable all that was put or removed before the call:
 *  1. take over the lists, so that other threads start new ones;
 *  2. fsync the files, then the directories in which a name changed, those of new directories among them, each once
 *     and several at a time; or, if there were too many to record, sync the whole file system;
 *  3. fsync the parent directory of a new root.
 * A failed fsync is permanent. A failure before one (no descriptor left, say) is not: the next sync covers the whole
 * file system.
 */
int
zmap_file_sync(zmap *m)
{
    file_map     *f = (file_map *)m;
    file_unsynced u;
    int           rc;

    (void)pthread_mutex_lock(&f->syncing);
    if ((rc = zmap_file_check_failed(f)) != NC_NOERR)
        goto done;
    atomic_store(&f->held_touched, false);
    (void)pthread_mutex_lock(&f->lock);
    u = f->unsynced;
    f->unsynced = (file_unsynced){.all = false};
    (void)pthread_mutex_unlock(&f->lock);

    if ((rc = flush_joined(f)) == NC_NOERR && (rc = flush_unsynced(f, &u)) == NC_NOERR && !f->root_synced &&
        (rc = flush_parent(f)) == NC_NOERR)
        f->root_synced = true;
    if (rc != NC_NOERR) {
        (void)pthread_mutex_lock(&f->lock);
        /* The lists of this call are about to be freed, and not all in them was flushed. */
        unsynced_all(&f->unsynced);
        (void)pthread_mutex_unlock(&f->lock);
    }
    zmap_index_clear(&u.files);
    zmap_index_clear(&u.dirs);
done:
    (void)pthread_mutex_unlock(&f->syncing);
    return rc;
}
