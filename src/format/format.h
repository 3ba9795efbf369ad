/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * format: documents <-> model. A folder for each dialect (dialect.h). No I/O: a format asks the *docs* interface for named
 * documents and hands out the documents that must be stored, in order.
 *
 * Sources: NCZarr specification (with appendices G, H), Zarr v2 specification, XArray's _ARRAY_DIMENSIONS; and what
 * netCDF-C 4.8.0 ... 4.10 really write (docs/formats.md has the generations G1 ... G4).
 */
#ifndef NCZ_FORMAT_H
#define NCZ_FORMAT_H

#include "format/dialect.h"
#include "json/json.h"
#include "model/model.h"
#include "util/util.h"

#define NCZ_DOCS_MOST 8 /* documents of one node */

/* What one node's documents are asked for by: together, as they are understood together. */
typedef enum ncz_docs_as {
    NCZ_DOCS_JSON,
    NCZ_DOCS_BYTES, /* as they are, from a range of each object: a header, say */
} ncz_docs_as;

typedef struct ncz_docs_req {
    const char *const *keys;
    size_t             n; /* 1 ... NCZ_DOCS_MOST */
    ncz_docs_as        as;
    uint64_t           off, len; /* of bytes: the range; len 0: all from the beginning */
    /* Does the first document say all that is wanted? Then a source need not ask for the others, nor hand them over.
     * NULL: all are wanted. */
    bool (*enough)(const ncz_json *first);
} ncz_docs_req;

typedef struct ncz_docs_got {
    const ncz_json *doc;   /* NULL: there is none, or an error */
    const char     *bytes; /* the same for NCZ_DOCS_BYTES */
    size_t          len;   /* of bytes */
    const ncz_err  *err;   /* why; NULL: nothing is wrong */
} ncz_docs_got;

/*
 * Hands over what there is of request i: got[k] for its keys[k]. Called once for each request, in any order, from any
 * thread, and from several at once. Documents and errors are the source's, and good for this call alone.
 */
typedef void (*ncz_docs_fn)(void *arg, size_t i, const ncz_docs_got *got);

/*
 * Where documents come from. A source keeps none of them. The first call of `fetch` is for the root's, one request.
 * One call is one round trip (two where the first document was not enough); it fails only when it could not begin, or
 * (for a writer) whether there are copies could not be found out. NC_EZARRMETA (a document that cannot be parsed),
 * NC_EINVAL or ENAMETOOLONG for one document spoil its node; any other error fails the load.
 */
typedef struct ncz_docs {
    void *arg;
    int (*fetch)(void *arg, const ncz_docs_req *reqs, size_t n, ncz_docs_fn each, void *each_arg);
    /* The immediate children of a prefix, as zmap_list(). NULL: this source cannot list. */
    int (*list)(void *arg, const char *prefix, int (*each)(const char *name, bool leaf, void *each_arg),
                void *each_arg);
} ncz_docs;

/* How metadata stand on disk. */
typedef enum ncz_generation {
    NCZ_GEN_PURE, /* Zarr v2 without NCZarr keys */
    NCZ_GEN_1,    /* 4.8.0: in objects of its own */
    NCZ_GEN_2,    /* 4.8.1, 4.9.0: upper-case keys in Zarr's documents */
    NCZ_GEN_3,    /* 4.9.1, 4.9.2: lower-case keys there: the specification's places */
    NCZ_GEN_4,    /* 4.9.3 on: all among the attributes */
    NCZ_GEN_BOTH, /* ours: G3's places and G4's */
} ncz_generation;

typedef struct ncz_format_opts {
    ncz_generation gen;
    bool           xarray; /* write _ARRAY_DIMENSIONS */
    bool consolidated;     /* write the consolidated document too; the caller's to know: a load leaves it false */
    bool classic;          /* netCDF's classic model; pure Zarr does not say so */
    bool readonly;         /* G1, G2, and all that we could not write again as it stands: a lone array at the
                                    root, NCZarr keys that were to be ignored, a group with a broken document */
} ncz_format_opts;

/* What the caller wants of an existing dataset. `pure`: ignore NCZarr keys (mode=zarr). */
typedef struct ncz_load_opts {
    bool pure;
    bool xarray; /* false: ignore _ARRAY_DIMENSIONS (noxarray) */
    bool look;   /* nothing will be written: what documents say word for word need not be kept */
} ncz_load_opts;

