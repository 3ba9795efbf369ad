/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * format: documents <-> model. Each dialect has a folder (dialect.h). The module does no I/O: it requests named
 * documents from the *docs* interface, and emits the documents to be stored, in order.
 *
 * Sources: NCZarr specification (with appendices G, H), Zarr v2 specification, XArray's _ARRAY_DIMENSIONS; and what
 * netCDF-C 4.8.0 to 4.10 writes in practice (docs/formats.md describes the generations G1 to G4).
 */
#ifndef NCZ_FORMAT_H
#define NCZ_FORMAT_H

#include "format/dialect.h"
#include "json/json.h"
#include "model/model.h"
#include "uri/uri.h"
#include "util/util.h"

#define NCZ_DOCS_MOST 8 /* most documents of one request: of a node, or of the root in all dialects */

/* How to deliver documents. */
typedef enum ncz_docs_as {
    NCZ_DOCS_JSON,
    NCZ_DOCS_BYTES, /* raw bytes of a range of each object, such as a header */
} ncz_docs_as;

struct ncz_docs_got;

typedef struct ncz_docs_req {
    const char *const *keys;
    size_t             n; /* 1 ... NCZ_DOCS_MOST */
    ncz_docs_as        as;
    uint64_t           off, len; /* NCZ_DOCS_BYTES: the range; len 0: the whole object */
    /*
     * True if the first `first` documents suffice, which `got` has. The source may then leave out the others. NULL: all
     * are needed.
     */
    bool (*enough)(const struct ncz_docs_got *got, const void *arg);
    const void *arg; /* for `enough` */
    size_t      first;
} ncz_docs_req;

typedef struct ncz_docs_got {
    const ncz_json *doc;   /* NULL: absent, or an error */
    const char     *bytes; /* the same for NCZ_DOCS_BYTES */
    size_t          len;   /* of bytes */
    uint64_t        size;  /* of the whole object; UINT64_MAX: not known */
    const ncz_err  *err;   /* NULL: no error */
} ncz_docs_got;

/*
 * Delivers the result of request i: got[k] is for its keys[k]. Called once for each request, in any order, from any
 * thread, possibly from several threads at once. The source owns documents and errors; they are valid for this call
 * only.
 */
typedef void (*ncz_docs_fn)(void *arg, size_t i, const ncz_docs_got *got);

/*
 * The source of documents, which it does not keep. The first call of `fetch` is one request, for the root's
 * documents. A call is one round trip (two if the first document did not suffice). A call fails only if it could not
 * start, or, for a writer, if the presence of consolidated metadata could not be determined. Below the root
 * NC_EZARRMETA (an unparsable document), NC_EACCESS, NC_EIO, NC_EINVAL or ENAMETOOLONG for one document spoils its node
 * only; any other error fails the load.
 */
typedef struct ncz_docs {
    void *arg;
    bool  one_object; /* it has one object, with the key "" */
    bool  far;        /* each request takes long, as over a network */
    int (*fetch)(void *arg, const ncz_docs_req *reqs, size_t n, ncz_docs_fn each, void *each_arg);
    /* Reads ranges of the one object. NC_ETRUNC: it ends within one of them. */
    int (*read)(void *arg, const ncz_read_range *ranges, size_t n);
    /* Lists the immediate children of a prefix, as zmap_list() does. NULL: the source cannot list. */
    int (*list)(void *arg, const char *prefix, int (*each)(const char *name, bool leaf, void *each_arg),
                void *each_arg);
} ncz_docs;

#define NCZ_FORM_PLAIN 0 /* the format without netCDF's own metadata, such as NCZarr's keys */

typedef struct ncz_format_opts {
    const ncz_dialect_ops *dialect; /* never NULL */
    int                    gen;     /* which of the dialect's forms, that it alone knows; or NCZ_FORM_PLAIN */
    bool                   xarray;  /* write _ARRAY_DIMENSIONS, where the dialect has it */
    /* Write consolidated metadata too. A load sets it where the root's document holds them; for a document of its own
     * the caller does. */
    bool consolidated;
    bool unasked; /* nobody asked for that document: it is for other readers, and only consolidated=yes reads it */
    bool copying; /* the plan's own: what is written now is a copy in the consolidated document */
    bool classic; /* netCDF's classic model; pure Zarr does not record it */
    /* G1, G2, and whatever could not be rewritten without loss: a lone array at the root, ignored NCZarr keys, a
     * group with a broken document. */
    bool readonly;
} ncz_format_opts;

