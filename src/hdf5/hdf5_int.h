/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this module share: reading structures within bounds, and the structures that others hold. */
#ifndef NCZ_HDF5_INT_H
#define NCZ_HDF5_INT_H

#include "hdf5/hdf5.h"
#include "hdf5/hdf5_check.h"

#include <inttypes.h>

/* Bounds beside those of ncz_limits: what a hostile file could make deep or long. */
enum {
    NCZ_HDF5_TYPE_DEPTH = 32,      /* of types in types */
    NCZ_HDF5_TREE_DEPTH = 64,      /* of nodes of a B-tree, blocks of a heap */
    NCZ_HDF5_SOFT_LINKS = 40,      /* followed for one path */
    NCZ_HDF5_PATH_BYTES = 1 << 16, /* of a soft link */
    NCZ_HDF5_CONTINUATIONS = 4096, /* of one object header */
    NCZ_HDF5_FILTERS = 32,
};

/* ---- reading ---- */

typedef struct ncz_hdf5_collections ncz_hdf5_collections;
typedef struct ncz_hdf5_tables      ncz_hdf5_tables;
typedef struct ncz_hdf5_watch       ncz_hdf5_watch;

struct ncz_hdf5 {
    ncz_read_source  source;
    ncz_limits       limits;
    uint64_t         base, size; /* where the superblock is, from which addresses count; the bytes from there on */
    unsigned         version, offset_size, length_size;
    bool             flagged; /* a version 3 superblock has flags: that of a file that is open */
    uint64_t         root;
    uint64_t         end;     /* as the superblock says: of the whole file, in bytes */
    uint64_t         work;    /* bytes of structures that the call under way has read */
    bool             any_sum; /* for tests: wrong checksums are taken, to get behind them */
    ncz_range_cache *cache;
    ncz_hdf5_collections *collections;           /* of the global heap, that were read last */
    uint64_t              heap_work;             /* bytes of collections that the call under way has read */
    ncz_hdf5_tables      *tables;                /* links of groups that paths lead through */
    ncz_hdf5_watch       *watch;                 /* the check of the whole file, while one is under way; else NULL */
    uint64_t              extension;             /* of the superblock, or NCZ_HDF5_NONE */
    unsigned group_leaf, group_node, chunk_node; /* half the entries that there is room for in a node (K) */
};

/* ---- the check of a whole file ---- */

/* What the check hears of the parsers. */
struct ncz_hdf5_watch {
    int (*use)(void *arg, ncz_hdf5_part part, uint64_t addr, uint64_t len);
    int (*fault)(void *arg, uint64_t addr, ncz_hdf5_fault_kind kind, const char *text);
    void    *arg;
    int      failed;    /* by one of these: the check ends */
    uint64_t at;        /* the structure that is being read, */
    uint64_t work;      /* and the bytes of all that were, */
    bool     exhausted; /* which were too many */
    uint64_t header;    /* the header that is being checked, of those that are read; what it says: */
    unsigned header_version, header_flags;
    uint64_t header_refs, header_said, header_found; /* version 1: references; messages as it says, as they are */
};

/* A structure takes these bytes. */
void ncz_hdf5_use(ncz_hdf5 *f, ncz_hdf5_part part, uint64_t addr, uint64_t len);
/* Something is wrong with it that readers do not mind. */
void ncz_hdf5_fault_at(ncz_hdf5 *f, uint64_t addr, const char *fmt, ...) NCZ_PRINTF(3, 4);
void ncz_hdf5_note_at(ncz_hdf5 *f, ncz_hdf5_fault_kind kind, uint64_t addr, const char *fmt, ...) NCZ_PRINTF(4, 5);
/* A part of the file failed with this code: a fault, and the check goes on, or not. Without a check it stays one. */
int ncz_hdf5_watch_failure(const ncz_hdf5_watch *watch, int rc);
int ncz_hdf5_watch_work(ncz_hdf5 *f, uint64_t addr, uint64_t n); /* n bytes of a structure are about to be read */

