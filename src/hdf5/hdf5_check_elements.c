/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements whose bytes are in the global heap (III.E), of attributes, fill values and data: the collections that they
 * name are in use. And references in attributes, which must lead to objects.
 */
#include "hdf5/hdf5_check_int.h"

enum { OBJECT_REFERENCE = 0, REGION_REFERENCE = 1, PIECE = 1 << 20 };

/* Does an element name an object of the heap; does it refer to an object? */
static bool
has_heap(const ncz_hdf5_type *t, bool references)
{
    switch (t->class) {
    case NCZ_HDF5_VLEN: return true;
    case NCZ_HDF5_REFERENCE: return t->reference != OBJECT_REFERENCE || references;
    case NCZ_HDF5_ARRAY: return has_heap(t->base, references);
    case NCZ_HDF5_COMPOUND:
        for (size_t i = 0; i < t->nmembers; i++)
            if (has_heap(t->members[i].type, references))
                return true;
        return false;
    default: return false;
    }
}

static int take_elements(ncz_hdf5_check_state *s, const ncz_hdf5_type *t, const unsigned char *p, uint64_t n);

/* The bytes are valid until the next call: those of sequences of sequences are copied. */
static int
take_vlen(ncz_hdf5_check_state *s, const ncz_hdf5_type *t, const unsigned char *p)
{
    ncz_hdf5_heap_id     id;
    const unsigned char *data;
    unsigned char       *copy;
    size_t               len;
    int                  rc;

    if (t->size < ncz_hdf5_heap_id_size(s->f))
        return ncz_fail(NC_EHDFERR, "an element of variable length has %zu bytes, too few", t->size);
    ncz_hdf5_heap_id_get(s->f, p, &id);
    if (id.addr == NCZ_HDF5_NONE)
        return NC_NOERR;
    if ((rc = ncz_hdf5_heap_get(s->f, &id, &data, &len)) != NC_NOERR)
        return rc;
    if (len / t->base->size != id.nelems || len % t->base->size != 0) /* libhdf5 refuses to read it */
        return ncz_fail(NC_EHDFERR,
                        "object %" PRIu32 " of the collection at address %" PRIu64
                        " has %zu bytes, not those of %" PRIu32 " items of %zu",
                        id.index, id.addr, len, id.nelems, t->base->size);
    if (!has_heap(t->base, !s->in_data))
        return NC_NOERR;
    if ((copy = ncz_dup(data, len)) == NULL)
        return ncz_fail_nomem(len);
    rc = take_elements(s, t->base, copy, id.nelems);
    ncz_free(copy);
    return rc;
}

/* A reference in an attribute is looked at when all objects are known. */
static int
take_reference(ncz_hdf5_check_state *s, const ncz_hdf5_type *t, const unsigned char *p)
{
    uint64_t addr = NCZ_HDF5_NONE;
    int      rc;

    if (t->reference > REGION_REFERENCE)
        return ncz_fail(NC_ENOTBUILT, "references of kind %u, of HDF5 1.12, are not followed", t->reference);
    rc = t->reference == OBJECT_REFERENCE ? ncz_hdf5_reference(s->f, p, t->size, &addr)
                                          : ncz_hdf5_region(s->f, p, t->size, &addr);
    if (rc != NC_NOERR || addr == NCZ_HDF5_NONE || s->in_data ||
        (rc = ncz_make_room(&s->targets, s->ntargets, &s->targets_cap, sizeof *s->targets)) != NC_NOERR)
        return rc;
    s->targets[s->ntargets][0] = addr;
    s->targets[s->ntargets++][1] = s->now;
    return NC_NOERR;
}

