/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aggregation: variables whose values lie in other datasets, their fragments. Source: CF-1.13, section 2.8. A reader
 * sees such a variable with its aggregated dimensions and values, and not the variables that say where they lie.
 *
 * Any format can have them, and a fragment can be of any format, and an aggregation itself. Opening an aggregation
 * opens no fragment; a get opens those that it needs, once each.
 */
#ifndef NCZ_AGGREGATION_H
#define NCZ_AGGREGATION_H

#include "dataset/dataset.h"
#include "uri/uri.h"
#include "zmap/zmap_place.h"

/* How deep fragments may be aggregations themselves, so that one which names itself ends. */
enum { NCZ_AGGREGATION_DEPTH = 8 };

/* Opens a fragment for reading, `depth` aggregations below the first. The caller closes and frees it. */
typedef int (*ncz_open_fragment_fn)(const char *path, unsigned depth, const ncz_limits *limits, ncz_dataset **out);

/* A fragment that is open, at a place as the aggregation has it. */
typedef struct ncz_open_fragment {
    char        *uri;
    ncz_dataset *ds; /* NULL: it is not, or it was taken */
} ncz_open_fragment;

/* Fragments that an aggregation of so many variables keeps open while nobody uses them. */
size_t ncz_aggregation_open_most(size_t nvars);

typedef struct ncz_aggregation_opts {
    const ncz_target    *target; /* of the dataset: relative places are relative to its folder */
    unsigned             depth;  /* 0: nobody's fragment */
    ncz_open_fragment_fn open;
    char *const         *files; /* not NULL: places are numbers of these, wherever they are */
    size_t               nfiles;
    ncz_open_fragment   *opened; /* the view takes these datasets */
    size_t               nopened;
    const ncz_limits    *limits;  /* NULL: the defaults */
    ncz_missing          missing; /* ERROR: a fragment that is not there is one; else its values are missing data */
} ncz_aggregation_opts;

/*
 * The view of a dataset that may have aggregations (ncz_dataset.view). When it is loaded, variables that it
 * cannot understand stay as they are, each with a warning. Gets: NC_EAUTH, the dataset may not reach a fragment's
 * place (places.h); NC_EBADDIM, NC_EVARSIZE, NC_EINVAL: variables or fragments do not fit; errors of the fragments,
 * whose texts name them.
 */
int ncz_aggregation_new(const ncz_aggregation_opts *opts, ncz_view **out);

/* Asks for each fragment of a view that ncz_aggregation_new() made, once, many at a time: whether it is there.
 * Fragments that are not are no failure of the call. */
int ncz_aggregation_check(ncz_view *view, zmap_place_fn each, void *arg);

#endif /* NCZ_AGGREGATION_H */
