/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_join: several datasets as one. What they have in common is described by a dataset of aggregations (CF-1.13,
 * section 2.8), in memory or stored. Made with the public functions alone.
 *
 *   api_join.c        nc_open() of a list or a pattern, nczarr_join()
 *   api_join_names.c  which files are meant
 *   api_join_scan.c   what the files have, and whether they fit
 *   api_join_write.c  the aggregation
 */
#ifndef NCZ_API_JOIN_H
#define NCZ_API_JOIN_H

#include "api/api_int.h"
#include "uri/uri.h"

#include <stdatomic.h>

/* ---- names ---- */

typedef struct ncz_join_file {
    char        *path;  /* what is opened */
    char        *uri;   /* what the aggregation has as its place */
    size_t       len;   /* along the dimension; after the scan, like `start` */
    double       start; /* its first coordinate there; NaN: none that compares */
    double       end;   /* its last one */
    ncz_dataset *ds;    /* left open by the scan; NULL: it is not */
} ncz_join_file;

/* In their order. */
typedef struct ncz_join_files {
    ncz_join_file *v;
    size_t         n, cap;
} ncz_join_files;

int  ncz_join_files_add(ncz_join_files *f, const char *path, const char *uri);
void ncz_join_files_clear(ncz_join_files *f);
/* Once they are scanned: by their first coordinates, where all have one, in the direction in which these go within the
 * files; else they stay as they are. */
void ncz_join_files_sort(ncz_join_files *f);

/* nc_open() of several files. NC_EPERM: to be written. */
int ncz_join_open(const char *path, int omode, const ncz_limits *limits, ncz_dataset **out);

/* Whether a path of nc_open() means several files: "@LIST", unless there is a file of that name, or mode=join. */
bool ncz_join_is_meant(const char *path);
/* The files that it means, `along` (NULL: not said), and a path in their folder, with what of the fragment counts for
 * each of them. The caller frees these two. `sorted`: a pattern's, in the order of their names. */
int ncz_join_find_files(const char *path, ncz_join_files *files, char **along, char **place, bool *sorted);

/* ---- structure ---- */

enum { NCZ_JOIN_FIXED = -1 }; /* a variable without the dimension along which files are joined */

typedef struct ncz_join_var {
    char   *group, *name; /* "/", "/g" */
    nc_type type;
    int     rank;
    char  **dims; /* names */
    size_t *lens;
    int     at;         /* which of them is the one along which files are joined; or NCZ_JOIN_FIXED */
    bool    coordinate; /* one-dimensional and named like its dimension */
    double *values;     /* of a coordinate that files share, if they are numbers; or NULL */
    ncz_buf packing;    /* what says how its values are packed, what is missing, and the units */
    bool    packed;     /* ... they have a scale, an offset or another sign */
} ncz_join_var;

typedef struct ncz_join {
    ncz_join_files files;
    char          *along;
    int            ncid;  /* of the first file, which stays open; -1: it was given away */
    size_t         first; /* number of that file */
    bool           gives; /* nothing needs it any longer once the aggregation is written */
    ncz_join_var  *vars;
    size_t         nvars, cap;
    atomic_bool   *differs; /* of each variable: whether files say other things of packing than the first one */
    ncz_texts      left_out;
} ncz_join;

/* Opens the first file, notes what it has, and looks at all others side by side. `along` NULL: chosen. Files stay open
 * for those who will use them, as many as an aggregation keeps. */
int  ncz_join_scan(ncz_join *j, const char *along);
void ncz_join_clear(ncz_join *j);

/* ---- the aggregation ---- */

/*
 * Defines and puts it in a new dataset. `values` not negative: for any reader: variables that are packed get the type
 * of what is unpacked, and coordinates their values, from this dataset of the joined files. Else values that all files
 * pack alike are those that are stored.
 */
int ncz_join_write(const ncz_join *j, int ncid, int values);

#endif /* NCZ_API_JOIN_H */
