/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The free room of a file: ranges sorted by address, none of which touch, in a treap whose nodes know the longest
 * range below them; so the first one that is long enough is found in the time of a search. What reaches the end is
 * not among them: the end is lower then.
 *
 * Two queues have what is not free yet: what the next commit gives up (`given`), and what earlier ones did (`held`),
 * the oldest first. A range has one note wherever it is. Notes are allocated ahead, so that giving room up cannot
 * fail.
 */
#include "hdf5/hdf5_int.h"
#include "hdf5/hdf5_tree.h"

#include <stdlib.h>

typedef struct range range;

struct range {
    uint64_t addr, len;
    uint64_t longest; /* free: of those in its subtree */
    int64_t  when;    /* held: since */
    uint32_t rank;    /* free: a parent's is higher */
    range   *left;    /* free */
    range   *right;   /* free; of the others, and of spare notes: the next one */
};

typedef struct queue {
    range *first, *last;
} queue;

struct ncz_hdf5_room {
    range   *free; /* the root */
    queue    given, held;
    range   *spare;
    size_t   nspare;
    uint64_t end, lost;
    uint32_t stamp;
};

/* ---- notes ---- */

static range *
take_note(ncz_hdf5_room *r, uint64_t addr, uint64_t len)
{
    range *x = r->spare;

    if (x != NULL) {
        r->spare = x->right;
        r->nspare--;
    } else if ((x = ncz_alloc(sizeof *x)) == NULL) {
        return NULL;
    }
    *x =
        (range){.addr = addr, .len = len, .longest = len, .rank = (uint32_t)((addr + 1) * 0x9E3779B97F4A7C15u >> 32)};
    return x;
}

static void
drop_note(ncz_hdf5_room *r, range *x)
{
    if (r->nspare >= (size_t)4 * NCZ_HDF5_ROOM_READY) {
        ncz_free(x);
        return;
    }
    x->right = r->spare;
    r->spare = x;
    r->nspare++;
}

int
ncz_hdf5_room_ready(ncz_hdf5_room *r, size_t n)
{
    while (r->nspare < n) {
        range *x = ncz_alloc(sizeof *x);

        if (x == NULL)
            return ncz_fail_nomem(sizeof *x);
        x->right = r->spare;
        r->spare = x;
        r->nspare++;
    }
    return NC_NOERR;
}

static void
enqueue(queue *q, range *x)
{
    x->right = NULL;
    if (q->last != NULL)
        q->last->right = x;
    else
        q->first = x;
    q->last = x;
}

static range *
dequeue(queue *q)
{
    range *x = q->first;

    if (x != NULL && (q->first = x->right) == NULL)
        q->last = NULL;
    return x;
}

/* ---- the treap of free ranges ---- */

static uint64_t
longest_of(const range *t)
{
    return t == NULL ? 0 : t->longest;
}

static range *
update(range *t)
{
    uint64_t left = longest_of(t->left), right = longest_of(t->right), below = left > right ? left : right;

    t->longest = t->len > below ? t->len : below;
    return t;
}

static range *
join(range *a, range *b)
{
    if (a == NULL || b == NULL)
        return a != NULL ? a : b;
    if (a->rank >= b->rank) {
        a->right = join(a->right, b);
        return update(a);
    }
    b->left = join(a, b->left);
    return update(b);
}

/* Those before an address, and those from there on. */
static void
split(range *t, uint64_t addr, range **before, range **after)
{
    if (t == NULL) {
        *before = *after = NULL;
    } else if (t->addr < addr) {
        split(t->right, addr, &t->right, after);
        *before = update(t);
    } else {
        split(t->left, addr, before, &t->left);
        *after = update(t);
    }
}

static range *
remove_first(range *t, range **first)
{
    if (t->left == NULL) {
        *first = t;
        return t->right;
    }
    t->left = remove_first(t->left, first);
    return update(t);
}

static range *
remove_last(range *t, range **last)
{
    if (t->right == NULL) {
        *last = t;
        return t->left;
    }
    t->right = remove_last(t->right, last);
    return update(t);
}

static const range *
first_of(const range *t)
{
    while (t != NULL && t->left != NULL)
        t = t->left;
    return t;
}

static const range *
last_of(const range *t)
{
    while (t != NULL && t->right != NULL)
        t = t->right;
    return t;
}

