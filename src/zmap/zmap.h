/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap: an open store. A store holds objects (whole byte strings) under keys; Zarr's documents and chunks are such
 * objects. Source: the zmap abstraction of the NCZarr specification. The header of each store (zmap_file.h, ...) has
 * its constructor and options; zmap_ops.h is for those who add one.
 *
 * Keys: 1 to 1024 bytes of UTF-8, segments joined by '/', no leading or trailing '/', no empty, "." or ".." segment,
 * no control byte, no '\'. The functions below check them once; a store may trust the keys that it gets. A prefix is
 * a key or "". A user puts no key that is a prefix (by segments) of another. In buckets and archives of other software
 * there may be such: most are empty, and mark a directory.
 *
 * Errors: NC_EEMPTY      nothing is there
 *         NC_EACCESS     of a get: something is there that is no object, where the store knows it: other objects above
 *                        or below the key, a directory, a device, a link that cannot be followed
 *         NC_EOBJECT     an object exists where none may (put if absent; a store that must be new)
 *         NC_ENOOBJECT   an object or a store that must exist does not
 *         NC_EINVAL      not a valid key; NC_EPERM the store is read-only; NC_ENOTBUILT the store lacks this ability
 *         and the errors of system calls (ncz_fail_errno).
 *
 * Threads: get, put, del, list and sync may be called from several threads at once.
 */
#ifndef NCZ_ZMAP_H
#define NCZ_ZMAP_H

#include "util/util.h"

typedef struct zmap zmap;

#define ZMAP_WHOLE      UINT64_MAX /* as a request's `len`: to the end of the object */
#define ZMAP_NO_SIZE    UINT64_MAX /* as a request's `size`: not known */
#define ZMAP_VERSION    80         /* bytes of a version stamp and its NUL */
#define ZMAP_KEY_MAX    1024       /* bytes of the longest key */
#define ZMAP_DRAFT_NAME 64         /* bytes of the name of a draft and its NUL */

/* Of stores without ZMAP_FROM_WORKERS: ranges of one object at most this far apart are one request. A network delivers
 * about so many bytes in the time of one request. Longer runs would keep decoders waiting. */
#define ZMAP_GAP_MOST ((uint64_t)512 << 10)
#define ZMAP_RUN_MOST ((uint64_t)8 << 20)

/* What a store can do. zmap.c makes up for a missing ability or refuses the call. */
typedef enum zmap_caps {
    ZMAP_CAN_RANGE = 1 << 0, /* reads a byte range without reading the whole; else zmap.c cuts it out */
    ZMAP_CAN_WRITE = 1 << 1,
    ZMAP_CAN_REPLACE = 1 << 2, /* put over an existing key is atomic: old bytes or new */
    ZMAP_CAN_LIST = 1 << 3,
    ZMAP_CAN_IF_ABSENT = 1 << 4, /* put conditions */
    ZMAP_CAN_IF_MATCH = 1 << 5,
    ZMAP_CAN_SYNC = 1 << 6,     /* sync() makes puts durable */
    ZMAP_FROM_WORKERS = 1 << 7, /* gets are cheap and block: call them one by one, from any worker; else in batches */
    ZMAP_COMMITS = 1 << 8,      /* others see puts at sync or close only, all of them or none */
    ZMAP_KEEPS_LEAVES = 1 << 9, /* put refuses a key above or below another one; else the user must avoid that */
    ZMAP_CAN_FROM_END = 1 << 10,  /* with ZMAP_CAN_RANGE: `from_end` and `ask_size` cost no more than the range; else
                                  * zmap.c asks for the length first, or reads the whole object */
    ZMAP_SINGLE = 1 << 11,        /* holds one object, whose key is "" (zmap_single.h) */
    ZMAP_CAN_PARTS = 1 << 12,     /* a put may have its bytes in several places (`parts`) */
    ZMAP_CAN_DEL_MATCH = 1 << 13, /* zmap_del_match() */
    ZMAP_LOGS = 1 << 14,          /* its requests are logged where they are carried out: zmap.c does not log them */
    ZMAP_CAN_PUT_RANGE = 1 << 15, /* changes objects in place: zmap_put_range(), zmap_resize(), zmap_rename() */
    ZMAP_CAN_APPEND = 1 << 16,    /* a zmap_writer's bytes go to their place at once; else zmap_writer.c keeps them in
                                   * memory until the commit */
    ZMAP_CAN_DRAFT = 1 << 17,     /* zmap_draft_begin() */
    ZMAP_CAN_COPY = 1 << 18,      /* takes the bytes of a put, or a range, from another store (`from`); else they are
                                   * read into memory first */
} zmap_caps;

