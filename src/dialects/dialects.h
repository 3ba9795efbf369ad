/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dialects: all of them. Finds the dialect of a dataset, loads its documents into the model, and plans those that are
 * to be stored. The dialects that have nothing of Zarr are here, too.
 */
#ifndef NCZ_DIALECTS_H
#define NCZ_DIALECTS_H

#include "format/format.h"

/* All dialects, in the order of identification; NULL at the end. */
extern const ncz_dialect_ops *const ncz_dialects[];

/* The dialect of a version of Zarr, with 0 for the default of new datasets. Returns NULL for an unknown version. */
const ncz_dialect_ops *ncz_dialects_find(int zarr_format);
/* As ncz_dialects_find(), but NULL for 0, too: a version that a program names. */
const ncz_dialect_ops *ncz_dialects_of_version(int zarr_format);

/* The i-th of a dialect's documents and marks, the marks of a dataset first. NULL after the last. */
const char *ncz_dialects_document(const ncz_dialect_ops *dialect, size_t i);

bool ncz_dialects_may_have_tail(const char *key); /* a document that bytes may follow, which are ignored */
/* The dialect of new datasets that are one file. */
const ncz_dialect_ops *ncz_dialects_of_files(void);
/* That of netCDF-4 files. */
const ncz_dialect_ops *ncz_dialects_of_netcdf4(void);
/* Whether a file with these first bytes, at least 8 unless it is smaller, is a dataset by itself. */
bool ncz_dialects_is_file(const void *bytes, size_t n);
/* Whether 8 bytes say so that are at 512, or at a double of that. */
bool ncz_dialects_follows_block(const void *bytes, size_t n);
/* For error texts: what a file with these first bytes is that is no dataset ("a GRIB file ..."); NULL: not known. */
const char *ncz_dialects_name_other(const void *bytes, size_t n);
/* parse_key of a dialect, which may have none. */
ncz_key_kind ncz_dialects_parse_key(const ncz_dialect_ops *dialect, const char *rest, size_t rank, uint64_t *index);
/* Likewise for a key of this variable; `index` gets an entry for each of its dimensions. */
ncz_key_kind ncz_dialects_parse_var_key(const ncz_dialect_ops *dialect, const ncz_var *v, const char *rest,
                                        uint64_t *index);
bool         ncz_dialects_is_member(const ncz_json *doc); /* is_member of any dialect */
bool         ncz_dialects_is_document(const char *name); /* by the last segment of a key: a document of any dialect */
bool ncz_dialects_owns_temporary(const char *name); /* by the last segment: a temporary of any dialect's writers */
/* True if a name of `len` bytes is a document that indicates a dataset's root in an archive. */
bool   ncz_dialects_is_top_document(const char *name, size_t len);
size_t ncz_dialects_longest_document(void); /* bytes of the longest name */
/* The dialect whose root is one document, which may hold consolidated metadata. Returns NULL if there is no such
 * one. */
const ncz_dialect_ops *ncz_dialects_copies_inside(void);
/* The consolidated document to look for before the dialect is known: that of the first dialect with one of its
 * own. */
const ncz_dialect_copies *ncz_dialects_copies(void);
/* Appends the marks of all dialects, for texts: ".a, .b, c". */
int ncz_dialects_marks_text(ncz_buf *out);
/* The name of a root document while the dataset is hidden, and the reverse. NULL: no such name. */
const char *ncz_dialects_hidden_key(const char *key);
const char *ncz_dialects_shown_key(const char *hidden);

/* A name of a file as it is shown: itself, or one in the arena (dialects_names.c). `segment`: of an object; else of an
 * attribute. NC_EMAXNAME, NC_EBADNAME: it cannot be shown. */
int ncz_dialects_show_name(const char *name, bool segment, ncz_arena *arena, const char **out);

/* ---- loading and storing ---------------------------------------------------------------------------------------- */

/*
 * Identifies and loads the dataset: documents -> model, in one batch for each level of groups. `m` is new and empty.
 * An unsupported variable is listed and marked unusable (ncz_var.unusable): without a netCDF type its type is NC_NAT;
 * if its document is missing or broken its rank is 0, too. A broken variable never fails the dataset. Names that
 * cannot be a segment of a key are skipped with a log line. A lone array at the root becomes a variable named "data".
 * Attributes that no document contains (units of datetime64; _FillValue of a pure scalar) have `raw` "" and are never
 * written.
 *
 * Loading has two steps. The first fetches the root's documents, which identify the dataset. The second fetches
 * everything below and fills the model; `docs` and `m` must live until then. ncz_dialects_load() does both. After a
 * failure the model is unusable.
 *
 * Errors: NC_ENOTZARR: no known document (the text lists those looked for); NC_EZARRMETA: a required document is
 * broken, with key and cause; limits; NC_ENOMEM.
 */
