/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put of the file store.
 *
 * Invariant of puts: the name of an object only ever refers to complete bytes (zmap_file_change.c writes in place).
 * They are written to a file without a name, or under a name that readers ignore, and then named. So a reader, also one
 * after a kill, finds the old object or the new one. Threads and processes may put at once without coordination; a
 * directory that a del removed is created again.
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <string.h>

#define TRIES_MOST 64 /* lost races with a del, or taken temporary names, in a row */

#define PUT_RUN 8 /* requests of a batch per task: some hundred microseconds of work */

/* ---- the temporary --------------------------------------------------------------------------------------------- */

/* What a conditional put needs of the new file: a time of change of its own, and its version. Its bytes go on their way
 * to disk, too, as a rename that replaces a file sees to: exchanging names does not. Returns 0 or an errno. */
static int
stamp_temp(int fd, zmap_put_req *r)
{
    ncz_stat st;

    if (zmap_sys()->file.set_time(fd) != 0 && errno != ENOSYS && errno != ENOTSUP && errno != EPERM)
        return errno;
    if (zmap_sys()->file.fstat(fd, &st) != 0)
        return errno;
    zmap_file_stamp(&st, r->stored);
    return 0;
}

/* Whether bytes are sent on their way to disk. */
static bool
begins_write(const file_map *f, const zmap_put_req *r)
{
    return (r->when == ZMAP_IF_MATCH || atomic_load_explicit(&f->early, memory_order_relaxed)) &&
           !atomic_load_explicit(&f->sync_never, memory_order_relaxed) &&
           !atomic_load_explicit(&f->sync_each, memory_order_relaxed);
}

