/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of this module share, dialects included: the documents of a dataset as a tree of nodes (format_fetch.c), what
 * those of a node say (format_node_meta.c), values both ways (format_attr_*.c, format_fill.c, format_number.c).
 */
#ifndef NCZ_FORMAT_INT_H
#define NCZ_FORMAT_INT_H

#include "format/format.h"

#include <pthread.h>

/* ---- documents as fetched ------------------------------------------------------------------------------------- */

/* A node's documents while they are at hand, by the numbers of the dialect (ncz_dialect_docs.all). */
typedef struct ncz_node_docs {
    const ncz_json *doc[NCZ_DOCS_MOST];
} ncz_node_docs;

typedef struct ncz_node_meta ncz_node_meta;

typedef struct ncz_node {
    char          *name;   /* "" for the root */
    size_t         parent; /* place in the tree; the root is its own */
    size_t         depth;
    size_t         kid, nkids; /* children stand side by side */
    ncz_node_kind  kind;
    int            rc;    /* a failure that is not this node's alone; its text in `err` */
    ncz_err       *err;   /* with rc NC_NOERR: the first of its documents that is broken, or NULL */
    ncz_node_meta *said;  /* what its documents said, until it is in the model */
    ncz_group     *group; /* what it became */
} ncz_node;

/* Who wrote the dataset, as far as quirks go; told by the root's _NCProperties. */
typedef struct ncz_writer {
    bool ours;       /* this library, of any release */
    bool netcdf;     /* netCDF-C of any release: fill values of strings are plain text, never base64 */
    bool native_big; /* 4.8.0 ... 4.9.2: native bytes under big-endian types */
    bool char_u1;    /* `<U1` is one byte for each character */
} ncz_writer;

typedef struct ncz_load_arenas ncz_load_arenas;

/* All that a load works with. */
struct ncz_loader {
    const ncz_dialect_ops *dialect; /* once the root is known */
    ncz_locate_fn          locate;  /* for the model: as the root's documents have it */
    const ncz_docs        *docs;
    ncz_load_opts          wish;
    ncz_model             *m;
    ncz_generation         gen, found; /* as it is taken; as it stands there */
    bool                   nczarr;     /* the lists of NCZarr are believed: gen is not NCZ_GEN_PURE */
    bool                   classic;    /* the superblock says so */
    bool                   damaged;    /* a group's document was broken: do not write over it */
    ncz_writer             writer;
    ncz_node              *nodes; /* by level, parents before children */
    size_t                 nnodes, cap;
    pthread_mutex_t        lock; /* guards what follows */
    ncz_load_arenas       *idle; /* those that no thread uses */
};

/* Memory that one thread uses at a time: for what goes into the model and stays, and for what goes with the load. */
struct ncz_load_arenas {
    ncz_load_arenas *next;
    ncz_arena        stay, go;
};

/* The root: node 0; `each` gets its documents: those that each dialect asks for, one dialect after the other. */
int  ncz_format_fetch_root(ncz_loader *l, ncz_docs_fn each);
int  ncz_format_fetch_tree(ncz_loader *l); /* everything below the root, level by level */
void ncz_format_fetch_clear(ncz_loader *l);
int  ncz_format_node_path(const ncz_loader *l, size_t i, ncz_buf *out); /* "" for the root */
/* The recorded failure is the node's, and fails the load. */
void ncz_format_node_fail(ncz_node *n, int rc);

/* May `name` be one segment of a key? */
bool ncz_format_segment_ok(const char *name, size_t len, size_t most);

/* ---- stored types --------------------------------------------------------------------------------------------- */

typedef struct ncz_stored_type {
    const ncz_type *type; /* that of NC_NAT: no netCDF meaning */
    ncz_dtype       dtype;
    int             endian;    /* as declared */
    char            units[48]; /* CF units of a datetime64 or timedelta64; "" for all others */
} ncz_stored_type;

bool ncz_format_is_time(const ncz_var *v); /* a datetime64 or timedelta64 with a unit */
/* The type an entry of NCZarr's types means: "<i4", ">S1", "|S128", "|J0", generation 1: "4". That of NC_NAT: none. */
const ncz_type *ncz_format_att_type(const char *entry);

/* ---- numbers -------------------------------------------------------------------------------------------------- */

/* A JSON number, true or false, or "NaN", "Infinity", "-Infinity" as one element of a numeric type; false: it is no
 * such value. */
bool ncz_format_number(const ncz_json *v, const ncz_type *type, void *out);
void ncz_format_number_write(const ncz_type *type, const void *elem, ncz_jsonw *w);
bool ncz_format_special(const ncz_json *v, double *out); /* the three texts alone */

/* ---- fill values ---------------------------------------------------------------------------------------------- */

/* fill_value -> mode and memory form (fresh; NULL but for NCZ_FILL_VALUE). NC_EZARRMETA with a text when it is no
 * such value. */
int ncz_format_fill_parse(const ncz_json *v, const ncz_stored_type *st, bool plain, ncz_fill_mode *mode, void **fill);
int ncz_format_fill_write(const ncz_var *v, bool pure, ncz_jsonw *w);
/* With NCZarr keys: is it written in base64, and to be marked so in `_nczarr_array`? */
bool ncz_format_fill_marked(const ncz_var *v);
/* Does null stand for the type's default, and is to be marked so in `_nczarr_array`? */
bool ncz_format_fill_is_null(const ncz_var *v);

