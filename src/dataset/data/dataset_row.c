/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_row: gets and puts of a few elements that follow each other in one chunk. They are checked and
 * placed in one pass over the dimensions, without a selection. Whatever is not as simple as that is left to
 * ncz_dataset_get() and ncz_dataset_put(), which find what is wrong.
 */
#include "dataset/dataset_int.h"

/* The place of a row. */
typedef struct place {
    ncz_chunk_row row;
    uint64_t      index[NCZ_RANK_INLINE];
} place;

/* The chunk of an index, and the place in it. A division takes as long as much of what else is done for an element. */
static inline uint64_t
split_index(uint64_t at, uint64_t chunk, uint64_t *off)
{
    if (at < chunk) {
        *off = at;
        return 0;
    }
    *off = at % chunk;
    return at / chunk;
}

/* `more`: how much longer the first dimension is than its length. */
static inline uint64_t
length_of(const ncz_var *v, size_t d, uint64_t more)
{
    return v->dims[d]->len + (d == 0 ? more : 0);
}

static inline bool
place_one(const ncz_var *v, const size_t *start, uint64_t more, place *p)
{
    const uint64_t *chunk = v->spec->chunk;
    size_t          at = 0;
    uint64_t        off;

    for (size_t d = 0; d < v->rank; d++) {
        if (start[d] >= length_of(v, d, more))
            return false;
        p->index[d] = split_index(start[d], chunk[d], &off);
        at = at * (size_t)chunk[d] + (size_t)off; /* cannot overflow: one chunk fits in memory */
    }
    p->row.at = at;
    p->row.n = 1;
    return true;
}

/*
 * From the last dimension to the first: how many elements come together, and from where. Once a dimension is not taken
 * as far as its chunk goes, those before it are taken at one index each.
 */
static bool
place_several(const ncz_var *v, const size_t *start, const size_t *count, uint64_t more, place *p)
{
    size_t   step = 1;
    bool     whole = true;
    uint64_t off;

    p->row.at = 0;
    p->row.n = 1;
    for (size_t d = v->rank; d-- > 0;) {
        uint64_t len = length_of(v, d, more), chunk = v->spec->chunk[d];

        if (start[d] >= len || count[d] > len - start[d] || (count[d] != 1 && !whole))
            return false;
        p->index[d] = split_index(start[d], chunk, &off);
        if (count[d] == 0 || count[d] > chunk - off)
            return false;
        whole = whole && count[d] == chunk;
        p->row.at += (size_t)off * step;
        p->row.n *= count[d];
        step *= (size_t)chunk;
    }
    return true;
}

/* All of a variable, where it is one chunk. */
static bool
place_all(const ncz_var *v, place *p)
{
    p->row.at = 0;
    p->row.n = 1;
    for (size_t d = 0; d < v->rank; d++) {
        uint64_t len = v->dims[d]->len, chunk = v->spec->chunk[d];

        if (len == 0 || (d == 0 ? len > chunk : len != chunk))
            return false;
        p->index[d] = 0;
        p->row.n *= (size_t)len; /* cannot overflow: one chunk fits in memory */
    }
    return true;
}

/* As place_bytes(), of one element. */
static inline bool
place_byte(const ncz_var *v, const size_t *start, uint64_t more, uint64_t pitch, ncz_chunk_row *row)
{
    uint64_t at = 0;

    for (size_t d = 1; d < v->rank; d++) {
        if (start[d] >= v->dims[d]->len)
            return false;
        at = at * v->dims[d]->len + start[d];
    }
    row->off += at * row->spec->dtype.size; /* no overflow: a file can have the array */
    row->n = 1;
    if (v->rank == 0)
        return true;
    row->off += start[0] * pitch;
    return start[0] < v->dims[0]->len + more;
}

/*
 * Where the bytes of the row lie in the only object of the store, if they lie there one behind the other; and how many
 * elements they are. From the last dimension to the first, as above.
 */
static bool
place_bytes(const ncz_var *v, const size_t *start, const size_t *count, uint64_t more, ncz_chunk_row *row)
{
    const ncz_layout *l = row->spec->layout;
    uint64_t          begin, pitch, step = row->spec->dtype.size, n = 1;
    bool              whole = true;

    if (l->ops->linear == NULL || !l->ops->linear(l, &begin, &pitch))
        return false;
    row->off = begin;
    if (count == NULL && start != NULL)
        return place_byte(v, start, more, pitch, row);
    for (size_t d = v->rank; d-- > 0;) {
        uint64_t len = length_of(v, d, more), at = start != NULL ? start[d] : 0;
        uint64_t some = start == NULL ? len : count == NULL ? 1 : count[d];

        whole = whole && (d > 0 || pitch == step);
        if (at >= len || some > len - at || some == 0 || (some != 1 && !whole))
            return false;
        begin += at * (d == 0 ? pitch : step); /* no overflow: a file can have the array */
        n *= some;
        whole = whole && some == len;
        step *= len;
    }
    row->off = begin;
    row->n = (size_t)n;
    return n <= SIZE_MAX;
}

