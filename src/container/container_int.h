/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this module share. Each uses only those that stand before it:
 *
 *   container_file.c     bytes of the file, and its free room; small chunks that wait to be written together
 *   container_heap.c     collections of the global heap
 *   container_arrays.c   the table of arrays
 *   container_chunks.c   chunked arrays
 *   container_pieces.c   contiguous and compact ones
 *   container_define.c   adding and removing arrays
 *   container_objects.c  keys; get, put, del, list and walk
 *   container_commit.c   layouts and commits
 *   container.c          opening and closing, the table of the map
 *
 * Locks: `gate` is shared by what reads and writes objects, and exclusive for all else; then `pieces`, which gets of
 * contiguous arrays share and a put has alone; then `lock`, which no file is read or written under but for small
 * chunks, and pieces that move.
 */
#ifndef NCZ_CONTAINER_INT_H
#define NCZ_CONTAINER_INT_H

#include "container/container.h"
#include "util/rwlock.h"
#include "zmap/zmap_int.h"

#include <inttypes.h>
#include <pthread.h>

enum {
    NCZ_CONTAINER_SUPERBLOCK = 48,
    NCZ_CONTAINER_WRITE_MOST = 8 << 20, /* bytes that are written with one call */
};

typedef struct container_array       container_array;
typedef struct container_collections container_collections;

/* An array, and where its data are. `given` is what the caller said; its pointers but for `fill` are the caller's. */
struct container_array {
    ncz_container_array given;
    unsigned char      *fill;    /* an element, or NULL for zeros */
    bool                changed; /* other than `given.kept`, if it is there */
    bool                unlaid;  /* changed since its layout was asked for */
    ncz_hdf5_tree      *tree;    /* chunked: once it is used */
    bool                written; /* chunked: nodes of the tree were */
    /* contiguous and compact: */
    unsigned       cut; /* the dimension that pieces divide */
    uint64_t       nbytes, npieces;
    size_t         piece;  /* bytes of a whole piece */
    uint64_t       nput;   /* pieces that were put */
    unsigned char *put;    /* a bit for each; NULL: none or all, as nput says */
    bool           filled; /* contiguous: fill is written where nothing was put */
    uint32_t      *tags;   /* of pieces whose elements live in heaps; NULL: none has any */
    uint64_t       data;   /* contiguous: where */
    uint32_t       stamp;  /* contiguous: of `data` */
    unsigned char *bytes;  /* compact */
};

typedef struct container {
    zmap             base;
    zmap            *file;
    pthread_rwlock_t gate;
    ncz_rwlock       pieces; /* no get sees half of a piece that is put in place */
    pthread_mutex_t  lock;   /* guards what follows */
    ncz_hdf5_room   *room;
    size_t           readers; /* gets that read the file now */
    bool             changed; /* since the last commit */
    /* Bytes that wait to be written, from `waiting_at` on. */
    uint64_t waiting_at;
    ncz_buf  waiting;

    container_array      **arrays; /* a hash table by uid, with free slots */
    size_t                 narrays, nslots;
    size_t                 nunlaid;
    container_collections *heap;

    /* ---- commits; with the gate alone ---- */
    unsigned            k;
    bool                made;          /* a new file */
    uint64_t            committed;     /* the end of the last commit; 0: there is none yet */
    uint64_t            extension;     /* where the superblock's extension is; NCZ_HDF5_NONE: there is none */
    bool                has_extension; /* it is written */
    bool                uncertain;     /* a superblock was written, and may or may not be the file's */
    ncz_container_range front, image;
    uint32_t            image_stamp;
} container;

/* What is put: bytes in memory, or in another store. */
typedef struct container_bytes {
    const void        *data;
    size_t             len;
    const zmap_source *from; /* instead of `data`, of chunks for which ncz_container_copies(). Or NULL */
} container_bytes;

/* ---- container_file.c ---- */

/* Both may be called without the lock. */
int ncz_container_write_at(void *arg, uint64_t addr, const void *bytes, size_t len); /* arg: the container */
int ncz_container_read_at(container *c, uint64_t addr, void *into, size_t len);
int ncz_container_write_bytes(container *c, uint64_t addr, const container_bytes *b);
/* Whether so many bytes of a chunk can come from another store: they do not wait. */
bool ncz_container_copies(size_t len);
/*
 * With the lock: takes room for data and, if they are few, writes them there; *written says whether. Else the caller
 * writes them, without the lock.
 */
