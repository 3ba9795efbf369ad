/* SPDX-License-Identifier: BSD-3-Clause */
/* do_data: puts and gets of all shapes, appending, attributes; every value that is got goes into the history. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

#define UNSEEN UINT32_MAX

/* A selection of elements, with its layout and type in memory. */
typedef struct box {
    size_t    start[2], count[2];
    ptrdiff_t stride[2], imap[2];
    nc_type   mem;
} box;

static size_t
min(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* ---- values in memory ------------------------------------------------------------------------------------------ */

/* Only what can hold every value of the variable. */
static nc_type
pick_mem(actor *a, const wvar *v)
{
    static const nc_type mems[] = {NC_INT64, NC_DOUBLE, NC_INT};

    if (one_in(a, 2))
        return v->type;
    return mems[pick(a, v->type == NC_INT64 ? 2 : 3)];
}

static void
pick_layout(actor *a, const wvar *v, box *b)
{
    b->mem = pick_mem(a, v);
    b->imap[0] = (ptrdiff_t)b->count[1];
    b->imap[1] = 1;
    if (one_in(a, 4)) { /* transposed */
        b->imap[0] = 1;
        b->imap[1] = (ptrdiff_t)b->count[0];
    }
}

static long long
value_at(const void *buf, nc_type mem, size_t i)
{
    return mem == NC_INT     ? ((const int *)buf)[i]
           : mem == NC_INT64 ? ((const long long *)buf)[i]
                             : (long long)((const double *)buf)[i];
}

static void
set_value(void *buf, nc_type mem, size_t i, long long x)
{
    if (mem == NC_INT)
        ((int *)buf)[i] = (int)x;
    else if (mem == NC_INT64)
        ((long long *)buf)[i] = x;
    else
        ((double *)buf)[i] = (double)x;
}

static int
get_box(int ncid, int varid, const box *b, void *buf)
{
    if (b->mem == NC_INT)
        return nc_get_varm_int(ncid, varid, b->start, b->count, b->stride, b->imap, buf);
    if (b->mem == NC_INT64)
        return nc_get_varm_longlong(ncid, varid, b->start, b->count, b->stride, b->imap, buf);
    return nc_get_varm_double(ncid, varid, b->start, b->count, b->stride, b->imap, buf);
}

static int
put_box(int ncid, int varid, const box *b, const void *buf)
{
    if (b->mem == NC_INT)
        return nc_put_varm_int(ncid, varid, b->start, b->count, b->stride, b->imap, buf);
    if (b->mem == NC_INT64)
        return nc_put_varm_longlong(ncid, varid, b->start, b->count, b->stride, b->imap, buf);
    return nc_put_varm_double(ncid, varid, b->start, b->count, b->stride, b->imap, buf);
}

/* The k-th element of a box: where it is in the variable, and in memory. False: there are no more. */
typedef struct element {
    size_t y, x, at;
} element;

static bool
element_of(const box *b, size_t k, element *e)
{
    size_t i = k / b->count[1], j = k % b->count[1];

    if (i >= b->count[0])
        return false;
    *e = (element){b->start[0] + i * (size_t)b->stride[0], b->start[1] + j * (size_t)b->stride[1],
                   i * (size_t)b->imap[0] + j * (size_t)b->imap[1]};
    return true;
}

static uint32_t
block_of(const wvar *v, const element *e)
{
    return (uint32_t)(e->y / v->block[0] * v->nblocks[1] + e->x / v->block[1]);
}

/* The stamp of a value that was got for an element. */
static uint32_t
stamp_of(const actor *a, const wvar *v, const element *e, long long value)
{
    long long place = (long long)(e->y * v->shape[1] + e->x);

    if (value == FILL)
        return HIST_FILL;
    if (value < 0 || value % (long long)v->nelems != place || value / (long long)v->nelems == HIST_FILL)
        fail(a, "%s[%zu][%zu] is %lld, which was never put there", v->name, e->y, e->x, value);
    return (uint32_t)(value / (long long)v->nelems);
}

/* All that a get has brought, into the history. Within a block all elements show the same put. */
static void
note_got(actor *a, const wvar *v, const box *b, uint32_t op)
{
    size_t  n = v->nblocks[0] * v->nblocks[1];
    element e;

    memset(a->seen, 0xff, n * sizeof *a->seen);
    for (size_t k = 0; element_of(b, k, &e); k++) {
        uint32_t stamp = stamp_of(a, v, &e, value_at(a->buf, b->mem, e.at)), block = block_of(v, &e);

        if (a->seen[block] == UNSEEN)
            hist_add(&a->h, op, v->reg + block, stamp, false);
        else if (a->seen[block] != stamp)
            fail(a, "%s[%zu][%zu]: torn, of put %" PRIu32 " beside put %" PRIu32, v->name, e.y, e.x, stamp,
                 a->seen[block]);
        a->seen[block] = stamp;
    }
}

static size_t
end_of(const box *b)
{
    return b->count[0] == 0 ? 0 : b->start[0] + (b->count[0] - 1) * (size_t)b->stride[0] + 1;
}

/* ---- getting --------------------------------------------------------------------------------------------------- */

static bool
is_large(const wvar *v)
{
    return v->nelems > 4096;
}

/* One element, part of a chunk, a chunk, any box, every n-th element, all; rows below `rows`, which is not 0. */
static void
pick_elements(actor *a, const wvar *v, size_t rows, box *b)
{
    bool first = one_in(a, 2); /* chunk: there threads meet */
    int  how = pick(a, is_large(v) ? 9 : 7);

    for (int d = 0; d < 2; d++) {
        size_t n = d == 0 ? rows : v->shape[1], at = (size_t)pick(a, (int)(first ? min(n, v->chunk[d]) : n));
        size_t chunk = at / v->chunk[d] * v->chunk[d], end = min(chunk + v->chunk[d], n);

        b->stride[d] = 1;
        if (how == 0) { /* a chunk */
            b->start[d] = chunk;
            b->count[d] = end - chunk;
        } else if (how == 1) { /* any box */
            b->start[d] = at;
            b->count[d] = 1 + (size_t)pick(a, (int)(n - at));
        } else if (how == 2) {
            b->stride[d] = 1 + pick(a, is_large(v) ? 30 : 3);
            b->start[d] = at;
            b->count[d] = 1 + (size_t)pick(a, (int)((n - at - 1) / (size_t)b->stride[d] + 1));
        } else if (how == 3) {
            b->start[d] = 0;
            b->count[d] = n;
        } else if (how == 4) {
            b->start[d] = at;
            b->count[d] = 1;
        } else { /* part of a chunk */
            b->start[d] = at;
            b->count[d] = 1 + (size_t)pick(a, (int)min(end - at, is_large(v) && one_in(a, 2) ? 20 : end));
        }
    }
}

/* `known`: rows that are surely there; a get beyond may fail. */
static void
get(actor *a, wset *s, const wvar *v, int ncid, int varid, size_t rows, uint64_t known, uint64_t since)
{
    box      b;
    uint32_t op;
    int      rc;

    pick_elements(a, v, rows, &b);
    pick_layout(a, v, &b);
    op = hist_begin(&a->h);
    if (since != 0)
        a->h.ops[op].start = since;
    rc = get_box(ncid, varid, &b, a->buf);
    hist_end(&a->h, op);
    if ((rc == NC_EINVALCOORDS || rc == NC_EEDGE) && end_of(&b) > known) {
        hist_drop(&a->h, op);
        return;
    }
    if (gone(s, rc)) {
        hist_drop(&a->h, op);
        return;
    }
    ok(a, rc, v->name);
    if (v->unlimited && end_of(&b) > atomic_load_explicit(&s->growing, memory_order_relaxed))
        fail(a, "%s: %zu rows, but nobody put so many", v->name, end_of(&b));
    note_got(a, v, &b, op);
}

void
do_get(actor *a)
{
    wset       *s = pick_set(a);
    const wvar *v = pick_var(a, s);
    uint64_t    known = atomic_load_explicit(&s->grown, memory_order_relaxed);
    size_t      rows = !v->unlimited ? v->shape[0] : known > 0 && !one_in(a, 5) ? (size_t)known : ROWS;

    get(a, s, v, now_open(s), v->id, rows, v->unlimited ? known : ROWS, 0);
}

void
get_from(actor *a, wset *s, int ncid, uint64_t since)
{
    size_t len;
    int    time;

    OK(nc_inq_dimid(ncid, "time", &time));
    OK(nc_inq_dimlen(ncid, time, &len));
    for (int k = 0; k < 6; k++) {
        const wvar *v = pick_var(a, s);
        int         id;

        OK(nc_inq_varid(ncid, v->name, &id));
        if (!v->unlimited || len > 0)
            get(a, s, v, ncid, id, v->unlimited ? len : v->shape[0], ROWS, since);
    }
}

static void get_attributes(actor *a, wset *s);

void
get_everything(actor *a, wset *s)
{
    size_t rows = (size_t)atomic_load(&s->grown);

    for (int k = 0; k < VARS; k++) {
        const wvar *v = &s->vars[k];
        box         b = {.count = {v->unlimited ? rows : v->shape[0], v->shape[1]}, .stride = {1, 1}, .mem = v->type};
        uint32_t    op = hist_begin(&a->h);

        b.imap[0] = (ptrdiff_t)b.count[1];
        b.imap[1] = 1;
        OK(get_box(now_open(s), v->id, &b, a->buf));
        hist_end(&a->h, op);
        note_got(a, v, &b, op);
    }
    get_attributes(a, s);
}

/* ---- putting --------------------------------------------------------------------------------------------------- */

/* Of one dimension of a chunk that begins at block `first` and has `n` blocks: all of it, or some. */
static void
some_blocks(actor *a, bool all, size_t first, size_t n, size_t *start, size_t *count)
{
    *start = all ? 0 : (size_t)pick(a, (int)n);
    *count = all ? n : 1 + (size_t)pick(a, (int)(n - *start));
    *start += first;
}

/* Whole blocks: of one chunk, some or all; of several; every n-th where a block is one element. In blocks. An owned
 * variable has a chunk for each thread. */
static void
pick_blocks(actor *a, const wvar *v, box *b)
{
    bool all = one_in(a, 2), several = !v->owned && one_in(a, 4), points = v->block[0] * v->block[1] == 1;
    bool first = one_in(a, 2);

    for (int d = 0; d < 2; d++) {
        size_t n = v->nblocks[d], per = v->chunk[d] / v->block[d], chunks = (n + per - 1) / per;
        size_t chunk = first ? 0 : (size_t)pick(a, (int)chunks);

        if (v->owned)
            chunk = (size_t)(d == 0 ? a->number / 2 : a->number % 2);
        b->stride[d] = 1;
        if (several)
            some_blocks(a, one_in(a, 3), 0, n, &b->start[d], &b->count[d]);
        else
            some_blocks(a, all, chunk * per, min(per, n - chunk * per), &b->start[d], &b->count[d]);
        if (points && one_in(a, 3)) {
            b->stride[d] = 1 + pick(a, 3);
            b->count[d] = (b->count[d] - 1) / (size_t)b->stride[d] + 1;
        }
    }
}

static void
blocks_to_elements(const wvar *v, box *b)
{
    for (int d = 0; d < 2; d++) {
        b->start[d] *= v->block[d];
        b->count[d] = min(b->count[d] * v->block[d], v->shape[d] - b->start[d]);
    }
}

static void
put(actor *a, wset *s, const wvar *v, box *blocks, bool fill)
{
    uint32_t op, stamp = fill ? HIST_FILL : atomic_fetch_add_explicit(&a->w->stamp, 1, memory_order_relaxed);
    box      b = *blocks;
    element  e;
    int      rc;

    blocks_to_elements(v, &b);
    pick_layout(a, v, &b);
    for (size_t k = 0; element_of(&b, k, &e); k++)
        set_value(a->buf, b.mem, e.at, fill ? FILL : (long long)(stamp * v->nelems + e.y * v->shape[1] + e.x));
    if (v->unlimited)
        raise_to(&s->growing, end_of(&b));
    op = hist_begin(&a->h);
    rc = put_box(now_open(s), v->id, &b, a->buf);
    hist_end(&a->h, op);
    if (gone(s, rc)) {
        hist_drop(&a->h, op);
        return;
    }
    ok(a, rc, v->name);
    if (v->unlimited)
        raise_to(&s->grown, end_of(&b));
    for (size_t k = 0; element_of(blocks, k, &e); k++)
        hist_add(&a->h, op, v->reg + (uint32_t)(e.y * v->nblocks[1] + e.x), stamp, true);
}

void
do_put(actor *a)
{
    wset       *s = pick_set(a);
    const wvar *v = pick_var(a, s);
    box         b;

    if (v->unlimited && !one_in(a, 6)) { /* rows that are there already */
        do_append(a);
        return;
    }
    pick_blocks(a, v, &b);
    put(a, s, v, &b, v->fills && one_in(a, 3));
}

/* The next row or a few, or rows that are there. Their last chunk is changed by many. */
void
do_append(actor *a)
{
    wset       *s = pick_set(a);
    const wvar *v = &s->vars[VARS - 1 - pick(a, 2)];
    size_t      grown = (size_t)atomic_load_explicit(&s->grown, memory_order_relaxed);
    box         b = {.count = {1, v->nblocks[1]}, .stride = {1, 1}};

    b.start[0] = grown < ROWS && one_in(a, 3) ? grown : (size_t)pick(a, grown > 0 ? (int)grown : 1);
    b.count[0] = min(1 + (size_t)pick(a, 4), ROWS - b.start[0]);
    put(a, s, v, &b, false);
}

/* A few short rows from anywhere in the first chunk: they need not come from the store all at once. */
static void
pick_strip(actor *a, const wvar *v, box *b)
{
    b->count[0] = 1 + (size_t)pick(a, 12);
    b->count[1] = 1 + (size_t)pick(a, 8);
    for (int d = 0; d < 2; d++) {
        size_t most = (v->chunk[d] - 1) / b->count[d];

        b->stride[d] = 1 + pick(a, (int)min(most, 5));
        b->start[d] = (size_t)pick(a, (int)(v->chunk[d] - (b->count[d] - 1) * (size_t)b->stride[d]));
    }
}

/*
 * All threads at one large chunk, which is put whole and in parts, and got whole, in parts and in strips, with and
 * without conversion: so that puts, gets and flushes of the same bytes really are under way at once. In some runs
 * it also comes and goes.
 */
void
do_storm(actor *a)
{
    wset       *s = &a->w->sets[turn(a) % CLOSING];
    const wvar *v = &s->vars[WIDE];
    bool        all = one_in(a, 3), strip = one_in(a, 4);
    box         b = {.stride = {1, 1}};
    uint32_t    op;

    for (int d = 0; d < 2; d++)
        some_blocks(a, all, 0, v->chunk[d] / v->block[d], &b.start[d], &b.count[d]);
    if (!strip && one_in(a, 3)) {
        put(a, s, v, &b, a->w->clears && one_in(a, 3));
        return;
    }
    blocks_to_elements(v, &b);
    if (strip)
        pick_strip(a, v, &b);
    pick_layout(a, v, &b);
    op = hist_begin(&a->h);
    OK(get_box(now_open(s), v->id, &b, a->buf));
    hist_end(&a->h, op);
    note_got(a, v, &b, op);
}

/* ---- attributes ------------------------------------------------------------------------------------------------ */

static int
att_var(const wset *s, int k)
{
    return k % 2 == 0 ? NC_GLOBAL : s->vars[0].id;
}

static void
get_attribute(actor *a, wset *s, int k)
{
    char     name[8] = {'r', 'e', 'g', (char)('0' + k), '\0'};
    int      values[ATT_MOST] = {0}, rc;
    uint32_t op = hist_begin(&a->h);

    rc = nc_get_att_int(now_open(s), att_var(s, k), name, values);
    hist_end(&a->h, op);
    if (gone(s, rc)) {
        hist_drop(&a->h, op);
        return;
    }
    if (rc != NC_ENOTATT)
        ok(a, rc, name);
    for (int i = 1; i < ATT_MOST; i++)
        if (values[i] != 0 && values[i] != values[0])
            fail(a, "attribute %s holds %d and %d: of two puts", name, values[0], values[i]);
    hist_add(&a->h, op, s->atts + (uint32_t)k, (uint32_t)values[0], false);
}

static void
get_attributes(actor *a, wset *s)
{
    for (int k = 0; k < ATTS; k++)
        get_attribute(a, s, k);
}

void
define_registers(actor *a, wset *s, int ncid)
{
    const int none[ATT_MOST] = {0};

    for (int k = 0; k < ATTS; k++) {
        char name[8] = {'r', 'e', 'g', (char)('0' + k), '\0'};

        OK(nc_put_att_int(ncid, att_var(s, k), name, NC_INT, ATT_MOST, none));
    }
}

/* One of a classic file keeps its place and its length. */
static void
put_attribute(actor *a, wset *s, int k)
{
    char     name[8] = {'r', 'e', 'g', (char)('0' + k), '\0'};
    bool     classic = a->w->classic, away = !classic && k >= 2 && one_in(a, 3);
    uint32_t stamp = away ? HIST_FILL : atomic_fetch_add_explicit(&a->w->stamp, 1, memory_order_relaxed), op;
    int      values[ATT_MOST], rc;

    for (int i = 0; i < ATT_MOST; i++)
        values[i] = (int)stamp;
    op = hist_begin(&a->h);
    rc = away ? nc_del_att(now_open(s), att_var(s, k), name)
              : nc_put_att_int(now_open(s), att_var(s, k), name, NC_INT,
                               classic ? ATT_MOST : 1 + (size_t)pick(a, ATT_MOST), values);
    hist_end(&a->h, op);
    if (gone(s, rc)) {
        hist_drop(&a->h, op);
        return;
    }
    if (!away || rc != NC_ENOTATT)
        ok(a, rc, name);
    hist_add(&a->h, op, s->atts + (uint32_t)k, stamp, rc == NC_NOERR); /* none to delete: seen to be away */
}

void
do_attribute(actor *a)
{
    wset *s = pick_set(a);
    int   k = pick(a, ATTS);

    if (one_in(a, 2))
        put_attribute(a, s, k);
    else
        get_attribute(a, s, k);
}
