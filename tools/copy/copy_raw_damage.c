/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_raw_damage.c: --damaged=fill where chunks are copied without decoding. The source is decoded once to find the
 * damaged chunks; objects without any are copied as they are; of the others the values are read and written.
 */
#include "copy_int.h"

#include "common/chunk_grid.h"

#include <stdlib.h>
#include <string.h>

/* The chunks of a unit that the copy has; their places are counted in chunks. */
typedef struct unit_walk {
    size_t *first, *last, *at;
} unit_walk;

static unit_walk
begin_unit(const copy_var *v, const size_t *unit, const size_t *index)
{
    size_t   *room = memory_alloc(3 * (size_t)v->rank, sizeof *room);
    unit_walk w = {.first = room, .last = room + v->rank, .at = room + 2 * v->rank};

    for (int d = 0; d < v->rank; d++) {
        size_t n = unit[d] / v->chunk_in[d], all = copy_divide_up(v->shape[d], v->chunk_in[d]);

        w.at[d] = w.first[d] = index[d] * n;
        w.last[d] = (w.first[d] + n < all ? w.first[d] + n : all) - 1;
    }
    return w;
}

bool
copy_unit_is_damaged(const copy_state *r, const copy_var *v, const size_t *unit, const chunk_grid *grid,
                     const size_t *index)
{
    unit_walk w = begin_unit(v, unit, index);
    size_t   *source = memory_alloc((size_t)v->rank, sizeof *source);
    bool      found = false;

    do {
        for (int d = 0; d < v->rank; d++)
            source[d] = w.at[d] + copy_part_start(v, d) / v->chunk_in[d];
        found = damage_log_has(r->fill, r->s->groups[v->group].in, v->in, chunk_grid_place(grid, source));
    } while (!found && copy_next_index(v->rank, w.first, w.last, w.at));
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
    unit_walk w = begin_unit(v, unit, index);
    int       rc = NC_NOERR;

    if (r->t->resumed)
        rc = delete_object(r, v, to, w.first);
    if (rc == NC_NOERR)
        do
            rc = copy_chunk_values(r, v, w.at);
        while (rc == NC_NOERR && copy_next_index(v->rank, w.first, w.last, w.at));
    free(w.first);
    return rc == NC_NOERR ? rc : message_fail(rc, v->path);
}
