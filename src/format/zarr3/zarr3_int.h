/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the files of Zarr v3.
 *
 *   zarr3.c              the dialect's table; the root's document
 *   zarr3_copies.c       finds consolidated metadata
 *   zarr3_keys.c         keys, both ways
 *   zarr3_members.c      members of a common form: extension points, NCZarr's keys
 *   zarr3_node.c         the document of a node -> its metadata
 *   zarr3_array.c        the members of an array's document
 *   zarr3_dtype.c        its element types; the types of attributes
 *   zarr3_grid.c         the chunk grid "rectilinear"
 *   zarr3_fill.c         its fill values
 *   zarr3_write.c        a node as a document; consolidated metadata
 *   zarr3_attrs_write.c  its attributes, and NCZarr's keys among them
 *   zarr3_typestr.c      stored types as NumPy's type strings, for programs
 */
#ifndef NCZ_FORMAT_ZARR3_INT_H
#define NCZ_FORMAT_ZARR3_INT_H

#include "format/format_int.h"
#include "format/zarr/zarr.h"
#include "format/zarr3/zarr3.h"

#define ZARR3_DOCUMENT "zarr.json" /* the only document of a node; its number is 0 */

/* Consolidated metadata are a member of the root's document. As in ncz_dialect_copies. */
#define ZARR3_COPIES "consolidated_metadata"
const ncz_json *ncz_zarr3_find_copies(const ncz_json *root, const ncz_json **value);

/* ---- keys (zarr3_keys.c) --------------------------------------------------------------------------------------- */

/* Chunk key encodings: values of ncz_key_encoding. */
typedef enum zarr3_keys {
    ZARR3_KEYS_DEFAULT,   /* `default` with '/': c/1/2 */
    ZARR3_KEYS_DOTTED,    /* `default` with '.': c.1.2 */
    ZARR3_KEYS_V2,        /* `v2` with '.': 1.2 */
    ZARR3_KEYS_V2_NESTED, /* `v2` with '/': 1/2 */
    ZARR3_KEYS_COUNT,
} zarr3_keys;

/* A key encoding as documents spell it. */
typedef struct ncz_zarr3_encoding {
    const char *name;
    char        separator;
} ncz_zarr3_encoding;

extern const ncz_zarr3_encoding ncz_zarr3_encodings[ZARR3_KEYS_COUNT];

int ncz_zarr3_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out);
/* For a lone array at the root, whose chunks are at the top whatever the variable's name. */
int ncz_zarr3_make_root_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out);
/* As in ncz_zarr_ops and ncz_dialect_ops. */
ncz_key_encoding ncz_zarr3_encode_keys(char separator, bool v2);
ncz_key_kind     ncz_zarr3_parse_key(const char *rest, size_t rank, uint64_t *index);
bool             ncz_zarr3_split_chunk_key(const char *key, ncz_chunk_key *out);
bool             ncz_zarr3_owns_temporary(const char *name);

/* ---- extension points ------------------------------------------------------------------------------------------ */

/* The name of an extension point, "N" or {"name": N, ...}, and its configuration. NULL: absent, or not of this form. */
const char     *ncz_zarr3_name(const ncz_json *v);
const ncz_json *ncz_zarr3_config(const ncz_json *v, const char *member);

/* A member of a document that is not among `known` (ends with NULL), or NULL. *ignored: a reader may
 * ignore all such members. */
const char *ncz_zarr3_unknown(const ncz_json *doc, const char *const *known, bool *ignored);

/* ---- element types (zarr3_dtype.c) ----------------------------------------------------------------------------- */

/* How a type's fill value is spelled. */
typedef enum zarr3_fill {
    ZARR3_FILL_NUMBER, /* true and false, numbers, "NaN", hexadecimal bits */
    ZARR3_FILL_TIME,   /* a number or "NaT" */
    ZARR3_FILL_TEXT,   /* a string */
    ZARR3_FILL_BYTES,  /* base64, or a list of bytes */
    ZARR3_FILL_OTHER,  /* of a type without netCDF meaning */
} zarr3_fill;

typedef struct ncz_zarr3_dtype {
    ncz_stored_type st;
    zarr3_fill      fill;
} ncz_zarr3_dtype;

/* Never fails: an unknown type is NC_NAT. `v` is a "data_type" member. */
void ncz_zarr3_dtype_parse(const ncz_json *v, ncz_zarr3_dtype *out);
/*
 * The record of a `struct`, in the arena, or of a complex number, with numbers in a byte order. Sets *out if the type
 * is understood.
 */
