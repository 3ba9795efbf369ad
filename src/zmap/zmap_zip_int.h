/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the zip map share. Source: PKWARE's APPNOTE 6.3.
 *
 *   zmap_zip.c          the map: opening, closing, listing, the table
 *   zmap_zip_names.c    the names of an archive, as a tree
 *   zmap_zip_source.c   the bytes of an archive: a file or a block of memory
 *   zmap_zip_read.c     the directory of an archive -> names
 *   zmap_zip_prefix.c   where in an archive a dataset stands
 *   zmap_zip_write.c    names -> the directory of an archive; headers
 *   zmap_zip_get.c      get
 *   zmap_zip_inflate.c  deflated entries
 *   zmap_zip_method.c   what is done to entries' bytes, and who undoes it
 *   zmap_zip_libzip*.c  entries in other methods, through libzip, or not
 *   zmap_zip_crc_*.c    their checksum, through the one library or the other
 *   zmap_zip_put.c      put and del
 *   zmap_zip_commit.c    the partial file: locks, copies, commit
 *   zmap_zip_repack.c   an archive without its dead bytes
 */
#ifndef NCZ_ZMAP_ZIP_INT_H
#define NCZ_ZMAP_ZIP_INT_H

#include "zmap/zmap_int.h"
#include "zmap/zmap_zip.h"
#include "zmap/zmap_sys.h"
#include "zmap/zmap_zip_libzip.h"

#include <pthread.h>

#define ZIP_ENTRIES_MAX    10000000 /* of one archive */
#define ZIP_LOCAL_LEN      30       /* bytes of a header before the name */
#define ZIP_CENTRAL_LEN    46
#define ZIP_END_LEN        22
#define ZIP_LOCAL_SIG      0x04034b50u
#define ZIP_CENTRAL_SIG    0x02014b50u
#define ZIP_END_SIG        0x06054b50u
#define ZIP_METHOD_STORED  0
#define ZIP_METHOD_DEFLATE 8
#define ZIP_METHOD_AES     99
#define ZIP_FLAG_ENCRYPTED 0x2041u /* of either kind, and with its headers masked */
#define ZIP_FLAG_STRONG    0x2040u
#define ZIP_FLAG_LATE      0x0008u /* checksum and lengths are behind the bytes, too */
#define ZIP_FLAG_UTF8      0x0800u
#define ZIP_EXTRA_AES      0x9901u
#define ZIP_EXTRA_AES_LEN  7

/* ---- names (zmap_zip_names.c) ---------------------------------------------------------------------------------- */

/* One entry's place and what its headers say. */
typedef struct zip_object {
    uint64_t off; /* of its local header */
    uint64_t csize, size;
    uint32_t crc, when; /* DOS time and date */
    uint32_t head;      /* bytes of its local header, 0: not looked at yet; atomic once in the table */
    uint16_t flags, method, need;
    zip_aes  aes;
} zip_object;

/* A name of the tree: an object, a prefix of others, or (what was removed) neither. Places in the table, 0 for none.
 */
typedef struct zip_name {
    const char *key; /* not ended by a NUL */
    uint32_t    len, hash;
    uint32_t    parent, child, sibling;
    uint32_t    live; /* its object, and children that have something */
    bool        present;
    zip_object  object; /* when present */
} zip_name;

typedef struct zip_block zip_block;

/* Found by hash, listed as a tree. No locks of its own. v[0] is the root, whose name is "". */
typedef struct zip_names {
    zip_name  *v;
    uint32_t   n, cap;
    uint32_t  *slots; /* places; 0: free */
    uint32_t   nslots;
    size_t     nobjects;
    zip_block *blocks; /* that the keys are in */
    size_t     block_used;
} zip_names;

int      zmap_zip_names_init(zip_names *t);
void     zmap_zip_names_clear(zip_names *t);
uint32_t zmap_zip_names_find(const zip_names *t, const char *key, size_t len); /* 0: no such name, or key is "" */
int      zmap_zip_names_make(zip_names *t, const char *key, size_t len, uint32_t *at); /* with the names above it */
void     zmap_zip_names_set(zip_names *t, uint32_t at, const zip_object *o);
void     zmap_zip_names_unset(zip_names *t, uint32_t at);
/* NC_NOERR, or NC_EOBJECT with a text when an object stands above it or below it. */
int zmap_zip_names_place(const zip_names *t, uint32_t at);