static inline bool
ncz_format_is_plain(const ncz_format_opts *style)
{
    return style->gen == NCZ_FORM_PLAIN;
}

/* The form of a new dataset, in a version of Zarr. */
ncz_format_opts ncz_format_new(const ncz_dialect_ops *dialect, ncz_conventions conventions);
bool            ncz_format_is_newest(const ncz_format_opts *style); /* the form that this library chooses by itself */
const char     *ncz_format_keys_text(const ncz_format_opts *style); /* what the log says of its keys; "": nothing */
/* The releases of netCDF-C that wrote a form which is only read; NULL: another form. */
const char *ncz_format_old_writer(const ncz_format_opts *style);
/* Sets the key encoding of new variables. `separator`: '.', '/' or 0; `v2`: as Zarr v2 names chunks. */
void ncz_format_choose_keys(ncz_model *m, char separator, bool v2);
/* Appends the text of _NCProperties; `library` is its last part, "libnczarr=...". */
int ncz_format_properties(const ncz_format_opts *style, const char *library, ncz_buf *out);
/* `code`, with a text, for a form that can only be read. */
int ncz_format_check_written(const ncz_format_opts *style, int code);

/* How the caller wants an existing dataset loaded. `pure`: ignore NCZarr keys (mode=zarr). */
typedef struct ncz_load_opts {
    int        zarr_format; /* consider only documents of this version of Zarr; 0: of any */
    bool       pure;
    bool       xarray;   /* false: ignore _ARRAY_DIMENSIONS (noxarray) */
    bool       hdf5;     /* only an HDF5 file, with what netCDF does not show */
    bool       look;     /* read-only: the documents' own spelling need not be kept */
    bool       spelling; /* ... but is, for a copy */
    ncz_texts *warnings; /* receives what is damaged and passed over; NULL: not wanted */
} ncz_load_opts;

/* A load, while it runs: see dialects.h. */
typedef struct ncz_loader ncz_loader;

bool ncz_format_is_unreadable(int rc); /* of a document that may exist, and that the store does not give */

/* Appends a readable name of a variable's type: netCDF's name; for a type that netCDF lacks "complex64", "structure",
 * "opaque(10)", else the document's own text; "unknown" without a readable document. */
int ncz_format_type_name(const ncz_model *m, const ncz_var *v, ncz_buf *out);

/* NC_EBADTYPE, with `what` in its text, if the style cannot express the type, for variables and attributes alike. */
int ncz_format_check_type(const ncz_format_opts *style, const ncz_type *type, const char *what);
/* As ncz_format_check_type(), for a variable. NC_ENOTBUILT: there is no stored form for its elements. */
int ncz_format_check_var_type(const ncz_format_opts *style, const ncz_type *type, const char *what);

/*
 * The stored type of a variable, as its document spells it: `<i4`, `|b1`, `<M8[ns]`. text: NC_EBADTYPE for a type
 * that is not a plain one. define: sets the stored type of a new variable without codecs. NC_EINVAL: not a type
 * string. NC_EBADTYPE: the type does not read as the variable's netCDF type, or the style targets netCDF-C, which
 * cannot open a dataset with such a type.
 */
int ncz_format_dtype_text(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out);
int ncz_format_dtype_define(ncz_model *m, ncz_var *v, const ncz_format_opts *style, const char *text);
/* Adds an attribute that the reader synthesizes: visible, never written. An existing attribute of that name stays. */
int ncz_format_att_synthetic(ncz_model *m, ncz_atts *atts, const char *name, const ncz_type *type, size_t len,
                             const void *data);
/* True if these are the units that the reader synthesizes for the variable's stored type. They must not be stored. */
bool ncz_format_synthetic_units(const ncz_model *m, const ncz_var *v, const char *text, size_t len);

/* True if the dialect, or netCDF-4, reserves this attribute name (NC_ENAMEINUSE in nc_put_att). Never in a dialect
 * that keeps no metadata in attributes: all those of a classic file are the user's. */
bool ncz_format_reserved_att(const ncz_dialect_ops *dialect, const char *name);

/* True if the style can hold strings of any length (`|O`). Datasets for netCDF-C 4.9.0 to 4.9.2 cannot. */
bool ncz_format_has_objects(const ncz_format_opts *style);

#endif /* NCZ_FORMAT_H */
