/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the zip store share. Source: PKWARE's APPNOTE 6.3.
 *
 *   zip.c          opening, closing, listing, the table
 *   zip_names.c    the names of an archive, as a tree
 *   zip_source.c   the bytes of an archive: a file or a block of memory
 *   zip_read.c     reading the central directory into names
 *   zip_prefix.c   finding the directory of a dataset in an archive
 *   zip_write.c    writing local headers and the central directory
 *   zip_get.c      get
 *   zip_inflate.c  deflated entries
 *   zip_method.c   how an entry's bytes are decoded, here or by libzip
 *   ncz_zip_libzip*.c  entries in other methods, through libzip; or a stub
 *   zip_crc_*.c    checksums, through libdeflate or zlib
 *   zip_put.c      put and del
 *   zip_commit.c   the partial file: locks, copies, commit
 *   zip_repack.c   rewriting an archive without its dead bytes
 */
#ifndef NCZ_ZIP_INT_H
#define NCZ_ZIP_INT_H

#include "zmap/zmap_int.h"
#include "zip/zip.h"
#include "zmap/zmap_sys.h"
#include "zip/zip_libzip.h"

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
#define ZIP_FLAG_ENCRYPTED 0x2041u /* weak or strong encryption, or masked headers */
#define ZIP_FLAG_STRONG    0x2040u
#define ZIP_FLAG_LATE      0x0008u /* checksum and lengths also follow the bytes */
#define ZIP_FLAG_UTF8      0x0800u
#define ZIP_EXTRA_AES      0x9901u
#define ZIP_EXTRA_AES_LEN  7

/* ---- names (zip_names.c) ---------------------------------------------------------------------------------- */

/* The place of an entry, and the fields of its headers. */
typedef struct zip_object {
    uint64_t         off; /* of its local header */
    uint64_t         csize, size;
    uint32_t         crc, when; /* DOS time and date */
    _Atomic uint32_t head;      /* bytes of its local header; 0: not read yet */
    uint16_t         flags, method, need;
    zip_aes          aes;
    uint16_t         lead; /* bytes of "./" before the name in its entry, which are no part of the key */
} zip_object;

/* Entries that are no objects, but in the place of one. */
typedef enum zip_other {
    ZIP_NO_ENTRY,
    ZIP_DIRECTORY, /* its own entry; does not count in `live` */
    ZIP_LINK,      /* counts in `live` */
    ZIP_NO_KEY,    /* a directory whose name cannot be part of a key; counts in `live` */
} zip_other;

/* A name in the tree: an object, a prefix of others, an entry of another kind, or (after a removal) none of them. Names
 * refer to each other by index; 0 is none. */
typedef struct zip_name {
    const char *key; /* not NUL-terminated */
    uint32_t    len, hash;
    uint32_t    parent, child, sibling;
    uint32_t    live; /* counts its object, its link, and each child that has live != 0 */
    bool        present;
    zip_other   other;
    zip_object  object; /* when present */
} zip_name;

typedef struct zip_block zip_block;

/* A hash table for lookup over a tree for listing. It has no lock of its own. v[0] is the root, whose name is "". */
typedef struct zip_names {
    zip_name  *v;
    uint32_t   n;
    size_t     cap;
    uint32_t  *slots; /* indexes of v; 0: free */
    uint32_t   nslots;
    size_t     nobjects, nlinks;
    zip_block *blocks; /* contain the keys */
    size_t     block_used;
} zip_names;

int      ncz_zip_names_init(zip_names *t);
void     ncz_zip_names_clear(zip_names *t);
uint32_t ncz_zip_names_find(const zip_names *t, const char *key, size_t len); /* 0: no such name, or key is "" */
int      ncz_zip_names_make(zip_names *t, const char *key, size_t len, uint32_t *at); /* with the names above it */
void     ncz_zip_names_set(zip_names *t, uint32_t at, const zip_object *o);
void     ncz_zip_names_unset(zip_names *t, uint32_t at);
/* True if there are objects or links below the name. */
static inline bool
ncz_zip_names_below(const zip_name *n)
{
    return n->live > (uint32_t)n->present + (n->other == ZIP_LINK || n->other == ZIP_NO_KEY);
}
void ncz_zip_names_set_other(zip_names *t, uint32_t at, zip_other other);
/* Checks that an object may be put at this name. NC_EOBJECT, with a text: an object exists above or below it, or a
 * link. */
