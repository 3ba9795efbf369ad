/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_int.h: what the files of nczdump's engine share.
 *
 * Running out of memory ends the program with a message (memory.h); all other failures are reported by dump_fail()
 * and recorded in dump.report.
 */
#ifndef NCZDUMP_DUMP_INT_H
#define NCZDUMP_DUMP_INT_H

#include "util/cf_time.h"
#include "common/att_value.h"
#include "common/dim_table.h"
#include "common/group_tree.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/text_quote.h"
#include "common/user_type.h"
#include "common/var_inquiry.h"
#include "dump.h"

#include "platform/platform.h"

#include <nczarr.h>
#include <nczarr_zmap.h>

/* ---- dump_report.c: messages -------------------------------------------------------------------------------- */

typedef struct dump_report {
    const char *file;   /* the dataset's name in messages */
    FILE       *out;    /* flushed before a message */
    int         status; /* the first failure's code; 0 so far */
} dump_report;

/* Prints "nczdump: FILE: WHAT: library text: detail". WHAT may be NULL. Returns rc. */
int dump_fail(dump_report *r, int rc, const char *what);
/* Prints "nczdump: " and a text of the tool's own. Returns rc. */
int dump_fail_text(dump_report *r, int rc, const char *fmt, ...) NCZARR_PRINTF(3, 4);

