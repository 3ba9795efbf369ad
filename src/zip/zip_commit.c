/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The partial file of an archive that is being written, and how it replaces the archive.
 *
 *  1. Open and lock the archive, if it exists, then the partial file. A writer that cannot lock both is refused. A
 *     lock counts only while the name still refers to the locked file.
 *  2. The first change copies the archive's entries to the partial file. New entries follow them.
 *  3. Commit: write the directory after the last entry, cut the file there and sync it.
 *  4. Rename it over the archive, and sync the archive's directory.
 *
 * If more may follow, step 4 exchanges the two names where the system can do that. The next partial file is then made
 * of the old archive, once no reader has it open, by copying only the end. So a sync costs what is new, twice.
 *
 * Until step 4 the archive is untouched. From then on the lock on the former partial file is one on the archive, and
 * the next change begins at step 2 with another partial file. A partial file left by a killed writer is used again by
 * the next. A file of that name that no writer made is refused.
 */
#include "zip/zip_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PART_SUFFIX   ".nczarr.partial"
#define REPACK_SUFFIX ".nczarr-repack.partial"
#define OPEN_FLAGS    (O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define LOCK_TRIES    20
#define HEAD          64                  /* bytes that show what a file is */
#define REPACK_MIN    ((uint64_t)1 << 20) /* fewer dead bytes are not worth a copy */

static int
fail_place(const zip_map *m, int err, const char *what)
{
    return ncz_fail_errno(err, "%s: %s", m->path, what);
}

int
ncz_zip_check_failed(const zip_map *m)
{
    return m->failure.code != NC_NOERR ? ncz_err_adopt(&m->failure) : NC_NOERR;
}

static int
check_plain(const zip_map *m, int fd, ncz_stat *st)
{
    if (zmap_sys()->file.fstat(fd, st) != 0)
        return fail_place(m, errno, "cannot be inspected");
    if (!S_ISREG(st->st_mode))
        return ncz_fail(NC_ENOTNC, "%s: not a regular file", m->path);
    return NC_NOERR;
}

/* ---- 1: opening and locking ------------------------------------------------------------------------------------ */

/* A file system without locks gets a warning, not a failure, so that archives can be written there, too. */
static int
lock_archive(const zip_map *m, int fd)
{
    while (zmap_sys()->lock.flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        if (errno == EWOULDBLOCK)
            return ncz_fail(NC_EACCESS,
                            "%s: is being written already, by this process or another: an archive has one "
                            "writer at a time",
                            m->path);
        ncz_log(NCZ_LOG_WARN, "%s: the file system has no locks; nothing keeps a second writer away", m->path);
        break;
    }
    return NC_NOERR;
}

