/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collections of the global heap (III.E): objects one after the other, each with a head, padded to 8 bytes. Index 0 is
 * the free space at the end. What has fewer bytes than a head is no object.
 */
#include "hdf5/hdf5_write_int.h"

#include <string.h>

enum {
    HEAD = 16, /* a collection's: signature 4, version 1, reserved 3, size 8; an object's: index 2, references 2,
                  reserved 4, length 8 */
    OBJECTS_MOST = 65535,
};

bool
ncz_hdf5_collection_size(size_t len, size_t *size)
{
    size_t n;

    if (!ncz_add(len, (size_t)HEAD + HEAD + 7, &n))
        return false;
    n = n / 8 * 8;
    *size = n > NCZ_HDF5_COLLECTION_LEAST ? n : NCZ_HDF5_COLLECTION_LEAST;
    return true;
}

int
ncz_hdf5_collection_begin(ncz_hdf5_collection *c, size_t size)
{
    ncz_hdf5_out o;
    int          rc;

    size = size > SIZE_MAX - 7 ? SIZE_MAX / 8 * 8 : (size + 7) / 8 * 8;
    if (size < NCZ_HDF5_COLLECTION_LEAST)
        size = NCZ_HDF5_COLLECTION_LEAST;
    *c = (ncz_hdf5_collection){.bytes = NCZ_BUF_INIT, .used = HEAD};
    if ((rc = ncz_buf_reserve(&c->bytes, size)) != NC_NOERR)
        return rc;
    c->bytes.len = size;
    o = (ncz_hdf5_out){.bytes = (unsigned char *)c->bytes.data};
    ncz_hdf5_out_start(&o, "GCOL", 1);
    ncz_hdf5_out_zeros(&o, 3);
    ncz_hdf5_out_uint(&o, size, 8);
    return NC_NOERR;
}

static void
put_head(ncz_hdf5_out *o, uint32_t index, uint64_t len)
{
    ncz_hdf5_out_uint(o, index, 2);
    ncz_hdf5_out_uint(o, 0, 2 + 4); /* references, reserved */
    ncz_hdf5_out_uint(o, len, 8);
}

bool
ncz_hdf5_collection_add(ncz_hdf5_collection *c, const void *bytes, size_t len, uint32_t *index, unsigned char **at)
{
    size_t       left = c->bytes.len - c->used;
    ncz_hdf5_out o = {.bytes = (unsigned char *)c->bytes.data, .n = c->used};

    if (c->n == OBJECTS_MOST || left < HEAD || len > left - HEAD)
        return false;
    *index = ++c->n;
    put_head(&o, c->n, len);
    if (at != NULL)
        *at = o.bytes + o.n;
    ncz_hdf5_out_bytes(&o, bytes, len);
    ncz_hdf5_out_align(&o);
    c->used = (size_t)o.n;
    return true;
}

void
ncz_hdf5_collection_end(ncz_hdf5_collection *c)
{
    size_t       left = c->bytes.len - c->used;
    ncz_hdf5_out o = {.bytes = (unsigned char *)c->bytes.data, .n = c->used};

    if (left >= HEAD)
        put_head(&o, 0, left);
    ncz_hdf5_out_zeros(&o, c->bytes.len - o.n);
}

void
ncz_hdf5_collection_cut(ncz_hdf5_collection *c)
{
    size_t       size = c->used > NCZ_HDF5_COLLECTION_LEAST ? c->used : NCZ_HDF5_COLLECTION_LEAST;
    ncz_hdf5_out o = {.bytes = (unsigned char *)c->bytes.data};

    c->bytes.len = size;
    ncz_hdf5_out_set(&o, HEAD - 8, size, 8);
    ncz_hdf5_collection_end(c);
}

void
ncz_hdf5_collection_clear(ncz_hdf5_collection *c)
{
    ncz_buf_clear(&c->bytes);
    c->used = 0;
    c->n = 0;
}

void
ncz_hdf5_heap_id_put(unsigned char *element, uint32_t nelems, uint64_t addr, uint32_t index)
{
    ncz_hdf5_set_uint(element, nelems, 4);
    ncz_hdf5_set_uint(element + 4, addr, 8);
    ncz_hdf5_set_uint(element + 12, index, 4);
}
