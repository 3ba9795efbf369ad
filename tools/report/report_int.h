/* SPDX-License-Identifier: BSD-3-Clause */
/* report_int.h: what the files of the report share. Running out of memory ends the program, as in dump_int.h. */
#ifndef NCZDUMP_REPORT_INT_H
#define NCZDUMP_REPORT_INT_H

#include "common/chunk_grid.h"
#include "common/value_meaning.h"
#include "dump/dump_int.h"
#include "picture/picture.h"
#include "report.h"

#include <stdint.h>

#define PAGE_BYTES ((size_t)1800 << 10) /* pictures and variables that would make the page longer are left out */

/* What may be read, in bytes of decoded chunks. */
typedef struct report_limits {
    double var_bytes; /* of one variable, unless a single chunk is larger; and at most a quarter of what is left */
    double bytes;     /* of all variables together */
} report_limits;

typedef enum report_colors { REPORT_MONO, REPORT_256, REPORT_RGB } report_colors;

/* What shows a picture. */
typedef struct report_screen {
    report_graphics graphics;
    report_colors   colors;
    bool            utf8;
    size_t          columns, rows;
    size_t          width, height; /* in pixels; of a terminal that does not say: guessed */
} report_screen;

/* What the table at the top of the page says of a variable. */
typedef struct report_row {
    text_buf range, picture, bytes; /* HTML */
    bool     broken;
} report_row;

typedef struct report_stats report_stats; /* report_stats.c */
typedef struct report_place report_place; /* report_places.c */
typedef struct report_grid  report_grid;  /* report_grids.c */

typedef struct report_page {
    dump_context       d;
    const report_opts *o; /* NULL: a picture alone */
    const report_look *look;
    report_limits      limits;
    double             decoded;  /* bytes of chunks that were read for samples */
    size_t             left_out; /* variables that did not fit */
    size_t             groups_left_out;

    /* Pieces of the page; they are written at its end. */
    text_buf      rows, defs, body, axes, planes;
    report_row    row; /* of the variable that is worked on */
    dump_var_id  *coords;
    size_t        ncoords;
    report_place *places;
    size_t        nplaces;
    report_grid  *grids;
    size_t        ngrids;
} report_page;

/* Lists the chunks that were damaged; the result of a page or picture, of which `rc` is the first failure. */
int  report_status(report_page *p, int rc);
void report_page_clear(report_page *p);

/* ---- report_fold.c: a variable's values ------------------------------------------------------------------------ */

/* The indices along a dimension that are known. */
typedef struct report_axis {
    size_t  len, chunk; /* of the dimension; of a chunk along it */
    size_t  n;          /* indices that are known */
    size_t *index;      /* ascending; in the part of the dimension that is chosen */
} report_axis;

/* Values as CF means them: unpacked by scale_factor and add_offset; missing ones are NaN. In C order. */
typedef struct report_sample {
    int          ndims;
    report_axis *axis;
    size_t       n;
    double      *value;        /* of a fold: means */
    double      *least, *most; /* of what a fold has gathered; NULL: one value in each place */
    bool         all;          /* made of every value along the dimensions that are sampled */
} report_sample;

bool report_is_numeric(const dump_var *v);

/* ---- report_plan.c: which chunks are read ----------------------------------------------------------------------- */

/* Of each dimension: the length of a chunk, how many chunks are read, evenly spaced; or the index that is fixed. */
typedef struct report_plan {
    const dump_var *v;
    size_t         *chunk, *count, *at;
    bool           *fixed;
    bool            all; /* every chunk along the dimensions that are not fixed */
} report_plan;

/* `at` (NULL: no dimension is fixed) has the index of those before the last `free_dims`. False: `why` says why nothing
 * can be read. The plan is to be cleared in any case. */
bool   report_plan_make(report_page *p, const dump_var *v, const size_t *at, int free_dims, report_plan *plan,
                        const char **why);
void   report_plan_clear(report_plan *plan);
double report_plan_product(const size_t *n, int ndims);
void   report_plan_reduce(size_t *n, int ndims,
                          double most); /* halves the largest until the product is at most `most` */

