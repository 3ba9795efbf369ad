/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap: the key-value front door and the maps behind it. A map holds objects (whole byte strings) under keys; Zarr's
 * documents and chunks are such objects. Source: the zmap abstraction of the NCZarr specification.
 *
 * Keys: 1 to 1024 bytes of UTF-8, segments joined by '/', no leading or trailing '/', no empty, "." or ".." segment,
 * no control byte, no '\'. They are checked here, once; a map may trust what it is handed. A prefix is a key or "".
 * Only leaves bear content: no key may be a prefix (by segments) of another.
 *
 * Errors: NC_EEMPTY      the key has no content (absent, or only a prefix of others)
 *         NC_EOBJECT     an object stands where none should (put if absent; a map that must be new)
 *         NC_ENOOBJECT   an object or a map that should exist does not
 *         NC_EINVAL      not a key; NC_EPERM map is read-only; NC_ENOTBUILT the map cannot do that (see caps)
 *         and what the system says (ncz_fail_errno).
 *
 * Threads: get, put, del, list and sync may be called from several threads at once.
 *
 * Also written for someone who adds a map: fill in one `static const zmap_ops` and one constructor (zmap_example.c is
 * a worked one), and run tests/contract/store.c on it.
 */
#ifndef NCZ_ZMAP_H
#define NCZ_ZMAP_H

#include "uri/uri.h"
#include "util/util.h"

typedef struct zmap zmap;

#define ZMAP_WHOLE   UINT64_MAX /* as a request's `len`: to the end of the object */
#define ZMAP_NO_SIZE UINT64_MAX /* as a request's `size`: not known */
#define ZMAP_VERSION 80         /* bytes of a version stamp and its NUL */
#define ZMAP_KEY_MAX 1024       /* bytes of the longest key */

/* What a map can do. Positive only: a bit that is not set is answered for by the front door. */
typedef enum zmap_caps {
    ZMAP_CAN_RANGE = 1 << 0, /* reads a byte range without reading the whole; else the front door cuts it out */
    ZMAP_CAN_WRITE = 1 << 1,
    ZMAP_CAN_REPLACE = 1 << 2, /* put over an existing key is atomic: old bytes or new */
    ZMAP_CAN_LIST = 1 << 3,
    ZMAP_CAN_IF_ABSENT = 1 << 4, /* put conditions */
    ZMAP_CAN_IF_MATCH = 1 << 5,
    ZMAP_CAN_SYNC = 1 << 6,      /* sync() makes puts durable */
    ZMAP_FROM_WORKERS = 1 << 7,  /* gets are cheap and block: from any worker, one at a time; else in batches */
    ZMAP_COMMITS = 1 << 8,       /* what was put is seen by others at sync or close: all at once, or not at all */
    ZMAP_KEEPS_LEAVES = 1 << 9,  /* put refuses a key above or below another one; else that is the user's to keep */
    ZMAP_CAN_FROM_END = 1 << 10, /* with ZMAP_CAN_RANGE: `from_end` and `ask_size` cost no more than the range; else
                                  * the front door asks for the length first, or reads the whole object */
} zmap_caps;

/*
 * A map that has both ZMAP_CAN_RANGE and ZMAP_FROM_WORKERS answers requests that follow each other in a batch and
 * have the same key, by pointer, from one version of the object.
 */

/* One object, or a byte range of it, to read. */
typedef struct zmap_get_req {
    const char *key;
    uint64_t    off, len; /* len ZMAP_WHOLE: to the end. A range past the end is NC_EINVAL with a text */
    bool        from_end; /* the last `len` bytes, of a shorter object all that it has; `off` is 0 then */
    bool        ask_size; /* `size` is wanted along with a range; without it a map sets it only if it costs nothing */
    void       *into;     /* the caller's memory (anything is in it after a failure), or NULL: see `body` */
    size_t      into_cap; /* with `into`: most bytes it takes; a longer object is NC_ETRUNC */
    ncz_buf     body;     /* appended to; its limit is the ceiling: more is NC_ENOMEM. The caller clears it */
    size_t      nread;    /* out; 0 and `body` as it was when err is a failure */
    uint64_t    size;     /* out: of the whole object, which had it when these bytes were read; ZMAP_NO_SIZE */
    ncz_err     err;      /* out: NC_NOERR, NC_EEMPTY when absent (without a text), ... */
    char        version[ZMAP_VERSION]; /* out: the map's stamp of what was read, for ZMAP_IF_MATCH; "": it has none */
    void       *tag;                   /* the caller's */
} zmap_get_req;

