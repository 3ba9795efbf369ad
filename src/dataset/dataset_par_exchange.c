/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_par_exchange: collective puts in two phases. The ranks exchange the pieces of their selections, so that each
 * object (chunk, or shard) gets its elements from one rank, its owner, which encodes and puts it once.
 *
 * An object's owner is one of the ranks whose selections touched its place in the first collective put of the variable
 * (the place without unlimited dimensions, since a decomposition stays and records come), so that aligned selections
 * move nothing. It stays the owner until the dataset is closed: an object that waits in a cache has one writer.
 *
 * A piece travels as its box, 3 * rank numbers, and its packed elements in the variable's type. In one round a rank
 * sends at most about ROUND_BYTES; the objects of a round follow from their places alone, so all pieces of an object
 * travel together.
 */
#include "dataset/dataset_par.h"

#include <stdlib.h>
#include <string.h>

#define ROUND_BYTES ((uint64_t)64 << 20)

/* Where the ranks were in a variable's first collective put: for each rank and dimension, [lo, hi). */
struct ncz_par_owners {
    ncz_par_owners *next;
    uint64_t        uid;
    uint64_t       *box;
};

/* A box of a variable's elements, and their place. */
typedef struct part {
    uint64_t   *object; /* in the grid of objects */
    uint64_t   *start, *count, *stride;
    size_t      nelems;
    const char *packed; /* in the variable's type; NULL: in the caller's memory, `mem` elements from its begin */
    char       *owned;  /* the same, if it is the part's own memory */
    ptrdiff_t   mem;
    ptrdiff_t  *imap;
    int         owner;
    bool        done;
} part;

typedef struct parts {
    part  *v;
    size_t n, cap;
} parts;

/* One collective put. */
typedef struct exchange {
    ncz_dataset      *ds;
    ncz_var          *v;
    const ncz_select *sel;
    const uint64_t   *shape;
    const ncz_type   *mem;
    const char       *in;
    ncz_par_write     write;
    uint64_t         *object; /* shape of an object in elements */
    const uint64_t   *box;    /* the variable's ncz_par_owners.box */
    parts             mine;
    uint64_t          nrounds, round;
    ncz_buf           send, received;
    size_t           *send_len;
    bool              range; /* a value did not fit the variable's type */
} exchange;

/* ---- owners ---------------------------------------------------------------------------------------------------- */

void
ncz_par_owners_free(ncz_par_owners *o)
{
    while (o != NULL) {
        ncz_par_owners *next = o->next;

        ncz_free(o->box);
        ncz_free(o);
        o = next;
    }
}

static ncz_par_owners *
find_owners(const exchange *x)
{
    ncz_par_owners *o = x->ds->owners;

    while (o != NULL && o->uid != x->v->uid)
        o = o->next;
    return o;
}

static bool
is_empty(const ncz_select *sel)
{
    for (size_t d = 0; d < sel->rank; d++)
        if (sel->count[d] == 0)
            return true;
    return false;
}

/* Gathers the selections of all ranks. Collective: `rc` is this rank's result so far. */
static int
gather_owners(exchange *x, int rc)
{
    size_t          rank = x->v->rank, nbytes = 0;
    ncz_par_owners *o = ncz_zalloc(sizeof *o);
    uint64_t       *own = NULL;

    if (rc == NC_NOERR &&
        (o == NULL || !ncz_mul(2 * rank * sizeof *own, ncz_comm_size(x->ds->comm), &nbytes) ||
         (own = ncz_alloc_n(rank, 2 * sizeof *own)) == NULL || (o->box = ncz_alloc(nbytes)) == NULL))
        rc = ncz_fail_nomem(nbytes);
    for (size_t d = 0; rc == NC_NOERR && d < rank; d++) {
        own[2 * d] = is_empty(x->sel) ? 0 : x->sel->start[d];
        own[2 * d + 1] = is_empty(x->sel) ? 0 : x->sel->start[d] + (x->sel->count[d] - 1) * x->sel->stride[d] + 1;
    }
    if ((rc = ncz_comm_agree(x->ds->comm, NCZ_COMM_PUT, 0, rc)) != NC_NOERR ||
        (rc = ncz_comm_gather(x->ds->comm, own, 2 * rank * sizeof *own, o->box)) != NC_NOERR)
        goto done;
    o->uid = x->v->uid;
    o->next = x->ds->owners;
    x->ds->owners = o;
    x->box = o->box;
    o = NULL;
done:
    ncz_par_owners_free(o);
    ncz_free(own);
    return rc;
}

