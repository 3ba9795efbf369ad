/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of an archive: a file, read and written by offset, or a block of memory that grows. Reads and writes of
 * different places may run at once, on any thread; a block is moved only while no thread uses it.
 */
#include "zip/zip_int.h"

#include <errno.h>
#include <string.h>

#define COPY_PIECE ((size_t)1 << 20)
#define GROW_MIN   ((size_t)64 * 1024)

int
ncz_zip_source_file(int fd, const char *what, uint64_t size, zip_source **out)
{
    zip_source *s = ncz_zalloc(sizeof *s);
    char       *copy = ncz_strdup(what);

    if (s == NULL || copy == NULL) {
        ncz_free(s);
        ncz_free(copy);
        return ncz_fail_nomem(sizeof *s);
    }
    *s = (zip_source){.refs = 1, .fd = fd, .size = size, .what = copy};
    *out = s;
    return NC_NOERR;
}

int
ncz_zip_source_memory(void *mem, size_t len, bool owned, zip_source **out)
{
    zip_source *s = ncz_zalloc(sizeof *s);
    char       *what = ncz_strdup("the archive in memory");
    int         err;

    if (s == NULL || what == NULL) {
        ncz_free(s);
        ncz_free(what);
        return ncz_fail_nomem(sizeof *s);
    }
    *s = (zip_source){.refs = 1, .fd = -1, .mem = mem, .cap = len, .owned = owned, .size = len, .what = what};
    if ((err = pthread_rwlock_init(&s->lock, NULL)) != 0) {
        ncz_free(s);
        ncz_free(what);
        return ncz_fail_lock(err);
    }
    *out = s;
    return NC_NOERR;
}

