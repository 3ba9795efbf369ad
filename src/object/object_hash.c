/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * object_hash: a hash table of what is known of objects, and of what is staged for them. There may be many (a shard of
 * two chunks is one), so the table grows with them: on average at most one entry lies in a bucket. It shrinks when
 * entries are added to a table that is nearly empty. All functions need the lock.
 */
#include "object/object_hash.h"

enum { LEAST = 64 }; /* buckets; a power of 2, as is each size */

static ncz_object_entry **
bucket_of(const ncz_object_hash *t, uint64_t hash)
{
    return &t->buckets[(size_t)hash & (t->nbuckets - 1)];
}

/* A failure to allocate the buckets is harmless where there are some: the table then stays as it is. */
static bool
resize_table(ncz_object_hash *t, size_t nbuckets)
{
    ncz_object_entry **old = t->buckets, **buckets = ncz_zalloc_n(nbuckets, sizeof *buckets);
    size_t             nold = t->nbuckets;

    if (buckets == NULL)
        return false;
    t->buckets = buckets;
    t->nbuckets = nbuckets;
    for (size_t b = 0; b < nold; b++) {
        for (ncz_object_entry *e = old[b], *beside; e != NULL; e = beside) {
            ncz_object_entry **at = bucket_of(t, e->hash);

            beside = e->beside;
            e->beside = *at;
            *at = e;
        }
    }
    ncz_free(old);
    return true;
}

int
ncz_object_hash_add(ncz_object_hash *t, ncz_object_entry *e, uint64_t hash)
{
    ncz_object_entry **at;

    if (t->nbuckets == 0 && !resize_table(t, LEAST))
        return ncz_fail_nomem(LEAST * sizeof *t->buckets);
    if (t->n >= t->nbuckets)
        (void)resize_table(t, t->nbuckets * 2);
    else if (t->nbuckets > LEAST && t->n < t->nbuckets / 8)
        (void)resize_table(t, t->nbuckets / 2);
    at = bucket_of(t, hash);
    *e = (ncz_object_entry){.beside = *at, .hash = hash};
    *at = e;
    t->n++;
    return NC_NOERR;
}

void
ncz_object_hash_del(ncz_object_hash *t, ncz_object_entry *e)
{
    ncz_object_entry **at = bucket_of(t, e->hash);

    while (*at != e)
        at = &(*at)->beside;
    *at = e->beside;
    e->beside = NULL;
    t->n--;
}

ncz_object_entry *
ncz_object_hash_first(const ncz_object_hash *t, uint64_t hash)
{
    return t->n > 0 ? *bucket_of(t, hash) : NULL;
}

void
ncz_object_hash_clear(ncz_object_hash *t)
{
    ncz_free(t->buckets);
    *t = (ncz_object_hash){.buckets = NULL};
}
