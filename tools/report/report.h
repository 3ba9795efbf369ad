/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report.h: nczdump --html: one page about a dataset, for a browser; --plot and --show: one picture alone.
 *
 * The page needs nothing but itself: styles, pictures (PNG) and the few lines of script are inside. Of large
 * variables only some chunks are read, and the page says so.
 */
#ifndef NCZDUMP_REPORT_H
#define NCZDUMP_REPORT_H

#include "dump/dump.h"

#include <stddef.h>
#include <stdio.h>

typedef struct report_opts {
    const char *file;   /* what error messages name; NULL: the dataset's name */
    size_t      sample; /* the most values of a variable that statistics are made of; 0: all of up to 64 MiB */
} report_opts;

/* Prints the page. Returns 0, or the first error's code; each is reported on stderr, and where it belongs on the
 * page. */
int report_html(int ncid, const char *name, const report_opts *opts, FILE *out);

/* ---- report_plot.c: one picture ------------------------------------------------------------------------------ */

typedef enum report_graphics { REPORT_AUTO, REPORT_SIXEL, REPORT_KITTY, REPORT_BLOCKS } report_graphics;
typedef enum report_when { REPORT_WHEN_TERMINAL, REPORT_ALWAYS, REPORT_NEVER } report_when;

/* REPORT_WHEN_TERMINAL: standard output is a terminal, NO_COLOR is not set or empty, and TERM is not dumb. */
bool report_wants_color(report_when when);

typedef struct report_plot_opts {
    const dump_opts *dump; /* the variable, in `vars`, and its part */
    const char      *file; /* what error messages name */
    const char
        *png; /* where the picture goes; "": VAR.png; NULL: to standard output, as the terminal shows pictures */
    report_graphics graphics;
    report_when     color;
} report_plot_opts;

/* Draws. Returns 0, or an error's code; it is reported on stderr. */
int report_plot(int ncid, const report_plot_opts *opts);

extern const bool report_has_png;

/* False: --plot has no PNG, and `why` says so. */
bool report_can_plot(const char **why);

#endif /* NCZDUMP_REPORT_H */