/*
 * Called once for each request of a batch as it completes, maybe from other threads, never twice at once for one
 * batch. It may take the body over; `err` stays the map's until the batch returns. It may use the map.
 */
typedef void (*zmap_done_fn)(zmap_get_req *req, void *arg);

typedef enum zmap_when { ZMAP_ALWAYS, ZMAP_IF_ABSENT, ZMAP_IF_MATCH } zmap_when;

typedef struct zmap_put_req {
    const char *key;
    const void *data;
    size_t      len;
    zmap_when   when;
    const char *version; /* with ZMAP_IF_MATCH: the map's own stamp of the object */
    ncz_err     err;     /* out */
} zmap_put_req;

/*
 * A child of a prefix: the next segment only. `leaf`: an object stands at prefix/name; else it is only a prefix. No
 * lock is held: it may use the map. A non-zero return stops, and zmap_list() returns it.
 */
typedef int (*zmap_each_fn)(const char *name, bool leaf, void *arg);

typedef struct zmap_stats {
    uint64_t gets, puts, dels, lists;   /* objects asked for, put, deleted; prefixes listed */
    uint64_t bytes_read, bytes_written; /* of objects */
    uint64_t requests, retries;         /* of maps over a network: what went out; of these, again */
    uint64_t bytes_in, bytes_out, ms;   /* of the answers; of bodies sent; of all requests together */
} zmap_stats;

typedef enum zmap_end {
    ZMAP_KEEP,    /* what was put stays */
    ZMAP_DISCARD, /* a map made by this session is removed again, exactly what it created; else as KEEP */
    ZMAP_REVERT,  /* with ZMAP_COMMITS: what was put since the last sync is dropped; else as KEEP */
} zmap_end;

/* ---- for users of maps ----------------------------------------------------------------------------------------- */

bool        zmap_key_valid(const char *key);
const char *zmap_name(const zmap *m); /* "file", "memory", ... */
unsigned    zmap_caps_of(const zmap *m);

/* One object. `body` is appended to; its limit is the ceiling. */
int zmap_get(zmap *m, const char *key, ncz_buf *body);
int zmap_put(zmap *m, const char *key, const void *data, size_t len);
/* NC_NOERR or NC_EEMPTY. *len may be NULL. Reads the object on maps without `len`: not for hot paths. */
int zmap_len(zmap *m, const char *key, uint64_t *len);

/* All requests are tried; each carries its own status; the first failure other than NC_EEMPTY is also returned (and
 * its text is this thread's record). `done` may be NULL. */
int zmap_get_batch(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg);
/* Objects appear whole or not at all. All are tried; the first failure is returned. */
int zmap_put_batch(zmap *m, zmap_put_req *reqs, size_t n);
int zmap_del(zmap *m, const char *const *keys, size_t n); /* absent keys are no error */
/* The immediate children of `prefix` ("" for the root), each once, sorted bytewise. Nothing there: no call. */
int zmap_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg);
/* Every object below `prefix`, by its whole key (`leaf` is true), each once, in no order. Stops as a list does. */
int zmap_walk(zmap *m, const char *prefix, zmap_each_fn each, void *arg);
/* What was done with the map so far. A get or put counts once, whatever came of it; bytes only where it succeeded. */
void zmap_stats_of(const zmap *m, zmap_stats *out);
/* After success all that was put before is on stable storage. Without ZMAP_CAN_SYNC: NC_NOERR at once. */
int zmap_sync(zmap *m);
/* Drops one reference; the last one ends the map, and its `how` counts. Always releases; returns the first failure.
 * NULL is fine. */
int   zmap_close(zmap *m, zmap_end how);
zmap *zmap_ref(zmap *m);

/* ---- maps ------------------------------------------------------------------------------------------------------ */

