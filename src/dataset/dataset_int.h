/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of this module: lists of keys, ownership and claims of stores, the source of documents, the
 * dataset's struct. */
#ifndef NCZ_DATASET_INT_H
#define NCZ_DATASET_INT_H

#include "dataset/dataset_session.h"

#include <pthread.h>
#include <stdatomic.h>

#include "uri/uri.h"
#include "util/rwlock.h"

/* ---- a list of keys -------------------------------------------------------------------------------------------- */

typedef struct ncz_key_list {
    char **v;
    size_t n, cap;
} ncz_key_list;

#define NCZ_KEY_LIST_INIT ((ncz_key_list){NULL, 0, 0})

int ncz_key_list_add(ncz_key_list *k, const char *prefix, const char *name); /* "prefix/name", or "name" */
int ncz_key_list_walk(zmap *map, const char *prefix, ncz_key_list *out);     /* every object below prefix, sorted */
/* Also lists prefixes (zmap_walk_prefixes()), not sorted; NULL: not wanted. */
int  ncz_key_list_walk_prefixes(zmap *map, const char *prefix, ncz_key_list *out, ncz_key_list *prefixes);
bool ncz_key_list_has(const ncz_key_list *k, const char *key); /* in a sorted list */
int  ncz_key_list_del(zmap *map, const ncz_key_list *k);       /* deletes the objects */
void ncz_key_list_clear(ncz_key_list *k);

size_t ncz_key_depth(const char *key); /* how many prefixes it is below */

/* ---- which objects of a store belong to a dataset (dataset_ownership.c) --------------------------------------- */

int ncz_owner_is_dataset(zmap *map, bool *out); /* true if a mark of any dialect exists */
int ncz_owner_store_empty(zmap *map, bool *out);
/* What goes when a place is emptied: the objects of a dataset, and nothing if there are others; or, with replace=all,
 * whatever is there. NCZ_OWNER_KEYS: what the keys alone tell of a dataset, for a second look. */
typedef enum ncz_owner_scope { NCZ_OWNER_DATASET, NCZ_OWNER_KEYS, NCZ_OWNER_ALL } ncz_owner_scope;

static inline ncz_owner_scope
ncz_owner_scope_of(const ncz_target *t)
{
    return t->replace_all ? NCZ_OWNER_ALL : NCZ_OWNER_DATASET;
}

/* All keys of a store that holds only one dataset, or the remains of a writer that died. NC_EEXIST: the store holds a
 * dataset and other objects. `refusal`: it holds no dataset. An empty store is not an error. NCZ_OWNER_ALL: all keys,
 * whatever they are. */
int ncz_owner_all_keys(zmap *map, const char *what, int refusal, ncz_owner_scope scope, ncz_key_list *keys);
/* Of a dataset that lists its groups and variables: NC_EEXIST if there are documents of others (dataset_members.c). */
int  ncz_members_check(zmap *map, const char *what, const ncz_key_list *keys);
bool ncz_owner_is_root_key(const char *key); /* a document, a claim, a probe, or a hidden name of a root document */
/* Deletes the objects of a dataset: the root's documents last, so that an interrupted deletion can be repeated; after
 * them the claim, if `claim_too`. */
int ncz_owner_del_all(zmap *map, const ncz_key_list *keys, bool claim_too);

/* ---- what an object is by its key (dataset_key_list.c) --------------------------------------------------------- */

#define NCZ_PROBE "nczarr-probe-" /* and digits: the key of an object that dataset_probe.c puts for a moment */
enum { NCZ_PROBE_DIGITS = 16 };

bool ncz_owner_is_document(const char *key); /* by its last segment */
bool ncz_probe_is_key(const char *key);
/* Adds the objects below a variable's key that are chunks in its dialect. */
int ncz_owner_chunks_below(zmap *map, const ncz_dialect_ops *d, const char *prefix, ncz_key_list *out);

/* ---- the writer of a new dataset (dataset_claim.c) ------------------------------------------------------------ */

/* Puts a claim for a new dataset in dialect `d`; NULL: to delete whatever is there. *claim, for ncz_free(), stays NULL
 * if the store or the dialect needs none. NC_EEXIST: another writer came first; the objects present are not ours. */
