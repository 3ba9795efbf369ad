/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_vlen_block: a chunk of variable-length strings, sequences or packed elements in one block without pointers: a
 * head, a table with one entry per element, and the bytes. So a block can be copied, cached and accounted for like any
 * other chunk, except that it has its own size.
 *
 * Invariant: an entry's bytes lie inside the block. Entries may share bytes. A put makes a new block without the
 * unused bytes. A put of a few elements appends their bytes to the existing block instead, until half of it is
 * unused.
 */
#include "grid/grid_int.h"

#include <string.h>

typedef struct entry {
    size_t   off; /* from the block's first byte */
    uint32_t len;
    uint32_t what;
} entry;

struct ncz_vlen_block {
    size_t nbytes, cap; /* bytes in use, and bytes allocated */
    size_t dead;        /* bytes of replaced strings; an estimate, since entries may share */
    size_t n;
    entry  at[];
};

/* ---- reading ------------------------------------------------------------------------------------------- */

size_t
ncz_vlen_nbytes(const ncz_vlen_block *t)
{
    return t->cap;
}

size_t
ncz_vlen_len(const ncz_vlen_block *t)
{
    return t->n;
}

ncz_vlen_item
ncz_vlen_at(const ncz_vlen_block *t, size_t i)
{
    const entry *e = &t->at[i];

    return (ncz_vlen_item){.s = (const char *)t + e->off, .len = e->len, .what = (ncz_vlen_kind)e->what};
}

static bool
same_item(ncz_vlen_item a, ncz_vlen_item b)
{
    return a.what == b.what && a.len == b.len && (a.s == b.s || a.len == 0 || memcmp(a.s, b.s, a.len) == 0);
}

ncz_vlen_item
ncz_vlen_unwritten(const ncz_dtype *dtype, const ncz_vlen_block *fill)
{
    if (fill != NULL)
        return ncz_vlen_at(fill, 0);
    return (ncz_vlen_item){.s = "", .what = dtype->items == NULL ? NCZ_VLEN_STRING : NCZ_VLEN_NONE};
}

bool
ncz_vlen_all(const ncz_vlen_block *t, const ncz_vlen_block *fill)
{
    ncz_vlen_item want = ncz_vlen_at(fill, 0);

    for (size_t i = 0; i < t->n; i++)
        if (!same_item(ncz_vlen_at(t, i), want))
            return false;
    return true;
}

const ncz_vlen_block *
ncz_vlen_in(const ncz_buf *b)
{
    return (const ncz_vlen_block *)(const void *)b->data;
}

/* ---- building ------------------------------------------------------------------------------------------ */

bool
ncz_vlen_bound(size_t n, size_t *out)
{
    return ncz_mul(n, sizeof(entry), out) && ncz_add(*out, sizeof(ncz_vlen_block), out);
}

int
ncz_vlen_begin(ncz_buf *b, size_t n)
{
    size_t          nbytes;
    ncz_vlen_block *t;
    int             rc;

    ncz_buf_reset(b);
    if (!ncz_vlen_bound(n, &nbytes))
        return ncz_fail_nomem(SIZE_MAX);
    if ((rc = ncz_buf_reserve(b, nbytes)) != NC_NOERR)
        return rc;
    memset(b->data, 0, nbytes); /* entries of zeros are NCZ_VLEN_NONE */
    b->len = nbytes;
    t = (ncz_vlen_block *)(void *)b->data;
    t->nbytes = t->cap = nbytes;
    t->n = n;
    return NC_NOERR;
}

int
ncz_vlen_set(ncz_buf *b, size_t i, ncz_vlen_item text)
{
    size_t          off = b->len;
    ncz_vlen_block *t;
    int             rc;

    if (text.what == NCZ_VLEN_NONE)
        text.len = 0;
    if (text.len > UINT32_MAX)
        return ncz_fail(NC_EFILTER, "a text of %zu bytes is too long", text.len);
    if (text.len > 0 && (rc = ncz_buf_append(b, text.s, text.len)) != NC_NOERR)
        return rc;
    t = (ncz_vlen_block *)(void *)b->data;
    t->at[i] = (entry){.off = off, .len = (uint32_t)text.len, .what = text.what};
    t->nbytes = t->cap = b->len;
    return NC_NOERR;
}

