/* SPDX-License-Identifier: BSD-3-Clause */
/* dataset, inside: the struct, the list of keys, what is known to be stored, the documents' source. */
#ifndef NCZ_DATASET_INT_H
#define NCZ_DATASET_INT_H

#include "dataset/dataset.h"

#include <pthread.h>
#include <stdatomic.h>

#include "uri/uri.h"

/* ---- a list of keys -------------------------------------------------------------------------------------------- */

typedef struct ncz_key_list {
    char **v;
    size_t n, cap;
} ncz_key_list;

#define NCZ_KEY_LIST_INIT ((ncz_key_list){NULL, 0, 0})

int  ncz_key_list_add(ncz_key_list *k, const char *prefix, const char *name); /* "prefix/name"; prefix may be "" */
int  ncz_key_list_walk(zmap *map, const char *prefix, ncz_key_list *out);     /* every object below prefix, sorted */
bool ncz_key_list_has(const ncz_key_list *k, const char *key);                /* in a sorted list */
int  ncz_key_list_del(zmap *map, const ncz_key_list *k);                      /* deletes the objects */
void ncz_key_list_clear(ncz_key_list *k);

/* ---- what of a map is a dataset's (dataset_ownership.c) --------------------------------------------------------------------- */

int ncz_owner_is_dataset(zmap *map, bool *out); /* do its root's documents say so? */
int ncz_owner_store_empty(zmap *map, bool *out);
/* All keys of a map that holds one dataset, or what a writer left that died, and nothing else. NC_EEXIST when it holds
 * anything else beside a dataset; `refusal` when it holds none. An empty map is no error. */
int  ncz_owner_all_keys(zmap *map, const char *what, int refusal, ncz_key_list *keys);
bool ncz_owner_is_document(const char *key); /* by its last segment */
bool ncz_owner_is_root_key(const char *key); /* the same, or a writer's claim */
/* Objects right below a variable's key that are chunks in its dialect. */
int ncz_owner_chunks_below(zmap *map, const ncz_dialect_ops *d, const char *prefix, ncz_key_list *out);

/* ---- who makes a new dataset (dataset_claim.c) ------------------------------------------------------------------------- */

/* Marks the place. *claim, for ncz_free(), stays NULL where none is needed. NC_EEXIST: another writer was faster, and
 * what is there is not ours. */
int ncz_claim_put(zmap *map, const char *path, char **claim);
/* The same for a session that continues what another left; it replaces a claim that nobody upholds. */
int  ncz_claim_renew(zmap *map, const char *path, char **claim);
int  ncz_claim_check(zmap *map, const char *path,
                     const char *claim);         /* NC_EEXIST: another writer has taken the place */
int  ncz_claim_drop(zmap *map, char **claim);    /* the dataset is there */
void ncz_claim_abandon(zmap *map, char **claim); /* it is not, and what is there stays: nobody writes it any more */
int  ncz_claim_check_free(zmap *map, const char *path); /* NC_EEXIST: a running process is making a dataset there */
bool ncz_claim_is_key(const char *key);
/* Opening found no dataset (`rc`, recorded). A text that says more where one is being made, or was. */
int ncz_claim_explain(zmap *map, const char *path, int rc);

/* ---- the root's documents of a dataset that is seen when it is closed (dataset_deferred_root.c) ----------------------------------- */

const char *ncz_deferred_key(const char *key); /* under which a document is kept until then; most: `key` itself */
const char *ncz_deferred_final_key(const char *held); /* back; `held` itself when it is no such key */
bool        ncz_deferred_is_key(const char *key);
/* Gives the documents of the root their own names, the one by which the dataset is seen last. */
int ncz_deferred_publish(zmap *map, const ncz_dialect_ops *d, bool durable);
/* Is the document there by which a dataset is seen, under its other name? */
bool ncz_deferred_is_there(zmap *map);

/* ---- documents as they stand in the map: key -> bytes ---------------------------------------------------------- */

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
/* Remembers; when there is no memory for it, forgets, so that the document is stored again the next time. */
void ncz_doc_cache_set(ncz_doc_cache *s, const char *key, const char *text, size_t len);
void ncz_doc_cache_forget(ncz_doc_cache *s, const char *key);
void ncz_doc_cache_clear(ncz_doc_cache *s);

/* ---- the documents' source for ncz_format_load() (dataset_meta_source.c) ------------------------------------------------------ */

/* What the consolidated document is to a load. */
typedef enum ncz_consolidated {
    NCZ_CONSOLIDATED_USE,    /* when it is there and sound */
    NCZ_CONSOLIDATED_MUST,   /* it must be there, and nothing else is asked for */
    NCZ_CONSOLIDATED_KNOW,   /* a writer's: only whether it is there */
    NCZ_CONSOLIDATED_IGNORE, /* not looked at */
} ncz_consolidated;

