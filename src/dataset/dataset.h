/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset: an open dataset: create, open, define, put and get, flush, close, abort; its lock and its limits. Only
 * this module knows both documents and chunks.
 *
 * Threads: a dataset has one reader-writer lock. ncz_dataset_begin() takes it and checks that the call is permitted;
 * ncz_dataset_end() releases it. The model is read and changed only in between. Lock order: dataset, then the chunk
 * cache, then a chunk. After closing, begin() returns NC_EBADID until the dataset is freed.
 */
#ifndef NCZ_DATASET_H
#define NCZ_DATASET_H

#include "chunk/chunk.h"
#include "dialects/dialects.h"
#include "model/model.h"
#include "util/rwlock.h"
#include "util/util.h"
#include "zmap/zmap.h"

typedef struct ncz_dataset     ncz_dataset;
typedef struct ncz_session_ops ncz_session_ops; /* dataset_session.h */

/* ---- places (creating and opening: open/open.h) ----------------------------------------------------------------- */

/* *overlap: the two paths of the file system are one place, or one is inside the other; neither need exist. A system
 * error if one cannot be looked at. */
int ncz_path_overlap(const char *a, const char *b, bool *overlap);
/* The same for a file that is an archive, whose temporary files count as the archive. */
int ncz_archive_overlap(const char *path, const char *archive, bool *overlap);
/*
 * *overlap: the stores say that the two places are one, or that one is inside the other: a new object of a random name
 * at the target is seen through the source. It is removed again. Where nothing is at a target of the file system that
 * could be seen, false. NC_EEXIST: the source cannot be asked, so that this stays open.
 */
int ncz_place_overlap(const char *source, const char *target, bool *overlap);

/* ---- close ------------------------------------------------------------------------------------------------------ */

/* Its store is one block of memory (open/open.h). */
bool ncz_dataset_in_block(const ncz_dataset *ds);
/* Closes the dataset (as ncz_dataset_close()) and returns its block. The caller frees the block with free(), unless
 * it was locked. */
int ncz_dataset_close_mem(ncz_dataset *ds, void **block, size_t *len);

/* Both always release what the dataset holds, wait for running calls, and return the first failure. The caller still
 * frees it. */
int ncz_dataset_close(ncz_dataset *ds); /* stores everything first */
int ncz_dataset_abort(ncz_dataset *ds); /* stores nothing; removes a dataset that was never committed */

void ncz_dataset_free(ncz_dataset *ds);

/* ---- begin and end of a call ---------------------------------------------------------------------------------- */

typedef enum ncz_use {
    NCZ_USE_LOOK,      /* inquire or get: shared */
    NCZ_USE_PUT,       /* put data without changing model or define mode: shared. See ncz_dataset_put_alone() */
    NCZ_USE_PUT_ALONE, /* put data: exclusive; leaves define mode */
    NCZ_USE_DEFINE,    /* new dimensions, variables, groups; their definitions: exclusive; enters define mode */
    NCZ_USE_TUNE,      /* session settings, not stored: exclusive, also on read-only datasets */
    NCZ_USE_CHANGE,    /* attributes and names: exclusive; the caller checks the classic model's rules */
    NCZ_USE_DELETE,    /* attributes that go: as NCZ_USE_CHANGE, but in the classic model as NCZ_USE_DEFINE */
} ncz_use;

/*
 * NC_EBADID: closed. NC_EPERM: the use writes, and the dataset is read-only. Classic model: NC_ENOTINDEFINE to
 * define (also a classic file that is read-only), NC_EINDEFINE to put. After a failure the lock is not held. After a
 * failed fsync a dataset can still be read; see flush.
 */
int ncz_dataset_begin(ncz_dataset *ds, ncz_use use);
/* Gives the dataset a lock that outlives it in place of its own; NULL: its own again. No call may be under way. */
void ncz_dataset_lock_with(ncz_dataset *ds, ncz_rwlock *lock);
/* With that lock shared: whether begin would have nothing to do for NCZ_USE_LOOK, so that end may follow. */
bool ncz_dataset_is_ready(const ncz_dataset *ds);
/* Before begin, without the lock: whether the last put made a dimension longer, so that the next one may, too, and is
 * better exclusive from the start. */