void
ncz_vlen_share(ncz_buf *b, size_t i, size_t from)
{
    ncz_vlen_block *t = (ncz_vlen_block *)(void *)b->data;

    t->at[i] = t->at[from];
}

int
ncz_vlen_take(ncz_buf *b, char **out)
{
    size_t nbytes = b->len;
    char  *block = ncz_buf_take(b), *tight;

    if (block == NULL)
        return ncz_fail_nomem(nbytes);
    if ((tight = ncz_grow(block, nbytes, 1)) == NULL) { /* drop the spare room, so that its size is nbytes */
        ncz_free(block);
        return ncz_fail_nomem(nbytes);
    }
    *out = tight;
    return NC_NOERR;
}

/* ---- one element in memory ----------------------------------------------------------------------------- */

static int
sequence_item(const ncz_type *mem, const void *elem, ncz_vlen_item *out)
{
    nc_vlen_t v;
    size_t    nbytes;

    memcpy(&v, elem, sizeof v);
    if ((v.p == NULL && v.len > 0) || !ncz_mul(v.len, mem->base->size, &nbytes))
        return ncz_fail(NC_EINVAL, "%s: a sequence of %zu elements%s", mem->name, v.len,
                        v.p == NULL ? ", and no pointer to them" : "");
    *out = (ncz_vlen_item){v.p, nbytes, NCZ_VLEN_STRING};
    return NC_NOERR;
}

static int
packed_item(const ncz_type *mem, const void *elem, char **room, ncz_vlen_item *out)
{
    char *from;

    *out = (ncz_vlen_item){.what = NCZ_VLEN_STRING};
    if (room == NULL)
        return ncz_grid_packed_len(mem, elem, &out->len);
    from = *room;
    *room = ncz_grid_pack(mem, elem, from);
    out->s = from;
    out->len = (size_t)(*room - from);
    return NC_NOERR;
}

int
ncz_vlen_item_of(const ncz_type *mem, const void *elem, char **room, ncz_vlen_item *out)
{
    const char *s;

    if (ncz_type_is_sequence(mem))
        return sequence_item(mem, elem, out);
    if (mem->class != NCZ_TYPE_STRING)
        return packed_item(mem, elem, room, out);
    memcpy(&s, elem, sizeof s);
    *out = s != NULL ? (ncz_vlen_item){s, strlen(s), NCZ_VLEN_STRING} : (ncz_vlen_item){.what = NCZ_VLEN_NONE};
    return NC_NOERR;
}

static int
sequence_out(const ncz_type *mem, ncz_vlen_item item, void *elem)
{
    nc_vlen_t v = {.len = item.len / mem->base->size};

    if (item.len % mem->base->size != 0)
        return ncz_fail(NC_EFILTER, "%zu bytes are not a run of elements of %zu", item.len, mem->base->size);
    if (item.len > 0 && (v.p = ncz_dup(item.s, item.len)) == NULL)
        return ncz_fail_nomem(item.len);
    memcpy(elem, &v, sizeof v);
    return NC_NOERR;
}

/* An element without a string reads as the empty one: a program may look into what it reads. */
int
ncz_grid_item_out(const ncz_type *mem, ncz_vlen_item item, void *elem)
{
    bool  none = item.what == NCZ_VLEN_NONE;
    char *s;

    if (!ncz_type_is_text(mem))
        return ncz_type_is_sequence(mem) ? sequence_out(mem, item, elem)
                                         : ncz_grid_unpack(mem, item.s, none ? 0 : item.len, elem);
    if ((s = ncz_strndup(none ? "" : item.s, none ? 0 : item.len)) == NULL)
        return ncz_fail_nomem(item.len + 1);
    if (mem == &ncz_type_counted)
        memcpy(elem, &(nc_vlen_t){.len = none ? 0 : item.len, .p = s}, sizeof(nc_vlen_t));
    else
        memcpy(elem, &s, sizeof s);
    return NC_NOERR;
}

