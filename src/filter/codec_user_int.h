/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A codec that an application registered, for the two files that keep and run it.
 */
#ifndef NCZ_FILTER_CODEC_USER_INT_H
#define NCZ_FILTER_CODEC_USER_INT_H

#include "filter/filter.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct ncz_user_codec ncz_user_codec;

struct ncz_user_codec {
    ncz_codec_ops   ops; /* what chains see; first, so that it leads back here */
    nczarr_codec    c;   /* members that the application's struct has not are 0 */
    char           *id;
    atomic_size_t   refs; /* the registry's, those of lookups and one of each configured codec */
    pthread_mutex_t lock; /* held around each call, unless NCZARR_CODEC_THREADS */
    ncz_user_codec *next; /* in the registry, under its lock */
};

/* What nczarr_filter_register() checks but clashes; the reference is the caller's. */
int  ncz_user_codec_new(const nczarr_codec *codec, ncz_user_codec **out);
void ncz_user_codec_unref(ncz_user_codec *o);

#endif /* NCZ_FILTER_CODEC_USER_INT_H */
