/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_spill: a temporary file for what does not fit in memory: staged chunks, or an object that is being stored.
 */
#ifndef NCZ_OBJECT_SPILL_H
#define NCZ_OBJECT_SPILL_H

#include "object/object.h"

/* Under the lock: reserves a place for the calling thread to write to. False: do not spill. */
bool ncz_object_spill_begin(ncz_object_spill *f, size_t nbytes, uint64_t *at);
bool ncz_object_spill_write(ncz_object_spill *f, const char *data, size_t nbytes, uint64_t at); /* false: logged */
void ncz_object_spill_end(ncz_object_spill *f, uint64_t kept);  /* how many of the bytes are in use now */
void ncz_object_spill_drop(ncz_object_spill *f, size_t nbytes); /* so many are no longer in use */
int  ncz_object_spill_read(const ncz_object_spill *f, char *out, size_t nbytes, uint64_t at);
int  ncz_object_spill_map(const ncz_object_spill *f, uint64_t nbytes, void **out);
void ncz_object_spill_unmap(void *map, uint64_t nbytes); /* NULL is fine */
void ncz_object_spill_close(ncz_object_spill *f);

/* A temporary file of one object, mapped into memory. */
typedef struct ncz_object_temp {
    ncz_object_spill file;
    void            *mapped; /* or NULL */
    uint64_t         nbytes;
} ncz_object_temp;

int  ncz_object_temp_map(ncz_object_temp *t, uint64_t nbytes); /* the first `nbytes` of its file */
void ncz_object_temp_unmap(ncz_object_temp *t);
void ncz_object_temp_close(ncz_object_temp *t); /* may be called twice */

#endif /* NCZ_OBJECT_SPILL_H */