/* ---- measuring ----------------------------------------------------------------------------------------- */

typedef struct measuring {
    const ncz_type *type;
    const char     *mem;
    size_t          need; /* bytes of all items; SIZE_MAX: more than memory has */
} measuring;

static int
run_measure(void *arg, const ncz_plane *p)
{
    measuring *m = arg;

    for (size_t row = 0; row < p->rows; row++) {
        ptrdiff_t b = p->b + (ptrdiff_t)row * p->b_row;

        for (size_t i = 0; i < p->n; i++, b += p->b_step) {
            ncz_vlen_item item;
            int           rc;

            if ((rc = ncz_vlen_item_of(m->type, m->mem + b, NULL, &item)) != NC_NOERR)
                return rc;
            if (item.len > UINT32_MAX)
                return ncz_fail(NC_EFILTER, "a text of more than %lu bytes is too long", (unsigned long)UINT32_MAX);
            if (!ncz_add(m->need, item.len, &m->need))
                m->need = SIZE_MAX;
        }
    }
    return NC_NOERR;
}

/* ---- putting ------------------------------------------------------------------------------------------- */

typedef struct putting {
    ncz_vlen_item  *table; /* the new value of each element */
    const ncz_type *type;
    const char     *mem;
    char           *room; /* for packed elements */
} putting;

static int
run_put(void *arg, const ncz_plane *p)
{
    putting *put = arg;
    int      rc = NC_NOERR;

    for (size_t row = 0; row < p->rows; row++) {
        ptrdiff_t a = p->a + (ptrdiff_t)row * p->a_row, b = p->b + (ptrdiff_t)row * p->b_row;

        for (size_t i = 0; rc == NC_NOERR && i < p->n; i++, a += p->a_step, b += p->b_step)
            rc = ncz_vlen_item_of(put->type, put->mem + b, &put->room, &put->table[a]);
    }
    return rc;
}

/* Puts the items into the table. *packed: memory for those that are packed, which the caller frees. */
static int
put_items(ncz_loops *nest, putting *put, bool packs, char **packed)
{
    measuring m = {.type = put->type, .mem = put->mem};
    int       rc;

    if (!packs)
        return ncz_grid_loops_each(nest, run_put, put);
    if ((rc = ncz_grid_loops_each(nest, run_measure, &m)) != NC_NOERR)
        return rc;
    if ((*packed = put->room = ncz_alloc(m.need)) == NULL)
        return ncz_fail_nomem(m.need);
    return ncz_grid_loops_each(nest, run_put, put);
}