/* ---- bytes (zmap_zip_source.c) --------------------------------------------------------------------------------- */

/* Counted: who reads holds one, so that a commit may go on to another file meanwhile. */
typedef struct zip_source {
    unsigned         refs;
    int              fd;   /* -1: memory */
    pthread_rwlock_t lock; /* memory: shared to use bytes, alone to move them */
    unsigned char   *mem;
    size_t           cap;
    bool             owned; /* by us: for free() */
    uint64_t         size;  /* when opened */
    char            *what;  /* for texts */
} zip_source;

int         zmap_zip_source_file(int fd, const char *what, uint64_t size, zip_source **out); /* takes fd on success */
int         zmap_zip_source_memory(void *mem, size_t len, bool owned, zip_source **out);
zip_source *zmap_zip_source_ref(zip_source *s);
void        zmap_zip_source_unref(zip_source *s); /* NULL is fine */

/* All of it, or NC_EIO. */
int zmap_zip_source_read(zip_source *s, void *data, size_t len, uint64_t off);
/* The same into two places; *n may be less at the end of the archive. */
int zmap_zip_source_read2(zip_source *s, void *head, size_t head_len, void *data, size_t len, uint64_t off,
                          size_t *n);
int zmap_zip_source_room(zip_source *s, uint64_t end); /* memory: that many bytes can be written */
int zmap_zip_source_write3(zip_source *s, const struct iovec from[3], uint64_t off);
/* Bytes of one archive into another, at the same or another place. */
int zmap_zip_source_copy(zip_source *from, uint64_t from_off, zip_source *to, uint64_t to_off, uint64_t len);

/* ---- the map --------------------------------------------------------------------------------------------------- */

/* Where the archive stands, for a map that writes a file. */
typedef struct zip_place {
    int         dir;           /* its directory; -1: memory, or for reading */
    char       *name;          /* there: the archive */
    char       *part, *repack; /* there: what is written before it takes the archive's place */
    zip_source *partial;       /* opened and locked, to be written to with the next change; or NULL */
    zip_source *old;           /* the archive that is replaced, kept for its lock; or NULL */
    uint64_t    common;        /* of old's bytes what the new one begins with; 0: nothing */
    zip_source *spare;         /* the archive before the last, under the partial file's name; or NULL */
    uint64_t    spare_common;  /* of its bytes what the archive begins with */
    bool        partial_gone;  /* after repacking, which is the last that is done */
    bool        there;         /* an archive of that name is there, and ours to replace */
    mode_t      mode;          /* of the archive that is replaced; 0: as the umask says */
} zip_place;

typedef struct zip_map {
    zmap  base;
    char *path;                                        /* for texts */
    bool (*is_document)(const char *name, size_t len); /* as in zmap_zip_opts */
    char    *prefix;                                   /* with a '/' at its end, or "" */
    size_t   prefix_len;
    bool     writable, made, replace, sorted; /* made: by this session */
    bool     front;                           /* bytes of something else, a program perhaps, are before its entries */
    int      sync_never;                      /* atomic */
    uint32_t extra;                           /* atomic: what the last local header had behind its name */

    pthread_rwlock_t gate; /* shared to write bytes, alone to stage or commit; taken before `lock` */
    zip_place        at;
    bool             taken; /* the block was given away */

    pthread_rwlock_t lock; /* guards what follows. Not taken by a map that only reads */
    zip_names        names;
    zip_source      *src; /* where objects are read, and written when staged */
    bool             staged;
    bool             changed; /* since the last commit */
    uint64_t         end;     /* behind the last entry */
    uint64_t         dead;    /* bytes before `end` that no name leads to */
    ncz_buf          others;  /* directory records of entries that are no objects: kept as they are */
    uint64_t         nothers;
    ncz_err          failure; /* of an fsync: final */
} zip_map;

