/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_quantized_write: puts into a quantized variable. The data are gathered, converted to the variable's type
 * and rounded in temporary memory, in slabs, so that the memory is bounded however large the put. Slabs end where
 * chunks end, so that each chunk gets all its data at once.
 */
#include "dataset/dataset_int.h"

#include <string.h>

#define SLAB_BYTES ((size_t)8 << 20) /* of a slab, unless the data of one chunk need more */

typedef struct slabs {
    const ncz_var  *v;
    const ncz_plan *plan;
    const char     *in;
    size_t          cut;  /* dimensions before it are cut at every chunk, this one if needed, later ones never */
    uint64_t        most; /* target number of elements in a slab */
    ncz_dims        at, count, start;    /* the slab in the selection; its start */
    ncz_dims        step, packed, index; /* between its elements in memory, and where they are packed; scratch */
    ptrdiff_t      *imap;                /* of the packed slab */
    void           *raw, *own;
} slabs;

/* The elements of dimension d from `i` on that are in the same chunk. */
static uint64_t
to_chunk_end(const slabs *s, size_t d, uint64_t i)
{
    const ncz_select *sel = &s->plan->sel;
    uint64_t          place = sel->start[d] + i * sel->stride[d], chunk = s->plan->spec->chunk[d];
    uint64_t          n = (chunk - 1 - place % chunk) / sel->stride[d] + 1;

    return n < sel->count[d] - i ? n : sel->count[d] - i;
}

/* The elements of one slab if dimensions up to `d` are cut at every chunk. The product cannot overflow, as the
 * selection's own count does not. */
static uint64_t
least_slab(const slabs *s, size_t d)
{
    const ncz_select *sel = &s->plan->sel;
    uint64_t          n = 1;

    for (size_t k = 0; k < sel->rank; k++)
        n *= k > d || sel->count[k] < s->plan->spec->chunk[k] ? sel->count[k] : s->plan->spec->chunk[k];
    return n;
}

/* Sets the shape of the slab that begins at s->at; returns its number of elements. */
static uint64_t
shape_slab(slabs *s)
{
    const ncz_select *sel = &s->plan->sel;
    uint64_t          others = 1;

    for (size_t d = 0; d < sel->rank; d++) {
        s->count.v[d] = d < s->cut ? to_chunk_end(s, d, s->at.v[d]) : sel->count[d];
        s->start.v[d] = sel->start[d] + s->at.v[d] * sel->stride[d];
        others *= d == s->cut ? 1 : s->count.v[d];
    }
    if (s->cut < sel->rank) {
        uint64_t from = s->at.v[s->cut], n = to_chunk_end(s, s->cut, from), more = 0, most = s->most / others;

        do
            n += more;
        while (from + n < sel->count[s->cut] && n + (more = to_chunk_end(s, s->cut, from + n)) <= most);
        s->count.v[s->cut] = n;
        others *= n;
    }
    return others;
}

/* Copies the slab's elements from the caller's memory to s->raw, adjacent and in C order. */
static int
gather_slab(slabs *s)
{
    const ncz_select *sel = &s->plan->sel;
    size_t            item = s->plan->mem->size;

    for (size_t d = 0; d < sel->rank; d++)
        s->step.v[d] = (uint64_t)sel->imap[d]; /* two's complement: it may be negative */
    ncz_grid_strides(s->count.v, sel->rank, NULL, s->packed.v);
    return ncz_grid_copy_box(sel->rank, s->count.v, item, s->in + ncz_select_place(sel, s->at.v) * (ptrdiff_t)item,
                             s->step.v, s->raw, s->packed.v);
}

/* Quantizes row by row: the rounding of a value may depend on its position in the whole put. */
static void
quantize_slab(slabs *s, uint64_t nelems)
{
    const ncz_var    *v = s->v;
    const ncz_select *sel = &s->plan->sel;
    const void       *fill = v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->type->fill;
    size_t            rank = sel->rank, item = v->type->size;
    uint64_t          row = rank == 0 ? 1 : s->count.v[rank - 1];
    const ncz_box     rows = {.rank = rank == 0 ? 0 : rank - 1, .count = s->count.v};
    char             *p = s->own;

    memset(s->index.v, 0, rank * sizeof *s->index.v);
    for (uint64_t done = 0; done < nelems; done += row, p += row * item) {
        uint64_t place = 0;

        for (size_t d = 0; d < rank; d++)
            place = place * sel->count[d] + s->at.v[d] + s->index.v[d];
        ncz_dataset_quantize(v->quantize_mode, v->quantize_nsd, v->type, p, (size_t)row, fill, place);
        (void)ncz_box_next(&rows, s->index.v);
    }
}