/* Adds a free range, whose note it takes, to its neighbours. */
static void
set_free(ncz_hdf5_room *r, range *x)
{
    range       *before, *after, *joined;
    const range *next;

    split(r->free, x->addr, &before, &after);
    next = last_of(before);
    if (next != NULL && next->addr + next->len == x->addr) {
        before = remove_last(before, &joined);
        joined->len += x->len;
        drop_note(r, x);
        x = joined;
    }
    next = first_of(after);
    if (next != NULL && x->addr + x->len == next->addr) {
        after = remove_first(after, &joined);
        x->len += joined->len;
        drop_note(r, joined);
    }
    x->left = x->right = NULL;
    (void)update(x);
    if (x->addr + x->len == r->end) {
        r->end = x->addr;
        drop_note(r, x);
        r->free = join(before, after);
    } else {
        r->free = join(join(before, x), after);
    }
}

/* ---- taking ---- */

/* Room that is asked for: n bytes, at `phase` behind a multiple of `align`. */
typedef struct wanted {
    uint64_t n, align, phase;
} wanted;

/* Bytes from there to the first such place. */
static uint64_t
count_skipped(uint64_t addr, const wanted *w)
{
    return (w->phase - addr) & (w->align - 1);
}

/* The first such address in the range; NCZ_HDF5_NONE: there is none. */
static uint64_t
fit(const range *x, const wanted *w)
{
    uint64_t skip = count_skipped(x->addr, w);

    return x->len >= skip && x->len - skip >= w->n ? x->addr + skip : NCZ_HDF5_NONE;
}

static const range *
find_first(const range *t, const wanted *w)
{
    const range *found;

    if (longest_of(t) < w->n)
        return NULL;
    if ((found = find_first(t->left, w)) != NULL)
        return found;
    return fit(t, w) != NCZ_HDF5_NONE ? t : find_first(t->right, w);
}

/* Takes the range that begins there out of the treap. */
static range *
take_out(ncz_hdf5_room *r, uint64_t addr)
{
    range *before, *after, *x;

    split(r->free, addr, &before, &after);
    after = remove_first(after, &x);
    r->free = join(before, after);
    return x;
}

static void
put_in(ncz_hdf5_room *r, range *x)
{
    range *before, *after;

    x->left = x->right = NULL;
    (void)update(x);
    split(r->free, x->addr, &before, &after);
    r->free = join(join(before, x), after);
}

static int
take_at_end(ncz_hdf5_room *r, const wanted *w, uint64_t *addr)
{
    uint64_t gap = count_skipped(r->end, w), from, end;

    if (!ncz_add64(r->end, gap, &from) || !ncz_add64(from, w->n, &end) || end > INT64_MAX)
        return ncz_fail(NC_ENOMEM, "no file is long enough for %" PRIu64 " bytes more", w->n);
    if (gap > 0)
        put_in(r, take_note(r, r->end, gap));
    r->end = end;
    *addr = from;
    return NC_NOERR;
}

int
ncz_hdf5_room_take(ncz_hdf5_room *r, uint64_t n, uint64_t align, uint64_t *addr)
{
    return ncz_hdf5_room_take_phase(r, n, align, 0, addr);
}

int
ncz_hdf5_room_take_phase(ncz_hdf5_room *r, uint64_t n, uint64_t align, uint64_t phase, uint64_t *addr)
{
    wanted       w = {n, align, phase};
    const range *found;
    range       *x;
    uint64_t     at, end;
    int          rc = ncz_hdf5_room_ready(r, NCZ_HDF5_ROOM_READY + 1); /* one for what is left of a range */

    if (rc != NC_NOERR)
        return rc;
    if ((found = find_first(r->free, &w)) == NULL)
        return take_at_end(r, &w, addr);
    at = fit(found, &w);
    x = take_out(r, found->addr);
    end = x->addr + x->len;
    if (at + n < end)
        put_in(r, take_note(r, at + n, end - (at + n)));
    if (at > x->addr) {
        x->len = at - x->addr;
        put_in(r, x);
    } else {
        drop_note(r, x);
    }
    *addr = at;
    return NC_NOERR;
}

/* ---- giving up ---- */

/* NULL: it is lost. */
static range *
note_range(ncz_hdf5_room *r, uint64_t addr, uint64_t n)
{
    range *x = n > 0 ? take_note(r, addr, n) : NULL;

    if (x == NULL)
        r->lost += n;
    return x;
}

void
ncz_hdf5_room_give(ncz_hdf5_room *r, uint64_t addr, uint64_t n, uint32_t stamp)
{
    range *x = note_range(r, addr, n);

    if (x != NULL && stamp == r->stamp)
        set_free(r, x);
    else if (x != NULL)
        enqueue(&r->given, x);
}

void
ncz_hdf5_room_hold(ncz_hdf5_room *r, uint64_t addr, uint64_t n, int64_t now)
{
    range *x = note_range(r, addr, n);

    if (x != NULL) {
        x->when = now;
        enqueue(&r->held, x);
    }
}

uint32_t
ncz_hdf5_room_stamp(const ncz_hdf5_room *r)
{
    return r->stamp;
}