/*
 * Looks what stands there and loads it: documents -> model, level by level in batches, one for each level of groups.
 * `m` is new and empty. What of it cannot be supported is listed and marked unusable (ncz_var.unusable): a variable
 * without a netCDF type has type NC_NAT, one whose document is missing or broken also rank 0. A broken variable
 * never fails the dataset. Names that are no segment of a key are left out, with a line in the log. A lone array at
 * the root is a variable named "data". Attributes that no document has (units of datetime64; _FillValue of a pure
 * scalar) have `raw` "" and are never written.
 *
 * In two steps. The first fetches the root's documents, which say what it is; the second all that is below, and fills
 * the model; `docs` and `m` must be there until then. Both in one: ncz_format_load(). After a failure the model is
 * good for nothing.
 *
 * Errors: NC_ENOTZARR nothing recognisable (text: what was looked for); NC_EZARRMETA a document that the dataset
 * cannot do without is broken, with key and cause; limits; NC_ENOMEM.
 */
typedef struct ncz_loader ncz_loader;

int  ncz_format_load_root(const ncz_docs *docs, const ncz_load_opts *wish, ncz_model *m, ncz_loader **out);
int  ncz_format_load_rest(ncz_loader *l, ncz_format_opts *out);
void ncz_format_loader_free(ncz_loader *l);
int  ncz_format_load(const ncz_docs *docs, const ncz_load_opts *wish, ncz_model *m, ncz_format_opts *out);

/* Readies a new, empty model for `style` (locate, provenance attribute _NCProperties). `properties` is its text or
 * NULL. It must not hold "netcdf=": by that the writer's faults of netCDF-C's releases are known. */
int ncz_format_create(ncz_model *m, const ncz_format_opts *style, const char *properties);

/* When a document belongs, in the order in which they are stored. */
typedef enum ncz_stage {
    NCZ_STAGE_ARRAY,        /* of variables, deepest groups first */
    NCZ_STAGE_GROUP,        /* of groups, deepest first */
    NCZ_STAGE_CONSOLIDATED, /* the copies of all */
    NCZ_STAGE_ROOT,         /* of the root; the last one is the commit point */
} ncz_stage;

typedef struct ncz_doc_out {
    ncz_stage   stage;
    bool        visible; /* readers see its node by it: to be stored after the node's others */
    const char *key, *text;
    size_t      len;
} ncz_doc_out;

/* Key and text are the emitter's for the length of the call. */
typedef int (*ncz_emit_fn)(void *arg, const ncz_doc_out *doc);

/*
 * The documents that changed (`all`: every document), in order. Marks are not cleared: ncz_format_mark_stored() does so
 * once they are stored. Same model, same bytes. What a style cannot say: NC_STRING in G2 is NC_EBADTYPE naming the
 * node; unlimited dimensions in G2, G3 and pure Zarr are said at their present length; types of attributes, order and
 * NC_CHAR variables are not pure Zarr's. A variable whose documents could not be understood is not written again.
 */
int  ncz_format_plan(const ncz_model *m, const ncz_format_opts *style, bool all, ncz_emit_fn emit, void *arg);
void ncz_format_mark_stored(ncz_model *m); /* everything is on disk: clears dirty and fresh marks */

/* Appends what people call a variable's type: netCDF's name, or of a type that netCDF does not have "complex64",
 * "structure", "opaque(10)", else the document's own text; "unknown" where there is no readable document. */
int ncz_format_type_name(const ncz_var *v, ncz_buf *out);

/* NC_EBADTYPE, with `what` in its text: the style has no words for the type, in variables or attributes. */
int ncz_format_check_type(const ncz_format_opts *style, const ncz_type *type, const char *what);

/*
 * The stored type of a variable, as its document spells it: `<i4`, `|b1`, `<M8[ns]`. text: NC_EBADTYPE when it is no plain
 * type. define: makes a spelling the type of a new variable without codecs: NC_EINVAL it is none; NC_EBADTYPE it does not read
 * as the variable's netCDF type, or the style is one for netCDF-C, which cannot open a dataset with such a type.
 */
int ncz_format_dtype_text(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out);
int ncz_format_dtype_define(ncz_model *m, ncz_var *v, const ncz_format_opts *style, const char *text);
/* An attribute made up by the reader: shown, never written. One of that name stays as it is. */
int ncz_format_att_synthetic(ncz_model *m, ncz_atts *atts, const char *name, const ncz_type *type, size_t len,
                             const void *data);
/* Are these the units that the reader makes up for a variable of this stored type? Then they are not to be stored. */
bool ncz_format_synthetic_units(const ncz_var *v, const char *text, size_t len);

/* Is this name one that a format keeps for itself as an attribute? (NC_ENAMEINUSE for nc_put_att) */
bool ncz_format_reserved_att(const char *name);

/* Can this style hold strings of any length (`|O`)? No dataset meant for netCDF-C 4.9.0 to 4.9.2 can. */
bool ncz_format_has_objects(const ncz_format_opts *style);

#endif /* NCZ_FORMAT_H */
