/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_assembly: the second phase of a collective put: an object's owner puts the parts of all ranks, as a whole
 * where they cover the object, so that it need not be read.
 */
#include "par/par_exchange_int.h"

#include <string.h>

static int
put_box(ncz_exchange *x, const ncz_select *sel, const ncz_type *mem, const void *in)
{
    return ncz_dataset_put_chunks(x->ds, &(ncz_put){.v = x->v, .sel = sel, .shape = x->shape, .mem = mem, .in = in});
}

/* Puts a box of packed elements of the variable's type. */
static int
write_packed(ncz_exchange *x, const uint64_t *start, const uint64_t *count, const uint64_t *stride, const char *data)
{
    size_t     rank = x->v->rank;
    ptrdiff_t *imap = ncz_alloc_n(rank, sizeof *imap);
    int        rc;

    if (imap == NULL)
        return ncz_fail_nomem(rank * sizeof *imap);
    if (!ncz_grid_packed_imap(count, rank, imap))
        rc = ncz_fail_nomem(SIZE_MAX);
    else
        rc = put_box(x, &(ncz_select){.rank = rank, .start = start, .count = count, .stride = stride, .imap = imap},
                     x->v->type, data);
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

/* False: there is no memory for it, or it is larger than a round; then the parts are put one by one. */
static bool
begin_assembly(const ncz_exchange *x, const uint64_t *object, assembly *a)
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
        if (a->count[d] > NCZ_PAR_ROUND_BYTES || !ncz_mul(a->nelems, (size_t)a->count[d], &a->nelems))
            return false;
    }
    if (!ncz_mul(a->nelems, x->v->type->size, &nbytes) || nbytes > NCZ_PAR_ROUND_BYTES)
        return false;
    a->data = ncz_alloc(nbytes);
    a->set = ncz_zalloc(a->nelems / 8 + 1);
    return a->data != NULL && a->set != NULL;
}

/* Marks n elements from `at` on as set. */
static void
mark_set(uint8_t *set, size_t at, size_t n)
{
    for (; n > 0 && at % 8 != 0; at++, n--)
        set[at / 8] |= (uint8_t)(1U << at % 8);
    memset(set + at / 8, 0xFF, n / 8);
    for (at += n / 8 * 8, n %= 8; n > 0; at++, n--)
        set[at / 8] |= (uint8_t)(1U << at % 8);
}

/* Puts a row of n packed elements from element `at` of the object on, every step-th. */
static void
place_row(assembly *a, size_t at, size_t step, size_t n, const char *in, size_t size)
{
    if (step == 1) {
        memcpy(a->data + at * size, in, n * size);
        mark_set(a->set, at, n);
        return;
    }
    for (size_t i = 0; i < n; i++, at += step, in += size) {
        memcpy(a->data + at * size, in, size);
        a->set[at / 8] |= (uint8_t)(1U << at % 8);
    }
}