int ncz_claim_put(zmap *map, const ncz_dialect_ops *d, const char *path, char **claim);
/* Puts a claim in place of one whose writer is not running, or of none. *died: it was replaced, and
 * requests of its writer may still arrive. */
int ncz_claim_take(zmap *map, const char *path, char **claim, bool *died);
/* NC_EEXIST: another writer has replaced the claim. */
int ncz_claim_check(zmap *map, const char *path, const char *claim);
int ncz_claim_drop(zmap *map, char **claim); /* the dataset is complete */
/* The dataset stays incomplete, and has no writer any more. */
void ncz_claim_abandon(zmap *map, char **claim);
int  ncz_claim_check_free(zmap *map, const char *path); /* NC_EEXIST: a running process is creating a dataset there */
bool ncz_claim_is_key(const char *key);
/* Opening found no dataset (`rc`, recorded). Improves the error text if one is being created, or was left incomplete:
 * *begun, unless NULL. */
int ncz_claim_explain(zmap *map, const char *path, int rc, bool *begun);

/* *open: a session whose writer may be running is creating the dataset. */
int ncz_claim_is_open(zmap *map, bool *open);

/* ---- root documents of a dataset that is published at close (dataset_publish.c) ------------------------- */

const char *ncz_deferred_key(const char *key);        /* the hidden name of a root document; else `key` itself */
const char *ncz_deferred_final_key(const char *held); /* the reverse; `held` itself if it is not a hidden name */
bool        ncz_deferred_is_key(const char *key);
/* Gives the root's documents their final names. The one that makes the dataset visible comes last. */
int ncz_deferred_publish(zmap *map, const ncz_dialect_ops *d, bool durable);
/* True if the document that makes a dataset visible exists under its hidden name. */
bool ncz_deferred_is_there(zmap *map);
bool ncz_deferred_is_closed(zmap *map); /* only under its final one */

/* ---- documents as stored: key -> bytes ------------------------------------------------------------------------- */

typedef struct ncz_cached_doc {
    char  *key, *text;
    size_t len;
} ncz_cached_doc;

typedef struct ncz_doc_cache {
    ncz_names       index;
    ncz_cached_doc *v;
    size_t          n, cap;
} ncz_doc_cache;

#define NCZ_DOC_CACHE_INIT ((ncz_doc_cache){NCZ_NAMES_INIT, NULL, 0, 0})

bool ncz_doc_cache_same(const ncz_doc_cache *s, const char *key, const char *text, size_t len);
/* Records a document's bytes. Without memory the entry is removed, so that the next flush stores the document
 * again. */
void ncz_doc_cache_set(ncz_doc_cache *s, const char *key, const char *text, size_t len);
void ncz_doc_cache_forget(ncz_doc_cache *s, const char *key);
void ncz_doc_cache_clear(ncz_doc_cache *s);

/* ---- the source of documents for ncz_dialects_load() (dataset_meta_source.c) ------------------------------------ */

/* How a load uses the consolidated document. */
typedef enum ncz_consolidated {
    NCZ_CONSOLIDATED_USE,    /* if it is present and valid, and was not written unasked */
    NCZ_CONSOLIDATED_MUST,   /* it must be present; nothing else is fetched */
    NCZ_CONSOLIDATED_KNOW,   /* for a writer: only its presence and its mark are determined */
    NCZ_CONSOLIDATED_IGNORE, /* not fetched */
} ncz_consolidated;

typedef struct ncz_meta_source {
    zmap                  *map; /* NULL: not initialised */
    const ncz_limits      *limits;
    ncz_doc_cache         *stored;   /* receives the bytes of each document; NULL: not needed */
    ncz_texts             *warnings; /* receives what is passed over; NULL: not needed */
    pthread_mutex_t        lock;     /* guards *stored while workers fetch */
    ncz_consolidated       wish;
    bool                   root_deferred; /* the root's documents have hidden names until close */
    bool                   begun;         /* the root's documents were requested */
    bool                   enough;        /* the first of them sufficed: the others were not requested */
    bool                   copies;        /* NCZ_CONSOLIDATED_KNOW, once begun: the document exists */
    bool                   unasked;       /* and has the mark of one that was written unasked */
    bool                   root_known;    /* the root's first document was requested with the copies: `root` is it */
    ncz_buf                root;          /* empty: it does not exist */
    ncz_buf                body;          /* the consolidated document's bytes */
    ncz_json_reader       *reader;        /* its parser */
    const ncz_json        *metadata;      /* its copies, which then answer all requests; or NULL */
    const ncz_dialect_ops *inside;        /* whose root's document holds the copies; NULL: they have their own */
    atomic_bool            unsound;       /* one of the copies could not be parsed */
} ncz_meta_source;