/* Whether elements move as a row between a variable and memory of type `mem`; not yet where to. */
static inline bool
begin_row(const ncz_dataset *ds, const ncz_var *v, const ncz_type *mem, place *p)
{
    const ncz_spec *spec = v->spec;

    if (spec == NULL || v->rank > NCZ_RANK_INLINE || !ncz_row_moves(spec->row_type, mem))
        return false;
    p->row.spec = spec;
    p->row.index = NULL;
    p->row.off = NCZ_ROW_NOWHERE;
    p->row.types = (ncz_row){.dtype = &spec->dtype, .type = spec->row_type, .mem = mem, .classic = ds->lax_bytes};
    return true;
}

static inline bool
place_in_chunk(const ncz_var *v, const size_t *start, const size_t *count, uint64_t more, place *p)
{
    p->row.index = p->index;
    if (start == NULL)
        return place_all(v, p);
    return count == NULL ? place_one(v, start, more, p) : place_several(v, start, count, more, p);
}

bool
ncz_dataset_get_row(ncz_dataset *ds, const ncz_var *v, const size_t *start, const size_t *count, const ncz_type *mem,
                    void *out)
{
    place p;

    return !(ds->classic && ds->defining) && begin_row(ds, v, mem, &p) && place_in_chunk(v, start, count, 0, &p) &&
           ncz_engine_read_row(ds->engine, &p.row, out);
}

enum { RECORDS_MOST = 1 << 16 }; /* that one row adds */

/* How many records more than there are a row of them needs. */
static uint64_t
count_new_records(const ncz_var *v, const size_t *start, const size_t *count)
{
    if (v->rank == 0 || start == NULL || start[0] != v->dims[0]->len || !v->dims[0]->unlimited)
        return 0;
    return count == NULL ? 1 : count[0] <= RECORDS_MOST ? count[0] : 0;
}

/* Gives the file so many records for a row, those that are new with fill values. */
__attribute__((noinline)) static bool
add_records(ncz_dataset *ds, ncz_var *v, uint64_t n, const ncz_chunk_row *row)
{
    const ncz_put p = {.v = v};

    if (!ds->kind->adds_records || !ncz_engine_takes_row(row))
        return false;
    if (ds->kind->grow(ds, v->dims[0], n, &p) != NC_NOERR)
        ncz_err_clear(); /* the general path tells */
    return n <= ds->file.filled;
}

/* Finds the place of a row that is put: the chunk, unless nothing is cached that could have it. */
static bool
place_put(const ncz_dataset *ds, const ncz_var *v, const size_t *start, const size_t *count, uint64_t more,
          bool alone, place *p)
{
    bool linear = place_bytes(v, start, count, more, &p->row);

    if (!linear)
        p->row.off = NCZ_ROW_NOWHERE;
    return (linear && alone && ncz_engine_caches_nothing(ds->engine)) || place_in_chunk(v, start, count, more, p);
}

ncz_row_put
ncz_dataset_put_row(ncz_dataset *ds, ncz_var *v, const size_t *start, const size_t *count, const ncz_type *mem,
                    const void *in, bool alone)
{
    place       p;
    uint64_t    more;
    ncz_row_put done;

    if (ds->defining || (v->stage != NCZ_VAR_WRITTEN && !alone) || v->quantize_mode != NC_NOQUANTIZE ||
        ds->kind->ranks || (ds->mode & NC_SHARE) != 0 || !begin_row(ds, v, mem, &p))
        return NCZ_ROW_REFUSED;
    more = alone ? count_new_records(v, start, count) : 0;
    if (!place_put(ds, v, start, count, more, alone, &p) ||
        (more > 0 && start[0] + more > ds->file.filled && !add_records(ds, v, start[0] + more, &p.row)))
        return NCZ_ROW_REFUSED;
    /* Before the values are in their chunk: the background thread stores of it what lies in the records that there are.
     * If the general path has to put the row, it makes the record, too. */
    if (more > 0)
        ds->model->dialect->file->set_records(ds->model, start[0] + more);
    done = ncz_engine_write_row(ds->engine, &p.row, in, alone);
    if (done != NCZ_ROW_CACHED && done != NCZ_ROW_GATHERED)
        return done;
    if (more > 0)
        v->dims[0]->len = start[0] + more; /* the head has it, which is stored whenever it has changed */
    ncz_dataset_note_put(ds, more > 0 || done == NCZ_ROW_GATHERED || v->stage != NCZ_VAR_WRITTEN);
    if (v->stage != NCZ_VAR_WRITTEN) /* as in ncz_dataset_put(): only by an exclusive put */
        v->stage = NCZ_VAR_WRITTEN;
    return done;
}
