/* SPDX-License-Identifier: BSD-3-Clause */
/* history_plan: what each rank does, from the seed alone. */
#include "history.h"

#include <stdio.h>
#include <string.h>

/* A small generator of its own, the same on all machines. */
static unsigned
draw(uint32_t *state, unsigned n)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 16) % n;
}

static uint32_t
state_of(unsigned seed, unsigned a, unsigned b)
{
    uint32_t x = (uint32_t)seed * 2654435761U + (uint32_t)a * 40503U + (uint32_t)b * 97U + 1U;

    x ^= x >> 15;
    x *= 2246822519U;
    return x ^ x >> 13;
}

schedule
history_draw(unsigned seed)
{
    uint32_t state = state_of(seed, 1, 2);
    schedule s = {.seed = seed, .victim = -1};

    s.nranks = 2 + (int)draw(&state, 7);
    s.epochs = 2 + (int)draw(&state, HISTORY_EPOCHS - 1);
    s.v3 = draw(&state, 2) == 1;
    s.shards = s.v3 && draw(&state, 2) == 1;
    s.consolidated = draw(&state, 3) == 0;
    s.jobs = draw(&state, 4) == 0;
    if (draw(&state, 4) != 0) {
        s.victim = (int)draw(&state, (unsigned)s.nranks);
        s.die_at = 1 + draw(&state, 8U << draw(&state, 8));
    }
    return s;
}

/* Where part `k` of `n` begins among `total`: uneven, by the salt. Some parts are empty. */
static size_t
cut_at(size_t total, int n, int k, unsigned salt)
{
    size_t even = total * (size_t)k / (size_t)n, next = total * (size_t)(k + 1) / (size_t)n;

    if (k == 0 || k == n)
        return k == 0 ? 0 : total;
    return even + (salt + (unsigned)k * 7) % (next - even + 1);
}

bool
history_block(const schedule *s, const operation *op, int rank, block *b)
{
    size_t rows = op->nrows, n = (size_t)s->nranks, r = (size_t)rank;

    *b = (block){.start = {op->row, 0}, .count = {rows, HISTORY_WIDTH}, .stride = {1, 1}};
    if (op->holes && op->salt % n == r) {
        b->count[0] = b->count[1] = 0;
    } else if (op->by_rows) {
        b->start[0] = op->row + cut_at(rows, s->nranks, rank, op->salt);
        b->count[0] = op->row + cut_at(rows, s->nranks, rank + 1, op->salt) - b->start[0];
    } else if (op->strided) {
        b->start[1] = r;
        b->count[1] = (HISTORY_WIDTH - r + n - 1) / n;
        b->stride[1] = (ptrdiff_t)n;
    } else {
        b->start[1] = cut_at(HISTORY_WIDTH, s->nranks, rank, op->salt);
        b->count[1] = cut_at(HISTORY_WIDTH, s->nranks, rank + 1, op->salt) - b->start[1];
    }
    if (b->count[0] > 0 && b->count[1] > 0)
        return true;
    *b = (block){.stride = {1, 1}};
    return false;
}

static bool
is_written(const schedule *s, int var)
{
    return (s->without >> (var < VAR_LATE ? var : VAR_LATE) & 1) == 0;
}

static void
add_op(epoch_plan *p, const schedule *s, uint32_t *state, int var, size_t row, size_t nrows)
{
    operation *op = &p->ops[p->nops];

    *op = (operation){.var = var, .row = row, .nrows = nrows};
    op->salt = draw(state, 60000);
    op->by_rows = draw(state, 3) == 0;
    op->strided = draw(state, 4) == 0;
    op->holes = draw(state, 4) == 0;
    op->collective = var == VAR_RECORDS || (var != VAR_FIXED && draw(state, 2) == 1);
    if (s->jobs) { /* each element has one writer for ever */
        op->salt = s->seed;
        op->by_rows = op->holes = op->collective = false;
        op->strided = s->seed % 2 == 0;
    }
    if (is_written(s, var) && nrows > 0)
        p->nops++;
}

void
history_plan(const schedule *s, int run, int epoch, size_t len, epoch_plan *p)
{
    int      stamp = history_stamp(run, epoch);
    uint32_t state = state_of(s->seed, (unsigned)stamp, 77);
    size_t   before = draw(&state, 3), more = draw(&state, 4), row = draw(&state, HISTORY_ROWS);
    size_t   nrows = 1 + draw(&state, (unsigned)(HISTORY_ROWS - row));
    bool     fixed = draw(&state, 4) != 0, mixed = draw(&state, 3) != 0, late = draw(&state, 3) == 0;

    *p = (epoch_plan){.len = len, .reopen = draw(&state, 3) == 0};
    p->late = late && !s->jobs && is_written(s, VAR_LATE);
    if (s->jobs) { /* positions of its own for each epoch */
        add_op(p, s, &state, VAR_RECORDS, (size_t)stamp * 2, 2);
        add_op(p, s, &state, VAR_FIXED, 0, HISTORY_ROWS);
        p->len = (size_t)stamp * 2 + 2;
        return;
    }
    if (fixed)
        add_op(p, s, &state, VAR_FIXED, 0, HISTORY_ROWS);
    before = before < len ? before : len;
    add_op(p, s, &state, VAR_RECORDS, len - before, before + more);
    for (int r = 0; p->nops > 0 && p->ops[p->nops - 1].var == VAR_RECORDS && r < s->nranks; r++) {
        block b;

        if (history_block(s, &p->ops[p->nops - 1], r, &b) && b.start[0] + b.count[0] > p->len)
            p->len = b.start[0] + b.count[0];
    }
    if (mixed)
        add_op(p, s, &state, VAR_MIXED, row, nrows);
    if (p->late)
        add_op(p, s, &state, VAR_LATE + epoch, 0, HISTORY_ROWS);
}

int
history_value(int stamp, int var, size_t row, size_t column)
{
    return ((stamp + 1) * 16 + var) * 1000 + (int)(row * HISTORY_WIDTH + column);
}

void
history_name(int var, char name[16])
{
    static const char *const names[] = {"fixed", "mixed", "records"};

    if (var < VAR_LATE)
        snprintf(name, 16, "%s", names[var]);
    else
        snprintf(name, 16, "late%d", (var - VAR_LATE) % HISTORY_EPOCHS);
}

void
history_print(const schedule *s)
{
    size_t len = 0;

    fprintf(stderr, "seed %u: %d %s, Zarr v%d%s%s", s->seed, s->nranks, s->jobs ? "processes" : "ranks",
            s->v3 ? 3 : 2, s->shards ? ", shards" : "", s->consolidated ? ", consolidated" : "");
    if (s->victim >= 0)
        fprintf(stderr, "; %d dies at call %u", s->victim, s->die_at);
    fprintf(stderr, "\n");
    for (int e = 0; e < s->epochs; e++) {
        epoch_plan p;

        history_plan(s, 0, e, len, &p);
        len = p.len;
        fprintf(stderr, "  epoch %d:", e);
        for (int i = 0; i < p.nops; i++) {
            const operation *op = &p.ops[i];
            char             name[16];

            history_name(op->var, name);
            fprintf(stderr, " %s[%zu+%zu] %s by %s%s;", name, op->row, op->nrows,
                    op->collective ? "collective" : "independent",
                    op->by_rows   ? "rows"
                    : op->strided ? "every nth column"
                                  : "columns",
                    op->holes ? ", one has none" : "");
        }
        fprintf(stderr, " %s\n", p.reopen ? "close, open" : "sync");
    }
}
