/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * history: see history.h. Three checks, none of which searches:
 *
 *  registers whose stamps are unique: linearizable or not, exactly (Gibbons and Korach, "Testing shared memories"):
 *  the zone of a stamp reaches from the first end of an op that had it to the last start of one; it may be between
 *  these that the value stood all the time (forward), or some moment of the zone will do (backward). Forward zones
 *  do not overlap, and no backward one lies within a forward one.
 *
 *  registers that fill was put into: each get returns a value that no put had surely replaced before it began.
 *
 *  chunks: of two puts to the same two registers one came last, so that one get cannot see the first in one of them
 *  and the second in the other; and what a put replaced is gone where another register already shows that put.
 */
#include "history.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define UNDER_TSAN
#endif

/* The clock must not order the threads by itself, or the sanitizer would see no race between calls that do not
 * overlap. The instruction is a full barrier on x86; elsewhere the language has to ask for one. */
#ifdef UNDER_TSAN
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_seq_cst
#endif

static _Atomic uint64_t clock_now = 1;

uint64_t
hist_tick(void)
{
    return atomic_fetch_add_explicit(&clock_now, 1, ORDER);
}

static void *
more(void *p, size_t n, size_t *cap, size_t item)
{
    if (n < *cap)
        return p;
    *cap = *cap == 0 ? 1024 : *cap * 2;
    if ((p = realloc(p, *cap * item)) == NULL)
        abort();
    return p;
}

uint32_t
hist_begin(hist *h)
{
    if (h == NULL)
        return 0;
    h->ops = more(h->ops, h->nops, &h->opcap, sizeof *h->ops);
    h->ops[h->nops] = (hist_op){.end = UINT64_MAX};
    h->ops[h->nops].start = hist_tick();
    return (uint32_t)h->nops++;
}

void
hist_end(hist *h, uint32_t op)
{
    if (h != NULL)
        h->ops[op].end = hist_tick();
}

void
hist_add(hist *h, uint32_t op, uint32_t reg, uint32_t stamp, bool put)
{
    if (h == NULL)
        return;
    h->events = more(h->events, h->nevents, &h->eventcap, sizeof *h->events);
    h->events[h->nevents++] = (hist_event){.op = op, .reg = reg, .stamp = stamp, .put = put};
}

void
hist_drop(hist *h, uint32_t op)
{
    if (h != NULL)
        h->nops = op;
}

void
hist_clear(hist *h)
{
    free(h->ops);
    free(h->events);
    *h = (hist){.nops = 0};
}

/* ---- all events, by register and stamp ------------------------------------------------------------------------- */

typedef struct entry {
    uint64_t start, end;
    uint32_t reg, stamp;
    bool     put;
} entry;

typedef struct table {
    entry *v;
    size_t n;
    char  *why;
    size_t size;
} table;

/* By register, stamp, and puts first. */
static int
compare(const void *x, const void *y)
{
    const entry *a = x, *b = y;

    if (a->reg != b->reg)
        return a->reg < b->reg ? -1 : 1;
    if (a->stamp != b->stamp)
        return a->stamp < b->stamp ? -1 : 1;
    return (int)b->put - (int)a->put;
}

/* Every register has been put with fill before everything. */
static void
table_init(table *t, const hist *all, size_t n, size_t nregs)
{
    for (size_t i = 0; i < n; i++)
        t->n += all[i].nevents;
    t->n += nregs;
    if ((t->v = malloc(t->n * sizeof *t->v)) == NULL)
        abort();
    t->n = 0;
    for (size_t r = 0; r < nregs; r++)
        t->v[t->n++] = (entry){.reg = (uint32_t)r, .stamp = HIST_FILL, .put = true};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < all[i].nevents; k++) {
            const hist_event *e = &all[i].events[k];
            const hist_op    *op = &all[i].ops[e->op];

            t->v[t->n++] = (entry){op->start, op->end, e->reg, e->stamp, e->put};
        }
    qsort(t->v, t->n, sizeof *t->v, compare);
}

