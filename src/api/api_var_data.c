/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_var_data: put and get of every shape, in every memory type. Arguments that a caller omits (start, count,
 * stride, imap) get defaults. All coordinates are checked against the current lengths without overflow, and one
 * selection is passed on.
 */
#include "api/api_int.h"
#include "par/par.h"

#include <string.h>

/* The arguments of one call. */
typedef struct request {
    int              ncid, varid;
    bool             one;   /* var1: one element */
    bool             whole; /* var: all of the variable; the others need a start */
    const size_t    *start, *count;
    const ptrdiff_t *stride, *imap;
    nc_type          mem;     /* NC_NAT: the variable's own type */
    bool             counted; /* strings with their lengths, in place of `mem` */
} request;

/* The request with defaults in place of what is not given; the selection points into it. Not cleared before it is
 * filled: calls for one element are common. */
typedef struct filled {
    uint64_t  *start, *count, *stride; /* in one block */
    ptrdiff_t *imap;
    uint64_t   in[3 * NCZ_RANK_INLINE];
    ptrdiff_t  imap_in[NCZ_RANK_INLINE];
} filled;

static void
filled_clear(filled *f)
{
    if (f->start != f->in)
        ncz_free(f->start);
    if (f->imap != f->imap_in)
        ncz_free(f->imap);
    f->start = NULL;
    f->imap = NULL;
}

static int
filled_init(filled *f, size_t rank)
{
    bool few = rank <= NCZ_RANK_INLINE;

    f->start = few ? f->in : ncz_alloc_n(rank, 3 * sizeof *f->start);
    f->imap = few ? f->imap_in : ncz_alloc_n(rank, sizeof *f->imap);
    if (f->start == NULL || f->imap == NULL) {
        filled_clear(f);
        return ncz_fail_nomem(rank * sizeof *f->imap);
    }
    f->count = f->start + rank;
    f->stride = f->count + rank;
    return NC_NOERR;
}

/* The greatest length that a put can give a dimension: both a document and a size_t can hold it. */
#define LENGTH_MOST (SIZE_MAX < INT64_MAX ? (uint64_t)SIZE_MAX : (uint64_t)INT64_MAX)

/*
 * Checks dimension `d` of a request against its length. A put may go beyond the end of an unlimited one. A start
 * equal to the length is allowed if the count is 0.
 */
static int
check_dim(const ncz_var *v, size_t d, const filled *f, bool put)
{
    const ncz_dim *dim = v->dims[d];
    uint64_t       start = f->start[d], count = f->count[d], stride = f->stride[d], span, end;

    if (start > dim->len || (start == dim->len && count > 0)) {
        if (!(put && dim->unlimited) || (start >= LENGTH_MOST && count > 0))
            return ncz_fail(NC_EINVALCOORDS, "%s: start %llu, but dimension %s has length %llu", v->name,
                            (unsigned long long)start, dim->name, (unsigned long long)dim->len);
    }
    if (count == 0)
        return NC_NOERR;
    if (!ncz_mul64(count - 1, stride, &span) || !ncz_add64(start, span, &end) || end >= INT64_MAX)
        return ncz_fail(NC_EEDGE, "%s: start %llu, count %llu, stride %llu go beyond any dimension", v->name,
                        (unsigned long long)start, (unsigned long long)count, (unsigned long long)stride);
    if (end >= dim->len && (!(put && dim->unlimited) || end >= LENGTH_MOST))
        return ncz_fail(NC_EEDGE, "%s: index %llu is requested, but dimension %s has length %llu", v->name,
                        (unsigned long long)end, dim->name, (unsigned long long)dim->len);
    return NC_NOERR;
}

/* The number of elements from `start` to the end, in steps of `stride`. */
static uint64_t
elements_from(uint64_t len, uint64_t start, uint64_t stride)
{
    return start >= len ? 0 : (len - start - 1) / stride + 1;
}

static int
fill_in(const request *q, const ncz_var *v, bool put, filled *f)
{
    if (q->start == NULL && !q->whole && v->rank > 0)
        return ncz_fail(NC_EINVALCOORDS, "%s: no start is given, for %zu dimensions", v->name, v->rank);
    for (size_t d = 0; d < v->rank; d++) {
        if (q->stride != NULL && q->stride[d] < 1)
            return ncz_fail(NC_ESTRIDE, "%s: stride %td in dimension %zu", v->name, q->stride[d], d);
        f->start[d] = q->start != NULL ? q->start[d] : 0;
        f->stride[d] = q->stride != NULL ? (uint64_t)q->stride[d] : 1;
        f->count[d] = q->one             ? 1
                      : q->count != NULL ? q->count[d]
                                         : elements_from(v->dims[d]->len, f->start[d], f->stride[d]);
    }
    for (size_t d = 0; d < v->rank; d++) {
        int rc = check_dim(v, d, f, put);

        if (rc != NC_NOERR)
            return rc;
    }
    if (q->imap != NULL)
        memcpy(f->imap, q->imap, v->rank * sizeof *f->imap);
    else if (!ncz_grid_packed_imap(f->count, v->rank, f->imap))
        return ncz_fail(NC_EINVAL, "%s: its elements exceed the address space", v->name);
    return NC_NOERR;
}