/* ---- report_read.c: boxes of stored values ----------------------------------------------------------------------- */

typedef struct report_reader {
    const dump_var      *v;
    const value_meaning *m;
    char                *buf;
    damage_log          *damage;
    bool                 damaged; /* the box has values in damaged chunks: they are missing */
    chunk_grid           grid;    /* once there are some */
    size_t              *chunk;
    size_t               nread, nlost; /* values that are in no damaged chunk, and in one */
} report_reader;

void report_reader_open(report_page *p, const dump_var *v, const value_meaning *m, size_t most, report_reader *r);
void report_reader_close(report_reader *r);
int  report_reader_get(report_reader *r, const size_t *start, const size_t *count, const ptrdiff_t *stride);
/* The k-th value of the box; `index`: where it is in the dataset, which counts where the box is damaged. */
double report_reader_value(report_reader *r, size_t k, const size_t *index);
/* A failure where every value was in damaged chunks: that of the last box, with its text. */
int report_reader_end(report_reader *r, const size_t *start, const size_t *count, const ptrdiff_t *stride);

/* ---- report_read.c: samples -------------------------------------------------------------------------------------- */

void report_sample_clear(report_sample *s);
/* Says why nothing was read, if so: true. */
bool report_sample_failed(report_page *p, const dump_var *v, int rc, const char *reason, text_buf *why);

/* The dataset's index of a place in a part of a dimension; NULL: all of it. */
size_t report_index_in_dim(const hyperslab_dim *part, size_t index);

/* ---- report_scale.c: which color a value has ------------------------------------------------------------------- */

enum { REPORT_LEVELS = 240, REPORT_CATEGORIES = 60 };

/* The ends of the colors, and of the values. */
typedef struct report_scale {
    double          least, most;
    double          true_least, true_most;
    bool            log;
    bool            below, above; /* there are values beyond the ends */
    report_colormap colors;       /* not REPORT_COLORS_AUTO */
} report_scale;

report_scale report_scale_linear(double least, double most);
/* False: --log, and no values greater than 0. */
bool report_scale_choose(report_scale *s, const dump_var *v, const report_sample *sample, const report_stats *st,
                         const report_look *look);
void report_scale_extend(report_scale *s, double least, double most); /* for further values */
void report_scale_widen(report_scale *s);                             /* a little room at the ends of an axis */
/* Where it is between the ends, 0 ... 1, or beyond; NaN: missing. */
double        report_scale_part(const report_scale *s, double value);
unsigned char report_pixel(const report_scale *s, double value, int levels); /* 1 ... levels; missing: 0 */

void report_color(report_colormap map, double part, unsigned char rgb[3]);
/* Of the n-th category: neighbours in the list look different. REPORT_CATEGORIES: none of them. */
void report_category_rgb(int n, unsigned char rgb[3]);
/* With the colors of so many levels of a scale; NULL: with those of categories. */
void report_cells_init(picture_cells *c, size_t width, size_t height, const report_scale *scale, int levels);

/* ---- report_stats.c ------------------------------------------------------------------------------------------- */

enum { REPORT_BINS = 32 };

struct report_stats {
    bool   sampled;    /* of some of the values only */
    size_t n, missing; /* values that were looked at, and those of them that are missing */
    double least, most, mean;
    double squares;          /* the sum of the squares of what is apart from the mean */
    size_t bin[REPORT_BINS]; /* equal parts of a scale */
};

void report_stats_make(const report_sample *s, report_stats *st); /* without bins */
void report_stats_add(report_stats *st, double value);
void report_longitudes(const double *value, size_t n, double range[2]); /* what these cover */
void report_stats_bin(const report_sample *s, const report_scale *scale, report_stats *st);

/* ---- report_fold.c: values, gathered ----------------------------------------------------------------------------- */

typedef struct report_request {
    const size_t *at; /* fixes the index of the dimensions before the last `free_dims` ones; NULL: of none */
    int           free_dims;
    const size_t
          *places; /* the mean of each, with the least and the greatest, in at most so many along a dimension */
    size_t most;   /* places NULL: at most so many single values */
} report_request;

