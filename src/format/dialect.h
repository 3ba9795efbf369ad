/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dialect: one table of functions for each way of storing arrays. A dialect alone defines the form of its keys and
 * documents. Its files have a folder of their own, src/format/<dialect>/; nothing outside that folder knows the name
 * of a document or the spelling of a chunk's key.
 *
 * To add a dialect: write a folder with a `static const` table, list its files in meson.build, and add the table to
 * ncz_dialects (src/dialects).
 */
#ifndef NCZ_FORMAT_DIALECT_H
#define NCZ_FORMAT_DIALECT_H

#include "json/json.h"
#include "model/model.h"

struct ncz_docs_got;
struct ncz_format_opts;
struct ncz_loader;
struct ncz_node;
struct ncz_node_docs;
struct ncz_stored_type;
struct ncz_zarr_ops;

/* A document of the root, and its name while the dataset is hidden from readers. */
typedef struct ncz_root_doc {
    const char *key, *hidden;
} ncz_root_doc;

/* The names of a dialect's documents. Each list ends with NULL; a document's index in `all` is its number. */
typedef struct ncz_dialect_docs {
    const char *const *all;                /* all that a node may have, by any writer; at most NCZ_DOCS_MOST */
    const char *const *root;               /* the root's, fetched first and together; the first may suffice */
    bool (*enough)(const ncz_json *first); /* does the first suffice for a reader? NULL: never */
    const char *const *marks;              /* at the root, any of these indicates a dataset */
    const char *const *top;                /* in an archive, any of these indicates the dataset's root */
    /* The root's, in the order of publication; the last is the commit point. Ends with a NULL key. NULL: never
     * published. */
    const ncz_root_doc *published;
    const char         *array; /* the document that makes a node an array */
    bool stale_tails;          /* old writers left bytes of a longer document behind the shorter one; else an error */
} ncz_dialect_docs;

/* The consolidated metadata: copies of all documents, in a document of their own or inside the root's. */
typedef struct ncz_dialect_copies {
    const char *key;       /* a document of its own; NULL: none, or inside the root's */
    const char *member;    /* its member that holds each document, by key */
    const char *version;   /* another member, whose value is 1 */
    const char *elsewhere; /* a member of sets of references in Parquet form, which are not read */
    const char *unasked;   /* a member that is `true` where the document was written unasked (ncz_format_opts) */
    /*
     * Finds the copies inside the root's document, which may be parsed `inside_depth` containers deep only: an object
     * of documents by the path of their node. *value: all of the document that is to be left out for a document
     * without copies. NULL: there are none that can be used. Logs what is ignored. NULL: no copies inside.
     */
    const ncz_json *(*inside)(const ncz_json *root, const ncz_json **value);
    size_t inside_depth;
} ncz_dialect_copies;

typedef enum ncz_node_kind {
    NCZ_NODE_GROUP,
    NCZ_NODE_ARRAY,
    /* A listed directory of unknown kind; finally: a group without documents of its own. */
    NCZ_NODE_DIR,
    NCZ_NODE_NONE, /* not part of the dataset */
} ncz_node_kind;

/* The kind of a key below a node. */
typedef enum ncz_key_kind {
    NCZ_KEY_FOREIGN,  /* not this dialect's */
    NCZ_KEY_DOCUMENT, /* a document of the node */
    NCZ_KEY_CHUNK,    /* a chunk, if the node is an array */
} ncz_key_kind;

/* netCDF's numbers for a form: what nc_inq_format() and nc_inq_format_extended() give, and the flag of nc_create(). */
typedef struct ncz_netcdf_format {
    int format, extended, flag;
} ncz_netcdf_format;

/* Room that a program leaves in a dataset of one file, in bytes, as nc__enddef() has it. 0: none, and 4 to align. */
typedef struct ncz_file_room {
    uint64_t header_free, align;       /* behind the header; what variables of fixed shape begin at a multiple of */
    uint64_t fixed_free, record_align; /* the same for those, and for records */
} ncz_file_room;