/* NC_ERANGE: everything is stored, but some values were out of range. */
static int
put_slab(ncz_dataset *ds, slabs *s)
{
    uint64_t nelems = shape_slab(s);
    ncz_plan own = *s->plan;
    int      range, rc;

    if ((rc = gather_slab(s)) != NC_NOERR)
        return rc;
    range = ncz_convert(s->plan->mem, s->raw, s->v->type, s->own, (size_t)nelems, ncz_dataset_lax_bytes(ds));
    if (range != NC_NOERR && range != NC_ERANGE)
        return range;
    quantize_slab(s, nelems);
    if (!ncz_grid_packed_imap(s->count.v, own.sel.rank, s->imap))
        return ncz_fail(NC_EINVAL, "the selection is too large");
    own.mem = s->v->type;
    own.sel.start = s->start.v;
    own.sel.count = s->count.v;
    own.sel.imap = s->imap;
    rc = ncz_engine_write(ds->engine, &own, s->own);
    return rc == NC_NOERR ? range : rc;
}

static void
slabs_clear(slabs *s)
{
    ncz_dims_clear(&s->at);
    ncz_dims_clear(&s->count);
    ncz_dims_clear(&s->start);
    ncz_dims_clear(&s->step);
    ncz_dims_clear(&s->packed);
    ncz_dims_clear(&s->index);
    ncz_free(s->imap);
    ncz_free(s->raw);
    ncz_free(s->own);
}

static int
slabs_init(slabs *s, const ncz_var *v, const ncz_plan *plan, const void *in)
{
    size_t   item = v->type->size, from = plan->mem->size, rank = plan->sel.rank, nbytes;
    uint64_t all, most;
    int      rc;

    *s = (slabs){.v = v, .plan = plan, .in = in};
    item = item > from ? item : from;
    if (!ncz_select_nelems(&plan->sel, &all))
        return ncz_fail(NC_EINVAL, "the selection is too large");
    s->most = SLAB_BYTES / item;
    if (all <= s->most) {
        s->cut = rank;
        most = all;
    } else {
        while (s->cut + 1 < rank && least_slab(s, s->cut) > s->most)
            s->cut++;
        most = least_slab(s, s->cut);
        most = most > s->most ? most : s->most;
    }
    if (most > SIZE_MAX || !ncz_mul((size_t)most, item, &nbytes))
        return ncz_fail(NC_EINVAL, "what is put into one chunk is too large to be rounded");
    if ((rc = ncz_dims_init(&s->at, rank)) != NC_NOERR || (rc = ncz_dims_init(&s->count, rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&s->start, rank)) != NC_NOERR || (rc = ncz_dims_init(&s->step, rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&s->packed, rank)) != NC_NOERR || (rc = ncz_dims_init(&s->index, rank)) != NC_NOERR)
        return rc;
    s->imap = ncz_alloc_n(rank, sizeof *s->imap);
    s->raw = ncz_alloc(nbytes);
    s->own = ncz_alloc(nbytes);
    return s->imap == NULL || s->raw == NULL || s->own == NULL ? ncz_fail_nomem(nbytes) : NC_NOERR;
}

int
ncz_dataset_put_quantized(ncz_dataset *ds, const ncz_var *v, const ncz_plan *plan, const void *in)
{
    bool    range = false;
    slabs   s;
    ncz_box all;
    int     rc;

    if ((rc = slabs_init(&s, v, plan, in)) != NC_NOERR)
        goto done;
    all = (ncz_box){.rank = plan->sel.rank, .count = plan->sel.count, .step = s.count.v};
    do {
        rc = put_slab(ds, &s);
        range = range || rc == NC_ERANGE;
    } while ((rc == NC_NOERR || rc == NC_ERANGE) && ncz_box_next(&all, s.at.v));
    if (rc == NC_NOERR && range)
        rc = NC_ERANGE;
done:
    slabs_clear(&s);
    return rc;
}