int  ncz_container_place(container *c, const container_bytes *b, uint64_t *addr, bool *written);
bool ncz_container_is_waiting(const container *c, uint64_t addr); /* ... to be written; with the lock */
/* With the lock: room at an address that leaves the remainder of `phase`. */
int  ncz_container_take(container *c, uint64_t len, uint64_t align, uint64_t phase, uint64_t *addr);
void ncz_container_give(container *c, uint64_t addr, uint64_t len, uint32_t stamp); /* with the lock */
int  ncz_container_write_waiting(container *c); /* with the lock, or the gate alone */

/* ---- container_heap.c ---- */

/*
 * A tag is a list of collections that elements of one chunk name; 0: it names none. A collection gives its room up when
 * no tag has it.
 */
void ncz_container_heap_clear(container *c);
void ncz_container_heap_release(container *c, uint32_t tag); /* with the lock */
/* Converts an object to bytes of the file. Without the lock. *tag is to be released, or kept with the chunk. */
int ncz_container_heap_out(container *c, const container_array *a, const void *in, size_t n, ncz_buf *out,
                           uint32_t *tag);
int ncz_container_heap_in(container *c, const container_array *a, const void *bytes, size_t n, uint32_t mask,
                          ncz_buf *out);
/* Writes the collection that is being filled, and closes it. With the gate alone. */
int ncz_container_heap_write(container *c);

/* ---- container_arrays.c ---- */

container_array *ncz_container_find(const container *c, uint64_t uid);  /* NULL: there is none */
int              ncz_container_enter(container *c, container_array *a); /* takes it on success; it is not there yet */
void             ncz_container_remove(container *c, container_array *a); /* and frees it */
void             ncz_container_array_free(container_array *a);
void             ncz_container_arrays_clear(container *c);
/* The array is changed; with the lock. */
void ncz_container_note_change(container *c, container_array *a);
/* Bytes of elements that are fill. */
void ncz_container_fill(const container_array *a, void *out, size_t len);

/* ---- container_chunks.c: `at` is of the array's rank ---- */

/* Ends all requests, which are answered from one version of the chunk. So does the one of pieces. */
void ncz_container_chunk_get(container *c, container_array *a, const uint64_t *at, zmap_get_req *reqs, size_t n);
int  ncz_container_chunk_len(container *c, container_array *a, const uint64_t *at, uint64_t *len);
/* Takes the tag on success. So does the one of pieces. */
int ncz_container_chunk_put(container *c, container_array *a, const uint64_t *at, const container_bytes *b,
                            uint32_t tag);
int ncz_container_chunk_del(container *c, container_array *a, const uint64_t *at);
int ncz_container_chunk_layout(container *c, container_array *a, ncz_hdf5_layout *out);
/* Makes the array's tree, and loads the chunks of an opened one; with the lock. */
int  ncz_container_chunk_tree(container *c, container_array *a);
void ncz_container_chunks_drop(container *c, container_array *a); /* gives their room up; with the lock */

/* ---- container_pieces.c ---- */

int  ncz_container_pieces_set(container_array *a); /* of an array without data: sizes and places */
void ncz_container_piece_get(container *c, container_array *a, const uint64_t *at, zmap_get_req *reqs, size_t n);
int  ncz_container_piece_len(container *c, container_array *a, const uint64_t *at, uint64_t *len);
int  ncz_container_piece_put(container *c, container_array *a, const uint64_t *at, const void *data, size_t len,
                             uint32_t tag);
int  ncz_container_piece_del(container *c, container_array *a, const uint64_t *at);
int  ncz_container_piece_layout(container *c, container_array *a, ncz_hdf5_layout *out);
/* With the lock. */
bool ncz_container_piece_there(const container_array *a, uint64_t number);
void ncz_container_piece_place(const container_array *a, uint64_t number, uint64_t *at);
void ncz_container_pieces_drop(container *c, container_array *a); /* gives their room up */

/* ---- container_objects.c ---- */

int ncz_container_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg);
int ncz_container_len(zmap *m, const char *key, uint64_t *len);
int ncz_container_put(zmap *m, zmap_put_req *reqs, size_t n);
int ncz_container_del(zmap *m, const char *const *keys, size_t n);
int ncz_container_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg);
int ncz_container_walk(zmap *m, const char *prefix, zmap_walk_fn each, void *arg);

#endif /* NCZ_CONTAINER_INT_H */