/* Whether the first selection of a rank touches an object's place. */
static bool
touches(const exchange *x, size_t rank, const uint64_t *object)
{
    const uint64_t *box = x->box + rank * 2 * x->v->rank;

    for (size_t d = 0; d < x->v->rank; d++) {
        uint64_t lo = object[d] * x->object[d];

        if (box[2 * d] == box[2 * d + 1])
            return false;
        if (!x->v->dims[d]->unlimited && (box[2 * d] >= lo + x->object[d] || box[2 * d + 1] <= lo))
            return false;
    }
    return true;
}

/* The same number on all ranks; consecutive objects have consecutive ones. */
static uint64_t
number_of(const exchange *x, const uint64_t *object)
{
    uint64_t number = 0;

    for (size_t d = 0; d < x->v->rank; d++)
        number = number * (x->v->dims[d]->unlimited ? 1 : x->shape[d] / x->object[d] + 1) + object[d];
    return number;
}

static int
find_owner(const exchange *x, const uint64_t *object)
{
    size_t   nranks = ncz_comm_size(x->ds->comm), n = 0;
    uint64_t number = number_of(x, object), nth;

    for (size_t r = 0; r < nranks; r++)
        n += touches(x, r, object);
    if (n == 0)
        return (int)(number % nranks);
    nth = number % n;
    for (size_t r = 0; r < nranks; r++)
        if (touches(x, r, object) && nth-- == 0)
            return (int)r;
    return 0;
}

/* ---- parts ----------------------------------------------------------------------------------------------------- */

static void
clear_parts(parts *p)
{
    for (size_t i = 0; i < p->n; i++) {
        ncz_free(p->v[i].object);
        ncz_free(p->v[i].owned);
    }
    ncz_free(p->v);
    *p = (parts){.v = NULL};
}

/* A new part with room for its arrays, or NULL. */
static part *
add_part(parts *p, size_t rank)
{
    uint64_t *arrays;

    if (p->n == p->cap) {
        size_t cap = p->cap == 0 ? 16 : p->cap * 2;
        part  *v = ncz_grow(p->v, cap, sizeof *v);

        if (v == NULL)
            return NULL;
        p->v = v;
        p->cap = cap;
    }
    if ((arrays = ncz_alloc_n(rank, 4 * sizeof *arrays + sizeof(ptrdiff_t))) == NULL)
        return NULL;
    p->v[p->n] = (part){.object = arrays,
                        .start = arrays + rank,
                        .count = arrays + 2 * rank,
                        .stride = arrays + 3 * rank,
                        .imap = (ptrdiff_t *)(void *)(arrays + 4 * rank)};
    return &p->v[p->n++];
}

/* Cuts this rank's selection at the objects. */
static int
cut_selection(exchange *x)
{
    ncz_chunk_iter *iter = NULL;
    ncz_piece       piece;
    int             rc = NC_NOERR;

    if (is_empty(x->sel))
        return NC_NOERR;
    if ((rc = ncz_chunk_iter_new(x->sel, x->shape, x->object, &iter)) != NC_NOERR)
        return rc;
    while (rc == NC_NOERR && ncz_chunk_iter_next(iter, &piece)) {
        part *p = add_part(&x->mine, x->v->rank);

        if (p == NULL) {
            rc = ncz_fail_nomem(x->mine.cap * sizeof *p);
            break;
        }
        p->nelems = 1;
        p->mem = piece.mem;
        for (size_t d = 0; d < x->v->rank; d++) {
            p->object[d] = piece.index[d];
            p->start[d] = piece.index[d] * x->object[d] + piece.off[d];
            p->count[d] = piece.n[d];
            p->stride[d] = piece.stride[d];
            p->imap[d] = piece.imap[d];
            p->nelems *= (size_t)piece.n[d];
        }
        p->owner = find_owner(x, p->object);
    }
    ncz_chunk_iter_free(iter);
    return rc;
}

/* Moves to the next row along the last dimension. False after the last row. */
static bool
next_row(const part *p, size_t rank, uint64_t *at)
{
    for (size_t d = rank - 1; d-- > 0;) {
        if (++at[d] < p->count[d])
            return true;
        at[d] = 0;
    }
    return false;
}