/* Finds the variable and checks the request, except for its memory. */
static int
prepare_request(const ncz_call *c, const request *q, bool put, ncz_var **v, filled *f, ncz_select *sel,
                const ncz_type **mem)
{
    int rc;

    if ((rc = ncz_call_var(c, q->varid, v)) != NC_NOERR)
        return rc;
    if ((*v)->unusable->code != NC_NOERR)
        return ncz_err_adopt((*v)->unusable);
    *mem = q->counted ? &ncz_type_counted : q->mem == NC_NAT ? (*v)->type : ncz_type_of(q->mem);
    if ((rc = ncz_transfer_check(&(*v)->dtype, *mem)) != NC_NOERR)
        return ncz_fail(rc, "%s: its type %s and memory type %s do not convert", (*v)->name, (*v)->type->name,
                        (*mem)->name);
    if ((rc = filled_init(f, (*v)->rank)) != NC_NOERR)
        return rc;
    if ((rc = fill_in(q, *v, put, f)) != NC_NOERR) {
        filled_clear(f);
        return rc;
    }
    *sel =
        (ncz_select){.rank = (*v)->rank, .start = f->start, .count = f->count, .stride = f->stride, .imap = f->imap};
    return NC_NOERR;
}

/* Checks that memory is given if anything is to be moved. */
static int
check_memory(const ncz_var *v, const ncz_select *sel, const void *p)
{
    uint64_t n;

    if (!ncz_select_nelems(sel, &n))
        return ncz_fail(NC_EINVAL, "%s: its elements exceed the address space", v->name);
    if (n > 0 && p == NULL)
        return ncz_fail(NC_EINVAL, "%s: no pointer to its data", v->name);
    return NC_NOERR;
}

/* Building a request costs more than a small call. So try a row first; build a request only if the elements are not a
 * row that can be moved at once. `count` NULL: one element, or with `whole` all of them. */
typedef struct few {
    int           ncid, varid;
    nc_type       mem;
    const size_t *start, *count;
    bool          whole;
} few;

static request
request_of(const few *r)
{
    return (request){.ncid = r->ncid,
                     .varid = r->varid,
                     .mem = r->mem,
                     .start = r->start,
                     .count = r->count,
                     .one = r->count == NULL && !r->whole,
                     .whole = r->whole};
}

/* The variable of such a call, and what its elements are in memory. NULL: the general way finds what is wrong. */
static inline ncz_var *
find_row(const ncz_call *c, const few *r, const void *p, const ncz_type **mem)
{
    ncz_var *v;

    if ((r->start == NULL && !r->whole) || p == NULL || r->varid < 0 || (size_t)r->varid >= c->g->nvars)
        return NULL;
    v = c->g->vars[r->varid];
    *mem = r->mem == NC_NAT ? v->type : ncz_type_of(r->mem);
    return v;
}

enum { WIDTHS_MOST = 64 }; /* how often other processes may widen the strings of a variable during one call */

/* Takes over the widths that another process has given strings. */
static int
follow_widths(const request *q)
{
    ncz_call c;
    int      rc = ncz_call_enter(q->ncid, NCZ_USE_TUNE, &c);

    return rc == NC_NOERR ? ncz_call_leave(&c, ncz_dataset_follow_widths(c.ds)) : rc;
}

/* A get or put in progress. */
typedef struct transfer {
    ncz_call        c;
    ncz_var        *v; /* NULL: it was not found */
    filled          f;
    ncz_select      sel;
    const ncz_type *mem;
    bool            prepared;
} transfer;

/* Everything but the values themselves; the call has been entered. */
static int
prepare_transfer(const request *q, bool put, const void *p, transfer *t)
{
    int rc;

    t->v = NULL;
    rc = prepare_request(&t->c, q, put, &t->v, &t->f, &t->sel, &t->mem);
    t->prepared = rc == NC_NOERR;
    return t->prepared ? check_memory(t->v, &t->sel, p) : rc;
}