typedef struct ncz_meta_source {
    zmap             *map; /* NULL: not made */
    const ncz_limits *limits;
    ncz_doc_cache    *stored; /* gets the bytes of each document fetched; NULL: nobody wants them */
    pthread_mutex_t   lock;   /* guards *stored while workers fetch */
    ncz_consolidated  wish;
    bool              root_deferred; /* the root's documents have other names until the dataset is closed */
    bool              begun;         /* the root's documents were asked for */
    bool              copies;        /* NCZ_CONSOLIDATED_KNOW: there is a consolidated document, once begun */
    ncz_buf           body;          /* of it */
    ncz_json_reader  *reader;        /* its */
    const ncz_json   *metadata;      /* in it: then it alone answers; or NULL */
    atomic_bool       unsound;       /* a copy in it could not be parsed */
} ncz_meta_source;

int      ncz_meta_source_init(ncz_meta_source *s, zmap *map, const ncz_limits *limits, ncz_consolidated copies,
                              ncz_doc_cache *stored);
ncz_docs ncz_meta_source_docs(ncz_meta_source *s);
void     ncz_meta_source_clear(ncz_meta_source *s);

/* ---- loading what stands in the map (dataset_lazy_load.c) ------------------------------------------------------------------- */

typedef struct ncz_load ncz_load;

int  ncz_load_root(ncz_dataset *ds, const ncz_load_opts *wish, ncz_consolidated copies);
bool ncz_load_has_consolidated(const ncz_dataset *ds); /* between the two */
int  ncz_load_rest(ncz_dataset *ds);                   /* alone; again: what it gave the first time */
void ncz_load_drop(ncz_dataset *ds);

/* ---- the dataset ----------------------------------------------------------------------------------------------- */

/* How far a dataset has come. It only moves forward. */
typedef enum ncz_dataset_state {
    NCZ_DATASET_NEW,        /* created by this session; the store has no document of it yet */
    NCZ_DATASET_DOCUMENTED, /* created by this session; its documents were stored before its first chunk */
    NCZ_DATASET_STORED,     /* the store has a dataset that was flushed whole */
    NCZ_DATASET_CLOSED,
} ncz_dataset_state;

/* Who owns the store below a dataset, and what becomes of it at close. */
typedef enum ncz_dataset_home {
    NCZ_HOME_CALLER,  /* a store that the caller opened, and closes */
    NCZ_HOME_PATH,    /* opened from a path: discarding it discards what this session made */
    NCZ_HOME_BLOCK,   /* one block of memory, which can be taken out */
    NCZ_HOME_PERSIST, /* memory, whose contents are stored at `path` when the dataset is closed */
} ncz_dataset_home;

struct ncz_dataset {
    pthread_rwlock_t  lock;
    atomic_uint       refs;
    zmap             *map;
    ncz_engine       *engine;
    ncz_model        *model;
    ncz_load         *load;     /* the root is known, what is below is not; NULL: all of it is in the model */
    ncz_err           unloaded; /* why it is not */
    ncz_format_opts   style;
    ncz_limits        limits;
    uint64_t          cache_asked; /* bytes, for variables */
    ncz_doc_cache     stored;      /* empty on read-only datasets */
    ncz_key_list      leftover;    /* objects of an old name: deleted once a flush has stored the new one */
    char             *path;        /* what texts call it */
    char             *given;       /* as the caller wrote it, which may hold a secret; NULL: the same */
    int               mode;        /* NC_NETCDF4 and what was asked for */
    ncz_dataset_state state;
    ncz_dataset_home  home;
    bool              writable, classic, durable;
    bool              created;       /* by this session: nothing of an earlier one can be in the store */
    bool              defining;      /* in define mode */
    bool              root_deferred; /* the root's documents have other names until the dataset is closed */
    char             *claim;         /* on a new dataset's place, until it is committed; or NULL */
    int               cmode;         /* NCZ_HOME_PERSIST, of a new one: the mode that it was created with */
    ncz_key_list      loaded;        /* NCZ_HOME_PERSIST, of an old one: the keys that were at `path` */
    ncz_err           failed;        /* of an fsync: final */
};

/* Created by this session, and not stored whole yet. */
static inline bool
ncz_dataset_is_new(const ncz_dataset *ds)
{
    return ds->state == NCZ_DATASET_NEW || ds->state == NCZ_DATASET_DOCUMENTED;
}