/*
 * Reads all values, or, where they are too many, all of some chunks, and gathers them in places. *st (NULL: not asked
 * for) has the statistics of what was read, without bins. A failure without a report: an error's code; *why NULL: one
 * of the library; else why nothing was read. The sample is to be cleared in any case.
 */
int report_fold(report_page *p, const dump_var *v, const value_meaning *m, const report_request *request,
                report_sample *s, report_stats *st, const char **why);
/* The values along the last dimensions, at the first index of the others; free_dims 0: along all; of latitudes and
 * longitudes, degrees. False: they are no numbers along so many, or cannot be had. */
bool report_read_values(report_page *p, int grp, int varid, int free_dims, size_t most, report_sample *s);

/* ---- report_line.c: a line in so many columns -------------------------------------------------------------------- */

typedef struct report_line {
    size_t  n;
    double *index;        /* of the middle of each span, ascending */
    double *value;        /* its mean; NaN: all missing */
    double *least, *most; /* NULL: each span has one value */
} report_line;

/* Of a sample that is longer than 1 along dimension x only. */
void report_line_make(const report_sample *s, int x, size_t columns, report_line *l);
void report_line_clear(report_line *l);

/* ---- report_text.c -------------------------------------------------------------------------------------------- */

void report_add_text(text_buf *t, const char *s); /* escaped */
/* Escaped, between two pieces of HTML, whatever its direction of writing is. */
void report_add_bdi(text_buf *t, const char *before, const char *s, const char *after);
void report_add_js(text_buf *t, const char *s); /* a string of JavaScript, inside <script> */
void report_add_number(text_buf *t, double value);
/* "2001-02-03 04:05", in at most so many characters; false when the value is no time. */
bool report_add_time(text_buf *t, const cf_timebase *tb, double value, size_t most);
/* An attribute of text that is not empty and shorter than `most`. */
bool report_add_att(text_buf *t, int grp, int varid, const char *att, size_t most);
bool report_add_units(text_buf *t, int grp, int varid); /* not "1"; as they are stored */
void report_dim_name(const dump_var *v, int dim, char name[NC_MAX_NAME + 1]);
/* Units as they are printed: "m s-2" with a raised -2, "degC" as a sign; after a power of ten that is not 0. */
void report_add_scaled_units(text_buf *t, const char *units, int exponent);

/* ---- report_number.c: numbers of one variable, rounded alike --------------------------------------------------- */

#define REPORT_MINUS "\xe2\x88\x92"

typedef struct report_digits {
    int  decimals; /* of least and greatest: as many as they need, at most `fine` */
    int  fine;     /* of mean and deviation: about 4 digits of the range */
    bool power;    /* four digits and a power of ten */
} report_digits;

report_digits report_digits_for(double least, double most, bool whole); /* whole: of an integer type */
bool          report_is_whole(const dump_var *v, const value_meaning *m);
void          report_add_rounded(text_buf *t, const report_digits *d, double value);
void          report_add_fine(text_buf *t, const report_digits *d, double value);
void          report_add_significant(text_buf *t, double value); /* with four digits */
void          report_add_decimals(text_buf *t, double value, int decimals);
void          report_add_power(text_buf *t, int exponent); /* of ten */
void          report_add_raised(text_buf *t, const char *s);

/* ---- report_find.c: variables by name ------------------------------------------------------------------------ */

/* A variable's id by a name of n bytes, in a group or one outward. */
bool report_find_var(int grp, const char *name, size_t n, int *found_grp, int *varid);
/* The coordinate variable of a dimension, in the variable's group or one outward; else one of another name along it:
 * times and axes that `coordinates` names, or whose attributes say that they are the axis; of a map, latitudes and
 * longitudes. */
bool report_find_coordinate(const dump_var *v, int dim, int *grp, int *varid);
/* Times along a dimension, under whatever name. */
bool report_find_time(const dump_var *v, int dim, int *grp, int *varid);
/* Latitudes, longitudes along a dimension of the dataset: those that `coordinates` names, else any. */
bool report_find_latitude(const dump_var *v, int dimid, int *grp, int *varid);
bool report_find_longitude(const dump_var *v, int dimid, int *grp, int *varid);

