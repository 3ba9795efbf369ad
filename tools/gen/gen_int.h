/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the files of gen: the tree, the scanner's tokens and constants, memory.
 *
 * Nodes, names and strings are in the tree's arena. A list's values are in a separate buffer, which the tree frees.
 * Lists of nodes are linked in the order of the text, which is the order of definition.
 */
#ifndef GEN_INT_H
#define GEN_INT_H

#include <nczarr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen.h"

#define GEN_PRINTF(fmt, args) NCZARR_PRINTF(fmt, args)
#define GEN_LEN(array)        (sizeof(array) / sizeof((array)[0]))
#define GEN_MAX_DEPTH         100 /* of groups in groups and braces in braces */

typedef struct gen_pos {
    unsigned line, col; /* from 1; columns count bytes */
} gen_pos;

/* ---- memory (gen_memory.c) ------------------------------------------------------------------------------------- */

/*
 * Of a tree while it is parsed. Where there is no memory, parsing ends from wherever it is: gen_parse() then returns
 * NC_ENOMEM, and frees all. So what is allocated meanwhile is the tree's or the parser's.
 */
typedef struct gen_arena {
    struct gen_block *head;
    jmp_buf          *out_of_memory; /* where gen_parse() goes on */
} gen_arena;

void *gen_alloc(gen_arena *a, size_t nbytes); /* zeroed, lives as long as the arena */
char *gen_strndup(gen_arena *a, const char *s, size_t len);
void  gen_reserve(gen_arena *a, void **p, size_t *cap, size_t need, size_t item); /* room for so many at *p */
void  gen_arena_clear(gen_arena *a);

void *gen_grow(void *p, size_t n, size_t item); /* checked realloc to n * item; NULL: p stays valid */

void gen_mem_fail_at(long n); /* tests: the n-th allocation from now fails; negative: none does */

/* ---- constants (gen_number.c) --------------------------------------------------------------------------------- */

typedef enum gen_kind {
    GEN_INT,    /* `type` is NC_BYTE ... NC_UINT64; value in i, or in u for unsigned types */
    GEN_HEX,    /* 0x...: an integer or an opaque value; u and type are set for up to 16 digits */
    GEN_REAL,   /* `type` is NC_FLOAT or NC_DOUBLE; value in d */
    GEN_CHAR,   /* 'a'; value in i */
    GEN_STRING, /* value in s, len */
    GEN_NIL,
    GEN_FILL, /* _ */
    GEN_NAME, /* a name or path: an enum constant */
} gen_kind;

typedef struct gen_const {
    gen_kind kind;
    nc_type  type;
    gen_pos  pos;
    union {
        int64_t  i;
        uint64_t u;
        double   d;
    } v;
    const char *s; /* GEN_STRING, GEN_HEX (the digits), GEN_NAME */
    size_t      len;
    bool        minus_zero; /* GEN_INT: "-0", as ncdump prints the real number -0.0 */
} gen_const;

typedef enum gen_fit {
    GEN_FITS,
    GEN_WRAPS,     /* same width but other sign: keeps the bits */
    GEN_OVERFLOWS, /* a float that becomes infinite */
    GEN_NO_FIT,
} gen_fit;

/*
 * Parses the number s[0..len), with its suffix. False: it is no number, and *why is a static text with the reason.
 * *fit says how the value fits the type of its suffix.
 */
bool gen_parse_number(const char *s, size_t len, gen_const *out, gen_fit *fit, const char **why);

/* NaN, Infinityf and the like. False: it is no such word. */
bool gen_find_named_real(const char *word, gen_const *out);

/* Converts `c`, a number or character, to memory type `type` at `out`. */
gen_fit gen_convert(const gen_const *c, nc_type type, void *out);

size_t      gen_type_size(nc_type type); /* in memory; strings are pointers */
const char *gen_type_name(nc_type type);

/* ---- the tree --------------------------------------------------------------------------------------------- */

typedef struct gen_run {
    size_t at, n;
} gen_run;

/* The meaning of a type name: a primitive type or, with NC_NAT, a user-defined one. */
typedef struct gen_typeref {
    nc_type                type;
    const struct gen_type *user;
} gen_typeref;

/* A field of a compound type, or a constant of an enum. */
typedef struct gen_member {
    struct gen_member *next;
    const char        *name;
    gen_pos            pos;
    unsigned char      value[8]; /* of a constant, in the memory form of the enum's base */
    gen_typeref        type;
    size_t             offset, count; /* of a field: place in the compound, number of values */
    int                ndims, *dims;
} gen_member;