int ncz_dialects_load_root(const ncz_docs *docs, const ncz_load_opts *wish, ncz_model *m, ncz_loader **out);
int ncz_dialects_load_rest(ncz_loader *l, ncz_format_opts *out);
/* In place of the second step: the paths of all groups and arrays, "a/b", without the root. */
int  ncz_dialects_load_names(ncz_loader *l, ncz_names *out);
bool ncz_dialects_has_lists(const ncz_loader *l); /* NCZarr's lists name its groups and arrays */
/* After the first step: the object must not change while it is read. In a bucket and on a server it is another one
 * then: nothing there is changed in place. */
bool ncz_dialects_is_fixed(const ncz_loader *l);
void ncz_dialects_loader_free(ncz_loader *l);
int  ncz_dialects_load(const ncz_docs *docs, const ncz_load_opts *wish, ncz_model *m, ncz_format_opts *out);

/* Prepares a new, empty model for `style` (dialect, layout, provenance attribute _NCProperties). `properties` is that
 * attribute's text, or NULL. The text must not contain "netcdf=", which marks netCDF-C's releases and enables the
 * workarounds for their bugs. */
int ncz_dialects_create(ncz_model *m, const ncz_format_opts *style, const char *properties);

/* The stage of a document; stages are stored in this order. */
typedef enum ncz_stage {
    NCZ_STAGE_ARRAY,        /* of variables, deepest groups first */
    NCZ_STAGE_GROUP,        /* of groups, deepest first */
    NCZ_STAGE_CONSOLIDATED, /* the consolidated document */
    NCZ_STAGE_ROOT,         /* of the root; the last one is the commit point */
} ncz_stage;

typedef struct ncz_doc_out {
    ncz_stage   stage;
    bool        visible; /* makes its node visible to readers: stored after the node's others */
    const char *key, *text;
    size_t      len;
} ncz_doc_out;

/* Key and text are valid for the call only. */
typedef int (*ncz_emit_fn)(void *arg, const ncz_doc_out *doc);

/*
 * Emits the changed documents (`all`: every document), in order. The dirty marks stay: ncz_dialects_mark_stored()
 * clears them once the documents are stored. The same model gives the same bytes. Limits of a style: NC_STRING in G2
 * is NC_EBADTYPE naming the node; G2, G3 and pure Zarr record unlimited dimensions at their present length; pure Zarr
 * has no attribute types, no order of variables and no NC_CHAR variables. A variable with unreadable documents is not
 * written.
 */
int  ncz_dialects_plan(const ncz_model *m, const ncz_format_opts *style, bool all, ncz_emit_fn emit, void *arg);
void ncz_dialects_mark_stored(ncz_model *m); /* all is stored: clears dirty and fresh marks */
/* NC_EPERM, with the reason in its text, if the variable's documents are never rewritten: no change of its attributes
 * or definition would be stored. */
int ncz_dialects_check_rewritable(const ncz_var *v);

/*
 * One array by its document (dialects_array.c). write: appends the array document of a variable, as plain Zarr has it
 * and without attributes, and the stored names of its dimensions if some have none there (else `names` stays empty; ""
 * is " "). define: adds a variable in definition from such a document of the model's dialect. Its element type or a
 * codec may be unknown: then the data are inaccessible, and `type` is NC_NAT's where the type is. The shape is that of
 * `dims`. NC_EBADTYPE: the document's type does not read as `type`; NC_EINVAL: another rank; errors of what
 * cannot be carried along.
 */
int ncz_dialects_array_write(const ncz_model *m, const ncz_var *v, ncz_buf *out, ncz_buf *names);
int ncz_dialects_array_define(ncz_model *m, ncz_group *g, const char *name, const ncz_json *doc, const char *names,
                              const ncz_type *type, size_t rank, ncz_dim *const *dims, ncz_var **out);

#endif /* NCZ_DIALECTS_H */
