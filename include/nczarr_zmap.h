/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczarr_zmap.h: the stores of datasets, as key-value maps. A map holds a dataset's objects (its documents and
 * chunks) under their keys. A program can read the objects of any store, create datasets in a map that it holds
 * itself (a map in memory outlives the datasets in it), and implement maps of its own, over a database or an archive.
 *
 * Source: the zmap abstraction of the NCZarr specification. The rules of nczarr.h for results, errors and threads
 * apply.
 *
 * Keys      1 to 1024 bytes of UTF-8: segments joined by '/', no '/' at either end, no empty, "." or ".." segment, no
 *           control character, no backslash. (The specification's keys begin with '/'; these do not.) A prefix is a
 *           key or "". Only leaves have content: no object lies below another.
 * Errors    NC_EEMPTY the key has no content; NC_EACCESS (of a read, in maps of this library) something is there that
 *           is no object: a directory, a prefix of other objects, a link that cannot be followed; NC_EOBJECT an
 *           object exists where none may; NC_ENOOBJECT a map that must exist does not; NC_EPERM the map is read-only;
 *           NC_EINVAL an invalid key, or a range beyond the object; NC_ENOTBUILT not supported by this kind of map;
 *           and the system's.
 * Threads   Every function may be called on one map from several threads at once.
 */
#ifndef NCZARR_ZMAP_H
#define NCZARR_ZMAP_H

#include "nczarr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open map. It is shared: each dataset opened on it holds a reference, in addition to the program's. */
typedef struct zmap nczarr_map;

/* Creates an empty map in memory. NC_ENOMEM. */
NCZARR_API int nczarr_map_memory(nczarr_map **mapp);

/* Opens the directory `dir` as a map that can be written to. If `create` is not 0, `dir` must be missing or empty
 * (NC_EOBJECT) and its parent must exist (NC_ENOOBJECT); otherwise `dir` must exist (NC_ENOOBJECT). */
NCZARR_API int nczarr_map_file(const char *dir, int create, nczarr_map **mapp);

/*
 * Opens the store at `path`, which may have every form that nc_open() accepts; it need not hold a dataset. `how`:
 * NCZARR_MAP_READ, NCZARR_MAP_WRITE (the store must exist, NC_ENOOBJECT) or NCZARR_MAP_CREATE (nothing may exist
 * there, NC_EEXIST). Only the parts of the URL's fragment that concern the store are used.
 */
#define NCZARR_MAP_READ   0
#define NCZARR_MAP_WRITE  1
#define NCZARR_MAP_CREATE 2
NCZARR_API int nczarr_map_open(const char *path, int how, nczarr_map **mapp);

/* Releases the program's reference. The map is closed with the last dataset that uses it. NULL is allowed. */
NCZARR_API int nczarr_map_close(nczarr_map *map);

/* The kind of map ("file", "memory", ...), valid as long as it is open; and its capabilities: NCZARR_MAP_CAN_... */
NCZARR_API const char *nczarr_map_name(const nczarr_map *map);
NCZARR_API unsigned    nczarr_map_can(const nczarr_map *map);

#define NCZARR_MAP_CAN_WRITE 0x1u
#define NCZARR_MAP_CAN_LIST  0x2u /* nczarr_map_search() */
#define NCZARR_MAP_CAN_RANGE 0x4u /* reads part of an object without reading all of it */
#define NCZARR_MAP_CAN_SYNC  0x8u /* nczarr_map_sync() makes objects durable */

/* ---- objects -------------------------------------------------------------------------------------------------- */

/* NC_NOERR when an object exists at `key`, else NC_EEMPTY. */
NCZARR_API int nczarr_map_exists(nczarr_map *map, const char *key);

/* Its length in bytes. */
NCZARR_API int nczarr_map_len(nczarr_map *map, const char *key, unsigned long long *lenp);

/* Reads `count` bytes from byte `start` on into `data`. NC_EINVAL: the object ends before. */
NCZARR_API int nczarr_map_read(nczarr_map *map, const char *key, unsigned long long start, size_t count, void *data);

/* Reads the whole object into new memory, followed by a NUL that is not counted; the caller frees it with free().
 * NC_ENOMEM also for objects above 2 GiB: read those by ranges. */
NCZARR_API int nczarr_map_get(nczarr_map *map, const char *key, void **datap, size_t *lenp);

/*
 * Where the bytes of an object are that the map only refers to, as those of a set of references and of an Icechunk
 * repository do: *placep is a path or URL, which the caller frees with free(), and *lengthp bytes from byte *startp on
 * there are the object; NCZARR_MAP_WHOLE: all of it. That place is not looked at, and may be one that is not allowed
 * (nczarr_allow()). NC_EEMPTY: such a map has no object of that key. *placep is NULL if the map has the bytes itself;
 * so it always is of other maps, in which the key is not looked for.
 */
NCZARR_API int nczarr_map_place(nczarr_map *map, const char *key, char **placep, unsigned long long *startp,
                                unsigned long long *lengthp);

/* A place that nczarr_check_places() has asked. The texts are valid during the call. */
typedef struct nczarr_place_item {
    size_t             size;   /* of the struct, as this library has it: later ones may add members at the end */
    int                status; /* NC_NOERR: it is there; else why not: NC_ENOOBJECT, NC_EAUTH, NC_EIO ... */
    const char        *place;  /* a path or URL, or an object of the map itself */
    const char        *key;    /* the first object or variable that refers to it */
    unsigned long long count;  /* how many do */
    const char        *why;    /* the text of a failure, or "" */
    unsigned long long end;    /* where the object ends, if ranges of a set of references in JSON pass that: a get has
                                * what is there, and may find too little; else ULLONG_MAX */
} nczarr_place_item;

/* What it returns, if not 0, ends the check, which returns it. It must not use the dataset. */
typedef int (*nczarr_place_each)(const nczarr_place_item *item, void *arg);

/*
 * Asks the places that a dataset refers to whether they are there: of sets of references and of Icechunk repositories
 * each object elsewhere that has chunks, of aggregations each fragment. Each is asked once, many at a time, and no
 * data are read: whether it exists, reaches as far as the chunks there do, and is of the version that is named, if one
 * is. What is missing is no failure of the call. Of other datasets `each` is not called. Errors: NC_EINVAL; those
 * of reading the list of places.
 */
NCZARR_API int nczarr_check_places(int ncid, nczarr_place_each each, void *arg);

/* Stores or replaces an object atomically: readers see the old bytes or the new. NC_EOBJECT: another object exists
 * above or below the key. */
NCZARR_API int nczarr_map_write(nczarr_map *map, const char *key, size_t count, const void *data);

/* As nczarr_map_write(), with `count` bytes of an object of a map, this one or another, from byte `start` on. Between
 * files of one file system the system copies them, without a way through memory. NC_ETRUNC: the object `from_key` is
 * absent, or ends before. */
NCZARR_API int nczarr_map_copy(nczarr_map *map, const char *key, nczarr_map *from, const char *from_key,
                               unsigned long long start, size_t count);

/* Removes the object; a missing object is not an error. */
NCZARR_API int nczarr_map_delete(nczarr_map *map, const char *key);

/*
 * The specification's search: calls `each` with the next segments after `prefix`, sorted bytewise. `leaf` is 1 when
 * prefix/name is an object, 0 when objects lie below it. A name that is both, as other software leaves some in buckets
 * and archives, comes twice, the object first; any other once. Without any there is no call. `each` may use the map; a
 * return value other than 0 ends the search and is returned.
 */
typedef int (*nczarr_map_each)(const char *name, int leaf, void *arg);
NCZARR_API int nczarr_map_search(nczarr_map *map, const char *prefix, nczarr_map_each each, void *arg);

/*
 * Calls `each` for every object whose key begins with prefix and a '/' ("": every object), each once, in no particular
 * order, with its whole key. `length` is NCZARR_MAP_WHOLE where the map's list does not say it: ask nczarr_map_len().
 * On S3 the list has the lengths, and costs one request per thousand objects; other maps are searched prefix by prefix.
 * `each` may use the map; a return value other than 0 ends the walk and is returned. A map that cannot list, such as a
 * web server's: NC_ENOTBUILT.
 */
typedef int (*nczarr_map_walk_each)(const char *key, unsigned long long length, void *arg);
NCZARR_API int nczarr_map_walk(nczarr_map *map, const char *prefix, nczarr_map_walk_each each, void *arg);

/* Makes everything written so far durable. Returns NC_NOERR at once where that has no meaning. */
NCZARR_API int nczarr_map_sync(nczarr_map *map);

/* ---- maps of an application ----------------------------------------------------------------------------------- */

#define NCZARR_MAP_WHOLE (~0ULL) /* as a count: to the end of the object */

/* Receives the result of a get. */
typedef struct nczarr_map_reply nczarr_map_reply;

/* Memory for the next `count` bytes of the result, to be filled before the get returns. NULL: more than the caller of
 * the get accepts, or out of memory; the error text is recorded, and the get must return NC_ENOMEM. */
NCZARR_API void *nczarr_map_room(nczarr_map_reply *reply, size_t count);

/* Copies the next `count` bytes of the result from `data`; returns the value that the get must return. */
NCZARR_API int nczarr_map_answer(nczarr_map_reply *reply, const void *data, size_t count);

/* Records an error text for nczarr_errmsg(), which puts the map's name before it, and returns `code`. */
NCZARR_PRINTF(2, 3)
NCZARR_API int nczarr_map_fail(int code, const char *format, ...);

/* Its functions may be called from several threads at once. Without it the library calls them one at a time. */
#define NCZARR_MAP_THREADS 0x100u

/*
 * The functions of a map. Fill a zeroed struct and set `size`; newer headers add members at the end only. `size`,
 * `name` and `get` are required; without `put` and `del` the map is read-only, without `list` it cannot be searched
 * (NCZarr datasets open all the same, pure Zarr with consolidated metadata).
 *
 * They return NC_NOERR, one of the codes above, another netCDF code, or a positive errno; nczarr_map_fail() adds a
 * text. They receive valid keys only and must not use the same map through other functions of this library.
 */
typedef struct nczarr_map_ops {
    size_t      size;  /* sizeof(nczarr_map_ops) */
    const char *name;  /* shown by nc_inq_path() and in error texts; copied */
    unsigned    flags; /* NCZARR_MAP_THREADS; NCZARR_MAP_CAN_RANGE: get receives ranges. The application must
                          then handle an object that is replaced between two reads of ranges. */

    /* Reads the object at `key`, or `count` bytes of it from `start` on (without NCZARR_MAP_CAN_RANGE always 0 and
     * NCZARR_MAP_WHOLE). NC_EEMPTY: no such object; NC_EINVAL: the range is not within it. */
    int (*get)(void *user, const char *key, unsigned long long start, unsigned long long count,
               nczarr_map_reply *reply);
    /* The length only; called before the last bytes of an object are read. May be NULL: the object is read. */
    int (*len)(void *user, const char *key, unsigned long long *lenp);
    /* Stores or replaces an object atomically. NC_EOBJECT: an object exists above or below the key. */
    int (*put)(void *user, const char *key, const void *data, size_t count);
    int (*del)(void *user, const char *key);
    /* Calls `each` for every child of the prefix, in any order; repeated names are allowed. */
    int (*list)(void *user, const char *prefix, nczarr_map_each each, void *arg);
    /* Makes all objects durable. May be NULL: durability has no meaning here. */
    int (*sync)(void *user);
    /* Ends the map, whatever it returns. `keep` is 0 when the last dataset was new and was aborted: its objects may
     * be discarded. May be NULL. */
    int (*close)(void *user, int keep);
} nczarr_map_ops;

/*
 * Creates a map from the application's functions; `user` is passed to each of them. The struct is copied. `close` is
 * called once, when the last reference is released: the program's and those of the datasets on the map.
 * share/doc/nczarr/examples/own_map.c is a complete example. NC_EINVAL: a required member is missing, or a flag is
 * unknown; NC_ENOTBUILT: the struct uses members of a newer library.
 */
NCZARR_API int nczarr_map_own(const nczarr_map_ops *ops, void *user, nczarr_map **mapp);

/* ---- datasets over maps --------------------------------------------------------------------------------------- */

/*
 * nc_create() and nc_open() on a map. `mode` has the form of a URL's fragment, as "mode=zarr,noxarray&compat=4.9.2";
 * NULL is the default (NCZarr when creating, detected when opening). Creating with NC_CLOBBER empties a map that
 * holds a dataset; with NC_NOCLOBBER that is NC_EEXIST. NC_EPERM: creating, or NC_WRITE, in a map that is read-only.
 * nc_inq_path() returns the kind of map: "memory", "file".
 */
NCZARR_API int nczarr_create_map(nczarr_map *map, const char *mode, int cmode, int *ncidp);
NCZARR_API int nczarr_open_map(nczarr_map *map, const char *mode, int omode, int *ncidp);

/* ---- documents ------------------------------------------------------------------------------------------------- */

#define NCZARR_DOCUMENT_ARRAY  1 /* where it is, there is an array */
#define NCZARR_DOCUMENT_COPIES 2 /* of the root: consolidated metadata */

/*
 * The names of the documents that a group or an array of Zarr version `zarr_format` (2 or 3) may have, by any writer,
 * such as ".zgroup"; `i` from 0, NULL after the last, and for other versions. Each is the last segment of a key. Those
 * that make a place a dataset come first. *kindp (or NULL): the bits NCZARR_DOCUMENT_ARRAY, NCZARR_DOCUMENT_COPIES.
 * Static text. Leaves nczarr_errmsg() as it is.
 */
NCZARR_API const char *nczarr_document(int zarr_format, size_t i, int *kindp);

/*
 * A flag for nc_open(), nc_create() and the functions for maps above: the dataset is read, or made, as a copy of
 * documents. Opened, it keeps how its documents of Zarr spell attributes and arrays, for the functions below. Created
 * or opened for writing, groups, dimensions, variables, types and attributes may have any name that the store and its
 * documents can have ("#refs#", " x", "@context"), not only those of netCDF.
 */
#define NCZARR_VERBATIM 0x20000000

/*
 * As nc_copy_att(), but where both datasets are Zarr and have the flag above, the attribute keeps the JSON that its
 * document has, which netCDF's types may not tell apart (a list of one string, an object), and names that are reserved.
 * An attribute without a name, which no inquiry shows, is copied by the name "": NC_ENOTATT where there is none.
 * NCZarr's records of types have no place in plain Zarr, so attributes of NCZarr are written there as nc_copy_att()
 * does it, and so are floats, and fill values.
 */
NCZARR_API int nczarr_copy_att(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out);

/*
 * Defines a variable of the name and by the array document of another one, in a new dataset of the same version of
 * Zarr: stored type, fill value, order, chunks, shards, codecs and the names of chunks are those of the other one, also
 * where the library does not know the type or a codec; the shape is that of the dimensions. Its data can then be copied
 * as objects (nczarr_inq_map()). Attributes are not copied. Both datasets need the flag above. xtype, dimidsp: the type
 * and the dimensions in the target, as many as the other variable has; xtype NC_NAT: that of the other one.
 * NC_ENOTBUILT: another version of Zarr, or a variable that has to be defined otherwise; NC_EBADTYPE: its document has
 * another type; NC_ENAMEINUSE; NC_EZARRMETA and others: its document cannot be understood far enough.
 */
NCZARR_API int nczarr_copy_var_document(int ncid_in, int varid_in, int ncid_out, nc_type xtype, const int *dimidsp,
                                        int *varidp);

/* Takes back the definition of the newest variable of a group, in a dataset of Zarr, before nc_enddef() has made it
 * final. NC_ELATEDEF: another variable. */
NCZARR_API int nczarr_undef_var(int ncid, int varid);

/* ---- a variable's chunks as objects ---------------------------------------------------------------------------- */

/*
 * Returns the map of an open dataset with a reference for the program, to be released with nczarr_map_close().
 * Reading is always allowed. Rules for writing: chunks only, of variables whose data were not read or written through
 * this ncid before (cached chunks would be stale, or overwrite them), after nc_enddef() and before nc_close(), and no
 * key that another writer is writing. nczarr_grow_dim() makes unlimited dimensions long enough.
 */
NCZARR_API int nczarr_inq_map(int ncid, nczarr_map **mapp);

/*
 * Describes the encoding of a variable's chunks as a JSON text: {"type", "dtype", "order", "chunks", "fill",
 * "codecs"}, and last "shards" where objects hold several chunks. Two variables with equal texts up to "shards" can
 * exchange chunks byte for byte, whatever their versions of Zarr; with equal texts whole objects, too. It is not a Zarr
 * document: "dtype" has the true byte order, for a record its size and the type, place and number of elements of each
 * field, for elements with strings or sequences inside the types of their parts; "order" is "C", "F" or the dimensions
 * in storage order, "fill" is the stored element in hexadecimal; a member "fill_null" means that other readers do not
 * know the fill value; a member "narrower", of strings that were widened, that chunks may have an earlier width. The
 * text is empty where chunks cannot be exchanged, as in a classic file. Of an HDF5 file it is for chunks whose
 * nczarr_inq_var_chunk_mask() is 0. *lenp does not count the NUL; `text` takes one byte more. When the data cannot be
 * read, returns the error that reading them would (NC_EBADTYPE, NC_ENOFILTER, NC_EZARRMETA ...).
 */
NCZARR_API int nczarr_inq_var_encoding(int ncid, int varid, size_t *lenp, char *text);

/*
 * The chunks of a variable along its dimension number `dim` (from 0): how many, and the length of each in elements, of
 * the last one beyond the end of the array, too. They differ in Zarr v3's chunk grid `rectilinear` without shards alone
 * (with shards it is these that differ); in all others each length is that of nc_inq_var_chunking(). Either output may
 * be NULL; call with NULL lengths first for the number. NC_EINVAL: no such dimension.
 */
NCZARR_API int nczarr_inq_var_chunk_lengths(int ncid, int varid, int dim, size_t *nchunksp, size_t *lengths);

/*
 * Returns the address of the chunk with the index indexp[0] ... in the grid of chunks (its elements begin at
 * indexp[d] * chunk length, or after the chunks before it where lengths differ), whether or not it is stored: *lengthp
 * bytes from byte *offsetp on of the object `key`. For a chunk that is an object of its own these are NCZARR_MAP_WHOLE
 * and 0, whatever the object's size. For a chunk that is missing in an object of several *lengthp is 0. Offset and
 * length cost a request when the object's index is not known yet; pass NULL for both when only the key is wanted.
 * In a classic netCDF file, whose only object has the key "", a chunk of several records has its bytes in each of them:
 * the first are at *offsetp, *lengthp counts all, and they are not one range.
 * Scalars ignore indexp. *keylenp does not count the NUL; `key` takes one byte more. Any output may be NULL.
 * NC_EINVALCOORDS: beyond the variable's shape.
 */
NCZARR_API int nczarr_inq_var_chunk_key(int ncid, int varid, const size_t *indexp, size_t *keylenp, char *key,
                                        unsigned long long *offsetp, unsigned long long *lengthp);

/*
 * Which filters a stored chunk of an HDF5 file skips: bit i of *maskp is set where filter i of nc_inq_var_filter_ids()
 * was not applied. 0: none, as in all other formats, and of a missing chunk. What chunks with 0 consist of
 * nczarr_inq_var_encoding() says; others need to be decoded. Arguments and errors as of nczarr_inq_var_chunk_key().
 */
NCZARR_API int nczarr_inq_var_chunk_mask(int ncid, int varid, const size_t *indexp, unsigned int *maskp);

/*
 * Where the bytes of a chunk of a classic netCDF file are that has several records: *rowp bytes of each record, and
 * *pitchp bytes from the beginning of one to that of the next; the first at the offset of nczarr_inq_var_chunk_key().
 * Both are 0 of all other chunks, which are one range. Arguments and errors as there.
 */
NCZARR_API int nczarr_inq_var_chunk_rows(int ncid, int varid, const size_t *indexp, unsigned long long *rowp,
                                         unsigned long long *pitchp);

/*
 * Calls `each` for every stored chunk, in no particular order; others read as fill. Offset and length are those of
 * nczarr_inq_var_chunk_key(): read a chunk with nczarr_map_get() when its length is NCZARR_MAP_WHOLE, else with
 * nczarr_map_read(). Chunks that are only in the cache are not reported: call nc_sync() first. A return value of
 * `each` other than 0 ends the walk and is returned; `each` may call any function. The call lists the store: one
 * request per thousand objects on S3, and one more for the index of each shard that is not known yet. A map that cannot
 * list, such as a web server's, gets a small request for each object of the variable's grid, many at a time;
 * NC_ENOTBUILT for more than 16 million.
 */
typedef int (*nczarr_chunk_each)(const size_t *index, const char *key, unsigned long long offset,
                                 unsigned long long length, void *arg);
NCZARR_API int nczarr_list_var_chunks(int ncid, int varid, nczarr_chunk_each each, void *arg);

/*
 * Calls `each` for every fragment of an aggregation variable (CF-1.13, section 2.8), or of a variable of several files
 * that are joined, in C order; for none of other variables, whose values are in the dataset. The fragment has `count`
 * elements from `start` on along each dimension; they are those of `variable`, a path of groups, in the dataset that
 * nc_open() opens by `path`. Both are NULL where nothing has the values, or the aggregation has them itself. A return
 * value of `each` other than 0 ends the walk and is returned; `each` may call any function. NC_EAUTH: a place that the
 * dataset may not reach (nczarr_allow()); errors of the variable's description.
 */
typedef int (*nczarr_fragment_each)(const size_t *start, const size_t *count, const char *path, const char *variable,
                                    void *arg);
NCZARR_API int nczarr_list_var_fragments(int ncid, int varid, nczarr_fragment_each each, void *arg);

/*
 * Opens a fragment, to read it, by a path that nczarr_list_var_fragments() gives of a variable of `ncid`. What that
 * dataset has open of it is handed over, so that a program which looks at the fragments of many files that are joined
 * opens none of them again; else this is nc_open(). Errors are those of nc_open().
 */
NCZARR_API int nczarr_open_fragment(int ncid, const char *path, int *ncidp);

#ifdef __cplusplus
}
#endif

#endif /* NCZARR_ZMAP_H */
