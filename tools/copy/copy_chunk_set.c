/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_chunk_set.c: which chunks of a variable are stored, as a set of places in its grid of chunks.
 */
#include "copy_int.h"

#include <stdlib.h>
#include <string.h>

size_t
copy_grid_size(const copy_var *v, const size_t *chunk)
{
    size_t n = 1;

    for (int d = 0; d < v->rank; d++)
        n *= copy_divide_up(v->shape[d], chunk[d]);
    return n;
}

/* In C order. */
static size_t
find_place(const copy_var *v, const size_t *chunk, const size_t *index)
{
    size_t place = 0;

    for (int d = 0; d < v->rank; d++)
        place = place * copy_divide_up(v->shape[d], chunk[d]) + index[d];
    return place;
}

static size_t
find_slot(const copy_chunk_set *set, size_t place)
{
    size_t i = (size_t)((uint64_t)place * 0x9E3779B97F4A7C15u >> 20) & (set->cap - 1);

    while (set->slots[i] != 0 && set->slots[i] != place + 1)
        i = (i + 1) & (set->cap - 1);
    return i;
}

static void
add_place(copy_chunk_set *set, size_t place)
{
    if (2 * set->n >= set->cap) {
        copy_chunk_set old = *set;

        set->cap = old.cap == 0 ? 64 : old.cap * 2;
        set->slots = memory_alloc(set->cap, sizeof *set->slots);
        for (size_t i = 0; i < old.cap; i++)
            if (old.slots[i] != 0)
                set->slots[find_slot(set, old.slots[i] - 1)] = old.slots[i];
        free(old.slots);
    }
    set->slots[find_slot(set, place)] = place + 1;
    set->n++;
}

bool
copy_chunk_set_has(const copy_chunk_set *set, const copy_var *v, const size_t *chunk, const size_t *index)
{
    return set->cap > 0 && set->slots[find_slot(set, find_place(v, chunk, index))] != 0;
}

bool
copy_chunk_set_add(copy_chunk_set *set, const copy_var *v, const size_t *chunk, const size_t *index)
{
    if (copy_chunk_set_has(set, v, chunk, index))
        return false;
    add_place(set, find_place(v, chunk, index));
    return true;
}

typedef struct loader {
    copy_chunk_set *set;
    const copy_var *v;
    const size_t   *chunk, *unit;
    size_t         *at; /* place for an index */
} loader;

static int
add_listed_chunk(const size_t *index, const char *key, unsigned long long offset, unsigned long long length,
                 void *arg)
{
    loader *l = arg;

    (void)key, (void)offset, (void)length;
    for (int d = 0; d < l->v->rank; d++)
        l->at[d] = index[d] / (l->unit[d] / l->chunk[d]);
    (void)copy_chunk_set_add(l->set, l->v, l->unit, l->at);
    return 0;
}

int
copy_chunk_set_load(int grp, int varid, const copy_var *v, const size_t *chunk, const size_t *unit,
                    copy_chunk_set *set)
{
    loader l = {.set = set, .v = v, .chunk = chunk, .unit = unit};
    int    rc;

    l.at = memory_alloc((size_t)v->rank, sizeof *l.at);
    rc = nczarr_list_var_chunks(grp, varid, add_listed_chunk, &l);
    free(l.at);
    return rc;
}

typedef struct lister {
    const copy_var *v;
    copy_chunk_set  seen; /* objects that hold several chunks */
    size_t         *at;
    copy_unit_each  each;
    void           *arg;
} lister;

static int
list_unit(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    lister         *l = arg;
    const copy_var *v = l->v;
    const size_t   *unit = copy_raw_unit(v);

    (void)offset;
    for (int d = 0; d < v->rank; d++)
        l->at[d] = index[d] / (unit[d] / v->chunk_in[d]);
    if (!copy_part_index(v, unit, l->at) || (v->raw_objects && !copy_chunk_set_add(&l->seen, v, unit, l->at)))
        return 0;
    return l->each(l->at, key, v->raw_objects ? NCZARR_MAP_WHOLE : length, l->arg);
}