/* `zarr_format`: of the dialects in which to look for copies; 0: all. */
int ncz_meta_source_init(ncz_meta_source *s, zmap *map, const ncz_limits *limits, ncz_consolidated copies,
                         int zarr_format, ncz_doc_cache *stored, ncz_texts *warnings);
/* Reads those documents of the root that were not needed, where that is cheap, and notes what is wrong with them. */
int      ncz_meta_check_unneeded(ncz_meta_source *s, const ncz_dialect_ops *dialect);
ncz_docs ncz_meta_source_docs(ncz_meta_source *s);
void     ncz_meta_source_clear(ncz_meta_source *s);

/* Logs this thread's error as a warning, with what is done instead, and notes it. The error is cleared. */
int ncz_meta_pass_over(ncz_texts *warnings, const char *instead);

/* ---- loading the metadata (dataset_lazy_load.c) ---------------------------------------------------------------- */

typedef struct ncz_load ncz_load;

int ncz_load_root(ncz_dataset *ds, const ncz_load_opts *wish, ncz_consolidated copies);
/* After root, before rest. *unasked: it was written unasked. */
bool ncz_load_has_consolidated(const ncz_dataset *ds, bool *unasked);
/* In place of the rest: the paths of all groups and variables. *listed: the dataset names them, by NCZarr's lists or by
 * consolidated metadata; else they were found. */
int  ncz_load_names(ncz_dataset *ds, ncz_names *names, bool *listed);
bool ncz_load_has_lists(const ncz_dataset *ds); /* NCZarr's; after root, before rest */
int  ncz_load_rest(ncz_dataset *ds);            /* exclusive; a second call returns the first result */
void ncz_load_drop(ncz_dataset *ds);

/* ---- the dataset ----------------------------------------------------------------------------------------------- */

/* The progress of a dataset, which only moves forward. */
typedef enum ncz_dataset_state {
    NCZ_DATASET_NEW,        /* created by this session; no document is stored yet */
    NCZ_DATASET_DOCUMENTED, /* created by this session; documents stored, never flushed */
    NCZ_DATASET_STORED,     /* the store holds a completely flushed dataset */
    NCZ_DATASET_CLOSED,
} ncz_dataset_state;

/* The owner of a dataset's store, and what close does with the store. */
typedef enum ncz_dataset_home {
    NCZ_HOME_CALLER,  /* a store that the caller opens and closes */
    NCZ_HOME_PATH,    /* opened from a path; discarding it discards this session's objects */
    NCZ_HOME_BLOCK,   /* one block of memory, which the caller can take */
    NCZ_HOME_PERSIST, /* memory, whose contents close stores at `path` */
} ncz_dataset_home;

/* What a session does with unlimited dimensions that other processes may extend, too (dataset_growth.c). */
enum { NCZ_GROWTH_CLEARS = 1, NCZ_GROWTH_WAITS = 2, NCZ_GROWTH_GROWS = 4 };

typedef struct ncz_growth {
    unsigned states;        /* the NCZ_GROWTH_ states that this session has put */
    char    *id;            /* of its objects; NULL: not made yet */
    bool     unlisted;      /* the store cannot be listed, so there are no such objects */
    bool     unconditional; /* the store refuses conditional puts of documents */
} ncz_growth;

/* The ranks that share a dataset, as one of them has it: begins what src/par has of it. */
typedef struct ncz_ranks {
    void (*free)(struct ncz_ranks *r);
} ncz_ranks;

