/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_transfer: moves one piece between a decoded chunk and the caller's memory, and packed runs for attributes and
 * fill values.
 *
 * In all loops here side a is the chunk and side b the memory.
 */
#include "grid/grid_int.h"

#include <string.h>

/* The state of the functions that are called for each run. */
typedef struct mover {
    const ncz_dtype      *dtype;
    const ncz_type       *mem;
    bool                  classic;
    ncz_convert_run       pipe;
    const char           *from;
    char                 *to;
    const ncz_vlen_block *texts; /* objects only: the block that replaces `from` */
    size_t                first; /* objects only: the piece's first element in the block */
    bool                  bad;   /* a value was out of range */
    uint64_t              left;  /* strings and sequences only: how many to free after a failure */
    uint64_t              made;
} mover;

/* Objects have no fixed place in a chunk: ncz_vlen_put() makes a new block instead. */
static int
not_objects(const ncz_dtype *t)
{
    return t->kind == NCZ_KIND_OBJECT ? ncz_fail(NC_EINTERNAL, "objects are not moved one by one") : NC_NOERR;
}

bool
ncz_transfer_direct(const ncz_transfer *m, const ncz_piece *p)
{
    ptrdiff_t packed = 1;
    bool      raw = m->dtype->kind == NCZ_KIND_RAW;

    if ((ncz_dtype_type(m->dtype) != ncz_type_value(m->mem) && !raw) || m->mem->owns ||
        m->dtype->size != m->mem->size || (m->dtype->size > 1 && !raw && m->dtype->big != ncz_grid_host_big()))
        return false;
    for (size_t place = p->rank; place-- > 0;) {
        size_t d = ncz_order_dim(m->order, place);

        if (p->n[d] != m->chunk[d])
            return false;
        if (p->n[d] == 1)
            continue;
        if (p->imap[d] != packed)
            return false;
        packed *= (ptrdiff_t)p->n[d]; /* the chunk fits in memory, so its size fits */
    }
    return true;
}

/* ---- the runs ---- */

/* The runs of a plane, from the chunk to memory and back. */
static ncz_runs
plane_out(const mover *m, const ncz_plane *p)
{
    return (ncz_runs){.src = m->from + p->a,
                      .src_step = p->a_step,
                      .src_row = p->a_row,
                      .dst = m->to + p->b,
                      .dst_step = p->b_step,
                      .dst_row = p->b_row,
                      .n = p->n,
                      .rows = p->rows};
}

static ncz_runs
plane_in(const mover *m, const ncz_plane *p)
{
    return (ncz_runs){.src = m->from + p->b,
                      .src_step = p->b_step,
                      .src_row = p->b_row,
                      .dst = m->to + p->a,
                      .dst_step = p->a_step,
                      .dst_row = p->a_row,
                      .n = p->n,
                      .rows = p->rows};
}

static int
runs_out(void *arg, const ncz_plane *p)
{
    mover   *m = arg;
    ncz_runs r = plane_out(m, p);

    if (ncz_grid_convert_runs(&m->pipe, &r))
        m->bad = true;
    return NC_NOERR;
}

static int
runs_in(void *arg, const ncz_plane *p)
{
    mover   *m = arg;
    ncz_runs r = plane_in(m, p);

    if (ncz_grid_convert_runs(&m->pipe, &r))
        m->bad = true;
    return NC_NOERR;
}

static int
records_out(void *arg, const ncz_plane *p)
{
    mover   *m = arg;
    ncz_runs r = plane_out(m, p);

    return ncz_grid_records_out(m->dtype->record, m->mem, m->classic, &r, &m->bad);
}

static int
records_in(void *arg, const ncz_plane *p)
{
    mover   *m = arg;
    ncz_runs r = plane_in(m, p);

    return ncz_grid_records_in(m->dtype->record, m->mem, m->classic, &r, &m->bad);
}

