/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model: the tree of a dataset: groups, dimensions, variables with their specs, attributes. Dirty marks record which
 * parts are newer than the store. No I/O, no JSON, no threads: the dataset's lock guards the model.
 *
 * All modules above may read the nodes. Only the functions here change them, and they keep indexes and dirty marks
 * correct. Names are not checked here: the api has checked and normalised them, and a format has checked that each is
 * one segment of a key.
 */
#ifndef NCZ_MODEL_H
#define NCZ_MODEL_H

#include "filter/filter.h"
#include "grid/grid.h"
#include "model/layout.h"
#include "util/util.h"

#include <stdatomic.h>

typedef struct ncz_model ncz_model;
typedef struct ncz_group ncz_group;
typedef struct ncz_var   ncz_var;
typedef struct ncz_dim   ncz_dim;
typedef struct ncz_spec  ncz_spec;

typedef struct ncz_user_type ncz_user_type;

/* Where the values of a variable come from that has no chunks; the dataset's, opaque here. */
typedef struct ncz_var_source ncz_var_source;

/* How the format names a variable's chunks: a value that only the format interprets. 0: its default. */
typedef uint8_t ncz_key_encoding;

/* Installed by a format. Makes the layout of a variable's chunks. */
typedef int (*ncz_make_layout_fn)(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out);

#define NCZ_WIDTHS_MOST 4

/* Earlier widths of strings, in bytes, the last one first: a stored chunk may still have one of them. 0, at the end,
 * stands for those that are too many. `any`: this process takes every width; no document has that. */
typedef struct ncz_widths {
    uint32_t n, v[NCZ_WIDTHS_MOST];
    bool     any;
} ncz_widths;

void ncz_widths_add(ncz_widths *w, size_t width); /* as the last one, unless it is there */
bool ncz_widths_has(const ncz_widths *w, size_t width);

/* The width of the strings of an array, as its document has it. The others: as in ncz_var. */
typedef struct ncz_string_width {
    size_t     nbytes; /* 0: it has none */
    ncz_widths earlier;
    bool       widening;
} ncz_string_width;

/* ---- spec: everything needed to move a variable's bytes; immutable, shared by reference ------------------------ */

/* No spec outlives its model, and none changes while others than its variable refer to it. */

struct ncz_spec {
    atomic_uint     refs;
    bool            fill_null; /* the document has null for `fill`, so other readers do not know it */
    bool            in_arena;  /* its block is in the model's arena */
    atomic_bool     stored;    /* chunks of this spec were stored; see ncz_dataset_flush_chunks() */
    size_t          room;      /* bytes of its block */
    uint64_t        uid;       /* the variable's, the same in all its specs; never 0, unique in its model */
    size_t          rank;
    const ncz_type *type;  /* in memory; NC_NAT's if the stored type has no netCDF meaning */
    ncz_dtype       dtype; /* the real type of the bytes (for old big-endian writers not the declared one) */
    uint64_t       *chunk; /* chunk shape, rank entries, each >= 1 */
    size_t          chunk_nelems;
    size_t          chunk_bytes;
    ncz_widths      earlier; /* as in ncz_var */
    size_t          row;     /* length of the array's last dimension when the spec was made (szip's scanline) */
    unsigned       *order;   /* order of a chunk's elements, rank entries; NULL: C order (grid.h) */
    void           *fill;   /* one stored element, dtype.size bytes; NULL: zero bytes. Objects: a vlen block of one */
    ncz_chain      *chain;  /* for arrays of this spec's type; NULL: none */
    char           *path;   /* the variable's key, "g1/v" */
    ncz_layout     *layout; /* where its chunks lie; never NULL */
    const ncz_err  *unusable; /* why its data cannot be accessed; never NULL; code NC_NOERR: they can */
    const ncz_type *row_type; /* ncz_row_type(), where chunks have one shape and C order and are usable; else NULL */
};

ncz_spec *ncz_spec_ref(ncz_spec *s);
void      ncz_spec_unref(ncz_spec *s);

/* The input type of the chain's first codec. Valid as long as the spec. */
ncz_array_type ncz_spec_array_type(const ncz_spec *s);