/* Where the data of a dataset that is one file lie while it gets new definitions: `n` variables had a place. */
typedef struct ncz_file_places {
    ncz_extent *v; /* NULL: none are being made */
    size_t      n;
    uint64_t    nrecords;
} ncz_file_places;

/* What a session has of a dataset that is one file. */
typedef struct ncz_file_state {
    ncz_buf         head;        /* as stored */
    bool            stale;       /* that, since definitions may have changed: it has more than other records */
    ncz_file_places before;      /* what an nc_enddef() that failed has not moved yet */
    uint64_t        filled;      /* records that are there, with fill values where nothing is put */
    bool            shown_early; /* it has its name from the first nc_enddef() on, else from a sync on */
} ncz_file_state;

/* What a session has of a netCDF-4 file that it writes. */
typedef struct ncz_nc4_arrays ncz_nc4_arrays;
typedef struct ncz_nc4_state {
    ncz_nc4_arrays *arrays;
    uint64_t        front;       /* bytes in front that are left to the metadata, in a new file */
    uint64_t        image;       /* bytes of the last commit's metadata */
    bool            defined;     /* define mode has ended once */
    bool            committed;   /* by this session */
    bool            unsynced;    /* the last commit was made without waiting for the disk */
    bool            never_reuse; /* room that was given up */
    bool            locks;       /* readers are seen by their locks */
    bool            fits;        /* `front` is chosen, as long as there are no data */
    bool            knows_free;  /* of a file that was there: which room is free */
} ncz_nc4_state;

/* Commits that nobody asks for: a put makes one if the last is so long ago. */
typedef struct ncz_commit_clock {
    int64_t      interval; /* milliseconds; 0: there are none */
    atomic_llong last;     /* when the last began */
} ncz_commit_clock;

struct ncz_dataset {
    ncz_rwlock       *lock; /* its own, or one that outlives it */
    ncz_rwlock        own_lock;
    zmap             *map;
    ncz_engine       *engine;
    ncz_model        *model;
    ncz_load         *load;     /* only the root is loaded; NULL: all is in the model */
    ncz_err           unloaded; /* why loading the rest failed */
    ncz_format_opts   style;
    ncz_limits        limits;
    uint64_t          cache_asked; /* sum of the cache bytes requested for variables */
    ncz_doc_cache     stored;      /* empty on read-only datasets */
    ncz_file_state    file;
    ncz_nc4_state     nc4;
    ncz_commit_clock  clock;    /* `last` is changed under the exclusive lock */
    ncz_texts         warnings; /* what was passed over while the documents were read; then unchanged */
    ncz_key_list      leftover; /* objects of an old name, deleted after a flush has stored the new one */
    char             *path;     /* for error texts */
    char             *given;    /* as the caller wrote it, possibly with a secret; NULL: as `path` */
    int               mode;     /* NC_NETCDF4 and the caller's flags */
    ncz_dataset_state state;
    ncz_dataset_home  home;
    bool              writable, classic, durable;
    bool         verbatim;  /* NCZARR_VERBATIM: names are the store's, and a reader keeps the documents' spelling */
    bool         lax_bytes; /* see ncz_dataset_lax_bytes() */
    atomic_uint  appends;   /* puts that are going to be exclusive, since one of the last made a dimension longer */
    bool         created;   /* by this session: the store holds nothing from earlier sessions */
    bool         defining;  /* in define mode */
    bool         root_deferred; /* the root's documents have hidden names until close */
    bool         no_copies;     /* consolidated=no: never write consolidated metadata unasked */
    bool         copies_first;  /* this flush puts consolidated metadata before the other documents */
    char        *claim;         /* the claim of a new dataset until its commit; or NULL */
    int          cmode;         /* the flags of the creation; 0 if opened */
    ncz_key_list loaded;        /* NCZ_HOME_PERSIST, opened: the keys at `path` */
    ncz_err      failed;        /* a failed fsync or a lost claim: final */
    zmap        *documents;     /* the store to load documents from; NULL: `map` */
    ncz_growth   growth;
    ncz_ranks   *ranks; /* NULL: the dataset is this process's alone */
    ncz_view    *view;  /* NULL: what is stored is seen as it is */

    const ncz_session_ops *kind; /* what the session does; set once the dialect is known */
};