/* The first variable that is what is looked for: of those that an attribute lists; of a group, without
 * one (NULL: of all); of v's group and those outward, without v. */
typedef bool report_find_test(const void *arg, int grp, int varid);
bool report_find_listed(int grp, int varid, const char *att, report_find_test *is, const void *arg, int *found_grp,
                        int *found);
bool report_find_in_group(const dump_var *but, int grp, report_find_test *is, const void *arg, int *varid);
bool report_find_outward(const dump_var *v, report_find_test *is, const void *arg, int *grp, int *varid);

/* The dimensions that a picture has: the last two that are longer than 1; y -1: a line; x -1: no picture. */
void report_choose_dims(const dump_var *v, int *y, int *x);

/* ---- report_axis.c: places along a dimension ------------------------------------------------------------------ */

/* What a dimension's coordinate variable says about an index of the part that is chosen, as plain text: "1990-01-16",
 * "52.5 degrees_north", the name of a station; else the index. */
void report_axis_label(report_page *p, const dump_var *v, int dim, size_t index, text_buf *t);
/* The first index belongs below: the coordinates rise, or there are none; depth and pressure fall. */
bool report_axis_is_upward(report_page *p, const dump_var *v, int dim);
/* Depth, and pressure: the greater, the further down. */
bool report_is_downward(int grp, int varid);
/* Its places are the members of an ensemble. */
bool report_is_member(const dump_var *v, int dim);
/* The index of a dimension that a picture does not have: 0, or the member that is asked for, if there is that. */
size_t report_index_shown(const report_look *look, const dump_var *v, int dim);

/* ---- report_names.c: names of places -------------------------------------------------------------------------- */

/* The attribute is a list of words, and this is one of them. */
bool report_att_has_word(int grp, int varid, const char *att, const char *word);
/* A variable of text whose values name the places along a dimension. */
bool report_is_names(int grp, int varid, int *dimid);
bool report_add_name(const dump_var *v, int dim, size_t index, text_buf *t); /* index: in the dataset */
/* report_add_name() in two steps, for many names. */
bool report_find_names(const dump_var *v, int dimid, int *grp, int *varid);
bool report_add_name_of(int grp, int varid, size_t index, text_buf *t);

/* ---- report_projection.c: CF's grid mappings ---- */

typedef struct report_projection {
    bool (*invert)(const struct report_projection *, double x, double y, double *lat, double *lon); /* radians */
    double a, e;                                      /* the ellipsoid: semi-major axis, eccentricity */
    double lat0, lon0, east, north;                   /* origin; false easting and northing */
    double n, f, rho0, sign, height, turn, per_metre; /* what formulas need */
    bool   angles, degrees, sweep_x;                  /* x and y are radians; degrees */
} report_projection;

/* By the variable that `grid_mapping` names. False: it is none of those that are known. */
bool report_projection_load(int grp, int varid, report_projection *p);
/* What coordinates in these units are to be multiplied by. */
double report_projection_unit(const report_projection *p, const char *units);
/* Degrees; false: there is no such place on Earth. */
bool report_projection_invert(const report_projection *p, double x, double y, double *lat, double *lon);

/* ---- report_geo.c: where on Earth the places of a map are ------------------------------------------------------ */

typedef struct report_geo {
    bool    has;                              /* else nothing else counts */
    bool    plane;                            /* latitudes and longitudes of two dimensions; else of one each */
    bool    projected;                        /* these are computed, from y and x of a grid mapping */
    bool    mesh;                             /* a grid of cells over a mesh, that of lat_id and lon_id */
    int     map_grp, map_id;                  /* its variable */
    int     lat_grp, lat_id, lon_grp, lon_id; /* the variables; of a projection, y and x */
    size_t  ny, nx;                           /* of the map */
    size_t  rows, cols;                       /* nodes: places that were read */
    size_t *row, *col;                        /* the index of each */
    double *lat, *lon;                        /* degrees; NaN: missing */
    double (*point)[3];                       /* on the unit sphere, with `plane` */
    size_t last;                              /* the node that was found last */
} report_geo;