/* A user-defined type. In memory its values have the layout that a C compiler gives them, with natural alignment. */
typedef struct gen_type {
    struct gen_type *next;
    const char      *name;
    gen_pos          pos;
    int class;         /* NC_ENUM, NC_OPAQUE, NC_VLEN or NC_COMPOUND */
    size_t      index; /* index in the whole tree */
    gen_typeref base;  /* of an enum or a vlen */
    size_t      size, align;
    unsigned    depth; /* user-defined types inside each other, this one included */
    gen_member *members, **members_end;
} gen_type;

/*
 * The values between a pair of braces, or of a whole declaration. A leaf holds `nelems` values of `type`, with char
 * data padded to rows; the elements in `fills` get the fill value when parsing ends. Any other list has `subs`: one
 * list for each pair of braces, NULL for a `_`. The values of a vlen are a list of their own.
 */
typedef struct gen_list {
    struct gen_list  *next; /* links all lists of the tree */
    gen_pos           pos;
    gen_typeref       type;
    size_t            item; /* bytes of one value */
    size_t            nelems, cap;
    void             *values;
    gen_run          *fills;
    size_t            nfills, fills_cap;
    size_t            unit;    /* row length of character data; 0: their strings are no rows */
    bool              chars;   /* a sequence of single characters is open */
    size_t            longest; /* bytes of the longest string; longest_pos is its position */
    gen_pos           longest_pos;
    struct gen_list **subs;
    size_t            nsubs, subs_cap;
    bool              nested;
} gen_list;

typedef struct gen_dim {
    struct gen_dim *next;
    const char     *name;
    gen_pos         pos;
    size_t          index; /* index in the whole tree */
    uint64_t        size;  /* unlimited: as large as the data need */
    bool            unlimited;
    bool            ahead; /* declared ahead by the scan, not reached by the parser yet */
} gen_dim;

typedef struct gen_att {
    struct gen_att *next;
    const char     *name;
    gen_pos         pos;
    gen_list       *values;
} gen_att;

typedef struct gen_filter {
    unsigned  id;
    size_t    nwords;
    unsigned *words;
} gen_filter;

typedef enum gen_prop {
    GEN_STORAGE,
    GEN_CHUNKS,
    GEN_SHARDS,
    GEN_DEFLATE,
    GEN_SHUFFLE,
    GEN_FLETCHER,
    GEN_ENDIAN,
    GEN_NOFILL,
    GEN_QUANTIZE,
    GEN_FILTERS,
    GEN_CODECS,
    GEN_DTYPE,
    GEN_NPROPS
} gen_prop;

typedef struct gen_props {
    gen_pos      pos[GEN_NPROPS]; /* line 0: not given */
    int          value[GEN_NPROPS];
    int          quantize_mode;
    const char  *dtype;
    size_t      *chunks, *shards;
    size_t       nchunks, nshards;
    gen_filter  *filters;
    const char **codecs;     /* each a JSON object */
    const char  *codec_list; /* all of them, as the text has them */
    size_t       nfilters, ncodecs;
} gen_props;

typedef struct gen_var {
    struct gen_var *next;
    const char     *name;
    gen_pos         pos;
    size_t          index; /* index in the whole tree */
    gen_typeref     type;
    size_t          rank;
    gen_dim       **dims;
    gen_att        *atts, **atts_end;
    gen_props       props;
    gen_list       *fill; /* the _FillValue, one element of the variable's type, or NULL */
    gen_list       *data;
} gen_var;

typedef struct gen_group {
    struct gen_group *next, *parent;
    const char       *name;
    gen_pos           pos;
    gen_dim          *dims, **dims_end;
    gen_var          *vars, **vars_end;
    gen_att          *atts, **atts_end;
    gen_type         *types, **types_end;
    struct gen_group *groups, **groups_end;
    bool              ahead; /* declared ahead by the scan, not reached by the parser yet */
} gen_group;

struct gen_cdl {
    gen_arena           arena;
    const char         *file, *name;
    gen_group          *root;
    gen_list           *lists;
    size_t              ndims, nvars, ntypes;
    const dataset_kind *kind;        /* of _Format; NULL: not given */
    int                 zarr_format; /* 0: not given */
};

/* ---- names (gen_names.c): one table for the tree, keyed by group (of a member: type), kind and name ---------- */

typedef enum gen_name_kind { GEN_DIM, GEN_VAR, GEN_TYPE, GEN_GROUP, GEN_MEMBER } gen_name_kind;

typedef struct gen_names {
    struct gen_entry **slots;
    size_t             nslots, used;
} gen_names;

void  gen_names_put(gen_names *t, gen_arena *a, const void *scope, gen_name_kind sort, const char *name, void *node);
void *gen_names_get(const gen_names *t, const void *scope, gen_name_kind sort, const char *name, size_t len);
void  gen_names_clear(gen_names *t);

