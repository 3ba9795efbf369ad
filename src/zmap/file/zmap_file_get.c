/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Get and list of the file store. An object is opened once and read to its end, directly into the caller's memory if
 * there is any. An object of the expected size costs open, read and close, and no other call.
 *
 * Only plain files are objects, and only where there is nothing an object is absent: a directory, device, FIFO or
 * socket is refused, and so is a link to nothing. (A device that delivers at once exactly as many bytes as are
 * expected, or some bytes and then EOF, is taken for an object. A user able to create such a thing could create the
 * file as well.)
 */
#include "zmap/file/zmap_file_int.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define GROW_STEP ((size_t)64 * 1024) /* reserved when an object is longer than its reported size */

static int
fail_directory(const file_map *f, const char *key)
{
    return ncz_fail(NC_EACCESS, "%s/%s: is a directory, where a file should be", f->dir, key);
}

/* What an open failed on because it found no file. A link to nothing is not an absent object, nor is one whose
 * directory is a file. */
static int
check_absent(file_map *f, const char *key, int err)
{
    ncz_stat st;

    /* The path was just resolved below the root; only its last name is looked at again. */
    if (zmap_sys()->name.fstatat(f->root, key, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
        return ncz_fail(NC_EACCESS, "%s/%s: is a link to a file that does not exist", f->dir, key);
    if (err == ENOTDIR)
        return ncz_fail(NC_EACCESS, "%s/%s: a directory above it is a file", f->dir, key);
    return NC_EEMPTY;
}

/* O_NONBLOCK keeps the open of a FIFO from waiting for a writer; it has no effect on a plain file. The result may
 * still be a directory or a special file: check_plain() decides. */
static int
open_object(file_map *f, const char *key, int *out)
{
    size_t parent_len;

    if (zmap_file_reserved(zmap_file_leaf(key, &parent_len)))
        return NC_EEMPTY;
    if ((*out = zmap_file_beneath(f, key, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) >= 0)
        return NC_NOERR;
    return zmap_file_means_absent(errno) ? check_absent(f, key, errno)
                                         : zmap_file_fail(f, errno, key, "cannot be opened");
}

/* Gets the size of a plain file, and refuses anything else. */
static int
check_plain(file_map *f, const char *key, int fd, uint64_t *size)
{
    ncz_stat st;

    if (zmap_sys()->file.fstat(fd, &st) != 0)
        return zmap_file_fail(f, errno, key, "cannot be inspected");
    if (S_ISDIR(st.st_mode))
        return fail_directory(f, key);
    if (!S_ISREG(st.st_mode))
        return ncz_fail(NC_EACCESS, "%s/%s: not a regular file", f->dir, key);
    *size = (uint64_t)st.st_size;
    return NC_NOERR;
}

int
zmap_file_read_full(file_map *f, const char *key, int fd, char *data, size_t len, off_t off, size_t *n)
{
    size_t have = 0;

    while (have < len) {
        ssize_t got = off < 0 ? zmap_sys()->file.read(fd, data + have, len - have)
                              : zmap_sys()->file.pread(fd, data + have, len - have, off + (off_t)have);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return zmap_file_fail(f, errno, key, "cannot be read");
        if (got == 0)
            break;
        have += (size_t)got;
    }
    *n = have;
    return NC_NOERR;
}

/* ---- all of an object ------------------------------------------------------------------------------------------ */

/* Reads a whole object into the caller's memory. The read asks for one byte more, which only a longer object has: a
 * read of exactly the expected length is then complete, and no fstat is needed. */
static int
read_into(file_map *f, zmap_get_req *r, int fd)
{
    char         probe;
    struct iovec to[2] = {{r->into, r->into_cap}, {&probe, 1}};
    uint64_t     size = 0;
    size_t       n, more = 0;
    ssize_t      got;
    int          rc;

    do
        got = zmap_sys()->file.readv(fd, to, 2);
    while (got < 0 && errno == EINTR);
    if (got >= 0 && (size_t)got == r->into_cap && got > 0) {
        r->nread = r->into_cap;
        return NC_NOERR;
    }
    n = got > 0 ? (size_t)got : 0;
    if ((rc = check_plain(f, r->key, fd, &size)) != NC_NOERR)
        return rc;
    if (n < r->into_cap) /* reads on; a failed readv fails again here, with its error */
        rc = zmap_file_read_full(f, r->key, fd, (char *)r->into + n, r->into_cap - n, -1, &more);
    if (rc != NC_NOERR)
        return rc;
    n += more;
    if (n > r->into_cap || size > r->into_cap)
        return ncz_fail(NC_ETRUNC, "%s/%s: %" PRIu64 " bytes, where %zu are expected", f->dir, r->key,
                        size > n ? size : (uint64_t)n, r->into_cap);
    r->nread = n;
    return NC_NOERR;
}

/* The spare capacity of the body, up to its limit. A reused body can mostly hold the whole object. */
static size_t
room_of(const ncz_buf *b)
{
    size_t room = b->cap > b->len ? b->cap - b->len - 1 : 0;

    if (b->limit != 0 && (b->len > b->limit || room > b->limit - b->len))
        room = b->len > b->limit ? 0 : b->limit - b->len;
    return room;
}

/*
 * Appends the whole object to the body:
 *  1. read what fits in the body's spare capacity; an empty read is EOF (a short one is not, on some file systems)
 *  2. otherwise get the size and check it against the limit
 *  3. read until EOF: the object may be longer than its reported size
 */
static int
read_body(file_map *f, zmap_get_req *r, int fd)
{
    ncz_buf *b = &r->body;
    size_t   before = b->len, room = room_of(b), have = 0, most, n = 0;
    uint64_t size = 0, off;
    ssize_t  got = 0;
    char     probe;
    int      rc = NC_NOERR;

    if (room > 0 && (got = zmap_sys()->file.read(fd, b->data + b->len, room)) > 0) {
        have = (size_t)got;
        if (have < room && (got = zmap_sys()->file.read(fd, b->data + b->len + have, room - have)) > 0)
            have += (size_t)got;
        else if (have < room && got == 0)
            goto done;
    }
    if ((rc = check_plain(f, r->key, fd, &size)) != NC_NOERR ||
        (rc = zmap_answer_range(r, size, &off, &most)) != NC_NOERR)
        goto done;
    /* The reported size is trusted only if it is not 0: some file systems report 0 for files that have bytes. */
    if (have == most && have > 0)
        goto done;
    for (room = have < most ? most - have : 0;; room = GROW_STEP) {
        b->len = before + have;
        if (b->limit != 0 && room > b->limit - b->len)
            room = b->limit - b->len;
        if ((rc = ncz_buf_reserve(b, room)) != NC_NOERR ||
            (rc = zmap_file_read_full(f, r->key, fd, b->data + b->len, room, -1, &n)) != NC_NOERR)
            break;
        have += n;
        b->len = before + have;
        /* Probe for EOF with one byte, so that the body does not grow for nothing. */
        if (n < room || (rc = zmap_file_read_full(f, r->key, fd, &probe, 1, -1, &n)) != NC_NOERR || n == 0)
            break;
        if ((rc = ncz_buf_append(b, &probe, 1)) != NC_NOERR)
            break;
        have++;
    }
done:
    r->nread = rc == NC_NOERR ? have : 0;
    b->len = before + r->nread;
    if (b->data != NULL)
        b->data[b->len] = '\0';
    return rc;
}

/* ---- a range --------------------------------------------------------------------------------------------------- */

/* Reads a range directly into the caller's memory, without fstat. Returns false, with nothing recorded, if that is
 * not possible or the read fails or is short; the caller then checks the object. */
static bool
read_range_at_once(zmap_get_req *r, int fd)
{
    if (r->from_end || r->ask_size || r->into == NULL || r->len == 0 || r->len > r->into_cap || r->len > SSIZE_MAX ||
        r->off > INT64_MAX - r->len)
        return false;
    if (zmap_sys()->file.pread(fd, r->into, (size_t)r->len, (off_t)r->off) != (ssize_t)r->len)
        return false;
    r->nread = (size_t)r->len;
    return true;
}

/* Reads a range after a look at the object's size. Who asks for that gets what it is afterwards, if the object grows:
 * so it is never shorter than its own first bytes say. */
static int
read_range(file_map *f, zmap_get_req *r, int fd)
{
    uint64_t size = 0, off = 0;
    size_t   len = 0, n = 0;
    char    *to = r->into;
    int      rc;

    if ((rc = check_plain(f, r->key, fd, &size)) != NC_NOERR ||
        (rc = zmap_answer_range(r, size, &off, &len)) != NC_NOERR)
        return rc;
    if (to == NULL) {
        if ((rc = ncz_buf_reserve(&r->body, len)) != NC_NOERR)
            return rc;
        to = r->body.data + r->body.len;
    }
    if ((rc = zmap_file_read_full(f, r->key, fd, to, len, (off_t)off, &n)) != NC_NOERR)
        goto done;
    /* The range was checked against the size, so the file has been truncated since. */
    if (n < len) {
        rc = ncz_fail(NC_EIO, "%s/%s: ended %zu bytes early: it was cut while being read", f->dir, r->key, len - n);
        goto done;
    }
    if (r->into == NULL)
        r->body.len += n;
    r->nread = n;
    if (r->ask_size && (rc = check_plain(f, r->key, fd, &size)) == NC_NOERR && size > r->size)
        r->size = size;
done:
    if (r->into == NULL)
        r->body.data[r->body.len] = '\0';
    return rc;
}

/* ---- get ------------------------------------------------------------------------------------------------------- */

/* Of the file that was read, whatever has its name now. */
static int
get_version(file_map *f, zmap_get_req *r, int fd)
{
    ncz_stat st;

    if (zmap_sys()->file.fstat(fd, &st) != 0)
        return zmap_file_fail(f, errno, r->key, "cannot be inspected");
    zmap_file_stamp(&st, r->version);
    r->modified = st.st_mtime;
    return NC_NOERR;
}

/* Whether both requests are ranges of one object. The later ones then need no open, and see the same file. */
static bool
same_object(const zmap_get_req *r, const zmap_get_req *next)
{
    return r->key == next->key && (next->off != 0 || next->len != ZMAP_WHOLE);
}

int
zmap_file_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    file_map *f = (file_map *)m;
    int       fd = -1;

    for (size_t i = 0; i < n; i++) {
        zmap_get_req *r = &reqs[i];
        bool          last = i + 1 == n || !same_object(r, r + 1);
        int           rc = NC_NOERR;

        if (fd < 0 && (r->off != 0 || r->len != ZMAP_WHOLE)) /* all of it is read from the descriptor's position */
            fd = zmap_file_held(f, r->key);
        if (fd < 0)
            rc = open_object(f, r->key, &fd);
        if (rc == NC_NOERR && (r->off != 0 || r->len != ZMAP_WHOLE))
            rc = read_range_at_once(r, fd) ? NC_NOERR : read_range(f, r, fd);
        else if (rc == NC_NOERR)
            rc = r->into != NULL ? read_into(f, r, fd) : read_body(f, r, fd);
        if (rc == NC_NOERR && r->ask_version)
            rc = get_version(f, r, fd);
        if (last && fd >= 0) {
            zmap_file_release(f, fd);
            fd = -1;
        }
        zmap_get_end(r, rc, done, arg);
    }
    return NC_NOERR;
}

/* A prefix of other objects has no length, which is no failure here. */
int
zmap_file_len(zmap *m, const char *key, uint64_t *len)
{
    file_map *f = (file_map *)m;
    ncz_stat  st;
    int       fd = -1, rc;

    if ((fd = zmap_file_held(f, key)) < 0 && (rc = open_object(f, key, &fd)) != NC_NOERR)
        return rc;
    rc = zmap_sys()->file.fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? NC_EEMPTY : check_plain(f, key, fd, len);
    zmap_file_release(f, fd);
    return rc;
}

/* ---- list ------------------------------------------------------------------------------------------------------ */

/* The mode of a link's target. Where the target cannot be opened below the root, it is only looked at, so that a
 * directory outside is reported by the one who opens it. What does not exist may have been a directory. */
static mode_t
link_target_mode(file_map *f, int dir, const char *name, const char *path)
{
    ncz_stat st;
    int      fd = zmap_file_beneath(f, path, O_PATH | O_CLOEXEC), rc;

    if (fd < 0)
        return zmap_sys()->name.fstatat(dir, name, &st, 0) == 0 ? st.st_mode : S_IFDIR;
    rc = zmap_sys()->file.fstat(fd, &st);
    zmap_sys()->file.close(fd);
    return rc == 0 ? st.st_mode : S_IFDIR;
}

/* The file type of an entry; 0: it was removed meanwhile. The directory mostly contains it; otherwise one more call is
 * needed. */
static int
entry_mode(file_map *f, int dir, const ncz_dirent *e, const char *path, mode_t *out)
{
    ncz_stat st;
    mode_t   mode = 0;

    if (e->d_type == DT_REG || e->d_type == DT_DIR) {
        *out = e->d_type == DT_REG ? S_IFREG : S_IFDIR;
        return NC_NOERR;
    }
    if (e->d_type != DT_LNK) {
        if (zmap_sys()->name.fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            mode = st.st_mode;
        else if (errno != ENOENT) /* removed meanwhile */
            return zmap_file_fail(f, errno, path, "cannot be inspected");
    }
    if (e->d_type == DT_LNK || S_ISLNK(mode))
        mode = link_target_mode(f, dir, e->d_name, path);
    *out = mode;
    return NC_NOERR;
}

/* A child is anything under a valid name that is not temporary, and a directory under any name. What is neither a plain
 * file nor a directory is reported as an object, and refused by get. */
static int
add_entry(file_map *f, int dir, const ncz_dirent *e, const char *prefix, zmap_children *out)
{
    char  *path;
    mode_t mode = 0;
    bool   valid;
    int    rc = NC_NOERR;

    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
        return NC_NOERR;
    if ((path = ncz_sprintf("%s%s%s", prefix, prefix[0] != '\0' ? "/" : "", e->d_name)) == NULL)
        return ncz_fail_nomem(strlen(prefix) + strlen(e->d_name) + 2);
    valid = zmap_key_valid(path);
    if (!valid && e->d_type != DT_DIR && e->d_type != DT_UNKNOWN)
        goto done;
    if ((rc = entry_mode(f, dir, e, path, &mode)) != NC_NOERR)
        goto done;
    if (mode != 0 && (S_ISDIR(mode) || (valid && !zmap_file_reserved(e->d_name))))
        rc = zmap_children_add(out, e->d_name, strlen(e->d_name), !S_ISDIR(mode));
done:
    ncz_free(path);
    return rc;
}

static int
collect_entries(file_map *f, ncz_dir *d, int dir, const char *prefix, zmap_children *out)
{
    const ncz_dirent *e;
    int               rc = NC_NOERR;

    for (;;) {
        errno = 0;
        if ((e = zmap_sys()->dir.readdir(d)) == NULL)
            break;
        if ((rc = add_entry(f, dir, e, prefix, out)) != NC_NOERR)
            return rc;
    }
    return errno != 0 ? zmap_file_fail(f, errno, prefix, "cannot be listed") : NC_NOERR;
}

/* Opens a directory to be read. *out NULL: it is not there. The stream owns the descriptor `fd`. */
static int
open_list(file_map *f, const char *dir, ncz_dir **out, int *fd)
{
    int rc;

    *out = NULL;
    if ((*fd = zmap_file_beneath(f, dir, FILE_READ_DIR)) < 0)
        return zmap_file_means_absent(errno) ? NC_NOERR : zmap_file_fail(f, errno, dir, "cannot be listed");
    if ((*out = zmap_sys()->dir.fdopendir(*fd)) != NULL)
        return NC_NOERR;
    rc = zmap_file_fail(f, errno, dir, "cannot be listed");
    zmap_sys()->file.close(*fd);
    return rc;
}

int
zmap_file_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg)
{
    file_map     *f = (file_map *)m;
    zmap_children children = {NULL, 0, 0};
    ncz_dir      *d = NULL;
    int           fd, rc = open_list(f, prefix, &d, &fd);

    if (d == NULL)
        return rc;
    /* All children are collected first, because they are sorted and `each` may change the directory. */
    rc = collect_entries(f, d, fd, prefix, &children);
    zmap_sys()->dir.closedir(d);
    if (rc == NC_NOERR)
        rc = zmap_children_each(&children, each, arg);
    zmap_children_clear(&children);
    return rc;
}

int
zmap_file_each_name(file_map *f, const char *dir, size_t most, zmap_file_name_fn each, void *arg)
{
    const ncz_dirent *e;
    ncz_dir          *d = NULL;
    int               fd, rc = open_list(f, dir, &d, &fd);

    if (d == NULL)
        return rc;
    for (size_t i = 0; rc == NC_NOERR && i < most && (e = zmap_sys()->dir.readdir(d)) != NULL; i++)
        rc = each(e->d_name, arg);
    zmap_sys()->dir.closedir(d);
    return rc;
}