/* The put of a stamp to a register, or NULL; of fill the first of several. */
static const entry *
find_put(const table *t, uint32_t reg, uint32_t stamp)
{
    const entry want = {.reg = reg, .stamp = stamp, .put = true};
    size_t      lo = 0, hi = t->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (compare(&t->v[mid], &want) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < t->n && compare(&t->v[lo], &want) == 0 ? &t->v[lo] : NULL;
}

static bool
wrong(table *t, const entry *e, const char *what)
{
    snprintf(t->why, t->size, "register %" PRIu32 ", stamp %" PRIu32 " (%s %" PRIu64 " to %" PRIu64 "): %s", e->reg,
             e->stamp, e->put ? "put" : "got", e->start, e->end, what);
    return false;
}

/* ---- registers whose stamps are unique ------------------------------------------------------------------------- */

typedef struct zone {
    uint64_t     from, to;
    const entry *e;
} zone;

static int
compare_zones(const void *x, const void *y)
{
    const zone *a = x, *b = y;

    return (a->from > b->from) - (a->from < b->from);
}

/* The zone of the cluster of entries with one stamp, its put first. */
static bool
make_zone(table *t, const entry *e, size_t n, zone *z, bool *forward)
{
    uint64_t first_end = UINT64_MAX, last_start = 0;

    if (!e->put)
        return wrong(t, e, "a value that nobody put");
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && e[i].put)
            return wrong(t, &e[i], "put twice");
        if (e[i].end < e->start)
            return wrong(t, &e[i], "got before it was put");
        first_end = e[i].end < first_end ? e[i].end : first_end;
        last_start = e[i].start > last_start ? e[i].start : last_start;
    }
    *forward = first_end < last_start;
    *z = *forward ? (zone){first_end, last_start, e} : (zone){last_start, first_end, e};
    return true;
}

/* The forward zone that begins last at or before a moment. */
static const zone *
zone_at(const zone *v, size_t n, uint64_t moment)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (v[mid].from <= moment)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo > 0 ? &v[lo - 1] : NULL;
}

static bool
check_zones(table *t, zone *ahead, size_t nahead, const zone *back, size_t nback)
{
    if (nahead > 0)
        qsort(ahead, nahead, sizeof *ahead, compare_zones);
    for (size_t i = 1; i < nahead; i++)
        if (ahead[i].from < ahead[i - 1].to)
            return wrong(t, ahead[i].e, "stood while another value did");
    for (size_t i = 0; i < nback; i++) {
        const zone *z = zone_at(ahead, nahead, back[i].from);

        if (z != NULL && back[i].to < z->to)
            return wrong(t, back[i].e, "nowhere between the gets of another value");
    }
    return true;
}

static bool
check_unique(table *t, const entry *e, size_t n)
{
    zone  *ahead = malloc(n * sizeof *ahead), *back = malloc(n * sizeof *back);
    size_t nahead = 0, nback = 0;
    bool   fine = true;

    if (ahead == NULL || back == NULL)
        abort();
    for (size_t i = 0, end; fine && i < n; i = end) {
        bool forward = false;
        zone z;

        for (end = i + 1; end < n && e[end].stamp == e[i].stamp;)
            end++;
        if ((fine = make_zone(t, &e[i], end - i, &z, &forward))) {
            if (forward)
                ahead[nahead++] = z;
            else
                back[nback++] = z;
        }
    }
    fine = fine && check_zones(t, ahead, nahead, back, nback);
    free(ahead);
    free(back);
    return fine;
}

/* ---- registers that fill was put into -------------------------------------------------------------------------- */

static int
compare_ends(const void *x, const void *y)
{
    const entry *a = x, *b = y;

    return (a->end > b->end) - (a->end < b->end);
}

/* Of the puts that ended before `moment`, in order of their ends, the last start: values put before it are gone. */
static uint64_t
gone_before(const entry *puts, const uint64_t *last_start, size_t n, uint64_t moment)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (puts[mid].end < moment)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo > 0 ? last_start[lo - 1] : 0;
}