/* A store with both ZMAP_CAN_RANGE and ZMAP_FROM_WORKERS answers consecutive requests of a batch that have the same
 * key pointer from one version of the object. */

/* A read of one object or of a byte range of it. */
typedef struct zmap_get_req {
    const char *key;
    uint64_t    off, len;    /* len ZMAP_WHOLE: to the end. A range past the end is NC_EINVAL with a text */
    bool        from_end;    /* the last `len` bytes, or all of a shorter object; `off` is 0 */
    bool        cut;         /* a range that goes past the end of the object ends there */
    bool        ask_size;    /* set `size`, too; without it a store sets `size` only if that costs nothing */
    bool        ask_version; /* set `version`, too, where the store has any; without it only if that costs nothing */
    const char *match; /* the only version that is wanted, or NULL. Of another one a store that can check that sends
                              * nothing: NC_EOBJECT. Others ignore it, so compare `version` */
    void       *into;  /* the caller's memory (undefined after a failure), or NULL: see `body` */
    size_t      into_cap;              /* with `into`: its size; a longer object is NC_ETRUNC */
    ncz_buf     body;                  /* appended to, up to its limit: more is NC_ENOMEM. The caller clears it */
    size_t      nread;                 /* out; after a failure 0, and `body` is unchanged */
    uint64_t    size;                  /* out: of the whole object at the time of this read, or ZMAP_NO_SIZE */
    ncz_err     err;                   /* out: NC_NOERR, NC_EEMPTY when absent (without a text), ... */
    char        version[ZMAP_VERSION]; /* out: version stamp of the object read, for ZMAP_IF_MATCH; "": unknown */
    int64_t     modified;              /* out, with ask_version: seconds since 1970 of its last change; 0: unknown */
    void       *tag;                   /* the caller's */
} zmap_get_req;

/*
 * Called once for each request of a batch as it completes, possibly from other threads, never twice at once for one
 * batch. It may take the body over and may use the store. `err` belongs to the store until the batch returns.
 */
typedef void (*zmap_done_fn)(zmap_get_req *req, void *arg);

typedef enum zmap_when { ZMAP_ALWAYS, ZMAP_IF_ABSENT, ZMAP_IF_MATCH } zmap_when;

/* Some of the bytes of a put. */
typedef struct zmap_part {
    const void *data;
    size_t      len;
} zmap_part;

/* Bytes that a put takes from an object of another store. It must not change meanwhile. */
typedef struct zmap_source {
    zmap       *m;
    const char *key;
    uint64_t    off;
} zmap_source;

typedef struct zmap_put_req {
    const char        *key;
    const void        *data;
    size_t             len;
    const zmap_source *from; /* instead of `data`: `len` bytes from there on. Or NULL */
    const zmap_part
               *parts; /* with ZMAP_CAN_PARTS, instead of `data`: the bytes in order; `len` is the sum. Or NULL */
    size_t      nparts;
    zmap_when   when;    /* a condition that does not hold: NC_EOBJECT, or NC_ENOOBJECT when nothing is there */
    const char *version; /* with ZMAP_IF_MATCH: the store's own stamp of the object */
    ncz_err     err;     /* out */
    char        stored[ZMAP_VERSION]; /* out, after a conditional put: version stamp of the new object; "": unknown */
} zmap_put_req;

/* Bytes that go into an object, over those that it has there. */
typedef struct zmap_range_req {
    const char        *key;
    uint64_t           off;
    const void        *data;
    size_t             len;
    const zmap_source *from; /* as in zmap_put_req */
    ncz_err            err;  /* out */
} zmap_range_req;

/*
 * Receives a child of a prefix: the next segment only. `leaf`: prefix/name is an object; else it is a prefix. No lock
 * is held: it may use the store. A non-zero return stops the list, and zmap_list() returns it.
 */
typedef int (*zmap_each_fn)(const char *name, bool leaf, void *arg);

/* Receives an object of zmap_walk(): its whole key, and its bytes where the list has them, or ZMAP_NO_SIZE. It may use
 * the store; a non-zero return stops the walk. */
