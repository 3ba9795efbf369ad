/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the files of this module, dialects included: the tree of nodes of a dataset (dialects_fetch.c), the parsed
 * metadata of a node (format_node_meta.c), and the conversion of values (format_attr_*.c, format_fill.c,
 * format_number.c).
 */
#ifndef NCZ_FORMAT_INT_H
#define NCZ_FORMAT_INT_H

#include "format/format.h"

#include <pthread.h>

/* ---- documents as fetched ------------------------------------------------------------------------------------- */

/* A node's documents while they are parsed, indexed by the dialect's numbers (ncz_dialect_docs.all). */
typedef struct ncz_node_docs {
    const ncz_json *doc[NCZ_DOCS_MOST];
} ncz_node_docs;

typedef struct ncz_node_meta ncz_node_meta;

typedef struct ncz_node {
    const char    *name;   /* "" for the root */
    size_t         parent; /* index in the tree; the root is its own parent */
    size_t         depth;
    size_t         kid, nkids; /* children are adjacent */
    ncz_node_kind  kind;
    int            rc;    /* a failure of the whole load; its text is in `err` */
    ncz_err       *err;   /* with rc NC_NOERR: the first broken document's error, or NULL */
    bool           lost;  /* that document, or the list of its children, is not used at all */
    ncz_node_meta *said;  /* parsed metadata, until they are in the model */
    ncz_group     *group; /* its group in the model */
} ncz_node;

/* The writer of the dataset, for its quirks; from the root's _NCProperties. */
typedef struct ncz_writer {
    bool ours;       /* this library, any release */
    bool netcdf;     /* netCDF-C, any release: fill values of strings are plain text, never base64 */
    bool native_big; /* 4.8.0 ... 4.9.2: native bytes under big-endian types */
    bool char_u1;    /* `<U1` is one byte per character */
} ncz_writer;

typedef struct ncz_load_arenas ncz_load_arenas;

/* The state of a load. */
struct ncz_loader {
    const ncz_dialect_ops *dialect;     /* set once the root is identified */
    ncz_make_layout_fn     make_layout; /* for the model: chosen by the root's documents */
    const ncz_docs        *docs;
    ncz_load_opts          wish;
    ncz_model             *m;
    int                    gen;        /* as in ncz_format_opts */
    bool                   ignored;    /* it has NCZarr's keys, which are not used */
    bool                   names_only; /* the names of nodes are wanted, and no documents of arrays that are listed */
    bool                   nczarr;     /* NCZarr's keys are used */
    bool                   copies;     /* the root's document holds consolidated metadata */
    bool                   classic;    /* from the superblock */
    bool                   damaged;    /* a group's document is broken: do not overwrite it */
    ncz_writer             writer;
    void                  *state; /* what `look` keeps for `load` */
    ncz_buf                first; /* of one object that is far away: its first bytes, once they were looked at, */
    uint64_t               first_size; /* and its size */
    const char            *other;      /* of one object that no dialect knows: what it is; NULL: not known */
    ncz_node              *nodes;      /* by level, parents before children */
    size_t                 nnodes, cap;
    ncz_arena              names; /* of the nodes */
    pthread_mutex_t        lock;  /* guards the fields below */
    ncz_load_arenas       *idle;  /* arenas not in use by a thread */
};

/* Whether texts, types and fill values are kept as the documents spell them. */
static inline bool
ncz_format_keeps_spelling(const ncz_loader *l)
{
    return !l->wish.look || l->wish.spelling;
}

/* Arenas that one thread uses at a time: `stay` becomes the model's, `go` is freed with the load. */
struct ncz_load_arenas {
    ncz_load_arenas *next;
    ncz_arena        stay, go;
};

/* Records an error in its node: one that spoils the node alone, or one that fails the load. The first of each
 * counts. */
void ncz_format_node_fault(ncz_node *n, const ncz_err *err);
/* Move the recorded error to the node: it fails the load, or makes the node alone unusable. */
void ncz_format_node_fail(ncz_node *n, int rc);
void ncz_format_node_spoil(ncz_node *n, int rc);
/* Notes what is damaged and passed over. */
int ncz_format_warn(ncz_loader *l, const char *text);

/* True if the attribute holds the dialect's metadata, and is never shown. */
bool ncz_format_hidden_att(const ncz_dialect_ops *dialect, const char *name, size_t len);

