/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects (IV.A): what the messages of a header make of it, a group, a dataset or a committed type. */
#include "hdf5/hdf5_int.h"

#include <string.h>

enum { LITTLE = 512 }; /* bytes of most objects, without their headers: many of them may be in memory */

static const ncz_hdf5_message *
find_message(const ncz_hdf5_object *o, unsigned type)
{
    return ncz_hdf5_message_find(o->messages, o->nmessages, type);
}

/* A group has one of the messages that lead to links; a dataset has a type, a dataspace and a layout. */
static ncz_hdf5_kind
choose_kind(const ncz_hdf5_object *o)
{
    bool type = find_message(o, NCZ_HDF5_MSG_TYPE) != NULL;

    if (find_message(o, NCZ_HDF5_MSG_SYMBOL_TABLE) != NULL || find_message(o, NCZ_HDF5_MSG_LINK_INFO) != NULL)
        return NCZ_HDF5_GROUP;
    if (type && find_message(o, NCZ_HDF5_MSG_SPACE) != NULL && find_message(o, NCZ_HDF5_MSG_LAYOUT) != NULL)
        return NCZ_HDF5_DATASET;
    return type ? NCZ_HDF5_COMMITTED : NCZ_HDF5_OTHER;
}

/* The header's message of this type; if the header only refers to it, the message from that other place. *out: NULL if
 * there is none. */
static int
get_message(ncz_hdf5 *f, ncz_hdf5_object *o, unsigned type, ncz_hdf5_message *room, const ncz_hdf5_message **out)
{
    const ncz_hdf5_message *m = find_message(o, type);
    int                     rc = NC_NOERR;

    *out = NULL;
    if (m == NULL)
        return NC_NOERR;
    *room = *m;
    if (m->shared)
        rc = ncz_hdf5_message_resolve(f, &o->header, room);
    *out = room;
    return rc;
}

static int
read_type(ncz_hdf5 *f, ncz_hdf5_object *o)
{
    ncz_hdf5_type *t;
    int            rc = ncz_hdf5_type_read(f, find_message(o, NCZ_HDF5_MSG_TYPE), &o->arena, NULL, &t);

    if (rc == NC_NOERR)
        o->type = t;
    if (rc == NC_NOERR && o->kind == NCZ_HDF5_COMMITTED)
        t->committed = o->addr;
    return rc;
}

/* Bytes of a message, which outlive it. */
static int
keep_bytes(ncz_hdf5_object *o, size_t n, const unsigned char **bytes)
{
    unsigned char *kept = *bytes != NULL ? ncz_arena_get(&o->arena, n) : NULL;

    if (*bytes == NULL)
        return NC_NOERR;
    if (kept == NULL)
        return ncz_fail_nomem(n);
    *bytes = memcpy(kept, *bytes, n);
    return NC_NOERR;
}

/* The newer message (IV.A.2.f) counts, and the old one (IV.A.2.e) where there is no other. */
static int
read_fill(ncz_hdf5 *f, ncz_hdf5_object *o)
{
    ncz_hdf5_message        room;
    const ncz_hdf5_message *m;
    int                     rc = get_message(f, o, NCZ_HDF5_MSG_FILL, &room, &m);

    if (rc == NC_NOERR && m == NULL)
        rc = get_message(f, o, NCZ_HDF5_MSG_OLD_FILL, &room, &m);
    if (rc == NC_NOERR && m != NULL)
        rc = ncz_hdf5_fill_parse(m, &o->fill);
    if (rc == NC_NOERR && o->fill.state == NCZ_HDF5_FILL_USER && o->fill.len != o->type->size)
        rc = ncz_fail(NC_EHDFERR,
                      "the dataset at address %" PRIu64 " has a fill value of %zu bytes, but elements of %zu",
                      o->addr, o->fill.len, o->type->size);
    return rc == NC_NOERR ? keep_bytes(o, o->fill.len, &o->fill.value) : rc;
}

/* The type says how large an element is. The layout repeats it, but not all writers write it right, and libhdf5 does
 * not look at it (PureHDF before 2.1.3). */
