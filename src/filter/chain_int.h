/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of codecs and chains, for the files that make and run them.
 */
#ifndef NCZ_FILTER_CHAIN_INT_H
#define NCZ_FILTER_CHAIN_INT_H

#include "filter/filter.h"

#include <stdatomic.h>

struct ncz_codec {
    atomic_size_t        refs;
    const ncz_codec_ops *ops;   /* NULL: unknown, or lacking in this build */
    void                *state; /* of ops->state_size bytes; NULL: none */
    char                *id;    /* unknown only, and so the two below */
    char                *text;  /* its JSON, as it was read */
    char                *why;   /* the error when it is to run */
};

/* A codec that keeps its place. `why` NULL: there is none of that name. */
int ncz_codec_unknown(const char *id, const char *text, size_t len, const char *why, ncz_codec **out);

#define NCZ_CODEC_NOT_KNOWN "codec '%s' is neither built in nor registered"

struct ncz_chain {
    atomic_size_t          refs;
    size_t                 n; /* steps; never 0 */
    size_t                 to_bytes;
    size_t                 nrun; /* of `run` */
    const ncz_chain_step **run;  /* the steps that change bytes */
    ncz_array_type         in;   /* its shape and order are the chain's own */
    ncz_chain_step         steps[];
};

/* Does it encode objects? */
bool ncz_chain_step_vlen(const ncz_chain_step *s);

#endif /* NCZ_FILTER_CHAIN_INT_H */