/* True if `name` is valid as one segment of a key. */
bool ncz_format_segment_ok(const char *name, size_t len, size_t most);

/* ---- stored types --------------------------------------------------------------------------------------------- */

typedef struct ncz_stored_type {
    const ncz_type *type; /* NC_NAT's: netCDF has no such type */
    ncz_dtype       dtype;
    int             endian;    /* as declared */
    char            units[48]; /* CF units of a datetime64 or timedelta64; "" for others */
} ncz_stored_type;

/* The parts of one of NumPy's type strings: `<m8[10us]` is order '<', kind 'm', size 8, unit "us", count 10. */
typedef struct ncz_typestr {
    char        order, kind;
    size_t      size;
    bool        sized;
    const char *unit; /* in the string */
    size_t      unit_len;
    uint64_t    count;
} ncz_typestr;

bool ncz_format_typestr_parse(const char *s, ncz_typestr *t); /* false: it is no type string */
/* The stored type that it means. `nczarr`, `char_u1`: `>S1` and `<U1` are characters. */
void ncz_format_typestr_type(const ncz_typestr *t, bool nczarr, bool char_u1, ncz_stored_type *out);

/* Sets CF units for NumPy's `unit` of `len` bytes, `count` of them; with an epoch for `since`. An unknown unit sets
 * none. */
void ncz_format_time_units(const char *unit, size_t len, uint64_t count, bool since, ncz_stored_type *out);

/* ---- numbers -------------------------------------------------------------------------------------------------- */

/* Converts a JSON number, true or false, or "NaN", "Infinity", "-Infinity" to one element of a numeric type. False:
 * the value is not one of these, or does not fit the type. */
bool ncz_format_number(const ncz_json *v, const ncz_type *type, void *out);
void ncz_format_number_write(const ncz_type *type, const void *elem, ncz_jsonw *w);
bool ncz_format_special(const ncz_json *v, double *out); /* only the texts for NaN and the infinities */

/* ---- fill values ---------------------------------------------------------------------------------------------- */

/* netCDF-C prints its default fill of float and double with six digits. */
#define NCZ_SIX_DIGIT_DEFAULT ((double)9.96921e+36)                  /* the cast drops excess precision */
bool ncz_format_is_default(const ncz_json *v, const ncz_type *type); /* this number, for a float type */

/* One element of a number or character type -> mode and a copy of it, or NULL where it is the type's default. */
int ncz_format_fill_number(const void *elem, const ncz_type *type, ncz_fill_mode *mode, void **fill);
/* fill_value -> mode and a newly allocated element (NULL unless NCZ_FILL_VALUE). NC_EZARRMETA with a text for an
 * invalid value. */
int ncz_format_fill_parse(const ncz_json *v, const ncz_stored_type *st, bool plain, ncz_fill_mode *mode, void **fill);
/* `time`: a datetime64 or timedelta64 with a unit. */
int ncz_format_fill_write(const ncz_var *v, bool pure, bool time, ncz_jsonw *w);
/* With NCZarr keys: true if the fill value is written in base64, which a key of the array must record. */
bool ncz_format_fill_marked(const ncz_var *v);
/* True if null means the type's default, which a key of the array must record. */
bool ncz_format_fill_is_null(const ncz_var *v);

/* ---- user-defined types (format_user_type.c, format_elem.c) ---------------------------------------------------- */

/* Writes the member "types" of a group that has some. */
int ncz_format_types_write(const ncz_group *g, ncz_jsonw *w);
/* Writes the member `key` with the full name of a user-defined type; nothing for another. */
int ncz_format_type_name_write(const ncz_type *t, const char *key, ncz_jsonw *w);
/*
 * Adds the types of a group, from the JSON text of their definitions, as far as the types that they name are known.
 * Each of the others adds 1 to *left. Logs and leaves out a definition that is of no use. Can be repeated.
 */
int ncz_format_types_add(ncz_model *m, ncz_group *g, const char *text, size_t *left);
/*
 * The type in memory of an array of records, raw bytes or sequences: that of the full name `declared` (may be NULL) if
 * the stored type suits it, else a new one of the group, named after the variable.
 */
int ncz_format_type_of(ncz_model *m, ncz_group *g, const char *var, const char *declared, const ncz_dtype *d,
                       const ncz_type **out);

/* The numbers of the sequences that the chain stores. NULL: it stores none, or of any type. */
const ncz_type *ncz_format_stored_items(const ncz_chain *c);

