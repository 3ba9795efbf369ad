/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_opening: an opening under way, from a path or a store to the dataset. What can be at a place is tried one
 * after the other, each by the same steps: a store, the root's documents, the rest. Within this module only.
 */
#ifndef NCZ_DATASET_OPENING_H
#define NCZ_DATASET_OPENING_H

#include "dataset/dataset_int.h"
#include "uri/uri.h"

/* ---- when data are written (dataset_settings.c) ---- */

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

/* ---- an opening ---- */

struct ncz_opening {
    ncz_target       *target;
    const char       *path; /* for texts */
    int               mode;
    const ncz_limits *limits;
    zmap             *map;       /* its store, until the dataset has it; after a failure it may be set, too */
    zmap             *documents; /* where the documents are read instead, all at once; NULL: in `map` */
    ncz_settings      settings;
    ncz_dataset      *ds; /* the result */
};

static inline bool
ncz_opening_writes(const ncz_opening *o)
{
    return (o->mode & NC_WRITE) != 0;
}

/* Makes the dataset of o->map, with what its metadata say. After a failure the store is still the caller's. */
int ncz_opening_load(ncz_opening *o);

#endif /* NCZ_DATASET_OPENING_H */