static int
end_transfer(transfer *t, int rc)
{
    if (t->prepared)
        filled_clear(&t->f);
    return ncz_call_leave(&t->c, rc);
}

static int
end_get(transfer *t, int rc)
{
    if (rc == NC_ERANGE && t->prepared)
        (void)ncz_fail(rc, "%s: some values do not fit the memory type %s; all were converted", t->v->name,
                       t->mem->name);
    return end_transfer(t, rc);
}

static int
end_put(transfer *t, int rc)
{
    if (rc == NC_ERANGE)
        (void)ncz_fail(rc, "%s: some values do not fit its type %s; all were converted and put", t->v->name,
                       t->v->type->name);
    return end_transfer(t, rc);
}

/* Gets values; again, as long as other processes make the strings wider than this one knows. The call has been
 * entered. Apart from get_few(), so that what has no need of it does not make room for a transfer. */
__attribute__((noinline)) static int
get_entered(const ncz_call *c, const request *q, void *ip)
{
    transfer t;
    int      rc = NC_NOERR;

    t.c = *c;
    for (int tries = 1; rc == NC_NOERR; tries++) {
        if ((rc = prepare_transfer(q, false, ip, &t)) == NC_NOERR)
            rc = ncz_dataset_get(t.c.ds, t.v, &t.sel, t.mem, ip);
        if (!ncz_dataset_widths_are_old(t.c.ds, rc))
            return end_get(&t, rc);
        if (tries == WIDTHS_MOST)
            return end_get(&t, ncz_fail(NC_EZARRMETA,
                                        "%s: other processes have changed the width of its strings %d times",
                                        t.v->name, tries));
        (void)end_get(&t, NC_NOERR);
        if ((rc = follow_widths(q)) == NC_NOERR)
            rc = ncz_call_enter(q->ncid, NCZ_USE_LOOK, &t.c);
    }
    return rc;
}

static int
get_values(const request *q, void *ip)
{
    ncz_call c;
    int      rc = ncz_call_enter(q->ncid, NCZ_USE_LOOK, &c);

    return rc == NC_NOERR ? get_entered(&c, q, ip) : rc;
}

static int
get_few(const few *r, void *ip)
{
    const ncz_type *mem;
    ncz_var        *v;
    ncz_call        c;
    request         q;
    int             rc = ncz_call_enter(r->ncid, NCZ_USE_LOOK, &c);

    if (rc != NC_NOERR)
        return rc;
    if ((v = find_row(&c, r, ip, &mem)) != NULL && ncz_dataset_use_var(c.ds, v) == NC_NOERR &&
        ncz_dataset_get_row(c.ds, v, r->start, r->count, mem, ip))
        return ncz_call_leave(&c, NC_NOERR);
    q = request_of(r);
    return get_entered(&c, &q, ip);
}

/* ---- ahead of the read ---- */

int
nczarr_prefetch_vars(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t *stridep)
{
    request    q = {.ncid = ncid, .varid = varid, .start = startp, .count = countp, .stride = stridep};
    transfer   t;
    int        rc = ncz_call_enter(ncid, NCZ_USE_LOOK, &t.c);
    const char nowhere = 0; /* nothing is moved */

    if (rc != NC_NOERR)
        return rc;
    if ((rc = prepare_transfer(&q, false, &nowhere, &t)) == NC_NOERR)
        rc = ncz_dataset_prefetch(t.c.ds, t.v, &t.sel, t.mem);
    return end_transfer(&t, rc);
}

int
nczarr_prefetch_vara(int ncid, int varid, const size_t *startp, const size_t *countp)
{
    return nczarr_prefetch_vars(ncid, varid, startp, countp, NULL);
}

/* ---- put ---- */

/* *need: the width of strings that the variable lacks. */
static int
check_width(const transfer *t, const void *op, size_t *need)
{
    *need = 0;
    return ncz_type_is_text(t->mem) ? ncz_dataset_check_width(t->c.ds, t->v, &t->sel, t->mem, op, need) : NC_NOERR;
}

/* A put with exclusive use of the dataset, if need be after taking over the widths that another process has given
 * strings. In a collective put all ranks have agreed on the result. The call has been entered so. */
