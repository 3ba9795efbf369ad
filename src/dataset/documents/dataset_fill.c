/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_fill: another fill value for a variable that may have data. Elements that nobody wrote read as the fill
 * value, and must not become others with it:
 *
 *   1 flush, so that everything of the variable is stored
 *   2 store the chunks that are absent, with the old fill value in each element
 *   3 the caller changes the model: the fill value, and its attribute
 *   4 flush: the documents with the new fill value
 *
 * Every value stays what it was after a failure or a crash at any point. If 4 fails, the fill value is changed in
 * memory, and the next flush puts the documents. Only after 4 may a chunk that holds nothing but the new fill value be
 * left out, as later puts do: the document in the store then says what it reads as.
 */
#include "dataset/dataset_int.h"

#include <string.h>

/* Step 2 is for arrays with holes. One that is hardly written at all keeps its fill value. */
enum { HOLES_MOST = 1 << 20 };
#define HOLE_BYTES_MOST ((uint64_t)1 << 30)

/* The chunks of a variable that are not stored, and where one of them is. */
typedef struct holes {
    const ncz_var *v;
    ncz_dims       shape, n, start, count;
    uint64_t       all;    /* chunks of the grid */
    unsigned char *stored; /* a bit for each */
} holes;

static void
clear_holes(holes *h)
{
    ncz_dims_clear(&h->shape);
    ncz_dims_clear(&h->n);
    ncz_dims_clear(&h->start);
    ncz_dims_clear(&h->count);
    ncz_free(h->stored);
}

static int
measure_grid(const ncz_var *v, holes *h)
{
    int rc;

    *h = (holes){.v = v, .all = 1};
    if ((rc = ncz_dims_init(&h->shape, v->rank)) != NC_NOERR || (rc = ncz_dims_init(&h->n, v->rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&h->start, v->rank)) != NC_NOERR || (rc = ncz_dims_init(&h->count, v->rank)) != NC_NOERR)
        return rc;
    ncz_var_shape(v, h->shape.v);
    for (size_t d = 0; d < v->rank; d++) {
        h->n.v[d] = ncz_spec_count_chunks(v->spec, d, h->shape.v[d]);
        if (!ncz_mul64(h->all, h->n.v[d], &h->all))
            h->all = UINT64_MAX; /* more than can be stored: `check_number` refuses it */
    }
    return NC_NOERR;
}

static int
check_number(const holes *h, uint64_t missing)
{
    uint64_t nbytes;

    if (missing <= HOLES_MOST && ncz_mul64(missing, h->v->spec->chunk_bytes, &nbytes) && nbytes <= HOLE_BYTES_MOST)
        return NC_NOERR;
    return ncz_fail(
        NC_ELATEFILL,
        "%s: %llu chunks that nobody wrote have its fill value; they are too many to store them before it "
        "changes: write them, or copy the variable",
        h->v->name, (unsigned long long)missing);
}

/* Marks the chunks that are stored. *missing: how many others there are. */
static int
find_holes(ncz_dataset *ds, holes *h, uint64_t *missing)
{
    ncz_stored_chunks list;
    size_t            rank = h->v->rank, width = rank == 0 ? 1 : rank;
    int               rc = ncz_dataset_list_chunks(ds, h->v, &list);

    if (rc != NC_NOERR)
        return rc;
    *missing = h->all - list.n;
    if ((rc = check_number(h, *missing)) != NC_NOERR || *missing == 0)
        goto done;
    if ((h->stored = ncz_zalloc((size_t)(h->all / 8 + 1))) == NULL) {
        rc = ncz_fail_nomem((size_t)(h->all / 8 + 1));
        goto done;
    }
    for (size_t i = 0; i < list.n; i++) {
        uint64_t place = 0;

        for (size_t d = 0; d < rank; d++)
            place = place * h->n.v[d] + list.index[i * width + d];
        h->stored[place / 8] |= (unsigned char)(1 << place % 8);
    }
done:
    ncz_stored_chunks_clear(&list);
    return rc;
}

