/* SPDX-License-Identifier: BSD-3-Clause */
/* report_int.h: what the files of the report share. Running out of memory ends the program, as in dump_int.h. */
#ifndef NCZDUMP_REPORT_INT_H
#define NCZDUMP_REPORT_INT_H

#include "../dump/dump_int.h"
#include "report.h"

#include <stdint.h>

#define PAGE_BYTES   ((size_t)1800 << 10) /* pictures and variables that would make the page longer are left out */
#define DECODE_BYTES ((double)(1 << 29))  /* ... and so are values once so much was decoded for the page */

typedef struct report_page {
    dump_context       d;
    const report_opts *o;
    size_t             written;  /* bytes so far */
    double             decoded;  /* bytes of chunks that were read for samples */
    size_t             left_out; /* variables that did not fit */
} report_page;

/* ---- report_sample.c: some of a variable's values ------------------------------------------------------------- */

/* The indices that are read along a dimension: a run in each of some chunks, evenly spaced. */
typedef struct report_axis {
    size_t  len, chunk; /* of the dimension; of a chunk along it */
    size_t  n;          /* indices that are read */
    size_t *index;      /* ascending */
    size_t  nruns;
    size_t *run; /* of each run, its first place in `index` */
} report_axis;

/* Values as CF means them: unpacked by scale_factor and add_offset; missing ones are NaN. In C order. */
typedef struct report_sample {
    int          ndims;
    report_axis *axis;
    size_t       n;
    double      *value;
    bool         all; /* every value along the dimensions that are sampled */
} report_sample;

/* What the values of a variable mean. */
typedef struct report_meaning {
    dump_fill fill;
    bool      packed;
    double    scale, offset;
    double    valid_min, valid_max; /* of what is stored; infinite: no limit */
    double   *missing;              /* missing_value */
    size_t    nmissing;
} report_meaning;

void report_meaning_load(const dump_var *v, report_meaning *m);
void report_meaning_clear(report_meaning *m);

bool report_is_numeric(const dump_var *v);

/*
 * Reads at most `most` values of at most 64 chunks. `at` (NULL: sample all dimensions) fixes the index of those before
 * the last `free` ones. False: nothing was read, and *why says so, for the page; an error is reported.
 */
bool report_sample_read(report_page *p, const dump_var *v, const report_meaning *m, const size_t *at, int free,
                        size_t most, report_sample *s, const char **why);
void report_sample_clear(report_sample *s);

/* ---- report_stats.c ------------------------------------------------------------------------------------------- */

enum { REPORT_BINS = 32 };

typedef struct report_stats {
    size_t n, missing; /* values that were looked at, and those of them that are missing */
    double least, most, mean, deviation;
    size_t bin[REPORT_BINS]; /* equal parts of least ... most */
} report_stats;

void report_stats_make(const report_sample *s, report_stats *st);

/* ---- report_axis.c: places along a dimension ------------------------------------------------------------------ */

/* What a dimension's coordinate variable says about an index: "1990-01-16", "52.5 degrees_north"; else the index. */
void report_axis_label(report_page *p, const dump_var *v, int dim, size_t index, dump_text *t);
bool report_axis_ascends(const dump_var *v, int dim); /* its coordinates do */

/* ---- report_picture.c: pixels, and PNG ------------------------------------------------------------------------ */

enum { REPORT_COLORS = 64 };

/* An RGB color for a part between 0 and 1 of the scale: equal steps look equal, also to most of those who are
 * colour-blind, and in print. */
void report_color(double part, unsigned char rgb[3]);

/* Palette images: color 0 is transparent; 1 ... REPORT_COLORS the scale. */
typedef struct report_picture {
    size_t         width, height;
    unsigned char *pixel;
} report_picture;

void          report_picture_init(report_picture *pic, size_t width, size_t height);
void          report_picture_clear(report_picture *pic);
unsigned char report_pixel(double value, double least, double most); /* NaN: 0 */

/* Appends the PNG as a data: URL. */
void              report_add_png(dump_text *t, const report_picture *pic);
extern const bool report_has_png;

/* ---- report_figure.c: figures of the page --------------------------------------------------------------------- */

void report_add_histogram(dump_text *t, const report_stats *st);
void report_add_scale(dump_text *t, double least, double most, const char *units);
void report_add_line(report_page *p, dump_text *t, const dump_var *v, const report_sample *s, const report_stats *st);
void report_add_maps(report_page *p, dump_text *t, const dump_var *v, const report_meaning *m);
void report_add_number(dump_text *t, double value);
void report_add_bytes(dump_text *t, double bytes);

/* ---- report_chunks.c: what is stored -------------------------------------------------------------------------- */

void report_add_storage(report_page *p, dump_text *t, const dump_var *v);

/* ---- report_var.c --------------------------------------------------------------------------------------------- */

void report_add_text(dump_text *t, const char *s); /* escaped */
void report_add_atts(report_page *p, dump_text *t, int grp, int varid);
void report_add_var(report_page *p, dump_text *t, int grp, int varid);

#endif /* NCZDUMP_REPORT_INT_H */