/* Gives the place of a chunk. Resets and fills `key`, which owns where->key. `index` has s->rank entries. */
int ncz_spec_locate(const ncz_spec *s, const uint64_t *index, ncz_buf *key, ncz_chunk_addr *where);

/* The number of chunks that begin in the first `length` elements of dimension d. */
uint64_t ncz_spec_count_chunks(const ncz_spec *s, size_t d, uint64_t length);
/* The number of objects that begin there. */
uint64_t ncz_spec_count_objects(const ncz_spec *s, size_t d, uint64_t length);
/* Finds the chunk that has element `at` of dimension d. False: no chunk has it. */
bool ncz_spec_find_chunk(const ncz_spec *s, size_t d, uint64_t at, ncz_rectilinear_chunk *out);
/* Whether its chunks, or its objects, differ in length. Such an array can only be read. */
bool ncz_spec_differ(const ncz_spec *s);

/* ---- attributes ------------------------------------------------------------------------------------------------ */

typedef struct ncz_att {
    char           *name;
    const ncz_type *type;
    size_t          len;  /* elements; for NC_CHAR bytes */
    void           *data; /* elements of that type */
    char           *raw;  /* the JSON it was read from, written back while the attribute is unchanged; or NULL */
    size_t          rawlen;
    char           *dtype;    /* the type entry it was read with (`|S128`, `<i4`), or NULL */
    unsigned        in_arena; /* NCZ_IN_ARENA_* bits: parts that an arena owns; NCZ_NAME_IN_DATA */
} ncz_att;

#define NCZ_IN_ARENA_NAME 1u
#define NCZ_IN_ARENA_DATA 2u
#define NCZ_IN_ARENA_TEXT 4u /* raw, dtype */
#define NCZ_NAME_IN_DATA  8u /* the name lies behind the data, in their block */

typedef struct ncz_atts {
    ncz_att  *v;
    size_t    n, cap;
    size_t    nplain;   /* so many of the first have names that begin with neither '_' nor their end */
    ncz_names index;    /* name -> place in v, once there are many */
    bool      in_arena; /* an arena owns v */
    bool      owns;     /* parts of some may be in no arena */
    bool      dirty;
} ncz_atts;

ncz_att *ncz_atts_find(const ncz_atts *a, const char *name); /* NULL when absent */
/* Finds an attribute by its name in NFC, whatever form the stored name has. *out is NULL when absent. NC_ENOMEM. */
int ncz_atts_find_form(const ncz_atts *a, const char *name, const ncz_att **out);
/* Sets or replaces (in place, keeping its number). Copies `data` deeply. *out may be NULL. */
int  ncz_atts_set(ncz_model *m, ncz_atts *a, const char *name, const ncz_type *type, size_t len, const void *data,
                  ncz_att **out);
int  ncz_atts_rename(ncz_atts *a, ncz_att *att, const char *newname); /* NC_ENAMEINUSE */
void ncz_att_drop_text(ncz_att *att); /* its text in the document: then the value is written */
void ncz_atts_del(ncz_atts *a, ncz_att *att);
void ncz_atts_move(ncz_atts *to, ncz_atts *from); /* frees the attributes of `to` and leaves `from` empty */
void ncz_atts_clear(ncz_atts *a);
/*
 * Makes the array `v` the attributes of `a`, which must be empty. `v` and all that it points to are in an arena that
 * the model owns, or will own before others see the attributes. The names must differ.
 */
int ncz_atts_load(ncz_atts *a, ncz_att *v, size_t n);

/* ---- dimensions, groups, variables ----------------------------------------------------------------------------- */

/* The document of a group or variable, beside its attributes, which have a mark of their own. */
typedef enum ncz_document_state {
    NCZ_DOCUMENT_STORED,  /* the store has it as it is */
    NCZ_DOCUMENT_CHANGED, /* the store has an older one */
    NCZ_DOCUMENT_NEW,     /* the store has none yet */
} ncz_document_state;

/* Marks a document for writing. */
static inline void
ncz_document_change(ncz_document_state *s)
{
    if (*s == NCZ_DOCUMENT_STORED)
        *s = NCZ_DOCUMENT_CHANGED;
}

