/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_test: an array in plain memory beside the same array behind an engine, and requests on both.
 */
#ifndef CHUNK_TEST_H
#define CHUNK_TEST_H

#include <stdatomic.h>

#include "support/failing_alloc.h"
#include "support/test.h"

#include "cells/test_spec.h"
#include "chunk/chunk.h"
#include "zmap/zmap_mem.h"
#include "zmap/zmap_ops.h"
#include "support/zmap_fault.h"

enum { MAX_RANK = 4, MAX_ELEMS = 4096 };

static inline uint64_t
rnd(uint64_t *state, uint64_t n)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % n;
}

/* ---- requests ---- */

typedef struct request {
    uint64_t  start[MAX_RANK], count[MAX_RANK], stride[MAX_RANK];
    ptrdiff_t imap[MAX_RANK];
    size_t    nelems;
} request;

static inline ncz_plan
test_plan(const ncz_spec *spec, const uint64_t *shape, const request *r, nc_type mem)
{
    return (ncz_plan){
        .spec = spec,
        .shape = shape,
        .mem = ncz_type_of(mem),
        .sel = {.rank = spec->rank, .start = r->start, .count = r->count, .stride = r->stride, .imap = r->imap}};
}

static inline request
test_request(size_t rank, const uint64_t *start, const uint64_t *count)
{
    request r = {.nelems = 1};

    for (size_t d = 0; d < rank; d++) {
        r.start[d] = start[d];
        r.count[d] = count[d];
        r.stride[d] = 1;
        r.nelems *= (size_t)count[d];
    }
    assert_true(ncz_grid_packed_imap(r.count, rank, r.imap));
    return r;
}

static inline request
random_request(size_t rank, const uint64_t *shape, uint64_t *seed)
{
    uint64_t start[MAX_RANK], count[MAX_RANK], stride[MAX_RANK];
    request  r;

    for (size_t d = 0; d < rank; d++) {
        stride[d] = rnd(seed, 3) == 0 ? 1 + rnd(seed, shape[d]) : 1;
        start[d] = rnd(seed, 3) == 0 ? 0 : rnd(seed, shape[d]);
        count[d] = (shape[d] - 1 - start[d]) / stride[d] + 1;
        if (rnd(seed, 2) == 0)
            count[d] = 1 + rnd(seed, count[d]);
    }
    r = test_request(rank, start, count);
    memcpy(r.stride, stride, sizeof stride);
    return r;
}

/* ---- the plain array: doubles, whatever is stored ---- */

typedef struct plain {
    size_t   rank;
    uint64_t shape[MAX_RANK];
    double   v[MAX_ELEMS];
} plain;

static inline size_t
plain_at(const plain *a, const request *r, size_t i)
{
    size_t   at = 0;
    uint64_t k[MAX_RANK];

    for (size_t d = a->rank; d-- > 0;) {
        k[d] = i % r->count[d];
        i /= (size_t)r->count[d];
    }
    for (size_t d = 0; d < a->rank; d++)
        at = at * (size_t)a->shape[d] + (size_t)(r->start[d] + k[d] * r->stride[d]);
    return at;
}

static inline size_t
plain_size(const plain *a)
{
    size_t n = 1;

    for (size_t d = 0; d < a->rank; d++)
        n *= (size_t)a->shape[d];
    return n;
}

static inline void
plain_put(plain *a, const request *r, const double *in)
{
    for (size_t i = 0; i < r->nelems; i++)
        a->v[plain_at(a, r, i)] = in[i];
}

static inline bool
plain_same(const plain *a, const request *r, const double *got)
{
    for (size_t i = 0; i < r->nelems; i++) {
        if (a->v[plain_at(a, r, i)] != got[i])
            return false;
    }
    return true;
}

/* All of it. */
static inline request
whole_request(const plain *a)
{
    return test_request(a->rank, (uint64_t[MAX_RANK]){0}, a->shape);
}

static inline void
check_all(ncz_engine *e, const ncz_spec *spec, const plain *a)
{
    static double got[MAX_ELEMS];
    request       r = whole_request(a);
    ncz_plan      p = test_plan(spec, a->shape, &r, NC_DOUBLE);

    assert_int_equal(ncz_engine_read(e, &p, got), NC_NOERR);
    assert_true(plain_same(a, &r, got));
}

/* A random shape for an array of a given rank, lengths of its chunks and of its objects in chunks. All elements are
 * -1. */
static inline void
random_objects(plain *a, uint64_t *chunk, uint64_t *object, uint64_t *seed)
{
    uint64_t most = a->rank == 1 ? 400 : a->rank == 2 ? 40 : 12;

    for (size_t d = 0; d < a->rank; d++) {
        a->shape[d] = 1 + rnd(seed, most);
        chunk[d] = 1 + rnd(seed, a->rank == 1 ? 20 : 4);
        object[d] = 1 + rnd(seed, 5);
    }
    for (size_t i = 0; i < plain_size(a); i++)
        a->v[i] = -1;
}

/* ---- maps ---- */

/* A map in memory, driven in batches or one request at a time, behind a plan of faults. */
static inline zmap *
test_map(bool batches, zmap_fault_plan *plan)
{
    zmap *m = NULL, *f = NULL;

    assert_int_equal(zmap_mem_open(&m), NC_NOERR);
    if (batches)
        m->caps &= ~(unsigned)ZMAP_FROM_WORKERS;
    if (plan == NULL)
        return m;
    assert_int_equal(zmap_fault_open(m, plan, &f), NC_NOERR);
    f->caps = m->caps;
    return f;
}

static inline ncz_engine *
test_engine(zmap *m, size_t cache_bytes)
{
    ncz_limits  limits = ncz_limits_default;
    ncz_engine *e = NULL;

    limits.cache_bytes = cache_bytes;
    assert_int_equal(ncz_engine_new(m, &limits, &e), NC_NOERR);
    return e;
}

static inline int
count_one(const char *name, bool leaf, void *arg)
{
    (void)name;
    *(size_t *)arg += leaf;
    return 0;
}

static inline size_t
count_objects(zmap *m, const ncz_spec *spec)
{
    size_t n = 0;

    assert_int_equal(zmap_list(m, spec->path, count_one, &n), NC_NOERR);
    return n;
}

#endif /* CHUNK_TEST_H */
