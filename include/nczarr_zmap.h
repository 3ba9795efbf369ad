/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczarr_zmap.h: the stores below datasets, as key-value maps. A map keeps a dataset's objects (its documents and
 * chunks) under their keys. A program can look at the objects of any store, make datasets over a map that it holds
 * itself (one in memory outlives the datasets made in it), and bring maps of its own: a database, an archive.
 *
 * Source: the zmap abstraction of the NCZarr specification. Results, errors and threads are those of nczarr.h.
 *
 * Keys      1 to 1024 bytes of UTF-8: segments joined by '/', no '/' at either end, no empty, "." or ".." segment, no
 *           control character, no backslash. (The specification's keys begin with '/': left out here.) A prefix is a
 *           key or "". Only leaves bear content: no object stands below another.
 * Errors    NC_EEMPTY the key has no content; NC_EOBJECT an object stands where none should; NC_ENOOBJECT a map that
 *           should exist does not; NC_EPERM the map is open for reading only; NC_EINVAL not a key, or a range beyond
 *           the object; NC_ENOTBUILT that kind of map cannot do it; and the system's.
 * Threads   Every function may be called on one map from several threads at once.
 */
#ifndef NCZARR_ZMAP_H
#define NCZARR_ZMAP_H

#include "nczarr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open map. Shared: each dataset opened over it holds its own reference beside the program's. */
typedef struct zmap nczarr_map;

/* A fresh, empty map in memory. NC_ENOMEM. */
NCZARR_API int nczarr_map_memory(nczarr_map **mapp);

/* The directory `dir` as a map. With `create` not 0 it must not exist or be empty (NC_EOBJECT) and its parent must
 * (NC_ENOOBJECT); else it must exist (NC_ENOOBJECT) and can be written to. */
NCZARR_API int nczarr_map_file(const char *dir, int create, nczarr_map **mapp);

/*
 * The store at `path`: whatever nc_open() takes. What is there need be no dataset. `how`: NCZARR_MAP_READ,
 * NCZARR_MAP_WRITE (it must exist, NC_ENOOBJECT) or NCZARR_MAP_CREATE (nothing may be there,
 * NC_EEXIST). Of the URL's fragment only what speaks of the store counts.
 */
#define NCZARR_MAP_READ   0
#define NCZARR_MAP_WRITE  1
#define NCZARR_MAP_CREATE 2
NCZARR_API int nczarr_map_open(const char *path, int how, nczarr_map **mapp);

/* Drops the program's reference. The map ends with the last dataset that uses it. NULL is fine. */
NCZARR_API int nczarr_map_close(nczarr_map *map);

/* What kind of map it is ("file", "memory", ...), as long as it is open; and what it can do: NCZARR_MAP_CAN_... */
NCZARR_API const char *nczarr_map_name(const nczarr_map *map);
NCZARR_API unsigned    nczarr_map_can(const nczarr_map *map);

#define NCZARR_MAP_CAN_WRITE 0x1u
#define NCZARR_MAP_CAN_LIST  0x2u /* nczarr_map_search() */
#define NCZARR_MAP_CAN_RANGE 0x4u /* reads a part of an object without reading all of it */
#define NCZARR_MAP_CAN_SYNC  0x8u /* nczarr_map_sync() makes objects durable */

/* ---- objects -------------------------------------------------------------------------------------------------- */

/* NC_NOERR when an object stands at `key`, else NC_EEMPTY. */
NCZARR_API int nczarr_map_exists(nczarr_map *map, const char *key);

/* Its length in bytes. */
NCZARR_API int nczarr_map_len(nczarr_map *map, const char *key, unsigned long long *lenp);

/* `count` bytes from byte `start` on into `data`. All of them must be there: NC_EINVAL. */
NCZARR_API int nczarr_map_read(nczarr_map *map, const char *key, unsigned long long start, size_t count, void *data);

/* The whole object in fresh memory, with a NUL behind it that is not counted: the caller's, to be ended with free().
 * NC_ENOMEM also for objects above 2 GiB: read those by ranges. */
NCZARR_API int nczarr_map_get(nczarr_map *map, const char *key, void **datap, size_t *lenp);

/* Stores an object, or replaces it, as a whole: whoever reads sees the old bytes or the new. NC_EOBJECT when another
 * object stands above or below. */
NCZARR_API int nczarr_map_write(nczarr_map *map, const char *key, size_t count, const void *data);

/* Removes the object; none there is no error. */
NCZARR_API int nczarr_map_delete(nczarr_map *map, const char *key);

/*
 * The specification's search: the next segments behind `prefix`, each once, sorted bytewise. `leaf` is 1 when an
 * object stands at prefix/name, 0 when others stand below it. Nothing there: no call. `each` may use the map; what it
 * returns other than 0 ends the search and is returned.
 */
typedef int (*nczarr_map_each)(const char *name, int leaf, void *arg);
NCZARR_API int nczarr_map_search(nczarr_map *map, const char *prefix, nczarr_map_each each, void *arg);

/* Everything written so far is on stable storage then. Where that means nothing, NC_NOERR at once. */
NCZARR_API int nczarr_map_sync(nczarr_map *map);

/* ---- a map of the application's own --------------------------------------------------------------------------- */

#define NCZARR_MAP_WHOLE (~0ULL) /* as a count: to the end of the object */

/* Where a get puts what it found. */
typedef struct nczarr_map_reply nczarr_map_reply;

/* Memory for the next `count` bytes of the answer, to be filled before the get returns. NULL: more than whoever asks
 * takes, or no memory; the get then returns NC_ENOMEM, and the text is there. */
NCZARR_API void *nczarr_map_room(nczarr_map_reply *reply, size_t count);

/* The same for bytes that stand somewhere already; returns what the get is to return then. */
NCZARR_API int nczarr_map_answer(nczarr_map_reply *reply, const void *data, size_t count);

/* Records what went wrong for nczarr_errmsg() (the map's name is put before it) and returns `code`. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
NCZARR_API int
nczarr_map_fail(int code, const char *format, ...);

/* Its functions may be called from several threads at once. Without it the library calls them one at a time. */
#define NCZARR_MAP_THREADS 0x100u

/*
 * The functions of a map. Fill a zeroed one and set `size`; newer headers add members at the end only. `size`,
 * `name` and `get` are needed; without `put` and `del` the map is read-only, without `list` it cannot be searched
 * (NCZarr's own datasets open all the same, pure Zarr with consolidated metadata).
 *
 * They return NC_NOERR, one of the codes above, any other of netCDF's, or a positive errno; nczarr_map_fail() adds a
 * text. They are handed valid keys only and call nothing else of this library on the same map.
 */
typedef struct nczarr_map_ops {
    size_t      size;  /* sizeof(nczarr_map_ops) */
    const char *name;  /* what nc_inq_path() and error texts call it; copied */
    unsigned    flags; /* NCZARR_MAP_THREADS; NCZARR_MAP_CAN_RANGE: get is asked for ranges. Two ranges of one object
                          that is replaced in between are then the application's own affair. */

    /* The object at `key`, or `count` bytes of it from `start` on (without NCZARR_MAP_CAN_RANGE always 0 and
     * NCZARR_MAP_WHOLE). NC_EEMPTY: there is none; NC_EINVAL: the range is not within it. */
    int (*get)(void *user, const char *key, unsigned long long start, unsigned long long count,
               nczarr_map_reply *reply);
    /* The length alone; asked for before the last bytes of an object are. May be NULL: the object is read. */
    int (*len)(void *user, const char *key, unsigned long long *lenp);
    /* Whole or not at all, and over what is there. NC_EOBJECT where an object stands above or below. */
    int (*put)(void *user, const char *key, const void *data, size_t count);
    int (*del)(void *user, const char *key);
    /* Calls `each` for every child of the prefix; in any order, and more than once does no harm. */
    int (*list)(void *user, const char *prefix, nczarr_map_each each, void *arg);
    /* All that was put is durable then. May be NULL: that means nothing here. */
    int (*sync)(void *user);
    /* The map ends, whatever this returns. `keep` is 0 when a dataset that was being made in it was aborted last:
     * what was put may go. May be NULL. */
    int (*close)(void *user, int keep);
} nczarr_map_ops;

/*
 * A map behind the application's functions; `user` is handed to each of them. The struct is copied. The map ends,
 * and `close` is called once, with the last reference: the program's and those of the datasets on it.
 * share/doc/nczarr/examples/own_map.c is a whole one. NC_EINVAL a member that is needed lacks, or an unknown flag;
 * NC_ENOTBUILT it asks for what only a newer library has.
 */
NCZARR_API int nczarr_map_own(const nczarr_map_ops *ops, void *user, nczarr_map **mapp);

/* ---- datasets over maps --------------------------------------------------------------------------------------- */

/*
 * nc_create() and nc_open() on a map. `mode` says what a URL's fragment would, as "mode=zarr,noxarray&compat=4.9.2";
 * NULL is the default (NCZarr when creating, whatever is there when opening). nc_create with NC_CLOBBER empties the
 * map when it holds a dataset; NC_NOCLOBBER is NC_EEXIST then. nc_inq_path() gives the kind of map: "memory", "file".
 */
NCZARR_API int nczarr_create_map(nczarr_map *map, const char *mode, int cmode, int *ncidp);
NCZARR_API int nczarr_open_map(nczarr_map *map, const char *mode, int omode, int *ncidp);

/* ---- a variable's chunks as objects ---------------------------------------------------------------------------- */

/*
 * The map of an open dataset, with a reference for the program: nczarr_map_close(). Reading is always fine. Who writes
 * beside the dataset must keep to this: chunks only, of variables none of whose data was got or put through this
 * ncid before (what is in the cache would not follow, or overwrite them), after nc_enddef() and before nc_close(),
 * and not under a key that is being written by somebody else. nczarr_grow_dim() makes unlimited dimensions long enough.
 */
NCZARR_API int nczarr_inq_map(int ncid, nczarr_map **mapp);

/*
 * How the bytes of a variable's chunks come about, as a JSON text: {"zarr_format", "type", "dtype", "order", "chunks",
 * "fill", "codecs"}. Two variables of equal text can exchange chunks byte by byte. Not a document of Zarr: "dtype" is
 * the true byte order, "fill" the stored element in hexadecimal; a member "fill_null" tells that other readers do not
 * know it. *lenp without the NUL; `text` takes that and one more. The error of the data itself when they cannot be
 * touched (NC_EBADTYPE, NC_ENOFILTER, NC_EZARRMETA...).
 */
NCZARR_API int nczarr_inq_var_encoding(int ncid, int varid, size_t *lenp, char *text);

/*
 * Where the chunk is whose place in the grid of chunks is indexp[0] ... (elements indexp[d] * chunk length on), stored or
 * not: *lengthp bytes from byte *offsetp on of the object `key`. A chunk that is an object of its own: 0 and
 * NCZARR_MAP_WHOLE, whatever the object's size. A chunk in an object of several, which the object does not have:
 * *lengthp is 0. To find that out costs a request where the object's index is not known yet; pass NULL for both where
 * only the key is wanted. Scalars ignore indexp. *keylenp without the NUL; `key` takes that and one more. Any of the
 * outputs may be NULL. NC_EINVALCOORDS beyond the variable's shape.
 */
NCZARR_API int nczarr_inq_var_chunk_key(int ncid, int varid, const size_t *indexp, size_t *keylenp, char *key,
                                        unsigned long long *offsetp, unsigned long long *lengthp);

/*
 * Calls `each` for every chunk that is stored, in no particular order; others read as fill. Offset and length as
 * nczarr_inq_var_chunk_key() has them: read a chunk with nczarr_map_get() when its length is NCZARR_MAP_WHOLE, else
 * with nczarr_map_read(). Chunks still in the cache are not among them: nc_sync() first. What `each` returns other
 * than 0 ends it and is returned; it may call anything. Lists the store, which on S3 costs a request for a thousand
 * objects. Where the map cannot list, as a web server's, it costs a small request for each chunk that the variable has
 * room for, many at once; NC_ENOTBUILT when those are more than 16 million.
 */
typedef int (*nczarr_chunk_each)(const size_t *index, const char *key, unsigned long long offset,
                                 unsigned long long length, void *arg);
NCZARR_API int nczarr_list_var_chunks(int ncid, int varid, nczarr_chunk_each each, void *arg);

#ifdef __cplusplus
}
#endif

#endif /* NCZARR_ZMAP_H */