struct ncz_dim {
    char      *name;
    uint64_t   len; /* current */
    bool       unlimited;
    bool       uncleared; /* chunks may have unrecorded elements beyond its length: see dataset/grow/dataset_grow.c */
    bool       hidden;    /* made by a reader for bookkeeping (a scalar's [1]): never listed */
    bool       made_up;   /* made by a reader for a length that has no name: it is not stored */
    bool       shared;    /* not of text only, when that was last looked at: see dataset/dataset_text_rows.c */
    int        id;        /* dataset-wide, as netCDF's dimids are */
    size_t     nchars;    /* variables of characters whose last dimension it is */
    size_t     nothers;   /* uses by which it is not of text only: see ncz_dim_is_of_text() */
    ncz_group *group;
};

struct ncz_group {
    char              *name;   /* "" for the root */
    ncz_group         *parent; /* NULL for the root */
    int                id;     /* dataset-wide, 0 for the root */
    ncz_group        **groups;
    ncz_var          **vars;  /* place = netCDF's varid */
    ncz_dim          **dims;  /* defined here */
    ncz_user_type    **types; /* defined here */
    size_t             ngroups, nvars, ndims, ntypes;
    ncz_names          group_index, var_index, dim_index, type_index;
    ncz_atts           atts;
    ncz_document_state document; /* its lists of dimensions, variables, groups */
    void              *format;   /* the format's own data, freed by the model's `format_free` */
};

typedef enum ncz_fill_mode {
    NCZ_FILL_DEFAULT, /* the type's default fill value */
    NCZ_FILL_VALUE,   /* `fill` */
    NCZ_FILL_NONE,    /* no fill: fill_value null */
} ncz_fill_mode;

/*
 * The fill value of a new variable, unless it is given one, of a type that Zarr readers had better not mask by its
 * default: numbers of one or two bytes, where that is ordinary data; text, which is often empty; and integers of 8
 * bytes, which become doubles where they are masked, and are rounded.
 */
typedef enum ncz_unmasked_fill {
    NCZ_UNMASKED_DEFAULT, /* the type's default as the fill_value */
    NCZ_UNMASKED_NULL,    /* the type's default; the document has null and a separate mark */
    NCZ_UNMASKED_NONE,    /* no fill value: the document has no place for a mark */
} ncz_unmasked_fill;

/* How this rank accesses a variable of a dataset that several ranks share. */
typedef enum ncz_access {
    NCZ_ACCESS_DEFAULT, /* as the dataset */
    NCZ_ACCESS_INDEPENDENT,
    NCZ_ACCESS_COLLECTIVE,
} ncz_access;

/* How far the definition of a variable is. It only moves forward. */
typedef enum ncz_var_stage {
    NCZ_VAR_IN_DEFINITION,
    NCZ_VAR_DEFINED, /* final, after nc_enddef or loading: NC_ELATEDEF */
    NCZ_VAR_WRITTEN, /* data have been put, or were stored already: NC_ELATEFILL */
} ncz_var_stage;

/* Who chose how wide the strings of a variable are. */
typedef enum ncz_width_choice {
    NCZ_WIDTH_FITTED, /* nobody in this session: longer strings widen it */
    NCZ_WIDTH_ASKED,  /* this session set maxstrlen: longer strings are cut */
    NCZ_WIDTH_ANY,    /* this session asked for a width of 0, which has set the codec for strings of any length */
} ncz_width_choice;

/* First what each pass over all variables looks at, so that it is in few lines of the processor's cache. */
struct ncz_var {
    char           *name;
    const ncz_type *type; /* NC_NAT's: a stored type without netCDF meaning; it is listed but has no data */
    size_t          rank;
    ncz_dim       **dims;
    /* Made by ncz_var_respec(); not NULL after load or ncz_model_add_var(), but where `late` is set, as in a model
     * that is only read: ncz_dataset_use_var() makes it. */
    _Atomic(ncz_spec *) spec;
    /* What its spec is made from at its first use: itself, `place`, or in the arena. NULL: it has one. */
    const void *late;
    int         id; /* place in group->vars */

    ncz_var_stage      stage;
    ncz_document_state document; /* its array document */

    ncz_fill_mode fill_mode;
    ncz_atts      atts;
    ncz_group    *group;
    uint64_t      uid;
    void         *format; /* the format's own data */
    void         *place;  /* what its layout is made from, the format's own; freed like `format` */

