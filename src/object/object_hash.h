/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_hash: a hash table of objects, under the lock.
 */
#ifndef NCZ_OBJECT_HASH_H
#define NCZ_OBJECT_HASH_H

#include "object/object.h"

int  ncz_object_hash_add(ncz_object_hash *t, ncz_object_entry *e, uint64_t hash);
void ncz_object_hash_del(ncz_object_hash *t, ncz_object_entry *e);
/* The first entry of the bucket of that hash, or NULL; `beside` leads to the others, of any hash. */
ncz_object_entry *ncz_object_hash_first(const ncz_object_hash *t, uint64_t hash);
void              ncz_object_hash_clear(ncz_object_hash *t); /* frees the buckets of a table without entries */

#endif /* NCZ_OBJECT_HASH_H */
