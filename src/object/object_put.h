/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_put: an object that is being stored, and the steps of that. An object has one slot or more; a chunk that is an
 * object of its own is the simplest case. object_store.c has the order of the steps: object_put.c begins and ends,
 * object_read_kept.c reads what the object keeps, object_merge.c lays chunks that were written in part over those of
 * another writer, and object_assemble.c makes its bytes.
 */
#ifndef NCZ_OBJECT_PUT_H
#define NCZ_OBJECT_PUT_H

#include "object/object_spill.h"
#include "object/object_staged_chunk.h"
#include "object/object_store.h"

struct ncz_object_put {
    ncz_objects       *objects; /* NULL: there is nothing to store */
    ncz_object_item   *item;    /* the chunk that is the object; or */
    ncz_staged_object *staged;  /* what is staged for the object, claimed; or neither: its chunk gets wider */
    const ncz_spec    *spec;
    ncz_buf            key_room;
    const char        *key;
    size_t             nslots;
    ncz_staged_chunk **taken;   /* chunks to be stored, `nslots` entries, as the next three have */
    ncz_slot          *slots;   /* of the stored object; with object_read_kept.c's ranges, offsets in `kept` */
    ncz_slot_bytes    *encoded; /* of the new object */
    ncz_staged_chunk **merged;  /* chunks to be stored instead of those taken; entries and array may be NULL */
    char              *data;    /* with `item`: the merged chunk, decoded; or NULL */
    void              *mapped;  /* of the spill file, or NULL */
    uint64_t           mapped_bytes;
    ncz_buf            old;     /* the stored object, or the ranges that are kept of it */
    ncz_object_temp    carried; /* what `old` would hold if it is too large for memory */
    const char        *kept;    /* one of the two */
    ncz_buf            fresh;   /* the new object or, with `parts` or `made`, its index */
    ncz_object_temp    made;    /* the new object, where it is too large for memory */
    zmap_part         *parts;   /* the new object, where the store takes it so; or NULL */
    size_t             nparts, nbytes;
    char               version[ZMAP_VERSION];
    char               stored[ZMAP_VERSION]; /* the version that the put has made; "": unknown */
    bool               plain;                /* its one chunk is all of its bytes */
    bool               there;                /* the object exists, as far as is known */
    bool               partial;  /* it keeps chunks or elements, so it is put over the known version only */
    bool               read;     /* it is partial, and what it keeps or the version must be read */
    bool               empty;    /* no chunk is left in it */
    bool               deleting; /* with others, without a condition */
    bool               large;    /* it is not got whole, but in ranges */
    bool               changed;  /* another writer changed it while it was read: it is read again */
    bool               no_temp;  /* there is no room for temporary files: it is kept in memory */
    bool               drafted;  /* the new object is its draft, of `nbytes` bytes */
    bool               pending;  /* not stored yet */
    ncz_err            err;

    struct { /* `taken`, `slots` and `encoded` of one chunk */
        ncz_staged_chunk chunk, *taken;
        ncz_slot         slot;
        ncz_slot_bytes   bytes;
    } one;
};

/* ---- object_put.c ---- */

/*
 * Begins to store a chunk: encodes it, and stages it where its object holds others. o->objects is NULL then, unless it
 * completes its object, and nothing is left to be stored.
 */
int ncz_object_put_begin(ncz_object_put *o, ncz_objects *objects, ncz_object_item *item, ncz_buf *key, ncz_buf *body,
                         ncz_scratch *scratch);
/* Begins to store what is staged for an object. */
void ncz_object_put_begin_staged(ncz_object_put *o, ncz_objects *objects, ncz_staged_object *s);
/* Begins to store a chunk again if it is narrower than its array. */
void ncz_object_put_begin_wider(ncz_object_put *o, ncz_objects *objects, const ncz_spec *spec, const uint64_t *index);
void ncz_object_put_end(ncz_object_put *o);

/* ---- object_read_kept.c ---- */

/*
 * Gets what the objects keep: those that may be small, whole and in one batch; the others by their index, and then in
 * ranges. `reqs`: n entries for its own use. An object that another writer changes meanwhile gets `changed`.
 */
void ncz_object_read_kept(ncz_objects *objects, ncz_object_put *puts, size_t n, zmap_get_req *reqs);

/* ---- object_assemble.c ---- */

/* Whether the object is put from where its chunks are. */
bool ncz_object_put_takes_parts(const ncz_object_put *o);
/* Merges and assembles object `i` of an array of ncz_object_put. */
void ncz_object_put_assemble(void *puts, size_t i, ncz_scratch *scratch);

/* ---- object_draft_put.c ---- */

/* Whether its draft can become the object: it has all chunks that the object is to have, or has room for them. */
bool ncz_object_put_is_draft(const ncz_object_put *o);
int  ncz_object_put_end_draft(ncz_object_put *o);  /* writes what is missing, and the index */
int  ncz_object_put_map_drafts(ncz_object_put *o); /* else: so that the bytes of its chunks can be put */
/* On the conditions of that put. Sets o->stored. True: another writer was first. */
bool ncz_object_put_publish_draft(ncz_object_put *o, const zmap_put_req *put, int *rc);

/* ---- object_merge.c ---- */

/* Once the object is read: whether the stored bytes of a chunk are needed. */
bool ncz_object_put_keeps(const ncz_object_put *o, size_t slot);
/* Merges all chunks that need it. Sets o->merged. */
int  ncz_object_put_merge(ncz_object_put *o, ncz_scratch *scratch);
void ncz_object_put_drop_merged(ncz_object_put *o);
/*
 * After the put, before the claim ends: cached chunks that were staged in it are of the version o->stored from now on.
 * Those that were merged are dropped from the cache, since they lack the other writer's elements.
 */
void ncz_object_put_settle(ncz_object_put *o);

/* ---- object_conflict.c ---- */

void ncz_object_put_fail(ncz_object_put *o, int rc);
/* The bytes of a chunk that was taken; in a draft that becomes the object only their number. NULL: only fill. */
ncz_slot_bytes ncz_object_put_bytes_of(const ncz_object_put *o, const ncz_staged_chunk *p);

/* After puts: a server that turns out to have no conditions gets them again, without. The log says what that means. */
void ncz_object_put_again(ncz_objects *objects, zmap_put_req *reqs, size_t n);
bool ncz_object_put_conflicts(const zmap_put_req *req); /* another writer was first */
/* A random pause after a conflict, longer after many tries, so that writers that met once do not meet again. */
void ncz_object_pause_writer(const void *writer, int tries);

#endif /* NCZ_OBJECT_PUT_H */
