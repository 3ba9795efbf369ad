/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A codec that an application registered, for the two files that register and run it.
 */
#ifndef NCZ_FILTER_CODEC_USER_INT_H
#define NCZ_FILTER_CODEC_USER_INT_H

#include "filter/filter.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct ncz_user_codec ncz_user_codec;

struct ncz_user_codec {
    ncz_codec_ops   ops; /* the table that chains see; first member, so that it can be cast back */
    nczarr_codec    c;   /* members that an older struct lacks are 0 */
    char           *id;
    atomic_size_t   refs; /* of the registry, of lookups, and of each configured codec */
    pthread_mutex_t lock; /* held around each call, unless NCZARR_CODEC_THREADS */
    ncz_user_codec *next; /* in the registry, guarded by its lock */
};

/* Makes all the checks of nczarr_filter_register() except for name clashes. The caller owns the reference. */
int  ncz_user_codec_new(const nczarr_codec *codec, ncz_user_codec **out);
void ncz_user_codec_unref(ncz_user_codec *o);

#endif /* NCZ_FILTER_CODEC_USER_INT_H */
