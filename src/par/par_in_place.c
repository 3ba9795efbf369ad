/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_in_place: ranks write whole chunks into objects that other ranks own, side by side, in a store where that
 * is possible (chunk_lend.c). In a collective put, after the selections were cut at the objects:
 *
 *  1. each rank asks the owners for the places of its chunks
 *  2. an owner lends what it can, and answers with the name of the object's draft; an empty name refuses
 *  3. each rank writes its chunks, and then its own part of the objects in which it has lent places: all ranks write at
 *     the same time
 *  4. each rank tells the owners which chunks it has written; they stage them, and store objects that are complete
 *
 * What is refused travels as always (par_parts.c). A rank that fails in one of these steps takes part in the
 * others with nothing to say, which the others take for a refusal; the put tells its failure at the end.
 */
#include "par/par_exchange_int.h"

#include <stdio.h>
#include <string.h>

/* What another rank asked for. */
typedef struct request {
    ncz_chunk_loan *loan; /* NULL: refused */
    size_t          rank; /* that asked */
} request;

/* An answer: which rank answers, and the name. */
typedef struct reply {
    uint64_t rank;
    char     name[ZMAP_DRAFT_NAME];
} reply;

typedef struct lending {
    ncz_exchange *x;
    request      *asked; /* of this rank, in the order of ranks */
    size_t        nasked;
    ncz_buf       states;  /* for each request of this rank that was granted: its rank, and a byte for each chunk */
    size_t       *nstates; /* bytes of it for each owner */
    size_t        box;     /* bytes of a request: the rank, the first chunk, numbers of chunks */
} lending;

/* ---- which parts ---- */

static bool
is_whole(const ncz_exchange *x, const ncz_part *p)
{
    const ncz_var *v = x->v;

    for (size_t d = 0; d < v->rank; d++) {
        uint64_t chunk = v->spec->chunk[d], end = p->start[d] + p->count[d];

        if ((p->count[d] > 1 && p->stride[d] != 1) || p->start[d] % chunk != 0 ||
            (end % chunk != 0 && (v->dims[d]->unlimited || end < x->shape[d])))
            return false;
    }
    return true;
}

bool
ncz_par_mark_whole(ncz_exchange *x)
{
    bool any = false;

    if (x->v->quantize_mode != NC_NOQUANTIZE || !ncz_engine_lends(x->ds->engine, x->v->spec))
        return false;
    for (size_t i = 0; i < x->mine.n; i++) {
        ncz_part *p = &x->mine.v[i];

        p->whole = is_whole(x, p);
        any = any || (p->whole && p->owner != ncz_comm_rank(ncz_par_comm(x->ds)));
    }
    return any;
}

/* ---- 1. requests ---- */

/* The part's first chunk, and how many it has. */
static void
chunks_of(const ncz_exchange *x, const ncz_part *p, uint64_t *first, uint64_t *n)
{
    for (size_t d = 0; d < x->v->rank; d++) {
        first[d] = p->start[d] / x->v->spec->chunk[d];
        n[d] = ncz_count_parts(p->count[d], x->v->spec->chunk[d]);
    }
}

static size_t
count_chunks(const ncz_exchange *x, const ncz_part *p)
{
    size_t n = 1;

    for (size_t d = 0; d < x->v->rank; d++)
        n *= (size_t)ncz_count_parts(p->count[d], x->v->spec->chunk[d]); /* at most the object's slots */
    return n;
}

/* Whether another rank owns the part's object, and this one asks for the places of its chunks. */
static bool
is_asked(const ncz_exchange *x, const ncz_part *p)
{
    return p->whole && p->owner != ncz_comm_rank(ncz_par_comm(x->ds));
}

/* Sends x->send, or nothing if this rank has failed, and takes what the others sent. */
static int
exchange(ncz_exchange *x, int rc)
{
    if (rc != NC_NOERR)
        memset(x->send_len, 0, ncz_comm_size(ncz_par_comm(x->ds)) * sizeof *x->send_len);
    return ncz_comm_exchange(ncz_par_comm(x->ds), NCZ_COMM_PUT, &x->send, x->send_len, &x->received);
}

static void
begin_message(ncz_exchange *x)
{
    memset(x->send_len, 0, ncz_comm_size(ncz_par_comm(x->ds)) * sizeof *x->send_len);
    ncz_buf_reset(&x->send);
}

