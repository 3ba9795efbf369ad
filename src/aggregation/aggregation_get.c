/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aggregation_get: a get of an aggregation, cut into the parts that its fragments have. Several fragments are read side
 * by side. A fragment that cannot be read fails the gets that touch it, and no others.
 */
#include "aggregation/aggregation_int.h"

#include <string.h>

/* Along one dimension: the fragment, and which of the selection's elements lie in it. */
typedef struct span {
    size_t   fragment;
    uint64_t first; /* step of the selection */
    uint64_t count;
} span;

typedef struct spans {
    span  *v;
    size_t n;
} spans;

enum { AHEAD_MOST = 32 }; /* fragments that a prefetch opens: fewer than stay open */

/* One get: the fragments that it touches are the product of those along each dimension. */
typedef struct job {
    ncz_aggregated   *g;
    const ncz_select *sel;
    const ncz_type   *mem;
    void             *out; /* NULL: a prefetch */
    spans            *along;
    size_t            total;
    pthread_mutex_t   lock; /* of the results */
    ncz_err           err;  /* the first failure, of the fragment with the lowest number */
    size_t            at;
    bool              range; /* NC_ERANGE of any */
} job;

/* ---- which fragments ---- */

/* The fragment that has element `at`: the last one that begins at it or before. */
static size_t
find_fragment(const uint64_t *start, size_t n, uint64_t at)
{
    size_t low = 0, high = n;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (start[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The parts of a selection along dimension d, in their order. */
static int
cut_dim(const ncz_aggregated *g, const ncz_select *sel, size_t d, spans *out)
{
    const uint64_t *start = g->map.start[d];
    size_t          cap = 0;
    int             rc;

    for (uint64_t k = 0; k < sel->count[d];) {
        uint64_t at = sel->start[d] + k * sel->stride[d], more;
        size_t   f = find_fragment(start, g->map.n[d], at);

        more = (start[f + 1] - 1 - at) / sel->stride[d] + 1;
        if (more > sel->count[d] - k)
            more = sel->count[d] - k;
        if ((rc = ncz_make_room(&out->v, out->n, &cap, sizeof *out->v)) != NC_NOERR)
            return rc;
        out->v[out->n++] = (span){.fragment = f, .first = k, .count = more};
        k += more;
    }
    return NC_NOERR;
}

static int
cut_all(job *j)
{
    size_t rank = j->sel->rank;
    int    rc = NC_NOERR;

    if ((j->along = ncz_zalloc_n(rank + 1, sizeof *j->along)) == NULL)
        return ncz_fail_nomem(rank);
    j->total = 1;
    for (size_t d = 0; d < rank && rc == NC_NOERR; d++) {
        rc = cut_dim(j->g, j->sel, d, &j->along[d]);
        if (rc == NC_NOERR && !ncz_mul(j->total, j->along[d].n, &j->total))
            rc = ncz_fail_nomem(SIZE_MAX);
    }
    return rc;
}

static void
clear_spans(job *j)
{
    for (size_t d = 0; j->along != NULL && d < j->sel->rank; d++)
        ncz_free(j->along[d].v);
    ncz_free(j->along);
}

/* ---- one fragment ---- */

/* Gets or makes the values of fragment number f. */
static int
get_part(const job *j, size_t f, const ncz_fragment_part *part)
{
    const ncz_fragment_map *m = &j->g->map;
    const char             *uri = m->uris != NULL ? m->uris[f] : NULL, *name;

    if (j->out == NULL && (uri == NULL || uri[0] == '\0'))
        return NC_NOERR; /* nothing to load */
    if (m->values != NULL)
        return ncz_fragment_fill(j->g->v, part,
                                 m->absent[f] ? j->g->fill : (const char *)m->values + f * j->g->v->type->size,
                                 j->mem, j->out);
    if (uri == NULL || uri[0] == '\0')
        return ncz_fragment_fill(j->g->v, part, j->g->fill, j->mem, j->out);
    name = m->identifiers[m->common ? 0 : f];
    if (j->out != NULL)
        return ncz_fragment_get(j->g, uri, name, part, j->mem, j->out);
    ncz_fragment_prefetch(j->g, uri, name, part);
    return NC_NOERR;
}

/* The i-th of the fragments that the get touches. */
static int
get_fragment(const job *j, size_t i)
{
    const ncz_fragment_map *m = &j->g->map;
    size_t                  rank = j->sel->rank, f = 0, scale = 1;
    ncz_dims                length, start, count;
    ncz_fragment_part       part = {.rank = rank, .stride = j->sel->stride, .imap = j->sel->imap};
    int                     rc;

    length.v = start.v = count.v = NULL;
    if ((rc = ncz_dims_init(&length, rank)) != NC_NOERR || (rc = ncz_dims_init(&start, rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&count, rank)) != NC_NOERR)
        goto done;
    for (size_t d = rank; d-- > 0; i /= j->along[d].n) {
        const span *s = &j->along[d].v[i % j->along[d].n];

        length.v[d] = m->start[d][s->fragment + 1] - m->start[d][s->fragment];
        start.v[d] = j->sel->start[d] + s->first * j->sel->stride[d] - m->start[d][s->fragment];
        count.v[d] = s->count;
        part.mem += (ptrdiff_t)s->first * j->sel->imap[d];
        f += s->fragment * scale;
        scale *= m->n[d];
    }
    part.length = length.v;
    part.start = start.v;
    part.count = count.v;
    rc = get_part(j, f, &part);
done:
    ncz_dims_clear(&length);
    ncz_dims_clear(&start);
    ncz_dims_clear(&count);
    return rc;
}

static void
run(void *arg, size_t i, ncz_scratch *scratch)
{
    job *j = arg;
    int  rc = get_fragment(j, i);

    (void)scratch;
    if (rc == NC_NOERR)
        return;
    (void)pthread_mutex_lock(&j->lock);
    if (rc == NC_ERANGE)
        j->range = true;
    else if (j->err.code == NC_NOERR || i < j->at) {
        ncz_err_save(&j->err, rc);
        j->at = i;
    }
    (void)pthread_mutex_unlock(&j->lock);
}

/* Calls `act` for the place of each element in the caller's memory. */
static int
each_place(const job *j, void (*act)(const ncz_type *mem, void *place))
{
    const ncz_select *sel = j->sel;
    ncz_box           box = {.rank = sel->rank, .count = sel->count};
    ncz_dims          index;
    int               rc = ncz_dims_init(&index, sel->rank);

    if (rc != NC_NOERR)
        return rc;
    do
        act(j->mem, (char *)j->out + ncz_select_place(sel, index.v) * (ptrdiff_t)j->mem->size);
    while (ncz_box_next(&box, index.v));
    ncz_dims_clear(&index);
    return NC_NOERR;
}

static void
clear_place(const ncz_type *mem, void *place)
{
    memset(place, 0, mem->size);
}

static void
free_place(const ncz_type *mem, void *place)
{
    ncz_type_free_elems(mem, place, 1);
}

/* Strings of a get that fails are freed again: so their places are cleared first. */
int
ncz_aggregated_get(ncz_var_source *s, const ncz_select *sel, const ncz_type *mem, void *out)
{
    job j = {.g = (ncz_aggregated *)(void *)s, .sel = sel, .mem = mem, .out = out};
    int rc, err;

    if ((rc = ncz_features_read(j.g)) != NC_NOERR)
        return rc;
    if ((err = pthread_mutex_init(&j.lock, NULL)) != 0)
        return ncz_fail_lock(err);
    if ((rc = cut_all(&j)) == NC_NOERR && (!mem->owns || (rc = each_place(&j, clear_place)) == NC_NOERR)) {
        if (j.total == 1) /* not as a task: the fragment's chunks are read side by side */
            run(&j, 0, NULL);
        else
            ncz_pool_each(j.total, ncz_pool_threads(), run, &j);
        rc = j.err.code != NC_NOERR ? ncz_err_adopt(&j.err) : j.range ? NC_ERANGE : NC_NOERR;
        if (mem->owns && rc != NC_NOERR && rc != NC_ERANGE)
            (void)each_place(&j, free_place);
    }
    clear_spans(&j);
    (void)pthread_mutex_destroy(&j.lock);
    return rc;
}

static void
run_ahead(void *arg, size_t i, ncz_scratch *scratch)
{
    (void)scratch;
    (void)get_fragment(arg, i);
    ncz_err_clear();
}

void
ncz_aggregated_prefetch(ncz_var_source *s, const ncz_select *sel)
{
    job j = {.g = (ncz_aggregated *)(void *)s, .sel = sel};

    if (ncz_features_read(j.g) == NC_NOERR && cut_all(&j) == NC_NOERR)
        ncz_pool_each(j.total < AHEAD_MOST ? j.total : AHEAD_MOST, ncz_pool_threads(), run_ahead, &j);
    clear_spans(&j);
    ncz_err_clear();
}
