/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset: the life of an open dataset: create, open, define, put and get, flush, close, abort; its lock and its
 * limits. The only room that knows both documents and chunks.
 *
 * Threads: a dataset has one reader-writer lock. ncz_dataset_begin() takes it, and says whether the call may go on at
 * all; ncz_dataset_end() lets it go. The model is looked at and changed only in between. Lock order: dataset, then
 * the chunk cache, then a chunk. A dataset is freed with its last reference; once closed, begin() is NC_EBADID.
 */
#ifndef NCZ_DATASET_H
#define NCZ_DATASET_H

#include "chunk/chunk.h"
#include "format/format.h"
#include "model/model.h"
#include "util/util.h"
#include "zmap/zmap.h"

typedef struct ncz_dataset ncz_dataset;

/* ---- life -------------------------------------------------------------------------------------------------------
 *
 * `path` is what nc_create() and nc_open() take, the modes are netCDF's flags. `limits` NULL: the defaults. Errors
 * are theirs; see nczarr.h. One reference is the caller's.
 */
int ncz_dataset_create(const char *path, int cmode, const ncz_limits *limits, ncz_dataset **out);
int ncz_dataset_open(const char *path, int omode, const ncz_limits *limits, ncz_dataset **out);

/* The same over a map of the caller's, of which a reference is taken. `mode`: a URL's fragment, or NULL. */
int ncz_dataset_create_map(zmap *map, const char *mode, int cmode, const ncz_limits *limits, ncz_dataset **out);
int ncz_dataset_open_map(zmap *map, const char *mode, int omode, const ncz_limits *limits, ncz_dataset **out);

/* The store at `path` alone, of whatever it holds; a reference is the caller's. NC_ENOOBJECT, NC_EEXIST as above. */
int ncz_dataset_store(const char *path, zmap_open_how how, zmap **out);

/* The same in one block of memory, which is a zip archive. `room`: bytes to begin with. A block that is not `locked` is
 * taken on success, and must be malloc's; a locked one is only read. */
int  ncz_dataset_create_mem(const char *path, int cmode, size_t room, const ncz_limits *limits, ncz_dataset **out);
int  ncz_dataset_open_mem(const char *path, int omode, void *block, size_t len, bool locked, const ncz_limits *limits,
                          ncz_dataset **out);
bool ncz_dataset_in_block(const ncz_dataset *ds);
/* Closes it (as ncz_dataset_close()) and gives the block: the caller's, for free(), unless it was locked. */
int ncz_dataset_close_mem(ncz_dataset *ds, void **block, size_t *len);

/* Removes the dataset at `path`, or what a writer left there that died, with everything below it. NC_ENOTNC when it is
 * not recognisably one, NC_EEXIST when it holds anything that no dataset does (the text names it), or a running process
 * is making it; then nothing is touched. */
int ncz_dataset_delete(const char *path);

/* Both always release what the dataset holds, wait for calls that are under way, and return the first failure. The
 * caller's reference stays his: unref it. */
int ncz_dataset_close(ncz_dataset *ds); /* stores everything first */
int ncz_dataset_abort(ncz_dataset *ds); /* stores nothing; a dataset not committed since its creation is removed */

ncz_dataset *ncz_dataset_ref(ncz_dataset *ds);
void         ncz_dataset_unref(ncz_dataset *ds);

/* ---- one call's stay ------------------------------------------------------------------------------------------- */

typedef enum ncz_use {
    NCZ_USE_LOOK,      /* inquire or get: shared */
    NCZ_USE_PUT,       /* put data that change neither model nor define mode: shared. See ncz_dataset_put_alone() */
    NCZ_USE_PUT_ALONE, /* put data: exclusive; leaves define mode */
    NCZ_USE_DEFINE,    /* new dimensions, variables, groups; their definitions: exclusive; enters define mode */
    NCZ_USE_TUNE,      /* settings of this session, kept beside the model: exclusive, also on read-only datasets */
    NCZ_USE_CHANGE,    /* attributes and names: exclusive; the caller knows the classic model's rules for it */
} ncz_use;

/*
 * NC_EBADID closed; NC_EPERM the use writes and the dataset is read-only; classic model: NC_ENOTINDEFINE to define,
 * NC_EINDEFINE to put. Nothing is held after a failure. A dataset whose fsync failed still lets itself be looked at;
 * see flush.
 */
int ncz_dataset_begin(ncz_dataset *ds, ncz_use use);
/* Ends it. `rc` is the call's own result, returned as it stands: only a call that succeeded changes the define
 * mode. */
int ncz_dataset_end(ncz_dataset *ds, ncz_use use, int rc);

/* Between begin and end. */
ncz_model  *ncz_dataset_model(const ncz_dataset *ds);
bool        ncz_dataset_classic(const ncz_dataset *ds); /* NC_CLASSIC_MODEL */
bool        ncz_dataset_defining(const ncz_dataset *ds);
bool        ncz_dataset_writable(const ncz_dataset *ds);
const char *ncz_dataset_path(const ncz_dataset *ds); /* as the caller gave it */
int         ncz_dataset_mode(const ncz_dataset *ds); /* mode flags, for nc_inq_format_extended() */
zmap       *ncz_dataset_map(const ncz_dataset *ds);  /* borrowed */