/* *gone: the directory no longer exists. */
static int
make_temp(file_map *f, int dir, const char *key, file_temp *t, bool *gone)
{
    int tries = 0;

    do {
        zmap_file_name_temp(f, t->name);
        t->fd = zmap_sys()->name.openat(
            dir, t->name, (t->readable ? O_RDWR : O_WRONLY) | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    } while (t->fd < 0 && (errno == EINTR || errno == EEXIST) && ++tries < TRIES_MOST);
    if (t->fd >= 0)
        return NC_NOERR;
    *gone = errno == ENOENT;
    return zmap_file_fail(f, errno, key, "a temporary file cannot be made for it");
}

int
zmap_file_temp_settle(file_map *f, const file_temp *t, zmap_put_req *r, int err)
{
    if (err == 0 && r->when != ZMAP_ALWAYS)
        err = stamp_temp(t->fd, r);
    if (err == 0 && begins_write(f, r))
        (void)zmap_sys()->file.start_write(t->fd); /* a failure shows in the next sync */
    /* Unlike in zmap_file_sync(), a failed fsync is not permanent here: the temporary is deleted, and the older
     * object stays. */
    if (err == 0 && atomic_load_explicit(&f->sync_each, memory_order_relaxed) && zmap_sys()->file.fsync(t->fd) != 0)
        err = errno;
    if (zmap_sys()->file.close(t->fd) != 0 && err == 0 && errno != EINTR) /* EINTR: closed nevertheless */
        err = errno;
    return err;
}

int
zmap_file_temp_end(file_map *f, int dir, file_temp *t, zmap_put_req *r, int err)
{
    if ((err = zmap_file_temp_settle(f, t, r, err)) == 0)
        return NC_NOERR;
    zmap_sys()->name.unlinkat(dir, t->name, 0);
    return zmap_file_fail(f, err, r->key, "cannot be written");
}

/* For file systems without RENAME_NOREPLACE: a second link to the bytes, which fails if the name exists, then removal
 * of the temporary name. */
static int
link_new(int dir, const char *temp, const char *leaf)
{
    if (zmap_sys()->name.linkat(dir, temp, dir, leaf, 0) != 0)
        return -1;
    zmap_sys()->name.unlinkat(dir, temp, 0);
    return 0;
}

/*
 * Replaces an older file by exchanging the two names and removing the temporary one, which then refers to the old
 * bytes. Some file systems write the new bytes to disk at once when a rename replaces a file, which takes five times
 * as long. False: the target is not a file, or the system lacks the call; nothing has changed.
 */
static bool
exchange_names(int dir, const char *temp, const char *leaf)
{
    if (zmap_sys()->name.rename_swap(dir, temp, dir, leaf) != 0)
        return false;
    if (zmap_sys()->name.unlinkat(dir, temp, 0) == 0 || (errno != EISDIR && errno != EPERM))
        return true;
    (void)zmap_sys()->name.rename_swap(dir, temp, dir, leaf); /* it was a directory: undo */
    return false;
}

static int
rename_to(const file_map *f, int dir, const char *temp, const char *leaf, zmap_when when)
{
    if (when == ZMAP_ALWAYS) {
        if (atomic_load_explicit(&f->sync_never, memory_order_relaxed) &&
            (zmap_sys()->name.rename_new(dir, temp, dir, leaf) == 0 ||
             (errno == EEXIST && exchange_names(dir, temp, leaf))))
            return 0;
        return zmap_sys()->name.renameat(dir, temp, dir, leaf);
    }
    if (zmap_sys()->name.rename_new(dir, temp, dir, leaf) == 0)
        return 0;
    return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP ? link_new(dir, temp, leaf) : -1;
}

/* Renames the temporary to the object's name. An empty directory in its way is not a prefix but left over from an
 * unfinished put or del, and is removed. */
static int
publish_temp(file_map *f, int dir, const char *temp, const zmap_put_req *r, const char *leaf)
{
    if (r->when == ZMAP_IF_MATCH)
        return zmap_file_replace(f, dir, temp, leaf, r);
    if (rename_to(f, dir, temp, leaf, r->when) == 0)
        return NC_NOERR;
    if (errno == EISDIR || errno == EEXIST || errno == ENOTEMPTY) {
        if (zmap_sys()->name.unlinkat(dir, leaf, AT_REMOVEDIR) == 0 && rename_to(f, dir, temp, leaf, r->when) == 0)
            return NC_NOERR;
        if (errno == ENOTDIR || errno == EEXIST || errno == ENOTEMPTY || errno == EISDIR)
            return ncz_fail(NC_EOBJECT, "%s/%s: %s", f->dir, r->key,
                            errno == ENOTDIR ? "exists" : "is the prefix of other objects");
    }
    return zmap_file_fail(f, errno, r->key, "cannot be renamed to its final name");
}

/* ---- put ------------------------------------------------------------------------------------------------------- */

int
zmap_file_check_put(file_map *f, const char *key, const char *leaf)
{
    const char *why;
    int         rc;

    if ((rc = zmap_file_check_failed(f)) != NC_NOERR)
        return rc;
    if ((why = ncz_sys_bad_path(key)) != NULL)
        return ncz_fail(NC_EBADNAME, "%s/%s: %s; an archive (.zip) may have such names", f->dir, key, why);
    if (zmap_file_reserved(leaf))
        return ncz_fail(NC_EINVAL, "%s/%s: such names are for temporary files", f->dir, key);
    return NC_NOERR;
}

/*
 * Gets the directory of a key. *d is kept if it is the right one, because most requests of a batch share a directory.
 */
static int
take_dir(file_map *f, const char *key, size_t len, file_dir **d, bool *gone)
{
    *gone = false;
    if (*d != NULL && (*d)->len == len && memcmp((*d)->path, key, len) == 0)
        return NC_NOERR;
    zmap_file_dir_close(f, *d);
    *d = NULL;
    return zmap_file_dir_open(f, key, len, d, gone);
}

int
zmap_file_temp_open(file_map *f, const char *key, file_dir **d, file_temp *t)
{
    size_t      parent_len;
    const char *leaf = zmap_file_leaf(key, &parent_len);
    bool        gone;
    int         rc, tries = 0;

    if ((rc = zmap_file_check_put(f, key, leaf)) != NC_NOERR)
        return rc;
    do {
        if ((rc = take_dir(f, key, parent_len, d, &gone)) == NC_NOERR)
            rc = make_temp(f, (*d)->fd, key, t, &gone);
        if (gone) {
            zmap_file_dir_drop(f, *d);
            *d = NULL;
        }
    } while (gone && ++tries < TRIES_MOST);
    return rc;
}

/* Records that an object has its name. `node`: made before, for what can fail. */
static void
record_put(file_map *f, const char *key, size_t parent_len, zmap_node *node)
{
    zmap_file_made_link(f, node);
    zmap_file_touch_file(f, key);
    zmap_file_touch_dir(f, key, parent_len);
}

int
zmap_file_temp_name(file_map *f, const file_dir *d, const file_temp *t, const zmap_put_req *r)
{
    size_t      parent_len;
    const char *leaf = zmap_file_leaf(r->key, &parent_len);
    int         rc;
    zmap_node  *node = zmap_file_made_new(f, r->key, strlen(r->key), false, &rc);

    if (rc != NC_NOERR || (rc = publish_temp(f, d->fd, t->name, r, leaf)) != NC_NOERR) {
        zmap_node_free(node);
        return rc;
    }
    record_put(f, r->key, parent_len, node);
    return NC_NOERR;
}

int
zmap_file_temp_publish(file_map *f, const file_dir *d, const file_temp *t, const zmap_put_req *r)
{
    int rc = zmap_file_temp_name(f, d, t, r);

    if (rc != NC_NOERR)
        zmap_sys()->name.unlinkat(d->fd, t->name, 0);
    return rc;
}

/* The rest of a put whose bytes come from another store. */
static int
put_copy(file_map *f, zmap_put_req *r, const file_dir *d, file_temp *t)
{
    int rc = zmap_file_copy(f, r->key, t->fd, 0, r->from, r->len);

    if (rc != NC_NOERR) {
        zmap_sys()->file.close(t->fd);
        zmap_sys()->name.unlinkat(d->fd, t->name, 0);
        return rc;
    }
    if ((rc = zmap_file_temp_end(f, d->fd, t, r, 0)) == NC_NOERR)
        rc = zmap_file_temp_publish(f, d, t, r);
    return rc;
}

/* ---- files without a name ---- */

/* The system, or the file system, has none, or cannot name one: then an object is put with a temporary name. */
static bool
means_no_unnamed(int err)
{
    return err == ENOSYS || err == ENOTSUP || err == EISDIR || err == EINVAL || err == EPERM || err == EXDEV;
}

/* Names one, and records it as a put does. Returns an errno in *err: EEXIST where there is one of this name. */
static int
name_unnamed(file_map *f, const file_dir *d, int fd, const zmap_put_req *r, int *err)
{
    size_t      parent_len;
    const char *leaf = zmap_file_leaf(r->key, &parent_len);
    int         rc;
    zmap_node  *node = zmap_file_made_new(f, r->key, strlen(r->key), false, &rc);

    if (rc != NC_NOERR)
        return rc;
    if ((*err = zmap_sys()->name.link_unnamed(fd, d->fd, leaf) == 0 ? 0 : errno) != 0) {
        zmap_node_free(node);
        return NC_NOERR;
    }
    record_put(f, r->key, parent_len, node);
    return NC_NOERR;
}

/* Gives it a temporary name. Returns 0 or an errno. */
static int
name_temp(file_map *f, int dir, int fd, file_temp *t)
{
    int tries = 0;

    do {
        zmap_file_name_temp(f, t->name);
        if (zmap_sys()->name.link_unnamed(fd, dir, t->name) == 0)
            return 0;
    } while (errno == EEXIST && ++tries < TRIES_MOST);
    return errno;
}

/* *done: false if it cannot be named. One that replaces an object gets a temporary name first. */
static int
publish_unnamed(file_map *f, const file_dir *d, int fd, const zmap_put_req *r, bool *done)
{
    file_temp t;
    int       err, rc = name_unnamed(f, d, fd, r, &err);

    *done = rc != NC_NOERR || err == 0;
    if (*done)
        return rc;
    if (err == EEXIST && (err = name_temp(f, d->fd, fd, &t)) == 0) {
        *done = true;
        return zmap_file_temp_publish(f, d, &t, r);
    }
    if (means_no_unnamed(err))
        atomic_store_explicit(&f->no_unnamed, true, memory_order_relaxed);
    else if (err != ENOENT) { /* that is a directory that is gone, or no /proc */
        *done = true;
        rc = zmap_file_fail(f, err, r->key, "cannot be given its name");
    }
    return rc;
}

/* Linux before 6.0 forgets the umask of such a file where there are no access lists. So one from whose mode nothing was
 * taken is not used: a umask of 0 costs time. Returns an errno. */
static int
check_mask(file_map *f, int fd, bool *masked)
{
    ncz_stat st;

    if (!(*masked = atomic_load_explicit(&f->masked, memory_order_relaxed))) {
        if (zmap_sys()->file.fstat(fd, &st) != 0)
            return errno;
        *masked = (st.st_mode & 0666) != 0666;
        atomic_store_explicit(&f->masked, *masked, memory_order_relaxed);
    }
    return 0;
}

/* What it is written through, *fd, and another one that is closed before it is named: a close that fails says that
 * bytes are lost. *fd -1: there are no such files, or the directory is gone. */
static int
open_unnamed(file_map *f, int dir, const char *key, int *fd, file_temp *t)
{
    bool none, masked = false;
    int  err;

    *fd = zmap_sys()->name.open_unnamed(dir, O_WRONLY | O_CLOEXEC, 0666);
    err = *fd < 0 ? errno : check_mask(f, *fd, &masked);
    none = *fd < 0 ? means_no_unnamed(err) : err == 0 && !masked;
    if (masked) {
        if ((t->fd = zmap_sys()->file.dup(*fd)) >= 0)
            return NC_NOERR;
        err = errno;
    }
    if (*fd >= 0)
        (void)zmap_sys()->file.close(*fd);
    *fd = -1;
    if (none)
        atomic_store_explicit(&f->no_unnamed, true, memory_order_relaxed);
    return none || err == ENOENT || err == EINTR
               ? NC_NOERR
               : zmap_file_fail(f, err, key, "a temporary file cannot be made for it");
}

static int
write_bytes(int fd, const zmap_put_req *r)
{
    return r->parts != NULL ? zmap_file_write_parts(fd, r->parts, r->nparts, 0)
                            : zmap_file_write_full(fd, r->data, r->len);
}

/* As put_one(), without a temporary name, which costs more than the bytes of a small object. *done: false if it has to
 * be put with one. */
static int
put_unnamed(file_map *f, zmap_put_req *r, file_dir **d, bool *done)
{
    size_t      parent_len;
    const char *leaf = zmap_file_leaf(r->key, &parent_len);
    file_temp   t;
    bool        gone;
    int         fd, err, rc;

    *done = false;
    if ((rc = zmap_file_check_put(f, r->key, leaf)) != NC_NOERR)
        return rc;
    if ((rc = take_dir(f, r->key, parent_len, d, &gone)) != NC_NOERR)
        return gone ? NC_NOERR : rc;
    if ((rc = open_unnamed(f, (*d)->fd, r->key, &fd, &t)) != NC_NOERR || fd < 0)
        return rc;
    err = zmap_file_temp_settle(f, &t, r, write_bytes(fd, r));
    *done = err != 0;
    rc = err != 0 ? zmap_file_fail(f, err, r->key, "cannot be written") : publish_unnamed(f, *d, fd, r, done);
    (void)zmap_sys()->file.close(fd);
    return rc;
}

/* ---- one put ---- */

/* Whether a put is likely to make an object. */
static bool
makes_object(file_map *f, const zmap_put_req *r)
{
    return r->from == NULL && r->when != ZMAP_IF_MATCH && !atomic_load_explicit(&f->no_unnamed, memory_order_relaxed);
}

/*
 * Puts one object, in this order, so that a kill after any step leaves the old object or the new one:
 *  1. open its directory, creating what is missing, or share it with a put that has it open;
 *  2. write a file without a name there, or a temporary (elsewhere could be another file system);
 *  3. fsync it, if zmap_file_sync_each() asked for that;
 *  4. give it the object's name: this is the moment of change;
 *  5. record file and directory, for sync and for discard. What step 5 needs is allocated before step 4.
 * Steps 1 and 2 start over if a del removes the directory between them.
 */
static int
put_one(file_map *f, zmap_put_req *r, file_dir **d)
{
    file_temp t = {.fd = -1};
    bool      done = false;
    int       rc, err;

    if (makes_object(f, r)) {
        if ((rc = put_unnamed(f, r, d, &done)) != NC_NOERR || done)
            return rc;
        ncz_err_clear();
    }
    if ((rc = zmap_file_temp_open(f, r->key, d, &t)) != NC_NOERR)
        return rc;
    if (r->from != NULL)
        return put_copy(f, r, *d, &t);
    err = write_bytes(t.fd, r);
    if ((rc = zmap_file_temp_end(f, (*d)->fd, &t, r, err)) == NC_NOERR)
        rc = zmap_file_temp_publish(f, *d, &t, r);
    return rc;
}

/* A batch, split into runs of neighbours, which mostly share a directory. */
typedef struct putting {
    zmap         *map;
    zmap_put_req *reqs;
    size_t        n, run;
} putting;

static void
put_task(void *arg, size_t i, ncz_scratch *scratch)
{
    const putting *p = arg;
    size_t         at = i * p->run;

    (void)scratch;
    (void)zmap_file_put(p->map, p->reqs + at, p->n - at < p->run ? p->n - at : p->run);
    ncz_err_clear(); /* each request has its own text */
}

int
zmap_file_put(zmap *m, zmap_put_req *reqs, size_t n)
{
    file_map *f = (file_map *)m;
    putting   p = {.map = m, .reqs = reqs, .n = n, .run = PUT_RUN};
    file_dir *d = NULL;

    /* A small batch is not worth waking other threads. */
    if (n > PUT_RUN && ncz_pool_threads() > 1) {
        ncz_pool_each((n + PUT_RUN - 1) / PUT_RUN, SIZE_MAX, put_task, &p);
        return NC_NOERR;
    }
    for (size_t i = 0; i < n; i++) {
        zmap_put_end(&reqs[i], put_one(f, &reqs[i], &d));
        zmap_file_drop_held(f, reqs[i].key);
    }
    zmap_file_dir_close(f, d);
    return NC_NOERR;
}