    /* The definition, from which the spec is made. */
    uint64_t        *chunk; /* rank entries; 0: not set yet, default at respec */
    ncz_chain       *chain;
    ncz_dtype        dtype;   /* type of the bytes; respec sets dtype.big from `endian` (and ncz_model.native_big) */
    int              endian;  /* NC_ENDIAN_* as declared */
    int              storage; /* NC_CHUNKED, NC_CONTIGUOUS, NC_COMPACT as requested; see ncz_var_storage() */
    bool             chunk_set;   /* not a default */
    bool             plain_chars; /* a list of codecs asked for characters as bytes */
    bool             by_document; /* new, and defined by the document of another array: its fill value, too */
    bool             fill_null;   /* the document has null for NCZ_FILL_DEFAULT (NCZ_UNMASKED_NULL) */
    bool             widening;    /* strings are being widened, and the document says so */
    atomic_bool      independent; /* with several ranks: data that this one put by itself may wait in the cache */
    ncz_key_encoding key_encoding;
    ncz_shard_layout shard_layout;
    const ncz_err   *unusable;    /* never NULL; code NC_NOERR when its data can be accessed */
    ncz_var_source  *source;      /* of its values; NULL: its chunks */
    void            *fill;        /* one element of its type, with NCZ_FILL_VALUE */
    char            *dtype_text;  /* the document's dtype member (JSON text); NULL: written from `dtype` */
    char            *fill_text;   /* the document's fill_value (JSON text), or NULL */
    ncz_rectilinear *rectilinear; /* its chunks differ in length, `chunk` has the longest: only readable; NULL: no */
    uint64_t        *shard; /* shape of an object in elements, rank entries, a multiple of the chunk's; NULL: none */
    unsigned        *order; /* as in the spec */
    int              quantize_mode, quantize_nsd;

    /* The width of strings. */
    ncz_width_choice width;
    ncz_access       access;
    size_t           maxstrlen; /* bytes per stored element */
    ncz_widths       earlier;   /* none: no chunk is narrower */

    /* What this session asked for, or this rank did, like `access`. No document has it. */
    size_t   cache_bytes, cache_nelems; /* from nc_set_var_chunk_cache; only the bytes have an effect */
    uint64_t cache_asked;               /* its part of the dataset's cache; 0: none was asked for */
    float    cache_preemption;
};

/* Whether each row of its characters is stored as one text, so that its document and its keys lack the last
 * dimension. */
static inline bool
ncz_var_has_text_rows(const ncz_var *v)
{
    return ncz_chain_has_text_rows(v->chain);
}

/* The dimensions in its document and its keys. */
static inline size_t
ncz_var_key_rank(const ncz_var *v)
{
    return v->rank - ncz_var_has_text_rows(v);
}

/* Does its first dimension grow? In a classic file the variable then has a part in each record. */
static inline bool
ncz_var_has_records(const ncz_var *v)
{
    return v->rank > 0 && v->dims[0]->unlimited;
}

struct ncz_model {
    ncz_limits                    limits;
    ncz_group                    *root;
    ncz_group                   **groups; /* by id */
    ncz_dim                     **dims;   /* by id */
    ncz_user_type               **types;  /* by id, from NC_FIRSTUSERTYPEID on */
    size_t                        ngroups, ndims, nvars, ntypes;
    uint64_t                      last_uid;
    const struct ncz_dialect_ops *dialect;      /* the format's, opaque to others; NULL: not known yet */
    ncz_make_layout_fn            make_layout;  /* the format's; NULL: chunks have no place */
    bool                          makes_late;   /* it is only read: a format may leave specs to make_late() */
    int (*make_late)(ncz_model *m, ncz_var *v); /* the format's: makes the spec of a variable with `late` */
    ncz_key_encoding  key_encoding;             /* of new variables */
    bool              keys_chosen;              /* ... by the program: those of copies, too */
    bool              nofill;                   /* nc_set_fill(NC_NOFILL) */
    bool              twins;         /* names may be there twice, while a file is loaded: the first one is found */
    ncz_unmasked_fill unmasked_fill; /* of new variables, chosen by the format */
    bool              own_chunks;    /* the format chooses chunks, once it gives variables their places */
    /* The format's choice of storage and chunks, of what the program leaves open, for each new spec; or NULL. */
    int (*choose_chunks)(const ncz_model *m, ncz_var *v);
    /* Elements of any length lie in a heap of the file, and filters are for what is left of them: the engine's codecs
     * end with the one that makes bytes of such elements. */
    bool      heaps;
    bool      gaps;          /* compounds are stored with the gaps that they have in memory */
    bool      ordered_types; /* ncz_var.dtype_text contains the byte order */
    bool      native_big;    /* old writers: big-endian variables hold native bytes */
    ncz_arena arena;         /* loaded data, which live as long as the model */
    void (*format_free)(void *);
    void     *format;   /* the format's own data of the dataset */
    ncz_var **unlisted; /* variables that no group has any more: see ncz_model_hide_vars() */
    size_t    nunlisted;
};

