/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of aggregation share.
 *
 *   aggregation.c           the view: which variables are aggregations, and what a reader sees of them
 *   aggregation_check.c     whether the fragments are there
 *   aggregation_features.c  where the fragments of one lie: its map, URIs, identifiers or unique values
 *   aggregation_get.c       a get, cut into fragments
 *   aggregation_list.c      where the fragments are, for programs
 *   aggregation_fill.c      one value for a whole part
 *   aggregation_fragment.c  values of one fragment: missing ones, unpacked, in the aggregation's units and type
 *   aggregation_units.c     conversion of units
 *   aggregation_names.c     texts of attributes and what they name, fill values
 *   aggregation_open.c      the fragments that are open
 */
#ifndef NCZ_AGGREGATION_INT_H
#define NCZ_AGGREGATION_INT_H

#include "aggregation/aggregation.h"
#include "places/places.h"

#include <pthread.h>

/* ---- fragments that are open (aggregation_open.c) ---- */

typedef struct ncz_fragment ncz_fragment;

/* All of an aggregation's, at most `most` of them at a time; those that are in use do not count. */
typedef struct ncz_fragment_set {
    pthread_mutex_t lock;
    ncz_fragment  **v;
    size_t          n, cap, most;
    uint64_t        clock;
} ncz_fragment_set;

int  ncz_fragment_set_init(ncz_fragment_set *s);
void ncz_fragment_set_clear(ncz_fragment_set *s); /* closes them: none is in use */

/* ---- an aggregation ---- */

/* The variables that say where the fragments of an aggregation are; those that its attribute does not name are NULL. */
typedef struct ncz_features {
    ncz_var *map, *uris, *identifiers, *unique_values;
} ncz_features;

typedef struct ncz_aggregation {
    ncz_view                view; /* the first member */
    char                   *path; /* of the dataset, as the caller wrote it */
    unsigned                depth;
    ncz_open_fragment_fn    open;
    ncz_limits              limits;
    atomic_int              missing; /* ncz_missing */
    atomic_bool             warned;  /* of a fragment that is not there */
    ncz_dataset            *ds;
    ncz_places             *places;
    char                  **files; /* the fragments that places are numbers of; without one places are such */
    size_t                  nfiles;
    ncz_open_fragment      *opened; /* until it is loaded, and knows which places it may reach */
    size_t                  nopened;
    ncz_fragment_set        fragments;
    struct ncz_aggregated **vars;
    size_t                  n, cap;
    ncz_features           *seen; /* of variables that were not understood */
    size_t                  nseen, seen_cap;
} ncz_aggregation;

/* Whether the fragment is there now: opens it again, even if it is open. */
int ncz_fragment_try(const ncz_aggregation *a, const char *uri);
/* Adds a fragment that is open, and takes it. */
int ncz_fragment_add(ncz_aggregation *a, const char *uri, ncz_dataset **ds);
/* Gives the one with that path to the caller, if it is open and nobody uses it; else NULL. */
ncz_dataset *ncz_fragment_take(ncz_aggregation *a, const char *path);
/* Opens the fragment at a place, or shares it. *out is not closed before it is released. */
int ncz_fragment_open(ncz_aggregation *a, const char *uri, ncz_fragment **out);
/* What opens the fragment at a place, and (a text of the caller's or the aggregation's) how errors name it. */
int          ncz_fragment_path(const ncz_aggregation *a, const char *uri, ncz_buf *out);
const char  *ncz_fragment_name(const ncz_aggregation *a, const char *uri);
void         ncz_fragment_release(ncz_aggregation *a, ncz_fragment *f);
ncz_dataset *ncz_fragment_dataset(const ncz_fragment *f);

/* Where the fragments lie, once that is read. The numbers of fragments have C order. */
typedef struct ncz_fragment_map {
    size_t     rank;
    size_t    *n;     /* fragments along each dimension */
    uint64_t **start; /* of each fragment along each dimension, and the end: n[d] + 1 numbers */
    size_t     total;
    char     **uris;        /* total texts; NULL or "": there is no fragment. NULL: they are values */
    char     **identifiers; /* the variable's name in each; one for all if `common` */
    bool       common;
    void      *values; /* one element of the variable's type for each fragment; NULL: they are URIs */
    bool      *absent; /* of `values`: which are missing */
} ncz_fragment_map;

