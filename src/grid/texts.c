/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * texts: a chunk of strings of any length in one block without pointers: a head, a table with one entry for each
 * element, and the bytes. So a block may be copied, kept in a cache and accounted for like any other chunk; only that
 * its size is its own.
 *
 * Invariant: an entry's bytes lie inside the block. Entries may share bytes. A put makes a new block, without the
 * bytes that nothing names any more; a put of a few elements only adds their bytes to the block that is there, until
 * half of it is bytes that nothing names.
 */
#include "grid/grid_int.h"

#include <string.h>

typedef struct entry {
    size_t   off; /* from the block's first byte */
    uint32_t len;
    uint32_t what;
} entry;

struct ncz_texts {
    size_t nbytes, cap; /* in use, and of the memory that it stands in */
    size_t dead;        /* bytes of texts that were changed, as far as is known */
    size_t n;
    entry  at[];
};

/* ---- looking ------------------------------------------------------------------------------------------- */

size_t
ncz_texts_nbytes(const ncz_texts *t)
{
    return t->cap;
}

size_t
ncz_texts_len(const ncz_texts *t)
{
    return t->n;
}

ncz_text
ncz_texts_at(const ncz_texts *t, size_t i)
{
    const entry *e = &t->at[i];

    return (ncz_text){ .s = (const char *)t + e->off, .len = e->len, .what = (ncz_text_what)e->what };
}

static bool
same(ncz_text a, ncz_text b)
{
    return a.what == b.what && a.len == b.len && (a.s == b.s || a.len == 0 || memcmp(a.s, b.s, a.len) == 0);
}

bool
ncz_texts_all(const ncz_texts *t, const ncz_texts *fill)
{
    ncz_text want = ncz_texts_at(fill, 0);

    for (size_t i = 0; i < t->n; i++)
        if (!same(ncz_texts_at(t, i), want))
            return false;
    return true;
}

const ncz_texts *
ncz_texts_in(const ncz_buf *b)
{
    return (const ncz_texts *)(const void *)b->data;
}

/* ---- building ------------------------------------------------------------------------------------------ */

bool
ncz_texts_bound(size_t n, size_t *out)
{
    return ncz_mul(n, sizeof(entry), out) && ncz_add(*out, sizeof(ncz_texts), out);
}

int
ncz_texts_begin(ncz_buf *b, size_t n)
{
    size_t     nbytes;
    ncz_texts *t;
    int        rc;

    ncz_buf_reset(b);
    if (!ncz_texts_bound(n, &nbytes))
        return ncz_fail_nomem(SIZE_MAX);
    if ((rc = ncz_buf_reserve(b, nbytes)) != NC_NOERR)
        return rc;
    memset(b->data, 0, nbytes); /* entries of zeros are NCZ_TEXT_NONE */
    b->len = nbytes;
    t = (ncz_texts *)(void *)b->data;
    t->nbytes = t->cap = nbytes;
    t->n = n;
    return NC_NOERR;
}

int
ncz_texts_set(ncz_buf *b, size_t i, ncz_text text)
{
    size_t     off = b->len;
    ncz_texts *t;
    int        rc;

    if (text.what == NCZ_TEXT_NONE)
        text.len = 0;
    if (text.len > UINT32_MAX)
        return ncz_fail(NC_EFILTER, "a text of %zu bytes is too long", text.len);
    if (text.len > 0 && (rc = ncz_buf_append(b, text.s, text.len)) != NC_NOERR)
        return rc;
    t = (ncz_texts *)(void *)b->data;
    t->at[i] = (entry){ .off = off, .len = (uint32_t)text.len, .what = text.what };
    t->nbytes = t->cap = b->len;
    return NC_NOERR;
}

void
ncz_texts_share(ncz_buf *b, size_t i, size_t from)
{
    ncz_texts *t = (ncz_texts *)(void *)b->data;

    t->at[i] = t->at[from];
}

int
ncz_texts_take(ncz_buf *b, char **out)
{
    size_t nbytes = b->len;
    char  *block = ncz_buf_take(b), *tight;

    if (block == NULL)
        return ncz_fail_nomem(nbytes);
    if ((tight = ncz_grow(block, nbytes, 1)) == NULL) { /* without the room to grow: its size is what it says */
        ncz_free(block);
        return ncz_fail_nomem(nbytes);
    }
    *out = tight;
    return NC_NOERR;
}

/* ---- putting ------------------------------------------------------------------------------------------- */

typedef struct putting {
    ncz_text   *table; /* what each element is to be */
    const char *mem;
} putting;

static int
run_put(void *arg, const ncz_plane *p)
{
    const putting *put = arg;

    for (size_t row = 0; row < p->rows; row++) {
        ptrdiff_t a = p->a + (ptrdiff_t)row * p->a_row, b = p->b + (ptrdiff_t)row * p->b_row;

        for (size_t i = 0; i < p->n; i++, a += p->a_step, b += p->b_step) {
            const char *s;

            memcpy(&s, put->mem + b, sizeof s);
            put->table[a] = s != NULL ? (ncz_text){ s, strlen(s), NCZ_TEXT_STRING }
                                      : (ncz_text){ .what = NCZ_TEXT_NONE };
        }
    }
    return NC_NOERR;
}

