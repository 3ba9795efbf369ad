/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing: the metadata of an HDF5 file, made as one block, its image. Object headers, links, attributes and what they
 * have in heaps are described with the structs of the reader, and made in two passes: sizes first, which need no
 * address, then the bytes for the address at which the block will lie. It writes no file, and chunks are not its
 * matter (hdf5_tree.h).
 *
 * What comes out is read by every libhdf5 from 1.8 on, which can also change it: superblock 2, headers 2, links and
 * attributes in the header up to 8, else dense. Nothing in it depends on the time or the process.
 *
 * Addresses and lengths have 8 bytes. An image is used by one thread at a time.
 */
#ifndef NCZ_HDF5_WRITE_H
#define NCZ_HDF5_WRITE_H

#include "hdf5/hdf5.h"

/* ---- the image (hdf5_write_image.c) ----------------------------------------------------------------------------- */

typedef struct ncz_hdf5_image ncz_hdf5_image;

int  ncz_hdf5_image_new(ncz_hdf5_image **out);
void ncz_hdf5_image_free(ncz_hdf5_image *img); /* NULL is fine */

/* A number for an object that is described later, so that others can name it: 0 at the first call, which is the root
 * group, then 1, 2 ... */
int ncz_hdf5_image_number(ncz_hdf5_image *img, size_t *number);
/*
 * What it is: kind, type, space, layout, fill, filters, links and attributes of `o`, as the reader has them; what its
 * address, arena and messages say is not looked at, but for the message of a layout of version 4 or 5, which is taken
 * over. In hard links `addr` is the NUMBER of an object. The address of a layout is one in the file. Types are
 * repeated where they are used, not shared. An order of -1 in a link, or in an attribute, says that the object does
 * not track it. netCDF-C's NC_NOFILL is a fill whose state is DEFAULT, and that is `never` written.
 *
 * `o` itself is copied. What it points to lives until the image is freed, and is not changed but for the bytes that
 * ncz_hdf5_image_refer() and _heap() name.
 */
int ncz_hdf5_image_describe(ncz_hdf5_image *img, size_t number, const ncz_hdf5_object *o);
/* When the image is made, these 8 bytes become the address of the object: in an attribute's data, a fill value, or the
 * copy of bytes in the heap. */
int ncz_hdf5_image_refer(ncz_hdf5_image *img, unsigned char *at, size_t number);
/*
 * Bytes for the global heap, which must be those of `nelems` items: the characters of a string without a NUL.
 * `element`: the 16 bytes of an element of variable length that will name them: their number, the place in the heap. It
 * is written when the image is made. *copy: where the bytes are until then, to refer() from them; `copy` may be NULL.
 * With `bytes` NULL the element names nothing, as libhdf5 writes a string that is NULL, and any other element of no
 * items; an empty string is an object of no bytes.
 */
int ncz_hdf5_image_heap(ncz_hdf5_image *img, const void *bytes, size_t len, uint32_t nelems, unsigned char *element,
                        unsigned char **copy);
/* All is described: how many bytes it takes, a multiple of 8. */
int ncz_hdf5_image_measure(ncz_hdf5_image *img, uint64_t *size);
/* Its bytes if it begins at that address, a multiple of 8, in place of what `out` holds. *root: the address of the root
 * group. It can be made again, for another address. */
int ncz_hdf5_image_make(ncz_hdf5_image *img, uint64_t addr, ncz_buf *out, uint64_t *root);

/* ---- the superblock (hdf5_write_superblock.c) ------------------------------------------------------------------- */

enum { NCZ_HDF5_SUPERBLOCK = 48 };

/* `root`, `end` of the file, `extension` (NCZ_HDF5_NONE: there is none): addresses. */
void ncz_hdf5_superblock_make(uint64_t root, uint64_t end, uint64_t extension,
                              unsigned char out[NCZ_HDF5_SUPERBLOCK]);
/* Appends the extension, which says that nodes of chunk trees have 2 * k children; without one k is 32. */
int ncz_hdf5_extension_make(unsigned k, ncz_buf *out);

/* ---- collections of the global heap (hdf5_write_collection.c) --------------------------------------------------- */

enum { NCZ_HDF5_COLLECTION_LEAST = 4096 };

/* A collection while it is filled (III.E). `bytes` do not move until it is cleared. */
typedef struct ncz_hdf5_collection {
    ncz_buf  bytes; /* all of it */
    size_t   used;
    uint32_t n; /* objects */
} ncz_hdf5_collection;

/* Of that size, made a multiple of 8, at least NCZ_HDF5_COLLECTION_LEAST. */
int ncz_hdf5_collection_begin(ncz_hdf5_collection *c, size_t size);
/* The size of a collection for one object of that length; false: it is too long. */
bool ncz_hdf5_collection_size(size_t len, size_t *size);
/* *at: where the bytes are, or NULL. False: it is full. */
bool ncz_hdf5_collection_add(ncz_hdf5_collection *c, const void *bytes, size_t len, uint32_t *index,
                             unsigned char **at);
/* Notes the free space. The bytes are whole then, and again after a later add and end. */
void ncz_hdf5_collection_end(ncz_hdf5_collection *c);
/* The same, and cuts off what is free of the bytes, as far as a collection may be short. None is added then. */
void ncz_hdf5_collection_cut(ncz_hdf5_collection *c);
void ncz_hdf5_collection_clear(ncz_hdf5_collection *c); /* may be called twice */
/* The 16 bytes of an element of variable length (III.E, IV.B). */
void ncz_hdf5_heap_id_put(unsigned char *element, uint32_t nelems, uint64_t addr, uint32_t index);

#endif /* NCZ_HDF5_WRITE_H */
