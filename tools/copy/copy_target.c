/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_target.c: creates and publishes the target, so that an interrupted copy does no harm.
 *
 * A directory is created as PATH.nczcopy and renamed when it is complete and closed, so that PATH is absent, old or
 * new. It is locked meanwhile: a second nczcopy is refused. The same holds for a file, of which nothing can be resumed.
 * An archive, and a netCDF-4 file in a bucket: the library lets it appear when it is closed; there is nothing to
 * resume. A dataset of Zarr elsewhere (S3): in its place, where commit=close keeps it from being seen before it is
 * complete, and the library lets one writer do it.
 *
 * The attribute first says that nothing is complete. A second commit, once everything is defined, makes it identify the
 * copy: only then can it be resumed, and no other copy by mistake.
 */
#include "copy_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGUN "copy by nczcopy, not complete and not resumable: start it again"

/* ---- creation ---- */

static bool
inspect(const char *path, ncz_stat *st)
{
    return ncz_system.name.fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool
exists(const char *path)
{
    ncz_stat st;

    return ncz_system.name.fstatat(AT_FDCWD, path, &st, 0) == 0;
}

static int
fail_removal(const char *path)
{
    return message_error(NC_ECANTREMOVE, "%s: cannot remove what an earlier copy left: %s", path, strerror(errno));
}

/* Is the open file or directory still the one with this name? */
static bool
is_at(int fd, const char *path)
{
    ncz_stat here, there;

    return ncz_system.file.fstat(fd, &here) == 0 && inspect(path, &there) && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

/* Locks the directory (`type` O_DIRECTORY) or file (0) at `path`; the lock ends with the process. `how`: LOCK_EX, with
 * LOCK_NB: without waiting; or LOCK_SH. NC_EEXIST: another process holds it; NC_ENOOBJECT: it is not there (any more).
 * On file systems without locks it succeeds. */
static int
lock_place(const char *path, int type, int how, int *fd)
{
    int d;

    if ((d = ncz_system.name.openat(AT_FDCWD, path, O_RDONLY | type | O_NOFOLLOW | O_CLOEXEC, 0)) < 0)
        return NC_ENOOBJECT;
    while (ncz_system.lock.flock(d, how) != 0) {
        if (errno == EWOULDBLOCK) {
            (void)ncz_system.file.close(d);
            return NC_EEXIST;
        }
        if (errno != EINTR)
            break;
    }
    if (!is_at(d, path)) { /* renamed or removed while we waited */
        (void)ncz_system.file.close(d);
        return NC_ENOOBJECT;
    }
    *fd = d;
    return NC_NOERR;
}

static int
fail_locked(const copy_target *t)
{
    return message_error(NC_EEXIST, "%s: another nczcopy is creating it", t->temp_path);
}

static int
ask_removable(const char *path, bool all, size_t *n)
{
    char *place = memory_textf("%s#%s", path, all ? "replace=all" : "mode=");
    int   rc = nczarr_inq_delete(place, n);

    free(place);
    return rc == NC_ENOOBJECT ? NC_NOERR : rc;
}

/* Whether what is at `path`, a directory, may be removed. NC_NOERR also if nothing is there. */
static int
check_removable(const copy_opts *o, const char *path, size_t *n)
{
    char  *why;
    size_t all;
    int    rc = ask_removable(path, o->replace_all, n);

    if (rc == NC_NOERR)
        return rc;
    why = memory_need(strdup(nczarr_errmsg()));
    message_print("%s is not replaced: %s%s", path, why,
                  !o->replace_all && ask_removable(path, true, &all) == NC_NOERR ? "; --replace-all removes it, too"
                                                                                 : "");
    free(why);
    return NC_EEXIST;
}

/* A file or link that is where the directory of the copy is to be made is nobody's that is known. */
static int
check_temp(const copy_opts *o, const copy_target *t)
{
    ncz_stat st;

    if (!inspect(t->temp_path, &st) || S_ISDIR(st.st_mode))
        return NC_NOERR;
    if (o->replace_all)
        return ncz_system.name.unlinkat(AT_FDCWD, t->temp_path, 0) == 0 ? NC_NOERR : fail_removal(t->temp_path);
    return message_error(
        NC_EEXIST,
        "%s: the copy is made under this name, and it exists and is not what an earlier copy left: move it "
        "away, or use --replace-all",
        t->temp_path);
}

/* Creates and locks the directory of the copy, which may contain what an earlier copy left. */
static int
lock_temp(const copy_opts *o, copy_target *t)
{
    int rc = NC_ENOOBJECT;

    for (int tries = 0; rc == NC_ENOOBJECT && tries < 100; tries++) {
        if ((rc = check_temp(o, t)) != NC_NOERR)
            return rc;
        if (ncz_system.name.mkdirat(AT_FDCWD, t->temp_path, 0777) != 0 && errno != EEXIST)
            return message_error(NC_ECANTCREATE, "%s: cannot be created: %s", t->temp_path, strerror(errno));
        rc = lock_place(t->temp_path, O_DIRECTORY, LOCK_EX | LOCK_NB, &t->lock);
    }
    return rc == NC_NOERR ? rc : fail_locked(t);
}

/* Of a file the library makes a new one, which has the name from the first nc_sync() on. Nobody may be writing
 * to one that is there. */
static int
check_temp_file(const copy_target *t)
{
    int fd = -1, rc = lock_place(t->temp_path, 0, LOCK_EX | LOCK_NB, &fd);

    if (fd >= 0)
        (void)ncz_system.file.close(fd);
    return rc == NC_EEXIST ? fail_locked(t) : NC_NOERR;
}

/* The copy that is to replace a file has its owner, group and mode from the first byte on: the library gives the file
 * that it makes those of this one, which is empty. What cannot be made, or is there, is a matter of nc_create(). */
static int
make_like_target(const copy_target *t)
{
    ncz_stat as;
    mode_t   mode;
    int      fd, err;

    if (!inspect(t->path, &as) || !S_ISREG(as.st_mode) ||
        (fd = ncz_system.name.openat(AT_FDCWD, t->temp_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                     0600)) < 0)
        return NC_NOERR;
    mode = as.st_mode & 07777;
    if (ncz_system.file.chown_as(fd, &as) != 0)
        mode &= (mode_t)~02070; /* the rights of another group */
    err = ncz_system.file.fchmod(fd, mode) == 0 ? 0 : errno;
    (void)ncz_system.file.close(fd);
    if (err == 0)
        return NC_NOERR;
    return message_error(NC_ECANTCREATE, "%s: its mode cannot be set: %s", t->temp_path, strerror(err));
}

/* The library holds a shared lock on a netCDF-4 file that it writes, which keeps an exclusive one of others out. */
static int
lock_temp_file(copy_target *t)
{
    int how = (t->netcdf4 ? LOCK_SH : LOCK_EX) | LOCK_NB;

    return lock_place(t->temp_path, 0, how, &t->lock) == NC_NOERR ? NC_NOERR : fail_locked(t);
}

/* A netCDF-4 file has its name from its only commit on, the last one: an empty file stands for it until then. */
static int
hold_temp_name(copy_target *t)
{
    int fd = ncz_system.name.openat(AT_FDCWD, t->temp_path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);

    if (fd >= 0) /* else nc_create() says why */
        (void)ncz_system.file.close(fd);
    return fd >= 0 ? lock_temp_file(t) : NC_NOERR;
}

/* Removes what an earlier copy left in it, or the dataset that the new one has replaced, which is checked. */
static int
empty_temp(const copy_target *t)
{
    return copy_remove_all(t->temp_path) ? NC_NOERR : fail_removal(t->temp_path);
}

static int
clear_temp(const copy_opts *o, const copy_target *t)
{
    size_t n;
    int    rc = check_removable(o, t->temp_path, &n);

    return rc == NC_NOERR ? empty_temp(t) : rc;
}

/* True if there is a dataset, even one that this library cannot open. */
static bool
has_root_document(const char *path)
{
    bool        has = false;
    const char *name;

    for (size_t v = 0; zarr_version_at(v) != 0; v++)
        for (size_t i = 0; !has && (name = nczarr_document(zarr_version_at(v), i, NULL)) != NULL; i++) {
            char *file = memory_textf("%s/%s", path, name);

            has = exists(file);
            free(file);
        }
    return has;
}

static int
fail_kept(const copy_target *t)
{
    return message_error(NC_EEXIST, "%s: exists", t->path != NULL ? t->path : t->parts.shown);
}

static bool
is_netcdf_file(const char *path)
{
    static const char hdf5[] = "\x89HDF\r\n\x1a\n";
    char              bytes[8] = "";
    int               fd = ncz_system.name.openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    ssize_t           n = fd >= 0 ? ncz_system.file.pread(fd, bytes, sizeof bytes, 0) : -1;

    if (fd >= 0)
        (void)ncz_system.file.close(fd);
    return (n > 3 && memcmp(bytes, "CDF", 3) == 0) ||
           (n == (ssize_t)sizeof bytes && memcmp(bytes, hdf5, sizeof bytes) == 0);
}

/* May a file replace what is there? Only a netCDF file of any kind, or one that is empty. */
static int
check_replaceable_file(const copy_opts *o, const copy_target *t)
{
    ncz_stat st;

    if (ncz_system.name.fstatat(AT_FDCWD, t->path, &st, 0) != 0)
        return NC_NOERR;
    if (o->keep)
        return fail_kept(t);
    if (S_ISREG(st.st_mode) && (st.st_size == 0 || o->replace_all || is_netcdf_file(t->path)))
        return NC_NOERR;
    return message_error(NC_EEXIST, "%s: exists and is not a netCDF file: it is not replaced%s", t->path,
                         S_ISREG(st.st_mode) ? "; --replace-all replaces it" : "");
}

/* Whether the dataset there may be replaced: one of Zarr that opens, of whatever version. */
static int
check_dataset(const copy_target *t)
{
    int ncid, version = 0, rc = nc_open(t->parts.path, NC_NOWRITE, &ncid);

    if (rc == NC_NOERR) {
        rc = nczarr_inq_zarr_format(ncid, &version, NULL);
        (void)nc_close(ncid);
        if (rc != NC_NOERR || version != 0)
            return rc;
        return message_error(NC_EEXIST, "%s: holds data of another format than Zarr: it is not replaced", t->path);
    }
    if (rc == NC_ENOTNC && !has_root_document(t->path))
        return NC_NOERR;
    return message_error(NC_EEXIST, "%s: exists and is not a dataset: it is not replaced; --replace-all replaces it",
                         t->path);
}

/* May the existing path be replaced? Only a dataset, an empty directory, or the remains of an interrupted writer, with
 * nothing else there. *n: objects that would go. */
static int
check_replaceable(const copy_opts *o, const copy_target *t, size_t *n)
{
    ncz_stat st;
    int      rc;

    *n = 0;
    if (!inspect(t->path, &st))
        return NC_NOERR;
    if (o->keep)
        return fail_kept(t);
    if (!o->replace_all && (rc = check_dataset(t)) != NC_NOERR)
        return rc;
    if (!S_ISDIR(st.st_mode))
        return message_error(NC_EEXIST, "%s: exists and is not a directory: it is not replaced", t->path);
    return check_removable(o, t->path, n);
}

/* What the mark of an open dataset says; NULL: it is absent. */
static char *
read_marker(int ncid)
{
    size_t len = 0;
    char  *text;

    if (nc_inq_attlen(ncid, NC_GLOBAL, UNFINISHED_ATT, &len) != NC_NOERR)
        return NULL;
    text = memory_alloc(len + 1, 1);
    if (nc_get_att_text(ncid, NC_GLOBAL, UNFINISHED_ATT, text) != NC_NOERR)
        text[0] = '\0';
    return text;
}

/* Where the unfinished copy is. */
static const char *
unfinished_path(const copy_target *t)
{
    return t->kind == COPY_DIR ? t->temp_path : t->parts.shown;
}

/* Opens what an interrupted copy left. NC_ENOTFOUND: nothing that could be continued. */
static int
open_unfinished(copy_target *t)
{
    char *mark;
    int   rc;

    if (!t->marks)
        return NC_ENOTFOUND;
    rc = nc_open(t->work, NC_WRITE | NCZARR_VERBATIM, &t->ncid);
    if (rc == NC_ENOTNC || rc == NC_ENOOBJECT || rc == NC_EEMPTY)
        return NC_ENOTFOUND;
    if (rc != NC_NOERR) /* it may exist: a failing server or disk must not cost what was copied */
        return message_fail(rc, unfinished_path(t));
    mark = read_marker(t->ncid);
    rc = mark == NULL || strcmp(mark, BEGUN) == 0 ? NC_ENOTFOUND
         : strcmp(mark, t->marker) == 0           ? NC_NOERR
                                                  : NC_EEXIST;
    free(mark);
    if (rc != NC_NOERR)
        (void)nc_close(t->ncid);
    if (rc == NC_EEXIST)
        message_print(
            "%s: an interrupted copy of something else, or with other options; without --resume it is replaced",
            unfinished_path(t));
    return rc;
}

/* Reports that the target, an archive or in a bucket, cannot be replaced: a hint follows where it helps. */
static int
fail_replace(const copy_opts *o, const copy_target *t, int rc)
{
    char  *all;
    size_t n;

    (void)message_fail(rc, t->parts.path);
    if (rc != NC_EEXIST || t->temp_path != NULL || o->replace_all || o->keep)
        return rc;
    all = copy_add_keys(t->url, "replace=all");
    if (all != NULL && nczarr_inq_delete(all, &n) == NC_NOERR)
        message_print("%s: --replace-all removes all that is there", t->parts.shown);
    free(all);
    return rc;
}

static int
put_marker(const copy_target *t, const char *text)
{
    int rc = nc_put_att_text(t->ncid, NC_GLOBAL, UNFINISHED_ATT, strlen(text), text);

    return rc == NC_NOERR ? rc : message_fail(rc, t->parts.path);
}

int
copy_target_open(const copy_opts *o, copy_target *t)
{
    int    mode = (o->keep && t->temp_path == NULL ? NC_NOCLOBBER : NC_CLOBBER) | (o->classic ? NC_CLASSIC_MODEL : 0);
    size_t n;
    int    rc;

    mode |= (o->memory_out ? NC_DISKLESS | NC_PERSIST : 0);
    mode |= t->kind == COPY_FILE || t->netcdf4 ? 0 : NCZARR_VERBATIM;
    if (t->kind == COPY_DIR && (rc = check_replaceable(o, t, &n)) != NC_NOERR)
        return rc;
    if (t->kind == COPY_FILE &&
        ((rc = check_replaceable_file(o, t)) != NC_NOERR || (rc = check_temp_file(t)) != NC_NOERR))
        return rc;
    if ((rc = copy_check_stores(o, t)) != NC_NOERR || (t->kind == COPY_DIR && (rc = lock_temp(o, t)) != NC_NOERR))
        return rc;
    if (o->resume && (rc = open_unfinished(t)) != NC_ENOTFOUND) {
        t->open = t->resumed = t->resumable = rc == NC_NOERR;
        if (t->resumed && t->kind == COPY_DIR)
            (void)copy_remove_temporaries(t->temp_path, ".nczarr-tmp-"); /* of the library */
        if (t->resumed)
            copy_set_unfinished(unfinished_path(t));
        return rc;
    }
    if (t->kind == COPY_DIR && (rc = clear_temp(o, t)) != NC_NOERR)
        return rc;
    if (t->kind == COPY_FILE && ((rc = make_like_target(t)) != NC_NOERR ||
                                 (t->netcdf4 && !t->in_memory && (rc = hold_temp_name(t)) != NC_NOERR)))
        return rc;
    if ((rc = nc_create(t->work, mode, &t->ncid)) != NC_NOERR)
        return fail_replace(o, t, rc);
    t->open = true;
    return t->marks ? put_marker(t, BEGUN) : NC_NOERR;
}

int
copy_target_begin(copy_target *t)
{
    int rc;

    if (!t->marks && (t->kind != COPY_FILE || t->in_memory || t->netcdf4))
        return NC_NOERR;
    if ((rc = nc_sync(t->ncid)) != NC_NOERR)
        return message_fail(rc, t->parts.path);
    if (t->kind == COPY_FILE)
        return lock_temp_file(t);
    (void)nc_redef(t->ncid); /* the classic model needs it for a longer text */
    if ((rc = put_marker(t, t->marker)) != NC_NOERR)
        return rc;
    (void)nc_enddef(t->ncid);
    if ((rc = nc_sync(t->ncid)) != NC_NOERR)
        return message_fail(rc, t->parts.path);
    copy_set_unfinished(unfinished_path(t));
    t->resumable = true;
    return NC_NOERR;
}

/* ---- completion ---- */

int
copy_target_finish(copy_target *t)
{
    int rc = NC_NOERR;

    if (t->marks) {
        (void)nc_redef(t->ncid); /* the classic model needs it */
        rc = nc_del_att(t->ncid, NC_GLOBAL, UNFINISHED_ATT);
        if (rc == NC_NOERR)
            rc = nc_enddef(t->ncid);
    }
    if (rc != NC_NOERR)
        return message_fail(rc, t->parts.path);
    t->open = false;
    if ((rc = nc_close(t->ncid)) != NC_NOERR)
        return message_fail(rc, t->parts.path);
    copy_set_unfinished(NULL);
    return NC_NOERR;
}

/* Makes the new name durable. */
static void
sync_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dir = slash == NULL ? memory_need(strdup(".")) : memory_need(strndup(path, (size_t)(slash - path) + 1));
    int   fd = ncz_system.name.openat(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

    if (fd >= 0) {
        (void)ncz_system.file.fsync(fd);
        (void)ncz_system.file.close(fd);
    }
    free(dir);
}

/* The new dataset has its final name: releases the lock. */
static int
finish_publish(copy_target *t)
{
    if (strstr(t->parts.fragment, "durability=none") == NULL)
        sync_parent(t->path);
    if (t->lock >= 0)
        (void)ncz_system.file.close(t->lock);
    t->lock = -1;
    return NC_NOERR;
}

int
copy_rename_temp(copy_target *t)
{
    if (ncz_system.name.renameat(AT_FDCWD, t->temp_path, AT_FDCWD, t->path) == 0)
        return finish_publish(t);
    return message_error(NC_ECANTCREATE, "%s: cannot be renamed to %s: %s", t->temp_path, t->path, strerror(errno));
}

/* One step where the system can exchange names. The old dataset is locked before it gets the name that ours had, so
 * that no other nczcopy begins in it while it is removed. It is checked once more under that name: what somebody has
 * put there meanwhile stays, and so does the old dataset. */
static bool
exchange_names(const copy_opts *o, copy_target *t, int *rc)
{
    int    old = -1;
    size_t n;

    (void)lock_place(t->path, O_DIRECTORY, LOCK_EX, &old);
    if (ncz_system.name.rename_swap(AT_FDCWD, t->temp_path, AT_FDCWD, t->path) != 0) {
        if (old >= 0)
            (void)ncz_system.file.close(old);
        return false;
    }
    if ((*rc = check_removable(o, t->temp_path, &n)) != NC_NOERR) {
        (void)ncz_system.name.rename_swap(AT_FDCWD, t->temp_path, AT_FDCWD, t->path);
    } else {
        *rc = finish_publish(t);
        if (empty_temp(t) != NC_NOERR || ncz_system.name.unlinkat(AT_FDCWD, t->temp_path, AT_REMOVEDIR) != 0)
            *rc = NC_ECANTREMOVE;
    }
    if (old >= 0)
        (void)ncz_system.file.close(old);
    return true;
}

static int
replace_target(const copy_opts *o, copy_target *t)
{
    char *place;
    int   rc;

    if (exchange_names(o, t, &rc))
        return rc;
    place = memory_textf("%s#%s", t->path, o->replace_all ? "replace=all" : "mode=");
    rc = nc_delete(place);
    free(place);
    return rc == NC_NOERR ? copy_rename_temp(t) : message_fail(rc, t->parts.path);
}

static int
publish_file(const copy_opts *o, copy_target *t)
{
    int rc;

    if (t->lock >= 0 && t->netcdf4) { /* the file has taken the place of the empty one */
        (void)ncz_system.file.close(t->lock);
        t->lock = -1;
        if ((rc = lock_temp_file(t)) != NC_NOERR)
            return rc;
    }
    if (t->lock >= 0 && !is_at(t->lock, t->temp_path))
        return fail_locked(t);
    return (rc = check_replaceable_file(o, t)) != NC_NOERR ? rc : copy_rename_temp(t);
}

int
copy_target_publish(const copy_opts *o, copy_target *t)
{
    size_t n;
    int    rc;

    if (t->kind == COPY_FILE)
        return publish_file(o, t);
    if (t->kind != COPY_DIR)
        return NC_NOERR;
    if (!exists(t->path))
        return copy_rename_temp(t);
    if ((rc = check_replaceable(o, t, &n)) != NC_NOERR) /* it may have been created or changed meanwhile */
        return rc;
    return replace_target(o, t);
}

/* An archive or a bucket. */
static int
foresee_elsewhere(const copy_opts *o, const copy_target *t, size_t *n)
{
    int rc = nczarr_inq_delete(t->url, n);

    if (rc == NC_ENOOBJECT || rc == ENOENT)
        return NC_NOERR;
    if (rc == NC_NOERR && o->keep)
        return fail_kept(t);
    return rc == NC_NOERR ? rc : fail_replace(o, t, rc == NC_ENOTNC ? NC_EEXIST : rc);
}

/* What is where the copy is made. */
static int
foresee_temp(const copy_opts *o, const copy_target *t)
{
    ncz_stat st;
    size_t   n;

    if (!inspect(t->temp_path, &st) || o->replace_all)
        return NC_NOERR;
    return S_ISDIR(st.st_mode) ? check_removable(o, t->temp_path, &n) : check_temp(o, t);
}

int
copy_target_foresee(const copy_opts *o, const copy_target *t)
{
    size_t n = 0;
    int    rc = NC_NOERR;

    if (t->kind == COPY_FILE) {
        if ((rc = check_replaceable_file(o, t)) == NC_NOERR)
            n = exists(t->path);
    } else if (t->kind == COPY_DIR) {
        if ((rc = foresee_temp(o, t)) == NC_NOERR)
            rc = check_replaceable(o, t, &n);
    } else {
        rc = foresee_elsewhere(o, t, &n);
    }
    if (rc == NC_NOERR && n > 0)
        printf("replaces %zu %s at %s\n", n, n == 1 ? "object" : "objects", t->parts.shown);
    return rc;
}

/* Of a file, before it has its head. */
static void
remove_empty(const copy_target *t)
{
    ncz_stat st;

    if (t->temp_path != NULL && inspect(t->temp_path, &st) && S_ISREG(st.st_mode) && st.st_size == 0)
        (void)ncz_system.name.unlinkat(AT_FDCWD, t->temp_path, 0);
}

/* Removes the directory if nothing is in it, and a file that is not complete. */
static void
remove_temp(copy_target *t)
{
    if (t->kind == COPY_DIR)
        (void)ncz_system.name.unlinkat(AT_FDCWD, t->temp_path, AT_REMOVEDIR);
    else if (is_at(t->lock, t->temp_path))
        (void)ncz_system.name.unlinkat(AT_FDCWD, t->temp_path, 0);
    (void)ncz_system.file.close(t->lock);
}

void
copy_target_clear(copy_target *t)
{
    /* What is copied, but in the cache alone, need not be copied again. In a bucket it may be somebody else's by
     * now. */
    if (t->open && t->resumable && t->kind == COPY_DIR)
        (void)nc_sync(t->ncid);
    if (t->open)
        (void)nc_abort(t->ncid);
    if (t->lock >= 0)
        remove_temp(t);
    else if (t->kind == COPY_FILE)
        remove_empty(t);
    nczarr_path_clear(&t->parts);
    free(t->url);
    free(t->path);
    free(t->temp_path);
    free(t->temp_place);
    free(t->work);
    free(t->marker);
    *t = (copy_target){.ncid = -1, .lock = -1};
}
