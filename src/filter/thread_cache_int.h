/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What codecs keep from one chunk to the next: library contexts and scratch memory, one of each for each thread, made
 * when first asked for and given back when the thread ends. A thing kept is the thread's own, and good until the same
 * codec asks again; codecs that run inside one another keep different things.
 */
#ifndef NCZ_FILTER_KEEP_INT_H
#define NCZ_FILTER_KEEP_INT_H

#include <stddef.h>

typedef enum ncz_thread_slot {
    NCZ_SLOT_ZSTD_ENCODER,
    NCZ_SLOT_ZSTD_DECODER,
    NCZ_SLOT_INFLATER,
    NCZ_SLOT_DEFLATER,
    NCZ_SLOT_DEFLATER_LOW,
    NCZ_SLOT_BLOSC_BLOCK,
    NCZ_SLOT_COUNT,
} ncz_thread_slot;

/* The thing in that place, made if there is none. NULL: it could not be made, or could not be given back later. */
void *ncz_codec_thread_get(ncz_thread_slot place, void *(*make)(void), void (*drop)(void *));

/* Gives it back now: it has become too large to keep. */
void ncz_codec_thread_free(ncz_thread_slot place);

/*
 * Memory of `nbytes`, not initialised, NULL when there is none. A later call in the same place takes it away again.
 * What is above NCZ_CODEC_SCRATCH_MAX is not kept: ncz_codec_scratch_done() gives it back.
 */
#define NCZ_CODEC_SCRATCH_MAX ((size_t)4 << 20)
void *ncz_codec_scratch(ncz_thread_slot place, size_t nbytes);
void  ncz_codec_scratch_done(ncz_thread_slot place);

#endif /* NCZ_FILTER_KEEP_INT_H */