/* Where a variable lies in such a file. */
typedef struct ncz_extent {
    uint64_t begin, nbytes; /* nbytes: without padding; with records, of one */
    uint64_t padded;        /* the same with its padding */
    uint64_t pitch;         /* from one record to the next; 0: it has none */
} ncz_extent;

/* What values read as that the file has lost, since it ends too early. */
typedef enum ncz_missing { NCZ_MISSING_ZEROS, NCZ_MISSING_FILL, NCZ_MISSING_ERROR } ncz_missing;

/*
 * What only a format has whose dataset is one file, with the key "", in a store that has no other. `form`: as
 * ncz_format_opts.gen.
 */
typedef struct ncz_file_ops {
    bool (*is)(const void *bytes, size_t n); /* whether a file begins so */
    /* The same of bytes that follow a block of the user, of 512 bytes or a double of that. NULL: there is none. */
    bool (*follows_block)(const void *bytes, size_t n);
    /*
     * For a format whose metadata are all rewritten at each commit, to free room, while chunks are objects of a map
     * (container/container.h): sets what of a model differs then. NULL: another format.
     */
    void (*rewrite)(ncz_model *m);
    int  refusal; /* the code of an opening to write, of a format that is only read; 0: NC_EPERM */
    bool fixed;   /* what was read of it does not hold once the file is changed: reading on is then an error */
    /* For a format that is written: gives all variables their places after definitions, and new specs. What has a place
     * keeps it, where there is room. */
    int (*lay_out)(ncz_model *m, int form, const ncz_file_room *room);
    int (*write_head)(const ncz_model *m, int form, ncz_buf *out); /* appends the bytes at the start of the file */
    bool (*extent)(const ncz_var *v, ncz_extent *out);             /* false: it has no place yet */
    /* The number of records as those bytes have it: *off from the start of the file, and how many bytes. */
    size_t (*write_records)(int form, uint64_t n, char out[8], uint64_t *off);
    /* Where the fixed variables and the records begin, and how large the file is with so many records. */
    void (*sections)(const ncz_model *m, uint64_t nrecords, uint64_t *fixed, uint64_t *records, uint64_t *end);
    /* The number of records in a file's first bytes. False: they are too few, or the writer did not know it. */
    bool (*read_records)(int form, const void *bytes, size_t n, uint64_t *out);
    uint64_t (*most_records)(int form); /* that a file can have */
    /* How many records there are: before they are put, since the places of chunks depend on it. */
    void (*set_records)(ncz_model *m, uint64_t n);
    /* NULL: nothing can be missing without an error. */
    void (*set_missing)(ncz_model *m, ncz_missing how);
} ncz_file_ops;

#define NCZ_RANK_ANY SIZE_MAX

/* The parts of a chunk's key, found without knowing its array. */
typedef struct ncz_chunk_key {
    size_t below; /* bytes before the chunk's numbers: the array's key with its '/' */
    size_t rank;  /* how many numbers */
    bool   first; /* all of them are 0 */
} ncz_chunk_key;

/* `visible`: this document makes the node visible to readers. */
typedef int (*ncz_node_doc_fn)(void *arg, const char *name, bool visible, const ncz_buf *text);

/* What a dialect wants to see of an object: its document, or bytes from `off` on, as many as there are up to `len` (0:
 * all of them). */
typedef struct ncz_look {
    const char *key; /* NULL: nothing more */
    bool        bytes;
    uint64_t    off, len;
} ncz_look;

/* A name and its length. A list of them ends with a NULL text. */
typedef struct ncz_word {
    const char *text;
    size_t      len;
} ncz_word;

#define NCZ_WORD(text)                                                                                               \
    {                                                                                                                \
        text, sizeof text - 1                                                                                        \
    }

