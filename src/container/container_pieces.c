/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pieces of contiguous and compact arrays, whose bytes follow each other. A contiguous array gets all its room at
 * the first put, and its pieces are written where they belong; what was never put is set to fill when the layout is
 * asked for. A compact one is in memory.
 *
 * An array that a commit has named moves to new room at the first put after it, so that the commit stays as it is:
 * all of at most 64 KiB, and those whose elements live in heaps. Others are changed in place.
 *
 * Pieces are numbered in the order of their bytes. Until an array is whole it has a bit for each piece that was put.
 */
#include "container/container_int.h"

#include <string.h>

enum {
    MOVES_MOST = 64 << 10,
    COMPACT_MOST = (64 << 10) - 64, /* a header's message has fewer bytes (IV.A.1) */
    BLOCK = 1 << 20,                /* bytes that are copied or filled at once */
};

/* ---- places ---- */

/* The dimension that pieces divide: 1 element of those before, all of those behind. */
static bool
find_cut(container_array *a)
{
    const ncz_container_array *g = &a->given;
    unsigned                   d = 0;

    while (d < g->rank && g->chunk[d] == 1 && d + 1 < g->rank)
        d++;
    a->cut = d;
    if (d < g->rank && g->chunk[d] == 0)
        return false;
    while (++d < g->rank)
        if (g->chunk[d] != g->shape[d] && g->shape[d] != 0)
            return false;
    return true;
}

int
ncz_container_pieces_set(container_array *a)
{
    const ncz_container_array *g = &a->given;
    uint64_t                   nbytes = g->element, piece = g->element, n = 1;
    bool                       fits = true;

    if (g->kind != NCZ_HDF5_CONTIGUOUS && g->kind != NCZ_HDF5_COMPACT)
        return ncz_fail(NC_EINVAL, "array %" PRIu64 " has an unknown layout", g->uid);
    if (!find_cut(a))
        return ncz_fail(NC_EINVAL, "array %" PRIu64 ": its pieces do not follow each other in the file", g->uid);
    for (unsigned d = 0; d < g->rank; d++) {
        fits = fits && ncz_mul64(nbytes, g->shape[d], &nbytes);
        if (d <= a->cut)
            n *= ncz_count_parts(g->shape[d], g->chunk[d]); /* no more than there are elements */
        fits = fits && (d < a->cut || ncz_mul64(piece, g->chunk[d], &piece));
    }
    if (!fits || nbytes > INT64_MAX || piece > SIZE_MAX / 2 || (g->kind == NCZ_HDF5_COMPACT && nbytes > COMPACT_MOST))
        return ncz_fail(NC_EINVAL, "array %" PRIu64 ": more bytes than such an array can have", g->uid);
    a->nbytes = nbytes;
    a->npieces = nbytes > 0 ? n : 0;
    a->piece = (size_t)piece;
    if (g->is_there && g->kept.kind == NCZ_HDF5_CONTIGUOUS && g->kept.addr != NCZ_HDF5_NONE) {
        a->data = g->kept.addr;
        a->nput = a->npieces;
    } else if (g->is_there && g->kept.kind == NCZ_HDF5_COMPACT && g->kept.size == nbytes) {
        if ((a->bytes = ncz_dup(g->kept.data, (size_t)nbytes)) == NULL)
            return ncz_fail_nomem((size_t)nbytes);
        a->nput = a->npieces;
    }
    return NC_NOERR;
}

/* Where a piece is among the array's bytes, and how many of them it has. */
typedef struct span {
    uint64_t number, off;
    size_t   len; /* at the array's end fewer than a whole piece has */
} span;

/* False: there is no such piece. */
static bool
find_span(const container_array *a, const uint64_t *at, span *s)
{
    const ncz_container_array *g = &a->given;
    uint64_t                   row = a->cut < g->rank ? a->piece / g->chunk[a->cut] : a->piece, left;

    *s = (span){.len = a->piece};
    if (a->npieces == 0)
        return false;
    for (unsigned d = 0; d < g->rank; d++) {
        uint64_t n = d <= a->cut ? ncz_count_parts(g->shape[d], g->chunk[d]) : 1;

        if (at[d] >= n)
            return false;
        if (d <= a->cut)
            s->number = s->number * n + at[d];
        if (d < a->cut)
            s->off = (s->off + at[d]) * g->shape[d + 1]; /* in rows, of the dimension that is cut */
    }
    if (a->cut < g->rank) {
        s->off = (s->off + at[a->cut] * g->chunk[a->cut]) * row;
        left = g->shape[a->cut] - at[a->cut] * g->chunk[a->cut];
        if (left < g->chunk[a->cut])
            s->len = (size_t)(left * row);
    }
    return true;
}