typedef enum zmap_open_how {
    ZMAP_OPEN_READ,  /* must exist: NC_ENOOBJECT */
    ZMAP_OPEN_WRITE, /* must exist */
    ZMAP_CREATE_NEW, /* must not exist, or be an empty directory: else NC_EOBJECT */
} zmap_open_how;

int zmap_mem_open(zmap **out);

/*
 * A directory tree. Temporaries are named by us and never listed, nor are other tools' (`*.partial`): such a last
 * segment is never an object. A failed fsync is final: the map refuses further writes. No path leads out of `dir`,
 * whatever the links inside it (NC_EACCESS); only plain files are read. With ZMAP_CREATE_NEW the parent of `dir` must
 * exist (NC_ENOOBJECT).
 */
int zmap_file_open(const char *dir, zmap_open_how how, zmap **out);

/*
 * A bucket, or what is below a prefix of it (s3/settings.h has what the URL and the environment may say). Requests go
 * many at once, each tried again where that helps. To open costs no request, and finds nothing out: whether something
 * is there is not looked at, but for ZMAP_CREATE_NEW, which asks for one key. Large objects appear whole as well.
 * No key may be longer than 1024 bytes with the prefix. NC_ENOTBUILT in a library without S3.
 */
int zmap_s3_open(const ncz_uri *uri, zmap_open_how how, zmap **out);

/* What a web server has below an http or https URL; only to be read, and not listed. 403, 404, 410: absent. NC_EPERM
 * for any other `how` than ZMAP_OPEN_READ. */
int zmap_http_open(const ncz_uri *uri, zmap_open_how how, zmap **out);

/*
 * Asks a file map that each object be on stable storage before it takes the place of an older one, so that power
 * loss too leaves old bytes or new. Costs a wait for the disk at each put. NC_ENOTBUILT on other maps.
 */
int zmap_file_sync_each(zmap *m);

/*
 * Tells a file map that nobody minds what power loss does to objects that were replaced since the last sync. Then
 * file systems that write a file out at once when it replaces another are not made to. Means nothing to other maps.
 */
void zmap_file_sync_never(zmap *m);

/*
 * Removes all objects below `dir`, its directories and `dir` itself. Looks first and removes then: at anything that
 * is no plain file or directory of the same file system (links are not followed, `dir` itself included), and at files
 * that no list shows and that are no temporaries of a Zarr writer, it stops with NC_EOBJECT and nothing is gone. NC_ENOOBJECT when there is no `dir`. The tree is renamed before it goes, so
 * that a kill half-way leaves no part of it under `dir` (but "dir.removed-<number>" beside it).
 */
int zmap_file_remove(const char *dir);

/* The functions of an application (nczarr_zmap.h). NC_EINVAL, NC_ENOTBUILT: see nczarr_map_own(). */
struct nczarr_map_ops;
int zmap_user_open(const struct nczarr_map_ops *ops, void *user, zmap **out);

/*
 * A zip archive: each object is an entry. Any archive is read (entries stored or deflated, zip64, data descriptors,
 * bytes before it); of entries with one name the last one counts, names that are no keys are not seen. What is put is
 * stored, not deflated, at once in a file of its own, `path` with ".nczarr.partial" behind, which takes the archive's
 * place at sync or close (ZMAP_COMMITS): until then, and whatever kills the writer, the old archive stands untouched.
 * Changing an archive begins with a copy of it (shared blocks, where the file system can). One writer at a time: a
 * second is refused (NC_EACCESS). Errors of the archive: NC_ENOTNC it is none, or its directory lies; NC_EFILTER an
 * entry's bytes are not what was stored (checksum, sizes); NC_ENOTBUILT an entry is encrypted or compressed in
 * another way.
 */
typedef struct zmap_zip_opts {
    const char *prefix;  /* the directory in the archive under which the keys stand, a key itself; "": its top. NULL:
                         * where a dataset's documents stand, if all is below there; when creating, the top */
    bool        replace; /* with ZMAP_CREATE_NEW: an archive that is there stays until the first commit: no error */
    bool        sorted;  /* the bytes follow from what was put alone, not from the order: one more copy at close */
} zmap_zip_opts;

int zmap_zip_open(const char *path, zmap_open_how how, const zmap_zip_opts *opts, zmap **out); /* opts may be NULL */