/* How datasets in a dialect differ from others. */
typedef struct ncz_dialect_traits {
    bool        ordered_types; /* the text of a stored type contains the byte order */
    const char *characters;    /* what they are to other readers, where that is no text: for a log; else NULL */
    /* In documents of variables whose rows of characters are texts: what stands for _Encoding, by which xarray would
     * decode bytes. */
    const char *encoding_att;
    bool        text_rows;       /* rows of characters are texts, where chunks have them whole */
    bool        only_objects;    /* strings have any length: a codec for them comes first */
    bool        has_shards;      /* objects may hold several chunks */
    bool        any_order;       /* the order of a chunk's dimensions may be any, not only C's and Fortran's */
    bool        fill_is_missing; /* plain readers take every fill value as the missing value */
    bool        plain_sequences; /* without NCZarr's keys it has a type for sequences of numbers */
    /*
     * Sessions show each other, by objects beside the documents, who creates a dataset (a claim) and who makes
     * unlimited dimensions longer (growth marks), and put documents on condition. False for a format that has no place
     * for such objects, or no documents: one process writes it at a time, or its own rules say how several do.
     */
    bool               marks_writers;
    const char        *sequence_codec; /* the codec for sequences of numbers that a program chooses no codec for */
    ncz_codec_spelling spelling;       /* of codecs in its documents */
    const ncz_word    *hidden_atts;    /* attributes that hold metadata, and are never shown; NULL: none */
    /* Attributes that ask for the width of strings: of a variable, and of all in the root. NULL: strings have none. */
    const char *width_att, *default_width_att;
} ncz_dialect_traits;

/* How a dataset is recognised and read. */
typedef struct ncz_dialect_reader {
    /*
     * identify: is the dataset in this dialect? `got` has the results for docs.root. If so, sets *is, records the
     * dataset-wide properties in the loader (generation, writer, `make_layout`), and passes the documents on in `docs`.
     * wanted_docs: the documents of a node to fetch, one bit for each number. parse_node: documents -> n->said; also
     * decides what a listed directory is. Any thread, one node each. Failures of these functions fail the load.
     */
    int (*identify)(struct ncz_loader *l, struct ncz_node *root, const struct ncz_docs_got *got,
                    struct ncz_node_docs *docs, bool *is);
    /*
     * look: the same for a dialect without root documents. It is asked only if no other dialect's documents are there;
     * if the source is one object, only dialects of one object are asked. In the first call `got` is NULL, and the
     * dialect sets `next` to what it wants to see. Later calls get that: the dialect recognises the dataset, wants
     * more, or gives up (next->key NULL, as it is before the call). It may keep what it needs in l->state, which
     * ncz_free() frees. NULL: not asked.
     * check: after `look` has recognised the dataset: fails if nothing of it could be loaded. NULL: nothing to do.
     * load: fills the model, for a dialect whose nodes have no documents of their own. It may fetch more. NULL: nodes
     * have documents.
     */
    int (*look)(struct ncz_loader *l, const struct ncz_docs_got *got, ncz_look *next, bool *is);
    int (*check)(struct ncz_loader *l);
    int (*load)(struct ncz_loader *l);
    /*
     * filters: those of a stored variable, as HDF5 numbers them and with their words, also those that its chain
     * lacks. NULL, here and as its answer: its chain has all. mark: the value of `_IsNetcdf4` or
     * `_SuperblockVersion`; negative: it has none. NULL: what netCDF-C says of Zarr.
     */
    const ncz_filter_spec *(*filters)(const ncz_var *v, size_t *n);
    int (*mark)(const ncz_model *m, const char *name);
    unsigned (*wanted_docs)(const struct ncz_loader *l, ncz_node_kind kind);
    int (*parse_node)(struct ncz_loader *l, struct ncz_node *n, const struct ncz_node_docs *docs, const char *key);
} ncz_dialect_reader;