/* ---- scanner (gen_lex.c, gen_spelling.c) ----------------------------------------------------------------------- */

typedef enum gen_tok {
    GEN_T_END,
    GEN_T_WORD,  /* text; `quoted`: a backslash makes it a name for certain */
    GEN_T_PATH,  /* /a/b; text with its escapes */
    GEN_T_CONST, /* number, character or string */
    GEN_T_PUNCT,
} gen_tok;

typedef struct gen_token {
    gen_tok     tok;
    gen_pos     pos;
    char        punct;
    bool        quoted;
    const char *text; /* a word without its escapes, or a path; valid until the next token */
    size_t      len;
    gen_const   c;
    size_t      start, end; /* offsets in the source */
} gen_token;

typedef struct gen_parser gen_parser;

/* The state of parsing one text: source, current token, and the tree so far. */
struct gen_parser {
    gen_cdl    *cdl;
    gen_report  report;
    gen_names   names;
    const char *src;
    size_t      len, at;    /* `at`: after the current token */
    size_t      line_start; /* offset of the current line */
    unsigned    line;
    gen_token   tok;
    char       *buf; /* the current token's text */
    size_t      buf_cap;
    void       *items; /* what a function reads one after the other, until it knows how many */
    size_t      items_cap;
    gen_group  *group; /* the group being parsed */
    unsigned    depth;
    bool        scanned; /* gen_declare_ahead() has run */
};

int gen_next(gen_parser *p);         /* reads the next token */
int gen_dataset_name(gen_parser *p); /* reads the text between `netcdf` and `{`; `{` is then current */
/* Decodes one escape. `s` points after the backslash. */
char gen_unescape(const char *s, const char *end, const char **after);
bool gen_is_word_start(const char *s, const char *end);
/* Resolves a name's escapes into p->buf. */
size_t      gen_word_text(gen_parser *p, const char *s, const char *end); /* its length */
const char *gen_word_end(const char *s, const char *end);

/* ---- messages (gen_report.c) ------------------------------------------------------------------------------ */

/* Formats a message and passes it to the report. Position 0 names the file only. */
void gen_say_va(gen_report r, bool is_error, const char *file, gen_pos pos, const char *fmt, va_list args);
void gen_say(gen_report r, bool is_error, const char *file, gen_pos pos, const char *fmt, ...) GEN_PRINTF(5, 6);

/* ---- parser (gen_parse*.c, gen_tokens.c, gen_nodes.c) ----------------------------------------- */

/* gen_nodes.c: new nodes in the current group. */
gen_dim   *gen_add_dim(gen_parser *p, const char *name, gen_pos pos);
gen_group *gen_add_group(gen_parser *p, const char *name, gen_pos pos);
/* Makes a group that is not in the tree yet. */
gen_group *gen_new_group(gen_parser *p, const char *name, gen_pos pos);
int        gen_dim_size(gen_parser *p, gen_dim *d); /* parses the size after the '=' */

/*
 * Declares the groups and dimensions of the whole text, once. The current token does not change. gen_declare_ahead.c
 */
int gen_declare_ahead(gen_parser *p);

/* gen_parse_error.c: messages at a position of the text. */
int  gen_error(gen_parser *p, gen_pos pos, const char *fmt, ...) GEN_PRINTF(3, 4); /* NC_EINVAL */
void gen_warn(gen_parser *p, gen_pos pos, const char *fmt, ...) GEN_PRINTF(3, 4);
int  gen_unexpected(gen_parser *p, const char *wanted); /* reports "expected X, found Y" at the current token */

/* gen_tokens.c: steps over single tokens. */
size_t gen_text_start(const gen_parser *p); /* offset of the text, after a byte-order mark */
bool   gen_at(const gen_parser *p, char punct);
bool   gen_at_word(const gen_parser *p, const char *word);
int    gen_expect(gen_parser *p, char punct); /* requires that punctuation and skips it */
int    gen_accept(gen_parser *p, char punct, bool *found);

/* Takes a name where only a name is possible: any word, even a keyword. Copies it and moves past it. */
int gen_take_name(gen_parser *p, const char *what, const char **name, gen_pos *pos);

/* A reference: a word or an absolute path. gen_take_ref() copies it out of the token and moves past it. */
typedef struct gen_ref {
    gen_pos          pos;
    const char      *text;  /* as written, for messages */
    const gen_group *group; /* paths: the group in which the last name is looked up */
    const char      *name;
    bool             path, quoted;
    bool             tight; /* followed by a colon without a blank */
} gen_ref;