int ncz_zip_names_place(const zip_names *t, uint32_t at);
/* Of a key that has no object: NC_EEMPTY, or NC_EACCESS with a text: something else is in its place. `what`: the
 * archive. */
int ncz_zip_names_absent(const zip_names *t, const char *what, const char *key);

/* ---- bytes (zip_source.c) --------------------------------------------------------------------------------- */

/* Reference-counted: a reader holds a reference, so that a commit may switch to another file meanwhile. */
typedef struct zip_source {
    atomic_uint      refs;
    int              fd;   /* -1: memory */
    pthread_rwlock_t lock; /* memory: shared to use the bytes, exclusive to move them */
    unsigned char   *mem;
    size_t           cap;
    bool             owned; /* freed with the source */
    uint64_t         size;  /* when opened */
    char            *what;  /* for error texts */
} zip_source;

int         ncz_zip_source_file(int fd, const char *what, uint64_t size, zip_source **out); /* takes fd on success */
int         ncz_zip_source_memory(void *mem, size_t len, bool owned, zip_source **out);
zip_source *ncz_zip_source_ref(zip_source *s);
void        ncz_zip_source_unref(zip_source *s); /* NULL is fine */

/* Reads all of it; NC_EIO if the archive ends early. */
int ncz_zip_source_read(zip_source *s, void *data, size_t len, uint64_t off);
/* Reads into `n` buffers, which are changed; *have is less than they take at the end of the archive. */
int ncz_zip_source_readv(zip_source *s, struct iovec *to, int n, uint64_t off, size_t *have);
int ncz_zip_source_room(zip_source *s, uint64_t end); /* memory: makes room for writes up to `end` */
int ncz_zip_source_write3(zip_source *s, const struct iovec from[3], uint64_t off);
/* Copies bytes of one archive to another, to the same or another offset. */
int ncz_zip_source_copy(zip_source *from, uint64_t from_off, zip_source *to, uint64_t to_off, uint64_t len);

/* ---- the store ------------------------------------------------------------------------------------------------- */

/* The files of an archive that is open for writing. */
typedef struct zip_place {
    int         dir;           /* the archive's directory; -1: in memory, or open for reading */
    char       *name;          /* of the archive in `dir` */
    char       *part, *repack; /* in `dir`: the files that are written and then replace the archive */
    zip_source *partial;       /* opened and locked for the next change; or NULL */
    zip_source *old;           /* the archive to be replaced, kept open for its lock; or NULL */
    uint64_t    common;        /* bytes that `old` and the new archive share at the start; 0: none */
    zip_source *spare;         /* the previous archive, under the partial file's name; or NULL */
    uint64_t    spare_common;  /* bytes that `spare` and the archive share at the start */
    bool        partial_gone;  /* removed by repacking, which is the last step */
    bool        there;         /* the archive exists, and may be replaced */
    ncz_stat    as;            /* the archive to be replaced; mode 0: there is none, and the umask decides */
} zip_place;

typedef struct zip_map {
    zmap  base;
    char *path;                                        /* for error texts */
    bool (*is_document)(const char *name, size_t len); /* as in ncz_zip_opts */
    char            *prefix;                           /* with a '/' at its end, or "" */
    size_t           prefix_len;
    bool             writable, made, replace, sorted; /* made: created by this session */
    bool             front;                           /* other bytes, a program perhaps, precede its entries */
    atomic_bool      sync_never;
    _Atomic uint32_t extra; /* bytes of the extra field in the last local header read */

    pthread_rwlock_t gate; /* shared to write bytes, exclusive to stage or commit; taken before `lock` */
    zip_place        at;
    bool             taken; /* the caller has taken the block */

    pthread_rwlock_t lock; /* guards what follows; not taken by a read-only store */
    zip_names        names;
    zip_source      *src; /* objects are read from it, and written to it once `staged` */
    bool             staged;
    bool             changed; /* since the last commit */
    uint64_t         end;     /* offset after the last entry */
    uint64_t         dead;    /* bytes before `end` that no name refers to */
    ncz_buf          others;  /* directory records of entries that are not objects, for the next directory */
    uint64_t         nothers;
    bool             backslashes; /* in names of entries */
    ncz_err          failure;     /* of an fsync; permanent */
} zip_map;

