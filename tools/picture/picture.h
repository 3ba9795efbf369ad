/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * picture.h: a picture as a list of shapes and texts, and what writes it: SVG by ourselves; PNG, PDF and the pixels
 * of a terminal by Cairo, where the build has that.
 *
 * Lengths are in the picture's own units, in which its letters are PICTURE_FONT high; the origin is above on the left.
 * Running out of memory ends the program.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include "common/text_buf.h"

#include <stdbool.h>
#include <stddef.h>

enum { PICTURE_FONT = 13 };

/* ---- colors ---------------------------------------------------------------------------------------------------- */

/* Those that a reader with a dark screen sees otherwise are named. */
typedef enum picture_tone {
    PICTURE_NONE,
    PICTURE_OWN, /* that in `rgb` */
    PICTURE_PAPER,
    PICTURE_INK,
    PICTURE_SOFT, /* texts beside */
    PICTURE_LINE, /* lines behind the data */
    PICTURE_MARK, /* lines of data */
    PICTURE_GAP,  /* missing values */
    PICTURE_TONES
} picture_tone;

typedef struct picture_color {
    picture_tone  tone;
    unsigned char rgb[3];
} picture_color;

/* Of the light theme. */
void picture_rgb(picture_color color, unsigned char rgb[3]);

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* A grid of cells of equal size, each one of at most 256 colors. Color 0 is nothing. */
typedef struct picture_cells {
    size_t         width, height;
    unsigned char *pixel;
    int            ncolors;
    unsigned char  rgb[256][3];
} picture_cells;

void picture_cells_init(picture_cells *c, size_t width, size_t height);
void picture_cells_clear(picture_cells *c);
/* As a PNG in a data: URL. */
void picture_cells_url(text_buf *t, const picture_cells *c);

void picture_base64(text_buf *t, const unsigned char *s, size_t n);

/* ---- the list --------------------------------------------------------------------------------------------------- */

typedef enum picture_anchor { PICTURE_START, PICTURE_MIDDLE, PICTURE_END } picture_anchor;

typedef enum picture_kind {
    PICTURE_PATH,
    PICTURE_CELLS,
    PICTURE_TEXT,
    PICTURE_CLIP, /* what follows is seen in a rectangle only, up to ... */
    PICTURE_UNCLIP
} picture_kind;

typedef struct picture_point {
    double x, y;
    char   how; /* M: moves there; L: a line to there; Z: a line to the first one, at x, y */
} picture_point;

typedef struct picture_style {
    picture_color fill, stroke;
    double        width;   /* of the stroke */
    double        opacity; /* 0: not seen through */
    bool          dotted;
} picture_style;

typedef struct picture_shape {
    picture_kind   kind;
    picture_style  style;
    double         x, y, width, height; /* of cells and clips; of a text: where it is anchored on its base line */
    size_t         first, n;            /* of a path: its points */
    picture_cells *cells;
    char          *text;
    double         size;
    picture_anchor anchor;
    bool           bold;
    bool           turned; /* upward */
} picture_shape;

typedef struct picture {
    double         width, height;
    double         left, top, area_width, area_height; /* of a chart: where the data are */
    bool           on_page;                            /* its colors and letters are those of the page's style */
    char          *name;                               /* what is read to those who do not see it */
    picture_shape *shape;
    picture_point *point;
    size_t         n, cap, npoints, points_cap;
    size_t         path; /* the shape that points belong to */
} picture;

void picture_clear(picture *p);

/* A path: begun with its style; then its points, until the next path. */
void picture_path(picture *p, const picture_style *style);
void picture_move(picture *p, double x, double y);
void picture_line(picture *p, double x, double y);
void picture_close(picture *p);
void picture_box(picture *p, double x, double y, double width, double height);
void picture_rectangle(picture *p, const picture_style *style, double x, double y, double width, double height);

void picture_add_cells(picture *p, picture_cells *cells, double x, double y, double width, double height); /* takes */
void picture_clip(picture *p, double x, double y, double width, double height);
void picture_unclip(picture *p);

typedef struct picture_text {
    double         x, y, size;
    picture_anchor anchor;
    picture_tone   tone;
    bool           bold, turned;
} picture_text;

void picture_add_text(picture *p, const picture_text *how, const char *s);

/* ---- picture_text.c: how wide texts are ------------------------------------------------------------------------- */

double picture_text_width(const char *s, double size, bool bold);
/* The text, or what of it fits with dots at its end. */
void picture_fit_text(text_buf *t, const char *s, double size, bool bold, double width);
/* The bytes of the next line and, in *next, where the one after it begins; NULL: there is none. */
size_t picture_wrap_text(const char *s, double size, bool bold, double width, const char **next);

/* ---- picture_chart.c: what stands around the data ---------------------------------------------------------------- */

typedef struct picture_tick {
    double at; /* 0 ... 1 from the left, or from above */
    char  *text;
} picture_tick;

typedef struct picture_axis {
    size_t        n;
    picture_tick *tick;
    const char   *name;
} picture_axis;

typedef struct picture_entry {
    unsigned char rgb[3];
    const char   *name;
} picture_entry;

typedef struct picture_chart {
    double      width, height; /* height 0: as the area needs */
    double      aspect;        /* of the area: height / width; 0: as there is room */
    const char *title, *note;  /* above, in as many lines as they need */

    picture_axis x, y;
    bool         grid; /* lines at the ticks of y */
    size_t       rows; /* of names along y: the area is high enough for them; 0: y has none */

    size_t               nentries; /* the legend */
    const picture_entry *entry;

    size_t ncolors; /* the colors' bar; 0: none */
    unsigned char (*colors)[3];
    picture_axis bar;
    bool         below, above; /* there are values beyond its ends */
    const char  *least, *most; /* what they are; NULL: not said */

    size_t        nbins; /* above the bar, how many values are in equal parts of it */
    const size_t *bins;

    double left, top, area_width, area_height; /* out: where the data belong */
} picture_chart;

/* Chooses the picture's size, and draws what is behind the data and around them. */
void picture_chart_begin(picture_chart *c, picture *p);
void picture_chart_end(const picture_chart *c, picture *p); /* the frame */
/* A histogram. */
void picture_bins(picture *p, const size_t *bins, size_t n, double left, double top, double width, double height);

/* ---- picture_svg.c, picture_cairo.c ------------------------------------------------------------------------------ */

/* `scale`: pixels of a unit. */
void picture_add_svg(text_buf *t, const picture *p, double scale);
/* Into a page that has this style: as wide as there is room. */
void picture_add_to_page(text_buf *t, picture *p);
void picture_add_page_style(text_buf *t);
/* The data of a picture's only path, in whole units, without points that lie on a nearly straight way. */
void picture_add_thin_path(text_buf *t, const picture *p);

extern const bool picture_has_cairo;

/* False: there is no Cairo, or it is out of memory or asked for a picture that is too large. */
bool picture_add_png(text_buf *t, const picture *p, double scale);
bool picture_add_pdf(text_buf *t, const picture *p, double scale);
/* 3 bytes for each of width * height pixels; to be freed. */
unsigned char *picture_pixels(const picture *p, double scale, size_t *width, size_t *height);

#endif /* PICTURE_H */
