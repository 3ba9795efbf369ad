/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects that are kept for each thread.
 *
 * They are in thread-local memory, so they need no lock and leak checkers see them. The pthread key exists only for
 * its destructor, which runs at the end of each thread that keeps something. The key is deleted when the library is
 * unloaded; otherwise the next thread to end would call a destructor that is no longer mapped.
 */
#include "codecs/thread_cache_int.h"

#include "util/util.h"

#include <pthread.h>

typedef struct kept {
    void *thing;
    void (*drop)(void *);
    size_t nbytes; /* scratch only */
} kept;

static _Thread_local kept mine[NCZ_SLOT_COUNT];

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t  key;
static bool           has_key;

static void
drop(kept *k)
{
    if (k->thing != NULL)
        k->drop(k->thing);
    *k = (kept){NULL, NULL, 0};
}

static void
drop_all(void *all)
{
    for (size_t i = 0; i < NCZ_SLOT_COUNT; i++)
        drop((kept *)all + i);
}

static void
make_key(void)
{
    has_key = pthread_key_create(&key, drop_all) == 0;
}

/* Makes sure that this thread's objects are freed at its end. */
static bool
armed(void)
{
    pthread_once(&once, make_key);
    return has_key && (pthread_getspecific(key) != NULL || pthread_setspecific(key, mine) == 0);
}

/* The priority makes it run after the pool's destructor: the workers end first and free what they keep. */
__attribute__((destructor(1000))) static void
unload(void)
{
    drop_all(mine);
    if (has_key)
        pthread_key_delete(key);
    has_key = false;
}

void *
ncz_codec_thread_get(ncz_thread_slot place, void *(*make)(void), void (*drop_it)(void *))
{
    kept *k = &mine[place];

    if (k->thing == NULL && armed())
        *k = (kept){.thing = make(), .drop = drop_it};
    return k->thing;
}

void
ncz_codec_thread_free(ncz_thread_slot place)
{
    drop(&mine[place]);
}

void *
ncz_codec_scratch(ncz_thread_slot place, size_t nbytes)
{
    kept *k = &mine[place];

    if (k->nbytes >= nbytes && k->thing != NULL)
        return k->thing;
    drop(k);
    if (armed())
        *k = (kept){.thing = ncz_alloc(nbytes), .drop = ncz_free, .nbytes = nbytes};
    return k->thing;
}

void
ncz_codec_scratch_done(ncz_thread_slot place)
{
    if (mine[place].nbytes > NCZ_CODEC_SCRATCH_MAX)
        drop(&mine[place]);
}