void
ncz_hdf5_room_publish(ncz_hdf5_room *r)
{
    r->stamp++;
}

void
ncz_hdf5_room_committed(ncz_hdf5_room *r, int64_t now, int64_t wait)
{
    range *x;

    while (wait >= 0 && r->held.first != NULL && now - r->held.first->when >= wait)
        set_free(r, dequeue(&r->held));
    while ((x = dequeue(&r->given)) != NULL) {
        x->when = now;
        enqueue(&r->held, x);
    }
}

/* ---- the end ---- */

uint64_t
ncz_hdf5_room_end(const ncz_hdf5_room *r)
{
    return r->end;
}

static size_t
count_free(const range *t, uint64_t *nbytes)
{
    if (t == NULL)
        return 0;
    *nbytes += t->len;
    return 1 + count_free(t->left, nbytes) + count_free(t->right, nbytes);
}

static size_t
count_queue(const queue *q, uint64_t *nbytes)
{
    size_t n = 0;

    for (const range *x = q->first; x != NULL; x = x->right, n++)
        *nbytes += x->len;
    return n;
}

static size_t
list_free(const range *t, const range **out)
{
    size_t n;

    if (t == NULL)
        return 0;
    n = list_free(t->left, out);
    out[n++] = t;
    return n + list_free(t->right, out + n);
}

static size_t
list_queue(const queue *q, const range **out)
{
    size_t n = 0;

    for (const range *x = q->first; x != NULL; x = x->right)
        out[n++] = x;
    return n;
}

static int
compare_ranges(const void *a, const void *b)
{
    uint64_t x = (*(const range *const *)a)->addr, y = (*(const range *const *)b)->addr;

    return (x > y) - (x < y);
}

int
ncz_hdf5_room_live_end(const ncz_hdf5_room *r, uint64_t *end)
{
    uint64_t      nbytes = 0;
    size_t        n = count_free(r->free, &nbytes) + count_queue(&r->given, &nbytes) + count_queue(&r->held, &nbytes);
    const range **all = ncz_alloc_n(n, sizeof *all);
    uint64_t      at = r->end;

    if (all == NULL)
        return ncz_fail_nomem(n * sizeof *all);
    n = list_free(r->free, all);
    n += list_queue(&r->given, all + n);
    n += list_queue(&r->held, all + n);
    qsort(all, n, sizeof *all, compare_ranges);
    while (n > 0 && all[n - 1]->addr + all[n - 1]->len == at)
        at = all[--n]->addr;
    ncz_free(all);
    *end = at;
    return NC_NOERR;
}

static void
cut_queue(ncz_hdf5_room *r, queue *q, uint64_t end)
{
    queue  kept = {NULL, NULL};
    range *x;

    while ((x = dequeue(q)) != NULL) {
        if (x->addr >= end)
            drop_note(r, x);
        else
            enqueue(&kept, x);
    }
    *q = kept;
}

void
ncz_hdf5_room_cut(ncz_hdf5_room *r, uint64_t end)
{
    const range *last;

    cut_queue(r, &r->given, end);
    cut_queue(r, &r->held, end);
    while ((last = last_of(r->free)) != NULL && last->addr >= end)
        drop_note(r, take_out(r, last->addr));
    r->end = end;
    if (last != NULL && last->addr + last->len == end) {
        r->end = last->addr;
        drop_note(r, take_out(r, last->addr));
    }
}

void
ncz_hdf5_room_count(const ncz_hdf5_room *r, ncz_hdf5_room_sums *out)
{
    *out = (ncz_hdf5_room_sums){.lost = r->lost};
    (void)count_free(r->free, &out->free);
    (void)count_queue(&r->given, &out->given_up);
    (void)count_queue(&r->held, &out->given_up);
}

/* ---- making one ---- */

int
ncz_hdf5_room_new(uint64_t end, ncz_hdf5_room **out)
{
    ncz_hdf5_room *r = ncz_zalloc(sizeof *r);

    if (r == NULL)
        return ncz_fail_nomem(sizeof *r);
    r->end = end;
    r->stamp = 1; /* 0: of earlier sessions */
    *out = r;
    return NC_NOERR;
}

static void
free_queue(queue *q)
{
    range *x;

    while ((x = dequeue(q)) != NULL)
        ncz_free(x);
}

void
ncz_hdf5_room_free(ncz_hdf5_room *r)
{
    range *x;

    if (r == NULL)
        return;
    while (r->free != NULL) {
        r->free = remove_first(r->free, &x);
        ncz_free(x);
    }
    free_queue(&r->given);
    free_queue(&r->held);
    while ((x = r->spare) != NULL) {
        r->spare = x->right;
        ncz_free(x);
    }
    ncz_free(r);
}