/* Converts elements that are `step` apart. A value that does not fit is noted. */
static int
convert_row(exchange *x, const char *in, ptrdiff_t step, size_t n, char *out)
{
    size_t run = step == 1 ? n : 1;
    int    rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < n; i += run) {
        rc = ncz_convert(x->mem, in, x->v->type, out, run, x->ds->classic);
        in += step * (ptrdiff_t)x->mem->size;
        out += x->v->type->size;
        x->range = x->range || rc == NC_ERANGE;
        rc = rc == NC_ERANGE ? NC_NOERR : rc;
    }
    return rc;
}

/* Converts the elements of a part in the caller's memory to the variable's type, packed. */
static int
pack_part(exchange *x, const part *p, char *out)
{
    size_t    rank = x->v->rank, row = (size_t)p->count[rank - 1];
    uint64_t *at = ncz_zalloc_n(rank, sizeof *at);
    int       rc = at == NULL ? ncz_fail_nomem(rank * sizeof *at) : NC_NOERR;

    while (rc == NC_NOERR) {
        ptrdiff_t mem = p->mem;

        for (size_t d = 0; d + 1 < rank; d++)
            mem += (ptrdiff_t)at[d] * p->imap[d];
        rc = convert_row(x, x->in + mem * (ptrdiff_t)x->mem->size, p->imap[rank - 1], row, out);
        out += row * x->v->type->size;
        if (!next_row(p, rank, at))
            break;
    }
    ncz_free(at);
    return rc;
}

/* ---- messages -------------------------------------------------------------------------------------------------- */

/* The bytes of a part in a message: its box and its elements, a multiple of 8. False on overflow. */
static bool
message_len(const exchange *x, size_t nelems, size_t *out)
{
    return ncz_mul(nelems, x->v->type->size, out) && ncz_add(*out, 7 + 3 * x->v->rank * sizeof(uint64_t), out) &&
           (*out &= ~(size_t)7, true);
}

static bool
travels(const exchange *x, const part *p)
{
    return p->owner != (int)ncz_comm_rank(x->ds->comm) && number_of(x, p->object) % x->nrounds == x->round;
}

/* The messages of a round, in the order of ranks. */
static int
pack_round(exchange *x)
{
    size_t nranks = ncz_comm_size(x->ds->comm), total = 0, box = x->v->rank * sizeof(uint64_t);
    int    rc = NC_NOERR;

    memset(x->send_len, 0, nranks * sizeof *x->send_len);
    ncz_buf_reset(&x->send);
    for (size_t i = 0; i < x->mine.n; i++) {
        const part *p = &x->mine.v[i];
        size_t      len;

        if (!travels(x, p))
            continue;
        if (!message_len(x, p->nelems, &len) || !ncz_add(total, len, &total))
            return ncz_fail_nomem(SIZE_MAX);
        x->send_len[p->owner] += len;
    }
    if ((rc = ncz_buf_reserve(&x->send, total)) != NC_NOERR)
        return rc;
    for (size_t r = 0; rc == NC_NOERR && r < nranks; r++)
        for (size_t i = 0; rc == NC_NOERR && x->send_len[r] > 0 && i < x->mine.n; i++) {
            part  *p = &x->mine.v[i];
            size_t len;
            char  *out = x->send.data + x->send.len;

            if (p->owner != (int)r || !travels(x, p) || !message_len(x, p->nelems, &len))
                continue;
            memcpy(out, p->start, box);
            memcpy(out + box, p->count, box);
            memcpy(out + 2 * box, p->stride, box);
            rc = pack_part(x, p, out + 3 * box);
            x->send.len += len;
            p->done = true;
        }
    return rc;
}

/* The parts of what was received. The other ranks are the same program, but a mistake must not damage memory. */
static int
read_messages(exchange *x, parts *got)
{
    size_t rank = x->v->rank, box = rank * sizeof(uint64_t), at = 0;

    while (x->received.len - at > 3 * box) {
        part    *p = add_part(got, rank);
        uint64_t n = 1;
        size_t   len;

        if (p == NULL)
            return ncz_fail_nomem(got->cap * sizeof *p);
        memcpy(p->start, x->received.data + at, box);
        memcpy(p->count, x->received.data + at + box, box);
        memcpy(p->stride, x->received.data + at + 2 * box, box);
        for (size_t d = 0; d < rank; d++) {
            uint64_t last = p->start[d];

            if (p->count[d] == 0 || p->stride[d] == 0 || !ncz_mul64(n, p->count[d], &n) ||
                p->count[d] > x->shape[d] || p->stride[d] > x->shape[d] ||
                (last += (p->count[d] - 1) * p->stride[d]) >= x->shape[d] ||
                last / x->object[d] != p->start[d] / x->object[d])
                return ncz_fail(NC_EINTERNAL, "%s: another rank sent a part that is outside of the variable",
                                x->v->name);
            p->object[d] = p->start[d] / x->object[d];
        }
        p->nelems = (size_t)n;
        if (n > SIZE_MAX || !message_len(x, p->nelems, &len) || len > x->received.len - at)
            return ncz_fail(NC_EINTERNAL, "%s: another rank sent a part that is too short", x->v->name);
        p->packed = x->received.data + at + 3 * box;
        at += len;
    }
    return NC_NOERR;
}