static int
ask(const lending *l, int *failed)
{
    ncz_exchange *x = l->x;
    size_t        rank = x->v->rank;
    uint64_t     *words = ncz_alloc(l->box);
    int           rc = *failed != NC_NOERR ? *failed : words != NULL ? NC_NOERR : ncz_fail_nomem(l->box);

    begin_message(x);
    for (size_t r = 0; rc == NC_NOERR && r < ncz_comm_size(ncz_par_comm(x->ds)); r++)
        for (size_t i = 0; rc == NC_NOERR && i < x->mine.n; i++) {
            const ncz_part *p = &x->mine.v[i];

            if (!is_asked(x, p) || p->owner != (int)r)
                continue;
            words[0] = (uint64_t)ncz_comm_rank(ncz_par_comm(x->ds));
            chunks_of(x, p, words + 1, words + 1 + rank);
            rc = ncz_buf_append(&x->send, words, l->box);
            x->send_len[r] += l->box;
        }
    ncz_free(words);
    *failed = rc;
    return exchange(x, rc);
}

/* ---- 2. answers ---- */

/* The other ranks are the same program, but a mistake must not damage memory. */
static int
check_request(const ncz_exchange *x, const uint64_t *words, size_t after)
{
    const ncz_spec *spec = x->v->spec;
    size_t          rank = x->v->rank;
    bool            good = words[0] < ncz_comm_size(ncz_par_comm(x->ds)) && words[0] >= after;

    for (size_t d = 0; good && d < rank; d++) {
        uint64_t first = words[1 + d], n = words[1 + rank + d], all = ncz_count_parts(x->shape[d], spec->chunk[d]);

        good = n > 0 && first < all && n <= all - first &&
               (first + n - 1) / spec->layout->object[d] == first / spec->layout->object[d];
    }
    return good ? NC_NOERR
                : ncz_fail(NC_EINTERNAL, "%s: another rank asked for chunks that are not there", x->v->name);
}

/* Lends what was asked for. */
static int
lend_all(lending *l)
{
    ncz_exchange *x = l->x;
    size_t        rank = x->v->rank, n = x->received.len / l->box, after = 0;
    uint64_t     *words = ncz_alloc(l->box);
    int           rc = NC_NOERR;

    if (words == NULL || (n > 0 && (l->asked = ncz_zalloc_n(n, sizeof *l->asked)) == NULL))
        rc = ncz_fail_nomem(n * sizeof *l->asked);
    for (size_t i = 0; rc == NC_NOERR && i < n; i++) {
        memcpy(words, x->received.data + i * l->box, l->box);
        if ((rc = check_request(x, words, after)) != NC_NOERR)
            break;
        after = (size_t)words[0];
        l->asked[l->nasked++].rank = after;
        if (ncz_engine_lend(x->ds->engine, x->v->spec, words + 1, words + 1 + rank, &l->asked[i].loan) != NC_NOERR)
            ncz_err_clear(); /* refused: the values come, and need memory, too */
    }
    ncz_free(words);
    return rc;
}

static int
answer(lending *l, int *failed)
{
    ncz_exchange *x = l->x;
    int           rc = *failed == NC_NOERR ? lend_all(l) : *failed;

    begin_message(x);
    for (size_t i = 0; rc == NC_NOERR && i < l->nasked; i++) {
        reply one = {.rank = (uint64_t)ncz_comm_rank(ncz_par_comm(x->ds))};

        if (l->asked[i].loan != NULL)
            (void)snprintf(one.name, sizeof one.name, "%s", ncz_chunk_loan_name(l->asked[i].loan));
        rc = ncz_buf_append(&x->send, &one, sizeof one);
        x->send_len[l->asked[i].rank] += sizeof one;
    }
    *failed = rc;
    return exchange(x, rc);
}

/* ---- 3. write ---- */

static int
write_part(lending *l, ncz_part *p, const char *name)
{
    ncz_exchange  *x = l->x;
    uint64_t       rank = (uint64_t)ncz_comm_rank(ncz_par_comm(x->ds));
    size_t         n = count_chunks(x, p);
    bool          *grows = ncz_alloc_n(x->v->rank, sizeof *grows);
    ncz_plan       plan = {.spec = x->v->spec,
                           .shape = x->shape,
                           .mem = x->mem,
                           .grows = grows,
                           .classic = ncz_dataset_lax_bytes(x->ds)};
    unsigned char *states;
    int            rc;

    if (grows == NULL)
        return ncz_fail_nomem(x->v->rank);
    for (size_t d = 0; d < x->v->rank; d++)
        grows[d] = x->v->dims[d]->unlimited;
    plan.sel =
        (ncz_select){.rank = x->v->rank, .start = p->start, .count = p->count, .stride = p->stride, .imap = p->imap};
    if ((rc = ncz_buf_append(&l->states, &rank, sizeof rank)) == NC_NOERR &&
        (rc = ncz_buf_reserve(&l->states, l->states.len + n)) == NC_NOERR) {
        states = (unsigned char *)l->states.data + l->states.len;
        memset(states, NCZ_LOAN_UNUSED, n);
        l->states.len += n;
        l->nstates[p->owner] += sizeof rank + n;
        rc = ncz_engine_write_lent(x->ds->engine, &plan, x->in + p->mem * (ptrdiff_t)x->mem->size, name, states);
        p->done = (rc == NC_NOERR || rc == NC_ERANGE) && states[0] != NCZ_LOAN_UNUSED;
    }
    if (rc == NC_ERANGE) {
        x->range = true;
        rc = NC_NOERR;
    }
    ncz_free(grows);
    return rc;
}