bool ncz_dataset_appends(const ncz_dataset *ds);
/* Ends the call. `rc` is the call's own result, returned unchanged: only a successful call changes the define
 * mode. */
int ncz_dataset_end(ncz_dataset *ds, ncz_use use, int rc);

/* Between begin and end. */
ncz_model *ncz_dataset_model(const ncz_dataset *ds);
void       ncz_dataset_define(ncz_dataset *ds);            /* a definition was made: enters define mode */
bool       ncz_dataset_classic(const ncz_dataset *ds);     /* NC_CLASSIC_MODEL, and classic files */
bool       ncz_dataset_is_verbatim(const ncz_dataset *ds); /* NCZARR_VERBATIM */
int        ncz_dataset_cdf(const ncz_dataset *ds);         /* the version of a classic file, 1, 2 or 5; 0: Zarr */
/* NC_BYTE and NC_UBYTE are converted without range check: as ncz_dataset_classic(), but not CDF-5. */
bool        ncz_dataset_lax_bytes(const ncz_dataset *ds);
bool        ncz_dataset_defining(const ncz_dataset *ds);
bool        ncz_dataset_writable(const ncz_dataset *ds);
const char *ncz_dataset_path(const ncz_dataset *ds); /* as the caller wrote it */
/* netCDF's numbers of its format; the flag is all mode flags, for nc_inq_format_extended(). */
ncz_netcdf_format ncz_dataset_netcdf_format(const ncz_dataset *ds);
bool              ncz_dataset_is_nczarr(const ncz_dataset *ds); /* NCZarr's own metadata are used */
zmap             *ncz_dataset_map(const ncz_dataset *ds);       /* borrowed */
/* Whether the store has consolidated metadata, or a flush will put them. */
int ncz_dataset_has_consolidated(const ncz_dataset *ds, bool *out);

/* What was damaged in the documents and passed over, when they were loaded. */
const ncz_texts *ncz_dataset_warnings(const ncz_dataset *ds);

/* Stored chunks: n indices of max(rank, 1) numbers each (a scalar's is 0), unordered. */
typedef struct ncz_stored_chunks {
    uint64_t *index;
    ncz_slot *ranges;  /* where they share objects, their ranges; else NULL */
    uint64_t *objects; /* where they share objects, the place of each one's object in their grid; else NULL */
    bool      in_file; /* each is one range of a dataset that is one file */
    size_t    n, cap;
} ncz_stored_chunks;

void ncz_stored_chunks_clear(ncz_stored_chunks *l);

/*
 * The stored chunks of a variable. The caller clears *out. Lists the store: on S3 one request for a
 * thousand objects, and one for each object that has an index. A store that cannot list gets a request for each object
 * of the grid; NC_ENOTBUILT beyond some millions of them.
 */
int ncz_dataset_list_chunks(ncz_dataset *ds, const ncz_var *v, ncz_stored_chunks *out);
/* Lists the stored objects in this way, each by the index of its first chunk. */
int ncz_dataset_list_objects(ncz_dataset *ds, const ncz_var *v, uint64_t **index, size_t *n);

/* ---- whole-dataset calls, which take the lock themselves ------------------------------------------------------- */

int ncz_dataset_stats(ncz_dataset *ds, zmap_stats *out); /* of its store; loads nothing */
int ncz_dataset_redef(ncz_dataset *ds);                  /* NC_EINDEFINE, NC_EPERM */
/* NC_ENOTINDEFINE. Makes the variables' definitions final, and puts the documents of a new dataset. */
/* `room`: for a dataset that is one file. */
int ncz_dataset_enddef(ncz_dataset *ds, const ncz_file_room *room);

/*
 * Commits, durably unless the dataset was opened with durability=none. NC_EINDEFINE in the classic model's define
 * mode. The order leaves a readable dataset after a crash at any point; dataset_flush.c lists the steps. Read-only:
 * discards what was read ahead, and nothing else.
 */