void
ncz_container_piece_place(const container_array *a, uint64_t number, uint64_t *at)
{
    const ncz_container_array *g = &a->given;

    for (unsigned d = g->rank; d-- > 0;) {
        uint64_t n = d <= a->cut ? ncz_count_parts(g->shape[d], g->chunk[d]) : 1;

        at[d] = number % n;
        number /= n;
    }
}

/* ---- which were put ---- */

bool
ncz_container_piece_there(const container_array *a, uint64_t number)
{
    if (a->put == NULL)
        return a->nput > 0;
    return (a->put[number / 8] >> number % 8 & 1) != 0;
}

/* Makes the bits, before one of them changes. */
static int
make_bits(container_array *a)
{
    size_t n = (size_t)(a->npieces / 8 + 1);

    if (a->put != NULL)
        return NC_NOERR;
    if ((a->put = ncz_alloc(n)) == NULL)
        return ncz_fail_nomem(n);
    memset(a->put, a->nput > 0 ? 0xFF : 0, n);
    return NC_NOERR;
}

/* The bits are there, if the array is not whole. */
static void
note_put(container_array *a, uint64_t number)
{
    if (ncz_container_piece_there(a, number))
        return;
    a->put[number / 8] = (unsigned char)(a->put[number / 8] | 1u << number % 8);
    if (++a->nput == a->npieces) {
        ncz_free(a->put);
        a->put = NULL;
    }
}

/* ---- room ---- */

static bool
is_compact(const container_array *a)
{
    return a->given.kind == NCZ_HDF5_COMPACT;
}

static int
copy_data(container *c, const container_array *a, uint64_t to)
{
    size_t n = a->nbytes < BLOCK ? (size_t)a->nbytes : BLOCK;
    char  *block = ncz_alloc(n);
    int    rc = block != NULL ? NC_NOERR : ncz_fail_nomem(n);

    for (uint64_t at = 0; at < a->nbytes && rc == NC_NOERR; at += n) {
        n = a->nbytes - at < n ? (size_t)(a->nbytes - at) : n;
        if ((rc = ncz_container_read_at(c, a->data + at, block, n)) == NC_NOERR)
            rc = ncz_container_write_at(c, to + at, block, n);
    }
    ncz_free(block);
    return rc;
}

/* Room of the array's own for a change, with what is there. With the lock; gets look at it before and after. */
static int
prepare_room(container *c, container_array *a)
{
    uint32_t stamp = ncz_hdf5_room_stamp(c->room);
    uint64_t to;
    bool     there = a->data != NCZ_HDF5_NONE;
    int      rc;

    if (there && (a->stamp == stamp || (a->nbytes > MOVES_MOST && a->given.convert == NULL)))
        return NC_NOERR;
    if ((rc = ncz_container_take(c, a->nbytes, 8, 0, &to)) != NC_NOERR)
        return rc;
    if (there && (rc = copy_data(c, a, to)) != NC_NOERR) {
        ncz_container_give(c, to, a->nbytes, stamp);
        return rc;
    }
    if (there)
        ncz_container_give(c, a->data, a->nbytes, a->stamp);
    else
        a->filled = false;
    a->data = to;
    a->stamp = stamp;
    return NC_NOERR;
}

static int
prepare_bytes(container_array *a)
{
    if (a->bytes != NULL)
        return NC_NOERR;
    if ((a->bytes = ncz_alloc((size_t)a->nbytes)) == NULL)
        return ncz_fail_nomem((size_t)a->nbytes);
    ncz_container_fill(a, a->bytes, (size_t)a->nbytes);
    return NC_NOERR;
}

/* All that may fail, but for writing. */
static int
prepare_change(container *c, container_array *a)
{
    int rc = NC_NOERR;

    if (a->given.convert != NULL && a->tags == NULL &&
        (a->tags = ncz_zalloc_n((size_t)a->npieces, sizeof *a->tags)) == NULL)
        return ncz_fail_nomem((size_t)a->npieces * sizeof *a->tags);
    if (a->nput < a->npieces && (rc = make_bits(a)) != NC_NOERR)
        return rc;
    return is_compact(a) ? prepare_bytes(a) : prepare_room(c, a);
}

static void
set_tag(container *c, container_array *a, uint64_t number, uint32_t tag)
{
    if (a->tags == NULL)
        return;
    ncz_container_heap_release(c, a->tags[number]);
    a->tags[number] = tag;
}

/* ---- get ---- */

/* All bytes of the piece; behind the array's end they are fill. */
static int
load_piece(container *c, const container_array *a, const span *s, uint64_t data, unsigned char *out)
{
    ncz_container_fill(a, out + s->len, a->piece - s->len);
    return ncz_container_read_at(c, data + s->off, out, s->len);
}