/* Builds the block of a table. Equal neighbours share their bytes, and so do all fill elements. */
static int
build_block(const ncz_vlen_item *table, size_t n, ncz_vlen_item filled, ncz_buf *out)
{
    size_t first = SIZE_MAX; /* the first element that is fill */
    int    rc;

    if ((rc = ncz_vlen_begin(out, n)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < n; i++) {
        bool is_fill = same_item(table[i], filled);

        if (is_fill && first != SIZE_MAX)
            ncz_vlen_share(out, i, first);
        else if (i > 0 && same_item(table[i], table[i - 1]))
            ncz_vlen_share(out, i, i - 1);
        else if ((rc = ncz_vlen_set(out, i, table[i])) != NC_NOERR)
            return rc;
        if (is_fill && first == SIZE_MAX)
            first = i;
    }
    return NC_NOERR;
}

int
ncz_vlen_put(const ncz_transfer *m, const ncz_piece *p, size_t n, const ncz_vlen_block *old,
             const ncz_vlen_block *fill, const void *mem, ncz_buf *out)
{
    ncz_vlen_item *table = ncz_alloc_n(n, sizeof *table);
    putting        put = {.table = table, .type = m->mem};
    ncz_loops      nest;
    size_t         off, item = m->mem->size;
    char          *packed = NULL;
    int            rc;

    if (table == NULL)
        return ncz_fail_nomem(n * sizeof *table);
    for (size_t i = 0; i < n; i++)
        table[i] = old != NULL ? ncz_vlen_at(old, i) : ncz_vlen_unwritten(m->dtype, fill);
    if (p->nelems > 0) {
        if ((rc = ncz_grid_piece_loops(m, p, 1, item, &nest, &off)) != NC_NOERR)
            goto done;
        put.table += off;
        put.mem = (const char *)mem + (ptrdiff_t)((size_t)p->mem * item);
        rc = put_items(&nest, &put, ncz_dtype_is_packed(m->dtype), &packed);
        ncz_grid_loops_clear(&nest);
        if (rc != NC_NOERR)
            goto done;
    }
    rc = build_block(table, n, ncz_vlen_unwritten(m->dtype, fill), out);
done:
    ncz_free(packed);
    ncz_free(table);
    return rc;
}

/* ---- changing a few ------------------------------------------------------------------------------------ */

typedef struct changing {
    ncz_vlen_block *t;
    const ncz_type *type;
    const char     *mem;
    size_t          first; /* the element that the piece begins with */
} changing;

static void
change_one(ncz_vlen_block *t, entry *e, ncz_vlen_item item)
{
    t->dead += e->len;
    *e = (entry){.off = t->nbytes, .len = (uint32_t)item.len, .what = item.what};
    if (item.len > 0 && item.s != (char *)t + t->nbytes) /* a packed element is there already */
        memcpy((char *)t + t->nbytes, item.s, item.len);
    t->nbytes += item.len;
}

static int
run_change(void *arg, const ncz_plane *p)
{
    changing *c = arg;
    int       rc = NC_NOERR;

    for (size_t row = 0; row < p->rows; row++) {
        ptrdiff_t a = p->a + (ptrdiff_t)row * p->a_row, b = p->b + (ptrdiff_t)row * p->b_row;

        for (size_t i = 0; rc == NC_NOERR && i < p->n; i++, a += p->a_step, b += p->b_step) {
            ncz_vlen_item item = {.what = NCZ_VLEN_NONE};
            char         *room = (char *)c->t + c->t->nbytes;

            if ((rc = ncz_vlen_item_of(c->type, c->mem + b, &room, &item)) == NC_NOERR)
                change_one(c->t, &c->t->at[c->first + (size_t)a], item);
        }
    }
    return rc;
}

bool
ncz_vlen_few(const ncz_vlen_block *t, const ncz_piece *p)
{
    return p->nelems < t->n / 8 && t->dead <= t->nbytes / 2;
}

/* Makes room for `more` bytes and a quarter of the block on top, so that n puts cost O(n). */
static int
make_room(char **block, size_t more)
{
    const ncz_vlen_block *t = (const ncz_vlen_block *)(const void *)*block;
    ncz_vlen_block       *grown;
    size_t                cap;

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
ncz_vlen_change(const ncz_transfer *m, const ncz_piece *p, const void *mem, char **block)
{
    size_t   item = m->mem->size;
    changing c = {.type = m->mem, .mem = (const char *)mem + (ptrdiff_t)((size_t)p->mem * item)};
    measuring new = {.type = c.type, .mem = c.mem};
    ncz_loops nest;
    int       rc;

    if (p->nelems == 0)
        return NC_NOERR;
    if ((rc = ncz_grid_piece_loops(m, p, 1, item, &nest, &c.first)) != NC_NOERR)
        return rc;
    if ((rc = ncz_grid_loops_each(&nest, run_measure, &new)) == NC_NOERR &&
        (rc = make_room(block, new.need)) == NC_NOERR) {
        c.t = (ncz_vlen_block *)(void *)*block;
        (void)ncz_grid_loops_each(&nest, run_change, &c);
    }
    ncz_grid_loops_clear(&nest);
    return rc;
}