/* The record {r, i} of two floats of half of `size` bytes, 8 or 16. */
ncz_dtype ncz_format_complex(size_t size, bool big);
/*
 * Makes fixed-width bytes in a record an array of characters: a string would end at the first NUL, and the type must
 * not depend on the data. One byte is a character.
 */
int ncz_format_bytes_to_chars(ncz_arena *arena, ncz_record_field *f);
/* Makes the field an array where it is a record whose fields are alike and are named "0", "1" ... */
int ncz_format_unpack_array(ncz_arena *arena, ncz_record_field *f);
/* True for stored types whose type in memory is user-defined. */
static inline bool
ncz_format_is_record(const ncz_dtype *d)
{
    return d->kind == NCZ_KIND_RECORD || d->kind == NCZ_KIND_RAW;
}
/* The fill value of a record or of raw bytes: one stored element, the caller's; NULL for null. NC_EZARRMETA. */
int ncz_format_stored_fill(const ncz_json *v, const ncz_dtype *d, void **out);

/* One element as JSON, and back into memory that is zero. NC_EZARRMETA: no value of the type; what was read so far can
 * be freed. */
void ncz_format_elem_write(const ncz_type *t, const void *elem, ncz_jsonw *w);
int  ncz_format_elem_read(const ncz_json *v, const ncz_type *t, void *elem);

/* ---- metadata of an array -------------------------------------------------------------------------------------- */

typedef struct ncz_array_meta {
    size_t           rank;
    uint64_t        *shape, *chunk; /* rank entries each */
    ncz_stored_type  st;
    ncz_fill_mode    fill_mode;
    void            *fill;
    void            *stored_fill; /* of records and raw bytes: one stored element, or NULL */
    char            *type_name;   /* full name of the variable's user-defined type, in an arena; or NULL */
    ncz_chain       *chain;
    unsigned        *order; /* as in the spec */
    ncz_key_encoding key_encoding;
    uint64_t        *shard; /* shape of an object in elements, rank entries; NULL: each chunk is an object */
    ncz_shard_layout shard_layout;
    bool             text_rows;   /* of characters: the last dimension is not the document's */
    ncz_rectilinear *rectilinear; /* its chunks differ in length, `chunk` has the longest; NULL: no */
    bool             fill_null;   /* null means the type's default fill value */
    /* fill_value is base64, and marked so: it is encoded again, not copied from the document. */
    bool           marked;
    bool           widening;  /* as in ncz_var */
    ncz_widths     earlier;   /* as in ncz_var */
    bool           frozen;    /* not fully understood: its document is never rewritten */
    bool           shapeless; /* its shape or its chunks are not lists of lengths; its type is not shown then */
    const ncz_err *unusable;  /* why the data are inaccessible; never NULL */
    bool           nomem;     /* memory ran out while recording that */
} ncz_array_meta;

void ncz_format_array_meta_clear(ncz_array_meta *z);

/* ---- attributes ----------------------------------------------------------------------------------------------- */

/* The attributes of a node, a JSON object; NCZarr's records of their types, true lengths and bytes, or NULL. */
typedef struct ncz_att_docs {
    const ncz_json *values, *types, *lengths, *bytes;
    bool            base64_fill; /* the _FillValue of a float may be base64 of a little-endian double */
    const void     *fill; /* value of the variable's _FillValue where only `types` has it; NULL: no such attribute */
} ncz_att_docs;

/* Reads the attributes of a group, or (`var`) of a variable of type `type`, into `arena`. `where` (a key) is for
 * error texts. */
int ncz_format_atts_read(const ncz_loader *l, const ncz_att_docs *docs, ncz_arena *arena, ncz_atts *atts, bool var,
                         const ncz_type *type, const char *where);

const ncz_type *ncz_format_att_infer(const ncz_json *v); /* the type of a value without a type entry */

/* True for the _FillValue of a variable of records or raw bytes (`v` NULL: a group), whose value only the fill value
 * has: readers of plain Zarr have no form for it. */
bool ncz_format_att_is_fill(const ncz_var *v, const ncz_att *a);
int  ncz_format_att_write(const ncz_att *a, const ncz_format_opts *style, const char *where, ncz_jsonw *w);
/* Calls fn for each attribute that is written, in netCDF-C's order: _NCProperties last. Stops at its first error. */
int ncz_format_each_att(const ncz_atts *atts, int (*fn)(void *arg, const ncz_att *a), void *arg);
/* A member of a document with an entry for some of the attributes. Nothing is written where none has one. */
typedef struct ncz_att_record {
    ncz_jsonw             *w;
    const char            *member;
    const ncz_format_opts *style; /* if the entries need it */
    bool                   open;
} ncz_att_record;