int ncz_dataset_sync(ncz_dataset *ds);

/* ---- data: between begin and end ------------------------------------------------------------------------------- */

/* True if this put needs exclusive access: it is the variable's first, extends a dimension, ends define mode, or is
 * collective. `sel` NULL: the selection is invalid. */
bool ncz_dataset_put_alone(const ncz_dataset *ds, const ncz_var *v, const ncz_select *sel);

/* Takes part in a collective put with the error that this rank has. Under NCZ_USE_PUT_ALONE. */
int ncz_dataset_put_failed(ncz_dataset *ds, ncz_var *v, int rc);

/* Locates a chunk (ncz_engine_locate). Without `range` only the object's key is set, and no request is made. */
int ncz_dataset_locate_chunk(ncz_dataset *ds, const ncz_var *v, const uint64_t *index, bool range, ncz_buf *key,
                             ncz_chunk_addr *where);

/*
 * A part of a variable whose values lie in another dataset: `count` elements from `start` on, what opens that dataset,
 * and its variable. `path` NULL: they are in no dataset.
 */
typedef int (*ncz_part_fn)(const uint64_t *start, const uint64_t *count, const char *path, const char *name,
                           void *arg);

/* An attribute that only aggregations in memory have, which join files: what a fragment says of packing, of signs, of
 * missing values and of units is what the aggregation says, so its values are those that are stored. */
#define NCZ_AGGREGATED_AS_STORED "aggregated_as_stored"

/*
 * The source of a variable's values that has no chunks (ncz_var.source). Any threads may get from it at once, each
 * between begin and end of a call.
 */
struct ncz_var_source {
    int (*get)(ncz_var_source *s, const ncz_select *sel, const ncz_type *mem, void *out);
    int (*list)(ncz_var_source *s, ncz_part_fn each, void *arg);
    /* Begins to load what a get needs. What fails is left to the get. */
    void (*prefetch)(ncz_var_source *s, const ncz_select *sel);
};

/*
 * What a reader sees in place of what is stored. The opening makes it, and the dataset frees it. `load`, once all
 * metadata are in the model, changes that; under the exclusive lock, or before others have the dataset. `free` comes
 * before the model's end. `take` gives the caller a dataset that it has open at that path, if nobody is using it; else
 * NULL; under NCZ_USE_LOOK.
 */
typedef struct ncz_view {
    int (*load)(struct ncz_view *view, ncz_dataset *ds);
    void (*set_missing)(struct ncz_view *view, ncz_missing how);
    ncz_dataset *(*take)(struct ncz_view *view, const char *path);
    void (*free)(struct ncz_view *view);
} ncz_view;

/* Adds one more to ncz_dataset_warnings(), and logs it; while it is loaded. */
int ncz_dataset_warn(ncz_dataset *ds, const char *text);

/* The selection is within the current shape. Errors are those of ncz_engine_read(). */
int ncz_dataset_get(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem, void *out);
/* Begins to load the chunks of a selection (ncz_engine_prefetch()). `mem`: as for a get. */
int ncz_dataset_prefetch(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem);

/* What values read as that a dataset of one file has lost, or that lie in a file that is not there. No effect where
 * nothing can be, or on one that is open to be written. Under NCZ_USE_TUNE. */
void ncz_dataset_set_missing(ncz_dataset *ds, ncz_missing how);
/* The view's `take`; NULL without one. */
ncz_dataset *ncz_dataset_take_open(ncz_dataset *ds, const char *path);

/* dataset_read_write.c: whether puts wait for the store (ncz_engine_write_behind()); `nbytes` 0: the cache's limit.
 * Under NCZ_USE_TUNE, like the last two. */
int  ncz_dataset_set_write(ncz_dataset *ds, bool behind, size_t nbytes);
void ncz_dataset_pending(ncz_dataset *ds, size_t *nbytes, size_t *nchunks); /* what is put and not stored */
int  ncz_dataset_begin_flush(ncz_dataset *ds); /* begins to store the chunks that are put */
int  ncz_dataset_wait(ncz_dataset *ds);        /* stores them; no documents */