/* ---- what documents say of an array ---------------------------------------------------------------------------- */

typedef struct ncz_array_meta {
    size_t           rank;
    uint64_t        *shape, *chunk; /* rank entries each */
    ncz_stored_type  st;
    ncz_fill_mode    fill_mode;
    void            *fill;
    ncz_chain       *chain;
    unsigned        *order; /* as in the spec */
    ncz_key_encoding key_encoding;
    bool             fill_null; /* null stands for the type's default fill value */
    bool             marked;    /* fill_value is base64 and says so: to be written anew, not as the text it was */
    bool             frozen;    /* not understood well enough to be written again */
    const ncz_err   *unusable;  /* why the data cannot be touched; never NULL */
    bool             nomem;     /* there was no memory to say so */
} ncz_array_meta;

void ncz_format_array_meta_clear(ncz_array_meta *z);

/* ---- attributes ----------------------------------------------------------------------------------------------- */

bool ncz_format_hidden_att(const char *name);              /* never shown as an attribute */
bool ncz_format_has_strings(const ncz_format_opts *style); /* does it have NC_STRING? */

/* The attributes of a node: an object; and what NCZarr says of their types and true lengths, or NULL. */
typedef struct ncz_att_docs {
    const ncz_json *values, *types, *lengths;
} ncz_att_docs;

/* Of a group, or of a variable of that type. They are in `arena`. `where` (a key) is for texts. */
int ncz_format_atts_read(const ncz_loader *l, const ncz_att_docs *docs, ncz_arena *arena, ncz_atts *atts, bool var,
                         const ncz_type *type, const char *where);

const ncz_type *ncz_format_att_infer(const ncz_json *v); /* of a value without a type entry */

bool ncz_format_att_written(const ncz_att *a);
int  ncz_format_att_write(const ncz_att *a, const ncz_format_opts *style, const char *where, ncz_jsonw *w);
/* The true length where the value alone does not show it, else SIZE_MAX. */
size_t ncz_format_att_length(const ncz_att *a, const ncz_format_opts *style);

/* ---- what the format keeps with a variable (ncz_var.format) --------------------------------------------------- */

typedef struct ncz_format_var {
    bool frozen; /* its documents must not be written again */
    bool named;  /* `xarray` is what its _ARRAY_DIMENSIONS said ("" absent), while it uses anonymous dimensions */
    char xarray[];
} ncz_format_var;

#define NCZ_ROOT_ARRAY "data" /* the variable that a lone array at the root is shown as */
#define NCZ_ANONYMOUS  "_Anonymous_Dim_"
#define NCZ_XARRAY     "_ARRAY_DIMENSIONS"
#define NCZ_XSCALAR    "_scalar_"
#define NCZ_LENGTHS    "lengths" /* our member of _nczarr_attr: true lengths of texts that end in NULs */
#define NCZ_NULS_MOST  255
#define NCZ_STRICT     "_nc3_strict" /* our member of the superblock: the classic model, by netCDF's name for it */

/* ---- what the documents of a node say (format_node_meta.c) ----------------------------------------------- */

/* A list of texts in one piece of memory. Items that are no texts are NULL. */
typedef struct ncz_string_list {
    size_t n;
    char **v; /* NULL: there was no list */
} ncz_string_list;

typedef struct ncz_node_dim {
    char    *name;
    uint64_t len;
    bool     unlimited, sound; /* !sound: it has no length */
} ncz_node_dim;

struct ncz_node_meta {
    ncz_atts        atts;
    bool            lists; /* a group: NCZarr's lists name its children */
    ncz_string_list arrays, groups;
    ncz_node_dim   *dims;
    size_t          ndims;
    ncz_array_meta  z;      /* rank 0 when it is a scalar */
    ncz_string_list refs;   /* NCZarr's dimension references, when they fit the rank */
    ncz_string_list names;  /* _ARRAY_DIMENSIONS, when they are wanted and fit */
    char           *xarray; /* _ARRAY_DIMENSIONS as the document has it, or NULL */
    bool            xlist;  /* it is a list */
    char           *dtype_text, *fill_text;
    int             quantize_mode, quantize_nsd;
};

/* Memory for one thread, which gives it back; NULL when there is none. */
ncz_load_arenas *ncz_format_arenas_take(ncz_loader *l);
void             ncz_format_arenas_give(ncz_loader *l, ncz_load_arenas *p);
/* A list of texts in memory of the arena; what is no list gives none. */
int  ncz_format_read_strings(ncz_arena *arena, const ncz_json *list, ncz_string_list *out);
void ncz_format_node_meta_clear(ncz_node_meta *s); /* NULL is fine; its own memory is the load's */
void ncz_format_arenas_keep(ncz_loader *l);        /* all that was read for the model becomes the model's */
void ncz_format_arenas_clear(ncz_loader *l);

/* ---- building ------------------------------------------------------------------------------------------------- */

int ncz_format_build(ncz_loader *l);
int ncz_format_var_dims(ncz_loader *l, const ncz_node_meta *s, const char *name, ncz_group *g, ncz_dim **dims,
                        ncz_format_var **kept);

#endif /* NCZ_FORMAT_INT_H */