/* ---- the second phase: putting --------------------------------------------------------------------------------- */

/* Puts a box of packed elements of the variable's type. */
static int
write_packed(exchange *x, const uint64_t *start, const uint64_t *count, const uint64_t *stride, const char *data)
{
    size_t     rank = x->v->rank;
    ptrdiff_t *imap = ncz_alloc_n(rank, sizeof *imap);
    int        rc;

    if (imap == NULL)
        return ncz_fail_nomem(rank * sizeof *imap);
    if (!ncz_grid_packed_imap(count, rank, imap))
        rc = ncz_fail_nomem(SIZE_MAX);
    else
        rc = x->write(x->ds, x->v,
                      &(ncz_select){.rank = rank, .start = start, .count = count, .stride = stride, .imap = imap},
                      x->shape, x->v->type, data);
    ncz_free(imap);
    return rc;
}

/* The elements of an object that are inside of the variable. */
typedef struct assembly {
    uint64_t *start, *count, *stride;
    size_t    nelems;
    char     *data;
    uint8_t  *set; /* a bit for each */
} assembly;

static void
clear_assembly(assembly *a)
{
    ncz_free(a->start);
    ncz_free(a->data);
    ncz_free(a->set);
}

/* False: it cannot be had in memory, or is larger than a round; then the parts are put one by one. */
static bool
begin_assembly(const exchange *x, const uint64_t *object, assembly *a)
{
    size_t rank = x->v->rank, nbytes;

    *a = (assembly){.start = ncz_alloc_n(rank, 3 * sizeof *a->start), .nelems = 1};
    if (a->start == NULL)
        return false;
    a->count = a->start + rank;
    a->stride = a->start + 2 * rank;
    for (size_t d = 0; d < rank; d++) {
        uint64_t left;

        a->start[d] = object[d] * x->object[d];
        left = x->shape[d] - a->start[d];
        a->count[d] = left < x->object[d] ? left : x->object[d];
        a->stride[d] = 1;
        if (a->count[d] > ROUND_BYTES || !ncz_mul(a->nelems, (size_t)a->count[d], &a->nelems))
            return false;
    }
    if (!ncz_mul(a->nelems, x->v->type->size, &nbytes) || nbytes > ROUND_BYTES)
        return false;
    a->data = ncz_alloc(nbytes);
    a->set = ncz_zalloc(a->nelems / 8 + 1);
    return a->data != NULL && a->set != NULL;
}

/* Puts the packed elements of a part in their places. */
static int
place_part(const exchange *x, assembly *a, const part *p)
{
    size_t      rank = x->v->rank, size = x->v->type->size, row = (size_t)p->count[rank - 1];
    uint64_t   *index = ncz_zalloc_n(rank, sizeof *index);
    const char *in = p->packed;

    if (index == NULL)
        return ncz_fail_nomem(rank * sizeof *index);
    do {
        size_t at = 0;

        for (size_t d = 0; d < rank; d++)
            at = at * (size_t)a->count[d] + (size_t)(p->start[d] + index[d] * p->stride[d] - a->start[d]);
        for (size_t i = 0; i < row; i++, at += (size_t)p->stride[rank - 1], in += size) {
            memcpy(a->data + at * size, in, size);
            a->set[at / 8] |= (uint8_t)(1U << at % 8);
        }
    } while (next_row(p, rank, index));
    ncz_free(index);
    return NC_NOERR;
}

static bool
is_full(const assembly *a)
{
    for (size_t i = 0; i < a->nelems; i += a->nelems - i >= 8 ? 8 : 1)
        if (a->nelems - i >= 8 ? a->set[i / 8] != 0xFF : (a->set[i / 8] >> i % 8 & 1) == 0)
            return false;
    return true;
}