/* Entries of one register in the order of the table, so that those of one stamp have their puts first. */
static bool
check_weak(table *t, const entry *e, size_t n)
{
    entry    *puts = malloc(n * sizeof *puts);
    uint64_t *last_start = malloc(n * sizeof *last_start);
    size_t    nputs = 0;
    bool      fine = true;

    if (puts == NULL || last_start == NULL)
        abort();
    for (size_t i = 0; i < n; i++)
        if (e[i].put)
            puts[nputs++] = e[i];
    qsort(puts, nputs, sizeof *puts, compare_ends);
    for (size_t i = 0; i < nputs; i++)
        last_start[i] = i > 0 && last_start[i - 1] > puts[i].start ? last_start[i - 1] : puts[i].start;
    for (size_t i = 0, first = 0; fine && i < n; i++) {
        uint64_t gone;
        bool     stood = false;

        if (e[i].stamp != e[first].stamp)
            first = i;
        if (e[i].put)
            continue;
        gone = gone_before(puts, last_start, nputs, e[i].start);
        for (size_t k = first; !stood && e[k].put; k++)
            stood = e[k].start < e[i].end && e[k].end >= gone;
        if (!stood)
            fine = wrong(t, &e[i], "nobody put it, or it was replaced before, or not yet put");
    }
    free(puts);
    free(last_start);
    return fine;
}

static bool
check_registers(table *t)
{
    bool fine = true;

    for (size_t i = 0, end; fine && i < t->n; i = end) {
        size_t fills = 0;

        for (end = i; end < t->n && t->v[end].reg == t->v[i].reg; end++)
            fills += t->v[end].put && t->v[end].stamp == HIST_FILL;
        fine = fills > 1 ? check_weak(t, &t->v[i], end - i) : check_unique(t, &t->v[i], end - i);
    }
    return fine;
}

/* ---- chunks ---------------------------------------------------------------------------------------------------- */

static bool
torn(table *t, const hist_event *a, const hist_event *b, const char *what)
{
    snprintf(t->why, t->size,
             "registers %" PRIu32 " and %" PRIu32 " of one chunk, got together with stamps %" PRIu32 " and %" PRIu32
             ": %s",
             a->reg, b->reg, a->stamp, b->stamp, what);
    return false;
}

/* Was fill put to `reg`, maybe after `put` and before `op` was done? */
static bool
filled_since(const table *t, uint32_t reg, const entry *put, const hist_op *op)
{
    const entry *e = find_put(t, reg, HIST_FILL);

    for (; e != NULL && e < t->v + t->n && e->reg == reg && e->stamp == HIST_FILL && e->put; e++)
        if (e->end > put->start && e->start < op->end)
            return true;
    return false;
}

/* `a` shows a put that `b`, which was got with it, does not. */
static bool
check_pair(table *t, const hist_op *op, const hist_event *a, const hist_event *b)
{
    const entry *put = find_put(t, b->reg, a->stamp), *other;

    if (a->stamp == HIST_FILL || put == NULL)
        return true;
    if (b->stamp == HIST_FILL)
        return filled_since(t, b->reg, put, op) || torn(t, a, b, "half of a put over fill");
    if (find_put(t, a->reg, b->stamp) != NULL)
        return torn(t, a, b, "halves of two puts");
    if ((other = find_put(t, b->reg, b->stamp)) != NULL && other->end < put->start)
        return torn(t, a, b, "half of a put over an old value");
    return true;
}

static bool
check_chunks(table *t, const hist *h, const uint32_t *chunk_of)
{
    for (size_t i = 0; i < h->nevents; i++) {
        const hist_event *a = &h->events[i];

        if (a->put)
            continue;
        for (size_t k = i + 1; k < h->nevents && h->events[k].op == a->op; k++) {
            const hist_event *b = &h->events[k];

            if (chunk_of[a->reg] != chunk_of[b->reg] || a->stamp == b->stamp)
                continue;
            if (!check_pair(t, &h->ops[a->op], a, b) || !check_pair(t, &h->ops[a->op], b, a))
                return false;
        }
    }
    return true;
}

bool
hist_check(const hist *all, size_t n, const uint32_t *chunk_of, size_t nregs, char *why, size_t size)
{
    table t = {.why = why, .size = size};
    bool  fine;

    table_init(&t, all, n, nregs);
    fine = check_registers(&t);
    for (size_t i = 0; fine && i < n; i++)
        fine = check_chunks(&t, &all[i], chunk_of);
    free(t.v);
    return fine;
}