static void
copy_piece(const container_array *a, const span *s, unsigned char *out)
{
    memcpy(out, a->bytes + s->off, s->len);
    ncz_container_fill(a, out + s->len, a->piece - s->len);
}

static int
answer_piece(container *c, const container_array *a, const unsigned char *bytes, zmap_get_req *r)
{
    ncz_buf out = NCZ_BUF_LIMIT(ncz_limits_default.object_bytes);
    int     rc;

    if (a->given.convert == NULL)
        return zmap_answer_bytes(r, bytes, a->piece);
    if ((rc = ncz_container_heap_in(c, a, bytes, a->piece, 0, &out)) == NC_NOERR)
        rc = zmap_answer_bytes(r, out.data, out.len);
    ncz_buf_clear(&out);
    return rc;
}

/* Reads all bytes of the piece. NC_EEMPTY without a text: it is not there. */
static int
read_piece(container *c, const container_array *a, const span *s, unsigned char *bytes)
{
    uint64_t data = NCZ_HDF5_NONE;
    int      rc = NC_NOERR;

    (void)pthread_mutex_lock(&c->lock);
    if (!ncz_container_piece_there(a, s->number))
        rc = NC_EEMPTY;
    else if (is_compact(a))
        copy_piece(a, s, bytes);
    else
        data = a->data;
    (void)pthread_mutex_unlock(&c->lock);
    return data != NCZ_HDF5_NONE ? load_piece(c, a, s, data, bytes) : rc;
}

static void
count_reader(container *c, bool comes)
{
    (void)pthread_mutex_lock(&c->lock);
    c->readers = comes ? c->readers + 1 : c->readers - 1;
    (void)pthread_mutex_unlock(&c->lock);
}

void
ncz_container_piece_get(container *c, container_array *a, const uint64_t *at, zmap_get_req *reqs, size_t n)
{
    unsigned char *bytes = NULL;
    span           s;
    int            rc = NC_NOERR;

    if (!find_span(a, at, &s))
        rc = NC_EEMPTY;
    else if ((bytes = ncz_alloc(a->piece)) == NULL)
        rc = ncz_fail_nomem(a->piece);
    count_reader(c, true);
    if (rc == NC_NOERR) {
        ncz_rwlock_share(&c->pieces);
        rc = read_piece(c, a, &s, bytes);
        ncz_rwlock_unshare(&c->pieces);
    }
    for (size_t i = 0; i < n; i++)
        zmap_get_end(&reqs[i], rc == NC_NOERR ? answer_piece(c, a, bytes, &reqs[i]) : rc, NULL, NULL);
    count_reader(c, false);
    ncz_free(bytes);
}

int
ncz_container_piece_len(container *c, container_array *a, const uint64_t *at, uint64_t *len)
{
    span s;
    bool there;

    if (!find_span(a, at, &s))
        return NC_EEMPTY;
    (void)pthread_mutex_lock(&c->lock);
    there = ncz_container_piece_there(a, s.number);
    (void)pthread_mutex_unlock(&c->lock);
    *len = a->piece;
    return there ? NC_NOERR : NC_EEMPTY;
}

/* ---- put and del ---- */

/* With `pieces` alone. */
static int
put_piece(container *c, container_array *a, const span *s, const void *data, uint32_t tag)
{
    uint64_t to;
    int      rc;

    (void)pthread_mutex_lock(&c->lock);
    rc = prepare_change(c, a);
    to = a->data + s->off;
    if (rc == NC_NOERR && is_compact(a)) {
        memcpy(a->bytes + s->off, data, s->len);
    } else if (rc == NC_NOERR) {
        (void)pthread_mutex_unlock(&c->lock);
        rc = ncz_container_write_at(c, to, data, s->len);
        (void)pthread_mutex_lock(&c->lock);
    }
    if (rc == NC_NOERR) {
        note_put(a, s->number);
        set_tag(c, a, s->number, tag);
    }
    /* After a failure it is another one, too: it may have moved, or have a part of the bytes. */
    if (a->data != NCZ_HDF5_NONE || rc == NC_NOERR)
        ncz_container_note_change(c, a);
    (void)pthread_mutex_unlock(&c->lock);
    return rc;
}

int
ncz_container_piece_put(container *c, container_array *a, const uint64_t *at, const void *data, size_t len,
                        uint32_t tag)
{
    span s;
    int  rc;

    if (!find_span(a, at, &s))
        return ncz_fail(NC_EINVAL, "array %" PRIu64 " has no piece there", a->given.uid);
    if (len != a->piece && len != s.len)
        return ncz_fail(NC_EINVAL, "array %" PRIu64 ": %zu bytes for a piece of %zu", a->given.uid, len, a->piece);
    ncz_rwlock_take(&c->pieces);
    rc = put_piece(c, a, &s, data, tag);
    ncz_rwlock_give(&c->pieces);
    return rc;
}

