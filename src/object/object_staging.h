/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_staging: what is staged, by object. Under the lock, where nothing else is said.
 */
#ifndef NCZ_OBJECT_STAGING_H
#define NCZ_OBJECT_STAGING_H

#include "object/object.h"

/* What is staged for one object. */
struct ncz_staged_object {
    ncz_object_entry   entry;
    ncz_staged_object *older, *newer;
    ncz_spec          *spec;
    ncz_object        *storing;         /* while a thread stores it; else NULL */
    bool               spilling;        /* a thread spills it. Both keep it in the table, */
    unsigned           holders;         /* and so do threads that stage a chunk of it */
    ncz_object_draft  *draft;           /* or NULL */
    bool               drafting;        /* a holder begins the draft */
    bool               no_draft;        /* it cannot have one */
    bool               complete;        /* as counted in `ncomplete` */
    uint64_t           tried;           /* the last flush that stored it */
    size_t             nchunks, needed; /* staged chunks; those that make the object complete */
    size_t             nmemory;         /* staged chunks that are in memory */
    size_t             nbytes;          /* memory, also counted in the cache's `used` */
    ncz_staged_chunk **chunks;          /* by slot */
    uint64_t           first[];         /* index of the object's first chunk */
};

/* Makes a staged chunk what is staged in a slot of a held object. Takes the reference. */
void ncz_object_staging_set(ncz_objects *objects, ncz_staged_object *s, size_t slot, ncz_staged_chunk *chunk);
/* What is staged for the object of that chunk, also if that is nothing yet. It stays in the table, and is not stored,
 * until it is released. */
int  ncz_object_staging_hold(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index,
                             ncz_staged_object **out);
void ncz_object_staging_release(ncz_objects *objects, ncz_staged_object *s);

/* Stages a chunk. Takes the reference on success. */
int ncz_object_staging_add(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index, ncz_staged_chunk *chunk,
                           ncz_staged_object **out);
/* Whether anything is staged for the object of that chunk. */
bool ncz_object_staging_has(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index);
/* A reference to a staged chunk, for ncz_object_staged_drop(). NULL: it is not staged. */
ncz_staged_chunk *ncz_object_staging_chunk(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index);

/* Claims an object for storing. False: another thread stores it. */
bool ncz_object_staging_claim(ncz_objects *objects, ncz_staged_object *s);
/* Claims an object that is complete and was not stored yet, since it was being stored or spilled then; or NULL. */
ncz_staged_object *ncz_object_staging_claim_complete(ncz_objects *objects);
/* Claims objects of one variable (uid 0: of all) that this flush has not tried yet. Returns how many. */
size_t ncz_object_staging_claim_some(ncz_objects *objects, uint64_t uid, uint64_t pass, ncz_staged_object **out,
                                     size_t most);
/* Whether this flush could not try one, for want of memory. */
bool ncz_object_staging_untried(const ncz_objects *objects, uint64_t uid, uint64_t pass);
/*
 * Without the lock: takes references to the staged chunks of an object, by slot, for the thread that stores it. Returns
 * true if they are all chunks of the object, and all their elements were written here.
 */
bool ncz_object_staging_take(ncz_objects *objects, ncz_staged_object *s, ncz_staged_chunk **chunks);
/* Without the lock: gives the references back and ends the claim. `stored`: drops those chunks. `chunks` NULL: none
 * were taken. */
void ncz_object_staging_end(ncz_objects *objects, ncz_staged_object *s, ncz_staged_chunk **chunks, bool stored);

void ncz_object_staging_again(ncz_objects *objects, const ncz_spec *spec, const uint64_t *index); /* clears `tried` */
bool ncz_object_staging_is_storing(const ncz_objects *objects, uint64_t uid);
size_t ncz_object_staging_count(const ncz_objects *objects);          /* of all chunks that are staged */
bool   ncz_object_staging_forget(ncz_objects *objects, uint64_t uid); /* true: some are being stored */
/*
 * Moves staged chunks of the longest unchanged object to the spill file. Releases the lock meanwhile. False: there are
 * none, or they cannot be spilled.
 */
bool ncz_object_staging_spill(ncz_objects *objects);

#endif /* NCZ_OBJECT_STAGING_H */
