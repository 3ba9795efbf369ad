/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What codecs keep from one chunk to the next: library contexts and scratch memory, one of each per thread. They are
 * made on first use and freed when the thread ends. A kept object belongs to the thread and is valid until the same
 * codec asks for the slot again. Codecs that run inside one another use different slots.
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
    NCZ_SLOT_DEFLATE_SAMPLE,
    NCZ_SLOT_BLOSC_BLOCK,
    NCZ_SLOT_COUNT,
} ncz_thread_slot;

/* The object in that slot, made if the slot is empty. NULL: it cannot be made, or cannot be freed when the thread
 * ends. */
void *ncz_codec_thread_get(ncz_thread_slot place, void *(*make)(void), void (*drop)(void *));

/* Frees the object now, because it has become too large to keep. */
void ncz_codec_thread_free(ncz_thread_slot place);

/*
 * Memory of `nbytes`, not initialised; NULL: none. A later call for the same slot reuses it. Memory larger than
 * NCZ_CODEC_SCRATCH_MAX is not kept: ncz_codec_scratch_done() frees it.
 */
#define NCZ_CODEC_SCRATCH_MAX ((size_t)4 << 20)
void *ncz_codec_scratch(ncz_thread_slot place, size_t nbytes);
void  ncz_codec_scratch_done(ncz_thread_slot place);

#endif /* NCZ_FILTER_KEEP_INT_H */