/* fn() calls ncz_format_att_entry() before it writes the entry of `a`. */
int  ncz_format_att_record(ncz_att_record *r, const ncz_atts *atts, int (*fn)(void *record, const ncz_att *a));
void ncz_format_att_entry(ncz_att_record *r);

/* The member NCZ_LENGTHS: the true lengths of texts whose values do not show them. Writes nothing without such a
 * text. */
void ncz_format_write_lengths(const ncz_atts *atts, const ncz_format_opts *style, ncz_jsonw *w);

/* Texts that are not UTF-8 (format_attr_bytes.c). The member NCZ_BYTES, if there is one: */
int  ncz_format_write_bytes(const ncz_atts *atts, ncz_jsonw *w);
bool ncz_format_att_is_bytes(const ncz_att *a);
/* Gives a value that was read the bytes of its record, in the arena. *taken: the record is that of this value. */
int ncz_format_take_bytes(ncz_arena *arena, const ncz_json *record, const ncz_type *type, size_t *len, void **data,
                          bool *taken);

/* The member NCZ_USER_TYPES: the full names of user-defined types of attributes. Writes nothing without such a one. */
int ncz_format_write_user_types(const ncz_atts *atts, ncz_jsonw *w);

/* ---- names of dimensions (format_dim_names.c) ------------------------------------------------------------------ */

/* The name of `d` for readers that know only names: its own, else its path with '_' for each '/'. Empty: both are
 * taken. Overwrites `out`. */
int ncz_format_plain_dim_name(const ncz_group *g, const ncz_dim *d, ncz_buf *out);
/* True if a dimension of the variable has a name that the reader made up, and for scalars. */
bool ncz_format_uses_anonymous(const ncz_var *v);
/* True if pure Zarr without a name reads as this dimension, so that none need be written: a copy of an array without
 * names has none, too. */
bool ncz_format_is_anonymous(const ncz_dim *d);
bool ncz_format_all_anonymous(const ncz_var *v); /* all of at least one */

/* ---- what the format keeps with a variable (ncz_var.format) --------------------------------------------------- */

typedef struct ncz_format_var {
    bool frozen; /* its documents must not be rewritten */
    /* `xarray` is the stored _ARRAY_DIMENSIONS ("": absent), kept while the variable uses anonymous dimensions. */
    bool named;
    char xarray[];
} ncz_format_var;

#define NCZ_ROOT_ARRAY   "data" /* the variable's name for a lone array at the root */
#define NCZ_ANONYMOUS    "_Anonymous_Dim_"
#define NCZ_ENCODING_ATT "_Encoding" /* of xarray: the encoding of characters */
#define NCZ_LENGTHS      "lengths"   /* our member beside attributes' types: true lengths of texts that end in NULs */
#define NCZ_BYTES        "bytes"     /* another one: texts that are not UTF-8, in base64 */
#define NCZ_USER_TYPES   "user_types" /* another one: attributes of user-defined types */
#define NCZ_NULS_MOST    255
#define NCZ_STRICT       "_nc3_strict" /* our member of the superblock: the classic model */

/* ---- metadata of a node (format_node_meta.c) ------------------------------------------------------------------- */

/* A list of strings in one allocation. NULL for an item that is not a string. */
typedef struct ncz_string_list {
    size_t n;
    char **v; /* NULL: no list */
} ncz_string_list;

typedef struct ncz_node_dim {
    char    *name;
    uint64_t len;
    bool     unlimited, sound; /* !sound: the document has no valid length */
} ncz_node_dim;

/* An attribute of a user-defined type: its name, that of its type, and its value as JSON. */
typedef struct ncz_typed_att {
    char *name, *type;
    char *text; /* NULL: the value is that of the variable's fill value */
} ncz_typed_att;