static int
take_element(ncz_hdf5_check_state *s, const ncz_hdf5_type *t, const unsigned char *p)
{
    int rc = NC_NOERR;

    switch (t->class) {
    case NCZ_HDF5_VLEN: return take_vlen(s, t, p);
    case NCZ_HDF5_REFERENCE: return take_reference(s, t, p);
    case NCZ_HDF5_ARRAY: return take_elements(s, t->base, p, t->size / t->base->size);
    case NCZ_HDF5_COMPOUND:
        for (size_t i = 0; i < t->nmembers && rc == NC_NOERR; i++)
            if (has_heap(t->members[i].type, !s->in_data))
                rc = take_element(s, t->members[i].type, p + t->members[i].offset);
        return rc;
    default: return NC_NOERR;
    }
}

static int
take_elements(ncz_hdf5_check_state *s, const ncz_hdf5_type *t, const unsigned char *p, uint64_t n)
{
    int rc = NC_NOERR;

    for (uint64_t i = 0; i < n && rc == NC_NOERR && has_heap(t, !s->in_data); i++)
        rc = ncz_hdf5_check_pass(s, take_element(s, t, p + i * t->size));
    return rc;
}

int
ncz_hdf5_check_attributes(ncz_hdf5_check_state *s, const ncz_hdf5_object *o)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < o->nattributes && rc == NC_NOERR; i++) {
        const ncz_hdf5_attribute *a = &o->attributes[i];

        if (a->lost != NULL)
            rc = ncz_hdf5_check_pass(s, ncz_fail(NC_EHDFERR, "%s", a->lost));
        else
            rc = take_elements(s, a->type, a->data, a->len / a->type->size);
    }
    if (rc == NC_NOERR && o->fill.state == NCZ_HDF5_FILL_USER && o->type != NULL)
        rc = take_elements(s, o->type, o->fill.value, 1);
    return rc;
}

/* ---- data ---- */

typedef struct data {
    ncz_hdf5_check_state  *s;
    const ncz_hdf5_object *o;
    bool                   heap; /* its elements are followed */
    ncz_buf                stored, elements;
} data;

static int
read_bytes(data *d, uint64_t addr, uint64_t n)
{
    ncz_read_range r = {.at = addr, .len = (size_t)n};
    int            rc;

    ncz_buf_reset(&d->stored);
    if (n > d->s->f->limits.object_bytes)
        return ncz_fail(NC_ENOTBUILT,
                        "a chunk of %" PRIu64 " bytes at address %" PRIu64 " is not followed (limit "
                        "`object_bytes`)",
                        n, addr);
    if ((rc = ncz_hdf5_watch_work(d->s->f, addr, n)) != NC_NOERR ||
        (rc = ncz_buf_reserve(&d->stored, (size_t)n)) != NC_NOERR)
        return rc;
    r.out = d->stored.data;
    if ((rc = ncz_hdf5_read_ranges(d->s->f, &r, 1)) == NC_NOERR)
        d->stored.len = (size_t)n;
    return rc;
}

static int
take_filtered(data *d, const ncz_hdf5_chunk *chunk)
{
    const ncz_hdf5_checker *k = d->s->checker;
    int                     rc;

    if (k->decode == NULL)
        return ncz_fail(NC_ENOTBUILT, "the elements in chunks with filters are not followed to the global heap");
    if ((rc = k->decode(k->arg, d->o, chunk, d->stored.data, d->stored.len, &d->elements)) != NC_NOERR)
        return rc;
    return take_elements(d->s, d->o->type, (const unsigned char *)d->elements.data,
                         d->elements.len / d->o->type->size);
}

static int
take_chunk(void *arg, const ncz_hdf5_chunk *chunk)
{
    data    *d = arg;
    uint32_t all = d->o->nfilters < 32 ? ((uint32_t)1 << d->o->nfilters) - 1 : UINT32_MAX;
    bool     inside = true;
    int      rc = NC_NOERR;

    for (unsigned i = 0; i < d->o->layout.rank; i++)
        inside &= chunk->at[i] < ncz_count_parts(d->o->space.shape[i], d->o->layout.chunk[i]);
    if (!inside)
        ncz_hdf5_fault_at(d->s->f, chunk->addr,
                          "a chunk of %" PRIu64 " bytes at address %" PRIu64 " lies beyond the array", chunk->len,
                          chunk->addr);
    if (!d->heap || chunk->len == 0)
        return NC_NOERR;
    if ((rc = read_bytes(d, chunk->addr, chunk->len)) == NC_NOERR) {
        if ((chunk->mask & all) != all)
            rc = take_filtered(d, chunk);
        else
            rc = take_elements(d->s, d->o->type, (const unsigned char *)d->stored.data,
                               d->stored.len / d->o->type->size);
    }
    return ncz_hdf5_check_pass(d->s, rc);
}