/* Calls `one` for each element of a plane until it fails. */
static int
each_element(mover *m, const ncz_plane *p, int (*one)(mover *m, ptrdiff_t a, ptrdiff_t b))
{
    int rc = NC_NOERR;

    for (size_t row = 0; row < p->rows; row++) {
        ptrdiff_t a = p->a + (ptrdiff_t)row * p->a_row, b = p->b + (ptrdiff_t)row * p->b_row;

        for (size_t i = 0; i < p->n && rc == NC_NOERR; i++, a += p->a_step, b += p->b_step)
            rc = one(m, a, b);
    }
    return rc;
}

static int
string_out(mover *m, ptrdiff_t a, ptrdiff_t b)
{
    char     *s = NULL;
    nc_vlen_t counted = {.len = 0};
    int       rc = ncz_grid_string_out(m->dtype, m->from + a, &s, &counted.len);

    if (rc != NC_NOERR)
        return rc;
    counted.p = s;
    if (m->mem == &ncz_type_counted)
        memcpy(m->to + b, &counted, sizeof counted);
    else
        memcpy(m->to + b, &s, sizeof s);
    m->made++;
    return NC_NOERR;
}

/* Side a counts elements, not bytes. */
static int
text_out(mover *m, ptrdiff_t a, ptrdiff_t b)
{
    ncz_vlen_item text =
        m->texts != NULL ? ncz_vlen_at(m->texts, m->first + (size_t)a) : ncz_vlen_unwritten(m->dtype, NULL);
    int rc;

    if ((rc = ncz_grid_item_out(m->mem, text, m->to + b)) != NC_NOERR)
        return rc;
    m->made++;
    return NC_NOERR;
}

static int
string_undo(mover *m, ptrdiff_t a, ptrdiff_t b)
{
    (void)a;
    if (m->left == 0)
        return NC_NOERR;
    ncz_type_free_elems(m->mem, m->to + b, 1);
    m->left--;
    return NC_NOERR;
}

static int
string_in(mover *m, ptrdiff_t a, ptrdiff_t b)
{
    const char *s;
    nc_vlen_t   counted;

    if (m->mem == &ncz_type_counted) {
        memcpy(&counted, m->from + b, sizeof counted);
        ncz_grid_string_in(m->dtype, counted.p, counted.p != NULL ? counted.len : 0, m->to + a);
        return NC_NOERR;
    }
    memcpy(&s, m->from + b, sizeof s);
    ncz_grid_string_in(m->dtype, s, s != NULL ? strlen(s) : 0, m->to + a);
    return NC_NOERR;
}

static int
strings_out(void *arg, const ncz_plane *p)
{
    return each_element(arg, p, string_out);
}

static int
texts_out(void *arg, const ncz_plane *p)
{
    return each_element(arg, p, text_out);
}

static int
strings_undo(void *arg, const ncz_plane *p)
{
    return each_element(arg, p, string_undo);
}

static int
strings_in(void *arg, const ncz_plane *p)
{
    return each_element(arg, p, string_in);
}

/* Copies the value at `from` to every place. */
static int
runs_fill(void *arg, const ncz_plane *p)
{
    mover *m = arg;
    size_t size = m->pipe.dst_size;

    for (size_t row = 0; row < p->rows; row++) {
        char *to = m->to + p->b + (ptrdiff_t)row * p->b_row;

        if (p->b_step == (ptrdiff_t)size)
            ncz_fill_elems(to, p->n, m->from, size);
        else
            ncz_grid_copy(m->from, 0, to, p->b_step, p->n, size, false);
    }
    return NC_NOERR;
}

/* ---- the loops of a piece ---- */

/* Wraps on overflow, so that a nonsensical imap is not undefined behaviour. */
static ptrdiff_t
byte_off(ptrdiff_t nelems, size_t item)
{
    return (ptrdiff_t)((size_t)nelems * item);
}

/* Runs the loops with `fn`. If one string cannot be made, frees all that were. */
static int
each_string(ncz_loops *nest, ncz_plane_fn fn, mover *v)
{
    int rc = ncz_grid_loops_each(nest, fn, v);

    if (rc != NC_NOERR) {
        v->left = v->made;
        (void)ncz_grid_loops_each(nest, strings_undo, v);
    }
    return rc;
}

