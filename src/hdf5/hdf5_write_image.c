/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The image: what is described is measured, then made for an address.
 *
 * 1. All objects are put once without memory, which gives the place of each header; collections of the heap follow.
 * 2. With an address these places are written where the caller said: elements of variable length and references.
 * 3. All objects are put again, into memory, with what the caller's bytes have now.
 */
#include "hdf5/hdf5_write_int.h"

#include <string.h>

enum { COLLECTION_MOST = 1 << 20 };

/* 8 bytes that become the address of an object, or of a collection. */
typedef struct patch {
    unsigned char *at;
    size_t         number;
} patch;

typedef struct patches {
    patch *v;
    size_t n, cap;
} patches;

struct ncz_hdf5_image {
    ncz_hdf5_drawn      *objects;
    size_t               n, cap;
    ncz_arena            arena;
    patches              references, elements;
    ncz_hdf5_collection *collections; /* the last one is being filled */
    size_t               ncollections, cap_collections;
    bool                 measured;
    uint64_t             size, collections_at; /* the second: where the first one is in the image */
};

int
ncz_hdf5_image_new(ncz_hdf5_image **out)
{
    ncz_hdf5_image *img = ncz_zalloc(sizeof *img);

    if (img == NULL)
        return ncz_fail_nomem(sizeof *img);
    img->arena = NCZ_ARENA_INIT;
    *out = img;
    return NC_NOERR;
}

void
ncz_hdf5_image_free(ncz_hdf5_image *img)
{
    if (img == NULL)
        return;
    for (size_t i = 0; i < img->ncollections; i++)
        ncz_hdf5_collection_clear(&img->collections[i]);
    ncz_free(img->collections);
    ncz_free(img->references.v);
    ncz_free(img->elements.v);
    ncz_free(img->objects);
    ncz_arena_clear(&img->arena);
    ncz_free(img);
}

/* ---- what is described ---- */

int
ncz_hdf5_image_number(ncz_hdf5_image *img, size_t *number)
{
    int rc = ncz_make_room(&img->objects, img->n, &img->cap, sizeof *img->objects);

    if (rc != NC_NOERR)
        return rc;
    img->objects[img->n] = (ncz_hdf5_drawn){.described = false};
    *number = img->n++;
    img->measured = false;
    return NC_NOERR;
}

int
ncz_hdf5_image_describe(ncz_hdf5_image *img, size_t number, const ncz_hdf5_object *o)
{
    if (number >= img->n)
        return ncz_fail(NC_EINTERNAL, "object %zu of %zu is described", number, img->n);
    img->measured = false;
    return ncz_hdf5_object_draw(o, &img->arena, &img->objects[number]);
}

static int
add_patch(patches *p, unsigned char *at, size_t number)
{
    int rc = ncz_make_room(&p->v, p->n, &p->cap, sizeof *p->v);

    if (rc == NC_NOERR)
        p->v[p->n++] = (patch){.at = at, .number = number};
    return rc;
}

int
ncz_hdf5_image_refer(ncz_hdf5_image *img, unsigned char *at, size_t number)
{
    if (number >= img->n)
        return ncz_fail(NC_EINTERNAL, "a reference to object %zu of %zu", number, img->n);
    return add_patch(&img->references, at, number);
}

/* Each collection has twice the size of the one before, up to a bound; or more, if an object needs it. */
static int
begin_collection(ncz_hdf5_image *img, size_t len)
{
    size_t size = NCZ_HDF5_COLLECTION_LEAST, least, before;
    int    rc;

    if (!ncz_hdf5_collection_size(len, &least))
        return ncz_fail_nomem(len);
    if (img->ncollections > 0) {
        before = img->collections[img->ncollections - 1].bytes.len;
        ncz_hdf5_collection_cut(&img->collections[img->ncollections - 1]);
        size = before < COLLECTION_MOST / 2 ? before * 2 : COLLECTION_MOST;
    }
    if ((rc = ncz_make_room(&img->collections, img->ncollections, &img->cap_collections, sizeof *img->collections)) !=
            NC_NOERR ||
        (rc = ncz_hdf5_collection_begin(&img->collections[img->ncollections], least > size ? least : size)) !=
            NC_NOERR)
        return rc;
    img->ncollections++;
    return NC_NOERR;
}

int
ncz_hdf5_image_heap(ncz_hdf5_image *img, const void *bytes, size_t len, uint32_t nelems, unsigned char *element,
                    unsigned char **copy)
{
    uint32_t       index;
    unsigned char *at = NULL;
    int            rc;

    if (bytes == NULL) {
        memset(element, 0, 16);
        if (copy != NULL)
            *copy = NULL;
        return NC_NOERR;
    }
    img->measured = false;
    if (img->ncollections == 0 ||
        !ncz_hdf5_collection_add(&img->collections[img->ncollections - 1], bytes, len, &index, &at)) {
        if ((rc = begin_collection(img, len)) != NC_NOERR)
            return rc;
        if (!ncz_hdf5_collection_add(&img->collections[img->ncollections - 1], bytes, len, &index, &at))
            return ncz_fail(NC_EINTERNAL, "a collection has no room for %zu bytes", len);
    }
    if ((rc = add_patch(&img->elements, element + 4, img->ncollections - 1)) != NC_NOERR)
        return rc;
    ncz_hdf5_heap_id_put(element, nelems, 0, index);
    if (copy != NULL)
        *copy = at;
    return NC_NOERR;
}

