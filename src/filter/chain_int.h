/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The members of codecs and chains, for the files that make and run them.
 */
#ifndef NCZ_FILTER_CHAIN_INT_H
#define NCZ_FILTER_CHAIN_INT_H

#include "filter/filter.h"

#include <stdatomic.h>

struct ncz_codec {
    atomic_size_t        refs;
    const ncz_codec_ops *ops;   /* NULL: unknown, or missing from this build */
    void                *state; /* ops->state_size bytes; NULL: none */
    char                *id;    /* of unknown codecs only, as are the two below */
    char                *text;  /* its JSON text, as it was read */
    char                *why;   /* the error text for an attempt to run it */
};

/* Makes a codec that only keeps its place in a chain. `why` NULL: no codec has that name. */
int ncz_codec_unknown(const char *id, const char *text, size_t len, const char *why, ncz_codec **out);

#define NCZ_CODEC_NOT_KNOWN "codec '%s' is neither built in nor registered"

struct ncz_chain {
    atomic_size_t          refs;
    size_t                 n; /* number of steps; never 0 */
    size_t                 to_bytes;
    size_t                 nrun; /* number of entries of `run` */
    const ncz_chain_step **run;  /* the steps that change bytes */
    ncz_array_type         in;   /* the chain owns its shape and order */
    ncz_chain_step         steps[];
};

/* Whether the step encodes objects. */
bool ncz_chain_step_vlen(const ncz_chain_step *s);

#endif /* NCZ_FILTER_CHAIN_INT_H */
