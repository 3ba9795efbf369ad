/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_raw_damage.c: --damaged=fill where chunks are copied without decoding. The source is decoded once to find the
 * damaged chunks; objects without any are copied as they are; of the others the values are read and written.
 */
#include "copy_int.h"

#include "common/chunk_grid.h"

#include <stdlib.h>
#include <string.h>

/* Walks over the chunks of a unit; their places are counted in chunks. */
typedef struct unit_walk {
    const copy_var *v;
    const size_t   *unit;  /* its lengths, multiples of the chunk's */
    size_t         *first; /* chunk of the copy with which it begins */
    size_t         *at;
} unit_walk;

static void
begin_unit(unit_walk *w, const size_t *index)
{
    for (int d = 0; d < w->v->rank; d++)
        w->at[d] = w->first[d] = index[d] * (w->unit[d] / w->v->chunk_in[d]);
}

/* False after the last one that the copy has. */
static bool
advance_unit(unit_walk *w)
{
    const copy_var *v = w->v;

    for (int d = v->rank - 1; d >= 0; d--) {
        size_t next = w->at[d] + 1;

        if (next - w->first[d] < w->unit[d] / v->chunk_in[d] && next * v->chunk_in[d] < v->shape[d]) {
            w->at[d] = next;
            return true;
        }
        w->at[d] = w->first[d];
    }
    return false;
}

static unit_walk
new_walk(const copy_var *v, const size_t *unit)
{
    size_t *room = memory_alloc(2 * (size_t)v->rank, sizeof *room);

    return (unit_walk){.v = v, .unit = unit, .first = room, .at = room + v->rank};
}

bool
copy_unit_is_damaged(const copy_state *r, const copy_var *v, const size_t *unit, const chunk_grid *grid,
                     const size_t *index)
{
    unit_walk w = new_walk(v, unit);
    size_t   *source = memory_alloc((size_t)v->rank, sizeof *source);
    bool      found = false;

    begin_unit(&w, index);
    do {
        for (int d = 0; d < v->rank; d++)
            source[d] = w.at[d] + copy_part_start(v, d) / v->chunk_in[d];
        found = damage_log_has(r->fill, r->s->groups[v->group].in, v->in, chunk_grid_place(grid, source));
    } while (!found && advance_unit(&w));
    free(source);
    free(w.first);
    return found;
}

/* What a copy without --damaged may have left there is removed: the library would try to read it. */
static int
delete_object(copy_state *r, const copy_var *v, nczarr_map *to, const size_t *chunk)
{
    char *key = var_chunk_key(r->s->groups[v->group].out, v->out, chunk);
    int   rc = key != NULL ? nczarr_map_delete(to, key) : NC_EINVAL;

    free(key);
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

static int
copy_chunk_values(copy_state *r, const copy_var *v, const size_t *chunk)
{
    const copy_group *g = &r->s->groups[v->group];
    size_t           *start = memory_alloc(2 * (size_t)v->rank, sizeof *start), *count = start + v->rank, n = 1;
    void             *data;
    int               rc;

    for (int d = 0; d < v->rank; d++) {
        start[d] = chunk[d] * v->chunk_in[d];
        count[d] = v->shape[d] - start[d] < v->chunk_in[d] ? v->shape[d] - start[d] : v->chunk_in[d];
        n *= count[d];
    }
    data = memory_alloc(n, v->value);
    if ((rc = copy_read_piece(g->in, v, r->fill, start, count, data)) == NC_NOERR) {
        rc = copy_put_piece(g->out, v, start, count, data);
        copy_free_piece(g->in, v, data, n);
    }
    free(data);
    free(start);
    return rc;
}

int
copy_unit_values(copy_state *r, const copy_var *v, const size_t *unit, nczarr_map *to, const size_t *index)
{
    unit_walk w = new_walk(v, unit);
    int       rc = NC_NOERR;

    begin_unit(&w, index);
    if (r->t->resumed)
        rc = delete_object(r, v, to, w.first);
    if (rc == NC_NOERR)
        do
            rc = copy_chunk_values(r, v, w.at);
        while (rc == NC_NOERR && advance_unit(&w));
    free(w.first);
    return rc == NC_NOERR ? rc : message_fail(rc, v->path);
}