/* ---- sizes ---- */

/* The superblock counts for the root like a link to it. */
static int
count_references(ncz_hdf5_image *img)
{
    if (img->n == 0)
        return ncz_fail(NC_EINTERNAL, "there is no root group");
    for (size_t i = 0; i < img->n; i++) {
        if (!img->objects[i].described)
            return ncz_fail(NC_EINTERNAL, "object %zu of %zu is not described", i, img->n);
        img->objects[i].nrefs = i == 0 ? 1 : 0;
    }
    for (size_t i = 0; i < img->n; i++)
        for (size_t k = 0; k < img->objects[i].nlinks; k++) {
            const ncz_hdf5_link *l = &img->objects[i].links[k];

            if (l->kind == NCZ_HDF5_HARD && l->addr >= img->n)
                return ncz_fail(NC_EINTERNAL, "%s: a link to object %" PRIu64 " of %zu", l->name, l->addr, img->n);
            if (l->kind == NCZ_HDF5_HARD)
                img->objects[l->addr].nrefs++;
        }
    return NC_NOERR;
}

/* Puts all objects: where the header of each is comes to `at`, or is there already. */
static int
put_objects(ncz_hdf5_image *img, bool keep, ncz_hdf5_out *o)
{
    uint64_t at;
    int      rc;

    for (size_t i = 0; i < img->n; i++) {
        if ((rc = ncz_hdf5_object_put(img->objects, i, o, &at)) != NC_NOERR)
            return rc;
        if (keep)
            img->objects[i].at = at;
    }
    return NC_NOERR;
}

int
ncz_hdf5_image_measure(ncz_hdf5_image *img, uint64_t *size)
{
    ncz_hdf5_out o = {.bytes = NULL};
    int          rc;

    if (!img->measured) {
        if ((rc = count_references(img)) != NC_NOERR || (rc = put_objects(img, true, &o)) != NC_NOERR)
            return rc;
        img->collections_at = o.n;
        for (size_t i = 0; i < img->ncollections; i++) {
            ncz_hdf5_collection_cut(&img->collections[i]);
            o.n += img->collections[i].bytes.len;
        }
        img->size = o.n;
        img->measured = true;
    }
    *size = img->size;
    return NC_NOERR;
}

/* ---- bytes ---- */

/* What the caller's bytes name: objects, and collections. Elements have a place among these already. */
static int
patch_all(ncz_hdf5_image *img, uint64_t addr)
{
    uint64_t *places = ncz_alloc_n(img->ncollections, sizeof *places), at = addr + img->collections_at;

    if (places == NULL)
        return ncz_fail_nomem(img->ncollections * sizeof *places);
    for (size_t i = 0; i < img->ncollections; i++) {
        places[i] = at;
        at += img->collections[i].bytes.len;
    }
    for (size_t i = 0; i < img->elements.n; i++)
        ncz_hdf5_set_uint(img->elements.v[i].at, places[img->elements.v[i].number], 8);
    for (size_t i = 0; i < img->references.n; i++)
        ncz_hdf5_set_uint(img->references.v[i].at, addr + img->objects[img->references.v[i].number].at, 8);
    ncz_free(places);
    return NC_NOERR;
}

int
ncz_hdf5_image_make(ncz_hdf5_image *img, uint64_t addr, ncz_buf *out, uint64_t *root)
{
    ncz_hdf5_out o = {.addr = addr};
    uint64_t     size, end;
    int          rc;

    if ((rc = ncz_hdf5_image_measure(img, &size)) != NC_NOERR)
        return rc;
    if (addr % 8 != 0 || !ncz_add64(addr, size, &end) || size > SIZE_MAX)
        return ncz_fail(NC_EINTERNAL, "%" PRIu64 " bytes of metadata at address %" PRIu64, size, addr);
    ncz_buf_reset(out);
    if ((rc = ncz_buf_reserve(out, (size_t)size)) != NC_NOERR || (rc = patch_all(img, addr)) != NC_NOERR)
        return rc;
    o.bytes = (unsigned char *)out->data;
    if ((rc = put_objects(img, false, &o)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < img->ncollections; i++)
        ncz_hdf5_out_bytes(&o, img->collections[i].bytes.data, img->collections[i].bytes.len);
    out->len = (size_t)size;
    out->data[out->len] = 0;
    *root = addr + img->objects[0].at;
    return NC_NOERR;
}