/* Puts the parts of one object: as a whole where they cover it, so that it need not be read. */
static int
write_object(exchange *x, const part *p, size_t n)
{
    assembly a;
    bool     whole = begin_assembly(x, p->object, &a);
    int      rc = NC_NOERR;

    for (size_t i = 0; whole && i < n; i++)
        whole = place_part(x, &a, &p[i]) == NC_NOERR;
    if (whole && is_full(&a))
        rc = write_packed(x, a.start, a.count, a.stride, a.data);
    else
        for (size_t i = 0; rc == NC_NOERR && i < n; i++)
            rc = write_packed(x, p[i].start, p[i].count, p[i].stride, p[i].packed);
    clear_assembly(&a);
    return rc;
}

static int
compare_objects(const exchange *x, const part *a, const part *b)
{
    for (size_t d = 0; d < x->v->rank; d++)
        if (a->object[d] != b->object[d])
            return a->object[d] < b->object[d] ? -1 : 1;
    return 0;
}

static void
sort_parts(const exchange *x, parts *p)
{
    for (size_t gap = p->n / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < p->n; i++) {
            part   held = p->v[i];
            size_t k = i;

            for (; k >= gap && compare_objects(x, &p->v[k - gap], &held) > 0; k -= gap)
                p->v[k] = p->v[k - gap];
            p->v[k] = held;
        }
}

/* Whether another rank sent a part of the object of `p`; `got` is sorted. */
static bool
was_received(const exchange *x, const parts *got, const part *p)
{
    size_t lo = 0, hi = got->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int    order = compare_objects(x, &got->v[mid], p);

        if (order == 0)
            return true;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return false;
}

/* Adds this rank's own part of each object that others sent parts of, packed. */
static int
add_own_parts(exchange *x, parts *got)
{
    parts own = {.v = NULL};
    int   rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < x->mine.n; i++) {
        part *p = &x->mine.v[i], *o;

        if (p->done || !was_received(x, got, p))
            continue;
        if ((o = add_part(&own, x->v->rank)) == NULL ||
            (o->owned = ncz_alloc_n(p->nelems, x->v->type->size)) == NULL) {
            rc = ncz_fail_nomem(p->nelems * x->v->type->size);
            break;
        }
        memcpy(o->object, p->object, 4 * x->v->rank * sizeof *p->object);
        o->nelems = p->nelems;
        o->packed = o->owned;
        p->done = true;
        rc = pack_part(x, p, o->owned);
    }
    for (size_t i = 0; rc == NC_NOERR && i < own.n; i++) {
        part *p = add_part(got, 1);

        if (p == NULL) {
            rc = ncz_fail_nomem(sizeof *p);
            break;
        }
        ncz_free(p->object);
        *p = own.v[i];
        own.v[i] = (part){.object = NULL};
    }
    clear_parts(&own);
    return rc;
}

static int
write_received(exchange *x)
{
    parts got = {.v = NULL};
    int   rc = read_messages(x, &got);

    sort_parts(x, &got);
    if (rc == NC_NOERR && (rc = add_own_parts(x, &got)) == NC_NOERR) {
        sort_parts(x, &got);
        for (size_t i = 0, n; rc == NC_NOERR && i < got.n; i += n) {
            for (n = 1; i + n < got.n && compare_objects(x, &got.v[i], &got.v[i + n]) == 0; n++)
                continue;
            rc = write_object(x, &got.v[i], n);
        }
    }
    clear_parts(&got);
    return rc;
}

/* Puts what is left of this rank's selection: objects that it owns and nobody else touched; neighbours along the last
 * dimension together. */