int  ncz_model_new(const ncz_limits *limits, ncz_model **out);
void ncz_model_free(ncz_model *m);

/*
 * Each function checks for duplicates (NC_ENAMEINUSE; variables and groups share one name space) and limits, and sets
 * the dirty marks.
 */
int ncz_model_add_group(ncz_model *m, ncz_group *parent, const char *name, ncz_group **out);
int ncz_model_add_dim(ncz_model *m, ncz_group *g, const char *name, uint64_t len, bool unlimited, ncz_dim **out);
int ncz_model_add_var(ncz_model *m, ncz_group *g, const char *name, const ncz_type *type, size_t rank,
                      ncz_dim *const *dims, ncz_var **out);

/* Adds a variable without a spec. The caller must make one (ncz_var_respec) before other code sees the variable. */
int ncz_model_place_var(ncz_model *m, ncz_group *g, const char *name, const ncz_type *type, size_t rank,
                        ncz_dim *const *dims, ncz_var **out);

int  ncz_model_rename_group(ncz_model *m, ncz_group *g, const char *name);
int  ncz_model_rename_dim(ncz_model *m, ncz_dim *d, const char *name);
int  ncz_model_rename_var(ncz_model *m, ncz_var *v, const char *name);
void ncz_model_grow_dim(ncz_model *m, ncz_dim *d, uint64_t len); /* marks every variable that uses it */
/* Removes the newest variable of its group, when its definition could not be completed. */
void ncz_model_drop_var(ncz_model *m, ncz_var *v);

/* ---- what a reader sees in place of what is stored (model_view.c): of a model that is not written ---------------- */

/* The variable gets these dimensions, and its values come from `source`, which is not the model's: it has no chunks and
 * no codecs. After a failure the model is unusable. */
int ncz_model_set_source(ncz_model *m, ncz_var *v, size_t rank, ncz_dim *const *dims, ncz_var_source *source);
/* Takes variables out of their groups, and hides those of their dimensions that no other variable has. They live as
 * long as the model, and their values can be read. After a failure the model is unusable. */
int ncz_model_hide_vars(ncz_model *m, bool (*hides)(const ncz_var *v, void *arg), void *arg);

/* ---- user-defined types (model_types.c) ------------------------------------------------------------------------ */

/*
 * A type of one group, with an id in the whole dataset. Its node is what variables, attributes and other types point
 * to. The first of them makes the definition final; until then fields and members can be added.
 */
struct ncz_user_type {
    ncz_type         node; /* the first member: see ncz_user_type_of() */
    ncz_group       *group;
    ncz_type_field  *fields;  /* node.fields, */
    ncz_type_member *members; /* node.members, while they grow */
    size_t           end;     /* of the last field that was appended */
    size_t           align;   /* of its elements, as C compilers align them */
    unsigned         depth;   /* how deep types nest in it: 1 for fields or a base of atomic types */
    bool             used;
};

/* The user-defined type that has this node; NULL for an atomic type. */
static inline const ncz_user_type *
ncz_user_type_of(const ncz_type *t)
{
    return t->id > NC_MAX_ATOMIC_TYPE ? (const ncz_user_type *)(const void *)t : NULL; /* its first member */
}

#define NCZ_TYPE_DEPTH 32 /* types nested deeper are refused, since elements are copied by recursion */
#define NCZ_TYPE_BYTES ((size_t)16 << 20) /* of one element; a chunk of a few must fit in memory */
#define NCZ_TYPE_PARTS 8192               /* fields or members of one type, which are searched one by one */

