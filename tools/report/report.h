/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report.h: nczdump --html: one page about a dataset, for a browser.
 *
 * The page needs nothing but itself: styles, pictures (PNG) and the few lines of script are inside. Values are sampled:
 * at most so many of each variable, from at most so many of its chunks, and the page says so.
 */
#ifndef NCZDUMP_REPORT_H
#define NCZDUMP_REPORT_H

#include <stddef.h>
#include <stdio.h>

typedef struct report_opts {
    const char *file;   /* what error messages name; NULL: the dataset's name */
    size_t      sample; /* the most values of a variable that statistics are made of */
} report_opts;

#define REPORT_SAMPLE 100000

/* Prints the page. Returns 0, or the first error's code; each is reported on stderr, and where it belongs on the page. */
int report_html(int ncid, const char *name, const report_opts *opts, FILE *out);

#endif /* NCZDUMP_REPORT_H */