/* The variables, with the map's lengths (report_geo_name.c); and their values, which set `has`. */
bool   report_geo_name(const dump_var *v, int y, int x, report_geo *g);
void   report_geo_read(report_page *p, report_geo *g);
void   report_geo_clear(report_geo *g);
bool   report_geo_is_upward(const report_geo *g); /* latitudes rise with the row */
double report_geo_aspect(const report_geo *g);    /* height / width that is true to the middle of the map */
/* Between indices and degrees. The edges of the map are half an index beyond its outermost places. */
bool report_geo_at(const report_geo *g, double row, double col, double *lat, double *lon);
bool report_geo_find(report_geo *g, double lat, double lon, double *row, double *col);
void report_geo_region(const report_geo *g, double lat[2], double lon[2]);

/* ---- report_mesh.c: unstructured meshes ------------------------------------------------------------------------- */

typedef struct report_mesh {
    dump_var view; /* the variable with rows and columns of cells in place of its last dimension */
    bool     at_nodes;
    size_t   nfaces, corners;
    size_t  *node; /* of each face's corners, or SIZE_MAX */
    size_t   rows, cols;
    size_t  *face; /* of each cell, or SIZE_MAX; the first row is the southernmost */
} report_mesh;

/* UGRID's, or cells with bounds. False: the variable is on none, or the nodes are no latitudes and longitudes. */
bool report_mesh_load(const dump_var *v, report_mesh *m);
void report_mesh_clear(report_mesh *m);
/* The values of cells; as report_fold() otherwise. `v`: the variable itself. */
int report_mesh_read(report_page *p, const report_mesh *m, const dump_var *v, const value_meaning *meaning,
                     const size_t *at, report_sample *s, report_stats *st, const char **why);
/* For report_geo_name() and report_geo_read(): of a view, and its latitudes and longitudes. */
bool report_mesh_name(const dump_var *view, report_geo *g);
bool report_mesh_place(report_geo *g);

/* ---- report_geo_lines.c, report_coast.c ------------------------------------------------------------------------ */

/* A point of a line, in indices; `joined`: to the one before. */
typedef void report_geo_line(void *arg, bool joined, double row, double col);

typedef void report_geo_lines(report_geo *g, report_geo_line *line, void *arg);

report_geo_lines report_geo_coast, report_geo_graticule;

typedef struct report_coast_line {
    short lon, lat; /* where it begins, in tenths of a degree */
    short steps;    /* of report_coast_steps, which follow those of the line before */
} report_coast_line;

extern const report_coast_line report_coast[];
extern const size_t            report_coast_lines;
extern const signed char       report_coast_steps[][2]; /* longitude, latitude */

/* ---- report_flags.c: categories ------------------------------------------------------------------------------- */

/* CF's flags: the values that mean something, and what. With flag_masks: the values that occur. */
typedef struct report_flags {
    int    n;
    double value[REPORT_CATEGORIES];
    char  *name[REPORT_CATEGORIES];
    size_t count[REPORT_CATEGORIES], others; /* of the sample's values */
    bool   sampled;                          /* these are not all */
} report_flags;

/* n 0: the variable has none, or more than REPORT_CATEGORIES. */
void report_flags_load(const dump_var *v, const value_meaning *m, const report_sample *s, report_flags *f);
int  report_flags_find(const report_flags *f, double value); /* -1: none */
void report_flags_clear(report_flags *f);

/* ---- report_ticks.c: round values along an axis ---------------------------------------------------------------- */

typedef enum report_coord_kind {
    REPORT_INDICES,
    REPORT_NUMBERS,
    REPORT_LATITUDES,
    REPORT_LONGITUDES,
    REPORT_TIMES,
    REPORT_NAMES
} report_coord_kind;