/* Whether `name` still refers to the file that `st` describes. */
static int
check_named(const zip_map *m, const char *name, const ncz_stat *st, bool *same)
{
    ncz_stat named;

    *same = false;
    if (zmap_sys()->name.fstatat(m->at.dir, name, &named, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? NC_NOERR : fail_place(m, errno, "cannot be inspected");
    *same = named.st_ino == st->st_ino && named.st_dev == st->st_dev;
    return NC_NOERR;
}

static mode_t
mode_of_new(const zip_map *m)
{
    return m->at.as.st_mode != 0 ? ZMAP_SYS_PRIVATE : 0666;
}

/* A file that is to replace the archive has its rights before it has any of its bytes. */
static int
take_rights(const zip_map *m, int fd)
{
    int err = m->at.as.st_mode != 0 ? zmap_sys_take_rights(fd, &m->at.as) : 0;

    return err == 0 ? NC_NOERR : fail_place(m, err, "the mode of its temporary file cannot be set");
}

static int
open_once(const zip_map *m, const char *name, int flags, int *fd)
{
    if ((*fd = zmap_sys()->name.openat(m->at.dir, name, flags | OPEN_FLAGS, mode_of_new(m))) >= 0 ||
        (errno == ENOENT && (flags & O_CREAT) == 0))
        return NC_NOERR;
    if (errno == EISDIR || errno == ELOOP)
        return ncz_fail(NC_EOBJECT, "%s: %s is not a regular file", m->path, name);
    return ncz_fail_errno(errno, "%s: %s cannot be opened for writing", m->path, name);
}

/* Opens `name` in the archive's directory and locks it. *fd is -1 if there is no such file, which without O_CREAT is
 * not a failure. */
static int
open_locked(const zip_map *m, const char *name, int flags, int *fd, ncz_stat *st)
{
    bool same;
    int  rc;

    for (int i = 0; i < LOCK_TRIES; i++) {
        if ((rc = open_once(m, name, flags, fd)) != NC_NOERR || *fd < 0)
            return rc;
        if ((rc = check_plain(m, *fd, st)) == NC_NOERR && (rc = lock_archive(m, *fd)) == NC_NOERR &&
            (rc = check_named(m, name, st, &same)) == NC_NOERR && same)
            return NC_NOERR;
        zmap_sys()->file.close(*fd);
        *fd = -1;
        if (rc != NC_NOERR)
            return rc; /* otherwise it was replaced before we had the lock */
    }
    return ncz_fail(NC_EACCESS, "%s: another writer has it open", m->path);
}

/* Whether `n` bytes are those of the archive that is to be replaced. */
static bool
begins_like_old(const zip_map *m, const unsigned char *head, size_t n)
{
    unsigned char old[HEAD];

    return m->at.old != NULL && zmap_sys()->file.pread(m->at.old->fd, old, n, 0) == (ssize_t)n &&
           memcmp(head, old, n) == 0;
}

/* Whether a file of the partial file's name may be overwritten. What a killed writer left is empty, or begins as an
 * archive does, or as the one that it was to replace; after a crash of the system perhaps with zeros. */
static int
check_left_over(const zip_map *m, int fd, const ncz_stat *st)
{
    static const unsigned char zeros[HEAD];
    unsigned char              head[HEAD];
    ssize_t                    n;

    if (st->st_size == 0)
        return NC_NOERR;
    if ((n = zmap_sys()->file.pread(fd, head, sizeof head, 0)) < 0)
        return fail_place(m, errno, "its temporary file cannot be read");
    if ((n >= 4 && (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0)) ||
        memcmp(head, zeros, (size_t)n) == 0 || begins_like_old(m, head, (size_t)n))
        return NC_NOERR;
    return ncz_fail(
        NC_EEXIST,
        "%s: %s has the name of its temporary file, and is not what a writer of an archive left: nothing is "
        "changed; rename that file",
        m->path, m->at.part);
}

static int
open_partial(zip_map *m)
{
    ncz_stat st;
    int      fd, rc;

    if ((rc = open_locked(m, m->at.part, O_RDWR | O_CREAT | O_NOFOLLOW, &fd, &st)) != NC_NOERR)
        return rc;
    if ((rc = check_left_over(m, fd, &st)) != NC_NOERR) {
        zmap_sys()->file.close(fd);
        return rc;
    }
    if (zmap_sys()->file.ftruncate(fd, 0) != 0)
        rc = fail_place(m, errno, "its temporary file cannot be truncated");
    if (rc == NC_NOERR && (rc = take_rights(m, fd)) == NC_NOERR)
        rc = ncz_zip_source_file(fd, m->path, 0, &m->at.partial);
    if (rc != NC_NOERR) {
        zmap_sys()->name.unlinkat(m->at.dir, m->at.part, 0);
        zmap_sys()->file.close(fd);
    }
    return rc;
}

static int
open_archive(zip_map *m, zmap_open_how how)
{
    ncz_stat    st;
    zip_source *s = NULL;
    int         fd, rc;

    if ((rc = open_locked(m, m->at.name, O_RDWR, &fd, &st)) != NC_NOERR)
        return rc;
    if (fd < 0)
        return how == ZMAP_CREATE_NEW ? NC_NOERR : ncz_fail(NC_ENOOBJECT, "%s: no such archive", m->path);
    m->at.there = true;
    m->at.as = st;
    if ((rc = ncz_zip_source_file(fd, m->path, (uint64_t)st.st_size, &s)) != NC_NOERR) {
        zmap_sys()->file.close(fd);
        return rc;
    }
    m->at.old = s;
    if (how == ZMAP_CREATE_NEW && !m->replace)
        return ncz_fail(NC_EOBJECT, "%s: exists", m->path);
    if (how != ZMAP_CREATE_NEW)
        m->src = ncz_zip_source_ref(s);
    return NC_NOERR;
}

/* The archive's own path, also where a link leads to nothing yet; for free(). NULL: the path as it is given. */
static char *
find_real(const char *path)
{
    char *real = ncz_sys_realpath(path);

    return real != NULL ? real : ncz_sys_follow(path);
}

char *
ncz_zip_temporary(const char *path, size_t i)
{
    static const char *const suffixes[] = {PART_SUFFIX, REPACK_SUFFIX};
    char                    *real = i < NCZ_LEN(suffixes) ? find_real(path) : NULL,
         *name = real != NULL ? ncz_sprintf("%s%s", real, suffixes[i]) : NULL;

    free(real);
    return name;
}

/* Opens the archive's directory and makes the names in it. Links are resolved first, so that the file is replaced and
 * not the link. */
static int
open_place(zip_map *m, const char *path)
{
    char       *real = find_real(path), *dir = NULL;
    const char *full = real != NULL ? real : path, *slash = strrchr(full, '/'),
               *name = slash != NULL ? slash + 1 : full;
    int rc = NC_NOERR;

    dir = slash == NULL ? ncz_strdup(".") : ncz_strndup(full, slash == full ? 1 : (size_t)(slash - full));
    m->at.name = ncz_strdup(name);
    m->at.part = ncz_sprintf("%s" PART_SUFFIX, name);
    m->at.repack = ncz_sprintf("%s" REPACK_SUFFIX, name);
    if (dir == NULL || m->at.name == NULL || m->at.part == NULL || m->at.repack == NULL)
        rc = ncz_fail_nomem(strlen(full));
    else if (name[0] == '\0')
        rc = ncz_fail(NC_EINVAL, "%s: an archive without a name", path);
    else if ((m->at.dir = zmap_sys()->name.openat(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)) < 0)
        rc = errno == ENOENT || errno == ENOTDIR ? ncz_fail(NC_ENOOBJECT, "%s: its directory does not exist", path)
                                                 : fail_place(m, errno, "its directory cannot be opened");
    ncz_free(dir);
    free(real);
    return rc;
}

static int
open_for_reading(zip_map *m, const char *path)
{
    ncz_stat st;
    int      fd, rc;

    if ((fd = zmap_sys()->name.openat(AT_FDCWD, path, O_RDONLY | OPEN_FLAGS, 0)) < 0)
        return errno == ENOENT || errno == ENOTDIR ? ncz_fail(NC_ENOOBJECT, "%s: no such archive", path)
                                                   : fail_place(m, errno, "cannot be opened");
    if ((rc = check_plain(m, fd, &st)) == NC_NOERR)
        rc = ncz_zip_source_file(fd, path, (uint64_t)st.st_size, &m->src);
    if (rc != NC_NOERR)
        zmap_sys()->file.close(fd);
    return rc;
}

int
ncz_zip_stage_open(zip_map *m, const char *path, zmap_open_how how)
{
    int rc;

    if (how == ZMAP_OPEN_READ)
        return open_for_reading(m, path);
    if ((rc = open_place(m, path)) != NC_NOERR || (rc = open_archive(m, how)) != NC_NOERR ||
        (rc = open_partial(m)) != NC_NOERR)
        return rc;
    if (how != ZMAP_CREATE_NEW)
        return NC_NOERR;
    m->src = m->at.partial;
    m->at.partial = NULL;
    m->staged = true;
    return NC_NOERR;
}

/* ---- 2: the first change --------------------------------------------------------------------------------------- */

static void
drop_spare(zip_map *m)
{
    if (m->at.spare == NULL)
        return;
    zmap_sys()->name.unlinkat(m->at.dir, m->at.part, 0);
    ncz_zip_source_unref(m->at.spare);
    m->at.spare = NULL;
}

/* Makes the previous archive the next partial file: it has all that the current one has but the end. Returns false,
 * and drops it, if a reader still has it open or the copy fails. */
static bool
take_spare(zip_map *m, zip_source **to)
{
    uint64_t common = m->at.spare_common;

    if (m->at.spare == NULL || zmap_sys()->lock.sole(m->at.spare->fd) != 0 ||
        ncz_zip_source_copy(m->src, common, m->at.spare, common, m->end - common) != NC_NOERR) {
        drop_spare(m);
        return false;
    }
    *to = m->at.spare;
    m->at.spare = NULL;
    return true;
}

/* Copies all entries to a partial file, sharing blocks where the file system can. */
static int
copy_entries(zip_map *m, zip_source **to)
{
    int rc = NC_NOERR;

    if (m->at.partial == NULL && (rc = open_partial(m)) != NC_NOERR)
        return rc;
    *to = m->at.partial;
    if (zmap_sys()->file.clone(m->src->fd, (*to)->fd) != 0)
        rc = ncz_zip_source_copy(m->src, 0, *to, 0, m->end);
    if (rc != NC_NOERR)
        (void)!zmap_sys()->file.ftruncate((*to)->fd, 0); /* frees the space, at least */
    else
        m->at.partial = NULL;
    return rc;
}

int
ncz_zip_stage(zip_map *m)
{
    zip_source *old = m->src, *to = NULL;
    int         rc;

    if (m->staged)
        return NC_NOERR;
    if (m->at.dir >= 0) {
        if (!take_spare(m, &to) && (rc = copy_entries(m, &to)) != NC_NOERR)
            return rc;
        if (m->at.old == NULL)
            m->at.old = ncz_zip_source_ref(old); /* keeps its lock */
        m->at.common = m->end;
        /* Readers get m->src under `lock`. Those that are in the old file keep it open. */
        pthread_rwlock_wrlock(&m->lock);
        m->src = to;
        pthread_rwlock_unlock(&m->lock);
        ncz_zip_source_unref(old);
    }
    m->staged = true;
    return NC_NOERR;
}

/* ---- 3, 4: commit ---------------------------------------------------------------------------------------------- */

/* A failed fsync is permanent: the bytes may be lost although they can still be read. */
static int
sync_fd(zip_map *m, int fd)
{
    int rc;

    if (atomic_load_explicit(&m->sync_never, memory_order_relaxed))
        return NC_NOERR;
    while (zmap_sys()->file.fsync(fd) != 0) {
        if (errno == EINTR)
            continue;
        rc = fail_place(m, errno, "cannot be made durable");
        ncz_err_save(&m->failure, rc);
        return rc;
    }
    return NC_NOERR;
}

/* Renames `from` over the archive that we have locked; if there was none, to a name that must not exist yet. With
 * `swap` the old archive may get the name `from` instead: *swapped. */
static int
rename_over(zip_map *m, const char *from, bool swap, bool *swapped)
{
    int dir = m->at.dir;

    *swapped = false;
    if (m->at.there) {
        if (swap && zmap_sys()->name.rename_swap(dir, from, dir, m->at.name) == 0) {
            *swapped = true;
            return NC_NOERR;
        }
        if (zmap_sys()->name.renameat(dir, from, dir, m->at.name) != 0)
            return fail_place(m, errno, "cannot be replaced by what was written");
        return NC_NOERR;
    }
    if (zmap_sys()->name.rename_new(dir, from, dir, m->at.name) == 0)
        return NC_NOERR;
    if (errno == ENOSYS || errno == EINVAL || errno == ENOTSUP) {
        if (zmap_sys()->name.linkat(dir, from, dir, m->at.name, 0) == 0) {
            zmap_sys()->name.unlinkat(dir, from, 0);
            return NC_NOERR;
        }
        if (errno != EEXIST && zmap_sys()->name.renameat(dir, from, dir, m->at.name) == 0) /* no hard links there */
            return NC_NOERR;
    }
    if (errno == EEXIST)
        return ncz_fail(NC_EOBJECT, "%s: appeared while it was written elsewhere: not replaced", m->path);
    return fail_place(m, errno, "cannot be renamed to its final name");
}

static bool
worth_repacking(const zip_map *m)
{
    if (m->nothers != 0 || m->front) /* foreign entries and bytes cannot be moved */
        return false;
    return m->sorted || (m->dead >= REPACK_MIN && m->dead > m->end / 3);
}

/* Repacks into a second file and makes it m->src; *partial then holds the partial one. Returns false if that fails;
 * the partial file is then committed as it is. */
static bool
repack_archive(zip_map *m, zip_source **partial)
{
    zip_source *to = NULL, *from = m->src;
    int         fd, rc;

    zmap_sys()->name.unlinkat(m->at.dir, m->at.repack, 0); /* left by a killed writer: we have the lock */
    fd = zmap_sys()->name.openat(m->at.dir, m->at.repack, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | OPEN_FLAGS,
                                 mode_of_new(m));
    if (fd < 0)
        return false;
    if ((rc = ncz_zip_source_file(fd, m->path, 0, &to)) != NC_NOERR)
        zmap_sys()->file.close(fd);
    else
        rc = take_rights(m, fd);
    if (rc == NC_NOERR && (rc = lock_archive(m, fd)) == NC_NOERR)
        rc = ncz_zip_repack(m, to);
    if (rc == NC_NOERR) {
        *partial = from;
        return true;
    }
    ncz_log(NCZ_LOG_WARN, "%s: not repacked: %s", m->path, ncz_err_text());
    ncz_zip_source_unref(to);
    zmap_sys()->name.unlinkat(m->at.dir, m->at.repack, 0);
    return false;
}

/* Steps 3 and 4, for m->src. */
static int
put_in_place(zip_map *m, const char *from, bool last)
{
    uint64_t size;
    bool     swapped;
    int      rc;

    if ((rc = ncz_zip_write_directory(m, m->src, &size)) != NC_NOERR)
        return rc;
    if (zmap_sys()->file.ftruncate(m->src->fd, (off_t)size) != 0)
        return fail_place(m, errno, "cannot be cut to its length");
    if ((rc = sync_fd(m, m->src->fd)) != NC_NOERR ||
        (rc = rename_over(m, from, !last && m->at.common != 0, &swapped)) != NC_NOERR)
        return rc;
    m->staged = m->changed = false;
    m->at.there = true;
    /* After an exchange the old archive has the partial file's name and can become the next one. */
    if (swapped) {
        m->at.spare = m->at.old;
        m->at.spare_common = m->at.common;
    } else {
        ncz_zip_source_unref(m->at.old);
    }
    m->at.old = NULL;
    m->at.common = 0;
    return sync_fd(m, m->at.dir);
}

int
ncz_zip_commit(zip_map *m, bool last)
{
    zip_source *partial = NULL;
    bool        repacked;
    int         rc;

    /* A new archive is committed even without a change, so that it exists. */
    if ((rc = ncz_zip_check_failed(m)) != NC_NOERR || m->at.dir < 0 || !(m->changed || (m->made && m->staged)))
        return rc;
    if ((rc = ncz_zip_stage(m)) != NC_NOERR)
        return rc;
    repacked = last && worth_repacking(m) && repack_archive(m, &partial);
    rc = put_in_place(m, repacked ? m->at.repack : m->at.part, last);
    if (repacked) { /* at most one of the two has become the archive */
        zmap_sys()->name.unlinkat(m->at.dir, m->at.part, 0);
        if (m->staged)
            zmap_sys()->name.unlinkat(m->at.dir, m->at.repack, 0);
        ncz_zip_source_unref(partial);
        m->at.partial_gone = true;
    }
    return rc;
}

/* ---- closing --------------------------------------------------------------------------------------------------- */

/* Removes the archive that this session created, if the name still refers to it. */
static int
remove_made(zip_map *m)
{
    ncz_stat st;
    bool     same;
    int      rc;

    if (!m->at.there || m->staged)
        return NC_NOERR;
    if ((rc = check_plain(m, m->src->fd, &st)) != NC_NOERR ||
        (rc = check_named(m, m->at.name, &st, &same)) != NC_NOERR || !same)
        return rc;
    if (zmap_sys()->name.unlinkat(m->at.dir, m->at.name, 0) != 0)
        return fail_place(m, errno, "cannot be removed");
    return NC_NOERR;
}

int
ncz_zip_stage_close(zip_map *m, zmap_end how)
{
    int rc = NC_NOERR;

    if (m->at.dir < 0)
        return NC_NOERR;
    if (how == ZMAP_DISCARD && m->made)
        rc = remove_made(m);
    else if (how != ZMAP_REVERT)
        rc = ncz_zip_commit(m, true);
    drop_spare(m);
    if ((m->staged && !m->at.partial_gone) || m->at.partial != NULL)
        zmap_sys()->name.unlinkat(m->at.dir, m->at.part, 0);
    return rc;
}

int
ncz_zip_remove(const char *path)
{
    zip_map  m = {.path = (char *)(uintptr_t)path, .at = {.dir = -1}};
    ncz_stat st;
    int      fd = -1, rc;

    if (path == NULL || path[0] == '\0')
        return ncz_fail(NC_EINVAL, "an archive without a name");
    if (zmap_sys()->name.fstatat(AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT || errno == ENOTDIR ? ncz_fail(NC_ENOOBJECT, "%s: no such archive", path)
                                                   : fail_place(&m, errno, "cannot be inspected");
    if (!S_ISREG(st.st_mode))
        return ncz_fail(NC_EOBJECT, "%s: not a regular file: not removed", path);
    if ((rc = open_place(&m, path)) == NC_NOERR && (rc = open_locked(&m, m.at.name, O_RDWR, &fd, &st)) == NC_NOERR &&
        zmap_sys()->name.unlinkat(m.at.dir, m.at.name, 0) != 0)
        rc = fail_place(&m, errno, "cannot be removed");
    if (fd >= 0)
        zmap_sys()->file.close(fd);
    if (m.at.dir >= 0)
        zmap_sys()->file.close(m.at.dir);
    ncz_free(m.at.name);
    ncz_free(m.at.part);
    ncz_free(m.at.repack);
    return rc;
}