static inline size_t
dump_divide_up(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* The library's text of a failure: error_text(). */
void dump_add_error(text_buf *t, int rc, const char *about);
/* 12 bytes, 3.4 KiB, 5.6 GiB */
void dump_add_bytes(text_buf *t, double bytes);

/* ---- dump_run.c ---------------------------------------------------------------------------------------------- */

typedef struct dump_var_id {
    int ncid, varid;
} dump_var_id;

/* A dataset that has fragments of others. */
typedef struct dump_fragment_file {
    char *path;
    int   ncid, rc; /* of opening it */
} dump_fragment_file;

typedef struct dump_fragment_files {
    dump_fragment_file *v;
    size_t              n, cap;
} dump_fragment_files;

typedef struct dump_context {
    const dump_opts *o;
    FILE            *out;
    const char      *name; /* of the dataset */
    int              root;
    int              format; /* NC_FORMAT_... */
    int              zarr_format;
    bool             utf8;    /* the locale's charset: else lines, blocks and signs are of ASCII */
    size_t           indent;  /* blanks in front of every line: two for each group */
    size_t           columns; /* that a line of --tree may take; 0: any */
    hyperslab        part;
    dim_table        dims;
    dump_report      report;
    damage_log       damage;  /* damaged chunks */
    dump_var_id     *skipped; /* --damaged=skip: the variables that have some */
    size_t           nskipped;
    size_t           col;  /* column of the line, as the wrapping counts it: ncdump does not reset it in headers */
    dump_var_id     *vars; /* -v resolved */
    size_t           nvars;
    int             *groups; /* -g resolved */
    size_t           ngroups;
    dump_var_id     *bounds; /* -t: for each `bounds` attribute, the variable holding it */
    char           **bounds_names;
    size_t           nbounds;

    dump_fragment_files fragment_files; /* dump_fragments.c */
} dump_context;

/* ---- dump_cdl_print.c: pieces of CDL lines ------------------------------------------------------------------ */

void dump_cdl_indent(dump_context *d);
void dump_cdl_name(dump_context *d, const char *name);                    /* escaped for CDL */
void dump_cdl_colored(dump_context *d, const char *color, const char *s); /* as it is */
void dump_cdl_colored_name(dump_context *d, const char *color, const char *name);
#define DUMP_CDL_CONTINUATION "    "
/* Puts a piece that must stay whole, on a new line if it would not fit. One or two characters always fit. */
void dump_cdl_piece(dump_context *d, const char *s, size_t n);
/* "owner:name = ", and the same with a type in front when `type` is not NULL. */
void dump_cdl_att_head(dump_context *d, const char *owner, const char *name);
void dump_cdl_typed_att_head(dump_context *d, const char *type, const char *owner, const char *name);

/* ---- dump_json_print.c: pieces of JSON ---------------------------------------------------------------------- */

/* A new line at the level, with the comma that ends the member before, if there was one. */
void dump_json_line(dump_context *d, int level, bool first);
void dump_json_string(dump_context *d, const char *s);
void dump_json_key(dump_context *d, int level, bool first, const char *key);
void dump_json_end(dump_context *d, int level, bool empty); /* of an object */

/* ---- dump_select.c: -v, -g, -c ------------------------------------------------------------------------------- */

int  dump_select(dump_context *d);
void dump_select_clear(dump_context *d);
bool dump_wants_group(const dump_context *d, int grp);
bool dump_wants_var(const dump_context *d, int grp, int varid);
/* False: -v or -g chooses others, so that what is wrong with the variable is no failure. */
bool dump_asks_for_var(const dump_context *d, int grp, int varid);
/* The name and length of a dimension, of the part that is chosen. */
int dump_inq_dim(const dump_context *d, int grp, int dimid, char *name, size_t *len);

/* ---- dump_type.c: types; user-defined ones: common/user_type.c ----------------------------------------------- */

size_t      dump_type_size(nc_type type); /* 0 if it is not an atomic one */
const char *dump_type_name(nc_type type); /* atomic; NULL otherwise */

/* The type and what is inside it; user_type_free() frees it. Running out of memory ends the program. */
int dump_type_load(int ncid, nc_type id, user_type **out);

/* The name by which group `grp` can refer to the type: its path if the plain name means another one. CDL: escaped. */
void dump_add_type_ref(text_buf *t, int grp, const user_type *type, bool cdl);
void dump_add_type_path(text_buf *t, int grp, const user_type *type); /* a primitive one: its name */

void dump_json_type_path(dump_context *d, int grp, const user_type *t);

/* ---- dump_var.c, dump_att.c: one variable, one attribute --------------------------------------------------------- */

typedef struct dump_var {
    int                   grp, id;
    char                  name[NC_MAX_NAME + 1];
    nc_type               type;
    size_t                size;    /* of one value in memory; 0: a type this program cannot read */
    bool                  counted; /* its strings are read with their lengths, as nc_vlen_t */
    user_type            *user;    /* NULL: a primitive type */
    int                   ndims;
    int                  *dims;
    size_t               *shape;
    size_t               *shard; /* NULL: no shards */
    bool                 *unlimited;
    const hyperslab_dim **part; /* of each dimension, what is chosen; NULL: all of it. `shape` is that of the part. */
    int                   natts;
    bool                  empty;  /* a dimension of length 0 */
    damage_log           *damage; /* damaged chunks are added, and read as fill; NULL: reading fails */
} dump_var;

int  dump_var_load(dump_context *d, int grp, int varid, dump_var *v);
int  dump_var_load_part(dump_context *d, int grp, int varid, dump_var *v); /* with the shape of the chosen part */
void dump_var_clear(dump_var *v);

int dump_att_load(int grp, int varid, int index, att_value *a);
/* To print it: false, if it cannot be read. That is then reported, unless nobody asks for its variable, and `a` is
 * cleared. */
bool dump_att_take(dump_context *d, int grp, int varid, int index, att_value *a);

/* As the group of the variable refers to it; also a type that netCDF does not have. */
void dump_add_type(text_buf *t, const dump_var *v, bool cdl);

/* ---- dump_value.c: one value to text ------------------------------------------------------------------------- */

typedef struct dump_number_format {
    int  float_digits, double_digits;
    char format[40]; /* a checked printf format taken from C_format, or "" */
    char conv;       /* its conversion letter */
} dump_number_format;

dump_number_format dump_number_format_for(const dump_context *d, int grp, int varid, nc_type type);

/* As the data section prints it: no type suffix; strings quoted, NIL for a null one. */
void dump_value_cdl(text_buf *t, const dump_number_format *s, nc_type type, const void *p);

/* As an attribute prints it: with suffix, doubles with a point. */
void dump_value_att(text_buf *t, const dump_number_format *s, nc_type type, const void *p);

/* JSON: shortest digits that read back the same, "NaN" and its like as strings, null for a null string. */
void dump_value_json(text_buf *t, nc_type type, const void *p);

/* Plain, for NcML: the attribute form without its suffix. */
void dump_value_plain(text_buf *t, const dump_number_format *s, nc_type type, const void *p);

double dump_value_double(nc_type type, const void *p);
/* Holds 64-bit integers, too, where long double has the digits. */
long double dump_value_exact(nc_type type, const void *p);

/* dump_user_value.c: the same for a value of any type, as ncdump prints it, and as JSON. */
void dump_user_value_cdl(text_buf *t, const dump_number_format *s, const user_type *type, const void *p);
void dump_user_value_json(text_buf *t, const user_type *type, const void *p);

/* Is a value the fill value? Floating-point numbers match within their precision. */
typedef struct dump_fill {
    bool        has;
    nc_type     type;
    att_value   own;      /* _FillValue, when the variable has one; of a user-defined type nothing else is fill */
    const void *standard; /* else */
} dump_fill;

void dump_fill_load(const dump_var *v, dump_fill *f);
void dump_fill_clear(dump_fill *f);
bool dump_fill_matches(const dump_fill *f, const void *p);

/* ---- dump_reader.c: a variable's values in order, in bounded pieces ------------------------------------------ */

typedef struct dump_reader {
    const dump_var *v;
    size_t         *start, *count; /* the box in memory */
    size_t         *step;          /* a full box */
    char           *buf;
    size_t          cap, have, at; /* values: room, held, returned */
    bool            any;           /* a box was read already */
} dump_reader;

int dump_reader_open(const dump_var *v, dump_reader *r);
/* Points to the next values, at most want and at least one; they stay until the next call. */
int  dump_reader_take(dump_reader *r, size_t want, const void **vals, size_t *got);
void dump_reader_close(dump_reader *r);

/* ---- dump_damage.c: damaged chunks --------------------------------------------------------------------------- */

/* --damaged=skip: looks for the variables with damaged chunks, of those whose data are wanted. */
void dump_damage_find(dump_context *d);
bool dump_damage_skips(const dump_context *d, int grp, int varid);
/* Lists what was found on stderr. True: it is why the exit status is DAMAGE_EXIT. */
bool dump_damage_report(dump_context *d);
/* Reports why a variable's data cannot be read; if that is damage, says what can be done. */
void dump_damage_fail(dump_context *d, int rc, const dump_var *v, const char *why);

/* Says on stderr which variables are in consolidated metadata alone, where that costs next to nothing. */
void dump_warn_stale(dump_context *d);

/* Why a variable's data cannot be read at all, as a code with the library's text; NC_NOERR: they can. */
int dump_var_check(int grp, int varid);
/* Such a code says that the document itself is broken, not only its type or a codec: it tells no shape. */
static inline bool
dump_var_is_unknown(int rc)
{
    return rc != NC_NOERR && rc != NC_EBADTYPE && rc != NC_EFILTER && rc != NC_ENOFILTER;
}

/* ---- dump_color.c: colors, with dump_opts.color -------------------------------------------------------------- */

#define DUMP_BOLD      "\033[1m"    /* names of variables, dimensions and types */
#define DUMP_BOLD_BLUE "\033[1;34m" /* of groups */
#define DUMP_CYAN      "\033[36m"   /* of attributes */
#define DUMP_GREEN     "\033[32m"   /* types */
#define DUMP_FAINT     "\033[2m"    /* comments */
#define DUMP_PLAIN     "\033[0m"

void dump_color(const dump_context *d, const char *color); /* nothing without colors */
void dump_color_end(const dump_context *d);
void dump_add_path(const dump_context *d, text_buf *t, const char *path); /* and two blanks */
/* Between the lengths of a shape: a multiplication sign, or an x. */
const char *dump_times(const dump_context *d);
void        dump_add_shape(const dump_context *d, text_buf *t, const size_t *n, int ndims); /* 2x3 */
void        dump_add_json_sizes(text_buf *t, const char *name, const size_t *n, int ndims); /* "NAME": [2, 3] */

/* ---- dump_stored.c: how many bytes of a variable are stored ---------------------------------------------------- */

typedef struct dump_stored {
    size_t total, listed, measured; /* chunks: of the grid, stored, and those of known length */
    double measured_bytes;
} dump_stored;

/* The chunks of the variable's grid. False: more than a size_t counts. */
bool dump_stored_count(const dump_var *v, size_t *total);
/* False: it cannot be listed. At most a million chunks are listed, and at most 512 are asked for their length. */
bool dump_stored_load(const dump_var *v, dump_stored *s);
/* Counts one listed chunk. True: its length is known, and now in *length. */
bool   dump_stored_add(dump_stored *s, nczarr_map *map, const char *key, unsigned long long *length);
bool   dump_stored_is_full(const dump_stored *s); /* no more are to be listed */
double dump_stored_bytes(const dump_stored *s);   /* an estimate where measured < listed */
double dump_raw_bytes(const dump_var *v);         /* without codecs; 0: not known */
double dump_stored_ratio(const dump_stored *s,
                         const dump_var    *v); /* raw / stored; 0: not known, or chunks are missing */

/* ---- dump_fragments.c: what is stored of variables whose values lie in other datasets -------------------------- */

typedef struct dump_fragment {
    size_t *start;       /* in the variable, then its lengths */
    char   *path, *name; /* the dataset and its variable; NULL: the values are in none */
} dump_fragment;

typedef struct dump_fragments {
    dump_fragment *v;
    size_t         n, cap;
} dump_fragments;

/* None of other variables. Cleared also after a failure. */
int  dump_fragments_load(int grp, int varid, dump_fragments *f);
void dump_fragments_clear(dump_fragments *f);
/* Of all; of many an estimate. False: not known. */
bool dump_fragments_sum(dump_context *d, const dump_fragments *f, dump_stored *s);
/* The variable in --chunks. */
void dump_fragments_print(dump_context *d, const dump_var *v, const dump_fragments *f, const char *path, bool first,
                          dump_stored *all);
void dump_fragment_files_clear(dump_fragment_files *files); /* once all is printed */

/* ---- dump_tree_sizes.c: the bytes that --tree shows ---------------------------------------------------------- */

/* What is stored of a variable, or of a group and all in it (varid NC_GLOBAL). */
typedef struct dump_tree_size {
    int    grp, varid;
    double bytes, ratio; /* ratio 0: not known */
    bool   known, about;
} dump_tree_size;

/* In the order in which the tree is printed. */
typedef struct dump_tree_sizes {
    dump_tree_size *size;
    size_t          n, cap, at;
} dump_tree_sizes;

/* Of the whole dataset. `walk`: by one walk through the store. What fails is reported, and its sizes are not known. */
void           dump_tree_sizes_load(dump_context *d, bool walk, dump_tree_sizes *l);
dump_tree_size dump_tree_sizes_take(dump_tree_sizes *l, int grp, int varid); /* the next one of this object */
void           dump_tree_sizes_clear(dump_tree_sizes *l);

/* ---- dump_wrap.c: lines on a terminal ------------------------------------------------------------------------ */

/* The rest of a line that is at `column`, and its end; words that have no room go to lines that begin with `front`. */
void dump_wrap_print(dump_context *d, const text_buf *t, const char *front, size_t column);

/* ---- dump_check_places.c: whether the places are there that a dataset refers to ------------------------------ */

typedef struct dump_place_end {
    char              *place;
    unsigned long long end;
} dump_place_end;

typedef struct dump_place_count {
    size_t          all, gone, unknown; /* unknown: could not be asked */
    dump_place_end *passed;             /* that end before ranges do */
    size_t          npassed, cap;
} dump_place_count;

void dump_check_places(dump_context *d, dump_place_count *n);
/* Does a range end behind its object? */
bool dump_is_past_end(const dump_place_count *n, const char *place, unsigned long long start,
                      unsigned long long length);
void dump_place_count_clear(dump_place_count *n);

/* ---- dump_places.c: where chunks lie, in a map that refers to other places -------------------------------------- */

typedef struct dump_place {
    char  *name;
    size_t n; /* chunks */
} dump_place;

typedef struct dump_places {
    dump_place *v; /* by name */
    size_t      n, cap, others;
} dump_places;

void dump_places_add(dump_places *p, struct zmap *map, const char *key);
void dump_places_print(const dump_places *p, text_buf *t); /* lines; nothing without places */
void dump_places_print_json(const dump_places *p, text_buf *t);
void dump_places_clear(dump_places *p);

/* ---- dump_chunk_map.c: the drawing of --chunks ---------------------------------------------------------------- */

typedef struct dump_chunk_map {
    size_t  total, rows, cols; /* chunks of the grid, as it is drawn */
    size_t  per_row, per_col;  /* chunks of a cell */
    size_t  down, across;      /* cells */
    size_t *stored;            /* of each cell: its chunks that are stored, and their bytes */
    double *bytes;
} dump_chunk_map;

void dump_chunk_map_init(dump_chunk_map *m, size_t rows, size_t cols); /* of at least one chunk */
void dump_chunk_map_add(dump_chunk_map *m, size_t place, unsigned long long nbytes);
void dump_chunk_map_print(dump_chunk_map     *m,
                          const dump_context *d); /* may merge rows: nothing can be added after it */
void dump_chunk_map_clear(dump_chunk_map *m);

/* ---- the forms ---------------------------------------------------------------------------------------------- */

void dump_cdl_group(dump_context *d, int grp);                 /* dump_cdl_header.c */
void dump_cdl_types(dump_context *d, int grp);                 /* dump_cdl_types.c */
void dump_cdl_virtual_var(dump_context *d, const dump_var *v); /* dump_virtual_atts.c */
void dump_cdl_virtual_global(dump_context *d);
void dump_cdl_data(dump_context *d, const dump_var *v);                         /* dump_cdl_data.c */
void dump_comment_row(dump_context *d, const dump_var *v, const size_t *index); /* dump_index_comments.c */
void dump_comment_value(dump_context *d, const dump_var *v, const size_t *index);
void dump_ncml(dump_context *d);

/* dump_ncml_types.c; `user` NULL: a primitive type */
void        dump_ncml_indent(dump_context *d, int level);
void        dump_ncml_att(dump_context *d, const char *key, const char *value); /* key="value" */
void        dump_ncml_att_text(dump_context *d, const char *key, const char *value, size_t n);
const char *dump_ncml_type_name(nc_type type);
void        dump_ncml_types(dump_context *d, int grp, int level); /* a group's enumTypedefs */
/* `shape` has the dimensions' names already. */
void dump_ncml_shape_and_type(dump_context *d, int grp, text_buf *shape, nc_type type, const user_type *user);
bool dump_ncml_has_fields(const user_type *user);
void dump_ncml_fields(dump_context *d, int grp, const user_type *user, int level);

void dump_json(dump_context *d);
/* The member `types` of a group that defines some; then *first, whether the group has no member yet, is false. */
void dump_json_types(dump_context *d, int grp, int level, bool *first);
void dump_list(dump_context *d); /* dump_list.c */
void dump_tree(dump_context *d);
void dump_chunks(dump_context *d); /* dump_chunks.c */

/* ---- dump_codecs.c ------------------------------------------------------------------------------------------- */

typedef struct dump_filters {
    size_t         n;
    unsigned int  *id;
    size_t        *nparams;
    unsigned int **params;
} dump_filters;

int   dump_filters_load(const dump_var *v, dump_filters *f); /* none is no error */
void  dump_filters_clear(dump_filters *f);
char *dump_codecs_text(const dump_var *v); /* the _Codecs document, or NULL; free it */
/* `numbers`: NaN, Infinity and -Infinity may be bare words, as in documents of Zarr. */
bool dump_json_is_valid(const char *s, bool numbers);

/* ---- dump_time.c: numbers that are times --------------------------------------------------------------------- */

/* The base for a variable's values: from its own units, or those of the variable whose bounds it holds. */
cf_timebase dump_timebase_for(const dump_context *d, int grp, int varid, const char *name);
/* "2001-02-03 04:05" in quotes; false when the value is no time (NaN, infinite, absurd). */
bool dump_timebase_text(const cf_timebase *tb, long double value, text_buf *t);
/* -t: the times of a numeric attribute as a comment after it. */
void dump_time_comment(dump_context *d, int grp, int varid, const att_value *a);
void dump_record_bounds(dump_context *d, int grp, int varid, const att_value *a);

#endif /* NCZDUMP_DUMP_INT_H */