/* Tells a zip map not to wait for the disk when it commits. Means nothing to other maps. */
void zmap_zip_sync_never(zmap *m);

/* The prefix in use, "" for none, until the map is closed. NULL on other maps. */
const char *zmap_zip_prefix(const zmap *m);

/* How many entries are no objects of it, directories not counted: outside the prefix, or without a key for a name. Bytes
 * before the first entry that are no entry's count as one. */
uint64_t zmap_zip_others(const zmap *m);

/* Removes an archive that nobody writes; NC_EOBJECT when it is a link or no plain file, NC_ENOOBJECT no such file. */
int zmap_zip_remove(const char *path);

/* Whether the file begins as zip archives do, an empty one too, or ends as one: other bytes may be before it. */
bool zmap_zip_looks_like(const char *path);

/*
 * The same in memory. ZMAP_OPEN_READ: `block` is used where it is and must stay until the map is closed.
 * ZMAP_OPEN_WRITE: the map takes a block of malloc's on success. ZMAP_CREATE_NEW: there is none; `len` is how much
 * room to begin with. Nothing outlives the map but what zmap_zip_mem_take() gives.
 */
int zmap_zip_mem_open(void *block, size_t len, zmap_open_how how, const zmap_zip_opts *opts, zmap **out);

/* The archive as it stands, in a block for free(), which the map has no more: all but closing it is an error then. Of
 * a map opened for reading the block it was opened with. NC_ENOTBUILT on other maps. */
int zmap_zip_mem_take(zmap *m, void **block, size_t *len);

/* ---- wrappers and tables for tests ----------------------------------------------------------------------------- */

/* Every system call of the file map goes through this table (as SQLite's VFS does), so that a test can count, fail or
 * die at the n-th. NULL puts the system's own back. Process-wide; for tests only. */
typedef struct zmap_syscalls zmap_syscalls;
void                         zmap_file_use(const zmap_syscalls *table);

typedef enum zmap_fault_kind {
    ZMAP_FAULT_FAIL,  /* the operation is not done and reports `code` */
    ZMAP_FAULT_LIE,   /* the operation is done and reports `code` */
    ZMAP_FAULT_SHORT, /* a get gives half its bytes and reports success */
    ZMAP_FAULT_DIE,   /* _exit(137), as kill -9 would */
} zmap_fault_kind;

/* Wraps `inner` (takes its reference on success). The `nth` operation (1-based; each request of a batch, key of a
 * del, list and sync counts) meets the fault, and with `forever` all after it. nth 0: none. */
typedef struct zmap_fault_plan {
    size_t          nth;
    bool            forever;
    zmap_fault_kind kind;
    int             code;
    size_t          seen; /* out: operations so far */
} zmap_fault_plan;

int zmap_fault_open(zmap *inner, zmap_fault_plan *plan, zmap **out);

/* ---- for those who write maps ---------------------------------------------------------------------------------- */

typedef struct zmap_ops {
    const char *name;
    int (*get)(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg); /* sets each err, calls done */
    int (*put)(zmap *m, zmap_put_req *reqs, size_t n);                               /* sets each err */
    int (*del)(zmap *m, const char *const *keys, size_t n); /* tries all, returns the first failure */
    int (*list)(zmap *m, const char *prefix, zmap_each_fn each, void *arg);
    int (*sync)(zmap *m);
    int (*close)(zmap *m, zmap_end how);                 /* frees m too */
    int (*len)(zmap *m, const char *key, uint64_t *len); /* may be NULL; NC_EEMPTY without a text */
    int (*walk)(zmap *m, const char *prefix, zmap_each_fn each, void *arg); /* NULL: prefix by prefix does as well */
    void (*stats)(const zmap *m, zmap_stats *out); /* adds what it alone knows; NULL: nothing */
} zmap_ops;

/* A map's struct begins with this. */
struct zmap {
    const zmap_ops *ops;
    unsigned        caps;
    unsigned        refs; /* set to 1 by the constructor; the front door counts atomically */
    zmap_stats      done; /* the front door's, atomic */
};

/* zmap_example.c: not in the library, but built by and tested with its tests. */
int zmap_example_open(zmap **out);

#endif /* NCZ_ZMAP_H */