static int
take_contiguous(data *d)
{
    const ncz_hdf5_layout *l = &d->o->layout;
    uint64_t               size = d->o->type->size, at = 0, n, piece = (PIECE / size > 0 ? PIECE / size : 1) * size;
    int                    rc = NC_NOERR;

    if (l->addr == NCZ_HDF5_NONE)
        return NC_NOERR;
    ncz_hdf5_use(d->s->f, NCZ_HDF5_PART_DATA, l->addr, l->size);
    for (; at < l->size && d->heap && rc == NC_NOERR; at += n) {
        n = l->size - at < piece ? l->size - at : piece;
        if ((rc = read_bytes(d, l->addr + at, n)) == NC_NOERR)
            rc = take_elements(d->s, d->o->type, (const unsigned char *)d->stored.data, n / size);
    }
    return rc;
}

/* A data set that is made of others says in the heap how. */
static int
take_virtual(data *d)
{
    ncz_hdf5_heap_id     id = {.addr = d->o->layout.addr, .index = (uint32_t)d->o->layout.size};
    const unsigned char *bytes;
    size_t               len;

    return id.addr == 0 ? NC_NOERR : ncz_hdf5_heap_get(d->s->f, &id, &bytes, &len);
}

/* The names of other files are in a local heap (IV.A.2.h): version 1, reserved 3, slots 4, its address. */
static int
use_external(ncz_hdf5_check_state *s, const ncz_hdf5_object *o)
{
    const ncz_hdf5_message *m = ncz_hdf5_message_find(o->messages, o->nmessages, NCZ_HDF5_MSG_EXTERNAL);
    ncz_cursor              c = ncz_cursor_at(m->data, m->len);
    ncz_hdf5_local_heap     heap;
    uint64_t                addr;
    int                     rc;

    (void)ncz_cursor_bytes(&c, 8);
    addr = ncz_hdf5_offset(s->f, &c);
    if (!c.good)
        return ncz_hdf5_truncated("the list of files with data of the object", o->addr);
    if ((rc = ncz_hdf5_local_heap_open(s->f, addr, &heap)) == NC_NOERR)
        ncz_hdf5_local_heap_close(&heap);
    return rc;
}

int
ncz_hdf5_check_data(ncz_hdf5_check_state *s, const ncz_hdf5_object *o)
{
    data            d = {.s = s, .o = o, .stored = NCZ_BUF_INIT, .elements = NCZ_BUF_INIT};
    ncz_hdf5_losses losses = {.arena = &s->arena, .watch = &s->watch};
    int             rc = NC_NOERR;

    s->in_data = true;
    d.heap = has_heap(o->type, false);
    if (o->external)
        rc = use_external(s, o);
    else if (o->layout.kind == NCZ_HDF5_CHUNKED)
        rc = ncz_hdf5_chunks(s->f, o, NULL, NULL, take_chunk, &d, &losses);
    else if (o->layout.kind == NCZ_HDF5_CONTIGUOUS)
        rc = take_contiguous(&d);
    else if (o->layout.kind == NCZ_HDF5_VIRTUAL)
        rc = take_virtual(&d);
    else
        rc = take_elements(s, o->type, o->layout.data, o->layout.size / o->type->size);
    rc = ncz_hdf5_check_pass(s, rc);
    s->in_data = false;
    ncz_buf_clear(&d.stored);
    ncz_buf_clear(&d.elements);
    return rc;
}
