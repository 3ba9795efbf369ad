/* SPDX-License-Identifier: BSD-3-Clause */
/* copy_pieces.c: walks through a variable piece by piece, in C order, each of the shape that copy_plan.c chooses. */
#include "copy_int.h"

#include <stdlib.h>

/* The counts of the piece at p->start. */
static void
count_piece(copy_pieces *p)
{
    p->n = 1;
    for (int d = 0; d < p->v->rank; d++) {
        size_t left = p->v->shape[d] - p->start[d];

        p->count[d] = left < p->step[d] ? left : p->step[d];
        p->n *= p->count[d];
    }
}

void
copy_pieces_begin(copy_pieces *p, const copy_var *v, size_t room)
{
    size_t rank = (size_t)v->rank + 1;

    *p = (copy_pieces){.v = v, .step = memory_alloc(3 * rank, sizeof *p->step)};
    p->start = p->step + rank;
    p->count = p->start + rank;
    p->count[v->rank] = v->text_len;
    copy_plan_pieces(v, room, p->step);
    count_piece(p);
}

bool
copy_pieces_next(copy_pieces *p)
{
    for (int d = p->v->rank - 1; d >= 0; d--) {
        if (p->step[d] < p->v->shape[d] - p->start[d]) {
            p->start[d] += p->step[d];
            count_piece(p);
            return true;
        }
        p->start[d] = 0;
    }
    return false;
}

size_t
copy_pieces_chunks(const copy_pieces *p)
{
    size_t n = 1;

    for (int d = 0; d < p->v->rank; d++)
        n *= (p->count[d] - 1) / p->v->chunk_out[d] + 1;
    return n;
}

void
copy_pieces_clear(copy_pieces *p)
{
    free(p->step);
    *p = (copy_pieces){.step = NULL};
}
