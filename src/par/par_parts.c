/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_parts: a rank's selection cut at the objects, and the messages in which parts travel: a part's box, 3 *
 * rank numbers, and its packed elements in the variable's type.
 */
#include "par/par_exchange_int.h"

#include <string.h>

void
ncz_par_clear_parts(ncz_parts *p)
{
    for (size_t i = 0; i < p->n; i++) {
        ncz_free(p->v[i].object);
        ncz_free(p->v[i].owned);
    }
    ncz_free(p->v);
    *p = (ncz_parts){.v = NULL};
}

/* A new part with room for its arrays, or NULL. */
ncz_part *
ncz_par_add_part(ncz_parts *p, size_t rank)
{
    uint64_t *arrays;

    if (ncz_make_room(&p->v, p->n, &p->cap, sizeof *p->v) != NC_NOERR ||
        (arrays = ncz_alloc_n(rank, 4 * sizeof *arrays + sizeof(ptrdiff_t))) == NULL)
        return NULL;
    p->v[p->n] = (ncz_part){.object = arrays,
                            .start = arrays + rank,
                            .count = arrays + 2 * rank,
                            .stride = arrays + 3 * rank,
                            .imap = (ptrdiff_t *)(void *)(arrays + 4 * rank)};
    return &p->v[p->n++];
}

/* Whether a rank puts a part itself, whoever owns the object: in a file ranks do not put each other's elements, and
 * long runs of its own cost a rank no more than to send them. */
static bool
puts_itself(const ncz_exchange *x, const ncz_part *p)
{
    return ncz_par_is_file(x->ds) &&
           ncz_grid_run(p->count, p->stride, x->object, x->v->rank) * x->v->type->size >= NCZ_LONG_RUN;
}

/* Cuts this rank's selection at the objects. */
int
ncz_par_cut_selection(ncz_exchange *x)
{
    ncz_chunk_iter *iter = NULL;
    ncz_piece       piece;
    int             rc = NC_NOERR;

    if (ncz_select_is_empty(x->sel))
        return NC_NOERR;
    if ((rc = ncz_chunk_iter_new(x->sel, x->shape, x->object, &iter)) != NC_NOERR)
        return rc;
    while (rc == NC_NOERR && ncz_chunk_iter_next(iter, &piece)) {
        ncz_part *p = ncz_par_add_part(&x->mine, x->v->rank);

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
        p->owner = puts_itself(x, p) ? ncz_comm_rank(ncz_par_comm(x->ds)) : ncz_par_find_owner(x, p->object);
    }
    ncz_chunk_iter_free(iter);
    return rc;
}

/* Converts elements that are `step` apart. A value that does not fit is noted. */
static int
convert_row(ncz_exchange *x, const char *in, ptrdiff_t step, size_t n, char *out)
{
    size_t run = step == 1 ? n : 1;
    int    rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < n; i += run) {
        rc = ncz_convert(x->mem, in, x->v->type, out, run, ncz_dataset_lax_bytes(x->ds));
        in += step * (ptrdiff_t)x->mem->size;
        out += x->v->type->size;
        x->range = x->range || rc == NC_ERANGE;
        rc = rc == NC_ERANGE ? NC_NOERR : rc;
    }
    return rc;
}

/* Converts the elements of a part in the caller's memory to the variable's type, packed. */
int
ncz_par_pack_part(ncz_exchange *x, const ncz_part *p, char *out)
{
    size_t    rank = x->v->rank, row = (size_t)p->count[rank - 1];
    ncz_box   rows = {.rank = rank - 1, .count = p->count};
    uint64_t *at = ncz_zalloc_n(rank, sizeof *at);
    int       rc = at == NULL ? ncz_fail_nomem(rank * sizeof *at) : NC_NOERR;

    while (rc == NC_NOERR) {
        ptrdiff_t mem = p->mem;

        for (size_t d = 0; d + 1 < rank; d++)
            mem += (ptrdiff_t)at[d] * p->imap[d];
        rc = convert_row(x, x->in + mem * (ptrdiff_t)x->mem->size, p->imap[rank - 1], row, out);
        out += row * x->v->type->size;
        if (!ncz_box_next(&rows, at))
            break;
    }
    ncz_free(at);
    return rc;
}

/* ---- messages ---- */

/* The bytes of a part in a message: its box and its elements, a multiple of 8. False on overflow. */
static bool
message_len(const ncz_exchange *x, size_t nelems, size_t *out)
{
    size_t box = 3 * x->v->rank * sizeof(uint64_t);

    if (!ncz_mul(nelems, x->v->type->size, out) || !ncz_add(*out, box + 7, out))
        return false;
    *out -= *out % 8;
    return true;
}

static bool
travels(const ncz_exchange *x, const ncz_part *p)
{
    return !p->done && p->owner != (int)ncz_comm_rank(ncz_par_comm(x->ds)) &&
           ncz_par_object_number(x, p->object) % x->nrounds == x->round;
}

/* The messages of a round, in the order of ranks. */
int
ncz_par_pack_round(ncz_exchange *x)
{
    size_t nranks = ncz_comm_size(ncz_par_comm(x->ds)), total = 0, box = x->v->rank * sizeof(uint64_t);
    int    rc = NC_NOERR;

    memset(x->send_len, 0, nranks * sizeof *x->send_len);
    ncz_buf_reset(&x->send);
    for (size_t i = 0; i < x->mine.n; i++) {
        const ncz_part *p = &x->mine.v[i];
        size_t          len;

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
            ncz_part *p = &x->mine.v[i];
            size_t    len;
            char     *out = x->send.data + x->send.len;

            if (p->owner != (int)r || !travels(x, p) || !message_len(x, p->nelems, &len))
                continue;
            memcpy(out, p->start, box);
            memcpy(out + box, p->count, box);
            memcpy(out + 2 * box, p->stride, box);
            rc = ncz_par_pack_part(x, p, out + 3 * box);
            x->send.len += len;
            p->done = true;
        }
    return rc;
}

/* The parts of what was received. The other ranks are the same program, but a mistake must not damage memory. */
int
ncz_par_read_messages(ncz_exchange *x, ncz_parts *got)
{
    size_t rank = x->v->rank, box = rank * sizeof(uint64_t), at = 0;

    while (x->received.len - at > 3 * box) {
        ncz_part *p = ncz_par_add_part(got, rank);
        uint64_t  n = 1;
        size_t    len;

        if (p == NULL)
            return ncz_fail_nomem(got->cap * sizeof *p);
        memcpy(p->start, x->received.data + at, box);
        memcpy(p->count, x->received.data + at + box, box);
        memcpy(p->stride, x->received.data + at + 2 * box, box);
        for (size_t d = 0; d < rank; d++) {
            uint64_t last = p->start[d];

            if (p->count[d] == 0 || p->stride[d] == 0 || !ncz_mul64(n, p->count[d], &n) ||
                p->count[d] > x->shape[d] || (p->count[d] > 1 && p->stride[d] > x->shape[d]) ||
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

uint64_t
ncz_par_count_travelling(const ncz_exchange *x)
{
    uint64_t total = 0;

    for (size_t i = 0; i < x->mine.n; i++) {
        size_t len;

        if (!x->mine.v[i].done && x->mine.v[i].owner != (int)ncz_comm_rank(ncz_par_comm(x->ds)) &&
            message_len(x, x->mine.v[i].nelems, &len))
            total += len;
    }
    return total < (uint64_t)1 << 62 ? total : (uint64_t)1 << 62;
}