zip_source *
ncz_zip_source_ref(zip_source *s)
{
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void
ncz_zip_source_unref(zip_source *s)
{
    if (s == NULL || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (s->fd >= 0) {
        zmap_sys()->file.close(s->fd);
    } else {
        pthread_rwlock_destroy(&s->lock);
        if (s->owned)
            ncz_free(s->mem); /* malloc's, like all of ncz_alloc(): blocks pass between the store and the caller */
    }
    ncz_free(s->what);
    ncz_free(s);
}

/* ---- reading ---- */

static int
fail_short(const zip_source *s)
{
    return ncz_fail(NC_EIO, "%s: ends before the bytes that its directory tells of", s->what);
}

static void
memory_read(zip_source *s, const struct iovec *to, int n, uint64_t off, size_t *have)
{
    *have = 0;
    pthread_rwlock_rdlock(&s->lock);
    for (int i = 0; i < n && off < s->cap; i++) {
        size_t len = to[i].iov_len < s->cap - off ? to[i].iov_len : (size_t)(s->cap - off);

        if (len != 0)
            memcpy(to[i].iov_base, s->mem + off, len);
        off += len;
        *have += len;
    }
    pthread_rwlock_unlock(&s->lock);
}

/* Goes on behind `n` bytes. */
static void
advance(struct iovec **to, int *left, size_t n)
{
    while (*left > 0 && n >= (*to)->iov_len) {
        n -= (*to)->iov_len;
        ++*to;
        --*left;
    }
    if (*left > 0) {
        (*to)->iov_base = (char *)(*to)->iov_base + n;
        (*to)->iov_len -= n;
    }
}

int
ncz_zip_source_readv(zip_source *s, struct iovec *to, int n, uint64_t off, size_t *have)
{
    *have = 0;
    /* off_t has no such offset, and no file is that long. */
    if (off > INT64_MAX)
        return NC_NOERR;
    if (s->fd < 0) {
        memory_read(s, to, n, off, have);
        return NC_NOERR;
    }
    /* Empty buffers are passed over, because a read of no bytes would look like EOF. */
    for (advance(&to, &n, 0); n > 0;) {
        ssize_t got = n == 1 ? zmap_sys()->file.pread(s->fd, to->iov_base, to->iov_len, (off_t)(off + *have))
                             : zmap_sys()->file.preadv(s->fd, to, n, (off_t)(off + *have));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ncz_fail_errno(errno, "%s: cannot be read", s->what);
        if (got == 0)
            break;
        *have += (size_t)got;
        advance(&to, &n, (size_t)got);
    }
    return NC_NOERR;
}

int
ncz_zip_source_read(zip_source *s, void *data, size_t len, uint64_t off)
{
    struct iovec to = {data, len};
    size_t       have;
    int          rc;

    if ((rc = ncz_zip_source_readv(s, &to, 1, off, &have)) == NC_NOERR && have < len)
        rc = fail_short(s);
    return rc;
}

/* ---- writing ---- */

int
ncz_zip_source_room(zip_source *s, uint64_t end)
{
    unsigned char *mem;
    size_t         cap;

    if (s->fd >= 0 || end <= s->cap)
        return NC_NOERR;
    if (end > SIZE_MAX / 2)
        return ncz_fail_nomem(SIZE_MAX);
    cap = s->cap < GROW_MIN ? GROW_MIN : s->cap + s->cap / 2;
    if (cap < end)
        cap = (size_t)end;
    pthread_rwlock_wrlock(&s->lock);
    if ((mem = ncz_grow(s->mem, cap, 1)) != NULL) {
        memset(mem + s->cap, 0, cap - s->cap);
        s->mem = mem;
        s->cap = cap;
    }
    pthread_rwlock_unlock(&s->lock);
    return mem != NULL ? NC_NOERR : ncz_fail_nomem(cap);
}

static int
file_write(zip_source *s, struct iovec *from, int n, uint64_t off)
{
    while (n > 0) {
        ssize_t put = from->iov_len == 0 ? 0 : zmap_sys()->file.pwritev(s->fd, from, n, (off_t)off);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 || (put == 0 && from->iov_len != 0))
            return ncz_fail_errno(put < 0 ? errno : EIO, "%s: cannot be written", s->what);
        off += (uint64_t)put;
        while (n > 0 && (size_t)put >= from->iov_len) {
            put -= (ssize_t)from->iov_len;
            from++;
            n--;
        }
        if (n > 0) {
            from->iov_base = (char *)from->iov_base + put;
            from->iov_len -= (size_t)put;
        }
    }
    return NC_NOERR;
}

/* The caller has made room with ncz_zip_source_room(). */
int
ncz_zip_source_write3(zip_source *s, const struct iovec from[3], uint64_t off)
{
    struct iovec rest[3] = {from[0], from[1], from[2]};

    if (s->fd >= 0)
        return file_write(s, rest, 3, off);
    pthread_rwlock_rdlock(&s->lock);
    for (int i = 0; i < 3; off += from[i++].iov_len)
        if (from[i].iov_len != 0)
            memcpy(s->mem + off, from[i].iov_base, from[i].iov_len);
    pthread_rwlock_unlock(&s->lock);
    return NC_NOERR;
}

/* ---- copying ---- */

/*
 * Copies in the kernel, which need not pass the bytes through our memory. *done is how far it got before it refused.
 */
static int
copy_inside(zip_source *from, uint64_t from_off, zip_source *to, uint64_t to_off, uint64_t len, uint64_t *done)
{
    *done = 0;
    while (*done < len) {
        off_t   in = (off_t)(from_off + *done), out = (off_t)(to_off + *done);
        size_t  piece = len - *done < ((uint64_t)1 << 30) ? (size_t)(len - *done) : (size_t)1 << 30;
        ssize_t n = zmap_sys()->file.copy_range(from->fd, &in, to->fd, &out, piece);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO))
            return ncz_fail_errno(errno, "%s: cannot be copied to %s", from->what, to->what);
        if (n <= 0)
            break; /* not possible here: read and write instead, which also reports any error */
        *done += (uint64_t)n;
    }
    return NC_NOERR;
}

int
ncz_zip_source_copy(zip_source *from, uint64_t from_off, zip_source *to, uint64_t to_off, uint64_t len)
{
    unsigned char *piece = NULL;
    uint64_t       done = 0;
    int            rc;

    if (from->fd >= 0 && to->fd >= 0 &&
        ((rc = copy_inside(from, from_off, to, to_off, len, &done)) != NC_NOERR || done == len))
        return rc;
    if ((rc = ncz_zip_source_room(to, to_off + len)) != NC_NOERR)
        return rc;
    if ((piece = ncz_alloc(COPY_PIECE)) == NULL)
        return ncz_fail_nomem(COPY_PIECE);
    while (rc == NC_NOERR && done < len) {
        size_t       n = len - done < COPY_PIECE ? (size_t)(len - done) : COPY_PIECE;
        struct iovec data[3] = {{piece, n}, {NULL, 0}, {NULL, 0}};

        if ((rc = ncz_zip_source_read(from, piece, n, from_off + done)) == NC_NOERR)
            rc = ncz_zip_source_write3(to, data, to_off + done);
        done += n;
    }
    ncz_free(piece);
    return rc;
}
