/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dialects_reader: where the bytes of a file come from whose structure is read: from the source of documents while it
 * is loaded, and from the engine's store when chunks are looked up later. So each caller sets the reader for its call.
 */
#ifndef NCZ_DIALECTS_READER_H
#define NCZ_DIALECTS_READER_H

#include "util/util.h"

typedef struct ncz_dialects_reader {
    int (*read)(void *arg, const ncz_read_range *ranges, size_t n);
    void *arg;
    bool  loads; /* the source of documents: what the file lacks is damage of its structure */
} ncz_dialects_reader;

/* The `read` of an ncz_read_source whose `arg` is a reader. */
int ncz_dialects_read_ranges(void *reader, const ncz_read_range *ranges, size_t n);

#endif /* NCZ_DIALECTS_READER_H */