/* What is known of the places along a dimension. */
typedef struct report_coord {
    report_coord_kind kind;
    size_t            len;   /* of the dimension */
    size_t            n;     /* places that are known */
    double           *index; /* of each, ascending */
    double           *value; /* NaN: missing; longitudes without a jump; NULL with names */
    char            **name;
    cf_timebase       time;
    text_buf          units; /* empty with degrees, times and names: they are in the labels */
} report_coord;

/* report_coord.c: at most 1000 places are read. Longitudes are without a jump. */
void report_coord_load(report_page *p, const dump_var *v, int dim, report_coord *c);
void report_coord_clear(report_coord *c);

/* Ticks of an axis, and what the numbers stand for. */
typedef struct report_ticks {
    picture_axis axis;
    text_buf     name;
    int          exponent; /* so many powers of ten */
    double       len;      /* of the indices */
    bool         cells;    /* an index is the middle of a cell; else the first and last are at the ends */
    bool         upward;   /* the first index is below */
    double       last;     /* the index of the last tick */
} report_ticks;

/* Of a dimension of a map (cells) or of a line. */
void report_ticks_make(const report_coord *c, size_t most, bool cells, bool upward, report_ticks *t);
void report_ticks_values(const report_scale *s, size_t many, bool upward, report_ticks *t);
void report_ticks_along(const report_geo *g, bool vertical, bool upward,
                        report_ticks *t);                       /* the left or lower edge of a map */
void report_ticks_rows(const report_flags *f, report_ticks *t); /* categories, from below */
/* How far apart the lines of the graticule are. */
void report_geo_steps(const report_geo *g, double *lat, double *lon);
void report_ticks_clear(report_ticks *t);
void report_add_degrees(text_buf *t, double value, bool latitude, int decimals);

/* ---- report_places.c, report_grids.c: what the page's script knows of places, once for all variables --------- */

/* Of a dimension. The pointer is valid until the next call. */
const report_coord *report_page_place(report_page *p, const dump_var *v, int dim, size_t *id);
void                report_places_clear(report_page *p);

/* Where on Earth a map is: NULL if that is not known. */
report_geo *report_page_grid(report_page *p, const dump_var *v, int y, int x, size_t *id);
/* Coast and graticule into the page's `defs`, as "g<id>". */
void report_write_grid(report_page *p, size_t id);
void report_grids_clear(report_page *p);

/* ---- report_profile.c: values over depth, pressure or height ----------------------------------------------------- */

typedef struct report_profile {
    size_t       n, levels;     /* profiles, and levels of each; n 0: there are none */
    double      *value, *level; /* of all profiles, one after another */
    bool         downward;      /* the vertical coordinate grows downward */
    report_scale across, up;    /* of values, and of the vertical coordinate */
    text_buf     name, units;   /* of that */
} report_profile;

/* A point of a line, from the left and from above, 0 ... 1; `joined`: to the one before. */
typedef void report_profile_point(void *arg, bool joined, double x, double y);

/* False: the variable is no profile. */
bool report_profile_load(report_page *p, const dump_var *v, report_profile *f);
void report_profile_clear(report_profile *f);
void report_profile_draw(const report_profile *f, report_profile_point *point, void *arg);

/* ---- report_roles.c: coordinates and data -------------------------------------------------------------------- */

void report_coordinates_load(report_page *p);
bool report_is_coordinate(const report_page *p, int grp, int varid);
bool report_is_bounds(int grp, int varid); /* of another variable's cells */

/* ---- report_style.c, report_script.c: lines, to the NULL ----------------------------------------------------- */

extern const char *const report_style[];
extern const char *const report_script[];

/* ---- report_overview.c: the table at the top ----------------------------------------------------------------- */

bool report_add_long_name(text_buf *t, int grp, int varid); /* as plain text */
/* Takes p->row; `linked`: the variable has a part of its own below. */
void report_add_row(report_page *p, int grp, int varid, bool linked);
void report_add_rows_head(report_page *p, const char *group, const char *what);

/* ---- report_load.c: what is drawn of one variable ---------------------------------------------------------------- */

/* Values, and a picture of them: a map of the last two dimensions that are longer than 1, a line of the only one, or
 * profiles. */
