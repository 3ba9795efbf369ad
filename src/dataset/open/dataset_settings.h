/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_settings: when data are written to the store and to the disk. Within this module only.
 */
#ifndef NCZ_DATASET_SETTINGS_H
#define NCZ_DATASET_SETTINGS_H

#include "uri/uri.h"

typedef enum ncz_durability {
    NCZ_DURABLE_SYNC, /* what sync and close acknowledge is on the disk */
    NCZ_DURABLE_EACH, /* each object is, once it is put */
    NCZ_DURABLE_NONE, /* the system decides */
} ncz_durability;

typedef struct ncz_settings {
    ncz_durability durability;
    bool           commit_at_close; /* the documents follow the data at the close, not at each sync */
    bool           behind;          /* puts do not wait for the store */
    size_t         behind_bytes;    /* of what may wait; 0: not said */
} ncz_settings;

/* The path's, those of the environment, and, if the dataset is `writable`, those of rc files. NC_EINVAL: a value
 * that is not allowed; the text names the place where it stands. */
int ncz_settings_find(const ncz_target *t, bool writable, ncz_settings *out);
/* The errors of that, before a dataset is replaced by a new one. */
int ncz_settings_check(const ncz_target *t);

#endif /* NCZ_DATASET_SETTINGS_H */