static int
size_chunks(const ncz_hdf5_object *o, ncz_hdf5_layout *l)
{
    uint64_t nbytes = o->type->size;

    if (l->rank != o->space.rank)
        return ncz_fail(NC_EHDFERR, "the dataset at address %" PRIu64 " has %u dimensions, but its chunks have %u",
                        o->addr, o->space.rank, l->rank);
    for (unsigned d = 0; d < l->rank; d++)
        if (!ncz_mul64(nbytes, l->chunk[d], &nbytes) || nbytes > INT64_MAX)
            return ncz_fail(NC_EHDFERR,
                            "the dataset at address %" PRIu64 " has chunks of more bytes than 63 bits count",
                            o->addr);
    l->element = o->type->size;
    l->chunk_bytes = nbytes;
    return NC_NOERR;
}

/* Do the data of the layout fit the type and the dataspace? Of old ones the size follows from these. Those in the
 * header are kept. */
static int
check_layout(ncz_hdf5_object *o)
{
    ncz_hdf5_layout     *l = &o->layout;
    const ncz_hdf5_shape shape = ncz_hdf5_shape_of(&o->space);
    uint64_t             nbytes = 0;

    if (l->kind == NCZ_HDF5_CHUNKED)
        return size_chunks(o, l);
    if (l->kind != NCZ_HDF5_COMPACT && l->kind != NCZ_HDF5_CONTIGUOUS)
        return NC_NOERR;
    if (!ncz_hdf5_count_elements(&shape, &nbytes) || !ncz_mul64(nbytes, o->type->size, &nbytes))
        return ncz_fail(NC_EHDFERR, "the dataset at address %" PRIu64 " has more bytes than 64 bits count", o->addr);
    if (l->size == NCZ_HDF5_NONE)
        l->size = nbytes;
    if (l->size < nbytes && (l->kind == NCZ_HDF5_COMPACT || l->addr != NCZ_HDF5_NONE))
        return ncz_fail(NC_EHDFERR,
                        "the dataset at address %" PRIu64 " has %" PRIu64 " bytes, fewer than its elements", o->addr,
                        l->size);
    return l->kind == NCZ_HDF5_COMPACT ? keep_bytes(o, (size_t)l->size, &l->data) : NC_NOERR;
}

/* The type comes first: the size of the fill value and of chunks is checked by it. */
static int
read_dataset(ncz_hdf5 *f, ncz_hdf5_object *o)
{
    ncz_hdf5_message        room;
    const ncz_hdf5_message *m;
    int                     rc;

    if ((rc = read_type(f, o)) != NC_NOERR || (rc = get_message(f, o, NCZ_HDF5_MSG_SPACE, &room, &m)) != NC_NOERR ||
        (rc = ncz_hdf5_space_parse(f, m, &o->space)) != NC_NOERR || (rc = read_fill(f, o)) != NC_NOERR ||
        (rc = get_message(f, o, NCZ_HDF5_MSG_FILTERS, &room, &m)) != NC_NOERR ||
        (m != NULL && (rc = ncz_hdf5_filters_parse(m, &o->arena, &o->filters, &o->nfilters)) != NC_NOERR) ||
        (rc = get_message(f, o, NCZ_HDF5_MSG_LAYOUT, &room, &m)) != NC_NOERR ||
        (rc = ncz_hdf5_layout_parse(f, m, &o->layout)) != NC_NOERR)
        return rc;
    o->external = find_message(o, NCZ_HDF5_MSG_EXTERNAL) != NULL;
    return check_layout(o);
}

int
ncz_hdf5_object_read(ncz_hdf5 *f, uint64_t addr, ncz_hdf5_object *out)
{
    ncz_hdf5_object o = {.addr = addr, .arena = {.first = LITTLE}, .header = NCZ_ARENA_INIT};
    int             rc;

    ncz_hdf5_begin(f);
    if ((rc = ncz_hdf5_header_read(f, addr, &o.header, &o.messages, &o.nmessages)) == NC_NOERR) {
        o.kind = choose_kind(&o);
        if (o.kind == NCZ_HDF5_DATASET)
            rc = read_dataset(f, &o);
        else if (o.kind == NCZ_HDF5_COMMITTED)
            rc = read_type(f, &o);
    }
    if (rc == NC_NOERR)
        *out = o;
    else
        ncz_hdf5_object_clear(&o);
    return rc;
}

void
ncz_hdf5_object_clear(ncz_hdf5_object *o)
{
    ncz_arena_clear(&o->arena);
    ncz_arena_clear(&o->header);
    *o = (ncz_hdf5_object){.addr = NCZ_HDF5_NONE, .kind = NCZ_HDF5_OTHER};
}

void
ncz_hdf5_object_drop_header(ncz_hdf5_object *o)
{
    ncz_arena_clear(&o->header);
    o->messages = NULL;
    o->nmessages = 0;
}
