/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab_read.c: reads a box of a part: one strided read for each combination of runs that it touches. Most boxes
 * touch one run in each dimension and are read in place; pieces of others go through memory of their own.
 */
#include "common/damage.h"
#include "common/hyperslab.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const hyperslab_var *v;
    const size_t        *start, *count; /* the box */
    size_t              *at, *place;    /* the piece: where it begins in the part, and in the box, */
    size_t              *from, *len;    /* ... and in the variable, its lengths */
    ptrdiff_t           *step;
    size_t               rank;
} reader;

/* Dimension d of the piece that begins at at[d]: the rest of the run, at most up to the end of the box. */
static void
set_piece(reader *r, size_t d)
{
    const hyperslab_dim *dim = r->v->dims[d];
    size_t               skip = r->at[d], left = r->start[d] + r->count[d] - r->at[d], i = 0;

    r->from[d] = skip;
    r->step[d] = 1;
    r->len[d] = left;
    if (dim == NULL)
        return;
    while (skip >= dim->runs[i].count)
        skip -= dim->runs[i++].count;
    r->from[d] = dim->runs[i].start + skip * dim->runs[i].step;
    r->step[d] = (ptrdiff_t)dim->runs[i].step;
    r->len[d] = dim->runs[i].count - skip < left ? dim->runs[i].count - skip : left;
}

/* The next piece, the last dimension fastest; false after the last. */
static bool
advance_piece(reader *r)
{
    for (size_t d = r->rank; d-- > 0;) {
        r->at[d] += r->len[d];
        if (r->at[d] < r->start[d] + r->count[d]) {
            set_piece(r, d);
            return true;
        }
        r->at[d] = r->start[d];
        set_piece(r, d);
    }
    return false;
}

/* A stride of 1 in all dimensions is read as nc_get_vara() does. */
static int
get_piece(const reader *r, void *to)
{
    bool strided = false;
    int  rc;

    for (size_t d = 0; d < r->rank; d++)
        strided = strided || (r->step[d] != 1 && r->len[d] > 1);
    rc = hyperslab_get(r->v, r->from, r->len, strided ? r->step : NULL, to);
    if (rc != NC_NOERR && r->v->damage != NULL)
        rc = damage_read(r->v, rc, r->from, r->len, strided ? r->step : NULL, to);
    return rc;
}

static int
read_piece(const reader *r, char *data)
{
    size_t n = r->v->size;
    void  *piece;
    int    rc;

    for (size_t d = 0; d < r->rank; d++) {
        r->place[d] = r->at[d] - r->start[d];
        n *= r->len[d];
    }
    if ((piece = malloc(n)) == NULL)
        return NC_ENOMEM;
    if ((rc = get_piece(r, piece)) == NC_NOERR)
        hyperslab_place(r->v, r->place, r->len, r->count, piece, data);
    free(piece);
    return rc;
}

/*
 * After a failure the values of other pieces are freed, if they own memory. That call succeeds, and the library forgets
 * what it said about the failure: so the piece is read again.
 */
static int
read_pieces(reader *r, size_t nvalues, char *data)
{
    size_t box = nvalues * r->v->size;
    bool   owns = r->v->type == NC_STRING || r->v->type > NC_MAX_ATOMIC_TYPE;
    int    rc;

    memset(data, 0, box); /* what can be freed after a failure */
    do
        rc = read_piece(r, data);
    while (rc == NC_NOERR && advance_piece(r));
    if (rc == NC_NOERR || !owns)
        return rc;
    hyperslab_free(r->v, data, nvalues);
    memset(data, 0, box);
    if (read_piece(r, data) == NC_NOERR)
        hyperslab_free(r->v, data, nvalues);
    return rc;
}

int
hyperslab_read(const hyperslab_var *v, const size_t *start, const size_t *count, void *data)
{
    size_t rank = (size_t)v->rank, nvalues = 1, *room;
    reader r = {.v = v, .start = start, .count = count, .rank = rank};
    bool   whole = true;
    int    rc;

    if (rank == 0) {
        rc = hyperslab_get(v, start, count, NULL, data);
        return rc == NC_NOERR || v->damage == NULL ? rc : damage_read(v, rc, start, count, NULL, data);
    }
    room = malloc(rank * (4 * sizeof *room + sizeof *r.step));
    if (room == NULL)
        return NC_ENOMEM;
    r.at = room;
    r.from = room + rank;
    r.len = room + 2 * rank;
    r.place = room + 3 * rank;
    r.step = (ptrdiff_t *)(void *)(room + 4 * rank);
    for (size_t d = 0; d < rank; d++) {
        r.at[d] = start[d];
        set_piece(&r, d);
        whole = whole && r.len[d] == count[d];
        nvalues *= count[d]; /* the caller has room for them */
    }
    rc = whole ? get_piece(&r, data) : read_pieces(&r, nvalues, data);
    free(room);
    return rc;
}