typedef struct report_figure {
    report_page   *page;
    bool           on_page; /* cells, coast and legend are the page's */
    dump_var       v;
    bool           on_mesh; /* then v is its view of ... */
    report_mesh    mesh;
    dump_var       own;
    value_meaning  meaning;
    report_sample  sample;
    report_stats   stats;
    report_scale   scale;
    report_flags   flags;
    report_digits  digits;
    report_profile profile; /* n 0: none; else y is -1 */
    int            x, y;    /* dimensions; y -1: a line; x -1: there is no picture */
    bool           upward;
    double         aspect; /* of a map: height / width; 0: any */
    size_t         rows;   /* of names along y, each with a text; 0: too many, or none */
    report_geo    *geo;    /* NULL: not on Earth */
    size_t         grid, x_place, y_place;
    report_ticks   x_axis, y_axis;
    text_buf       title, note, units;
} report_figure;

void report_figure_choose(report_figure *d); /* what of v is drawn */
/* The values of a map with at most `side` places along each dimension, or of a line; dimension `slide` (-1: none) at
 * an index. The result is as that of report_fold(). */
int  report_figure_read(const report_figure *d, int slide, size_t index, size_t side, report_sample *s,
                        report_stats *st, const char **why);
void report_figure_place(report_figure *d); /* ways up, ticks, names */
/* The label of the first or last place, from the left or from above. */
void report_figure_end(const report_figure *d, bool vertical, bool last, text_buf *t);
void report_figure_clear(report_figure *d); /* but for v */

/* ---- report_figure.c: figures of the page --------------------------------------------------------------------- */

bool report_add_figure(text_buf *t, report_figure *d); /* false: there is none */
void report_add_legend(text_buf *t, const report_flags *f);

/* ---- report_draw.c: values as cells and shapes ------------------------------------------------------------------- */

/* A map's values in so many cells. */
void report_draw_map(const report_figure *d, const report_sample *s, size_t width, size_t height,
                     picture_cells *cells);
/* The map, or the line, in at most so many cells, which may be higher than they are wide. Line: color 1. */
void report_draw_cells(const report_figure *d, size_t most_width, size_t most_height, double pixel_height,
                       picture_cells *cells);
/* Coast or graticule in the area of a chart, into the path that is begun. */
void report_draw_lines(report_geo *g, report_geo_lines *lines, bool upward, const picture_chart *c, picture *p);
/* Into the area of a chart. */
void report_draw_data(report_figure *d, const picture_chart *c, double scale, picture *p);

/* report_frame.c: the picture with all that stands around it; in pixels, `scale` of which are a unit. Height 0: as
 * the picture needs. */
void report_draw(report_figure *d, double width, double height, double scale, picture *p);
void report_add_histogram(text_buf *t, const report_figure *d);

/* report_sixel.c: pixels in two protocols of terminals */
void report_add_sixel(text_buf *t, const unsigned char *rgb, size_t width, size_t height);
void report_add_kitty(text_buf *t, const unsigned char *png, size_t n);

/* report_blocks.c: a picture of characters, with the labels as text */
void report_add_blocks(text_buf *t, const report_figure *d, const report_screen *screen);

/* report_output.c: into a file, or onto the terminal; an error's code */
int report_write_picture(report_figure *d, const char *path);
int report_show_picture(report_figure *d, const report_plot_opts *o);

/* report_screen.c: what standard output can show. It asks a terminal at most once, and waits for at most 200 ms. */
void report_screen_find(report_screen *screen, report_graphics wanted, report_when color);

/* ---- report_chunks.c: what is stored -------------------------------------------------------------------------- */

/* A summary, and what is below it: type, shape, chunks, codecs, the map of chunks. */
void report_add_storage(report_page *p, text_buf *t, const dump_var *v);

/* ---- report_var.c --------------------------------------------------------------------------------------------- */

void report_add_atts(report_page *p, text_buf *t, int grp, int varid);
/* Also fills p->row. */
void report_add_var(report_page *p, text_buf *t, int grp, int varid);

#endif /* NCZDUMP_REPORT_INT_H */
