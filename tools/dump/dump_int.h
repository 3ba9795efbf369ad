/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_int.h: what the files of nczdump's engine share.
 *
 * Running out of memory ends the program with a message (dump_need); all other failures are told by dump_fail and
 * remembered in dump.status.
 */
#ifndef NCZDUMP_DUMP_INT_H
#define NCZDUMP_DUMP_INT_H

#include "dump.h"

#include <nczarr.h>

/* ---- text.c: a growing string, always NUL terminated once something was added ------------------------------- */

typedef struct text {
    char  *s;
    size_t len, cap;
} text;

#define TEXT_INIT ((text){.s = NULL})

void text_addn(text *t, const char *s, size_t n);
void text_add(text *t, const char *s);
void text_addc(text *t, char c);
void text_addf(text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_reset(text *t); /* empty, keeps the memory */
void text_clear(text *t);

/* A name as CDL wants it: special characters and a leading digit behind a backslash. A path's slashes stay. */
void text_add_name(text *t, const char *name);

/* Bytes inside a CDL string literal. ascii_only: octal escapes for bytes above 127 (char data). */
void text_add_cdl(text *t, const char *s, size_t n, bool ascii_only);

/* Inside an XML attribute value. What XML 1.0 cannot hold becomes U+FFFD. */
void text_add_xml(text *t, const char *s, size_t n);

/* A JSON string with its quotes; bytes that are not UTF-8 make it an array of byte numbers instead. */
void text_add_json(text *t, const char *s, size_t n);

bool text_is_utf8(const char *s, size_t n);

void *dump_need(void *p);                /* p, or a message and the end when it is NULL */
void *dump_alloc(size_t n, size_t size); /* n * size bytes, zeroed, never NULL */

/* ---- run.c -------------------------------------------------------------------------------------------------- */

typedef struct dump_place {
    int ncid, varid;
} dump_place;

typedef struct dump {
    const dump_opts *o;
    FILE            *out;
    const char      *name; /* of the dataset */
    int              root;
    int              format; /* NC_FORMAT_... */
    size_t           indent; /* blanks in front of every line: two for each group */
    size_t           col;    /* column of the data section's line, as the wrapping counts it */
    int              status; /* first error, 0 so far */
    dump_place      *vars;   /* -v resolved */
    size_t           nvars;
    int             *groups; /* -g resolved */
    size_t           ngroups;
    dump_place      *bounds; /* -t: for each `bounds` attribute, the variable holding it */
    char           **bounds_names;
    size_t           nbounds;
} dump;

/* Tells of a failure: "nczdump: FILE: WHAT: library text: detail". WHAT may be NULL. Returns rc. */
int dump_fail(dump *d, int rc, const char *what);

/* The library's text for the code and, if there is more to say, ": " and its detail. */
void text_add_error(text *t, int rc, const char *about); /* see error_text() */

void dump_indent(dump *d);
void dump_name(dump *d, const char *name); /* escaped for CDL */

/* ---- select.c: -v, -g, -c ----------------------------------------------------------------------------------- */

int  dump_select(dump *d);
void dump_select_clear(dump *d);
bool dump_wants_group(const dump *d, int grp);
bool dump_wants_var(const dump *d, int grp, int varid);

/* ---- tree of groups: walk.c --------------------------------------------------------------------------------- */

typedef struct ids {
    int *id;
    int  n;
} ids;

int  ids_dims(int grp, ids *out); /* those defined in this very group */
int  ids_vars(int grp, ids *out);
int  ids_grps(int grp, ids *out);
void ids_clear(ids *x);

bool  dim_is_unlimited(int grp, int dimid);
bool  is_root(int grp);
char *grp_path(int grp); /* "/", "/g/h"; free it */
char *var_path(int grp, const char *name);
int   dim_home(int grp, int dimid, int *home); /* the group that defines a dimension */

/* ---- var.c: one variable, one attribute --------------------------------------------------------------------- */

typedef struct var {
    int     grp, id;
    char    name[NC_MAX_NAME + 1];
    nc_type type;
    size_t  size; /* of one value in memory; 0: a type this program cannot read */
    int     ndims;
    int    *dims;
    size_t *shape;
    bool   *unlimited;
    int     natts;
    bool    empty; /* a dimension of length 0 */
} var;

int  var_load(int grp, int varid, var *v);
void var_clear(var *v);

typedef struct att {
    char    name[NC_MAX_NAME + 1];
    nc_type type;
    size_t  len;
    void   *val; /* len values; a char attribute has one NUL more */
} att;

int  att_load(int grp, int varid, int index, att *a);
int  att_load_named(int grp, int varid, const char *name, att *a);
void att_clear(att *a);

size_t      type_size(nc_type type);              /* 0 if it is not an atomic one */
const char *type_name(nc_type type);              /* atomic; NULL otherwise */
void        text_add_type(text *t, const var *v); /* also of a type that netCDF does not have */

/* ---- value.c: one value to text ----------------------------------------------------------------------------- */

typedef struct style {
    int  float_digits, double_digits;
    char format[40]; /* a checked printf format taken from C_format, or "" */
    char conv;       /* its conversion letter */
} style;

style style_for(const dump *d, int grp, int varid, nc_type type);

/* As the data section prints it: no type suffix; strings quoted, NIL for a null one. */
void value_cdl(text *t, const style *s, nc_type type, const void *p);

/* As an attribute prints it: with suffix, doubles with a point. */
void value_att(text *t, const style *s, nc_type type, const void *p);

/* JSON: shortest digits that read back the same, "NaN" and its like as strings, null for a null string. */
void value_json(text *t, nc_type type, const void *p);

/* Plain, for NcML: the attribute form without its suffix. */
void value_plain(text *t, const style *s, nc_type type, const void *p);

double value_double(nc_type type, const void *p);

/* Does a value stand for "nothing written"? Floating-point numbers match within their precision. */
typedef struct fill {
    bool    has;
    nc_type type;
    att     own; /* _FillValue, when the variable has one */
    union {
        short              s;
        int                i;
        unsigned short     us;
        unsigned int       ui;
        float              f;
        double             d;
        long long          ll;
        unsigned long long ull;
        const char        *str;
    } standard;
} fill;

void fill_load(const var *v, fill *f);
void fill_clear(fill *f);
bool fill_matches(const fill *f, const void *p);

/* ---- reader.c: a variable's values in order, in bounded pieces ---------------------------------------------- */

typedef struct reader {
    const var *v;
    size_t    *start, *count; /* the box in memory */
    size_t    *step;          /* a full box */
    char      *buf;
    size_t     cap, have, at; /* values: room, held, given out */
    bool       any;           /* a box was read already */
} reader;

int reader_open(const var *v, reader *r);
/* Points to the next values, at most want and at least one; they stay until the next call. */
int  reader_take(reader *r, size_t want, const void **vals, size_t *got);
void reader_close(reader *r);

/* ---- the forms ---------------------------------------------------------------------------------------------- */

void cdl_group(dump *d, int grp); /* header.c */
void cdl_att_head(dump *d, const char *owner, const char *name);
void cdl_special_var(dump *d, const var *v); /* special.c */
void cdl_special_global(dump *d);
void cdl_data(dump *d, const var *v);                        /* data.c */
void note_brief(dump *d, const var *v, const size_t *index); /* notes.c */
void note_full(dump *d, const var *v, const size_t *index);
void ncml_dataset(dump *d);
void json_dataset(dump *d);
void tree_dataset(dump *d);
void chunks_dataset(dump *d); /* chunks.c */

/* ---- codecs.c ----------------------------------------------------------------------------------------------- */

typedef struct filters {
    size_t         n;
    unsigned int  *id;
    size_t        *nparams;
    unsigned int **params;
} filters;

int         filters_load(const var *v, filters *f); /* none is no error */
void        filters_clear(filters *f);
const char *filter_name(unsigned int id); /* NULL if it is not a known one */
char       *codecs_text(const var *v);    /* the _Codecs document, or NULL; free it */
bool        json_is_valid(const char *s);

/* ---- time.c: numbers that are times ------------------------------------------------------------------------- */

typedef enum calendar { CAL_MIXED, CAL_PROLEPTIC, CAL_JULIAN, CAL_365, CAL_366, CAL_360 } calendar;

typedef struct timebase {
    bool      valid;
    calendar  cal;
    int       months; /* a unit of calendar months; 0: a unit of seconds */
    double    seconds;
    long long day;    /* the origin: days since 0000-01-01 in the calendar */
    double    second; /* ... and seconds of that day */
    long long year;   /* ... and its date */
    int       month, mday;
    char      separator;
} timebase;

/* Reads "UNIT since DATE[ TIME[ ZONE]]"; false when it is not of that form or not a known calendar. */
bool timebase_parse(const char *units, const char *cal, timebase *tb);
/* The base for a variable's values: from its own units, or those of the variable whose bounds it holds. */
timebase timebase_for(const dump *d, int grp, int varid, const char *name);
/* "2001-02-03 04:05" in quotes; false when the value is no time (NaN, infinite, absurd). */
bool timebase_text(const timebase *tb, double value, text *t);
/* -t: the times of a numeric attribute as a comment behind it. */
void time_note(dump *d, int grp, int varid, const att *a);
void time_note_bounds(dump *d, int grp, int varid, const att *a);

#endif /* NCZDUMP_DUMP_INT_H */