typedef int (*zmap_walk_fn)(const char *key, uint64_t size, void *arg);

typedef struct zmap_stats {
    uint64_t gets, puts, dels, lists;   /* objects read, written, deleted; prefixes listed */
    uint64_t bytes_read, bytes_written; /* of objects */
    uint64_t requests, retries;         /* network stores: requests sent, and how many of them were retries */
    uint64_t bytes_in, bytes_out, ms;   /* network stores: bytes received and sent; total time of all requests */
} zmap_stats;

typedef enum zmap_end {
    ZMAP_KEEP,    /* keeps all that was put */
    ZMAP_DISCARD, /* removes a store made by this session, exactly what it created; else as KEEP */
    ZMAP_REVERT,  /* with ZMAP_COMMITS: drops all that was put since the last sync; else as KEEP */
} zmap_end;

/* How the constructors open a store. */
typedef enum zmap_open_how {
    ZMAP_OPEN_READ,  /* must exist: NC_ENOOBJECT */
    ZMAP_OPEN_WRITE, /* must exist */
    ZMAP_CREATE_NEW, /* must not exist, or be an empty directory: else NC_EOBJECT */
} zmap_open_how;

bool        zmap_key_valid(const char *key);
const char *zmap_name(const zmap *m); /* "file", "memory", ... */
unsigned    zmap_caps_of(const zmap *m);
/*
 * Of a store of one object that is only read: from now on this is the one that was read first. Gets of one that was
 * changed or replaced meanwhile are NC_EIO, as far as the store tells versions or sizes apart. No effect on others.
 */
void zmap_pin(zmap *m);
bool zmap_has_network(void); /* ... has buckets and web servers */

/* One object, appended to `body` up to its limit. */
int zmap_get(zmap *m, const char *key, ncz_buf *body);
/* Ranges of one object, each into its own memory. NC_ETRUNC: the object ends within one of them, or is absent. */
int zmap_get_ranges(zmap *m, const char *key, const ncz_read_range *ranges, size_t n);
int zmap_put(zmap *m, const char *key, const void *data, size_t len);
/* Puts bytes of an object of another store. NC_ETRUNC: that is absent, or ends before. */
int zmap_copy(zmap *m, const char *key, const zmap_source *from, size_t len);
/* NC_NOERR or NC_EEMPTY, also for a prefix of others. *len may be NULL. Stores without `len` read the object: not for
 * hot paths. */
int zmap_len(zmap *m, const char *key, uint64_t *len);

/* Tries all requests; each has its own status. Returns the first failure other than NC_EEMPTY, with its text in this
 * thread's record. `done` may be NULL. */
int zmap_get_batch(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg);
/* Objects appear whole or not at all. Tries all; returns the first failure. */
int zmap_put_batch(zmap *m, zmap_put_req *reqs, size_t n);
/*
 * A put whose bytes come in pieces. Others see nothing of it before the commit, which is a put of all of them; nor
 * after an abandon, a failed commit, or if the process ends before. At most one call at a time for one writer. All
 * writers of a store end before it is closed.
 *
 * Without ZMAP_CAN_APPEND the bytes are in memory until the commit: at most the limit of one object (NC_ENOMEM).
 */
typedef struct zmap_writer zmap_writer;

int zmap_writer_begin(zmap *m, const char *key, zmap_writer **out);
int zmap_writer_append(zmap_writer *w, const void *data, size_t len); /* after a failure, so does all that follows */
/* Conditions and errors as those of a put. `stored`, if not NULL: as in zmap_put_req. Ends the writer in any case. */
int  zmap_writer_commit(zmap_writer *w, zmap_when when, const char *version, char stored[ZMAP_VERSION]);
void zmap_writer_abandon(zmap_writer *w); /* NULL is fine. Keeps the thread's error text */

/*
 * A draft: an object whose bytes are written where they belong, before it has its name. For stores with ZMAP_CAN_DRAFT;
 * others return NC_ENOTBUILT. Others see nothing of it before it is published, nor if the process ends before. Any
 * threads may write and read ranges at the same time. What was never written reads as zeros, and takes no room where
 * the store can do without. All drafts of a store end before it is closed.
 */
typedef struct zmap_draft zmap_draft;

