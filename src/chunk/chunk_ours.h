/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chunk_ours: which elements of a chunk were written here, and how they are laid over those of another process.
 */
#ifndef NCZ_CHUNK_OURS_H
#define NCZ_CHUNK_OURS_H

#include "chunk/chunk_engine.h"

/* ---- chunk_ours.c ---- */

/* Whether parts of this variable's chunks may be written by several processes: the store has conditions. */
bool ncz_chunk_is_shared(const ncz_engine *e, const ncz_spec *spec);
/* Whether a piece that is whole ends inside its chunk, along a dimension that can grow. */
bool ncz_chunk_may_continue(const ncz_engine *e, const ncz_plan *plan, const ncz_piece *piece);
/* Call it before a piece of the chunk is changed, by the thread that may change it. */
int  ncz_chunk_note_write(const ncz_engine *e, ncz_chunk *chunk, const ncz_piece *piece);
bool ncz_chunk_note_row_bits(const ncz_engine *e, ncz_chunk *chunk, size_t at, size_t n);

/* In place the part that is put is one range of elements: it costs less than bits, and neighbours may be put, too. */
static inline void
ncz_chunk_note_range(ncz_chunk *chunk, uint64_t from, uint64_t last)
{
    bool more = chunk->state == NCZ_CHUNK_DIRTY;

    if (more && chunk->ours_end == 0) /* all is */
        return;
    if (!more || from < chunk->ours_from)
        chunk->ours_from = (size_t)from;
    if (!more || last >= chunk->ours_end)
        chunk->ours_end = (size_t)last + 1;
}

/* As ncz_chunk_note_write(), for n elements from `at` on in C order. False: out of memory, without a text. */
static inline bool
ncz_chunk_note_row(const ncz_engine *e, ncz_chunk *chunk, size_t at, size_t n)
{
    if (!e->windows)
        return ncz_chunk_note_row_bits(e, chunk, at, n);
    ncz_chunk_note_range(chunk, at, at + n - 1);
    return true;
}

void ncz_chunk_drop_ours(ncz_chunk *chunk);
bool ncz_chunk_all_ours(const ncz_spec *spec, const uint64_t *ours);
void ncz_chunk_set_version(ncz_chunk *chunk, const char *version); /* NULL or "": unknown */

#define NCZ_OURS_BITS 64

static inline bool
ncz_chunk_is_ours(const uint64_t *ours, size_t elem)
{
    return (ours[elem / NCZ_OURS_BITS] >> (elem % NCZ_OURS_BITS) & 1) != 0;
}

/* Gives the part what is known of the chunk's elements: which were written here, and over which version. */
int ncz_chunk_part_note(ncz_chunk_part *p, const ncz_chunk *chunk);
/* The part replaces `old`, which was not stored: what was written in `old` is written in it. */
void ncz_chunk_part_inherit(const ncz_spec *spec, ncz_chunk_part *p, const ncz_chunk_part *old);
void ncz_chunk_part_drop_ours(ncz_chunk_part *p);

/* ---- chunk_overlay.c ---- */

/* A stored chunk, and the elements that were written here to lay over it. */
typedef struct ncz_chunk_overlay {
    ncz_engine     *engine;
    const ncz_spec *spec;
    ncz_scratch    *scratch;
    const char     *key;    /* for texts */
    const char     *theirs; /* the stored bytes; NULL: there is no chunk */
    size_t          ntheirs;
    const char     *ours; /* decoded; NULL: only fill */
    const uint64_t *bits; /* which elements of it were written here */
} ncz_chunk_overlay;

/* Makes the decoded chunk in *data, which is NULL or the result of an earlier call. The caller frees it. */
int ncz_chunk_overlay_make(const ncz_chunk_overlay *o, char **data);
/* Decodes a chunk into new memory. */
int ncz_chunk_decode_new(const ncz_chunk_overlay *o, const char *bytes, size_t nbytes, char **data);

#endif /* NCZ_CHUNK_OURS_H */