int
copy_list_units(int in, const copy_var *v, copy_unit_each each, void *arg)
{
    lister l = {.v = v, .at = memory_alloc((size_t)v->rank, sizeof *l.at), .each = each, .arg = arg};
    int    rc = nczarr_list_var_chunks(in, v->in, list_unit, &l);

    copy_chunk_set_clear(&l.seen);
    free(l.at);
    return rc;
}

/* True if other readers know what a missing chunk of the variable reads as. */
static bool
is_fill_known(int ncid, int varid)
{
    char *text = var_text(nczarr_inq_var_encoding, ncid, varid);
    bool  known = text != NULL && strstr(text, "\"fill_null\"") == NULL;

    free(text);
    return known;
}

/* True if what is not stored reads the same: the versions of Zarr may differ in the default. */
static bool
has_same_fill(int in, int out, const copy_var *v)
{
    unsigned char a[8] = {0}, b[8] = {0};

    return v->type > NC_MAX_ATOMIC_TYPE ||
           (nc_inq_var_fill(in, v->in, NULL, a) == NC_NOERR && nc_inq_var_fill(out, v->out, NULL, b) == NC_NOERR &&
            memcmp(a, b, 8) == 0);
}

/*
 * Pieces without a single stored chunk read as fill, and stay absent: but only where both sides define it, and not of
 * text, whose fill value the dialects spell so differently that the library stores it. Nor where others know the fill
 * value of the source, but not that of the target: they would read something else then.
 */
static bool
may_skip_gaps(int in, int out, const copy_var *v)
{
    int none_in = 1, none_out = 1;

    if (v->type == NC_CHAR || v->type == NC_STRING || nc_inq_var_fill(in, v->in, &none_in, NULL) != NC_NOERR ||
        nc_inq_var_fill(out, v->out, &none_out, NULL) != NC_NOERR || none_in != 0 || none_out != 0)
        return false;
    return has_same_fill(in, out, v) && (is_fill_known(out, v->out) || !is_fill_known(in, v->in));
}

bool
copy_chunk_set_load_sparse(int in, int out, const copy_var *v, copy_chunk_set *source)
{
    nczarr_map *map = NULL;
    unsigned    can = 0;

    if (nczarr_inq_map(in, &map) == NC_NOERR)
        can = nczarr_map_can(map);
    (void)nczarr_map_close(map);
    if ((can & NCZARR_MAP_CAN_LIST) == 0)
        return false; /* looking up each chunk costs as much as reading it */
    if (v->partial || !var_has_equal_chunks(in, v->in) || !may_skip_gaps(in, out, v) ||
        copy_chunk_set_load(in, v->in, v, v->chunk_in, v->chunk_in, source) != NC_NOERR)
        return false; /* everything is read; of a part, too, whose places are not the source's */
    return source->n < copy_grid_size(v, v->chunk_in);
}

bool
copy_next_index(int rank, const size_t *first, const size_t *last, size_t *at)
{
    for (int d = rank - 1; d >= 0; d--) {
        if (at[d]++ < last[d])
            return true;
        at[d] = first[d];
    }
    return false;
}

size_t
copy_chunk_set_count(const copy_chunk_set *set, const copy_var *v, const size_t *chunk, const size_t *start,
                     const size_t *count, size_t *of)
{
    size_t *first = memory_alloc(3 * (size_t)v->rank, sizeof *first), *last = first + v->rank, *at = last + v->rank;
    size_t  found = 0;

    for (int d = 0; d < v->rank; d++) {
        at[d] = first[d] = start[d] / chunk[d];
        last[d] = (start[d] + count[d] - 1) / chunk[d];
    }
    *of = 0;
    do {
        found += copy_chunk_set_has(set, v, chunk, at);
        ++*of;
    } while (copy_next_index(v->rank, first, last, at));
    free(first);
    return found;
}

void
copy_chunk_set_clear(copy_chunk_set *set)
{
    free(set->slots);
    *set = (copy_chunk_set){.n = 0};
}
