/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_row: gets and puts of a few elements that follow each other in one chunk. They are checked and
 * placed in one pass over the dimensions, without a selection. Whatever is not as simple as that is left to
 * ncz_dataset_get() and ncz_dataset_put(), which find what is wrong.
 */
#include "dataset/dataset_int.h"

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
place_one(const ncz_var *v, const size_t *start, uint64_t more, uint64_t *index, ncz_chunk_row *row)
{
    const uint64_t *chunk = v->spec->chunk;
    size_t          at = 0;
    uint64_t        off;

    for (size_t d = 0; d < v->rank; d++) {
        if (start[d] >= length_of(v, d, more))
            return false;
        index[d] = split_index(start[d], chunk[d], &off);
        at = at * (size_t)chunk[d] + (size_t)off; /* cannot overflow: one chunk fits in memory */
    }
    row->at = at;
    row->n = 1;
    return true;
}

/*
 * From the last dimension to the first: how many elements come together, and from where. Once a dimension is not taken
 * as far as its chunk goes, those before it are taken at one index each.
 */
static bool
place_several(const ncz_var *v, const size_t *start, const size_t *count, uint64_t more, uint64_t *index,
              ncz_chunk_row *row)
{
    size_t   step = 1;
    bool     whole = true;
    uint64_t off;

    row->at = 0;
    row->n = 1;
    for (size_t d = v->rank; d-- > 0;) {
        uint64_t len = length_of(v, d, more), chunk = v->spec->chunk[d];

        if (start[d] >= len || count[d] > len - start[d] || (count[d] != 1 && !whole))
            return false;
        index[d] = split_index(start[d], chunk, &off);
        if (count[d] == 0 || count[d] > chunk - off)
            return false;
        whole = whole && count[d] == chunk;
        row->at += (size_t)off * step;
        row->n *= count[d];
        step *= (size_t)chunk;
    }
    return true;
}

/* All of a variable, where it is one chunk. */
static bool
place_all(const ncz_var *v, uint64_t *index, ncz_chunk_row *row)
{
    row->at = 0;
    row->n = 1;
    for (size_t d = 0; d < v->rank; d++) {
        uint64_t len = v->dims[d]->len, chunk = v->spec->chunk[d];

        if (len == 0 || (d == 0 ? len > chunk : len != chunk))
            return false;
        index[d] = 0;
        row->n *= (size_t)len; /* cannot overflow: one chunk fits in memory */
    }
    return true;
}

/*
 * Where the bytes of the row lie in the only object of the store, if they lie there one behind the other; and how many
 * elements they are. Once a dimension is taken at several indexes, all of those after it are.
 */
static bool
place_bytes(const ncz_var *v, const size_t *start, const size_t *count, uint64_t more, const ncz_linear *at,
            ncz_chunk_row *row)
{
    uint64_t inner = 0, n = 1, step = row->spec->dtype.size, first = 0, many = 1;

    for (size_t d = 0; d < v->rank; d++) {
        uint64_t len = length_of(v, d, more), from = start != NULL ? start[d] : 0;
        uint64_t some = start == NULL ? len : count == NULL ? 1 : count[d];

        if (from >= len || some > len - from || some == 0 || (n != 1 && some != len))
            return false;
        n *= some;
        if (d == 0) {
            first = from;
            many = some;
        } else {
            inner = inner * len + from;
            step *= len;
        }
    }
    if (many != 1 && step != at->pitch)
        return false;
    row->off = at->begin + first * at->pitch + inner * row->spec->dtype.size; /* no overflow: a file can have it */
    row->n = (size_t)n;
    return n <= SIZE_MAX;
}

/* Whether elements move as a row between a variable and memory of type `mem`; not yet where to. */
static inline bool
begin_row(const ncz_dataset *ds, const ncz_var *v, const ncz_type *mem, ncz_chunk_row *row)
{
    const ncz_spec *spec = v->spec;

    if (spec == NULL || v->rank > NCZ_RANK_INLINE || !ncz_row_moves(spec->row_type, mem))
        return false;
    row->spec = spec;
    row->index = NULL;
    row->off = NCZ_ROW_NOWHERE;
    row->types = (ncz_row){.dtype = &spec->dtype, .type = spec->row_type, .mem = mem, .classic = ds->lax_bytes};
    return true;
}

/* `index`: room for that of the chunk. */
static inline bool
place_in_chunk(const ncz_var *v, const size_t *start, const size_t *count, uint64_t more, uint64_t *index,
               ncz_chunk_row *row)
{
    row->index = index;
    if (start == NULL)
        return place_all(v, index, row);
    return count == NULL ? place_one(v, start, more, index, row) : place_several(v, start, count, more, index, row);
}

