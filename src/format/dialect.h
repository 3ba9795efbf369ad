/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dialect: one table of functions for each way in which arrays are stored. A dialect is the only owner of the form of
 * its keys and documents. Its files are in a folder of their own, src/format/<dialect>/; nothing outside that folder
 * knows a document's name or how a chunk's key is spelled.
 *
 * To add one: a folder with a `static const` table, its name in meson.build, and its place in ncz_dialects.
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

/* A document of the root, and the name under which it is kept while nobody is to see the dataset. */
typedef struct ncz_root_doc {
    const char *key, *hidden;
} ncz_root_doc;

/* What a dialect calls its documents. Each list ends with NULL; places in `all` are the documents' numbers. */
typedef struct ncz_dialect_docs {
    const char *const *all;  /* those that a node may have, by any writer, NCZ_DOCS_MOST at most */
    const char *const *root; /* those of the root that are asked for first, together; the first may be enough */
    bool (*enough)(const ncz_json *first); /* is the first of them all that a reader needs? NULL: never */
    const char *const  *marks;             /* at the root any of these shows that a dataset is there */
    const char *const  *top;               /* any of these shows where in an archive a dataset begins */
    const ncz_root_doc *published; /* the root's in the order in which they become visible; the last is the commit
                                      point. Ends with a NULL key; NULL: none are written */
    const char         *array;     /* the document that makes a node an array */
} ncz_dialect_docs;

/* Where copies of all documents are. */
typedef struct ncz_dialect_copies {
    const char *key;     /* a document of its own; NULL: there are none, or they are inside the root's */
    const char *member;  /* in it: an object with a member for each document, by its key */
    const char *version; /* a member beside that, which is 1 */
} ncz_dialect_copies;

typedef enum ncz_node_kind {
    NCZ_NODE_GROUP,
    NCZ_NODE_ARRAY,
    NCZ_NODE_DIR,  /* a directory that may turn out as anything; in the end: a group without documents of its own */
    NCZ_NODE_NONE, /* not part of the dataset */
} ncz_node_kind;

/* What a key below a node is. */
typedef enum ncz_key_kind {
    NCZ_KEY_FOREIGN,  /* not this dialect's */
    NCZ_KEY_DOCUMENT, /* a document of the node */
    NCZ_KEY_CHUNK,    /* a chunk, if the node is an array */
} ncz_key_kind;

#define NCZ_RANK_ANY SIZE_MAX

/* A chunk's key taken apart without knowing its array. */
typedef struct ncz_chunk_key {
    size_t below; /* bytes before the chunk's own part: the array's key with its '/' */
    size_t rank;  /* how many numbers */
    bool   first; /* all of them are 0 */
} ncz_chunk_key;

/* `visible`: readers see the node by this document. */
typedef int (*ncz_node_doc_fn)(void *arg, const char *name, bool visible, const ncz_buf *text);

typedef struct ncz_dialect_ops {
    const char        *name; /* as error texts call it */
    ncz_dialect_docs   docs;
    ncz_dialect_copies copies;

    /*
     * identify: is the dataset in this dialect? `got` is what came of docs.root. If so *is is set, what the root says of
     * the dataset goes to the loader (generation, writer, `locate`), and the documents to `docs`. Failures fail the load.
     * wanted_docs: which documents of a node to ask for, a bit for each number.
     * parse_node: documents -> n->said; settles what a listed directory is. Any thread, one node each. Failures fail
     * the load.
     */
    int (*identify)(struct ncz_loader *l, struct ncz_node *root, const struct ncz_docs_got *got,
                    struct ncz_node_docs *docs, bool *is);
    unsigned (*wanted_docs)(const struct ncz_loader *l, ncz_node_kind kind);
    int (*parse_node)(struct ncz_loader *l, struct ncz_node *n, const struct ncz_node_docs *docs, const char *key);
    /* Of a variable, or where `v` is NULL of the group: its documents, each in `text`, in the order of storing. */
    int (*write_node)(const ncz_group *g, const ncz_var *v, const struct ncz_format_opts *style, ncz_buf *text,
                      ncz_node_doc_fn each, void *arg);
    ncz_locate_fn locate;
    /* How chunks are named whose keys separate numbers by '.' or '/'. */
    ncz_key_encoding (*encode_keys)(char separator);
    /* `rest`: a key below a node. Of a chunk with `rank` numbers `index` is filled; with NCZ_RANK_ANY it is not asked how
     * many there are, nor which. */
    ncz_key_kind (*parse_key)(const char *rest, size_t rank, uint64_t *index);
    /* A whole key: could it be a chunk as this library writes it? For chunks whose array has no document yet. */
    bool (*split_chunk_key)(const char *key, ncz_chunk_key *out);
    /* Is this the temporary of another writer of the dialect, by the last segment of its key? Then it may be deleted
     * with the dataset. */
    bool (*owns_temporary)(const char *name);
} ncz_dialect_ops;

/* All dialects, in the order in which a dataset is tried for them; NULL at the end. */
extern const ncz_dialect_ops *const ncz_dialects[];

/* ---- over all dialects (format_dialects.c) --------------------------------------------------------------------- */

bool ncz_format_is_document(const char *name);    /* the last segment of a key: a document of some dialect? */
bool ncz_format_owns_temporary(const char *name); /* and a temporary of one? */
/* The same for a name of `len` bytes: a document by which a dataset in an archive is found. */
bool   ncz_format_is_top_document(const char *name, size_t len);
size_t ncz_format_longest_document(void); /* bytes of the longest name */
/* The consolidated document to look for before the dialect is known: that of the first which has one of its own. */
const ncz_dialect_copies *ncz_format_copies(void);
/* The marks of all dialects, for texts: ".a, .b, c". */
int ncz_format_marks_text(ncz_buf *out);
/* The name under which a document of the root is kept while nobody is to see the dataset, and back; NULL: it has none. */
const char *ncz_format_hidden_key(const char *key);
const char *ncz_format_shown_key(const char *hidden);

#endif /* NCZ_FORMAT_DIALECT_H */
