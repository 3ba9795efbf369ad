/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump.h: the engine of nczdump, for its main program and for tests.
 *
 * dump_run prints one open dataset. It reads through the public API only and holds no state between calls, so that
 * two threads may dump two datasets at once. Data is read in bounded pieces, never a whole variable at a time.
 */
#ifndef NCZDUMP_DUMP_H
#define NCZDUMP_DUMP_H

#include "common/damage.h"
#include "common/hyperslab.h"
#include "common/name_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum dump_form {
    DUMP_CDL,
    DUMP_KIND,
    DUMP_NCML,
    DUMP_JSON,
    DUMP_TREE,
    DUMP_CHUNKS,
    DUMP_CHUNKS_JSON,
    DUMP_LIST_VARS,
    DUMP_LIST_DIMS,
    DUMP_LIST_GROUPS,
} dump_form;
typedef enum dump_part { DUMP_ALL, DUMP_COORDS, DUMP_HEADER } dump_part;
typedef enum dump_index_comments { DUMP_COMMENTS_NONE, DUMP_COMMENTS_ROWS, DUMP_COMMENTS_VALUES } dump_index_comments;

typedef struct dump_opts {
    dump_form           form;
    dump_part           part;
    name_list           vars;             /* -v: only these variables' data */
    name_list           groups;           /* -g: only these groups' data */
    hyperslab_limits    limits;           /* -d, and subscripts of -v: only this part of dimensions */
    dump_index_comments comments;         /* -b, -f: index comments in the data section */
    bool                comments_fortran; /* ... counted from 1, the fastest index first */
    size_t              line_len;         /* -l */
    int                 float_digits;     /* -p; 0: 7 digits unless a C_format attribute says otherwise */
    int                 double_digits;    /* ... 0: 15 digits */
    bool                special;          /* -s: virtual attributes */
    bool                filters_generic;  /* -F: _Filter and _Codecs in place of _DeflateLevel and its like */
    bool                hide_provenance;  /* -Xp */
    bool                fill_type;        /* -XF: the type in front of _FillValue */
    bool                times;            /* -t, -i */
    char                time_separator;   /* between date and time of day */
    bool                stats;            /* --stats: what was asked of the store, on stderr at the end */
    damage_policy       damaged;          /* --damaged: what becomes of damaged chunks, in CDL and JSON */
    bool                check;            /* --check: dump_check() in place of dump_run() */
    bool                sizes;            /* --sizes: in --tree the bytes of a dataset on a server, too */
    bool                color;            /* in color: CDL, and names in --tree and --chunks */
    const char         *file;             /* what error messages name; NULL: the dataset's name */
} dump_opts;

#define DUMP_OPTS_INIT ((dump_opts){.line_len = 80, .time_separator = ' '})

/*
 * Adds the names of a comma-separated list, also with subscripts behind them, as in "v[0:10,:,3]", which are added to
 * the limits. False, with a message: they are not of that form, or a name is empty.
 */
bool dump_names_add_with_subscripts(name_list *list, hyperslab_limits *limits, const char *commas,
                                    char why[HYPERSLAB_WHY_SIZE]);

/* The name a dataset is printed under: the last part of a path or URL, without its extension. Free it. */
char *dump_default_name(const char *path);

/*
 * Prints the dataset under the name. Returns 0, the first error's code, or if there is none DUMP_DAMAGED; each error is
 * reported on stderr in one line. A variable whose data cannot be read is reported and skipped; the rest is still
 * printed.
 */
int dump_run(int ncid, const char *name, const dump_opts *opts, FILE *out);

#define DUMP_DAMAGED (1 << 20) /* there are damaged chunks: they read as fill, or their variables are left out */

/*
 * Reads every chunk, and compares consolidated metadata with the documents; `path` is what nc_open() takes. Prints each
 * damaged chunk, broken document and difference, and a line with the sums. Returns 0, DUMP_DAMAGED, or the code of
 * what could not be checked.
 */
int dump_check(int ncid, const char *path, const dump_opts *opts, FILE *out);
/* The same of a path that does not open: DUMP_DAMAGED if the root's documents are broken, which is printed; else 0. */
int dump_check_unopened(const char *path, const dump_opts *opts, FILE *out);

/* The structure of a netCDF-4 file, which need not open: prints each fault, then which bytes are for what, and sums.
 * Returns 0, DUMP_DAMAGED, or the code of what could not be checked. `file`: what messages name. */
int dump_structure(const char *path, const char *file, FILE *out);

/* The history of a repository: branches, tags, snapshots, a line each. Returns 0 or the code of what failed. */
int dump_log(const char *path, const char *file, FILE *out);

/* One line with the counts of operations on the dataset's store so far. */
void dump_stats(int ncid, FILE *out);

#endif /* NCZDUMP_DUMP_H */
