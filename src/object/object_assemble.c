/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_assemble: the bytes of an object that is being stored (object_store.c), from merged, encoded and stored
 * chunks: in parts, where the store takes them, in memory, or in a temporary file.
 */
#include "object/object_index.h"
#include "object/object_put.h"

/* The bytes of a slot: merged, or staged, or else stored. */
static ncz_slot_bytes
slot_bytes(const ncz_object_put *o, size_t slot)
{
    if (o->merged != NULL && o->merged[slot] != NULL)
        return ncz_object_put_bytes_of(o, o->merged[slot]);
    if (o->taken[slot] != NULL)
        return ncz_object_put_bytes_of(o, o->taken[slot]);
    if (o->slots[slot].length == 0)
        return (ncz_slot_bytes){.data = NULL};
    return (ncz_slot_bytes){o->kept + o->slots[slot].offset, (size_t)o->slots[slot].length};
}

/* Lists the object's bytes: its chunks, in the order of their slots, after or before its index. */
static int
list_parts(ncz_object_put *o)
{
    const ncz_spec *spec = o->spec;
    size_t          n = o->nslots, nindex;
    bool            at_end;
    zmap_part       index;
    int             rc;

    if ((rc = ncz_object_index_range(spec, o->key, &nindex, &at_end)) != NC_NOERR ||
        (rc = spec->layout->ops->make_index(spec->layout, o->encoded, &o->fresh)) != NC_NOERR)
        return rc;
    if (o->parts == NULL && (o->parts = ncz_alloc_n(n + 1, sizeof *o->parts)) == NULL)
        return ncz_fail_nomem(n * sizeof *o->parts);
    index = (zmap_part){ncz_buf_str(&o->fresh), o->fresh.len};
    o->nparts = 0;
    o->nbytes = index.len;
    if (!at_end)
        o->parts[o->nparts++] = index;
    for (size_t k = 0; k < n; k++) {
        if (o->encoded[k].data == NULL)
            continue;
        o->parts[o->nparts++] = (zmap_part){o->encoded[k].data, o->encoded[k].nbytes};
        if (!ncz_add(o->nbytes, o->encoded[k].nbytes, &o->nbytes))
            return ncz_fail_nomem(SIZE_MAX);
    }
    if (at_end)
        o->parts[o->nparts++] = index;
    return NC_NOERR;
}

bool
ncz_object_put_takes_parts(const ncz_object_put *o)
{
    return (zmap_caps_of(o->objects->map) & ZMAP_CAN_PARTS) != 0 && o->spec->layout->ops->make_index != NULL;
}

/* Whether the new object is too large to be made in memory. */
static bool
needs_file(const ncz_object_put *o)
{
    size_t n = 0;
    bool   fits = true;

    for (size_t k = 0; k < o->nslots && fits; k++)
        fits = o->encoded[k].data == NULL || (ncz_add(n, o->encoded[k].nbytes, &n) && n <= o->objects->keep_whole);
    return !fits && o->spec->layout->ops->make_index != NULL && !o->no_temp;
}

/* Makes the object in a temporary file, from its parts. Sets no_temp where there is no room for it. */
static int
make_in_file(ncz_object_put *o)
{
    uint64_t at = 0;
    int      rc = list_parts(o);

    for (size_t i = 0; i < o->nparts && rc == NC_NOERR && !o->no_temp; at += o->parts[i++].len)
        o->no_temp = !ncz_object_spill_write(&o->made.file, o->parts[i].data, o->parts[i].len, at);
    ncz_free(o->parts);
    o->parts = NULL;
    return rc != NC_NOERR || o->no_temp ? rc : ncz_object_temp_map(&o->made, at);
}

/* Makes the new object out of the bytes of its chunks. One chunk is the object. */
static int
make_object(ncz_object_put *o)
{
    const ncz_spec *spec = o->spec;
    int             rc;

    if (o->plain)
        return NC_NOERR;
    ncz_buf_reset(&o->fresh);
    ncz_object_temp_unmap(&o->made);
    if (ncz_object_put_takes_parts(o))
        return list_parts(o);
    if (needs_file(o) && ((rc = make_in_file(o)) != NC_NOERR || !o->no_temp))
        return rc;
    ncz_buf_reset(&o->fresh);
    return spec->layout->ops->assemble(spec->layout, o->encoded, &o->fresh);
}

/*
 * Whether an object without chunks is put instead of deleted: another writer may have put chunks, and the store cannot
 * check that when it deletes. (Where one chunk is the object, ncz_object_encode() encodes its fill then.)
 */
static bool
stays_empty(const ncz_object_put *o)
{
    return !o->plain && o->partial && o->there && o->objects->cells->conditions && !o->objects->del_match;
}

void
ncz_object_put_assemble(void *arg, size_t i, ncz_scratch *scratch)
{
    ncz_object_put *o = (ncz_object_put *)arg + i;
    int             rc = NC_NOERR;

    if (!o->pending || o->changed)
        return;
    if (o->read)
        rc = ncz_object_put_merge(o, scratch);
    if (rc == NC_NOERR && o->plain && o->item == NULL && o->merged == NULL) { /* it is as wide as the array */
        o->pending = false;
        return;
    }
    o->empty = true;
    o->drafted = rc == NC_NOERR && ncz_object_put_is_draft(o);
    if (rc == NC_NOERR && !o->drafted)
        rc = ncz_object_put_map_drafts(o);
    for (size_t k = 0; k < o->nslots && rc == NC_NOERR; k++) {
        o->encoded[k] = slot_bytes(o, k);
        o->empty = o->empty && o->encoded[k].data == NULL;
    }
    o->empty = o->empty && !stays_empty(o);
    if (rc == NC_NOERR && !o->empty)
        rc = o->drafted ? ncz_object_put_end_draft(o) : make_object(o);
    if (rc != NC_NOERR)
        ncz_object_put_fail(o, rc);
}