static int
write_rest(exchange *x)
{
    size_t last = x->v->rank - 1;
    int    rc = NC_NOERR;

    for (size_t i = 0, n; rc == NC_NOERR && i < x->mine.n; i += n) {
        part *p = &x->mine.v[i];

        for (n = 1; i + n < x->mine.n && !x->mine.v[i + n].done && !p->done; n++) {
            const part *q = &x->mine.v[i + n];

            if (q->object[last] != p->object[last] + n || memcmp(q->object, p->object, last * sizeof *p->object) != 0)
                break;
        }
        if (p->done)
            continue;
        for (size_t k = 1; k < n; k++)
            p->count[last] += x->mine.v[i + k].count[last];
        rc = x->write(
            x->ds, x->v,
            &(ncz_select){
                .rank = x->v->rank, .start = p->start, .count = p->count, .stride = p->stride, .imap = p->imap},
            x->shape, x->mem, x->in + p->mem * (ptrdiff_t)x->mem->size);
        if (rc == NC_ERANGE) {
            x->range = true;
            rc = NC_NOERR;
        }
    }
    return rc;
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static uint64_t
count_travelling(const exchange *x)
{
    uint64_t total = 0;

    for (size_t i = 0; i < x->mine.n; i++) {
        size_t len;

        if (x->mine.v[i].owner != (int)ncz_comm_rank(x->ds->comm) && message_len(x, x->mine.v[i].nelems, &len))
            total += len;
    }
    return total < (uint64_t)1 << 62 ? total : (uint64_t)1 << 62;
}

/* Makes the plan of this rank. A failure is that of all ranks. */
static int
begin_exchange(exchange *x)
{
    const ncz_spec *spec = x->v->spec;
    ncz_par_owners *o = find_owners(x);
    size_t          nranks = ncz_comm_size(x->ds->comm);
    int             rc = NC_NOERR;

    x->object = ncz_alloc_n(x->v->rank, sizeof *x->object);
    x->send_len = ncz_alloc_n(nranks, sizeof *x->send_len);
    if (x->object == NULL || x->send_len == NULL)
        rc = ncz_fail_nomem(nranks * sizeof *x->send_len);
    for (size_t d = 0; rc == NC_NOERR && d < x->v->rank; d++)
        if (!ncz_mul64(spec->chunk[d], spec->object != NULL ? spec->object[d] : 1, &x->object[d]))
            rc = ncz_fail(NC_EINTERNAL, "%s: its shards are too long", x->v->name);
    if (o != NULL)
        x->box = o->box;
    else if ((rc = gather_owners(x, rc)) != NC_NOERR)
        return rc;
    if (rc == NC_NOERR)
        rc = cut_selection(x);
    return ncz_comm_agree(x->ds->comm, NCZ_COMM_PUT, 0, rc);
}

/* All rounds. *rc: this rank's failure so far, which ends the exchange on all ranks in the next round. Returns what
 * all ranks agree on. */
static int
exchange_parts(exchange *x, int *rc)
{
    int agreed;

    for (; x->round < x->nrounds; x->round++) {
        if (*rc == NC_NOERR)
            *rc = pack_round(x);
        if ((agreed = ncz_comm_agree(x->ds->comm, NCZ_COMM_PUT, x->round, *rc)) != NC_NOERR ||
            (agreed = ncz_comm_exchange(x->ds->comm, NCZ_COMM_PUT, &x->send, x->send_len, &x->received)) != NC_NOERR)
            return agreed;
        *rc = write_received(x);
    }
    return NC_NOERR;
}

bool
ncz_par_exchanges(const ncz_dataset *ds, const ncz_var *v)
{
    return ncz_comm_exchanges(ds->comm) && v->rank > 0 && !v->type->owns && v->type->size > 0;
}

int
ncz_par_put(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const uint64_t *shape, const ncz_type *mem,
            const void *in, ncz_par_write write)
{
    exchange x = {.ds = ds,
                  .v = v,
                  .sel = sel,
                  .shape = shape,
                  .mem = mem,
                  .in = in,
                  .write = write,
                  .send = NCZ_BUF_INIT,
                  .received = NCZ_BUF_INIT};
    uint64_t most;
    int      rc = NC_NOERR, agreed = begin_exchange(&x);

    if (agreed != NC_NOERR)
        goto done;
    most = count_travelling(&x);
    if ((agreed = ncz_comm_max(ds->comm, &most, 1)) != NC_NOERR)
        goto done;
    x.nrounds = most > 0 ? most / ROUND_BYTES + 1 : 0;
    if ((agreed = exchange_parts(&x, &rc)) != NC_NOERR)
        goto done;
    if (rc == NC_NOERR && most == 0 && !is_empty(sel))
        rc = write(ds, v, sel, shape, mem, in);
    else if (rc == NC_NOERR)
        rc = write_rest(&x);
    rc = rc == NC_NOERR && x.range ? NC_ERANGE : rc;
done:
    ncz_buf_clear(&x.send);
    ncz_buf_clear(&x.received);
    clear_parts(&x.mine);
    ncz_free(x.object);
    ncz_free(x.send_len);
    return agreed != NC_NOERR ? ncz_par_failed_put(v, agreed) : ncz_par_end_put(ds, v, rc);
}