int
ncz_container_piece_del(container *c, container_array *a, const uint64_t *at)
{
    span s;
    int  rc = NC_NOERR;

    if (!find_span(a, at, &s))
        return NC_NOERR;
    (void)pthread_mutex_lock(&c->lock);
    if (ncz_container_piece_there(a, s.number) && (rc = prepare_change(c, a)) == NC_NOERR &&
        (rc = make_bits(a)) == NC_NOERR) {
        a->put[s.number / 8] = (unsigned char)(a->put[s.number / 8] & ~(1u << s.number % 8));
        a->nput--;
        a->filled = false;
        set_tag(c, a, s.number, 0);
        if (is_compact(a))
            ncz_container_fill(a, a->bytes + s.off, s.len);
        ncz_container_note_change(c, a);
    }
    (void)pthread_mutex_unlock(&c->lock);
    return rc;
}

/* ---- the array ---- */

void
ncz_container_pieces_drop(container *c, container_array *a)
{
    (void)ncz_hdf5_room_ready(c->room, NCZ_HDF5_ROOM_READY);
    for (uint64_t i = 0; a->tags != NULL && i < a->npieces; i++)
        set_tag(c, a, i, 0);
    if (a->data != NCZ_HDF5_NONE)
        ncz_container_give(c, a->data, a->nbytes, a->stamp);
    a->data = NCZ_HDF5_NONE;
}

/* Where pieces `from` to before `to` are. */
static void
find_run(const container_array *a, uint64_t from, uint64_t to, uint64_t *off, uint64_t *len)
{
    uint64_t at[NCZ_HDF5_MAX_RANK] = {0};
    span     first, last;

    ncz_container_piece_place(a, from, at);
    (void)find_span(a, at, &first);
    ncz_container_piece_place(a, to - 1, at);
    (void)find_span(a, at, &last);
    *off = first.off;
    *len = last.off + last.len - first.off;
}

static int
write_fill(container *c, uint64_t addr, uint64_t len, const unsigned char *block, size_t nblock)
{
    int rc = NC_NOERR;

    for (uint64_t done = 0; done < len && rc == NC_NOERR; done += nblock)
        rc = ncz_container_write_at(c, addr + done, block, len - done < nblock ? (size_t)(len - done) : nblock);
    return rc;
}

/* Writes fill where nothing was put, some pieces at once. */
static int
fill_rest(container *c, container_array *a)
{
    size_t         nblock = BLOCK / a->given.element * a->given.element;
    unsigned char *block;
    int            rc = NC_NOERR;

    nblock = nblock == 0 ? a->given.element : nblock;
    nblock = nblock > a->nbytes ? (size_t)a->nbytes : nblock;
    if ((block = ncz_alloc(nblock)) == NULL)
        return ncz_fail_nomem(nblock);
    ncz_container_fill(a, block, nblock);
    for (uint64_t from = 0, to; from < a->npieces && rc == NC_NOERR; from = to) {
        uint64_t off, len;

        for (to = from; to < a->npieces && !ncz_container_piece_there(a, to);)
            to++;
        if (to == from) {
            to++;
            continue;
        }
        find_run(a, from, to, &off, &len);
        rc = write_fill(c, a->data + off, len, block, nblock);
    }
    ncz_free(block);
    a->filled = rc == NC_NOERR;
    return rc;
}

int
ncz_container_piece_layout(container *c, container_array *a, ncz_hdf5_layout *out)
{
    int rc;

    *out = (ncz_hdf5_layout){.kind = a->given.kind,
                             .version = 3,
                             .addr = NCZ_HDF5_NONE,
                             .size = a->nbytes,
                             .rank = a->given.rank,
                             .element = a->given.element};
    if (is_compact(a)) {
        if ((rc = prepare_bytes(a)) != NC_NOERR)
            return rc;
        out->data = a->bytes;
        return NC_NOERR;
    }
    if (a->data != NCZ_HDF5_NONE && a->nput == 0 && a->stamp == ncz_hdf5_room_stamp(c->room))
        ncz_container_pieces_drop(c, a); /* its only put failed, or was undone */
    if (a->data == NCZ_HDF5_NONE)
        return NC_NOERR;
    if (a->nput < a->npieces && !a->filled && (rc = fill_rest(c, a)) != NC_NOERR)
        return rc;
    out->addr = a->data;
    return NC_NOERR;
}