int zmap_draft_begin(zmap *m, const char *key, uint64_t size, zmap_draft **out);
/*
 * In another process, or another open store of this one: the same draft, by its name, to write other ranges of it. It
 * is neither read nor published, and its bytes are as durable after zmap_sync() as those of puts. End it before the
 * draft itself is published.
 */
int         zmap_draft_join(zmap *m, const char *key, const char *name, uint64_t size, zmap_draft **out);
const char *zmap_draft_name(const zmap_draft *d); /* at most ZMAP_DRAFT_NAME bytes with its NUL */
/* False: another process began it, from which this one was forked. Then it is only read here, and not published. */
bool zmap_draft_is_own(const zmap_draft *d);
/* NC_EINVAL: the range ends behind `size`. After a failure any part of it may be written. */
int zmap_draft_write(zmap_draft *d, uint64_t off, const void *data, size_t len);
int zmap_draft_read(zmap_draft *d, uint64_t off, void *into, size_t len);
/* All its bytes, to be read until zmap_draft_publish() or zmap_draft_end(). One thread at a time. */
int zmap_draft_map(zmap_draft *d, const void **out);
/*
 * Cuts it to `size` bytes, at most its own, and gives it its name: this is a put, with its conditions, errors and
 * `stored`. No other thread writes it meanwhile. After a failure it is still there, and can be read; after success,
 * too, but not written.
 */
int  zmap_draft_publish(zmap_draft *d, uint64_t size, zmap_when when, const char *version, char stored[ZMAP_VERSION]);
void zmap_draft_end(zmap_draft *d); /* removes what is not published. NULL is fine. Keeps the thread's error text */

int zmap_del(zmap *m, const char *const *keys, size_t n); /* absent keys are no error */
/* Deletes the object if it is this version: else NC_EOBJECT, or NC_ENOOBJECT if it is absent. */
int zmap_del_match(zmap *m, const char *key, const char *version);
/*
 * Changes in place, of stores with ZMAP_CAN_PUT_RANGE; of others NC_ENOTBUILT. For file formats whose dataset is one
 * object. Unlike a put, they are not atomic: another reader may see a part of the change, and after a kill or a full
 * disk the beginning of a request's bytes may be there. Changes of one object from several threads are in no order; of
 * a batch, requests of one object are done in their order. An object that is absent is made. A gap before the bytes
 * reads as zeros.
 */
int zmap_put_range_batch(zmap *m, zmap_range_req *reqs, size_t n); /* tries all; returns the first failure */
int zmap_put_range(zmap *m, const char *key, uint64_t off, const void *data, size_t len);
/* Cuts the object, or makes it longer by zeros. */
int zmap_resize(zmap *m, const char *key, uint64_t size);
/* Gives an object another key. An object that has that key is replaced, at once. NC_ENOOBJECT: `from` is absent. */
int zmap_rename(zmap *m, const char *from, const char *to);
/* The immediate children of `prefix` ("" for the root), sorted bytewise. A name that is both an object and a prefix of
 * others comes twice, the object first; any other once. Without children: no call. */
int zmap_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg);
/* Also prefixes whose name cannot be part of a key, as far as the store tells: nothing below them can be read. */
int zmap_list_names(zmap *m, const char *prefix, zmap_each_fn each, void *arg);
/* Every object below `prefix`, each once, unsorted. Stops as zmap_list() does. */
int zmap_walk(zmap *m, const char *prefix, zmap_walk_fn each, void *arg);
/* A zmap_walk() that also calls `each_prefix` for each prefix that a list found, where the store is listed prefix by
 * prefix: a directory may be empty, or in the place of an object. */
int zmap_walk_prefixes(zmap *m, const char *prefix, zmap_walk_fn each, zmap_walk_fn each_prefix, void *arg);
/* Operations since the store was opened. A get or put counts once, failed or not; bytes count only on success. */
void zmap_stats_of(const zmap *m, zmap_stats *out);
/* For a store above others: adds what the network store `below` sent and received, of which it has the objects. */
void zmap_stats_add_network(const zmap *below, zmap_stats *out);
/* On success all earlier puts are on stable storage. Without ZMAP_CAN_SYNC: NC_NOERR at once. */
int zmap_sync(zmap *m);
/* Drops one reference; the last one closes the store as its `how` says. Always releases; returns the first failure.
 * NULL is fine. */
int   zmap_close(zmap *m, zmap_end how);
zmap *zmap_ref(zmap *m);

#endif /* NCZ_ZMAP_H */