/* A call begins: it may read a few times the file's size, at most limits.object_bytes. */
void ncz_hdf5_begin(ncz_hdf5 *f);
/* A structure's bytes, in place of what the buffer held. `what` it is, for the error's text. */
int ncz_hdf5_load(ncz_hdf5 *f, uint64_t addr, uint64_t n, const char *what, ncz_buf *into);
/* Loads a structure whose last four bytes are the checksum of the others, and verifies it. */
int ncz_hdf5_load_summed(ncz_hdf5 *f, uint64_t addr, uint64_t n, const char *what, ncz_buf *into);
int ncz_hdf5_check_sum(const ncz_hdf5 *f, const void *data, size_t n, const char *what, uint64_t addr);
/* Says that structures of n bytes at these addresses are read soon: of the first NCZ_HDF5_EXPECT ones. */
enum { NCZ_HDF5_EXPECT = 256 };
int ncz_hdf5_expect(ncz_hdf5 *f, const uint64_t *addrs, size_t naddrs, size_t n);

/* Structures begin with four characters, and most of them with a version: after them, or an error. */
int ncz_hdf5_signature(ncz_cursor *c, const char *signature, const char *what, uint64_t addr);
int ncz_hdf5_start(ncz_cursor *c, const char *signature, unsigned version, const char *what, uint64_t addr);

uint64_t ncz_hdf5_uint(ncz_cursor *c, unsigned nbytes);     /* little-endian, at most 8 */
uint64_t ncz_hdf5_offset(const ncz_hdf5 *f, ncz_cursor *c); /* NCZ_HDF5_NONE if all bits are set */
uint64_t ncz_hdf5_length(const ncz_hdf5 *f, ncz_cursor *c);
unsigned ncz_hdf5_count_bits(uint64_t v); /* how many bits hold it: 0 for 0 */
unsigned ncz_hdf5_bytes(uint64_t v);      /* how many bytes hold it: at least 1 */

int ncz_hdf5_truncated(const char *what, uint64_t addr); /* records that it ends early, or says what cannot be */
/* A part of a structure failed. Damage, and what is not read here, is noted, and no failure any more; NULL: they
 * are. */
int ncz_hdf5_lose(ncz_hdf5_losses *l, int rc);
/* The text of such a failure, in the arena; another failure stays one. */
int ncz_hdf5_keep_text(ncz_arena *arena, int rc, const char **text);
/* The first failure again, where nothing else was found. */
int ncz_hdf5_fail_lost(const ncz_hdf5_losses *l);

uint32_t ncz_hdf5_checksum(const void *data, size_t n); /* lookup3 */

/* ---- messages of object headers ---- */

/* Types of messages (IV.A.2): type n is described in the section with letter n, from a for 0. */
enum {
    NCZ_HDF5_MSG_NIL = 0,
    NCZ_HDF5_MSG_SPACE = 1,
    NCZ_HDF5_MSG_LINK_INFO = 2,
    NCZ_HDF5_MSG_TYPE = 3,
    NCZ_HDF5_MSG_OLD_FILL = 4,
    NCZ_HDF5_MSG_FILL = 5,
    NCZ_HDF5_MSG_LINK = 6,
    NCZ_HDF5_MSG_EXTERNAL = 7,
    NCZ_HDF5_MSG_LAYOUT = 8,
    NCZ_HDF5_MSG_FILTERS = 11,
    NCZ_HDF5_MSG_ATTRIBUTE = 12,
    NCZ_HDF5_MSG_SHARED_TABLE = 15,
    NCZ_HDF5_MSG_CONTINUATION = 16,
    NCZ_HDF5_MSG_SYMBOL_TABLE = 17,
    NCZ_HDF5_MSG_ROOM = 19,
    NCZ_HDF5_MSG_DRIVER = 20,
    NCZ_HDF5_MSG_ATTRIBUTE_INFO = 21,
    NCZ_HDF5_MSG_REFERENCES = 22,
    NCZ_HDF5_MSG_FREE_SPACE = 23,
    NCZ_HDF5_MSG_CACHE_IMAGE = 24, /* newer than the specification's version 3.0 */
    NCZ_HDF5_MSG_KNOWN = 25,       /* and less: known here, or of no use to a reader */
};

struct ncz_hdf5_message {
    unsigned             type;
    bool                 shared; /* the data say where the message is */
    int64_t              order;  /* of creation; -1: not there */
    const unsigned char *data;
    size_t               len;
    uint64_t             addr; /* of the header, for texts */
};