/* The selection may exceed the length of unlimited dimensions, which grow once the data are accepted. */
int ncz_dataset_put(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem, const void *in);

int ncz_dataset_make_spec(ncz_dataset *ds, ncz_var *v); /* of the next one */
/* Before the spec of a variable is used, by a call that has found the variable in the model. NC_ENOMEM. */
static inline int
ncz_dataset_use_var(ncz_dataset *ds, ncz_var *v)
{
    return v->spec != NULL ? NC_NOERR : ncz_dataset_make_spec(ds, v);
}

/*
 * The same for elements that follow each other in a chunk that is in the cache, or in the file behind those that were
 * put last, whose check takes less time: `count` NULL means one element, `start` NULL all of the variable. `alone`:
 * under NCZ_USE_PUT_ALONE. False, or refused: nothing is read or put, or not all; then the functions above have to be
 * called, with everything that goes before them, and find what is wrong.
 */
bool        ncz_dataset_get_row(ncz_dataset *ds, const ncz_var *v, const size_t *start, const size_t *count,
                                const ncz_type *mem, void *out);
ncz_row_put ncz_dataset_put_row(ncz_dataset *ds, ncz_var *v, const size_t *start, const size_t *count,
                                const ncz_type *mem, const void *in, bool alone);

/* The attribute that asks for the width of fixed strings (0: of any length): of a variable; `v` NULL: of the root
 * group, which counts for all variables without one. Returns NULL if it is absent. */
const ncz_att *ncz_dataset_width_att(const ncz_dataset *ds, const ncz_var *v);
bool           ncz_dataset_is_width_att(const ncz_dataset *ds, const ncz_var *v, const char *name);

/* Sets the width as an attribute asks for it. NC_EBADTYPE: 0, and the dialect's style has fixed strings only. Under
 * NCZ_USE_DEFINE or NCZ_USE_CHANGE, before the definition is final. */
int ncz_dataset_set_width(ncz_dataset *ds, ncz_var *v, int nbytes);

/*
 * Checks the selected strings at `in`, of type `mem`, against the variable's width. *need: how many bytes the longest
 * needs, if the variable must be widened for it; else 0, and a log line if some are going to be cut.
 */
int ncz_dataset_check_width(const ncz_dataset *ds, const ncz_var *v, const ncz_select *sel, const ncz_type *mem,
                            const void *in, size_t *need);
/* Gives the strings of a variable room for `need` bytes. Flushes and commits like a rename. Under NCZ_USE_PUT_ALONE.
 * NC_ENOTBUILT: several ranks share the dataset; NC_EBADCHUNK: chunks would be too large. */
int ncz_dataset_widen(ncz_dataset *ds, ncz_var *v, size_t need);

/*
 * True if a get or put may have failed with `rc` because another process has widened strings. The thread's error stays.
 * Under any lock; then ncz_dataset_follow_widths() takes the new widths over, under NCZ_USE_TUNE or NCZ_USE_PUT_ALONE.
 */
bool ncz_dataset_widths_are_old(ncz_dataset *ds, int rc);
int  ncz_dataset_follow_widths(ncz_dataset *ds);

/* Extends an unlimited dimension. The new elements read as fill, even if a writer that died left data there. Under
 * NCZ_USE_PUT_ALONE. */
int ncz_dataset_grow_dim(ncz_dataset *ds, ncz_dim *d, uint64_t len);

/*
 * All variables share one cache. Its size is the dataset's limit, or the sum of the sizes requested for variables if
 * that is larger. Under NCZ_USE_TUNE.
 */
void ncz_dataset_reserve_cache(ncz_dataset *ds, ncz_var *v, size_t nbytes);

/* ---- definitions that touch more than the model: under NCZ_USE_DEFINE or NCZ_USE_CHANGE ------------------------ */

int ncz_dataset_zarr_format(const ncz_dataset *ds); /* the version of Zarr, as in its documents; 0: another format */
ncz_codec_spelling ncz_dataset_spelling(const ncz_dataset *ds); /* of codecs in its documents */