/* Copies strings of a block to memory. `step` 0: every place gets the first one. No block: NULL pointers. */
static int
move_texts_out(const ncz_transfer *m, const ncz_piece *p, const ncz_vlen_block *texts, size_t step, void *mem)
{
    ncz_loops nest;
    mover     v = {.dtype = m->dtype, .mem = m->mem, .texts = texts};
    size_t    item = m->mem->size;
    int       rc;

    if ((rc = ncz_grid_piece_loops(m, p, step, item, &nest, &v.first)) != NC_NOERR)
        return rc;
    v.to = (char *)mem + byte_off(p->mem, item);
    rc = each_string(&nest, texts_out, &v);
    ncz_grid_loops_clear(&nest);
    return rc;
}

/* Whether a piece is one element of a type that is converted in runs. Calls that move one element are common, and the
 * loops would take most of their time. */
static bool
is_one(const ncz_transfer *m, const ncz_piece *p)
{
    return p->nelems == 1 && m->dtype->kind != NCZ_KIND_RECORD && !ncz_type_is_text(m->mem);
}

/* Its place in the chunk, in bytes. */
static size_t
place_of_one(const ncz_transfer *m, const ncz_piece *p)
{
    uint64_t at = 0;

    for (size_t place = 0; place < p->rank; place++) {
        size_t d = ncz_order_dim(m->order, place);

        at = at * m->chunk[d] + p->off[d];
    }
    return (size_t)at * m->dtype->size;
}

/* Whether elements are numbers or characters of the type that memory has, but for their byte order. */
static bool
is_plain(const ncz_dtype *t, const ncz_type *mem)
{
    return t->items == NULL && t->size == mem->size && mem->class >= NCZ_TYPE_INT && mem->class <= NCZ_TYPE_CHAR &&
           ncz_dtype_type(t) == mem;
}

static bool
is_plain_one(const ncz_transfer *m, const ncz_piece *p)
{
    return p->nelems == 1 && is_plain(m->dtype, m->mem);
}

static void
copy_one(const ncz_dtype *t, const void *from, void *to)
{
    ncz_grid_copy(from, 0, to, 0, 1, t->size, t->big != ncz_grid_host_big());
}

static int
move_out(const ncz_transfer *m, const ncz_piece *p, const void *chunk, void *mem)
{
    ncz_loops nest;
    mover     v = {.dtype = m->dtype, .mem = ncz_type_value(m->mem), .classic = m->classic};
    size_t    off, item = m->mem->size;
    int       rc;

    if ((rc = ncz_transfer_check(m->dtype, m->mem)) != NC_NOERR || p->nelems == 0)
        return rc;
    if (m->dtype->kind == NCZ_KIND_OBJECT)
        return move_texts_out(m, p, chunk, 1, mem);
    v.to = (char *)mem + byte_off(p->mem, item);
    if (is_one(m, p)) {
        v.pipe = ncz_grid_convert_run_out(m->dtype, v.mem, m->classic);
        v.from = (const char *)chunk + place_of_one(m, p);
        rc = runs_out(&v, &(ncz_plane){.n = 1, .rows = 1});
        return rc == NC_NOERR && v.bad ? NC_ERANGE : rc;
    }
    if ((rc = ncz_grid_piece_loops(m, p, m->dtype->size, item, &nest, &off)) != NC_NOERR)
        return rc;
    v.from = (const char *)chunk + off;
    if (m->dtype->kind == NCZ_KIND_RECORD) {
        rc = ncz_grid_loops_each(&nest, records_out, &v);
    } else if (ncz_type_is_text(m->mem)) {
        rc = each_string(&nest, strings_out, &v);
    } else {
        v.pipe = ncz_grid_convert_run_out(m->dtype, v.mem, m->classic);
        v.pipe.stream = m->stream && m->dtype->kind != NCZ_KIND_RAW;
        rc = ncz_grid_loops_each(&nest, runs_out, &v);
        if (m->stream)
            ncz_grid_stream_end();
    }
    ncz_grid_loops_clear(&nest);
    return rc == NC_NOERR && v.bad ? NC_ERANGE : rc;
}