/* The messages of a header with its continuations (IV.A.1), in the arena. */
int ncz_hdf5_header_read(ncz_hdf5 *f, uint64_t addr, ncz_arena *arena, ncz_hdf5_message **out, size_t *n);
const ncz_hdf5_message *ncz_hdf5_message_find(const ncz_hdf5_message *m, size_t n, unsigned type);
/* The object whose header has the message itself, in place of one that says where it is. */
int ncz_hdf5_message_home(const ncz_hdf5 *f, const ncz_hdf5_message *m, uint64_t *home);
/* Puts it in the place of the one that says where it is. */
int ncz_hdf5_message_resolve(ncz_hdf5 *f, ncz_arena *arena, ncz_hdf5_message *m);

/* Sets no lengths beyond the rank. */
int ncz_hdf5_space_parse(const ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_hdf5_space *out);
/* The rest of the message, or as much of it as the type takes. */
int ncz_hdf5_type_parse(const ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_type **out);

/* Committed types that were read last, of one arena: many attributes have the same one. */
enum { NCZ_HDF5_TYPES = 64 };
typedef struct ncz_hdf5_types {
    ncz_hdf5_type *v[NCZ_HDF5_TYPES];
    size_t         n; /* ever read; the next one is at n % NCZ_HDF5_TYPES */
} ncz_hdf5_types;

/* One that is in another object, too. `known` may be NULL. */
int ncz_hdf5_type_read(ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_types *known,
                       ncz_hdf5_type **out);
int ncz_hdf5_fill_parse(const ncz_hdf5_message *m, ncz_hdf5_fill *out);
int ncz_hdf5_filters_parse(const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_filter **out, size_t *n);
int ncz_hdf5_layout_parse(const ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_hdf5_layout *out);
int ncz_hdf5_link_parse(ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_link *out);
int ncz_hdf5_attribute_parse(ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_types *known,
                             ncz_hdf5_attribute *out);

/* A list of links that grows in the arena's place: the objects' own arrays are copies. */
typedef struct ncz_hdf5_link_list {
    ncz_hdf5_link  *v;
    size_t          n, cap;
    ncz_arena      *arena; /* of names and paths */
    ncz_hdf5_losses losses;
} ncz_hdf5_link_list;

int ncz_hdf5_link_add(const ncz_hdf5 *f, ncz_hdf5_link_list *list, const ncz_hdf5_link *link);
/* A text with a ceiling for its length, in the arena; `what` and `addr` for the error's text. */
int ncz_hdf5_text(const ncz_hdf5 *f, ncz_arena *arena, const void *s, uint64_t len, const char *what, uint64_t addr,
                  const char **out);
/* A path or the name of a file, which may be longer. */
int ncz_hdf5_path_text(ncz_hdf5 *f, ncz_arena *arena, const void *s, uint64_t len, const char *what, uint64_t addr,
                       const char **out);
/* A link whose name or path cannot be taken, with the reason of the failure `rc`. Other failures than damage stay. */
int ncz_hdf5_link_lose(ncz_arena *arena, const void *name, uint64_t len, int rc, ncz_hdf5_link *l);

/* ---- B-trees, heaps, old groups ---- */

enum { NCZ_HDF5_BTREE1_GROUP = 0, NCZ_HDF5_BTREE1_CHUNK = 1 };

/* A node of a version 1 B-tree (III.A.1): n children, and n + 1 keys before, between and after them. */
typedef struct ncz_hdf5_btree1 {
    uint64_t  left, right; /* its neighbours on the level, or NCZ_HDF5_NONE: no reader needs them */
    unsigned  level;       /* 0: the children are not nodes */
    size_t    n, key_size;
    uint64_t *children;
    /* In `bytes`: key i is that of child i. They are apart from each other by key_pitch. */
    const unsigned char *keys;
    size_t               key_pitch;
    ncz_buf              bytes;
} ncz_hdf5_btree1;

/* A node of this kind whose level is below that of the node that leads to it, which excludes circles. */
int ncz_hdf5_btree1_read(ncz_hdf5 *f, uint64_t addr, unsigned kind, size_t key_size, int above, ncz_hdf5_btree1 *out);
void ncz_hdf5_btree1_clear(ncz_hdf5_btree1 *node);

/* For the check: the last node of each level. Of a tree whose nodes come in their order. */
typedef struct ncz_hdf5_levels {
    bool     any[NCZ_HDF5_TREE_DEPTH];
    uint64_t addr[NCZ_HDF5_TREE_DEPTH], right[NCZ_HDF5_TREE_DEPTH];
} ncz_hdf5_levels;