/* The bytes of a name's entry; an estimate until its local header has been read (zip_names.c). */
uint64_t ncz_zip_entry_len(const zip_map *m, const zip_name *name);

/* ---- the central directory (zip_read.c, zip_write.c) ------------------------------------------------- */

/* Where the central directory is. */
typedef struct zip_end {
    uint64_t off, len, count;
    uint64_t base; /* bytes before the archive proper, to be added to every offset in it */
} zip_end;

/* One record of the directory. Its offset is absolute and checked to be before the directory. */
typedef struct zip_record {
    zip_object  object;
    const char *name; /* not NUL-terminated; without a leading "./" */
    size_t      name_len, extra_len, len;
    bool        link;
} zip_record;

typedef int (*zip_record_fn)(const zip_record *r, const unsigned char *raw, void *arg);

int  ncz_zip_read_end(zip_source *s, zip_end *out);
int  ncz_zip_starts(zip_source *s, bool *out); /* begins with an entry, or is an empty archive */
bool ncz_zip_has_directory(zip_source *s);     /* whatever precedes its entries */
int  ncz_zip_each_record(zip_source *s, const zip_end *end, zip_record_fn fn, void *arg);
/* Finds the directory of a dataset's documents if all entries are below it, else "". *out is newly allocated and ends
 * with '/' unless empty. */
int ncz_zip_find_prefix(const zip_map *m, const zip_end *end, char **out);
int ncz_zip_read_names(zip_map *m, const zip_end *end); /* of m->src; fills names, end, dead; writers: others */

bool ncz_zip_is_document(const zip_map *m, const char *name, size_t len); /* by its last segment */

/* The bytes of "./", once or more, that a name begins with: archivers write it where they pack ".". */
size_t ncz_zip_lead(const char *name, size_t len);

/* Appends the local header of a stored entry, with its name: prefix and key. Sets o's flags, need, when, head, lead. */
int ncz_zip_local_header(const zip_map *m, const char *key, zip_object *o, ncz_buf *out);
/* Writes the directory of m->names at m->end of `to`; *size is the archive's size with it. */
int ncz_zip_write_directory(zip_map *m, zip_source *to, uint64_t *size);
/* The indexes of all objects: documents first, then by key. Free with ncz_free(). */
int ncz_zip_order(const zip_map *m, uint32_t **out, size_t *n);

/* ---- staging (zip_commit.c). All but check_failed need the gate held exclusively, or a single user ---- */

int ncz_zip_stage_open(zip_map *m, const char *path, zmap_open_how how); /* sets m->at and m->src */
int ncz_zip_stage(zip_map *m);                                           /* makes m->src writable */
int ncz_zip_commit(zip_map *m, bool last); /* `last`: no change follows; repacks where that pays */
int ncz_zip_stage_close(zip_map *m, zmap_end how);
int ncz_zip_check_failed(const zip_map *m);

/* Copies all objects, in the directory's order and without dead bytes, to an empty file (zip_repack.c). On
 * success the names refer to that file, and m->src is that file. */
int ncz_zip_repack(zip_map *m, zip_source *to);

/* ---- entries ---- */

/* Whether this library decodes the entry by itself. */
bool ncz_zip_is_own(const zip_object *o);
/* Decodes any other entry: o->csize bytes at `off` to o->size bytes. `what` is for error texts. */
int ncz_zip_decode(zip_source *s, uint64_t off, const zip_object *o, const char *what, void *out);

/* Inflates o->csize bytes at `off` to exactly o->size bytes. */
int ncz_zip_inflate(zip_source *s, uint64_t off, const zip_object *o, const char *key, void *out);

/* The bytes of the local header of a key's entry. Reads the header if they are not known. */
int ncz_zip_head(zip_map *m, const char *key, zip_source *s, const zip_object *o, uint32_t *out);

uint32_t ncz_zip_crc(const void *data, size_t len); /* zip_crc_*.c */

int ncz_zip_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg);
int ncz_zip_len(zmap *m, const char *key, uint64_t *len);
int ncz_zip_put(zmap *m, zmap_put_req *reqs, size_t n);
int ncz_zip_del(zmap *m, const char *const *keys, size_t n);

#endif /* NCZ_ZIP_INT_H */
