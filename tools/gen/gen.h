/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gen: from CDL text to a dataset. gen_parse() parses the whole text into a tree, with every value already in the
 * type of its variable. gen_write() defines that tree in an open, empty, writable dataset and writes the data.
 *
 * Every problem is reported through a gen_report with its position, "FILE:LINE:COL: message". Parsing stops at the
 * first error. A tree is read-only after parsing and may be written any number of times.
 */
#ifndef GEN_H
#define GEN_H

#include "common/dataset_kind.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct gen_cdl gen_cdl;

/* Receives messages: one call for each, without a newline. */
typedef struct gen_report {
    void (*say)(void *ctx, bool is_error, const char *text);
    void *ctx;
} gen_report;

#define GEN_STOPPED 1 /* not a netCDF code */

typedef struct gen_opts {
    bool   header_only; /* no data */
    bool   nofill;      /* no pre-filling of variables */
    size_t put_bytes;   /* most bytes of one put; 0: no limit */
    bool (*stop)(void); /* called between puts; true ends gen_write() with GEN_STOPPED; may be NULL */
    gen_report report;
} gen_opts;

/*
 * Parses `text`, which has `len` bytes and a NUL after them; `file` is its name in messages. NC_EINVAL (the text is
 * not CDL) and NC_ENOMEM are both reported.
 */
int  gen_parse(const char *file, const char *text, size_t len, gen_report report, gen_cdl **out);
void gen_free(gen_cdl *cdl);

const char         *gen_name(const gen_cdl *cdl);        /* the dataset's name in the text */
const dataset_kind *gen_format(const gen_cdl *cdl);      /* of _Format; NULL: not given */
int                 gen_zarr_format(const gen_cdl *cdl); /* _ZarrFormat: 2 or 3; 0: not given */
/* The oldest kind of classic file that has its types, whether or not it has all else. */
const dataset_kind *gen_classic_kind(const gen_cdl *cdl);
/* That, or netCDF-4 where no classic file has all of it: groups, types, strings, chunks, compression. */
const dataset_kind *gen_file_kind(const gen_cdl *cdl);

/*
 * Defines everything of `cdl` in `ncid`, leaves define mode and writes the data. Reports the first failure and
 * returns its code. What was defined and written until then stays; the caller can nc_abort().
 */
int gen_write(const gen_cdl *cdl, int ncid, const gen_opts *opts);

#endif /* GEN_H */