__attribute__((noinline)) static int
put_alone(const ncz_call *c, const request *q, const void *op)
{
    transfer t;
    size_t   need;
    int      rc;

    t.c = *c;
    if ((rc = prepare_transfer(q, true, op, &t)) == NC_NOERR && (rc = check_width(&t, op, &need)) == NC_NOERR &&
        need > 0)
        rc = ncz_dataset_widen(t.c.ds, t.v, need);
    if (rc != NC_NOERR) /* other ranks may wait in a collective put */
        return end_put(&t, t.v != NULL ? ncz_dataset_put_failed(t.c.ds, t.v, rc) : rc);
    for (int tries = 0;; tries++) {
        rc = ncz_dataset_put(t.c.ds, t.v, &t.sel, t.mem, op);
        if (tries == WIDTHS_MOST || ncz_par_is_collective(t.c.ds, t.v) || !ncz_dataset_widths_are_old(t.c.ds, rc) ||
            (rc = ncz_dataset_follow_widths(t.c.ds)) != NC_NOERR)
            return end_put(&t, rc);
    }
}

/* A put beside others. False: that does not do, and the call has been entered again, for exclusive use. */
__attribute__((noinline)) static bool
put_beside(ncz_call *c, const request *q, const void *op, int *rc)
{
    transfer t;
    size_t   need = 0;
    bool     alone;

    t.c = *c;
    *rc = prepare_transfer(q, true, op, &t);
    alone = t.v != NULL && ncz_dataset_put_alone(t.c.ds, t.v, *rc == NC_NOERR ? &t.sel : NULL);
    if (*rc == NC_NOERR && !alone)
        *rc = check_width(&t, op, &need);
    alone = alone || need > 0;
    if (*rc == NC_NOERR && !alone) {
        *rc = ncz_dataset_put(t.c.ds, t.v, &t.sel, t.mem, op);
        alone = ncz_dataset_widths_are_old(t.c.ds, *rc);
    }
    *rc = end_put(&t, alone ? NC_NOERR : *rc);
    return !alone || (*rc = ncz_call_enter(q->ncid, NCZ_USE_PUT_ALONE, c)) != NC_NOERR;
}

static int
put_values(const request *q, const void *op)
{
    ncz_call c;
    int      rc = ncz_call_enter(q->ncid, NCZ_USE_PUT, &c);

    if (rc != NC_NOERR || (c.use != NCZ_USE_PUT_ALONE && put_beside(&c, q, op, &rc)))
        return rc;
    return put_alone(&c, q, op);
}

/* Puts a row. False: the general way has to put it. */
static inline bool
put_as_row(ncz_call *c, const few *r, const void *op, ncz_row_put *how)
{
    const ncz_type *mem;
    ncz_var        *v = find_row(c, r, op, &mem);

    *how = v == NULL ? NCZ_ROW_REFUSED
                     : ncz_dataset_put_row(c->ds, v, r->start, r->count, mem, op, c->use == NCZ_USE_PUT_ALONE);
    return *how == NCZ_ROW_CACHED || *how == NCZ_ROW_GATHERED;
}

/* What is no row, or one that could not be put beside others. */
__attribute__((noinline)) static int
put_entered(ncz_call *c, const few *r, const void *op, ncz_row_put how)
{
    request q = request_of(r);
    int     rc;

    if (c->use == NCZ_USE_PUT_ALONE)
        return put_alone(c, &q, op);
    if (how == NCZ_ROW_ALONE) {
        (void)ncz_call_leave(c, NC_NOERR);
        if ((rc = ncz_call_enter(r->ncid, NCZ_USE_PUT_ALONE, c)) != NC_NOERR)
            return rc;
    } else if (put_beside(c, &q, op, &rc)) {
        return rc;
    }
    return put_as_row(c, r, op, &how) ? ncz_call_leave(c, NC_NOERR) : put_alone(c, &q, op);
}

static int
put_few(const few *r, const void *op)
{
    ncz_row_put how;
    ncz_call    c;
    int         rc = ncz_call_enter(r->ncid, NCZ_USE_PUT, &c);

    if (rc != NC_NOERR)
        return rc;
    return put_as_row(&c, r, op, &how) ? ncz_call_leave(&c, NC_NOERR) : put_entered(&c, r, op, how);
}

/* ---- strings with their lengths ---- */

int
nczarr_get_vars_counted(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *stride,
                        nc_vlen_t *ip)
{
    return get_values(
        &(request){.ncid = ncid, .varid = varid, .counted = true, .start = start, .count = count, .stride = stride},
        ip);
}

int
nczarr_put_vars_counted(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *stride,
                        const nc_vlen_t *op)
{
    return put_values(
        &(request){.ncid = ncid, .varid = varid, .counted = true, .start = start, .count = count, .stride = stride},
        op);
}

/* ---- the shapes, in every type. `name` is "" for the generic ones, whose memory is of the variable's type ---- */

#define PUT_VAR(name, in, tag)                                                                                       \
    int nc_put_var##name(int ncid, int varid, in *op)                                                                \
    {                                                                                                                \
        return put_few(&(few){.ncid = ncid, .varid = varid, .mem = tag, .whole = true}, op);                         \
    }