/* Puts the packed elements of a part in their places. */
static int
place_part(const ncz_exchange *x, assembly *a, const ncz_part *p)
{
    size_t      rank = x->v->rank, size = x->v->type->size, row = (size_t)p->count[rank - 1];
    uint64_t   *index = ncz_zalloc_n(rank, sizeof *index);
    ncz_box     rows = {.rank = rank - 1, .count = p->count};
    const char *in = p->packed;

    if (index == NULL)
        return ncz_fail_nomem(rank * sizeof *index);
    do {
        size_t at = 0;

        for (size_t d = 0; d < rank; d++)
            at = at * (size_t)a->count[d] + (size_t)(p->start[d] + index[d] * p->stride[d] - a->start[d]);
        place_row(a, at, (size_t)p->stride[rank - 1], row, in, size);
        in += row * size;
    } while (ncz_box_next(&rows, index));
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
write_object(ncz_exchange *x, const ncz_part *p, size_t n)
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
compare_objects(const ncz_exchange *x, const ncz_part *a, const ncz_part *b)
{
    for (size_t d = 0; d < x->v->rank; d++)
        if (a->object[d] != b->object[d])
            return a->object[d] < b->object[d] ? -1 : 1;
    return 0;
}

static void
sort_parts(const ncz_exchange *x, ncz_parts *p)
{
    for (size_t gap = p->n / 2; gap > 0; gap /= 2)
        for (size_t i = gap; i < p->n; i++) {
            ncz_part held = p->v[i];
            size_t   k = i;

            for (; k >= gap && compare_objects(x, &p->v[k - gap], &held) > 0; k -= gap)
                p->v[k] = p->v[k - gap];
            p->v[k] = held;
        }
}

/* Whether another rank sent a part of the object of `p`; `got` is sorted. */
static bool
was_received(const ncz_exchange *x, const ncz_parts *got, const ncz_part *p)
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
add_own_parts(ncz_exchange *x, ncz_parts *got)
{
    ncz_parts own = {.v = NULL};
    int       rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < x->mine.n; i++) {
        ncz_part *p = &x->mine.v[i], *o;

        if (p->done || !was_received(x, got, p))
            continue;
        if ((o = ncz_par_add_part(&own, x->v->rank)) == NULL ||
            (o->owned = ncz_alloc_n(p->nelems, x->v->type->size)) == NULL) {
            rc = ncz_fail_nomem(p->nelems * x->v->type->size);
            break;
        }
        memcpy(o->object, p->object, 4 * x->v->rank * sizeof *p->object);
        o->nelems = p->nelems;
        o->packed = o->owned;
        p->done = true;
        rc = ncz_par_pack_part(x, p, o->owned);
    }
    for (size_t i = 0; rc == NC_NOERR && i < own.n; i++) {
        ncz_part *p = ncz_par_add_part(got, 1);

        if (p == NULL) {
            rc = ncz_fail_nomem(sizeof *p);
            break;
        }
        ncz_free(p->object);
        *p = own.v[i];
        own.v[i] = (ncz_part){.object = NULL};
    }
    ncz_par_clear_parts(&own);
    return rc;
}

int
ncz_par_write_received(ncz_exchange *x)
{
    ncz_parts got = {.v = NULL};
    int       rc = ncz_par_read_messages(x, &got);

    sort_parts(x, &got);
    if (rc == NC_NOERR && (rc = add_own_parts(x, &got)) == NC_NOERR) {
        sort_parts(x, &got);
        for (size_t i = 0, n; rc == NC_NOERR && i < got.n; i += n) {
            for (n = 1; i + n < got.n && compare_objects(x, &got.v[i], &got.v[i + n]) == 0; n++)
                continue;
            rc = write_object(x, &got.v[i], n);
        }
    }
    ncz_par_clear_parts(&got);
    return rc;
}

/* Whether a call of `write` may put the part. */
static bool
is_left(const ncz_exchange *x, const ncz_part *p, bool whole_chunks)
{
    return !p->done && p->owner == ncz_comm_rank(ncz_par_comm(x->ds)) && (p->whole || !whole_chunks);
}

/* Neighbours along the last dimension are put together. */
int
ncz_par_write_rest(ncz_exchange *x, bool whole_chunks)
{
    size_t last = x->v->rank - 1;
    int    rc = NC_NOERR;

    for (size_t i = 0, n; rc == NC_NOERR && i < x->mine.n; i += n) {
        ncz_part *p = &x->mine.v[i];
        uint64_t  count = p->count[last];

        n = 1;
        if (!is_left(x, p, whole_chunks))
            continue;
        for (; i + n < x->mine.n && is_left(x, &x->mine.v[i + n], whole_chunks); n++) {
            const ncz_part *q = &x->mine.v[i + n];

            if (q->object[last] != p->object[last] + n || memcmp(q->object, p->object, last * sizeof *p->object) != 0)
                break;
            count += q->count[last];
        }
        for (size_t k = 0; k < n; k++)
            p[k].done = true;
        p->count[last] = count;
        rc = put_box(
            x,
            &(ncz_select){
                .rank = x->v->rank, .start = p->start, .count = p->count, .stride = p->stride, .imap = p->imap},
            x->mem, x->in + p->mem * (ptrdiff_t)x->mem->size);
        if (rc == NC_ERANGE) {
            x->range = true;
            rc = NC_NOERR;
        }
    }
    return rc;
}