int
ncz_transfer_out(const ncz_transfer *m, const ncz_piece *p, const void *chunk, void *mem)
{
    if (!is_plain_one(m, p))
        return move_out(m, p, chunk, mem);
    copy_one(m->dtype, (const char *)chunk + place_of_one(m, p), (char *)mem + byte_off(p->mem, m->mem->size));
    return NC_NOERR;
}

static int
move_in(const ncz_transfer *m, const ncz_piece *p, const void *mem, void *chunk)
{
    ncz_loops nest;
    mover     v = {.dtype = m->dtype, .mem = ncz_type_value(m->mem), .classic = m->classic};
    size_t    off, item = m->mem->size;
    int       rc;

    if ((rc = ncz_transfer_check(m->dtype, m->mem)) != NC_NOERR || (rc = not_objects(m->dtype)) != NC_NOERR ||
        p->nelems == 0)
        return rc;
    v.from = (const char *)mem + byte_off(p->mem, item);
    if (is_one(m, p)) {
        v.pipe = ncz_grid_convert_run_in(v.mem, m->dtype, m->classic);
        v.to = (char *)chunk + place_of_one(m, p);
        rc = runs_in(&v, &(ncz_plane){.n = 1, .rows = 1});
        return rc == NC_NOERR && v.bad ? NC_ERANGE : rc;
    }
    if ((rc = ncz_grid_piece_loops(m, p, m->dtype->size, item, &nest, &off)) != NC_NOERR)
        return rc;
    v.to = (char *)chunk + off;
    if (m->dtype->kind == NCZ_KIND_RECORD) {
        rc = ncz_grid_loops_each(&nest, records_in, &v);
    } else if (ncz_type_is_text(m->mem)) {
        rc = ncz_grid_loops_each(&nest, strings_in, &v);
    } else {
        v.pipe = ncz_grid_convert_run_in(v.mem, m->dtype, m->classic);
        rc = ncz_grid_loops_each(&nest, runs_in, &v);
    }
    ncz_grid_loops_clear(&nest);
    return rc == NC_NOERR && v.bad ? NC_ERANGE : rc;
}

int
ncz_transfer_in(const ncz_transfer *m, const ncz_piece *p, const void *mem, void *chunk)
{
    if (!is_plain_one(m, p))
        return move_in(m, p, mem, chunk);
    copy_one(m->dtype, (const char *)mem + byte_off(p->mem, m->mem->size), (char *)chunk + place_of_one(m, p));
    return NC_NOERR;
}

/* Converts strings from the stored fill once per place, other types only once. `zero` has the stored size. */
int
ncz_transfer_fill_out(const ncz_transfer *m, const ncz_piece *p, const void *fill, void *mem)
{
    ncz_loops nest;
    mover     v = {.dtype = m->dtype, .mem = ncz_type_value(m->mem), .classic = m->classic};
    size_t    off, item = m->mem->size;
    char      value[8] = {0};
    char     *zero = NULL;
    int       rc;

    if ((rc = ncz_transfer_check(m->dtype, m->mem)) != NC_NOERR || p->nelems == 0)
        return rc;
    if (m->dtype->kind == NCZ_KIND_OBJECT)
        return move_texts_out(m, p, fill, 0, mem);
    if (fill == NULL && (fill = zero = ncz_zalloc(m->dtype->size)) == NULL)
        return ncz_fail_nomem(m->dtype->size);
    if ((rc = ncz_grid_piece_loops(m, p, 0, item, &nest, &off)) != NC_NOERR)
        goto done;
    v.to = (char *)mem + byte_off(p->mem, item);
    v.from = fill;
    if (m->dtype->kind == NCZ_KIND_RECORD) {
        rc = ncz_grid_loops_each(&nest, records_out, &v);
    } else if (ncz_type_is_text(m->mem)) {
        rc = each_string(&nest, strings_out, &v);
    } else if (m->dtype->kind == NCZ_KIND_RAW) {
        v.pipe = ncz_grid_convert_run_out(m->dtype, v.mem, m->classic);
        rc = ncz_grid_loops_each(&nest, runs_fill, &v);
    } else {
        v.pipe = ncz_grid_convert_run_out(m->dtype, v.mem, m->classic);
        v.bad = ncz_grid_convert_runs(&v.pipe, &(ncz_runs){.src = fill, .dst = value, .n = 1, .rows = 1});
        v.from = value;
        rc = ncz_grid_loops_each(&nest, runs_fill, &v);
    }
    ncz_grid_loops_clear(&nest);
done:
    ncz_free(zero);
    return rc == NC_NOERR && v.bad ? NC_ERANGE : rc;
}