/* NC_EBADTYPE: the dataset's dialect cannot store variables or attributes of that type; the text names `what`.
 * Checked at definition, so that a commit does not fail later. */
int ncz_dataset_check_type(const ncz_dataset *ds, const ncz_type *type, const char *what);

/* As ncz_model_add_group(). NC_EBADNAME, NC_EMAXNAME: the store cannot hold the name as part of a key. */
int ncz_dataset_add_group(ncz_dataset *ds, ncz_group *parent, const char *name, ncz_group **out);

/* As ncz_model_add_var(), with these errors. Also removes chunks that an earlier session left under that name without a
 * document. */
int ncz_dataset_add_var(ncz_dataset *ds, ncz_group *g, const char *name, const ncz_type *type, size_t rank,
                        ncz_dim *const *dims, ncz_var **out);

/* As ncz_dialects_array_define(), from the document's text. NC_ENOTBUILT: another format, or an older dataset;
 * NC_EZARRMETA; NC_EBADNAME and NC_EMAXNAME as above. */
int ncz_dataset_add_array(ncz_dataset *ds, ncz_group *g, const char *name, const char *document, const char *names,
                          const ncz_type *type, size_t rank, ncz_dim *const *dims, ncz_var **out);

/* As ncz_model_drop_var(). NC_ENOMEM: it is removed, but rows of others were to become texts by that. */
int ncz_dataset_drop_var(ncz_dataset *ds, ncz_var *v);

/* As ncz_format_dtype_define() and _text(); the former under NCZ_USE_DEFINE. */
int ncz_dataset_define_dtype(ncz_dataset *ds, ncz_var *v, const char *dtype);
int ncz_dataset_dtype_text(const ncz_dataset *ds, const ncz_var *v, ncz_buf *out);

/*
 * Around a change of a variable's fill value, which may have data: elements that nobody wrote keep the value that they
 * read as, and the documents are stored with the new one. NC_ELATEFILL: there are too many such chunks, or several
 * ranks. Does nothing for a variable without data.
 */
int ncz_dataset_begin_fill(ncz_dataset *ds, ncz_var *v, ncz_fill_mode mode, const void *fill);
int ncz_dataset_end_fill(ncz_dataset *ds, ncz_var *v);

/*
 * Renames a node with its data: objects under the old key are copied to the new key, documents follow, and the old
 * objects are deleted last. A crash in between leaves one complete dataset, and at most objects that no document
 * names. If anything of the node is stored, the rename flushes everything first, and commits.
 */
int ncz_dataset_rename_var(ncz_dataset *ds, ncz_var *v, const char *name);
int ncz_dataset_rename_group(ncz_dataset *ds, ncz_group *g, const char *name);
int ncz_dataset_rename_dim(ncz_dataset *ds, ncz_dim *d, const char *name); /* in the model only */

/*
 * As ncz_var_set_chunks(), or with `beyond` as ncz_var_set_long_chunks(); and decides whether rows of characters are
 * texts, as all calls here do that change how chunks are stored.
 */
int ncz_dataset_set_chunks(ncz_dataset *ds, ncz_var *v, int storage, const uint64_t *chunk, bool beyond);
/* As ncz_var_set_chain(). NC_EBADTYPE: the dataset's dialect cannot store what the codecs produce. NC_ENOFILTER: it has
 * no form for a codec. */
int ncz_dataset_set_chain(ncz_dataset *ds, ncz_var *v, ncz_chain *chain);

/* As ncz_var_set_order(). NC_EFILTER: the dataset's dialect has no such order. */
int ncz_dataset_set_order(ncz_dataset *ds, ncz_var *v, const unsigned *order);

/* As ncz_var_set_shards(). NC_EINVAL: the dataset's dialect has no shards. */
int ncz_dataset_set_shards(ncz_dataset *ds, ncz_var *v, const uint64_t *shard);

/* NC_EINVAL as in nc_def_var_quantize(). Sets the attribute, too. */
int ncz_dataset_set_quantize(ncz_dataset *ds, ncz_var *v, int mode, int nsd);

#endif /* NCZ_DATASET_H */
