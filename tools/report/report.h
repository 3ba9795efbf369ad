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

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- what a picture looks like --------------------------------------------------------------------------------- */

typedef enum report_colormap {
    REPORT_COLORS_AUTO, /* as the values are */
    REPORT_BLUE_YELLOW,
    REPORT_BLUE_RED,
    REPORT_WHITE_BLUE,
    REPORT_GREY
} report_colormap;

/* Zeros: as the values and the medium are. */
typedef struct report_look {
    bool            has_range, log;
    double          range[2]; /* the ends of the colors, or of a line's axis */
    report_colormap colors;
    size_t          width, height; /* pixels */
    size_t          member;        /* the index of an ensemble's member */
} report_look;

/* Values of --range, --colors and --size; false with a message. */
bool report_parse_range(const char *s, report_look *look);
bool report_parse_colors(const char *s, report_look *look);
bool report_parse_size(const char *s, report_look *look);

/* ---- the page --------------------------------------------------------------------------------------------------- */

typedef struct report_opts {
    const char *file;   /* what error messages name; NULL: the dataset's name */
    size_t      sample; /* the most values of a variable that statistics are made of; 0: all of up to 64 MiB */
    report_look look;
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
    /* Where the picture goes: .svg, .png, .pdf; "-": SVG to standard output; "": VAR.png, or VAR.svg without Cairo;
     * NULL: to standard output, as the terminal shows pictures. */
    const char     *path;
    report_look     look;
    report_graphics graphics;
    report_when     color;
} report_plot_opts;

/* False with a message: the name has another suffix. */
bool report_check_path(const char *path);

/* Draws. Returns 0, or an error's code; it is reported on stderr. */
int report_plot(int ncid, const report_plot_opts *opts);

/* The library that draws, or NULL. */
const char *report_library(void);

#endif /* NCZDUMP_REPORT_H */