/* A node that was read is one more of its level: checks what it says of its neighbours, its level, its room for `most`
 * children. */
void ncz_hdf5_levels_check(ncz_hdf5 *f, ncz_hdf5_levels *levels, uint64_t addr, int above, unsigned most,
                           const ncz_hdf5_btree1 *node);
void ncz_hdf5_levels_end(ncz_hdf5 *f, const ncz_hdf5_levels *levels); /* the tree has no more nodes */

/* A record of a version 2 B-tree (III.A.2). `compare`: -1, 0, 1 if it lies before, within, or after what is looked for;
 * NULL: all of them are. */
typedef struct ncz_hdf5_btree2 {
    unsigned type; /* that it must have */
    int (*compare)(void *arg, const unsigned char *record, size_t len);
    int (*record)(void *arg, const unsigned char *record, size_t len);
    void            *arg;
    ncz_hdf5_losses *losses; /* nodes and records that fail are noted, and passed over; or NULL */
} ncz_hdf5_btree2;

int ncz_hdf5_btree2_each(ncz_hdf5 *f, uint64_t addr, const ncz_hdf5_btree2 *walk);

typedef struct ncz_hdf5_local_heap {
    ncz_buf  bytes;
    uint64_t addr;
} ncz_hdf5_local_heap;

int ncz_hdf5_local_heap_open(ncz_hdf5 *f, uint64_t addr, ncz_hdf5_local_heap *out);
/* A NUL-terminated text in it. */
int  ncz_hdf5_local_heap_text(const ncz_hdf5_local_heap *h, uint64_t offset, const char **out, size_t *len);
void ncz_hdf5_local_heap_close(ncz_hdf5_local_heap *h);

/* Where many links or attributes are: the messages of link info (IV.A.2.c) and of attribute info (IV.A.2.v). */
typedef struct ncz_hdf5_info {
    bool     tracked, indexed;    /* the order of creation */
    uint64_t next;                /* in that order, if it is tracked */
    uint64_t heap, names, orders; /* NCZ_HDF5_NONE: they are in the header; `orders` if `indexed` */
} ncz_hdf5_info;

enum { NCZ_HDF5_LINK_ORDER = 8, NCZ_HDF5_ATTRIBUTE_ORDER = 2 }; /* bytes of `next` */
int ncz_hdf5_info_parse(const ncz_hdf5 *f, const ncz_hdf5_message *m, unsigned order_bytes, const char *what,
                        ncz_hdf5_info *out);

typedef struct ncz_hdf5_fractal_heap ncz_hdf5_fractal_heap;

/* What a heap's header says, which no reader needs: bytes and numbers of objects of each kind. */
typedef struct ncz_hdf5_fractal_counts {
    uint64_t free, free_space; /* bytes; the address of what manages them, or NCZ_HDF5_NONE */
    uint64_t managed, allocated, next, nmanaged;
    uint64_t huge, nhuge, tiny, ntiny;
} ncz_hdf5_fractal_counts;

/* What there is of it: */
typedef struct ncz_hdf5_fractal_found {
    uint64_t managed, allocated; /* bytes of its space; of direct blocks that are there */
    uint64_t room;               /* for objects in all direct blocks, also those that are not there */
} ncz_hdf5_fractal_found;

/* Where an object is. */
typedef struct ncz_hdf5_fractal_place {
    enum { NCZ_HDF5_MANAGED, NCZ_HDF5_HUGE, NCZ_HDF5_TINY } kind;
    uint64_t at, len; /* managed: of the heap's space; huge: of the file */
} ncz_hdf5_fractal_place;

const ncz_hdf5_fractal_counts *ncz_hdf5_fractal_heap_counts(const ncz_hdf5_fractal_heap *h);
/* Loads all blocks. */
int    ncz_hdf5_fractal_heap_check(ncz_hdf5_fractal_heap *h, ncz_hdf5_fractal_found *found);
int    ncz_hdf5_fractal_heap_place(ncz_hdf5_fractal_heap *h, const unsigned char *id, ncz_hdf5_fractal_place *out);
int    ncz_hdf5_fractal_heap_open(ncz_hdf5 *f, uint64_t addr, ncz_hdf5_fractal_heap **out);
size_t ncz_hdf5_fractal_heap_id_size(const ncz_hdf5_fractal_heap *h);
/* The bytes of the object with this id, of the heap's size of ids; valid until the next call. */
int  ncz_hdf5_fractal_heap_get(ncz_hdf5_fractal_heap *h, const unsigned char *id, const unsigned char **data,
                               size_t *len);