/* ---- packed runs ---- */

static ncz_plane
packed_plane(size_t a_size, size_t b_size, size_t n)
{
    return (ncz_plane){.a_step = (ptrdiff_t)a_size, .b_step = (ptrdiff_t)b_size, .n = n, .rows = 1};
}

int
ncz_convert_out(const ncz_dtype *from, const void *src, const ncz_type *mem, void *dst, size_t n, bool classic)
{
    mover     v = {.dtype = from, .mem = ncz_type_value(mem), .classic = classic, .from = src, .to = dst};
    ncz_plane p = packed_plane(from->size, mem->size, n);
    int       rc;

    if ((rc = ncz_transfer_check(from, mem)) != NC_NOERR || (rc = not_objects(from)) != NC_NOERR || n == 0)
        return rc;
    if (ncz_type_is_text(mem)) {
        if ((rc = strings_out(&v, &p)) != NC_NOERR) {
            v.left = v.made;
            (void)strings_undo(&v, &p);
        }
        return rc;
    }
    if (from->kind == NCZ_KIND_RECORD) {
        rc = records_out(&v, &p);
        return rc == NC_NOERR && v.bad ? NC_ERANGE : rc;
    }
    v.pipe = ncz_grid_convert_run_out(from, v.mem, classic);
    (void)runs_out(&v, &p);
    return v.bad ? NC_ERANGE : NC_NOERR;
}

int
ncz_convert_in(const ncz_type *mem, const void *src, const ncz_dtype *to, void *dst, size_t n, bool classic)
{
    mover     v = {.dtype = to, .mem = ncz_type_value(mem), .classic = classic, .from = src, .to = dst};
    ncz_plane p = packed_plane(to->size, mem->size, n);
    int       rc;

    if (n == 1 && is_plain(to, mem)) {
        copy_one(to, src, dst);
        return NC_NOERR;
    }
    if ((rc = ncz_transfer_check(to, mem)) != NC_NOERR || (rc = not_objects(to)) != NC_NOERR || n == 0)
        return rc;
    if (ncz_type_is_text(mem))
        return strings_in(&v, &p);
    if (to->kind == NCZ_KIND_RECORD) {
        rc = records_in(&v, &p);
        return rc == NC_NOERR && v.bad ? NC_ERANGE : rc;
    }
    v.pipe = ncz_grid_convert_run_in(v.mem, to, classic);
    (void)runs_in(&v, &p);
    return v.bad ? NC_ERANGE : NC_NOERR;
}

int
ncz_convert(const ncz_type *from, const void *src, const ncz_type *to, void *dst, size_t n, bool classic)
{
    ncz_dtype native = ncz_dtype_of(to, ncz_grid_host_big(), 0);
    int       rc;

    if (from == to && from->class != NCZ_TYPE_NONE)
        return ncz_type_copy_elems(to, src, n, dst);
    if ((rc = ncz_transfer_check(&native, from)) != NC_NOERR || n == 0)
        return rc;
    return ncz_convert_in(from, src, &native, dst, n, classic);
}