/*
 * The chunks of a variable that are stored: *n indices of max(rank, 1) numbers each (a scalar's is 0), in fresh
 * memory and in no particular order. Lists the map: of S3 a request for a thousand chunks. Where the map cannot list, a
 * request for each chunk of the grid; NC_ENOTBUILT when those are more than some millions.
 */
int ncz_dataset_list_chunks(ncz_dataset *ds, const ncz_var *v, uint64_t **index, size_t *n);

/* ---- whole-dataset calls: they take the lock themselves -------------------------------------------------------- */

int ncz_dataset_stats(ncz_dataset *ds, zmap_stats *out); /* of its map; nothing is loaded for it */
int ncz_dataset_redef(ncz_dataset *ds);                  /* NC_EINDEFINE, NC_EPERM */
int ncz_dataset_enddef(
    ncz_dataset
        *ds); /* NC_ENOTINDEFINE; makes the variables' definitions final. Of a new dataset the documents are put */

/*
 * The commit, durable unless the dataset was opened with durability=none. NC_EINDEFINE in the classic model's define
 * mode. In an order that leaves a readable dataset behind after a crash at any point; dataset_flush.c has the steps.
 * Read-only: drops what was read ahead, and nothing else.
 */
int ncz_dataset_sync(ncz_dataset *ds);

/* ---- data: between begin and end ------------------------------------------------------------------------------- */

/* Must this put be alone? It is the variable's first, makes a dimension longer, or ends define mode. */
bool ncz_dataset_put_alone(const ncz_dataset *ds, const ncz_var *v, const ncz_select *sel);

/* Where a chunk is (ncz_engine_locate); without `range` only its object's key counts, and nothing is asked for. */
int ncz_dataset_locate_chunk(ncz_dataset *ds, const ncz_var *v, const uint64_t *index, bool range, ncz_buf *key,
                             ncz_chunk_addr *where);

/* The selection lies within the current shape. Errors are ncz_engine_read()'s. */
int ncz_dataset_get(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem, void *out);
/* The selection may lie beyond the length of unlimited dimensions, which grow once the data are accepted. */
int ncz_dataset_put(ncz_dataset *ds, ncz_var *v, const ncz_select *sel, const ncz_type *mem, const void *in);

/* Makes an unlimited dimension longer; what becomes reachable reads as fill, whatever a writer that died left there.
 * Under NCZ_USE_PUT_ALONE. */
int ncz_dataset_grow_dim(ncz_dataset *ds, ncz_dim *d, uint64_t len);

/*
 * All variables share one cache. It has the bytes of the dataset's limit, or, where that is more, those that have
 * been asked for variables, together. Under NCZ_USE_TUNE.
 */
void ncz_dataset_reserve_cache(ncz_dataset *ds, ncz_var *v, size_t nbytes);

/* ---- definitions that touch more than the model: under NCZ_USE_DEFINE or NCZ_USE_CHANGE ------------------------ */

/* NC_EBADTYPE: the dataset's dialect cannot store variables or attributes of that type; `what` has it. Asked where they
 * are defined, so that a commit does not fail for it. */
int ncz_dataset_check_type(const ncz_dataset *ds, const ncz_type *type, const char *what);

/* As ncz_model_add_group(); NC_EBADNAME, NC_EMAXNAME when the map cannot keep the name as part of a key. */
int ncz_dataset_add_group(ncz_dataset *ds, ncz_group *parent, const char *name, ncz_group **out);

/* The same for ncz_model_add_var(), and removes chunks that an earlier session left under that name without a
 * document. */
int ncz_dataset_add_var(ncz_dataset *ds, ncz_group *g, const char *name, const ncz_type *type, size_t rank,
                        ncz_dim *const *dims, ncz_var **out);

/* As ncz_format_dtype_define() and _text(): the former under NCZ_USE_DEFINE. */
int ncz_dataset_define_dtype(ncz_dataset *ds, ncz_var *v, const char *dtype);
int ncz_dataset_dtype_text(const ncz_dataset *ds, const ncz_var *v, ncz_buf *out);

/*
 * Renames with the data: what is stored below the old key is copied below the new one, documents follow, and then the
 * old objects go; a crash in between leaves one complete dataset and at most objects that no document names. A commit
 * of its own when anything of the node is stored already: everything is flushed first.
 */
int ncz_dataset_rename_var(ncz_dataset *ds, ncz_var *v, const char *name);
int ncz_dataset_rename_group(ncz_dataset *ds, ncz_group *g, const char *name);

/* NC_EINVAL as nc_def_var_quantize(); sets the attribute too. */
/* As ncz_var_set_chain(), if the dataset's dialect has what the codecs make. NC_EBADTYPE. */
int ncz_dataset_set_chain(ncz_dataset *ds, ncz_var *v, ncz_chain *chain);

int ncz_dataset_set_quantize(ncz_dataset *ds, ncz_var *v, int mode, int nsd);

#endif /* NCZ_DATASET_H */
