/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chain's inside, for the two files that make chains and run them.
 */
#ifndef NCZ_FILTER_CHAIN_INT_H
#define NCZ_FILTER_CHAIN_INT_H

#include "filter/filter.h"

#include <stdatomic.h>

typedef struct chain_link {
    char                *id;
    const ncz_codec_ops *ops;    /* NULL: unknown, or lacking in this build */
    ncz_codec_params     params; /* known only */
    char                *text;   /* unknown only: its JSON, as it stood */
    char                *why;    /* unknown only: what to say when it is to run */
} chain_link;

struct ncz_chain {
    atomic_size_t refs;
    size_t        n; /* never 0 */
    chain_link   *links;
};

/* Does it take a block of texts? */
bool ncz_chain_link_packs(const chain_link *l);

/* Makes of the env of what enters a link that of what it encodes to. */
void ncz_chain_pass(const chain_link *l, ncz_codec_env *env);

#endif /* NCZ_FILTER_CHAIN_INT_H */
