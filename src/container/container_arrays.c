/* SPDX-License-Identifier: BSD-3-Clause */
/* The arrays of a container: a hash table by their numbers. Their data are the matter of other files. */
#include "container/container_int.h"

#include <string.h>

static size_t
slot_of(const container *c, uint64_t uid)
{
    return (size_t)(uid * 0x9E3779B97F4A7C15u >> 17) & (c->nslots - 1);
}

/* The slot of the array, or the free one where it would be. */
static size_t
find_slot(const container *c, uint64_t uid)
{
    size_t i = slot_of(c, uid);

    while (c->arrays[i] != NULL && c->arrays[i]->given.uid != uid)
        i = (i + 1) & (c->nslots - 1);
    return i;
}

container_array *
ncz_container_find(const container *c, uint64_t uid)
{
    return c->nslots > 0 ? c->arrays[find_slot(c, uid)] : NULL;
}

/* Makes room for one more. */
static int
grow_table(container *c)
{
    container_array **old = c->arrays, **grown;
    size_t            nold = c->nslots, n = nold > 0 ? 2 * nold : 16;

    if (2 * (c->narrays + 1) <= nold)
        return NC_NOERR;
    if ((grown = ncz_zalloc_n(n, sizeof *grown)) == NULL)
        return ncz_fail_nomem(n * sizeof *grown);
    c->arrays = grown;
    c->nslots = n;
    for (size_t i = 0; i < nold; i++)
        if (old[i] != NULL)
            c->arrays[find_slot(c, old[i]->given.uid)] = old[i];
    ncz_free(old);
    return NC_NOERR;
}

int
ncz_container_enter(container *c, container_array *a)
{
    int rc = grow_table(c);

    if (rc != NC_NOERR)
        return rc;
    c->arrays[find_slot(c, a->given.uid)] = a;
    c->narrays++;
    return NC_NOERR;
}

/* The arrays behind it come forward, so that none is behind a free slot. */
void
ncz_container_remove(container *c, container_array *a)
{
    size_t           i = find_slot(c, a->given.uid);
    container_array *x;

    c->arrays[i] = NULL;
    c->narrays--;
    c->nunlaid -= a->unlaid;
    for (size_t k = (i + 1) & (c->nslots - 1); (x = c->arrays[k]) != NULL; k = (k + 1) & (c->nslots - 1)) {
        c->arrays[k] = NULL;
        c->arrays[find_slot(c, x->given.uid)] = x;
    }
    ncz_container_array_free(a);
}

void
ncz_container_array_free(container_array *a)
{
    if (a == NULL)
        return;
    ncz_hdf5_tree_free(a->tree);
    ncz_free(a->fill);
    ncz_free(a->put);
    ncz_free(a->tags);
    ncz_free(a->bytes);
    ncz_free(a);
}

void
ncz_container_arrays_clear(container *c)
{
    for (size_t i = 0; i < c->nslots; i++)
        ncz_container_array_free(c->arrays[i]);
    ncz_free(c->arrays);
    c->arrays = NULL;
    c->narrays = c->nslots = 0;
}

void
ncz_container_note_change(container *c, container_array *a)
{
    c->changed = a->changed = true;
    c->nunlaid += !a->unlaid;
    a->unlaid = true;
}

void
ncz_container_fill(const container_array *a, void *out, size_t len)
{
    size_t done = a->given.element;

    if (a->fill == NULL || len < done) {
        memset(out, 0, len);
        return;
    }
    memcpy(out, a->fill, done);
    while (done < len) {
        size_t n = done < len - done ? done : len - done;

        memcpy((char *)out + done, out, n);
        done += n;
    }
}