/* An open dataset around a map, whose reference it takes on success only; its model is new and empty. */
int  ncz_dataset_new(zmap *map, const ncz_limits *limits, ncz_dataset **out);
void ncz_dataset_release(ncz_dataset *ds); /* all but the lock and the struct; the map is gone already */

/* A dataset on a map, which it takes on success only. */
int ncz_dataset_create_on(zmap *map, const ncz_target *t, const char *path, int cmode, const ncz_limits *limits,
                          ncz_dataset **out);
int ncz_dataset_open_on(zmap *map, const ncz_target *t, const char *path, int omode, const ncz_limits *limits,
                        ncz_dataset **out);
int ncz_dataset_check_create(int cmode); /* flags that cannot be had, or not together */
int ncz_dataset_check_open(int omode);

/* All of the dataset at the target, whose map cannot list, into an empty map (dataset_unlisted.c). */
int ncz_unlisted_copy(zmap *from, const ncz_target *t, const ncz_limits *limits, zmap *to);

/* NC_DISKLESS (dataset_diskless.c): a copy of what is at the target; and back, or there, at close. */
int ncz_diskless_open(const ncz_target *t, int omode, const ncz_limits *limits, ncz_dataset **out);
int ncz_diskless_persist(ncz_dataset *ds);

/* A dataset's map from a target (dataset_store.c). What cannot be had is NC_ENOTBUILT by name. */
int ncz_store_open(const ncz_target *t, bool writable, zmap **out);
int ncz_store_create(const ncz_target *t, int cmode, zmap **out);
int ncz_store_create_claimed(const ncz_target *t, int cmode, zmap **out, char **claim); /* see dataset_claim.c */
int ncz_store_remove(const ncz_target *t);
int ncz_store_check_vacant(const ncz_target *t, int cmode); /* NC_EEXIST: something is there, with NC_NOCLOBBER */
/* The same in a block of memory: an archive. Opening takes a block that is not locked, on success. */
int ncz_store_create_block(const ncz_target *t, size_t room, zmap **out);
int ncz_store_open_block(const ncz_target *t, void *block, size_t len, bool locked, zmap **out);

/* NC_ENOTNC: the file is no archive. The text names the format that it has, and how to convert it (dataset_other_format.c). */
int ncz_fail_other_format(const char *path);

/* The same for buckets and web servers (dataset_remote_store.c). */
bool ncz_remote(const ncz_target *t);
int  ncz_remote_open(const ncz_target *t, bool writable, zmap **out);
int  ncz_remote_create(const ncz_target *t, int cmode, zmap **out);
int  ncz_remote_remove(const ncz_target *t);
/* Opening found no dataset (`rc`, recorded): is there anything at all? A better failure if not. */
int ncz_remote_missing(const ncz_target *t, zmap *map, int rc);

int ncz_dataset_check_key(const ncz_dataset *ds,
                          const char        *key); /* of a group or variable: NC_EBADNAME, NC_EMAXNAME */

/* Flush under the exclusive lock, in the order of dataset_flush.c. `all`: plan every document, not only the dirty ones. */
int ncz_dataset_flush(ncz_dataset *ds, bool all);
/* Puts a new dataset's documents as define mode is left, before its first chunk: so what is defined survives a writer
 * that dies. `again`: those that changed since, too. A dataset that was committed before waits for the flush. */
int ncz_dataset_documents_first(ncz_dataset *ds, bool again);
int ncz_dataset_put_documents(ncz_dataset *ds, bool all); /* those that changed, or all; marks stay */
/* NC_EEXIST, finally: another writer has taken the place of a new dataset. */
int ncz_dataset_check_claim(ncz_dataset *ds);
int ncz_dataset_commit(ncz_dataset *ds); /* what was flushed becomes visible, on maps where it was not at once */
int ncz_dataset_drop_leftover(ncz_dataset *ds); /* its last step alone */

/* Rounds `n` elements of NC_FLOAT or NC_DOUBLE in place; those equal to `fill` stay (dataset_quantize.c). `place`: of the first
 * among all that are put. */
void ncz_dataset_quantize(int mode, int nsd, const ncz_type *type, void *data, size_t n, const void *fill,
                          uint64_t place);

/* What opening for writing found may be longer in the store than recorded (dataset_grow.c). */
void ncz_dataset_note_lengths(ncz_dataset *ds);
int  ncz_dataset_clear_beyond(ncz_dataset *ds, ncz_dim *d); /* before chunks beyond its length are written */

/* As ncz_engine_write(), for a quantized variable (dataset_quantized_write.c). */
int ncz_dataset_put_quantized(ncz_dataset *ds, const ncz_var *v, const ncz_plan *plan, const void *in);

#endif /* NCZ_DATASET_INT_H */