/* True if this session created the dataset, and has not flushed it completely yet. */
static inline bool
ncz_dataset_is_new(const ncz_dataset *ds)
{
    return ds->state == NCZ_DATASET_NEW || ds->state == NCZ_DATASET_DOCUMENTED;
}

/* Sets what follows from the model being classic or not. The style is set. */
void ncz_dataset_set_classic(ncz_dataset *ds, bool classic);

/* Makes an open dataset over a store, whose reference it takes only on success. Its model is new and empty. */
int  ncz_dataset_new(zmap *map, const ncz_limits *limits, ncz_dataset **out);
void ncz_dataset_release(ncz_dataset *ds); /* frees all but the lock, the struct and the store */

/* The dialect of a new dataset at the target. */
const ncz_dialect_ops *ncz_dataset_choose_dialect(const ncz_target *t);
bool                   ncz_name_is_file(const char *path); /* it ends as names of files do that are a dataset */

/* Copies all objects (dataset_persist.c), and lists their keys. `compare`: only those that are absent or different. */
int ncz_store_copy(zmap *from, zmap *to, bool compare, ncz_key_list *keys);
/* Stores a dataset of memory at its path. */
int ncz_documents_persist(ncz_dataset *ds);

/*
 * Opens a dataset's store from a target (dataset_store.c). An unsupported kind of store is NC_ENOTBUILT by name. At a
 * URL there may be objects below it or one object: ncz_store_is_one() says which is looked for.
 */
bool ncz_store_is_one(const ncz_target *t);
/* Whether a plain file is a dataset by itself: its first bytes say so (dataset_one_object.c). */
bool ncz_store_is_file(const char *path);
/* Opens one; of another one the error names the format. */
int ncz_store_open_file(const char *path, bool writable, zmap **out);
/* One that can be changed: a copy of its bytes in memory. */
int ncz_store_open_copy(const void *bytes, size_t len, zmap **out);
/* The entry of an archive that is a dataset by itself: its only one, or the one that zip.prefix names. NC_ENOTNC,
 * without a text: there is no such entry. */
int ncz_store_open_entry(const ncz_target *t, zmap **out);
int ncz_store_open(const ncz_target *t, bool writable, zmap **out);
int ncz_store_create(const ncz_target *t, int cmode, zmap **out);
int ncz_store_create_claimed(const ncz_target *t, int cmode, zmap **out, char **claim); /* see dataset_claim.c */
int ncz_store_remove(const ncz_target *t);
int ncz_store_check_vacant(const ncz_target *t, int cmode); /* NC_EEXIST: occupied, with NC_NOCLOBBER */
/* Create an archive in a block of memory, or open one, or a file that is a dataset. Opening takes a block that is not
 * locked, on success. */
int ncz_store_create_block(const ncz_target *t, size_t room, zmap **out);
int ncz_store_open_block(const ncz_target *t, void *block, size_t len, bool locked, zmap **out);
int ncz_store_take_block(zmap *map, void **block, size_t *len); /* as ncz_zip_mem_take() */

/* NC_ENOTNC: the file is not an archive. The text names its format, and how to convert it
 * (dataset_one_object.c). */
int ncz_fail_other_format(const char *path);

/* ncz_store_open() and its like for buckets and web servers (dataset_remote_store.c). */
bool ncz_remote(const ncz_target *t);
int  ncz_remote_open(const ncz_target *t, bool writable, zmap **out);
int  ncz_remote_create(const ncz_target *t, zmap **out); /* NC_EEXIST: there are objects */
int  ncz_remote_create_claimed(const ncz_target *t, int cmode, zmap **out, char **claim);
int  ncz_remote_remove(const ncz_target *t);
/* A netCDF-4 file in a bucket (dataset_remote_file.c), to be made, or to be changed: *out stays NULL if the object is
 * none, or absent. */
int ncz_remote_create_file(const ncz_target *t, int cmode, zmap **out);
int ncz_remote_open_file(const ncz_target *t, zmap **out);
/* *is: the object itself is there. Whether nc_delete() may delete it (`removes`: it is deleted): NC_ENOTNC if it is no
 * netCDF file. */
