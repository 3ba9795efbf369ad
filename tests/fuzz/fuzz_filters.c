/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target: chunks of HDF5 files. The first bytes say which filters there are, which of them the chunk skips, what
 * the elements are and how many bytes are wanted (less than 1 MiB); then come the words of each filter, and the chunk.
 * tests/fuzz/pack_filters makes such inputs. Whatever it is, decoding must end in an error with a text, or in exactly
 * what was wanted.
 *
 * With NCZ_FUZZ_REACHED set the end of the run tells of each filter how many chunks it decoded.
 */
#include "filter/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

#define FILTERS_MOST 3
#define WORDS_MOST   64

/* A byte of the input is the place of a number here. */
static const unsigned ids[] = {1, 2, 3, 4, 5, 6, 307, 32000, 32001, 32004, 32008, 32015, 32013, 40000};

static unsigned long decoded[NCZ_LEN(ids)];

static void
tell(void)
{
    for (size_t i = 0; i < NCZ_LEN(ids); i++) {
        const ncz_codec_ops *ops = ncz_codec_by_hdf5(ids[i], NCZ_SPELLING_HDF5);

        if (ops != NULL)
            fprintf(stderr, "reached %s %lu\n", ncz_filter_name(ids[i]), decoded[i]);
    }
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (getenv("NCZ_FUZZ_REACHED") != NULL)
        atexit(tell);
    return 0;
}

typedef struct pipeline {
    size_t          n;
    size_t          kind[FILTERS_MOST]; /* place in `ids` */
    unsigned        words[FILTERS_MOST][WORDS_MOST];
    ncz_filter_spec filters[FILTERS_MOST];
} pipeline;

static void
read_filter(ncz_cursor *at, pipeline *p)
{
    size_t    kind = ncz_cursor_u8(at) % NCZ_LEN(ids), n = ncz_cursor_u8(at) % (WORDS_MOST + 1);
    unsigned *words = p->words[p->n];

    for (size_t i = 0; i < n; i++)
        words[i] = ncz_cursor_u32le(at);
    p->kind[p->n] = kind;
    p->filters[p->n++] = (ncz_filter_spec){.id = ids[kind], .nwords = n, .words = words};
}

static void
check(bool good)
{
    if (!good)
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ncz_cursor     at = ncz_cursor_at(data, size);
    size_t         n = ncz_cursor_u8(&at) % FILTERS_MOST + 1, wanted;
    uint32_t       skipped = ncz_cursor_u8(&at);
    unsigned       element = ncz_cursor_u8(&at);
    ncz_array_type type = {.dtype = {.kind = NCZ_KIND_BYTES, .size = 1 + element % 16, .big = (element & 128) != 0}};
    ncz_chain     *chain = NULL;
    pipeline       p = {.n = 0};
    void          *out;
    int            rc;

    wanted = ncz_cursor_u32le(&at) & 0xfffff;
    while (p.n < n)
        read_filter(&at, &p);
    if (!at.good || (out = malloc(wanted + 1)) == NULL)
        return 0;
    type.chunk_bytes = wanted;
    ncz_err_clear();
    rc = ncz_chain_from_filters(p.filters, p.n, skipped, &type, &chain);
    if (rc == NC_NOERR)
        rc = ncz_chain_decode(chain, NULL, data + at.pos, size - at.pos, out, wanted, false);
    check(rc == NC_NOERR || ncz_err_text()[0] != '\0');
    for (size_t i = 0; rc == NC_NOERR && i < p.n; i++)
        decoded[p.kind[i]] += (skipped >> i & 1) == 0;
    ncz_chain_unref(chain);
    free(out);
    return 0;
}