int  ncz_zarr3_record_parse(const ncz_json *v, ncz_arena *arena, bool big, ncz_dtype *out);
void ncz_zarr3_record_write(const ncz_type *t, ncz_jsonw *w); /* of a type that can be stored */
int  ncz_zarr3_record_fill_write(const ncz_type *t, const void *elem, ncz_jsonw *w);
/* The name of a core type, or of strings of any length; NULL: it needs a configuration, or is no type of Zarr v3. */
const char *ncz_zarr3_dtype_name(const ncz_dtype *d);
/* As in ncz_dialect_ops. An entry is "float32", "char", "string", "json", or one of version 2: "<i4", "|S1". */
const ncz_type *ncz_zarr3_att_type(const char *entry);
void            ncz_zarr3_stored_type(const char *text, ncz_stored_type *out);
int             ncz_zarr3_type_name(const char *text, ncz_buf *out);

/* ---- fill values (zarr3_fill.c) -------------------------------------------------------------------------------- */

/* As ncz_format_fill_parse(). */
int ncz_zarr3_fill_parse(const ncz_json *v, const ncz_zarr3_dtype *t, ncz_fill_mode *mode, void **fill);

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

/* Also decides what a listed directory is. Any thread, one node each. Failures fail the load. */
int ncz_zarr3_parse_node(ncz_loader *l, ncz_node *n, const ncz_node_docs *docs, const char *key);
/* Fails only without memory; `unusable` records what is wrong with the document. `key` is for error texts. */
int ncz_zarr3_array_parse(const ncz_json *doc, const ncz_loader *l, ncz_arena *arena, const char *key,
                          ncz_array_meta *out);
/* Sets z->chunk and, where chunks differ in length, z->rectilinear. NC_EZARRMETA: malformed. */
int ncz_zarr3_rectilinear_parse(const ncz_json *grid, const char *key, ncz_array_meta *z);

/* As in ncz_dialect_ops. */
int ncz_zarr3_write_node(const ncz_model *m, const ncz_group *g, const ncz_var *v, const ncz_format_opts *style,
                         ncz_buf *text, ncz_node_doc_fn each, void *arg);
int ncz_zarr3_dtype_text(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out);
int ncz_zarr3_dtype_check(const ncz_format_opts *style, const char *name, const char *text, const ncz_stored_type *st,
                          ncz_buf *own);

/* Each writes the member "attributes". */
int ncz_zarr3_var_attrs_write(const ncz_var *v, const ncz_format_opts *style, ncz_jsonw *w);
int ncz_zarr3_group_attrs_write(const ncz_group *g, const ncz_format_opts *style, ncz_jsonw *w);

/* ---- NCZarr's keys, all in "attributes" ------------------------------------------------------------------------ */

#define ZARR3_SUPERBLOCK "_nczarr_superblock"
#define ZARR3_GROUP      "_nczarr_group"
#define ZARR3_ARRAY      "_nczarr_array"
#define ZARR3_ATTRS      "_nczarr_attrs" /* types and lengths of the attributes */
#define ZARR3_ATTR       "_nczarr_attr"  /* the same, as version 2 has it */

#define ZARR3_NO_FILL "none" /* value of the member "fill" of _nczarr_array: there is no fill value */

/* ---- rows of characters, each of which is one text: the dimension that the document lacks (zarr3_text_rows.c) ---- */

#define ZARR3_ROW_LENGTH      "row_length"     /* member of _nczarr_array; in pure Zarr there are two attributes: */
#define ZARR3_CHAR_DIM_NAME   "_char_dim_name" /* absent: it has no name */
#define ZARR3_CHAR_DIM_LENGTH "_char_dim_length"
#define ZARR3_CHAR_ENCODING   "_char_encoding" /* _Encoding of such a variable, with or without NCZarr's keys */

/* Adds the dimension to the lengths in *z, and sets z->text_rows, if the document says that there is one. */
int ncz_zarr3_rows_parse(const ncz_json *doc, const ncz_loader *l, ncz_array_meta *z);
/* The names of all dimensions of such an array: those in the document and that one's; of other arrays the former. */
int  ncz_zarr3_rows_names(const ncz_json *doc, const ncz_json *names, const ncz_node_meta *s, ncz_arena *arena,
                          ncz_string_list *out);
void ncz_zarr3_rows_write(const ncz_var *v, ncz_jsonw *w); /* the attributes of pure Zarr */
/* The fill value, the text of a row of one character. NC_EZARRMETA: it is another text. */
int ncz_zarr3_rows_fill_parse(const ncz_json *v, const ncz_array_meta *z, ncz_fill_mode *mode, void **fill);
int ncz_zarr3_rows_fill_write(const ncz_var *v, ncz_jsonw *w);

/* One of these objects in a node's document, or NULL. */
const ncz_json *ncz_zarr3_nczarr(const ncz_json *doc, const char *key);

#endif /* NCZ_FORMAT_ZARR3_INT_H */