/* Writes the parts whose owners answered with a name. */
static int
write_parts(lending *l)
{
    ncz_exchange *x = l->x;
    size_t        at = 0;
    int           rc = NC_NOERR;

    for (size_t r = 0; rc == NC_NOERR && r < ncz_comm_size(ncz_par_comm(x->ds)); r++)
        for (size_t i = 0; rc == NC_NOERR && i < x->mine.n; i++) {
            ncz_part *p = &x->mine.v[i];
            reply     one;

            if (!is_asked(x, p) || p->owner != (int)r || x->received.len - at < sizeof one)
                continue;
            memcpy(&one, x->received.data + at, sizeof one);
            if (one.rank != r) /* the owner has failed, and says nothing */
                continue;
            one.name[sizeof one.name - 1] = '\0';
            at += sizeof one;
            if (one.name[0] != '\0')
                rc = write_part(l, p, one.name);
        }
    return rc;
}

/* Writes this rank's own part of the objects in which it has lent places, unless some of its places were refused: their
 * values come, and are put together with its own. */
static int
write_own(const lending *l)
{
    for (size_t i = 0; i < l->nasked; i++)
        if (l->asked[i].loan == NULL)
            return NC_NOERR;
    return l->nasked > 0 ? ncz_par_write_rest(l->x, true) : NC_NOERR;
}

/* ---- 4. reports ---- */

static int
report(lending *l, int *failed)
{
    ncz_exchange *x = l->x;
    int           rc = *failed == NC_NOERR ? write_parts(l) : *failed;

    if (rc == NC_NOERR)
        rc = write_own(l);
    begin_message(x);
    if (rc == NC_NOERR && (rc = ncz_buf_append(&x->send, l->states.data, l->states.len)) == NC_NOERR)
        memcpy(x->send_len, l->nstates, ncz_comm_size(ncz_par_comm(x->ds)) * sizeof *x->send_len);
    *failed = rc;
    return exchange(x, rc);
}

/* The report on a request, at `*at` of what was received; NULL: that rank has failed, and says nothing. */
static const unsigned char *
find_report(const ncz_exchange *x, const request *asked, size_t *at)
{
    uint64_t rank;
    size_t   n = ncz_chunk_loan_count(asked->loan);

    if (x->received.len - *at < sizeof rank || x->received.len - *at - sizeof rank < n)
        return NULL;
    memcpy(&rank, x->received.data + *at, sizeof rank);
    if (rank != asked->rank)
        return NULL;
    *at += sizeof rank + n;
    return (const unsigned char *)x->received.data + *at - n;
}

/* Takes back all that was lent, and what the ranks have written of it. */
static int
take_back(const lending *l, bool reported)
{
    ncz_exchange *x = l->x;
    size_t        at = 0;
    int           rc = NC_NOERR;

    for (size_t i = 0; i < l->nasked; i++) {
        const request       *asked = &l->asked[i];
        const unsigned char *states = asked->loan != NULL && reported ? find_report(x, asked, &at) : NULL;
        int                  one = ncz_engine_return(x->ds->engine, asked->loan, states);

        rc = rc == NC_NOERR ? one : rc;
    }
    return rc;
}

int
ncz_par_write_in_place(ncz_exchange *x, int *rc)
{
    size_t  nranks = ncz_comm_size(ncz_par_comm(x->ds));
    lending l = {.x = x, .states = NCZ_BUF_INIT, .box = (1 + 2 * x->v->rank) * sizeof(uint64_t)};
    bool    reported = false;
    int     agreed, taken;

    if ((l.nstates = ncz_zalloc_n(nranks, sizeof *l.nstates)) == NULL)
        *rc = ncz_fail_nomem(nranks * sizeof *l.nstates);
    if ((agreed = ask(&l, rc)) == NC_NOERR && (agreed = answer(&l, rc)) == NC_NOERR)
        reported = (agreed = report(&l, rc)) == NC_NOERR;
    taken = take_back(&l, reported);
    if (*rc == NC_NOERR)
        *rc = taken;
    ncz_free(l.asked);
    ncz_free(l.nstates);
    ncz_buf_clear(&l.states);
    return agreed;
}