struct ncz_node_meta {
    ncz_atts        atts;
    ncz_typed_att  *typed; /* attributes of user-defined types, which are set once the types are known */
    size_t          ntyped;
    char           *types; /* a group: the definitions of its types, as JSON; or NULL */
    bool            lists; /* a group: NCZarr's lists name its children */
    ncz_string_list arrays, groups;
    ncz_node_dim   *dims;
    size_t          ndims;
    ncz_array_meta  z;      /* rank 0 for a scalar */
    ncz_string_list refs;   /* NCZarr's dimension references, if they match the rank */
    ncz_string_list names;  /* _ARRAY_DIMENSIONS, if enabled and matching the rank */
    char           *xarray; /* _ARRAY_DIMENSIONS as the document spells it, or NULL */
    bool            xlist;  /* _ARRAY_DIMENSIONS is a list */
    char           *dtype_text, *fill_text;
    int             quantize_mode, quantize_nsd;
    int             storage; /* NC_CHUNKED, or what NCZarr's key says */
};

/* Takes a pair of arenas for one thread, which gives it back, and makes the node's metadata in it, empty. Unless it
 * fails, `mem` goes back with ncz_format_arenas_give(). */
int  ncz_format_node_begin(ncz_loader *l, ncz_node *n, ncz_load_arenas **mem);
void ncz_format_arenas_give(ncz_loader *l, ncz_load_arenas *p);
/* Copies a JSON list of strings into the arena. For any other value *out stays unchanged. */
int  ncz_format_read_strings(ncz_arena *arena, const ncz_json *list, ncz_string_list *out);
void ncz_format_node_meta_clear(ncz_node_meta *s); /* NULL is fine; the struct itself is the load's */
void ncz_format_arenas_keep(ncz_loader *l);        /* the `stay` arenas become the model's */
void ncz_format_arenas_clear(ncz_loader *l);

/* ---- shared by the readers of all dialects (format_node_read.c) ------------------------------------------------ */

bool ncz_format_flag(const ncz_json *v);                  /* true, or a number that is not 0 */
int  ncz_format_read_text(const ncz_json *v, char **out); /* a copy of a value's own characters; NULL without one */
int  ncz_format_storage(const ncz_json *word); /* of NCZarr's key "storage"; NC_CHUNKED unless it is known */
const char *ncz_format_storage_word(const ncz_var *v);
/* The definitions of a group's types, or NULL. */
int ncz_format_read_types(ncz_arena *arena, const ncz_json *types, ncz_node_meta *s);
/* The attributes of user-defined types: `names` has the full names of their types. */
int ncz_format_read_typed(ncz_arena *arena, const ncz_json *names, const ncz_json *values, ncz_node_meta *s);
/* NCZarr's dimensions of a group: an object of lengths, or of {"size", "unlimited"}. */
int ncz_format_read_dims(ncz_arena *arena, const ncz_json *dims, ncz_node_meta *s);
/* Records this thread's error as the reason why the data are inaccessible; the first reason stays. */
void ncz_format_array_spoil(ncz_array_meta *z, int code);
/* Spoils a variable whose grid is not understood: it is listed with chunks of one element, and never changed. */
int ncz_format_array_spoil_grid(ncz_array_meta *z, int code);
/* An array without a sound shape or grid is shown like one of a type that netCDF lacks: without a type. */
void ncz_format_array_hide_type(const ncz_array_meta *z, ncz_stored_type *st);
/* The metadata of a variable that is listed, but whose document is missing or broken: its data are inaccessible. */
int ncz_format_array_missing(const ncz_node *n, const char *key, const char *document, ncz_array_meta *z);
/* Reads the attributes of an array, and what they say of it; a time gets "units". `where`: for error texts. */
int ncz_format_read_array_atts(const ncz_loader *l, ncz_load_arenas *mem, const ncz_att_docs *atts, const char *where,
                               ncz_node_meta *s);

/* What attributes say of an array's quantization; else both stay. */
void ncz_format_read_quantize(const ncz_atts *atts, int *mode, int *nsd);

/* Reads one length as a dialect spells it. Returns false for any other value. */
typedef bool (*ncz_length_fn)(const ncz_json *v, uint64_t *out);
/* The member "shape". One that is missing or malformed spoils the array. */
int ncz_format_read_shape(const ncz_json *doc, ncz_length_fn parse, size_t most, const char *key, ncz_array_meta *z);
/*
 * The chunk's lengths, from a list. Some writers give a dimension of length 0 chunks of length 0; length 1 is
 * equivalent there. Returns NC_EZARRMETA, without a text, for a list that does not fit the shape.
 */
int ncz_format_read_chunks(const ncz_json *list, ncz_length_fn parse, ncz_array_meta *z);

#endif /* NCZ_FORMAT_INT_H */
