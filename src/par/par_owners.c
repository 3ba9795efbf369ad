/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_owners: which rank puts an object in collective puts; see par_exchange.c.
 */
#include "par/par_exchange_int.h"

/* Where the ranks were in a variable's first collective put: for each rank and dimension, [lo, hi); after them, the box
 * around all. */
struct ncz_par_owners {
    ncz_par_owners *next;
    uint64_t        uid;
    uint64_t       *box;
};

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
find_box(const ncz_exchange *x)
{
    ncz_par_owners *o = ncz_par_ranks_of(x->ds)->owners;

    while (o != NULL && o->uid != x->v->uid)
        o = o->next;
    return o;
}

/* Makes the box around those of all ranks. */
static void
surround(uint64_t *box, size_t nranks, size_t rank)
{
    uint64_t *around = box + nranks * 2 * rank;

    for (size_t d = 0; d < rank; d++) {
        uint64_t lo = UINT64_MAX, hi = 0;

        for (size_t r = 0; r < nranks; r++) {
            const uint64_t *own = box + (r * rank + d) * 2;

            lo = own[0] < own[1] && own[0] < lo ? own[0] : lo;
            hi = own[1] > hi ? own[1] : hi;
        }
        around[2 * d] = lo < hi ? lo : 0;
        around[2 * d + 1] = hi;
    }
}

/* Gathers the selections of all ranks. Collective: `rc` is this rank's result so far. */
static int
gather_owners(ncz_exchange *x, int rc)
{
    size_t          rank = x->v->rank, nbytes = 0;
    ncz_par_owners *o = ncz_zalloc(sizeof *o);
    uint64_t       *own = NULL;

    if (rc == NC_NOERR &&
        (o == NULL || !ncz_mul(2 * rank * sizeof *own, ncz_comm_size(ncz_par_comm(x->ds)) + 1, &nbytes) ||
         (own = ncz_alloc_n(rank, 2 * sizeof *own)) == NULL || (o->box = ncz_alloc(nbytes)) == NULL))
        rc = ncz_fail_nomem(nbytes);
    for (size_t d = 0; rc == NC_NOERR && d < rank; d++) {
        own[2 * d] = ncz_select_is_empty(x->sel) ? 0 : x->sel->start[d];
        own[2 * d + 1] =
            ncz_select_is_empty(x->sel) ? 0 : x->sel->start[d] + (x->sel->count[d] - 1) * x->sel->stride[d] + 1;
    }
    if ((rc = ncz_comm_agree(ncz_par_comm(x->ds), NCZ_COMM_PUT, 0, rc)) != NC_NOERR ||
        (rc = ncz_comm_gather(ncz_par_comm(x->ds), own, 2 * rank * sizeof *own, o->box)) != NC_NOERR)
        goto done;
    surround(o->box, ncz_comm_size(ncz_par_comm(x->ds)), rank);
    o->uid = x->v->uid;
    o->next = ncz_par_ranks_of(x->ds)->owners;
    ncz_par_ranks_of(x->ds)->owners = o;
    x->box = o->box;
    o = NULL;
done:
    ncz_par_owners_free(o);
    ncz_free(own);
    return rc;
}

/* Where an object begins, in dimension d. Along an unlimited one the steps of the first put repeat: ranks that put the
 * same steps then do so later, and so do ranks that put steps of their own. */
static uint64_t
place_of(const ncz_exchange *x, const uint64_t *object, size_t d)
{
    const uint64_t *around = x->box + ncz_comm_size(ncz_par_comm(x->ds)) * 2 * x->v->rank + 2 * d;
    uint64_t        lo = object[d] * x->object[d], steps = around[1] - around[0];

    if (!x->v->dims[d]->unlimited || steps == 0)
        return lo;
    return around[0] + (lo >= around[0] ? (lo - around[0]) % steps : (steps - (around[0] - lo) % steps) % steps);
}

/* Whether the first selection of a rank touches an object's place. */
static bool
touches(const ncz_exchange *x, size_t rank, const uint64_t *object)
{
    const uint64_t *box = x->box + rank * 2 * x->v->rank;

    for (size_t d = 0; d < x->v->rank; d++) {
        uint64_t lo = place_of(x, object, d);

        if (box[2 * d] == box[2 * d + 1] || box[2 * d] >= lo + x->object[d] || box[2 * d + 1] <= lo)
            return false;
    }
    return true;
}

/* The number of an object, equal on all ranks; consecutive objects have consecutive ones. */
uint64_t
ncz_par_object_number(const ncz_exchange *x, const uint64_t *object)
{
    uint64_t number = 0;

    for (size_t d = 0; d < x->v->rank; d++)
        number = number * (x->v->dims[d]->unlimited ? 1 : ncz_count_parts(x->shape[d], x->object[d])) + object[d];
    return number;
}

int
ncz_par_find_owner(const ncz_exchange *x, const uint64_t *object)
{
    size_t   nranks = ncz_comm_size(ncz_par_comm(x->ds)), n = 0;
    uint64_t number = ncz_par_object_number(x, object), nth;

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

int
ncz_par_load_owners(ncz_exchange *x, int rc)
{
    const ncz_par_owners *o = find_box(x);

    if (o == NULL)
        return gather_owners(x, rc);
    x->box = o->box;
    return rc;
}
