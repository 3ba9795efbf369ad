/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_opening: an opening under way, from a path or a store to the dataset. What can be at a place is tried one
 * after the other, each by the same steps: a store, the root's documents, the rest. Within this module only.
 */
#ifndef NCZ_DATASET_OPENING_H
#define NCZ_DATASET_OPENING_H

#include "dataset/dataset_int.h"
#include "dataset/open/dataset_settings.h"

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