/* The table as a block; equal neighbours and what is fill share their bytes. */
static int
build(const ncz_text *table, size_t n, const ncz_texts *fill, ncz_buf *out)
{
    ncz_text filled = fill != NULL ? ncz_texts_at(fill, 0) : (ncz_text){ .what = NCZ_TEXT_NONE };
    size_t   first = SIZE_MAX; /* element that is fill */
    int      rc;

    if ((rc = ncz_texts_begin(out, n)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n; i++) {
        bool is_fill = same(table[i], filled);

        if (is_fill && first != SIZE_MAX)
            ncz_texts_share(out, i, first);
        else if (i > 0 && same(table[i], table[i - 1]))
            ncz_texts_share(out, i, i - 1);
        else if ((rc = ncz_texts_set(out, i, table[i])) != NC_NOERR)
            return rc;
        if (is_fill && first == SIZE_MAX)
            first = i;
    }
    return NC_NOERR;
}

int
ncz_texts_put(const ncz_move *m, const ncz_piece *p, size_t n, const ncz_texts *old, const ncz_texts *fill,
              const void *mem, ncz_buf *out)
{
    ncz_text *table = ncz_alloc_n(n, sizeof *table);
    putting   put = { .table = table };
    ncz_nest  nest;
    size_t    off, item = sizeof(char *);
    int       rc;

    if (table == NULL)
        return ncz_fail_nomem(n * sizeof *table);
    for (size_t i = 0; i < n; i++)
        table[i] = old != NULL ? ncz_texts_at(old, i)
                               : fill != NULL ? ncz_texts_at(fill, 0) : (ncz_text){ .what = NCZ_TEXT_NONE };
    if (p->nelems > 0) {
        if ((rc = ncz_grid_piece_nest(m, p, 1, item, &nest, &off)) != NC_NOERR)
            goto done;
        put.table += off;
        put.mem = (const char *)mem + (ptrdiff_t)((size_t)p->mem * item);
        (void)ncz_grid_nest_each(&nest, run_put, &put);
        ncz_grid_nest_clear(&nest);
    }
    rc = build(table, n, fill, out);
done:
    ncz_free(table);
    return rc;
}

/* ---- changing a few ------------------------------------------------------------------------------------ */

typedef struct changing {
    ncz_texts  *t;
    const char *mem;
    size_t      first; /* element of the piece's first */
    size_t      need;  /* bytes of all the texts */
    bool        long_one;
} changing;

static void
measure_one(changing *c, const char *s)
{
    size_t len = s != NULL ? strlen(s) : 0;

    c->long_one = c->long_one || len > UINT32_MAX;
    if (!ncz_add(c->need, len, &c->need))
        c->need = SIZE_MAX;
}

static void
change_one(ncz_texts *t, entry *e, const char *s)
{
    size_t len = s != NULL ? strlen(s) : 0;

    t->dead += e->len;
    *e = (entry){ .off = t->nbytes, .len = (uint32_t)len, .what = s != NULL ? NCZ_TEXT_STRING : NCZ_TEXT_NONE };
    if (len > 0)
        memcpy((char *)t + t->nbytes, s, len);
    t->nbytes += len;
}

/* Measures, while there is no block yet. */
static int
run_change(void *arg, const ncz_plane *p)
{
    changing *c = arg;

    for (size_t row = 0; row < p->rows; row++) {
        ptrdiff_t a = p->a + (ptrdiff_t)row * p->a_row, b = p->b + (ptrdiff_t)row * p->b_row;

        for (size_t i = 0; i < p->n; i++, a += p->a_step, b += p->b_step) {
            const char *s;

            memcpy(&s, c->mem + b, sizeof s);
            if (c->t != NULL)
                change_one(c->t, &c->t->at[c->first + (size_t)a], s);
            else
                measure_one(c, s);
        }
    }
    return NC_NOERR;
}

bool
ncz_texts_few(const ncz_texts *t, const ncz_piece *p)
{
    return p->nelems < t->n / 8 && t->dead <= t->nbytes / 2;
}

/* Room for `more` bytes, and for as much as a quarter of the block on top, so that n puts cost O(n). */
static int
make_room(char **block, size_t more)
{
    const ncz_texts *t = (const ncz_texts *)(const void *)*block;
    ncz_texts       *grown;
    size_t           cap;

    if (ncz_add(t->nbytes, more, &cap) && cap <= t->cap)
        return NC_NOERR;
    if (!ncz_add(t->nbytes, more, &cap) || !ncz_add(cap, cap / 4, &cap))
        return ncz_fail_nomem(SIZE_MAX);
    if ((grown = ncz_grow(*block, cap, 1)) == NULL)
        return ncz_fail_nomem(cap);
    grown->cap = cap;
    *block = (char *)grown;
    return NC_NOERR;
}

int
ncz_texts_change(const ncz_move *m, const ncz_piece *p, const void *mem, char **block)
{
    changing c = { .mem = (const char *)mem + (ptrdiff_t)((size_t)p->mem * sizeof(char *)) };
    ncz_nest nest;
    int      rc;

    if (p->nelems == 0)
        return NC_NOERR;
    if ((rc = ncz_grid_piece_nest(m, p, 1, sizeof(char *), &nest, &c.first)) != NC_NOERR)
        return rc;
    (void)ncz_grid_nest_each(&nest, run_change, &c);
    if (c.long_one)
        rc = ncz_fail(NC_EFILTER, "a text of more than %lu bytes is too long", (unsigned long)UINT32_MAX);
    else
        rc = make_room(block, c.need);
    if (rc == NC_NOERR) {
        c.t = (ncz_texts *)(void *)*block;
        (void)ncz_grid_nest_each(&nest, run_change, &c);
    }
    ncz_grid_nest_clear(&nest);
    return rc;
}