int      gen_take_ref(gen_parser *p, gen_ref *out);
bool     gen_find_type(const gen_parser *p, const gen_ref *r, gen_typeref *out);
gen_var *gen_find_var(const gen_parser *p, const gen_ref *r);
/* Looks in this group, then in the enclosing ones. */
void *gen_find_outward(const gen_parser *p, const gen_ref *r, gen_name_kind sort);
/* Reports that no such `what` is declared. */
int gen_undefined(gen_parser *p, const gen_ref *r, const char *what);

/* Adds the n-th item of a list that one function reads; returns all of them. gen_memory.c */
void *gen_add_item(gen_parser *p, size_t n, const void *item, size_t nbytes);

/* gen_const.c */
int gen_peek_const(gen_parser *p, gen_const *out); /* one value, which the current token owns */
int gen_take_const(gen_parser *p, gen_const *out); /* takes one value of a list, whose text outlives the token */

/*
 * Parses an attribute declaration after its first reference: `ref` ':' name '=' ..., or type `ref2` ':' name '=' ...
 */
int gen_attr_after_ref(gen_parser *p, const gen_ref *first);
int gen_attr_after_colon(gen_parser *p, gen_var *var, const gen_typeref *type); /* current token: ':' */

int gen_type_statement(gen_parser *p); /* one declaration of the types section */

int    gen_parse_data(gen_parser *p, gen_var *v); /* parses from the current token to the ';' */
void   gen_finish_tree(gen_parser *p);            /* sets fill values and the sizes of unlimited dimensions */
void   gen_var_fill(const gen_var *v, void *out); /* gives the fill value in memory form */
size_t gen_group_end(const gen_var *v, size_t d); /* the next unlimited dimension after `d`, or the rank */

/* ---- values of user-defined types (gen_type_ref.c, gen_parse_values.c) ---------------------------------------- */

size_t      gen_ref_size(const gen_typeref *t); /* in memory */
size_t      gen_ref_align(const gen_typeref *t);
const char *gen_ref_name(const gen_typeref *t);
/* The value of a `_` that is part of another value: the default of a primitive type, and zeros. */
void gen_default_fill(const gen_typeref *t, void *out);
/* Parses values, at least one, with commas between, to the end of the list. */
int gen_parse_items(gen_parser *p, gen_list *l);

/* ---- lists (gen_list.c) --------------------------------------------------------------------------------------- */

gen_list *gen_list_new(gen_cdl *cdl, const gen_typeref *type, gen_pos pos, size_t unit);
void     *gen_list_reserve(gen_parser *p, gen_list *l, size_t n); /* n values more: their place */
int       gen_list_add(gen_parser *p, gen_list *l, const gen_const *c);
void      gen_list_end(gen_parser *p, gen_list *l); /* closes the last row of characters */
void      gen_list_add_sub(gen_parser *p, gen_list *l, gen_list *sub);
void      gen_list_fill(gen_list *l, const void *value);
int       gen_store_const(gen_parser *p, const gen_const *c, nc_type type, void *out); /* a single value */

/* ---- attributes (gen_attr.c, gen_special_atts.c, gen_filter_spec.c, gen_codecs.c) ------------------------------ */

typedef struct gen_attdecl {
    gen_var           *var;  /* NULL: the group's attribute */
    const gen_typeref *type; /* NULL: inferred */
    const char        *name;
    gen_pos            pos;
    const gen_const   *values;
    size_t             n;
    gen_pos            end; /* where the values should begin, for messages about missing ones */
} gen_attdecl;

int  gen_attr_add(gen_parser *p, const gen_attdecl *a);
void gen_attr_add_list(gen_parser *p, const gen_attdecl *a, gen_list *values);
int  gen_take_special_att(gen_parser *p, const gen_attdecl *a, bool *taken);
int  gen_parse_filter_spec(gen_parser *p, const gen_const *text, gen_filter **out, size_t *n);
int  gen_parse_codecs(gen_parser *p, const gen_const *text, const char ***out, size_t *n);

/* ---- writer (gen_write.c, gen_write_data.c) -------------------------------------------------------------------- */

typedef struct gen_writer {
    const gen_cdl  *cdl;
    const gen_opts *opts;
    int             ncid;            /* the root's */
    int            *dimids;          /* by gen_dim.index */
    int            *grpids, *varids; /* by gen_var.index */
    nc_type        *typeids;         /* by gen_type.index */
} gen_writer;

/* Reports a failed nc_ call of an object with the library's text (gen_report.c). Returns rc. */
int     gen_nc_error(const gen_writer *w, int rc, gen_pos pos, const char *what, const char *name);
int     gen_def_types(gen_writer *w, int ncid, const gen_group *g); /* gen_write_types.c */
nc_type gen_type_id(const gen_writer *w, const gen_typeref *t);
int     gen_write_data(gen_writer *w, const gen_group *g);

#endif /* GEN_INT_H */