/*
 * Adds a type without fields and members. `size`: of a compound and an opaque type; `base`: of an enumeration and a
 * variable-length type. NC_ENAMEINUSE: a variable, group or type of the group has the name. NC_EINVAL: a size of 0 or
 * beyond the limit of a chunk. NC_EBADTYPE: no such base, or an enumeration of something else than integers.
 */
int ncz_model_add_type(ncz_model *m, ncz_group *g, const char *name, ncz_type_class class, size_t size,
                       const ncz_type *base, ncz_user_type **out);
/*
 * Adds a field of rank 0 or more to a compound. NC_EBADTYPE: no compound. NC_ETYPDEFINED: the definition is final.
 * NC_ENAMEINUSE: it has a field of that name. NC_EINVAL: the field does not lie within the compound, overlaps another,
 * or has an empty shape.
 */
int ncz_model_insert_field(ncz_model *m, ncz_user_type *t, const char *name, size_t offset, const ncz_type *type,
                           size_t rank, const size_t *shape);
/* Adds a field where a C compiler puts the one behind the last; the compound's size grows with it. */
int ncz_model_append_field(ncz_model *m, ncz_user_type *t, const char *name, const ncz_type *type, size_t rank,
                           const size_t *shape);
/* Adds a member to an enumeration; `value` is of its base type. Errors as above; NC_EINVAL: another has the value. */
int ncz_model_insert_member(ncz_user_type *t, const char *name, const void *value);
/* Makes a definition final. Nothing for an atomic type. NC_EINVAL: a compound without fields, an enumeration without
 * members. */
int ncz_model_use_type(ncz_model *m, const ncz_type *type);

/* Before a dataset that was loaded is changed: new variables store compounds with the gaps that they have in memory.
 * None of its variables may have the packed form. */
int ncz_model_keep_gaps(ncz_model *m);

ncz_user_type  *ncz_model_user_type(const ncz_model *m, nc_type id); /* NULL: no user-defined type has that id */
const ncz_type *ncz_model_type(const ncz_model *m, nc_type id);      /* an atomic or user-defined one, or NULL */
ncz_user_type  *ncz_group_find_type(const ncz_group *g, const char *name); /* in g only */
/* netCDF's search: an absolute path; else a name in g, then outward, then in all groups. NULL: not found. */
ncz_user_type *ncz_model_find_type(const ncz_model *m, const ncz_group *g, const char *name);
int            ncz_type_fqn(const ncz_user_type *t, ncz_buf *out);

/* ---- lookup ---- */

ncz_group *ncz_group_find_group(const ncz_group *g, const char *name);
ncz_var   *ncz_group_find_var(const ncz_group *g, const char *name);
ncz_dim   *ncz_group_find_dim(const ncz_group *g, const char *name);  /* in g only */
ncz_dim   *ncz_group_scope_dim(const ncz_group *g, const char *name); /* g, then outward */
/* Looks up a fully qualified name, "/g1/g2/name". Returns NULL if it does not exist. */
ncz_group *ncz_model_group_at(const ncz_model *m, const char *fqn);
ncz_dim   *ncz_model_dim_at(const ncz_model *m, const char *fqn);

int ncz_group_fqn(const ncz_group *g, ncz_buf *out); /* "/" for the root, "/g1/g2" */
int ncz_dim_fqn(const ncz_dim *d, ncz_buf *out);
int ncz_group_key(const ncz_group *g, ncz_buf *out); /* "" for the root, "g1/g2": as a key prefix */
int ncz_var_key(const ncz_var *v, ncz_buf *out);     /* "g1/g2/v" */

/*
 * Iterates over groups depth-first, parents before children, without recursion. NULL at the end; `g` NULL: the root.
 */
ncz_group *ncz_model_next_group(const ncz_model *m, const ncz_group *g);
/* Iterates over all variables: those of one group after those of another. NULL at the end; `v` NULL: the first. */
ncz_var *ncz_model_next_var(const ncz_model *m, const ncz_var *v);