void ncz_hdf5_fractal_heap_close(ncz_hdf5_fractal_heap *h);

int ncz_hdf5_old_group(ncz_hdf5 *f, uint64_t btree, uint64_t heap, ncz_hdf5_link_list *out);

/* ---- hdf5_heap_ahead.c ---- */

/* Ranges by their addresses, sorted and apart, and their bytes. */
typedef struct ncz_hdf5_ahead_part {
    ncz_read_range *v;
    size_t          n, cap;
    ncz_buf         bytes;
} ncz_hdf5_ahead_part;

typedef struct ncz_hdf5_ahead {
    ncz_hdf5_ahead_part parts[2]; /* the least of each collection; larger ones as a whole */
} ncz_hdf5_ahead;

enum { NCZ_HDF5_COLLECTION_HEAD = 8 }; /* before its size: "GCOL", version, 3 reserved */

/* Reads the collections at these addresses. What was read before is gone. */
int ncz_hdf5_ahead_read(ncz_hdf5 *f, ncz_hdf5_ahead *a, const uint64_t *addrs, size_t n);
/* NULL: it was not read. */
const unsigned char *ncz_hdf5_ahead_find(const ncz_hdf5_ahead *a, uint64_t addr, uint64_t n);
/* The size that the head of a collection says, if that was read and is one. */
bool ncz_hdf5_ahead_size(const ncz_hdf5 *f, const ncz_hdf5_ahead *a, uint64_t addr, uint64_t *size);
void ncz_hdf5_ahead_clear(ncz_hdf5_ahead *a);

void ncz_hdf5_collections_free(ncz_hdf5_collections *c);
void ncz_hdf5_tables_free(ncz_hdf5_tables *all); /* NULL is fine */

/* ---- indexes of chunks ---- */

/* What is looked for in an index, and what becomes of it. */
typedef struct ncz_hdf5_chunk_walk {
    ncz_hdf5              *f;
    const ncz_hdf5_object *dataset;
    const ncz_hdf5_layout *layout;
    unsigned               rank;
    uint64_t               first[NCZ_HDF5_MAX_RANK], last[NCZ_HDF5_MAX_RANK];
    uint64_t          count[NCZ_HDF5_MAX_RANK]; /* of chunks in each dimension, of the largest array that may be */
    unsigned          order[NCZ_HDF5_MAX_RANK]; /* dimensions, the slowest first, in the linear order of the index */
    uint64_t          lowest, highest;          /* linear numbers of first and last */
    ncz_hdf5_chunk_fn fn;
    void             *arg;
    ncz_hdf5_losses  *losses; /* or NULL */
} ncz_hdf5_chunk_walk;

/* Hands on the chunk if it is one of those that are looked for. */
int ncz_hdf5_chunk_found(const ncz_hdf5_chunk_walk *w, const uint64_t *at, uint64_t addr, uint64_t len,
                         uint32_t mask);
/* Hands on those of an array's entries first..first+n that are looked for. Each has `size` bytes: an address, and of
 * filtered chunks the stored size and the mask. */
int ncz_hdf5_chunk_entries(const ncz_hdf5_chunk_walk *w, uint64_t first, uint64_t n, const unsigned char *bytes,
                           size_t size);
/* -1, 0, 1: a place is before, within or after those from first to last in the order of rows. */
int ncz_hdf5_chunk_compare(const ncz_hdf5_chunk_walk *w, const uint64_t *at);
/* Checks the size of entries that an index says. */
int ncz_hdf5_chunk_entry_size(const ncz_hdf5_chunk_walk *w, bool filtered, size_t size, const char *what,
                              uint64_t addr);

int ncz_hdf5_chunks_btree1(ncz_hdf5_chunk_walk *w);
int ncz_hdf5_chunks_btree2(ncz_hdf5_chunk_walk *w);
int ncz_hdf5_chunks_fixed(ncz_hdf5_chunk_walk *w);
int ncz_hdf5_chunks_extensible(ncz_hdf5_chunk_walk *w);

#endif /* NCZ_HDF5_INT_H */