int ncz_remote_file_removable(const ncz_target *t, bool removes, bool *is);

/* Opening found no dataset (`rc`, recorded). Returns a better error: what is at the place (dataset_missing.c). */
int ncz_store_missing(const ncz_target *t, zmap *map, int rc);

/* What replacing or deleting the dataset at a place would remove: *n objects. Errors: those of nc_delete(). */
int ncz_store_removable(const ncz_target *t, size_t *n);
int ncz_remote_removable(const ncz_target *t, size_t *n);
/* Where the path of a directory or file is a link: the target gets the path that it leads to. */
int ncz_store_follow(ncz_target *t);

/* The changes of a dataset of documents (dataset_session.h). */
int ncz_documents_rename_var(ncz_dataset *ds, ncz_var *v, const char *name);
int ncz_documents_rename_group(ncz_dataset *ds, ncz_group *g, const char *name);
/* Whether the store can hold a node of `g` under another name. */
int ncz_documents_check_name(const ncz_dataset *ds, const ncz_group *g, const char *from, const char *name);
int ncz_documents_begin_fill(ncz_dataset *ds, ncz_var *v, ncz_fill_mode mode, const void *fill);
int ncz_documents_end_fill(ncz_dataset *ds, ncz_var *v);
int ncz_documents_widen(ncz_dataset *ds, ncz_var *v, size_t need);
/* Takes a larger width over that another process has stored. */
int ncz_documents_follow_width(ncz_dataset *ds, ncz_var *v);

/* Deletes the chunks below a variable's key. */
int ncz_dataset_sweep_chunks(ncz_dataset *ds, const ncz_var *v);

/* ---- rows of characters as texts (dataset_text_rows.c) ---------------------------------------------------------- */

/* As ncz_dataset_set_chain(), of characters: the codec for rows is added where it fits. */
int ncz_dataset_rows_set_chain(ncz_dataset *ds, ncz_var *v, ncz_chain *chain);
/* Around a change of how a variable is stored: without the codec for rows, and with it again where it fits then. */
int ncz_dataset_rows_drop(ncz_dataset *ds, ncz_var *v);
int ncz_dataset_rows_fit(ncz_dataset *ds, ncz_var *v);
/* After another variable was added, was taken back, or has another name, as after dimensions have: for those that are
 * still being defined and that the store does not have. */
int ncz_dataset_rows_added(ncz_dataset *ds, const ncz_var *v);
int ncz_dataset_rows_changed(ncz_dataset *ds);

/* For the log (dataset_log.c): a dataset that was opened or created; what its documents say, and where they come from;
 * and what it asked of its store. */
void ncz_dataset_log_open(const ncz_dataset *ds, const ncz_target *t);
void ncz_dataset_log_load(const ncz_dataset *ds, const ncz_meta_source *from);
/* The definitions of this define mode are final. */
void ncz_dataset_log_defined(const ncz_dataset *ds);
void ncz_dataset_log_close(const ncz_dataset *ds);

/* Checks the key of a group or variable: NC_EBADNAME, NC_EMAXNAME. */
int ncz_dataset_check_key(const ncz_dataset *ds, const char *key);

/* Flushes under the exclusive lock, in the order of dataset_flush.c. `all`: plan every document, not only the dirty
 * ones. */
int ncz_dataset_flush(ncz_dataset *ds, bool all);
/* The documents, with all that follows; the data are stored. */
int ncz_dataset_store_documents(ncz_dataset *ds, bool all);
/* Puts a new dataset's documents when define mode ends, before its first chunk, so that the definitions survive if
 * the writer dies. `again`: also those that changed since. A dataset committed before waits for the flush. */
int ncz_dataset_documents_first(ncz_dataset *ds, bool again);
/* Stores everything that changed, for a variable's sake. A dataset that was never committed stays so. */
int ncz_dataset_store_state(ncz_dataset *ds, const ncz_var *v);
int ncz_dataset_put_documents(ncz_dataset *ds, bool all); /* the changed ones, or all; dirty marks stay */
/* NC_EEXIST, which is final: another writer has replaced the claim of a new dataset. */
int ncz_dataset_check_claim(ncz_dataset *ds);
int ncz_dataset_commit(ncz_dataset *ds);        /* makes flushed objects visible, on stores that commit */
int ncz_dataset_drop_leftover(ncz_dataset *ds); /* deletes ds->leftover */