/* Whether a row lies in the bytes that the engine read last, and is read from them. Apart, so that rows of chunks take
 * no time for it. */
__attribute__((noinline)) static bool
get_from_window(ncz_dataset *ds, const ncz_var *v, const size_t *start, const size_t *count, ncz_chunk_row *row,
                void *out)
{
    const ncz_layout *l = row->spec->layout;
    ncz_linear        at;

    if (l->ops->linear == NULL)
        return false;
    at = l->ops->linear(l);
    return place_bytes(v, start, count, 0, &at, row) && ncz_engine_read_row(ds->engine, row, out);
}

bool
ncz_dataset_get_row(ncz_dataset *ds, const ncz_var *v, const size_t *start, const size_t *count, const ncz_type *mem,
                    void *out)
{
    uint64_t      index[NCZ_RANK_INLINE];
    ncz_chunk_row row;

    if ((ds->classic && ds->defining) || !begin_row(ds, v, mem, &row))
        return false;
    if (ncz_engine_has_window(ds->engine) && get_from_window(ds, v, start, count, &row, out))
        return true;
    return place_in_chunk(v, start, count, 0, index, &row) && ncz_engine_read_row(ds->engine, &row, out);
}

enum { RECORDS_MOST = 1 << 16 }; /* that one row adds */

/* How many records more than there are a row of them needs. */
static inline uint64_t
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

/* Puts a row that has its place. `more`: records that it adds, up to `end`. */
static inline ncz_row_put
put_placed(ncz_dataset *ds, ncz_var *v, uint64_t more, uint64_t end, const ncz_chunk_row *row, const void *in,
           bool alone)
{
    ncz_row_put done;

    if (more > 0 && end > ds->file.filled && !add_records(ds, v, end, row))
        return NCZ_ROW_REFUSED;
    /* Before the values are in their chunk: the background thread stores of it what lies in the records that there are.
     * If the general path has to put the row, it makes the record, too. */
    if (more > 0)
        ds->model->dialect->file->set_records(ds->model, end);
    done = ncz_engine_write_row(ds->engine, row, in, alone);
    if (done != NCZ_ROW_CACHED && done != NCZ_ROW_GATHERED)
        return done;
    if (more > 0)
        v->dims[0]->len = end; /* the head has it, which is stored whenever it has changed */
    ncz_dataset_note_put(ds, more > 0 || done == NCZ_ROW_GATHERED || v->stage != NCZ_VAR_WRITTEN);
    if (v->stage != NCZ_VAR_WRITTEN) /* as in ncz_dataset_put(): only by an exclusive put */
        v->stage = NCZ_VAR_WRITTEN;
    return done;
}

/* Puts a row whose chunk may be in the cache. Apart, so that rows that are gathered take no time for it. */
__attribute__((noinline)) static ncz_row_put
put_in_chunk(ncz_dataset *ds, ncz_var *v, const size_t *start, const size_t *count, uint64_t more, ncz_chunk_row *row,
             const void *in, bool alone)
{
    uint64_t index[NCZ_RANK_INLINE];

    return place_in_chunk(v, start, count, more, index, row)
               ? put_placed(ds, v, more, more > 0 ? start[0] + more : 0, row, in, alone)
               : NCZ_ROW_REFUSED;
}

/* Finds where a row that is put lies in the only object of the store. */
static inline bool
place_in_object(const ncz_var *v, const size_t *start, const size_t *count, uint64_t more, ncz_chunk_row *row)
{
    const ncz_layout *l = row->spec->layout;
    ncz_linear        at;

    if (l->ops->linear == NULL)
        return false;
    at = l->ops->linear(l);
    return !at.cut && place_bytes(v, start, count, more, &at, row);
}

ncz_row_put
ncz_dataset_put_row(ncz_dataset *ds, ncz_var *v, const size_t *start, const size_t *count, const ncz_type *mem,
                    const void *in, bool alone)
{
    ncz_chunk_row row;
    uint64_t      more;

    if (ds->defining || (v->stage != NCZ_VAR_WRITTEN && !alone) || v->quantize_mode != NC_NOQUANTIZE ||
        ds->kind->ranks || (ds->mode & NC_SHARE) != 0 || !begin_row(ds, v, mem, &row))
        return NCZ_ROW_REFUSED;
    more = alone ? count_new_records(v, start, count) : 0;
    return place_in_object(v, start, count, more, &row) && alone && ncz_engine_caches_nothing(ds->engine)
               ? put_placed(ds, v, more, more > 0 ? start[0] + more : 0, &row, in, true)
               : put_in_chunk(ds, v, start, count, more, &row, in, alone);
}
