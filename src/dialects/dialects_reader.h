/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dialects_reader: where the bytes of a file come from whose structure is read: from the source of documents while it
 * is loaded, and from the engine's store when chunks are looked up later. So each caller sets the reader for its call.
 */
#ifndef NCZ_DIALECTS_READER_H
#define NCZ_DIALECTS_READER_H

#include "format/format_int.h"

typedef struct ncz_dialects_reader {
    int (*read)(void *arg, const ncz_read_range *ranges, size_t n);
    void *arg;
    bool  loads; /* the source of documents: what the file lacks is damage of its structure */
} ncz_dialects_reader;

/* The `read` of an ncz_read_source whose `arg` is a reader. */
int ncz_dialects_read_ranges(void *reader, const ncz_read_range *ranges, size_t n);

/* The source of a file that is loaded. *now, which lives as long as the file, becomes the reader of the documents. */
ncz_read_source ncz_dialects_source(const ncz_loader *l, uint64_t size, ncz_dialects_reader *now);

#endif /* NCZ_DIALECTS_READER_H */
