/* SPDX-License-Identifier: BSD-3-Clause */
/* What all layouts have in common. One block of memory holds a layout with its arrays and its path. */
#include "model/layout.h"

#include <inttypes.h>
#include <string.h>

static const uint64_t ones[NCZ_RANK_INLINE] = {1, 1, 1, 1, 1, 1, 1, 1};

static uint64_t *
copy_numbers(char **at, const uint64_t *from, size_t n)
{
    uint64_t *to = (uint64_t *)(void *)*at;

    for (size_t i = 0; i < n; i++)
        to[i] = from != NULL ? from[i] : 1;
    *at += n * sizeof *to;
    return to;
}

int
ncz_layout_new(const ncz_layout_ops *ops, size_t nbytes, const ncz_layout_shape *shape, ncz_layout **out)
{
    size_t      own = (nbytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t), total;
    bool        single = shape->object == NULL && shape->rank <= NCZ_RANK_INLINE; /* most are */
    size_t      narrays = !single + (shape->extent != NULL), npath = strlen(shape->path) + 1;
    ncz_layout *l;
    char       *at;

    if (!ncz_mul(shape->rank, narrays * sizeof(uint64_t), &total) || !ncz_add(total, own, &total) ||
        !ncz_add(total, npath, &total))
        return ncz_fail_nomem(SIZE_MAX);
    if ((l = shape->arena != NULL ? ncz_arena_get(shape->arena, total) : ncz_alloc(total)) == NULL)
        return ncz_fail_nomem(total);
    memset(l, 0, own);
    at = (char *)l + own;
    l->in_arena = shape->arena != NULL;
    l->ops = ops;
    l->nbytes = nbytes;
    l->rank = shape->rank;
    l->object = single ? ones : copy_numbers(&at, shape->object, shape->rank);
    l->nslots = shape->object != NULL ? shape->nslots : 1;
    if (shape->extent != NULL)
        l->extent = copy_numbers(&at, shape->extent, shape->rank);
    l->path = memcpy(at, shape->path, npath);
    l->grid = ncz_rectilinear_ref(shape->grid);
    atomic_init(&l->refs, 1);
    *out = l;
    return NC_NOERR;
}

ncz_layout *
ncz_layout_ref(ncz_layout *l)
{
    if (l != NULL)
        atomic_fetch_add_explicit(&l->refs, 1, memory_order_relaxed);
    return l;
}

void
ncz_layout_unref(ncz_layout *l)
{
    if (l == NULL || atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (l->ops->clear != NULL)
        l->ops->clear(l);
    ncz_rectilinear_unref(l->grid);
    if (!l->in_arena)
        ncz_free(l);
}

int
ncz_layout_lose_chunk(const ncz_layout *l, const char *name, const uint64_t *index, const char *at, const char *why,
                      ncz_buf *text, ncz_chunk_addr *where)
{
    int rc = ncz_buf_printf(text, "%s: chunk", name);

    for (size_t d = 0; d < l->rank && rc == NC_NOERR; d++)
        rc = ncz_buf_printf(text, "%s%" PRIu64, d == 0 ? " " : ",", index[d]);
    if (rc == NC_NOERR)
        rc = ncz_buf_printf(text, "%s: %s", at, why);
    where->lost = ncz_buf_str(text);
    where->code = NC_EHDFERR;
    where->tail = NCZ_TAIL_ZEROS;
    return rc;
}

int
ncz_layout_reshape(const ncz_layout *l, const uint64_t *object, size_t nslots, ncz_layout **out)
{
    ncz_layout_shape shape = {.rank = l->rank, .path = l->path, .object = object, .nslots = nslots};
    int              rc;

    if (l->ops->clear != NULL)
        return ncz_fail(NC_EINTERNAL, "%s: layout %s has only one shape", l->path, l->ops->name);
    if ((rc = ncz_layout_new(l->ops, l->nbytes, &shape, out)) == NC_NOERR)
        memcpy((char *)*out + sizeof *l, (const char *)l + sizeof *l, l->nbytes - sizeof *l);
    return rc;
}

uint64_t
ncz_layout_slot(const ncz_layout *l, const uint64_t *index)
{
    uint64_t slot = 0;

    for (size_t d = 0; d < l->rank; d++)
        slot = slot * l->object[d] + index[d] % l->object[d];
    return slot;
}

bool
ncz_layout_slot_chunk(const ncz_layout *l, const uint64_t *object, uint64_t slot, uint64_t *index)
{
    for (size_t d = l->rank; d-- > 0;) {
        if (!ncz_mul64(object[d], l->object[d], &index[d]) || !ncz_add64(index[d], slot % l->object[d], &index[d]))
            return false;
        slot /= l->object[d];
    }
    return slot == 0;
}