/* The names of objects and nodes. */
typedef struct ncz_dialect_keys {
    /* `rest`: a key below a node. For a chunk key of `rank` numbers `index` is filled. NCZ_RANK_ANY accepts any count
     * and leaves `index` alone. NULL: no object is a chunk. */
    ncz_key_kind (*parse_key)(const char *rest, size_t rank, uint64_t *index);
    /* True if a whole key may be a chunk's as this library writes them. For chunks whose array has no document
     * yet. NULL: none is. */
    bool (*split_chunk_key)(const char *key, ncz_chunk_key *out);
    /* True if a new variable or group may have this name. NULL: every name that a store can keep. */
    bool (*valid_name)(const char *name);
    /* True if a document says that its node belongs to a larger dataset, and is not that one's root: it has NCZarr's
     * keys. NULL: none says it. */
    bool (*is_member)(const ncz_json *doc);
    /* True if the last segment of a key names a temporary of another writer. It may then be deleted with the
     * dataset. NULL: none is. */
    bool (*owns_temporary)(const char *name);
} ncz_dialect_keys;

/* The stored types. */
typedef struct ncz_dialect_types {
    /*
     * Stored types. att_type: the type that an entry of NCZarr's attribute types names; NC_NAT's: unknown.
     * check_type, dtype_text and has_objects: as the functions of format.h that are named so. dtype_check: checks that
     * the style can hold the stored type of NumPy's type string `text`, and appends what a document has for it to `own`
     * if an ncz_dtype is not all of it. `name`: the variable's, for error texts.
     * stored_type: what a variable's own text (ncz_var.dtype_text, never NULL) says; NC_NAT's: netCDF has no such type.
     * type_name: appends a readable name of a type that netCDF lacks, from that text.
     */
    const ncz_type *(*att_type)(const char *entry);
    int (*check_type)(const struct ncz_format_opts *style, const ncz_type *type, const char *what);
    int (*dtype_text)(const ncz_var *v, const struct ncz_format_opts *style, ncz_buf *out);
    int (*dtype_check)(const struct ncz_format_opts *style, const char *name, const char *text,
                       const struct ncz_stored_type *st, ncz_buf *own);
    bool (*has_objects)(const struct ncz_format_opts *style);
    void (*stored_type)(const char *text, struct ncz_stored_type *out);
    int (*type_name)(const char *text, ncz_buf *out);
} ncz_dialect_types;

typedef struct ncz_dialect_ops {
    const char                *name; /* for error texts */
    const struct ncz_zarr_ops *zarr; /* what only versions of Zarr have (zarr/zarr.h); NULL: another format */
    ncz_dialect_traits         traits;
    const ncz_file_ops        *file; /* of a format whose dataset is one file; NULL: another one */
    ncz_dialect_docs           docs;
    ncz_dialect_copies         copies;
    ncz_dialect_reader         reader;
    ncz_dialect_keys           keys;
    ncz_dialect_types          types;

    /* Writes the documents of a variable (`v` NULL: of the group), each in `text`, in the order of storing. The root's
     * contain the consolidated metadata, where they have no document of their own. */
    int (*write_node)(const ncz_model *m, const ncz_group *g, const ncz_var *v, const struct ncz_format_opts *style,
                      ncz_buf *text, ncz_node_doc_fn each, void *arg);
    ncz_make_layout_fn make_layout; /* of a variable in a new dataset; identify may choose another for a stored one */
    /* The width of the strings in an array's document, `docs.array`. NULL: strings are never widened. */
    void (*string_width)(const ncz_json *array, ncz_string_width *out);
    /* Of a form, `gen`, with netCDF's numbers. NULL: NCZarr's. */
    ncz_netcdf_format (*netcdf_format)(int gen);
    /* Of new variables; `gen`: as in ncz_format_opts. NULL: the dialect is only read. */
    ncz_unmasked_fill (*unmasked_fill)(int gen);
} ncz_dialect_ops;

/* The version of Zarr of a dialect, as in its documents; 0: another format. */
int ncz_format_zarr_version(const ncz_dialect_ops *dialect);
/* Whether it has datasets that are written, or changed. */
static inline bool
ncz_format_is_written(const ncz_dialect_ops *dialect)
{
    const ncz_file_ops *file = dialect->file;

    return dialect->write_node != NULL || (file != NULL && (file->lay_out != NULL || file->rewrite != NULL));
}

#endif /* NCZ_FORMAT_DIALECT_H */