/* Puts one chunk as far as it lies inside the array. All of its elements are the one in memory. */
static int
put_hole(ncz_dataset *ds, holes *h, uint64_t place, const ptrdiff_t *still, const void *fill)
{
    const ncz_var *v = h->v;
    ncz_plan       plan = {.spec = v->spec,
                           .shape = h->shape.v,
                           .sel = {.rank = v->rank, .start = h->start.v, .count = h->count.v, .imap = still},
                           .mem = v->type};
    ncz_dims       stride;
    int            rc = ncz_dims_init(&stride, v->rank);

    for (size_t d = v->rank; rc == NC_NOERR && d-- > 0; place /= h->n.v[d]) {
        uint64_t chunk = v->spec->chunk[d];

        stride.v[d] = 1;
        h->start.v[d] = place % h->n.v[d] * chunk;
        h->count.v[d] = h->shape.v[d] - h->start.v[d] < chunk ? h->shape.v[d] - h->start.v[d] : chunk;
    }
    plan.sel.stride = stride.v;
    if (rc == NC_NOERR)
        rc = ncz_engine_write(ds->engine, &plan, fill);
    ncz_dims_clear(&stride);
    return rc;
}

/* Step 2, once the chunks are known. Chunks that hold only fill are stored for as long as it lasts. */
static int
put_holes(ncz_dataset *ds, holes *h, const void *fill)
{
    ptrdiff_t *still = ncz_zalloc_n(h->v->rank + 1, sizeof *still);
    bool       before;
    int        rc = NC_NOERR;

    if (still == NULL)
        return ncz_fail_nomem((h->v->rank + 1) * sizeof *still);
    ncz_engine_pause(ds->engine);
    before = ncz_engine_write_empty(ds->engine, true);
    for (uint64_t i = 0; rc == NC_NOERR && i < h->all; i++)
        if ((h->stored[i / 8] >> i % 8 & 1) == 0)
            rc = put_hole(ds, h, i, still, fill);
    if (rc == NC_NOERR)
        rc = ncz_engine_flush(ds->engine, h->v->uid);
    (void)ncz_engine_write_empty(ds->engine, before);
    ncz_engine_resume(ds->engine);
    ncz_free(still);
    return rc;
}

static int
fill_holes(ncz_dataset *ds, const ncz_var *v, const void *fill)
{
    holes    h;
    uint64_t missing = 0;
    int      rc = measure_grid(v, &h);

    if (rc == NC_NOERR && h.all > 0 && (rc = find_holes(ds, &h, &missing)) == NC_NOERR && missing > 0)
        rc = put_holes(ds, &h, fill);
    clear_holes(&h);
    return rc;
}

/* The element that chunks nobody wrote have; NULL: none. One of zeros in `zero`, which the caller frees. */
static int
unwritten_element(const ncz_var *v, void **zero, const void **out)
{
    *zero = NULL;
    *out = v->fill_mode == NCZ_FILL_VALUE ? v->fill : v->fill_mode == NCZ_FILL_DEFAULT ? v->type->fill : NULL;
    if (*out != NULL || v->fill_mode == NCZ_FILL_NONE)
        return NC_NOERR;
    if ((*out = *zero = ncz_zalloc(v->type->size)) == NULL)
        return ncz_fail_nomem(v->type->size);
    return NC_NOERR;
}

static int
check_change(const ncz_var *v, ncz_fill_mode mode, const void *fill)
{
    const char *s = mode == NCZ_FILL_VALUE && v->type->class == NCZ_TYPE_STRING ? *(const char *const *)fill : NULL;

    if (v->unusable->code != NC_NOERR)
        return ncz_err_adopt(v->unusable);
    if (s != NULL && v->dtype.kind == NCZ_KIND_BYTES && strlen(s) > v->dtype.size)
        return ncz_fail(NC_ELATEFILL, "%s: data were put already, in strings of %zu bytes: the fill value has %zu",
                        v->name, v->dtype.size, strlen(s));
    return NC_NOERR;
}

int
ncz_documents_begin_fill(ncz_dataset *ds, ncz_var *v, ncz_fill_mode mode, const void *fill)
{
    const void *old = NULL;
    void       *zero = NULL;
    int         rc;

    if ((rc = check_change(v, mode, fill)) != NC_NOERR || (rc = ncz_dataset_store_state(ds, v)) != NC_NOERR)
        return rc;
    if ((rc = unwritten_element(v, &zero, &old)) == NC_NOERR && old != NULL &&
        !(mode == NCZ_FILL_VALUE && ncz_type_equal_elems(v->type, old, fill, 1)))
        rc = fill_holes(ds, v, old);
    if (rc == NC_NOERR)
        ncz_engine_forget(ds->engine, v->uid); /* chunks that are known to be absent */
    ncz_free(zero);
    return rc;
}

int
ncz_documents_end_fill(ncz_dataset *ds, ncz_var *v)
{
    for (size_t d = 0; d < v->rank; d++)
        if (v->dims[d]->unlimited) { /* what lies beyond its end has the old fill value */
            v->dims[d]->uncleared = true;
            ds->file.filled = 0;
        }
    return ncz_dataset_store_state(ds, v);
}
