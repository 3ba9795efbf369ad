/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the chunks of a raw array lie: ranges of its file. A chunk at the end of a dimension ends early. */
#include "format/raw/raw.h"

#include <string.h>

enum { CHUNK_BYTES = 1 << 20 }; /* about so many: a chunk is read whole, and neighbours come with one request */

/* Sets the bytes from one element to the next. False: the array ends beyond the largest file. */
static bool
set_strides(ncz_raw_place *p, uint64_t padding, size_t rank)
{
    uint64_t step = p->element, end = p->offset;

    for (size_t d = rank; d-- > 0;) {
        p->n[rank + d] = step;
        if (!ncz_mul64(step, p->n[d], &step) || (d + 1 == rank && !ncz_add64(step, padding, &step)))
            return false;
    }
    return ncz_add64(end, step, &end) && end <= INT64_MAX;
}

/* Only rows of the last dimension lie in one place where there is padding between them. */
static void
set_chunks(ncz_raw_place *p, uint64_t padding, size_t rank)
{
    uint64_t *chunk = p->n + 2 * rank;
    size_t    first = padding > 0 && rank > 0 ? rank - 1 : 0;

    for (size_t d = 0; d < first; d++)
        chunk[d] = 1;
    (void)ncz_grid_cut_rows(p->n, first, rank, p->element, CHUNK_BYTES, chunk);
}

int
ncz_raw_place_new(const char *file, uint64_t offset, uint64_t padding, size_t element, size_t rank,
                  const uint64_t *shape, ncz_raw_place **out)
{
    size_t         nfile = strlen(file) + 1, n;
    ncz_raw_place *p;

    if (!ncz_mul(rank, 3 * sizeof *p->n, &n) || !ncz_add(n, sizeof *p + nfile, &n))
        return ncz_fail_nomem(SIZE_MAX);
    if ((p = ncz_zalloc(n)) == NULL)
        return ncz_fail_nomem(n);
    *p = (ncz_raw_place){.nbytes = n, .element = element, .offset = offset};
    for (size_t d = 0; d < rank; d++)
        p->n[d] = shape[d];
    memcpy(p->n + 3 * rank, file, nfile);
    if (!set_strides(p, padding, rank)) {
        ncz_free(p);
        return ncz_fail(NC_EZARRMETA, "%s: an array of this shape ends beyond the largest file", file);
    }
    set_chunks(p, padding, rank);
    *out = p;
    return NC_NOERR;
}

/* ---- the layout: the common members, and behind them the place ---- */

static int
locate_chunk(const ncz_layout *l, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where)
{
    const ncz_raw_place *p = (const ncz_raw_place *)(const void *)(l + 1);
    const uint64_t      *stride = p->n + l->rank, *chunk = stride + l->rank;
    int                  rc;

    where->offset = p->offset;
    where->length = p->element;
    for (size_t d = 0; d < l->rank; d++) {
        uint64_t first, left;

        if (!ncz_mul64(index[d], chunk[d], &first) || first >= p->n[d])
            return ncz_fail(NC_EINVALCOORDS, "%s: there is no such chunk", l->path);
        left = p->n[d] - first;
        where->offset += first * stride[d]; /* cannot overflow: the array fits in a file */
        where->length *= left < chunk[d] ? left : chunk[d];
        where->tail = left < chunk[d] ? NCZ_TAIL_FILL : where->tail;
    }
    if ((rc = ncz_buf_puts(key, (const char *)(p->n + 3 * l->rank))) == NC_NOERR)
        where->key = ncz_buf_str(key);
    return rc;
}

static const ncz_layout_ops raw_ops = {.name = "raw", .locate = locate_chunk, .complete = true};

int
ncz_raw_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out)
{
    const ncz_raw_place *p = v->place;
    int                  rc = ncz_layout_new(&raw_ops, sizeof **out + p->nbytes, shape, out);

    if (rc == NC_NOERR)
        memcpy(*out + 1, p, p->nbytes);
    return rc;
}