/* The bytes of a name's entry, as far as is known (zmap_zip_names.c). */
uint64_t zmap_zip_entry_len(const zip_map *m, const zip_name *name);

/* ---- the directory (zmap_zip_read.c, zmap_zip_write.c) --------------------------------------------------------- */

/* Where a directory stands. */
typedef struct zip_end {
    uint64_t off, len, count;
    uint64_t base; /* to be added to every place it tells: bytes before the archive proper */
} zip_end;

/* One record of it, its places made absolute and seen to be before the directory. */
typedef struct zip_record {
    zip_object  object;
    const char *name; /* not ended by a NUL */
    size_t      name_len, extra_len, len;
    bool        link;
} zip_record;

typedef int (*zip_record_fn)(const zip_record *r, const unsigned char *raw, void *arg);

int  zmap_zip_read_end(zip_source *s, zip_end *out);
int  zmap_zip_starts(zip_source *s, bool *out); /* with an entry, or as an empty archive */
bool zmap_zip_has_directory(zip_source *s);     /* whatever is before its entries */
int  zmap_zip_each_record(zip_source *s, const zip_end *end, zip_record_fn fn, void *arg);
/* The prefix of a dataset's documents if all entries are below it, else ""; fresh, with its '/'. */
int zmap_zip_find_prefix(const zip_map *m, const zip_end *end, char **out);
int zmap_zip_read_names(zip_map *m, const zip_end *end); /* of m->src; fills names, end, dead and, to write, others */

bool zmap_zip_is_document(const zip_map *m, const char *name, size_t len); /* by its last segment */

/* The local header of a stored entry with all that stands before its bytes: prefix, key. Sets o's flags, need, head.
 */
int zmap_zip_local_header(const zip_map *m, const char *key, zip_object *o, ncz_buf *out);
/* The directory of m->names, written at m->end of `to`; *size is what the archive has then. */
int zmap_zip_write_directory(zip_map *m, zip_source *to, uint64_t *size);
/* The places of all objects: documents first, then by key. For ncz_free(). */
int zmap_zip_order(const zip_map *m, uint32_t **out, size_t *n);

/* ---- staging (zmap_zip_commit.c). Under the gate, alone, but for check_failed ---- */

int zmap_zip_stage_open(zip_map *m, const char *path, zmap_open_how how); /* sets m->at and m->src */
int zmap_zip_stage(zip_map *m);                                           /* makes m->src one that may be written */
int zmap_zip_commit(zip_map *m, bool last); /* `last`: nothing comes behind: repacks where that is worth it */
int zmap_zip_stage_close(zip_map *m, zmap_end how);
int zmap_zip_check_failed(const zip_map *m);

/* All objects, in the directory's order and without dead bytes, into an empty file (zmap_zip_repack.c). The names
 * lead there then, and m->src is that file. */
int zmap_zip_repack(zip_map *m, zip_source *to);

/* ---- entries ---- */

/* Whether we undo all that was done to its bytes. */
bool zmap_zip_is_own(const zip_object *o);
/* The o->size bytes of any other, of which o->csize are at `off`. `what` is for texts. */
int zmap_zip_decode(zip_source *s, uint64_t off, const zip_object *o, const char *what, void *out);

/* Bytes of m->src as they were deflated to o->size bytes. */
int zmap_zip_inflate(zip_source *s, uint64_t off, const zip_object *o, const char *key, void *out);

/* Bytes of the local header of a key's entry, which is looked at for that when they are not known. */
int zmap_zip_head(zip_map *m, const char *key, zip_source *s, const zip_object *o, uint32_t *out);

uint32_t zmap_zip_crc(const void *data, size_t len); /* zmap_zip_crc_*.c */

int zmap_zip_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg);
int zmap_zip_put(zmap *m, zmap_put_req *reqs, size_t n);
int zmap_zip_del(zmap *m, const char *const *keys, size_t n);

#endif /* NCZ_ZMAP_ZIP_INT_H */