typedef enum ncz_features_state { NCZ_FEATURES_UNREAD, NCZ_FEATURES_READ, NCZ_FEATURES_WRONG } ncz_features_state;

/* A variable that is an aggregation. */
typedef struct ncz_aggregated {
    ncz_var_source     source; /* the first member */
    ncz_aggregation   *of;
    ncz_var           *v;
    ncz_features       features;
    pthread_mutex_t    lock; /* of what follows, until `state` says it is read */
    ncz_features_state state;
    ncz_err            wrong;
    ncz_fragment_map   map;
    void              *fill;             /* one element of its type: what missing values read as; NULL: zeros */
    char              *units, *calendar; /* NULL: none */
    bool               as_stored;        /* values are the aggregation's as the fragments have them */
} ncz_aggregated;

/* ---- aggregation_names.c ---- */

/* The text of an attribute of characters or of one string, in fresh memory; *out is NULL without such an attribute. */
int ncz_aggregation_text(const ncz_atts *atts, const char *name, char **out);
/* The fill value that a variable has itself: by its attribute, which h5netcdf writes alone for scalars, or by what is
 * stored. NULL: none. */
const void *ncz_aggregation_fill(const ncz_var *v);
/* Returns the next word of a text between blanks, and moves *text behind it. Its length is 0 at the end. */
ncz_line ncz_aggregation_word(const char **text);
/* A variable or dimension by its name, in the group or one above it, or by its path. *out is NULL if there is none. */
int ncz_aggregation_find_var(const ncz_group *g, ncz_line name, ncz_var **out);
int ncz_aggregation_find_dim(const ncz_group *g, ncz_line name, ncz_dim **out);

/* ---- aggregation_features.c ---- */

/* Reads where the fragments lie, unless that was done. Any thread; within a call on the dataset. */
int  ncz_features_read(ncz_aggregated *g);
void ncz_fragment_map_clear(const ncz_var *v, ncz_fragment_map *m);
/* Makes g->fill of the variable's attributes. */
int ncz_aggregated_set_fill(ncz_aggregated *g);

/* ---- aggregation_get.c ---- */

int ncz_aggregated_get(ncz_var_source *s, const ncz_select *sel, const ncz_type *mem, void *out);
/* Opens the fragments that a get touches, some dozens at most, and begins to load their chunks. */
void ncz_aggregated_prefetch(ncz_var_source *s, const ncz_select *sel);
/* Calls `each` for each fragment, in C order; not 0 ends it, and is returned. */
int ncz_aggregated_list(ncz_var_source *s, ncz_part_fn each, void *arg);

/* The part of a get that one fragment has. Arrays have the aggregation's rank. */
typedef struct ncz_fragment_part {
    const uint64_t  *length; /* of the fragment */
    const uint64_t  *start;  /* in the fragment, */
    const uint64_t  *count, *stride;
    const ptrdiff_t *imap; /* as in ncz_select */
    ptrdiff_t        mem;  /* of its first element, in elements */
    size_t           rank;
} ncz_fragment_part;

/* ---- aggregation_fill.c ---- */

/* Puts one value at each place of a part. `value`: one element of the variable's type; NULL: zeros. */
int ncz_fragment_fill(const ncz_var *v, const ncz_fragment_part *part, const void *value, const ncz_type *mem,
                      void *out);

/* ---- aggregation_fragment.c ---- */

/* Gets a part from the variable `identifier` of the fragment at `uri`. */
int ncz_fragment_get(ncz_aggregated *g, const char *uri, const char *identifier, const ncz_fragment_part *part,
                     const ncz_type *mem, void *out);
/* Begins to load what that would read. */
void ncz_fragment_prefetch(ncz_aggregated *g, const char *uri, const char *identifier, const ncz_fragment_part *part);

/* ---- aggregation_units.c ---- */

/* A value of the units `from` is value * scale + offset in the units `to`. Calendars: of times; NULL is `standard`.
 * False: the units are not of one kind, or not known. */
bool ncz_aggregation_units(const char *from, const char *from_calendar, const char *to, const char *to_calendar,
                           double *scale, double *offset);

#endif /* NCZ_AGGREGATION_INT_H */
