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
length_of(const ncz_var *v, size_t d, unsigned more)
{
    return v->dims[d]->len + (d == 0 ? more : 0);
}

static inline bool
place_one(const ncz_var *v, const size_t *start, unsigned more, place *p)
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
place_several(const ncz_var *v, const size_t *start, const size_t *count, unsigned more, place *p)
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

static inline bool
place_row(const ncz_dataset *ds, const ncz_var *v, const size_t *start, const size_t *count, const ncz_type *mem,
          unsigned more, place *p)
{
    const ncz_spec *spec = v->spec;

    if (v->rank > NCZ_RANK_INLINE || !ncz_row_moves(spec->row_type, mem))
        return false;
    p->row.spec = spec;
    p->row.index = p->index;
    p->row.types = (ncz_row){.dtype = &spec->dtype, .type = spec->row_type, .mem = mem, .classic = ds->lax_bytes};
    if (start == NULL)
        return place_all(v, p);
    return count == NULL ? place_one(v, start, more, p) : place_several(v, start, count, more, p);
}

bool
ncz_dataset_get_row(ncz_dataset *ds, const ncz_var *v, const size_t *start, const size_t *count, const ncz_type *mem,
                    void *out)
{
    place p;

    return !(ds->classic && ds->defining) && place_row(ds, v, start, count, mem, 0, &p) &&
           ncz_engine_read_row(ds->engine, &p.row, out);
}

/* Whether the put is of the next record of a file that has it already, with fill values. */
static bool
takes_next_record(const ncz_dataset *ds, const ncz_var *v, const size_t *start)
{
    return v->rank > 0 && start != NULL && start[0] == v->dims[0]->len && start[0] < ds->file.filled &&
           v->dims[0]->unlimited;
}

bool
ncz_dataset_put_row(ncz_dataset *ds, ncz_var *v, const size_t *start, const size_t *count, const ncz_type *mem,
                    const void *in, bool alone)
{
    place p;
    bool  grows;

    if (ds->defining || (v->stage != NCZ_VAR_WRITTEN && !alone) || v->quantize_mode != NC_NOQUANTIZE ||
        ds->kind->ranks || (ds->mode & NC_SHARE) != 0)
        return false;
    grows = alone && takes_next_record(ds, v, start);
    if (!place_row(ds, v, start, count, mem, grows, &p))
        return false;
    /* Before the values are in their chunk: the background thread stores of it what lies in the records that there are.
     * If the general path has to put the row, it makes the record, too. */
    if (grows)
        ds->model->dialect->file->set_records(ds->model, start[0] + 1);
    if (!ncz_engine_write_row(ds->engine, &p.row, in, alone))
        return false;
    if (grows)
        v->dims[0]->len = start[0] + 1; /* the head has it, which is stored whenever it has changed */
    ncz_dataset_note_put(ds, grows || v->stage != NCZ_VAR_WRITTEN);
    if (v->stage != NCZ_VAR_WRITTEN) /* as in ncz_dataset_put(): only by an exclusive put */
        v->stage = NCZ_VAR_WRITTEN;
    return true;
}