/* Rounds `n` elements of NC_FLOAT or NC_DOUBLE in place; those equal to `fill` stay (dataset_quantize.c). `place`:
 * the index of the first element in the whole put. */
void ncz_dataset_quantize(int mode, int nsd, const ncz_type *type, void *data, size_t n, const void *fill,
                          uint64_t place);

/* Marks the unlimited dimensions whose stored chunks may exceed the recorded length: all, when opened for writing
 * (dataset_grow.c). */
void ncz_dataset_note_lengths(ncz_dataset *ds);

/* ---- growth of unlimited dimensions by processes that know nothing of each other (dataset_growth.c) ------------ */

bool ncz_growth_is_key(const char *key);
/* True if other processes may grow the dataset, too, so that this session must join before it does. */
bool ncz_growth_is_needed(const ncz_dataset *ds);
/* Waits until nobody clears. Then this session may put chunks beyond the lengths, until it leaves. */
int ncz_growth_join(ncz_dataset *ds);
/* Waits until nobody clears. *alone: nobody else grows, and others wait until this session, which now clears, joins.
 * NC_EOBJECT: the other one took too long. */
int ncz_growth_begin_clear(ncz_dataset *ds, bool *alone);
/* This session does not clear after all. These two keep the thread's error text. */
void ncz_growth_cancel_clear(ncz_dataset *ds);
void ncz_growth_leave(ncz_dataset *ds);

/* True if other processes may have extended the dimensions, or widened strings (dataset_lengths.c). */
bool ncz_lengths_are_shared(const ncz_dataset *ds);
/* Reads the documents again. Unlimited dimensions get the lengths in the store if those are larger than ours, and
 * strings the widths. */
int ncz_lengths_merge(ncz_dataset *ds);
/* True if nc_sync() looks for what other processes have stored: NC_SHARE. */
bool ncz_lengths_are_watched(const ncz_dataset *ds);
/* As ncz_lengths_merge(), also for a reader. */
int ncz_lengths_refresh(ncz_dataset *ds);
int ncz_dataset_clear_beyond(ncz_dataset *ds, ncz_dim *d); /* before writing chunks beyond its length */

/* dataset_list_chunks.c, dataset_list_shards.c */
bool ncz_dataset_is_inside(const ncz_var *v, const uint64_t *shape,
                           const uint64_t *index); /* the chunk begins in it */
/* Lists the chunks of `n` objects, given by their places in the grid of objects. After a failure *out is empty. */
int ncz_dataset_expand_objects(ncz_dataset *ds, const ncz_var *v, const uint64_t *shape, const uint64_t *objects,
                               size_t n, ncz_stored_chunks *out);

/* Finishes what a writer that died has begun (dataset_widen.c): for all variables, when opened for writing. */
void ncz_dataset_resume_widenings(ncz_dataset *ds);
/* Strings of a fixed width, which may grow. */
bool ncz_dataset_has_width(const ncz_dataset *ds, const ncz_var *v);
/* Gives the strings a width that the store has, unless theirs is larger. `widening`: as in the stored document. Under
 * the exclusive lock, like the other two. */
int  ncz_dataset_take_width(ncz_dataset *ds, ncz_var *v, const ncz_string_width *theirs);
bool ncz_dataset_has_followed(const ncz_dataset *ds); /* a variable that other processes may widen, too */
/*
 * ncz_engine_flush() for a dataset whose strings other processes may widen: stores chunks of strings at the width of
 * the stored document.
 */
int ncz_dataset_flush_chunks(ncz_dataset *ds, uint64_t uid);

/* After a put: expects others like it. `alone`: it had to be exclusive. */
void ncz_dataset_note_put(ncz_dataset *ds, bool alone);

/* As ncz_engine_write(), for a quantized variable (dataset_quantized_write.c). */
int ncz_dataset_put_quantized(ncz_dataset *ds, const ncz_var *v, const ncz_plan *plan, const void *in);

#endif /* NCZ_DATASET_INT_H */
