/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyperslab.h: a part of a dataset, chosen by limits on its dimensions, for nczdump and nczcopy.
 *
 * Limits are parsed from the command line (hyperslab_parse.c), resolved against an open dataset into runs of indices
 * (hyperslab_resolve.c; values and dates: hyperslab_coord.c, hyperslab_date.c; boxes: hyperslab_box.c), and read
 * (hyperslab_read.c). They mean what they mean to NCO: indices from 0, the last one included; numbers with a decimal
 * point or an exponent are values of the coordinate variable. Dates are what its units and calendar make of them; each
 * means the period that it names, as xarray has it.
 */
#ifndef HYPERSLAB_H
#define HYPERSLAB_H

#include "util/cf_time.h"

#include <nczarr.h>
#include <stdbool.h>
#include <stddef.h>

enum { HYPERSLAB_WHY_SIZE = 512 }; /* room for a message: what is wrong with limits */

/* ---- hyperslab_parse.c: limits as the user gave them --------------------------------------------------------- */

typedef struct hyperslab_edge {
    bool      given;
    long long index; /* negative: from the end */
    double    value; /* with by_value */
    cf_date   date;  /* with by_date */
} hyperslab_edge;

typedef struct hyperslab_limit {
    char          *text; /* as given, for messages */
    char          *dim;  /* name or path of dimensions; NULL: a subscript of variables */
    char          *var;
    size_t         place, nplaces; /* the subscript's place, and how many there are */
    hyperslab_edge first, last;
    size_t         stride;
    bool           single;    /* one index, or the nearest value */
    bool           by_value;  /* edges are values */
    bool           by_date;   /* ... or dates */
    bool           exclusive; /* `last` is not included, and edges out of range are moved into it: a subscript */
    bool           is_box;    /* of the Earth: edges are its west and east, by value */
    double         south, north;
} hyperslab_limit;

typedef struct hyperslab_limits {
    hyperslab_limit *v;
    size_t           n;
} hyperslab_limits;

/*
 * Adds "DIM,FIRST[,[LAST][,STRIDE]]". A backslash makes the next character, such as a comma, part of the name. False,
 * with a message: it is not of that form.
 */
bool hyperslab_parse(hyperslab_limits *l, const char *spec, char why[HYPERSLAB_WHY_SIZE]);
/* Adds subscripts of a variable, as Python has them: "0:10,:,3" (without brackets). */
bool hyperslab_parse_subscripts(hyperslab_limits *l, const char *var, const char *text, char why[HYPERSLAB_WHY_SIZE]);
/* Adds a box of the Earth, "WEST,SOUTH,EAST,NORTH" in degrees; a west that is greater than the east: over the meridian
 * of 180 degrees. */
bool hyperslab_parse_box(hyperslab_limits *l, const char *text, char why[HYPERSLAB_WHY_SIZE]);
void hyperslab_limits_clear(hyperslab_limits *l);

/* ---- hyperslab_resolve.c: the indices of an open dataset ----------------------------------------------------- */

typedef struct hyperslab_run {
    size_t start, count, step;
} hyperslab_run;

/* The chosen indices of one dimension, in their order; at least one. */
typedef struct hyperslab_dim {
    int                    dimid;
    size_t                 len; /* how many */
    hyperslab_run         *runs;
    size_t                 nruns;
    const hyperslab_limit *first_limit; /* in messages */
} hyperslab_dim;

typedef struct hyperslab {
    hyperslab_dim *dims; /* those with limits */
    size_t         n;
} hyperslab;

/*
 * Applies the limits to the dataset. Several on one dimension choose the union, in ascending order. On failure `why`
 * has a message. The result refers to the limits.
 */
int  hyperslab_resolve(const hyperslab_limits *l, int root, hyperslab *h, char why[HYPERSLAB_WHY_SIZE]);
void hyperslab_clear(hyperslab *h);

/* What is chosen of a dimension; NULL: all of it. */
const hyperslab_dim *hyperslab_find(const hyperslab *h, int dimid);

/* ---- hyperslab_coord.c: values of a coordinate variable ------------------------------------------------------ */

/*
 * Finds the indices of the dimension's coordinate values that a limit by value means: *first to *last, wrapped around
 * the end if *first is larger.
 */
int hyperslab_find_values(const hyperslab_limit *l, int grp, int dimid, size_t *first, size_t *last,
                          char why[HYPERSLAB_WHY_SIZE]);

/* ---- hyperslab_read.c ---------------------------------------------------------------------------------------- */

struct damage_log;

/* A variable as it is read: dims[d] is what is chosen of dimension d, NULL for all of it. */
typedef struct hyperslab_var {
    int                         ncid, varid, rank;
    nc_type                     type;
    bool                        counted; /* values of NC_STRING are nc_vlen_t, since they may have NULs in them */
    size_t                      size;    /* bytes of a value in memory */
    const hyperslab_dim *const *dims;
    struct damage_log          *damage; /* damaged chunks are added to it, and read as fill; NULL: reading fails */
} hyperslab_var;

/*
 * Reads a box of the part into `data`: start and count are indices in the part. As nc_get_vara() otherwise: the caller
 * frees what values point to; on failure there is nothing to free.
 */
int hyperslab_read(const hyperslab_var *v, const size_t *start, const size_t *count, void *data);
/* Frees what n values point to. */
void hyperslab_free(const hyperslab_var *v, void *data, size_t n);
/* The variable's own values, not those of a part: step NULL: ones. */
int hyperslab_get(const hyperslab_var *v, const size_t *start, const size_t *count, const ptrdiff_t *step,
                  void *data);

/* ---- hyperslab_place.c --------------------------------------------------------------------------------------- */

/* Copies a packed piece of these lengths to its place in a box. */
void hyperslab_place(const hyperslab_var *v, const size_t *at, const size_t *len, const size_t *box,
                     const void *piece, void *to);

#endif /* HYPERSLAB_H */