#define GET_VAR(name, out, tag)                                                                                      \
    int nc_get_var##name(int ncid, int varid, out *ip)                                                               \
    {                                                                                                                \
        return get_few(&(few){.ncid = ncid, .varid = varid, .mem = tag, .whole = true}, ip);                         \
    }

#define PUT_VAR1(name, in, tag)                                                                                      \
    int nc_put_var1##name(int ncid, int varid, const size_t *index, in *op)                                          \
    {                                                                                                                \
        return put_few(&(few){.ncid = ncid, .varid = varid, .mem = tag, .start = index}, op);                        \
    }

#define GET_VAR1(name, out, tag)                                                                                     \
    int nc_get_var1##name(int ncid, int varid, const size_t *index, out *ip)                                         \
    {                                                                                                                \
        return get_few(&(few){.ncid = ncid, .varid = varid, .mem = tag, .start = index}, ip);                        \
    }

#define PUT_VARA(name, in, tag)                                                                                      \
    int nc_put_vara##name(int ncid, int varid, const size_t *start, const size_t *count, in *op)                     \
    {                                                                                                                \
        if (count == NULL)                                                                                           \
            return put_values(&(request){.ncid = ncid, .varid = varid, .mem = tag, .start = start}, op);             \
        return put_few(&(few){.ncid = ncid, .varid = varid, .mem = tag, .start = start, .count = count}, op);        \
    }

#define GET_VARA(name, out, tag)                                                                                     \
    int nc_get_vara##name(int ncid, int varid, const size_t *start, const size_t *count, out *ip)                    \
    {                                                                                                                \
        if (count == NULL)                                                                                           \
            return get_values(&(request){.ncid = ncid, .varid = varid, .mem = tag, .start = start}, ip);             \
        return get_few(&(few){.ncid = ncid, .varid = varid, .mem = tag, .start = start, .count = count}, ip);        \
    }

#define PUT_VARS(name, in, tag)                                                                                      \
    int nc_put_vars##name(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *stride,    \
                          in *op)                                                                                    \
    {                                                                                                                \
        return put_values(                                                                                           \
            &(request){.ncid = ncid, .varid = varid, .mem = tag, .start = start, .count = count, .stride = stride},  \
            op);                                                                                                     \
    }

#define GET_VARS(name, out, tag)                                                                                     \
    int nc_get_vars##name(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *stride,    \
                          out *ip)                                                                                   \
    {                                                                                                                \
        return get_values(                                                                                           \
            &(request){.ncid = ncid, .varid = varid, .mem = tag, .start = start, .count = count, .stride = stride},  \
            ip);                                                                                                     \
    }

#define PUT_VARM(name, in, tag)                                                                                      \
    int nc_put_varm##name(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *stride,    \
                          const ptrdiff_t *imap, in *op)                                                             \
    {                                                                                                                \
        return put_values(&(request){.ncid = ncid,                                                                   \
                                     .varid = varid,                                                                 \
                                     .mem = tag,                                                                     \
                                     .start = start,                                                                 \
                                     .count = count,                                                                 \
                                     .stride = stride,                                                               \
                                     .imap = imap},                                                                  \
                          op);                                                                                       \
    }

#define GET_VARM(name, out, tag)                                                                                     \
    int nc_get_varm##name(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *stride,    \
                          const ptrdiff_t *imap, out *ip)                                                            \
    {                                                                                                                \
        return get_values(&(request){.ncid = ncid,                                                                   \
                                     .varid = varid,                                                                 \
                                     .mem = tag,                                                                     \
                                     .start = start,                                                                 \
                                     .count = count,                                                                 \
                                     .stride = stride,                                                               \
                                     .imap = imap},                                                                  \
                          ip);                                                                                       \
    }

#define ALL(name, in, out, tag)                                                                                      \
    PUT_VAR(name, in, tag)                                                                                           \
    GET_VAR(name, out, tag)                                                                                          \
    PUT_VAR1(name, in, tag)                                                                                          \
    GET_VAR1(name, out, tag)                                                                                         \
    PUT_VARA(name, in, tag)                                                                                          \
    GET_VARA(name, out, tag)                                                                                         \
    PUT_VARS(name, in, tag)                                                                                          \
    GET_VARS(name, out, tag)                                                                                         \
    PUT_VARM(name, in, tag)                                                                                          \
    GET_VARM(name, out, tag)

#define TYPED(name, in, out, tag) ALL(_##name, in, out, tag)

ALL(, const void, void, NC_NAT)
NCZ_MEM_TYPES(TYPED)