/*
 * Whether rows along the dimension can only be texts: characters alone have it, each as its last dimension and no
 * other, and no variable has its name, neither one that has the dimension nor one of its group.
 */
bool ncz_dim_is_of_text(const ncz_dim *d);

/* Writes the variable's current shape to shape[0..rank). */
void ncz_var_shape(const ncz_var *v, uint64_t *shape);

/*
 * Makes a spec like `s` for chunks (or, where several share an object, for objects) of another shape. NC_EBADCHUNK:
 * too large, or a shard's shape is not a multiple of its chunks'.
 */
int ncz_spec_reshape(const ncz_limits *limits, const ncz_spec *s, const uint64_t *shape, ncz_spec **out);

/*
 * Where objects differ: a spec for objects of one shape, that of the object at that place in their grid. Elsewhere a
 * reference to `s`. The object has the same place in both; first[d]: the index of its first chunk in `s`.
 */
int ncz_spec_of_object(const ncz_limits *limits, const ncz_spec *s, const uint64_t *object, uint64_t *first,
                       ncz_spec **out);
/* A spec for objects of the shape of the one that has a chunk. `place`: the chunk's index in it, rank entries. After a
 * failure *out may be set, too. */
int ncz_spec_of_chunk(const ncz_limits *limits, const ncz_spec *s, const uint64_t *index, uint64_t *place,
                      ncz_spec **out);

/*
 * Makes a new spec from the variable's fields (default chunks, stored fill, byte order, path) and swaps it in. After a
 * failure the old one is there.
 */
int ncz_var_respec(ncz_model *m, ncz_var *v);

/* ---- definitions of a variable; each checks, changes and respecs, or changes nothing ---- */

int ncz_var_set_chunks(ncz_model *m, ncz_var *v, int storage,
                       const uint64_t *chunk); /* NC_EBADCHUNK, NC_EINVAL on scalar */
/* Chunks may be longer than a fixed dimension, as those of other software are. */
int ncz_var_set_long_chunks(ncz_model *m, ncz_var *v, const uint64_t *chunk);
/*
 * The layout to report: a scalar is contiguous, and what lies in a file that is not made of chunks; any other variable
 * is what was requested as long as that can be, that
 * is, one chunk without codecs, over fixed dimensions. It is always stored as chunks.
 */
int ncz_var_storage(const ncz_var *v);
/*
 * Sets the shape in elements of the objects that hold several chunks (NULL: each chunk is an object). NC_EBADCHUNK: not
 * a multiple of the chunk's shape, or more chunks than an index can have. NC_EINVAL: a scalar, or not chunked.
 */
int ncz_var_set_shards(ncz_model *m, ncz_var *v, const uint64_t *shard);
int ncz_var_set_fill(ncz_model *m, ncz_var *v, ncz_fill_mode mode, const void *fill); /* one element of its type */
/* Whether readers had better not mask by the type's default fill value: see ncz_unmasked_fill. */
bool ncz_model_is_unmasked(const ncz_type *type);

/* Whether the document has null where the fill value is the default of the variable's type. */
bool ncz_var_default_is_null(const ncz_model *m, const ncz_var *v);
/*
 * Sets the stored type, before there are codecs. It must be read as the variable's type. `text`: its JSON text if
 * `dtype` is not the complete type, or NULL. `fill`: the fill value if none was chosen, or NULL.
 */
int ncz_var_set_dtype(ncz_model *m, ncz_var *v, const ncz_dtype *dtype, int endian, const char *text,
                      const void *fill);
int ncz_var_set_endian(ncz_model *m, ncz_var *v, int endian);           /* NC_EINVAL */
int ncz_var_set_chain(ncz_model *m, ncz_var *v, ncz_chain *chain);      /* takes a reference */
int ncz_var_set_order(ncz_model *m, ncz_var *v, const unsigned *order); /* as in the spec; copied */
int ncz_var_set_keys(ncz_model *m, ncz_var *v, ncz_key_encoding keys);
int ncz_var_set_maxstrlen(ncz_model *m, ncz_var *v, size_t nbytes); /* as the caller asks for it */
/* Makes the elements as wide as `to` says, for a string that needs it. */
int ncz_var_widen(ncz_model *m, ncz_var *v, const ncz_string_width *to);

#endif /* NCZ_MODEL_H */
