/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the files of Zarr v2.
 *
 *   zarr2.c               the dialect's table; the root's documents; a node as documents
 *   zarr2_keys.c          keys, both ways
 *   zarr2_node.c          documents of a node -> its metadata
 *   zarr2_array.c         `.zarray`, both ways
 *   zarr2_dtype.c         its element types, both ways
 *   zarr2_attrs_write.c   `.zattrs` and `.zgroup` as text
 *   zarr2_nczarr_keys.c   where each generation keeps its NCZarr keys
 */
#ifndef NCZ_FORMAT_ZARR2_INT_H
#define NCZ_FORMAT_ZARR2_INT_H

#include "format/format_int.h"
#include "format/zarr/zarr.h"
#include "format/zarr2/zarr2.h"

/* ---- documents ------------------------------------------------------------------------------------------------- */

typedef enum ncz_doc {
    NCZ_DOC_ZGROUP,
    NCZ_DOC_ZARRAY,
    NCZ_DOC_ZATTRS,
    NCZ_DOC_NCZARR, /* from here on: generation 1 */
    NCZ_DOC_NCZGROUP,
    NCZ_DOC_NCZVAR,
    NCZ_DOC_NCZARRAY, /* the specification's name of .nczvar; no release wrote it */
    NCZ_DOC_NCZATTR,
    NCZ_DOC_COUNT,
} ncz_doc;

#define NCZ_DOC_BIT(d) (1u << (d))

extern const char *const ncz_zarr2_documents[NCZ_DOC_COUNT + 1];

#define ZARR2_COPIES ".zmetadata" /* the consolidated document */

/* ---- keys (zarr2_keys.c) --------------------------------------------------------------------------------------- */

/* The separator of the numbers in a chunk's key: values of ncz_key_encoding. */
enum { ZARR2_KEYS_DOTTED = 0, ZARR2_KEYS_NESTED = 1 };

/* path/i.j.k or path/i/j/k; path/0 for scalars. */
int ncz_zarr2_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out);
/* For a lone array at the root, whose chunks are at the top whatever the variable's name. */
int ncz_zarr2_make_root_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out);
/* As in ncz_zarr_ops and ncz_dialect_ops. */
ncz_key_encoding ncz_zarr2_encode_keys(char separator, bool v2);
ncz_key_kind     ncz_zarr2_parse_key(const char *rest, size_t rank, uint64_t *index);
bool             ncz_zarr2_split_chunk_key(const char *key, ncz_chunk_key *out);
bool             ncz_zarr2_owns_temporary(const char *name);

/* ---- where the NCZarr keys are -------------------------------------------------------------------------------- */

typedef enum ncz_nczarr_info { NCZ_INFO_SUPER, NCZ_INFO_GROUP, NCZ_INFO_ARRAY, NCZ_INFO_ATTR } ncz_nczarr_info;

#define NCZ_INFO_COUNT  (NCZ_INFO_ATTR + 1)
#define NCZ_INFO_PLACES 5 /* the most places of one kind of information */

/* A node's documents, and its NCZarr information in them: objects, the newest first. */
typedef struct ncz_zarr2_docs {
    const ncz_json *const *doc;
    const ncz_json        *info[NCZ_INFO_COUNT][NCZ_INFO_PLACES];
    size_t                 ninfo[NCZ_INFO_COUNT];
} ncz_zarr2_docs;

ncz_zarr2_docs ncz_zarr2_docs_of(const ncz_node_docs *n);
/* A member of a node's NCZarr information, under either of its names, from the newest place that has it. */
const ncz_json *ncz_zarr2_nczarr_find(const ncz_zarr2_docs *n, ncz_nczarr_info what, const char *newer,
                                      size_t newer_len, const char *older, size_t older_len);
/* Finds it by names with a terminating NUL. Inline, so that the compiler counts the bytes of constant names. */
static inline const ncz_json *
ncz_zarr2_nczarr_get(const ncz_zarr2_docs *n, ncz_nczarr_info what, const char *newer, const char *older)
{
    return ncz_zarr2_nczarr_find(n, what, newer, strlen(newer), older, strlen(older));
}
bool ncz_zarr2_nczarr_has(const ncz_zarr2_docs *n, ncz_nczarr_info what);
bool ncz_zarr2_is_member(const ncz_json *doc);      /* as in ncz_dialect_ops */
bool ncz_zarr2_root_enough(const ncz_json *zattrs); /* for a reader: no other document of the root is newer */
ncz_generation ncz_zarr2_generation(const ncz_node_docs *root);

/* How a generation is written. A NULL key: the generation does not have it. */
typedef struct ncz_nczarr_layout {
    const char *super, *group, *array, *attr; /* key names */
    bool        in_objects; /* keys in .zgroup and .zarray, with the inner names dims, vars, dimrefs */
    bool        in_attrs;   /* keys in .zattrs, with the inner names dimensions, arrays, dimension_references */
    const char *char_dtype; /* NC_CHAR: netCDF-C recognises `>S1`, which zarr-python 3 refuses (zarr2_array.c) */
    bool        strings;    /* has NC_STRING */
    bool        objects;    /* has strings of any length */
    /* One-byte numbers as NumPy spells them, `|i1`: zarr-python 3 accepts nothing else. */
    bool numpy_bytes;
} ncz_nczarr_layout;

extern const ncz_nczarr_layout ncz_zarr2_layouts[NCZ_GEN_BOTH + 1];

/* As in ncz_dialect_ops (zarr2_array.c). */
void ncz_zarr2_string_width(const ncz_json *zarray, ncz_string_width *out);

/* ---- element types --------------------------------------------------------------------------------------------- */

/* A structured type, or a plain one: sets *out if the type is understood. Records are in the arena. */
int  ncz_zarr2_record_parse(const ncz_json *v, ncz_arena *arena, ncz_dtype *out);
void ncz_zarr2_record_write(const ncz_type *t, ncz_jsonw *w); /* of a compound or opaque type */
/* Never fails: an unknown type is NC_NAT. */
void ncz_zarr2_dtype_parse(const ncz_json *v, bool nczarr, bool char_u1, ncz_stored_type *out);
int  ncz_zarr2_dtype_write(const ncz_var *v, const ncz_nczarr_layout *lay, ncz_jsonw *w);
bool ncz_zarr2_is_time(const ncz_var *v); /* a datetime64 or timedelta64 with a unit */
/* As in ncz_dialect_ops. An entry is "<i4", ">S1", "|S128", "|J0"; in generation 1 "4". */
const ncz_type *ncz_zarr2_att_type(const char *entry);
int             ncz_zarr2_check_type(const ncz_format_opts *style, const ncz_type *type, const char *what);
int             ncz_zarr2_dtype_text(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out);
int ncz_zarr2_dtype_check(const ncz_format_opts *style, const char *name, const char *text, const ncz_stored_type *st,
                          ncz_buf *own);
bool ncz_zarr2_has_objects(const ncz_format_opts *style);
void ncz_zarr2_stored_type(const char *text, ncz_stored_type *out);
int  ncz_zarr2_type_name(const char *text, ncz_buf *out);

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

/* Also decides what a listed directory is. Any thread, one node each. Failures fail the load. */
int ncz_zarr2_parse_node(ncz_loader *l, ncz_node *n, const ncz_node_docs *docs, const char *key);
/* Fails only without memory; `unusable` records what is wrong with the document. `key` is for error texts. */
int ncz_zarr2_array_parse(const ncz_zarr2_docs *n, const ncz_loader *l, ncz_arena *arena, const char *key,
                          ncz_array_meta *out);

/* Each appends a document to `out` as text. */
int ncz_zarr2_array_write(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out);
int ncz_zarr2_var_attrs_write(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out);
int ncz_zarr2_group_attrs_write(const ncz_group *g, const ncz_format_opts *style, ncz_buf *out);
int ncz_zarr2_group_write(const ncz_group *g, const ncz_format_opts *style, ncz_buf *out);
/* A variable's `_nczarr_array` member: `newer` with the names of .zattrs, else those of .zarray. */
int ncz_zarr2_nczarr_write(const ncz_var *v, const ncz_nczarr_layout *lay, bool newer, ncz_jsonw *w);

#endif /* NCZ_FORMAT_ZARR2_INT_H */
